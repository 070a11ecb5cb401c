// Tuples in block parameters become parameters of their own, item by item (states of zip and enumerate, tuples that a loop
// changes); equal induction variables of a loop become one. Parts of simplify.
#pragma once

#include "naja/ir/function.h"

#include <vector>

namespace naja::passes {

/// True where it split any. tuple.make and tuple.get appear where tuples are used whole; simplify removes most of them.
bool splitTupleParams(ir::Function &function, const std::vector<ir::BlockId> &order);
/// Parameters of one block that start equal and change equally.
bool mergeEqualParams(ir::Function &function, const std::vector<ir::BlockId> &order);

} // namespace naja::passes
