// Makes one loop of an array expression: an array.map whose result is used by another array.map, array.map_into or
// array.reduce of the same block, and by nothing else, is inlined into the kernel of that one, and its array is never made.
// Not where something in between may write what it reads, nor where its result is broadcast to more dimensions (its kernel
// would run more often). Extents asked of the array that is not made are computed from its operands.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void fuseArrayExpressions(ir::Module &module);

} // namespace naja::passes
