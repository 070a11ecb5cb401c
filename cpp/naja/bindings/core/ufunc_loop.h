// What NumPy enters as the inner loop of a ufunc: compiled ahead for all ufuncs, it enters the compiled loop
// (driver/ufunc_loop.h), reports exceptions, and keeps floating-point flags of speculated operations from NumPy.
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

#include <vector>

namespace naja::bindings {

/// One loop of a ufunc, and how NumPy knows it. Owned by the ufunc; the code it enters by `owner`.
struct UfuncLoop {
  using Entry = int32_t (*)(void *ret, char **args, npy_intp const *dimensions, npy_intp const *steps);
  Entry entry = nullptr;
  Ref owner;
  uint32_t inputs = 0;
  bool parallel = false;
  std::vector<TypeId> elements;            // by operand, in memory
  std::vector<int> numbers;                // the same as NumPy's type numbers
  std::vector<Ref> dtypes;                 // the same as dtypes
  std::vector<std::vector<unsigned>> core; // per operand: numbers of its core dimensions; empty: elementwise
};

/// A PyUFuncGenericFunction; `loop` is a UfuncLoop. Needs no GIL.
void enterUfuncLoop(char **args, npy_intp const *dimensions, npy_intp const *steps, void *loop);
/// The same for a caller with the GIL: false with an error set. `flags` gets the floating-point flags to report.
bool runUfuncLoop(const UfuncLoop &loop, char **args, npy_intp const *dimensions, npy_intp const *steps, int *flags);

} // namespace naja::bindings
