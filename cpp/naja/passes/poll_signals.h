// Puts poll_signals (Ctrl-C) at the header of each loop that contains another loop or a call that may run long, and
// check_stack at the entry of each function that may call itself. Loops without those are left to strip_mine, whether they
// stand alone or in another loop (loopsThatMayRunLong says which those are).
// A loop of a few iterations known in advance counts as straight-line code, and so does a call of a brief function.
#pragma once

#include "naja/ir/function.h"
#include "naja/passes/loops.h"

namespace naja::passes {

void pollSignals(ir::Module &module);

/// Functions, by id, whose every call ends soon: no loops but those of a few iterations, no recursion, no others' code.
std::vector<bool> briefFunctions(const ir::Module &module);

struct LongLoop {
  size_t index; // into Loops::all()
  bool nested;  // in a loop, which polls
};

/// Where strip-mining should poll: loops with no bound known in advance that contain nothing that may run long. None of
/// them contains another.
std::vector<LongLoop> loopsThatMayRunLong(const ir::Function &function, const Loops &loops,
                                          const std::vector<bool> &brief);

} // namespace naja::passes
