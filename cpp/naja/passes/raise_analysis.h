// Infers which functions cannot raise (Function::may_raise), bottom-up over the call graph, and marks the calls, maps and
// reductions of such functions no_raise; an instruction that cannot raise loses its unwind block, and a handler that nothing
// unwinds to is removed. Recursive functions are assumed not to raise until one of their cycle does.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void raiseAnalysis(ir::Module &module);

} // namespace naja::passes
