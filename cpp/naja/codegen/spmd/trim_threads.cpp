#include "naja/codegen/spmd/trim_threads.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

namespace naja::codegen::spmd {
namespace {

using namespace llvm::PatternMatch;

struct Guarded {
  llvm::Loop *loop = nullptr;
  llvm::BasicBlock *before = nullptr, *header = nullptr, *latch = nullptr, *exit = nullptr, *body = nullptr;
  llvm::PHINode *index = nullptr;
  llvm::Value *base = nullptr, *bound = nullptr, *trips = nullptr; // base null: 0
  bool is_signed = false;
};

bool hasEffects(const llvm::BasicBlock &block) {
  for (const llvm::Instruction &inst : block)
    if (inst.mayHaveSideEffects() || inst.mayReadFromMemory()) return true;
  return false;
}

/// The loop's end: `i + 1 == trips`.
bool matchEnd(Guarded &g) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(g.latch->getTerminator());
  if (!branch || !branch->isConditional() || g.loop->getExitingBlock() != g.latch || !g.latch->phis().empty() ||
      !g.exit->phis().empty())
    return false;
  auto *test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!test || hasEffects(*g.latch)) return false;
  const auto wanted = branch->getSuccessor(0) == g.exit ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE;
  g.trips = test->getOperand(1);
  const bool counts = test->getPredicate() == wanted ||
                      (wanted == llvm::CmpInst::ICMP_NE && test->getPredicate() == llvm::CmpInst::ICMP_ULT);
  return counts && g.loop->isLoopInvariant(g.trips) &&
         match(test->getOperand(0), m_c_Add(m_Specific(g.index), m_One())) &&
         g.index->getIncomingValueForBlock(g.latch) == test->getOperand(0);
}

/// The test at the begin: `base + i < bound`, without wrapping.
bool matchGuard(Guarded &g) {
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(g.header->getTerminator());
  if (!branch || !branch->isConditional() || branch->getSuccessor(1) != g.latch || branch->getSuccessor(0) == g.latch ||
      hasEffects(*g.header))
    return false;
  auto *test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (!test) return false;
  const bool swapped = llvm::ICmpInst::isGT(test->getPredicate());
  if (!swapped && !llvm::ICmpInst::isLT(test->getPredicate())) return false;
  llvm::Value *position = test->getOperand(swapped ? 1 : 0);
  g.bound = test->getOperand(swapped ? 0 : 1);
  g.is_signed = test->isSigned();
  g.body = branch->getSuccessor(0);
  if (!g.loop->isLoopInvariant(g.bound)) return false;
  if (position == g.index) return true;
  auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(position);
  if (!sum || sum->getOpcode() != llvm::Instruction::Add) return false;
  if (!(g.is_signed ? sum->hasNoSignedWrap() : sum->hasNoUnsignedWrap())) return false;
  g.base = sum->getOperand(sum->getOperand(0) == g.index ? 1 : 0);
  return (sum->getOperand(0) == g.index || sum->getOperand(1) == g.index) && g.loop->isLoopInvariant(g.base);
}

bool match(llvm::Loop &loop, Guarded &g) {
  g.loop = &loop;
  g.before = loop.getLoopPreheader();
  g.header = loop.getHeader();
  g.latch = loop.getLoopLatch();
  g.exit = loop.getUniqueExitBlock();
  if (!g.before || !g.latch || !g.exit || g.latch == g.header) return false;
  if (std::distance(g.header->phis().begin(), g.header->phis().end()) != 1) return false;
  g.index = &*g.header->phis().begin();
  if (!g.index->getType()->isIntegerTy() ||
      !llvm::PatternMatch::match(g.index->getIncomingValueForBlock(g.before), m_ZeroInt()))
    return false;
  // Nothing of the loop is used outside.
  for (llvm::BasicBlock *block : loop.blocks())
    for (llvm::Instruction &inst : *block)
      for (llvm::User *user : inst.users())
        if (!loop.contains(llvm::cast<llvm::Instruction>(user))) return false;
  return matchEnd(g) && matchGuard(g);
}

void trim(Guarded &g) {
  auto *enter = llvm::BasicBlock::Create(g.header->getContext(), "some_threads", g.header->getParent(), g.header);
  llvm::Instruction *old = g.before->getTerminator();
  llvm::IRBuilder<> b(old);
  llvm::Value *base = g.base ? g.base : llvm::ConstantInt::get(g.index->getType(), 0);
  llvm::Value *any = g.is_signed ? b.CreateICmpSGT(g.bound, base) : b.CreateICmpUGT(g.bound, base);
  llvm::Value *room = b.CreateSub(g.bound, base);
  llvm::Value *trips = b.CreateSelect(any, b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, room, g.trips),
                                      llvm::ConstantInt::get(g.index->getType(), 0));
  b.CreateCondBr(b.CreateIsNull(trips), g.exit, enter);
  old->eraseFromParent();
  b.SetInsertPoint(enter);
  b.CreateBr(g.header);
  g.index->replaceIncomingBlockWith(g.before, enter);
  auto *guard = llvm::cast<llvm::BranchInst>(g.header->getTerminator());
  b.SetInsertPoint(guard);
  b.CreateBr(g.body);
  guard->eraseFromParent();
  auto *end = llvm::cast<llvm::BranchInst>(g.latch->getTerminator());
  b.SetInsertPoint(end);
  llvm::Value *next = g.index->getIncomingValueForBlock(g.latch);
  end->setCondition(end->getSuccessor(0) == g.exit ? b.CreateICmpEQ(next, trips) : b.CreateICmpNE(next, trips));
}

} // namespace

llvm::PreservedAnalyses TrimThreadsPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  if (!function.hasFnAttribute(kBlocksAttribute)) return llvm::PreservedAnalyses::all();
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  std::vector<Guarded> found;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    Guarded guarded;
    if (loop->isInnermost() && match(*loop, guarded)) found.push_back(guarded);
  }
  for (Guarded &guarded : found) trim(guarded);
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace naja::codegen::spmd
