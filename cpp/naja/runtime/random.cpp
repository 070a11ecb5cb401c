// Random numbers: MT19937 per thread, with the streams of NumPy's RandomState for a seed. Two independent generators, one
// for numpy.random and one for the random module. Threads that were not seeded start from the system's entropy.
#include "naja/runtime/abi.h"

#include <cmath>
#include <cstdlib>
#include <sys/random.h>
#include <unistd.h>

namespace naja::runtime {
namespace {

constexpr int kWords = 624, kMiddle = 397;

struct Generator {
  uint32_t words[kWords];   // the state
  uint32_t numbers[kWords]; // what is handed out of it, made all at once: loops without dependencies
  int next = kWords;
  bool seeded = false, has_gauss = false;
  double gauss = 0;
  pid_t process = 0; // a forked child must not repeat its parent's numbers

  void seed(uint32_t value) {
    for (uint32_t i = 0; i < kWords; ++i) {
      words[i] = value;
      value = 1812433253U * (value ^ (value >> 30U)) + i + 1;
    }
    next = kWords;
    seeded = true;
    has_gauss = false;
    process = getpid();
  }

  void start() {
    if (getrandom(words, sizeof words, 0) != static_cast<ssize_t>(sizeof words)) { seed(static_cast<uint32_t>(getpid())); }
    words[0] |= 0x80000000U; // not all zero
    next = kWords;
    seeded = true;
    has_gauss = false;
    process = getpid();
  }

  __attribute__((noinline)) void refill() {
    if (!seeded || process != getpid()) { start(); }
    auto twist = [](uint32_t upper, uint32_t lower) {
      const uint32_t mixed = (upper & 0x80000000U) | (lower & 0x7fffffffU);
      return (mixed >> 1U) ^ ((0U - (lower & 1U)) & 0x9908b0dfU);
    };
    for (int i = 0; i < kWords - kMiddle; ++i) { words[i] = words[i + kMiddle] ^ twist(words[i], words[i + 1]); }
    for (int i = kWords - kMiddle; i < kWords - 1; ++i) {
      words[i] = words[i + kMiddle - kWords] ^ twist(words[i], words[i + 1]);
    }
    words[kWords - 1] = words[kMiddle - 1] ^ twist(words[kWords - 1], words[0]);
    for (int i = 0; i < kWords; ++i) {
      uint32_t y = words[i];
      y ^= y >> 11U;
      y ^= (y << 7U) & 0x9d2c5680U;
      y ^= (y << 15U) & 0xefc60000U;
      numbers[i] = y ^ (y >> 18U);
    }
    next = 0;
  }

  uint32_t word() {
    if (__builtin_expect(next == kWords, 0)) { refill(); }
    return numbers[next++];
  }

  double uniform() {
    const uint32_t high = word() >> 5U, low = word() >> 6U;
    // Signed: the conversion is one instruction.
    return (static_cast<int32_t>(high) * 67108864.0 + static_cast<int32_t>(low)) * (1.0 / 9007199254740992.0);
  }

  /// The polar method, as RandomState.
  double normal() {
    if (has_gauss) {
      has_gauss = false;
      return gauss;
    }
    double x, y, r;
    do {
      x = 2.0 * uniform() - 1.0;
      y = 2.0 * uniform() - 1.0;
      r = x * x + y * y;
    } while (r >= 1.0 || r == 0.0);
    const double f = std::sqrt(-2.0 * std::log(r) / r);
    gauss = f * x;
    has_gauss = true;
    return f * y;
  }
};

struct Generators {
  Generator of[2];
};
/// Freed when the thread ends.
struct Owner {
  Generators *generators = nullptr;
  ~Owner() { delete generators; }
};
thread_local Owner owner;
// One word, so that it may lie in the static block: reading it is one instruction.
__attribute__((tls_model("initial-exec"))) thread_local Generators *current = nullptr;

__attribute__((noinline)) Generators *make() {
  owner.generators = new Generators;
  return current = owner.generators;
}

Generator &generator(int32_t which) {
  Generators *generators = current;
  if (generators == nullptr) { generators = make(); }
  return generators->of[which];
}

} // namespace
} // namespace naja::runtime

using naja::runtime::generator;

extern "C" {
void naja_rt_random_seed(int32_t which, uint32_t value) { generator(which).seed(value); }
uint32_t naja_rt_random_u32(int32_t which) { return generator(which).word(); }
double naja_rt_random_double(int32_t which) { return generator(which).uniform(); }
double naja_rt_random_gauss(int32_t which) { return generator(which).normal(); }
void naja_rt_random_fill(int32_t which, double *out, int64_t count) {
  auto &source = generator(which);
  for (int64_t i = 0; i < count; ++i) { out[i] = source.uniform(); }
}
}
