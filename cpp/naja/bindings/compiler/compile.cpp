// The loop that compiles: the compiler works without the GIL and stops where it must ask Python.
#include "naja/bindings/compiler/compiler.h"

#include "naja/driver/compiled_functions.h"
#include "naja/frontend/snapshot/snapshot.h"
#include "naja/support/options.h"

#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace naja::bindings {
namespace {

using driver::SpecialisationKey;

/// Keys that some thread compiles now. Another thread that wants one waits for it, without the GIL. The thread that
/// compiles may come back for its own key (a hook that calls the function): it does not wait for itself.
class InFlight {
public:
  /// True: the caller compiles it and must call finish. False: another thread has finished it meanwhile.
  bool start(const SpecialisationKey &key) {
    std::unique_lock lock(mutex_);
    auto it = running_.find(key);
    if (it == running_.end()) {
      running_.emplace(key, Run{std::this_thread::get_id(), 1});
      return true;
    }
    if (it->second.thread == std::this_thread::get_id()) {
      ++it->second.depth;
      return true;
    }
    finished_.wait(lock, [&] { return !running_.contains(key); });
    return false;
  }

  void finish(const SpecialisationKey &key) {
    {
      std::lock_guard lock(mutex_);
      auto it = running_.find(key);
      if (--it->second.depth == 0) running_.erase(it);
    }
    finished_.notify_all();
  }

private:
  struct Run {
    std::thread::id thread;
    int depth;
  };
  std::mutex mutex_;
  std::condition_variable finished_;
  std::unordered_map<SpecialisationKey, Run, driver::SpecialisationKeyHash> running_;
};

InFlight *in_flight = new InFlight;

/// Steps of the compiler hold it shared; a fork takes it alone, so that no lock of the compiler is copied held.
std::shared_mutex *fork_gate = new std::shared_mutex;

class Turn {
public:
  explicit Turn(const SpecialisationKey &key) : key_(key), owner_(in_flight) {}
  /// Waits while another thread compiles the key; false: it was compiled (or failed) there.
  bool take() {
    nb::gil_scoped_release release;
    taken_ = owner_->start(key_);
    return taken_;
  }
  ~Turn() {
    if (taken_) owner_->finish(key_);
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

private:
  const SpecialisationKey &key_;
  InFlight *owner_;
  bool taken_ = false;
};

std::shared_ptr<driver::CompiledFunction> compileNow(const CompileRequest &request, PyHandle dispatcher) {
  std::shared_ptr<const frontend::FunctionSnapshot> snapshot = frontend::snapshotFunction(request.function.ptr());
  if (!snapshot) {
    PyErr_SetString(PyExc_TypeError, "only Python functions can be compiled");
    throw nb::python_error();
  }
  driver::CompileOptions options;
  options.opt_level = static_cast<int>(optionInt("OPT"));
  options.keep_texts = request.for_texts;
  options.load = !request.for_texts;
  options.record = request.record;
  options.dispatcher = dispatcher;
  options.loop = request.loop;
  options.ptx = request.ptx;
  driver::Compilation compilation({snapshot, request.options, request.arg_types, request.return_type}, options);
  while (true) {
    driver::Compilation::State state;
    {
      nb::gil_scoped_release release;
      std::shared_lock gate(*fork_gate);
      state = compilation.step();
    }
    if (state == driver::Compilation::State::Done) return compilation.result();
    if (state == driver::Compilation::State::Failed) throwDiagnostic(compilation.error());
    answerRequests(compilation.session());
  }
}

} // namespace

std::shared_ptr<driver::CompiledFunction> compileRequest(const CompileRequest &request) {
  frontend::HandleTable &handles = frontend::HandleTable::global();
  PyHandle dispatcher = request.dispatcher.is_none() ? PyHandle() : handles.add(request.dispatcher.ptr());
  if (request.for_texts || request.loop || request.record) return compileNow(request, dispatcher);
  SpecialisationKey key{handles.add(request.function.ptr()), dispatcher, request.arg_types};
  while (true) {
    auto known = driver::Registry::global().find(key);
    if (known && request.return_type.value_or(known->return_type) == known->return_type) return known;
    Turn turn(key);
    if (turn.take()) return compileNow(request, dispatcher);
  }
}

// The thread that forks holds the GIL; steps that run now need none to come to an end, and none begins meanwhile.
void beforeFork() { fork_gate->lock(); }
void afterForkInParent() { fork_gate->unlock(); }
void afterForkInChild() {
  fork_gate = new std::shared_mutex; // the lock belongs to a thread of the parent
  in_flight = new InFlight;          // what the parent's threads compile is never finished here
}

typing::FunctionOptions optionsFromFlags(nb::handle flags) {
  auto flag = [&](size_t i) { return PyObject_IsTrue(PyTuple_GET_ITEM(flags.ptr(), static_cast<Py_ssize_t>(i))) == 1; };
  typing::FunctionOptions options;
  options.flags.error_model_numpy = flag(0);
  options.flags.fastmath = nb::cast<uint8_t>(flags[1]);
  options.flags.boundscheck = flag(2);
  options.flags.nogil = flag(3);
  options.flags.debug = flag(4);
  options.flags.forceinline = flag(5);
  options.inline_always = flag(6);
  options.flags.cuda = nb::cast<bool>(flags.attr("cuda"));
  for (nb::handle row : flags[7])
    options.locals.emplace_back(nb::cast<std::string>(row[0]), TypeId(nb::cast<uint32_t>(row[1])));
  options.flags.parallel = nb::cast<uint8_t>(flags.attr("parallel"));
  return options;
}

typing::FunctionOptions optionsOfDispatcher(nb::handle dispatcher) {
  typing::FunctionOptions options = optionsFromFlags(dispatcher.attr("compiler_flags"));
  options.can_compile = nb::cast<bool>(dispatcher.attr("_can_compile"));
  for (nb::handle row : dispatcher.attr("_declared")) {
    typing::FunctionOptions::Signature signature;
    for (nb::handle id : row[0]) signature.args.push_back(TypeId(nb::cast<uint32_t>(id)));
    if (!row[1].is_none()) signature.result = TypeId(nb::cast<uint32_t>(row[1]));
    options.signatures.push_back(std::move(signature));
  }
  return options;
}

} // namespace naja::bindings
