// Makes functions smaller and says nothing new: folds constants and algebra, resolves tuples, optionals and geometry of
// views to what they are made of, removes repeated pure instructions and repeated checks (where one dominates the other),
// trivial, unread and equal block parameters (tuples in parameters are split), unread pure instructions, branches on
// constants, unreachable blocks, and joins blocks in a row. Constants move to the entry block, each once. Typed NIR before
// reference_counts. Linear time.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

/// True where it changed anything but the place of constants.
bool simplifyFunction(ir::Function &function);
void simplify(ir::Module &module);

} // namespace naja::passes
