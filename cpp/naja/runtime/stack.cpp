// Recursion: how much stack this thread has left.
#include "naja/runtime/internal.h"

#include <pthread.h>

namespace {

constexpr uintptr_t kMargin = 64 * 1024;
// A frame below the limit by more than this is on another stack (greenlets, signal stacks), of which nothing is known.
constexpr uintptr_t kOtherStack = 16 * 1024 * 1024;

// Initial-exec: one load instead of a call of __tls_get_addr. Before it is known, every frame is below it, so that compiled
// code, which compares for itself, comes here once.
constexpr uintptr_t kNotAskedYet = UINTPTR_MAX;
thread_local uintptr_t limit __attribute__((tls_model("initial-exec"))) = kNotAskedYet;

[[gnu::noinline, gnu::cold]] uintptr_t askLimit() {
  uintptr_t result = 1;
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void *low = nullptr;
    size_t size = 0, guard = 0;
    // glibc derives the main thread's stack from the resource limit and the mapping below it.
    if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
      pthread_attr_getguardsize(&attributes, &guard);
      result = reinterpret_cast<uintptr_t>(low) + guard + kMargin;
    }
    pthread_attr_destroy(&attributes);
  }
#elif defined(__APPLE__)
  const auto top = reinterpret_cast<uintptr_t>(pthread_get_stackaddr_np(pthread_self()));
  result = top - pthread_get_stacksize_np(pthread_self()) + kMargin;
#endif
  limit = result;
  return result;
}

[[gnu::noinline, gnu::cold]] int32_t overflow(uintptr_t frame, uintptr_t low) {
  if (low - frame > kOtherStack) { return NAJA_OK; }
  naja_rt_raise_text(NAJA_RecursionError, "maximum recursion depth exceeded", nullptr, nullptr, 0);
  return NAJA_RAISED;
}

uintptr_t *limit_of_main = nullptr;

} // namespace

void naja::runtime::adoptMainStack() { limit_of_main = &limit; }

void naja::runtime::wakeRecursion() {
  if (limit_of_main != nullptr) { __atomic_store_n(limit_of_main, kNotAskedYet, __ATOMIC_RELAXED); }
}

extern "C" int32_t naja_rt_check_stack(void) {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t low = limit;
  if (__builtin_expect(low == kNotAskedYet, 0)) {
    low = askLimit();
    const int32_t status = naja_rt_signal_pending != 0 ? naja_rt_poll_signals() : NAJA_OK;
    if (status != NAJA_OK) { return status; }
  }
  if (__builtin_expect(frame < low, 0)) { return overflow(frame, low); }
  return NAJA_OK;
}

extern "C" void *naja_rt_stack_limit(void) {
#if defined(__x86_64__) && defined(__linux__)
  return reinterpret_cast<void *>(reinterpret_cast<intptr_t>(&limit) - reinterpret_cast<intptr_t>(__builtin_thread_pointer()));
#else
  return nullptr;
#endif
}
