// Arithmetic that is better a call.
#include "naja/runtime/abi.h"

namespace {
uint64_t power(uint64_t base, uint64_t exponent) {
  uint64_t result = 1;
  while (exponent != 0) {
    if ((exponent & 1) != 0) { result *= base; }
    base *= base;
    exponent >>= 1;
  }
  return result;
}
} // namespace

extern "C" {
int64_t naja_rt_ipow_i64(int64_t base, int64_t exponent) {
  return static_cast<int64_t>(power(static_cast<uint64_t>(base), static_cast<uint64_t>(exponent)));
}
uint64_t naja_rt_ipow_u64(uint64_t base, uint64_t exponent) { return power(base, exponent); }

/// Stein's algorithm: shifts and subtractions, no division.
uint64_t naja_rt_gcd_u64(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0) { return a | b; }
  const int shift = __builtin_ctzll(a | b);
  a >>= __builtin_ctzll(a);
  while (b != 0) {
    b >>= __builtin_ctzll(b);
    const uint64_t low = a < b ? a : b;
    b = a < b ? b - a : a - b;
    a = low;
  }
  return a << shift;
}
}
