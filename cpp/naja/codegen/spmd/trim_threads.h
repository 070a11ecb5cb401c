// `if i < n:` around a whole kernel, in the loop over a block's threads: the loop ends where the condition does, so
// that no thread is tested and nothing is masked.
#pragma once

#include <llvm/IR/PassManager.h>

namespace naja::codegen::spmd {

/// Marks the functions that TrimThreadsPass works on.
constexpr const char *kBlocksAttribute = "naja-blocks";

/// Innermost loops from 0 by 1 whose iterations begin with the test of `base + i < n` and do nothing where it fails;
/// rotated.
class TrimThreadsPass : public llvm::PassInfoMixin<TrimThreadsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace naja::codegen::spmd
