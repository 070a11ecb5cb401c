// Block parameters that need not be: those that get one value, those that nobody reads. Parts of simplify.
#pragma once

#include "naja/ir/function.h"

#include <vector>

namespace naja::passes {

/// Replaces parameters that get the same value along all edges (or themselves). `order`: the reachable blocks.
bool removeTrivialParams(ir::Function &function, const std::vector<ir::BlockId> &order);
/// Removes instructions that do nothing but compute a value that nobody reads, and parameters that only they (or each
/// other) read. Returns true where it removed any.
bool removeUnread(ir::Function &function, const std::vector<ir::BlockId> &order);
/// Drops the parameters for which `keep` is false, and the edges' arguments for them.
void filterParams(ir::Function &function, const std::vector<ir::BlockId> &order, const std::vector<bool> &keep);

} // namespace naja::passes
