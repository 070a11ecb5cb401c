// The inner loop of a NumPy ufunc around a typed kernel: a function `i32 loop(ret*, char **args, intp *dimensions,
// intp *steps)` in typed NIR that calls the kernel for each element (or for each set of core arrays) and becomes the
// root of the module. What NumPy enters is compiled ahead (bindings/core/ufunc_loop.cpp) and hands its arguments on.
#pragma once

#include "naja/ir/function.h"

#include <vector>

namespace naja::driver {

struct UfuncLoop {
  /// Operands that NumPy only reads. Elementwise: all of the kernel's parameters, and its result is the one output.
  unsigned inputs = 0;
  /// Generalised: the kernel gets inputs and outputs, arrays or scalars, and returns nothing.
  bool generalised = false;
  /// Generalised: per operand the numbers of its core dimensions (dimensions[1 + number] is the extent).
  std::vector<std::vector<unsigned>> core;
};

/// Adds the loop to the module and makes it the root; the kernel is the root so far. Elementwise loops have, where the
/// kernel is small enough to be worth it, paths of their own for contiguous operands, for one operand that does not
/// change (stride 0) and for a reduction; generalised ones one for contiguous core arrays.
void wrapUfuncLoop(ir::Module &module, const UfuncLoop &loop);

} // namespace naja::driver
