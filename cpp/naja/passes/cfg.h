// Small edits of the control flow that several passes need.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

/// Puts an empty block on an edge and returns it: it has no parameters and branches to the old target.
ir::BlockId splitEdge(ir::Function &function, ir::BlockId block, size_t edge);
/// Marks the blocks that `order` (all reachable ones) lacks as dead. True where there were any.
bool removeUnreachable(ir::Function &function, const std::vector<ir::BlockId> &order);
/// Resolves chains: map[v] is what replaces v (or v itself); then rewrites all operands and edge arguments of live blocks.
void replaceValues(ir::Function &function, std::vector<ir::ValueId> &map);

} // namespace naja::passes
