#include "naja/codegen/version_aliases.h"

#include "naja/codegen/argument_aliases.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <set>

namespace naja::codegen {
namespace {

using namespace llvm;

constexpr unsigned kMostInstructions = 400;
constexpr size_t kMostStarts = 4;

/// What the copy of a loop may rely on.
struct Assumptions {
  std::set<ArgumentAliases::Pair> pairs;    // arrays that do not overlap
  SmallVector<ICmpInst *, 8> sign_tests;    // of values that only grow...
  SmallSetVector<const SCEV *, 4> starts;   // ...from these, which are not negative
  bool empty() const { return pairs.empty() && starts.empty(); }
};

class Versioner {
public:
  Versioner(Function &function, LoopInfo &loops, DominatorTree &dominators, ScalarEvolution &evolution)
      : function_(function), loops_(loops), dominators_(dominators), evolution_(evolution), aliases_(function) {}
  bool run();

private:
  Assumptions assumptionsFor(Loop &loop);
  void collectStarts(Loop &loop, Assumptions &wanted);
  Value *holds(Loop &loop, const Assumptions &wanted);
  void version(Loop &loop, const Assumptions &wanted);
  void decideSignTests(ArrayRef<BasicBlock *> blocks, const Assumptions &wanted, ValueToValueMapTy &map);

  Function &function_;
  LoopInfo &loops_;
  DominatorTree &dominators_;
  ScalarEvolution &evolution_;
  ArgumentAliases aliases_;
};

bool isSignTest(const ICmpInst &test) {
  auto *constant = dyn_cast<ConstantInt>(test.getOperand(1));
  if (!constant) return false;
  return (test.getPredicate() == CmpInst::ICMP_SLT && constant->isZero()) ||
         (test.getPredicate() == CmpInst::ICMP_SGT && constant->isMinusOne());
}

/// `a[k]` in `for k in range(begin, end)` wraps where `k` is negative, which the first `k` decides.
void Versioner::collectStarts(Loop &loop, Assumptions &wanted) {
  SCEVExpander expander(evolution_, "start");
  Instruction *at = loop.getLoopPreheader()->getTerminator();
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      auto *test = dyn_cast<ICmpInst>(&inst);
      if (!test || !isSignTest(*test)) continue;
      auto *values = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(test->getOperand(0)));
      if (!values || values->getLoop() != &loop || !values->isAffine() || !values->hasNoSignedWrap()) continue;
      const SCEV *start = values->getStart();
      if (!evolution_.isKnownNonNegative(values->getStepRecurrence(evolution_)) || isa<SCEVConstant>(start) ||
          !expander.isSafeToExpandAt(start, at))
        continue;
      if (wanted.starts.size() == kMostStarts && !wanted.starts.contains(start)) continue;
      wanted.starts.insert(start);
      wanted.sign_tests.push_back(test);
    }
}

Assumptions Versioner::assumptionsFor(Loop &loop) {
  Assumptions wanted;
  if (findOptionMDForLoop(&loop, "naja.checks")) return wanted;
  size_t size = 0;
  for (BasicBlock *block : loop.blocks()) size += block->size();
  if (size > kMostInstructions) return wanted;
  if (!findOptionMDForLoop(&loop, kDisjoint)) wanted.pairs = aliases_.pairsOf(loop);
  collectStarts(loop, wanted);
  return wanted;
}

Value *Versioner::holds(Loop &loop, const Assumptions &wanted) {
  Value *all = wanted.pairs.empty() ? nullptr : aliases_.disjoint(wanted.pairs);
  Instruction *at = loop.getLoopPreheader()->getTerminator();
  SCEVExpander expander(evolution_, "start");
  IRBuilder<> b(at);
  for (const SCEV *start : wanted.starts) {
    Value *value = expander.expandCodeFor(start, start->getType(), at);
    b.SetInsertPoint(at);
    Value *test = b.CreateICmpSGE(b.CreateFreeze(value), ConstantInt::get(start->getType(), 0));
    all = all ? b.CreateAnd(all, test) : test;
  }
  return all;
}

/// In the copy no value is negative: its tests are decided, and what they guarded goes.
void Versioner::decideSignTests(ArrayRef<BasicBlock *> blocks, const Assumptions &wanted, ValueToValueMapTy &map) {
  if (wanted.sign_tests.empty()) return;
  for (ICmpInst *original : wanted.sign_tests) {
    auto *test = cast<ICmpInst>(map[original]);
    const bool holds = test->getPredicate() == CmpInst::ICMP_SGT;
    test->replaceAllUsesWith(ConstantInt::getBool(function_.getContext(), holds));
    test->eraseFromParent();
  }
  for (BasicBlock *block : blocks) ConstantFoldTerminator(block);
  SmallVector<BasicBlock *, 8> dead;
  for (BasicBlock *block : blocks)
    if (pred_empty(block)) dead.push_back(block);
  DeleteDeadBlocks(dead);
  for (BasicBlock *block : blocks)
    if (!is_contained(dead, block) && isa<PHINode>(block->front()) && cast<PHINode>(block->front()).getNumIncomingValues() == 1)
      FoldSingleEntryPHINodes(block);
}

void Versioner::version(Loop &loop, const Assumptions &wanted) {
  BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader();
  Value *condition = holds(loop, wanted);
  BasicBlock *plain = SplitBlock(preheader, preheader->getTerminator(), &dominators_, &loops_);
  ValueToValueMapTy map;
  SmallVector<BasicBlock *, 8> blocks;
  for (BasicBlock *block : loop.blocks()) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".disjoint", &function_);
    map[block] = copy;
    blocks.push_back(copy);
  }
  remapInstructionsInBlocks(blocks, map);
  auto *copy_header = cast<BasicBlock>(map[header]);
  for (PHINode &phi : copy_header->phis()) phi.setIncomingBlock(static_cast<unsigned>(phi.getBasicBlockIndex(plain)), preheader);
  SmallVector<BasicBlock *, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock *exit : exits)
    for (PHINode &phi : exit->phis())
      for (unsigned i = 0, n = phi.getNumIncomingValues(); i < n; ++i) {
        BasicBlock *from = phi.getIncomingBlock(i);
        if (!loop.contains(from)) continue;
        Value *value = phi.getIncomingValue(i);
        if (Value *mapped = map.lookup(value)) value = mapped;
        phi.addIncoming(value, cast<BasicBlock>(map[from]));
      }
  for (BasicBlock *block : blocks)
    for (Instruction &inst : *block)
      if (isa<LoadInst, StoreInst>(inst)) aliases_.annotate(inst, wanted.pairs);
  decideSignTests(blocks, wanted, map);
  Instruction *jump = preheader->getTerminator();
  IRBuilder<> b(jump);
  b.CreateCondBr(condition, copy_header, plain);
  jump->eraseFromParent();
  // The plain loop is the rare one: as it is, and with the same math routines as the vectorised one.
  for (const char *property : {"llvm.loop.isvectorized", "llvm.loop.unroll.disable", "naja.checks"})
    addStringMetadataToLoop(&loop, property, 1);
  evolution_.forgetAllLoops();
}

bool Versioner::run() {
  bool changed = false;
  // The loops of before: copies are not in LoopInfo.
  for (Loop *loop : loops_.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() || !loop->isLCSSAForm(dominators_)) continue;
    const Assumptions wanted = assumptionsFor(*loop);
    if (wanted.empty()) continue;
    version(*loop, wanted);
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses VersionAliasesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  for (Loop *loop : loops) {
    simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    formLCSSARecursively(*loop, dominators, &loops, &evolution);
  }
  const bool changed = Versioner(function, loops, dominators, evolution).run();
  return changed ? PreservedAnalyses::none() : getLoopPassPreservedAnalyses();
}

} // namespace naja::codegen
