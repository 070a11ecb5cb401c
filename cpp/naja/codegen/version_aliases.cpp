#include "naja/codegen/version_aliases.h"

#include "naja/codegen/argument_aliases.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <set>

namespace naja::codegen {
namespace {

using namespace llvm;

class Versioner {
public:
  Versioner(Function &function, LoopInfo &loops, DominatorTree &dominators)
      : function_(function), loops_(loops), dominators_(dominators), aliases_(function) {}
  bool run();

private:
  using Pairs = std::set<ArgumentAliases::Pair>;
  void version(Loop &loop, const Pairs &pairs);

  Function &function_;
  LoopInfo &loops_;
  DominatorTree &dominators_;
  ArgumentAliases aliases_;
};

void Versioner::version(Loop &loop, const Pairs &pairs) {
  BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader();
  Value *condition = aliases_.disjoint(pairs);
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
      if (isa<LoadInst, StoreInst>(inst)) aliases_.annotate(inst, pairs);
  Instruction *jump = preheader->getTerminator();
  IRBuilder<> b(jump);
  b.CreateCondBr(condition, copy_header, plain);
  jump->eraseFromParent();
  // The plain loop is for arguments that overlap: as it is, and with the same math routines as the vectorised one.
  for (const char *property : {"llvm.loop.isvectorized", "llvm.loop.unroll.disable", "naja.checks"})
    addStringMetadataToLoop(&loop, property, 1);
}

bool Versioner::run() {
  if (aliases_.size() < 2) return false;
  bool changed = false;
  // The loops of before: copies are not in LoopInfo.
  for (Loop *loop : loops_.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() || !loop->isLCSSAForm(dominators_)) continue;
    if (findOptionMDForLoop(loop, kDisjoint) || findOptionMDForLoop(loop, "naja.checks")) continue;
    const Pairs pairs = aliases_.pairsOf(*loop);
    if (pairs.empty()) continue;
    version(*loop, pairs);
    changed = true;
  }
  return changed;
}

} // namespace

PreservedAnalyses VersionAliasesPass::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &assumptions = analyses.getResult<AssumptionAnalysis>(function);
  for (Loop *loop : loops) {
    simplifyLoop(loop, &dominators, &loops, nullptr, &assumptions, nullptr, false);
    formLCSSARecursively(*loop, dominators, &loops, nullptr);
  }
  return Versioner(function, loops, dominators).run() ? PreservedAnalyses::none() : getLoopPassPreservedAnalyses();
}

} // namespace naja::codegen
