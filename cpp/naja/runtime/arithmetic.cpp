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
}
