// Puts poll_signals (Ctrl-C) at the header of each loop that contains another loop or a call that may run long, and
// check_stack at the entry of each function that may call itself. Innermost loops without such calls stay as they are:
// whatever is around them polls, and one that stands alone is left to strip_mine (loopsThatMayRunLong says which those are).
// A loop of a few iterations known in advance counts as straight-line code, and so does a call of a brief function.
#pragma once

#include "naja/ir/function.h"
#include "naja/passes/loops.h"

namespace naja::passes {

void pollSignals(ir::Module &module);

/// Functions, by id, whose every call ends soon: no loops but those of a few iterations, no recursion, no others' code.
std::vector<bool> briefFunctions(const ir::Module &module);

/// Where strip-mining should poll: innermost loops with no bound known in advance that no polling loop is around.
std::vector<size_t> loopsThatMayRunLong(const ir::Function &function, const Loops &loops,
                                        const std::vector<bool> &brief);

} // namespace naja::passes
