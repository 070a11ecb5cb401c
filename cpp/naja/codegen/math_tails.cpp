#include "naja/codegen/math_tails.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <numeric>

namespace naja::codegen {
namespace {

using namespace llvm;

constexpr StringRef kVariants = "vector-function-abi-variant";

bool hasMathCall(const Loop &loop) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &inst : *block)
      if (auto *call = dyn_cast<CallInst>(&inst); call && call->hasFnAttr(kVariants)) return true;
  return false;
}

/// Lanes and libm name of a libmvec function: _ZGV<isa>N<lanes>v[v]_<name>.
struct VectorName {
  unsigned lanes = 0;
  StringRef scalar;
};
VectorName parseVectorName(StringRef name) {
  VectorName result;
  if (!name.consume_front("_ZGV") || name.size() < 3) return result;
  name = name.drop_front(1); // instruction set
  if (!name.consume_front("N") || name.consumeInteger(10, result.lanes)) return {};
  result.scalar = name.drop_front(std::min(name.find('_'), name.size() - 1) + 1);
  return result;
}

/// `value` (a scalar or a shorter vector) in the first lanes; the others repeat its first one, so that they cost no slow path
/// that it does not take.
Value *widen(IRBuilder<> &b, Value *value, unsigned lanes) {
  if (!value->getType()->isVectorTy()) return b.CreateVectorSplat(lanes, value);
  const unsigned have = cast<FixedVectorType>(value->getType())->getNumElements();
  SmallVector<int, 16> mask(lanes, 0);
  std::iota(mask.begin(), mask.begin() + have, 0);
  return b.CreateShuffleVector(value, mask);
}

Value *narrow(IRBuilder<> &b, Value *value, Type *type) {
  if (!type->isVectorTy()) return b.CreateExtractElement(value, uint64_t{0});
  SmallVector<int, 16> mask(cast<FixedVectorType>(type)->getNumElements());
  std::iota(mask.begin(), mask.end(), 0);
  return b.CreateShuffleVector(value, mask);
}

void replaceBy(CallInst &call, Function &wide, unsigned lanes) {
  IRBuilder<> b(&call);
  SmallVector<Value *, 2> arguments;
  for (Value *argument : call.args()) arguments.push_back(widen(b, argument, lanes));
  CallInst *replacement = b.CreateCall(&wide, arguments);
  replacement->setCallingConv(wide.getCallingConv());
  if (isa<FPMathOperator>(call)) replacement->copyFastMathFlags(&call);
  call.replaceAllUsesWith(narrow(b, replacement, call.getType()));
  call.eraseFromParent();
}

} // namespace

PreservedAnalyses FoldMathTailsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->isInnermost() && hasMathCall(*loop)) addStringMetadataToLoop(loop, "llvm.loop.vectorize.predicate.enable", 1);
  return PreservedAnalyses::all();
}

PreservedAnalyses UnifyMathCallsPass::run(Function &function, FunctionAnalysisManager &analyses) {
  // The widest form of each function that the vectoriser chose.
  StringMap<std::pair<Function *, unsigned>> widest;
  SmallVector<CallInst *, 16> vector_calls;
  for (Instruction &inst : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&inst);
    if (!call || !call->getCalledFunction()) continue;
    const VectorName name = parseVectorName(call->getCalledFunction()->getName());
    if (name.lanes == 0) continue;
    vector_calls.push_back(call);
    auto &entry = widest[name.scalar];
    if (name.lanes > entry.second) entry = {call->getCalledFunction(), name.lanes};
  }
  if (widest.empty()) return PreservedAnalyses::all();
  SmallVector<std::pair<CallInst *, std::pair<Function *, unsigned>>, 16> changes;
  for (CallInst *call : vector_calls) {
    const VectorName name = parseVectorName(call->getCalledFunction()->getName());
    const auto wide = widest.lookup(name.scalar);
    if (wide.second > name.lanes) changes.push_back({call, wide});
  }
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    // The scalar rest of a vectorised loop, or the loop behind one that was vectorised in strips (SpeculateChecksPass).
    const bool is_rest = findOptionMDForLoop(loop, "llvm.loop.isvectorized") || findOptionMDForLoop(loop, "naja.checks");
    if (!loop->isInnermost() || !is_rest) continue;
    for (BasicBlock *block : loop->blocks())
      for (Instruction &inst : *block) {
        auto *call = dyn_cast<CallInst>(&inst);
        if (!call || !call->hasFnAttr(kVariants) || !call->getCalledFunction()) continue;
        if (auto found = widest.find(call->getCalledFunction()->getName()); found != widest.end()) changes.push_back({call, found->second});
      }
  }
  for (auto [call, wide] : changes) replaceBy(*call, *wide.first, wide.second);
  if (changes.empty()) return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace naja::codegen
