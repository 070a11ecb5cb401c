// Kernels for the CPU device: the function of one thread becomes a function that runs blocks of threads, as loops over
// the threads cut at barriers.
//
//   i32 kernel(ret*, scalars...)              the native ABI: packs its arguments and calls naja_cuda_launch
//   i32 kernel.blocks(scalars*, launch*, first, last)    runs blocks [first, last) (naja/cuda/cpu_device/launch.h)
//
// A region is what threads do from one barrier (or the begin) to the next. Each becomes a nest of loops over the
// threads of the block, whose memory accesses are declared independent, so that the innermost loop is vectorised. A
// value that lives across a barrier gets an array with an element per thread, or one variable where all threads agree
// on it. After a region the threads must have arrived at the same barrier; where that is not plain from the code, it is
// checked.
#pragma once

#include "naja/support/diagnostic.h"

#include <llvm/IR/Module.h>

#include <optional>
#include <string>

namespace naja::codegen::spmd {

/// Rewrites the kernel `name` of the module, whose functions have been simplified (values in registers).
std::optional<Diagnostic> lowerKernel(llvm::Module &module, const std::string &name);

/// Everything that the kernel calls must be part of it: marks the module's internal functions to be inlined.
void inlineEverything(llvm::Module &module);

} // namespace naja::codegen::spmd
