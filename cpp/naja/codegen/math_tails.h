// A value must not depend on where in an array it lies: the last elements of a vectorised loop have to come from the same
// math routine as the others, although libmvec's and libm's differ in the last bits. Loops with math functions are therefore
// folded into the vector loop by masks (FoldMathTailsPass, before the loop vectoriser); where the vectoriser could not do that,
// scalar and narrower calls left in the remainder call the wide routine with the lanes they have (UnifyMathCallsPass, after).
#pragma once

#include <llvm/IR/PassManager.h>

namespace naja::codegen {

class FoldMathTailsPass : public llvm::PassInfoMixin<FoldMathTailsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

class UnifyMathCallsPass : public llvm::PassInfoMixin<UnifyMathCallsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace naja::codegen
