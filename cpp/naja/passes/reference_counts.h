// Inserts incref and decref, and the unwind blocks that release what is live where an exception leaves (decision 9).
//
// Owned: results of array.alloc, array.map, box and calls, and block parameters. Borrowed: the function's arguments and
// constants. A view (cast, array.view, tuple.get, select, a pointer into an array ...) keeps its roots alive up to its own
// last use. Passing to a block parameter, returning, raising and storing take an owned reference: moved at the last use of
// an owned root, counted otherwise. After the pass every owned root is released or moved exactly once on every path.
// Runs once, after all passes that move or remove instructions with references. Removes unreachable blocks.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void insertReferenceCounts(ir::Function &function);
void referenceCounts(ir::Module &module);

} // namespace naja::passes
