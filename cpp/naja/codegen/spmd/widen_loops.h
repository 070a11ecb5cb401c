// Loops whose number of turns differs from thread to thread, such as `for i in range(cuda.grid(1), n,
// cuda.gridsize(1))`. Run thread by thread, they would jump through memory; here all threads of a block take each turn
// together, those that are done under a mask, so that the loop over the threads is innermost and its accesses are
// contiguous.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

namespace naja::codegen::spmd {

/// Rewrites such loops of the thread's function: as many turns as the slowest thread needs, a barrier in each, the body
/// under a condition. Values must be in registers, loops not rotated yet.
void widenLoops(llvm::Module &module, const std::string &kernel);

/// Loops that wait for memory to change, without a barrier: they are watched, and end with an error when nothing
/// changes for seconds. To be run first, as long as every loop is as it was written.
void watchWaiting(llvm::Module &module, const std::string &kernel);

} // namespace naja::codegen::spmd
