// Futexes where there are some; elsewhere short sleeps.
#include "naja/runtime/parallel/region.h"

#include <ctime>

#if defined(__linux__)
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace naja::runtime::parallel {

#if defined(__linux__)
static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t), "the kernel reads the word");

void waitOn(std::atomic<uint32_t> &word, uint32_t expected, uint32_t milliseconds) {
  timespec limit = {milliseconds / 1000, static_cast<long>(milliseconds % 1000) * 1000000L};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, milliseconds > 0 ? &limit : nullptr, nullptr, 0);
}

void wake(std::atomic<uint32_t> &word, uint32_t threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads > INT_MAX ? INT_MAX : static_cast<int>(threads), nullptr, nullptr, 0);
}
#else
void waitOn(std::atomic<uint32_t> &word, uint32_t expected, uint32_t) {
  if (word.load(std::memory_order_acquire) != expected) { return; }
  const timespec moment = {0, 50000};
  nanosleep(&moment, nullptr);
}

void wake(std::atomic<uint32_t> &, uint32_t) {}
#endif

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ __volatile__("yield");
#endif
}

} // namespace naja::runtime::parallel
