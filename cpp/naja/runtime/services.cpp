// What needs the interpreter, and the flag that Ctrl-C sets.
#include "naja/runtime/internal.h"
#include "naja/runtime/parallel/parallel.h"

#include <atomic>
#include <csignal>
#include <pthread.h>

namespace naja::runtime {
namespace {

std::atomic<const naja_python_services *> services{nullptr};
pthread_t main_thread; // the one that installed the services: Python handles signals there alone
struct sigaction previous;

void onInterrupt(int number, siginfo_t *info, void *context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
  naja_rt_signal_pending = 1;
  wakeRecursion();
}

int32_t needsPython(const char *what) {
  naja_rt_raise_text(NAJA_SystemError, what, nullptr, nullptr, 0);
  return NAJA_RAISED;
}

} // namespace

const naja_python_services *pythonServices() { return services.load(std::memory_order_acquire); }

} // namespace naja::runtime

using namespace naja::runtime;

extern "C" {

volatile int32_t naja_rt_signal_pending = 0;

void naja_rt_install_python(const naja_python_services *table) {
  main_thread = pthread_self();
  adoptMainStack();
  services.store(table, std::memory_order_release);
}

void naja_rt_install_signal_handler(void) {
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) != 0) { return; }
  const bool plain = (current.sa_flags & SA_SIGINFO) == 0;
  if (!plain && current.sa_sigaction == onInterrupt) { return; }
  // Without a handler Ctrl-C ends the process (or is meant to do nothing): leave that.
  if (plain && (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN)) { return; }
  previous = current;
  struct sigaction ours = current;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = onInterrupt;
  sigaction(SIGINT, &ours, nullptr);
  setSignalPending(1); // Ctrl-C may have come before, while code was being compiled
}

int32_t naja_rt_poll_signals(void) {
  if (naja_rt_parallel_cancelled() != 0) { return NAJA_RAISED; } // of no interest to anybody: there is no exception
  return pollInterpreter();
}
}

int32_t naja::runtime::pollInterpreter() {
  const naja_python_services *python = pythonServices();
  if (python == nullptr) {
    setSignalPending(0);
    return NAJA_OK;
  }
  // Another thread cannot handle it and must not hide it from the one that can.
  if (pthread_equal(pthread_self(), main_thread) == 0) { return NAJA_OK; }
  setSignalPending(0);
  return python->check_signals();
}

extern "C" {

int32_t naja_rt_print(uint32_t count, const uint32_t *types, const void *values) {
  const naja_python_services *python = pythonServices();
  return python ? python->print(count, types, values) : needsPython("print needs the interpreter");
}

void naja_rt_incref_object(void *object) {
  const naja_python_services *python = pythonServices();
  if (object != nullptr && python != nullptr) { python->incref_object(object); }
}

void naja_rt_decref_object(void *object) {
  const naja_python_services *python = pythonServices();
  if (object != nullptr && python != nullptr) { python->decref_object(object); }
}

void *naja_rt_box(uint32_t type, const void *value) {
  const naja_python_services *python = pythonServices();
  if (python) { return python->box(type, value); }
  needsPython("boxing needs the interpreter");
  return nullptr;
}
}
