// The hot path. Everything that is not a hit of a usual call is out of line.
#include "naja/bindings/core/call.h"

#include "naja/bindings/core/core_api.h"
#include "naja/bindings/core/exceptions.h"

#include <cstring>
#include <new>

namespace naja::bindings {
namespace {

constexpr unsigned kFrameSlots = kFirstStack + 40;
constexpr unsigned kResultBytes = 256;
constexpr unsigned kMaxParams = 32;

using Registers = int32_t (*)(void *ret, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
#if defined(__aarch64__)
                              uint64_t, uint64_t,
#endif
                              double, double, double, double, double, double, double, double);

// The entry takes some of the registers' contents, not all: no type says that.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
inline int32_t enter(const Specialisation &code, void *ret, const uint64_t *frame) {
  if (__builtin_expect(code.stack_slots != 0, 0)) {
    return naja_core_trampoline(code.entry, ret, frame, code.stack_slots);
  }
  // All argument registers are loaded, whichever of them the function has.
  const uint64_t *i = frame + kFirstInt;
  double f[kFloatRegisters];
  std::memcpy(f, frame, sizeof f);
  return reinterpret_cast<Registers>(code.entry)(ret, i[0], i[1], i[2], i[3], i[4],
#if defined(__aarch64__)
                                                 i[5], i[6],
#endif
                                                 f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]);
}

[[gnu::noinline]] int32_t enterWithoutGil(const Specialisation &code, void *ret, const uint64_t *frame) {
  PyThreadState *state = PyEval_SaveThread();
  const int32_t status = enter(code, ret, frame);
  PyEval_RestoreThread(state);
  return status;
}

/// Keeps entries alive: code that runs during the call may clear the dispatcher.
class Active {
public:
  explicit Active(Dispatcher *self) : self_(self) { ++self->active; }
  ~Active() { --self_->active; }
  Active(const Active &) = delete;
  Active &operator=(const Active &) = delete;

private:
  Dispatcher *self_;
};

inline PyObject *invoke(Dispatcher *self, const Entry &entry, PyObject *const *args, uint64_t *frame, char *result) {
  Active active(self);
  const UnboxStep *step = entry.steps.data();
  for (uint32_t i = 0; i < entry.param_count; ++i, ++step) {
    if (__builtin_expect(!unboxArgument(*step, args[i], frame), 0)) { return nullptr; }
  }
  const Specialisation &code = *entry.specialisation;
  const int32_t status = __builtin_expect((code.flags & kReleaseGil) != 0, 0) ? enterWithoutGil(code, result, frame)
                                                                              : enter(code, result, frame);
  if (__builtin_expect(status != 0, 0)) { return raiseStatus(status); }
  return code.box->box(*code.box, result);
}

[[gnu::noinline]] PyObject *invokeLarge(Dispatcher *self, const Entry &entry, PyObject *const *args) {
  const Specialisation &code = *entry.specialisation;
  std::unique_ptr<uint64_t[]> frame(new (std::nothrow) uint64_t[kFirstStack + code.stack_slots]);
  std::unique_ptr<uint64_t[]> result(new (std::nothrow) uint64_t[code.result_size / 8 + 1]);
  if (!frame || !result) { return PyErr_NoMemory(); }
  return invoke(self, entry, args, frame.get(), reinterpret_cast<char *>(result.get()));
}

inline PyObject *invokeEntry(Dispatcher *self, const Entry &entry, PyObject *const *args) {
  if (__builtin_expect(entry.large, 0)) { return invokeLarge(self, entry, args); }
  uint64_t frame[kFrameSlots];
  alignas(16) char result[kResultBytes];
  return invoke(self, entry, args, frame, result);
}

[[gnu::noinline]] PyObject *missed(Dispatcher *self, PyObject *const *args, const Fingerprint &fingerprint) {
  Entry *entry = fingerprint.overflow || fingerprint.failed ? nullptr : self->data->table.find(fingerprint);
  std::unique_ptr<Entry> temporary;
  if (entry == nullptr) { entry = resolveCall(self, args, fingerprint, &temporary); }
  if (entry == nullptr) { return nullptr; }
  if (temporary) { // counts as a call in progress while it lives
    return invokeEntry(self, *entry, args);
  }
  self->last = entry;
  return invokeEntry(self, *entry, args);
}

inline bool hits(const Entry *entry, const Fingerprint &fingerprint) {
  if (entry == nullptr || entry->word_count != fingerprint.count) { return false; }
  const uint64_t *words = entry->words.get();
  for (unsigned i = 0; i < fingerprint.count; ++i) {
    if (words[i] != fingerprint.words[i]) { return false; }
  }
  return !fingerprint.failed && !fingerprint.overflow;
}

[[gnu::noinline]] PyObject *callBound(Dispatcher *self, PyObject *const *bound) {
  Fingerprint words;
  for (uint32_t i = 0; i < self->data->signature.total(); ++i) {
    if (bound[i] == nullptr) {
      words.push(kOmittedTag);
    } else {
      fingerprint(bound[i], words);
    }
  }
  if (hits(self->last, words)) { return invokeEntry(self, *self->last, bound); }
  return missed(self, bound, words);
}

/// The arguments do not fit the parameters: CPython finds the words for it, by trying to call the function itself.
PyObject *refuse(Dispatcher *self, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  if (PyErr_Occurred()) { return nullptr; }
  Ref result = Ref::steal(PyObject_Vectorcall(self->py_func, args, nargsf & ~PY_VECTORCALL_ARGUMENTS_OFFSET, keywords));
  if (result) { PyErr_SetString(PyExc_TypeError, "the arguments do not fit the parameters of the function"); }
  return nullptr;
}

[[gnu::noinline]] PyObject *callWithBinding(Dispatcher *self, PyObject *const *args, size_t nargsf,
                                            PyObject *keywords) {
  PyObject *buffer[kMaxParams];
  std::vector<PyObject *> many;
  PyObject **bound = buffer;
  const uint32_t total = self->data->signature.total();
  if (total > kMaxParams) {
    many.resize(total);
    bound = many.data();
  }
  Ref star;
  if (!bindArguments(self->data->signature, args, PyVectorcall_NARGS(nargsf), keywords, bound, &star)) {
    return refuse(self, args, nargsf, keywords);
  }
  return callBound(self, bound);
}

} // namespace

PyObject *callDispatcher(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  auto *self = reinterpret_cast<Dispatcher *>(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (__builtin_expect(keywords != nullptr || count != self->simple_count, 0)) {
    return callWithBinding(self, args, nargsf, keywords);
  }
  Fingerprint words;
  for (Py_ssize_t i = 0; i < count; ++i) { fingerprint(args[i], words); }
  if (__builtin_expect(hits(self->last, words), 1)) { return invokeEntry(self, *self->last, args); }
  return missed(self, args, words);
}

} // namespace naja::bindings
