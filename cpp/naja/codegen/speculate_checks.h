// Vectorisation of loops with checks. A loop such as
//     for i in range(n): out[i] = a[i] / b[i]        (ZeroDivisionError where b[i] is 0)
// leaves in the middle when a check fails, and everything before the failing element has been stored: it cannot be
// vectorised as it is. This pass takes such loops in strips:
//     for each strip: detect: evaluate the checks of the strip alone, without stores (a reduction by `or`: vectorises)
//                     none fails: run the strip without checks (vectorises)
//                     else: go on from the strip's first element with the original loop, which raises where it must
// Exact where no store of the loop can change what a check of the same strip reads; that is proved, or tested at run time by
// comparing address ranges before the loop.
#pragma once

#include <llvm/IR/PassManager.h>

namespace naja::codegen {

class SpeculateChecksPass : public llvm::PassInfoMixin<SpeculateChecksPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace naja::codegen
