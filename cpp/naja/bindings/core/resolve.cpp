// A call that no entry fits: types of the arguments, choice of a specialisation, compilation.
#include "naja/bindings/core/dispatcher.h"
#include "naja/bindings/core/objects.h"
#include "naja/bindings/core/type_object.h"
#include "naja/support/options.h"
#include "naja/types/layout.h"
#include "naja/types/promotion.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace naja::bindings {
namespace {

PyObject *compile_hook = nullptr;

// Buffers of a usual call (call.cpp): anything beyond goes through the heap.
constexpr unsigned kUsualStackSlots = 40;
constexpr unsigned kUsualResultBytes = 256;

std::string listOf(const std::vector<TypeId> &types) {
  std::string text;
  for (TypeId type : types) { text += (text.empty() ? "" : ", ") + toString(type); }
  return text;
}
/// As Python shows a tuple of them.
std::string tupleOf(const std::vector<TypeId> &types) { return "(" + listOf(types) + (types.size() == 1 ? ",)" : ")"); }

/// TypingError for arguments without a type; naja.typing has the words.
void refuseArguments(PyObject *function, const std::vector<std::pair<uint32_t, PyObject *>> &refused) {
  PyErr_Clear();
  Ref rows = Ref::steal(PyList_New(0));
  for (auto [index, value] : refused) {
    Ref row = Ref::steal(Py_BuildValue("(IO)", index, value));
    if (!rows || !row || PyList_Append(rows.get(), row.get()) < 0) { return; }
  }
  Ref module = Ref::steal(PyImport_ImportModule("naja.typing"));
  if (module) { Ref::steal(PyObject_CallMethod(module.get(), "refuse_arguments", "OO", function, rows.get())); }
  if (!PyErr_Occurred()) { PyErr_SetString(PyExc_TypeError, "an argument has no type in compiled code"); }
}

bool isIntBeyondMachine(PyObject *value) {
  if (!PyLong_CheckExact(value)) { return false; }
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow > 0) {
    PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred()) { return false; }
    PyErr_Clear();
  }
  return overflow != 0;
}

/// Errors of the compiler say where they are; the frames of the package between the call and the compiler say nothing.
void hideFramesOfPackage() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (PyObject_HasAttrString(value, "diagnostic") != 0 && !optionBool("FULL_TRACEBACKS")) {
    Py_CLEAR(traceback);
    PyException_SetTraceback(value, Py_None);
  }
  PyErr_Restore(type, value, traceback);
}

bool typeArguments(Dispatcher *self, PyObject *const *bound, std::vector<TypeId> *types_out) {
  Dispatcher::Data &data = *self->data;
  std::vector<std::pair<uint32_t, PyObject *>> refused;
  for (uint32_t i = 0; i < data.signature.total(); ++i) {
    if (bound[i] == nullptr) {
      data.omitted.resize(data.signature.total());
      if (!data.omitted[i].valid()) { data.omitted[i] = typeOfOmitted(data.signature.defaultOf(i)); }
      types_out->push_back(data.omitted[i]);
      continue;
    }
    TypeId type = typeOfObject(bound[i]);
    if (!type.valid() && isIntBeyondMachine(bound[i])) {
      if (self->can_compile) {
        PyErr_SetString(PyExc_OverflowError, "int too large to convert");
        return false;
      }
      type = types().int64; // a declared float may take it
    }
    if (!type.valid() && PyErr_Occurred()) { return false; }
    if (!type.valid()) { refused.emplace_back(i, bound[i]); }
    types_out->push_back(type);
  }
  if (refused.empty()) { return true; }
  refuseArguments(self->py_func, refused);
  hideFramesOfPackage();
  return false;
}

// ---- choosing among declared signatures

/// Worst first: unsafe, safe and promoting conversions. Empty: one argument does not convert.
using Rank = std::array<unsigned, 3>;
std::optional<Rank> rankOf(const std::vector<TypeId> &from, const std::vector<TypeId> &to) {
  if (from.size() != to.size()) { return std::nullopt; }
  Rank rank{};
  for (size_t i = 0; i < from.size(); ++i) {
    TypeId type = from[i];
    if (type != to[i] && typeOf(type).kind == TypeKind::Omitted) { // its value is converted like any other
      type = ConstantStore::global().get(ConstId(typeOf(type).constant)).type;
      if (!type.valid()) { return std::nullopt; }
    }
    switch (conversion(type, to[i])) {
    case Conversion::Exact: break;
    case Conversion::Promote: ++rank[2]; break;
    case Conversion::Safe: ++rank[1]; break;
    case Conversion::Unsafe: ++rank[0]; break;
    default: return std::nullopt;
    }
  }
  return rank;
}

void refuseAmbiguous(Dispatcher *self, const std::vector<TypeId> &args, const std::vector<Specialisation *> &best) {
  std::string text;
  for (Specialisation *candidate : best) {
    text += "\n" + tupleOf(candidate->args) + " -> " + toString(candidate->result);
  }
  PyErr_Format(PyExc_TypeError, "Ambiguous overloading for %R %s:%s", self->py_func, tupleOf(args).c_str(),
               text.c_str());
}

Specialisation *bestMatch(Dispatcher *self, const std::vector<TypeId> &args) {
  std::vector<Specialisation *> best;
  Rank best_rank{};
  for (Specialisation *candidate : self->data->specialisations) {
    auto rank = rankOf(args, candidate->args);
    if (!rank || (!best.empty() && *rank > best_rank)) { continue; }
    if (best.empty() || *rank < best_rank) { best.clear(); }
    best_rank = *rank;
    best.push_back(candidate);
  }
  if (best.size() == 1) { return best[0]; }
  if (best.empty()) {
    PyErr_Format(PyExc_TypeError, "No matching definition for argument type(s) %s", listOf(args).c_str());
  } else {
    refuseAmbiguous(self, args, best);
  }
  return nullptr;
}

// ---- compilation

Ref compile(Dispatcher *self, const std::vector<TypeId> &args) {
  if (compile_hook == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "there is no compiler: set_compile_hook was not called");
    return Ref();
  }
  Ref ids = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(args.size())));
  for (size_t i = 0; ids && i < args.size(); ++i) {
    PyTuple_SET_ITEM(ids.get(), static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(args[i].value));
  }
  if (!ids) { return Ref(); }
  Ref made = Ref::steal(PyObject_CallFunctionObjArgs(compile_hook, self, ids.get(), nullptr));
  if (!made) { hideFramesOfPackage(); }
  if (made && !isSpecialisation(made.get())) {
    PyErr_Format(PyExc_TypeError, "the compile hook returned %s, not a Specialisation", Py_TYPE(made.get())->tp_name);
    return Ref();
  }
  return made;
}

bool makeSteps(Dispatcher *self, Entry &entry, PyObject *const *bound) {
  Specialisation &code = *entry.specialisation;
  const Signature &signature = self->data->signature;
  entry.param_count = signature.total();
  if (code.args.size() != entry.param_count) {
    PyErr_Format(PyExc_TypeError, "a specialisation of %zu arguments for a function of %u parameters", code.args.size(),
                 entry.param_count);
    return false;
  }
  entry.steps.resize(entry.param_count);
  for (uint32_t i = 0; i < entry.param_count; ++i) {
    // The default of an omitted argument is passed where the signature declares a type for it.
    PyObject *sample = bound[i] ? bound[i] : signature.defaultOf(i);
    if (!prepareUnbox(entry.steps[i], code.args[i], sample, code.slots.data() + code.first_slot[i])) { return false; }
    if (bound[i] == nullptr && entry.steps[i].kind != UnboxStep::Nothing) {
      UnboxStep inner = std::move(entry.steps[i]);
      entry.steps[i] = UnboxStep();
      makeDefaultStep(entry.steps[i], std::move(inner), sample);
    }
  }
  entry.large = code.stack_slots > kUsualStackSlots || code.result_size > kUsualResultBytes;
  return true;
}

/// The fingerprint again, this time noting the objects that are part of it.
std::vector<PyObject *> pinsOf(Dispatcher *self, PyObject *const *bound) {
  std::vector<PyObject *> pins;
  Fingerprint fingerprint_again;
  fingerprint_again.pins = &pins;
  for (uint32_t i = 0; i < self->data->signature.total(); ++i) {
    if (bound[i] != nullptr) { fingerprint(bound[i], fingerprint_again); }
  }
  for (PyObject *pin : pins) { Py_INCREF(pin); }
  return pins;
}

// A program that makes a new dtype or class for every call would fill the table for ever.
constexpr size_t kMaxEntries = 4096;

} // namespace

void retireEntries(Dispatcher *self) {
  self->last = nullptr;
  auto &retired = self->data->retired;
  for (auto &entry : self->data->table.takeAll()) { retired.push_back(std::move(entry)); }
  if (self->active == 0) {
    auto garbage = std::move(retired); // freeing may run code that comes back here
    retired.clear();
  }
}

void setCompileHook(PyObject *hook) { Py_XSETREF(compile_hook, Py_NewRef(hook)); }

bool addSpecialisation(Dispatcher *self, Specialisation *specialisation) {
  auto &all = self->data->specialisations;
  if (std::find(all.begin(), all.end(), specialisation) == all.end()) {
    Py_INCREF(reinterpret_cast<PyObject *>(specialisation));
    all.push_back(specialisation);
  }
  return true;
}

Specialisation *findSpecialisation(Dispatcher *self, const std::vector<TypeId> &args) {
  const auto &all = self->data->specialisations;
  for (Specialisation *candidate : all) {
    if (candidate->args == args) { return candidate; }
  }
  return self->can_compile ? nullptr : bestMatch(self, args);
}

Entry *resolveCall(Dispatcher *self, PyObject *const *bound, const Fingerprint &fingerprint,
                   std::unique_ptr<Entry> *temporary) {
  PyErr_Clear(); // a failed fingerprint
  std::vector<TypeId> args;
  if (!typeArguments(self, bound, &args)) { return nullptr; }
  Specialisation *found = findSpecialisation(self, args);
  if (found == nullptr && PyErr_Occurred()) { return nullptr; }
  Ref made = Ref::borrow(reinterpret_cast<PyObject *>(found));
  if (!made) {
    made = compile(self, args);
    if (!made) { return nullptr; }
    // Another thread may have added it while this one waited.
    for (Specialisation *known : self->data->specialisations) {
      if (known->args == args) { made = Ref::borrow(reinterpret_cast<PyObject *>(known)); }
    }
    addSpecialisation(self, reinterpret_cast<Specialisation *>(made.get()));
  }
  auto entry = std::make_unique<Entry>();
  entry->specialisation = reinterpret_cast<Specialisation *>(made.release());
  if (!makeSteps(self, *entry, bound)) { return nullptr; }
  if (fingerprint.overflow || fingerprint.failed) {
    *temporary = std::move(entry);
    return temporary->get();
  }
  entry->word_count = fingerprint.count;
  entry->words = std::make_unique<uint64_t[]>(fingerprint.count);
  std::memcpy(entry->words.get(), fingerprint.words, fingerprint.count * sizeof(uint64_t));
  entry->pins = pinsOf(self, bound);
  Entry *result = entry.get();
  if (self->data->table.entries().size() >= kMaxEntries) { retireEntries(self); }
  self->data->table.insert(std::move(entry));
  return result;
}

} // namespace naja::bindings
