#include "naja/codegen/spmd/widen_loops.h"

#include "naja/codegen/spmd/markers.h"
#include "naja/codegen/spmd/uniformity.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

namespace naja::codegen::spmd {
namespace {

using namespace llvm::PatternMatch;

/// `for (k = 0; when && k < count; ++k)`, left at the top only.
struct Counted {
  llvm::Loop *loop = nullptr;
  llvm::PHINode *counter = nullptr;
  llvm::ICmpInst *test = nullptr;
  llvm::Value *count = nullptr, *when = nullptr; // `when` is the same in all turns; null: true
  llvm::BasicBlock *body = nullptr, *latch = nullptr, *before = nullptr;
};

bool matchShape(llvm::Loop &loop, Counted &out) {
  out.loop = &loop;
  out.before = loop.getLoopPreheader();
  out.latch = loop.getLoopLatch();
  llvm::BasicBlock *header = loop.getHeader();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(header->getTerminator());
  if (!out.before || !out.latch || out.latch == header || loop.getExitingBlock() != header || !branch ||
      !branch->isConditional())
    return false;
  if (!loop.contains(branch->getSuccessor(0)) || !llvm::isa<llvm::BranchInst>(out.latch->getTerminator()) ||
      out.latch->getTerminator()->getNumSuccessors() != 1)
    return false;
  llvm::Value *test = branch->getCondition(), *left = nullptr, *right = nullptr;
  if (match(test, m_LogicalAnd(m_Value(left), m_Value(right)))) {
    test = loop.isLoopInvariant(left) ? right : left;
    out.when = loop.isLoopInvariant(left) ? left : right;
    if (!loop.isLoopInvariant(out.when)) return false;
  }
  out.test = llvm::dyn_cast<llvm::ICmpInst>(test);
  if (!out.test) return false;
  const bool swapped = llvm::ICmpInst::isGT(out.test->getPredicate());
  if (!swapped && !llvm::ICmpInst::isLT(out.test->getPredicate())) return false;
  out.counter = llvm::dyn_cast<llvm::PHINode>(out.test->getOperand(swapped ? 1 : 0));
  out.count = out.test->getOperand(swapped ? 0 : 1);
  out.body = branch->getSuccessor(0);
  if (!out.counter || out.counter->getParent() != header || !loop.isLoopInvariant(out.count)) return false;
  return match(out.counter->getIncomingValueForBlock(out.before), m_ZeroInt()) &&
         match(out.counter->getIncomingValueForBlock(out.latch), m_c_Add(m_Specific(out.counter), m_One()));
}

/// A turn moves by a stride that all threads share: together they access what lies next to each other.
bool stridesTogether(const Counted &c, const Uniformity &uniformity) {
  for (llvm::User *user : c.counter->users()) {
    auto *product = llvm::dyn_cast<llvm::BinaryOperator>(user);
    if (!product || !c.loop->contains(product) || product->getOpcode() != llvm::Instruction::Mul) continue;
    llvm::Value *stride = product->getOperand(product->getOperand(0) == c.counter ? 1 : 0);
    if (c.loop->isLoopInvariant(stride) && uniformity.isUniform(stride)) return true;
  }
  return false;
}

bool isSuitable(const Counted &c, const Uniformity &uniformity) {
  const bool all_alike = uniformity.isUniform(c.count) && (!c.when || uniformity.isUniform(c.when));
  if (!uniformity.isUniform(c.before) || all_alike || !stridesTogether(c, uniformity)) return false;
  for (llvm::BasicBlock *block : c.loop->blocks())
    for (llvm::Instruction &inst : *block) {
      if (inst.isAtomic()) return false;
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst); call && !call->doesNotAccessMemory()) return false;
    }
  // What is computed of the counter at the top would be that of the last turn of all threads.
  for (llvm::Instruction &inst : *c.loop->getHeader()) {
    if (llvm::isa<llvm::PHINode>(inst) && &inst != c.counter) continue;
    for (llvm::User *user : inst.users())
      if (!c.loop->contains(llvm::cast<llvm::Instruction>(user))) return false;
  }
  return true;
}

llvm::Function *marker(llvm::Module &module, const char *name, llvm::FunctionType *type) {
  auto *function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setDoesNotThrow();
  function->setConvergent();
  function->addFnAttr(llvm::Attribute::NoDuplicate);
  function->setWillReturn();
  return function;
}

void rewrite(const Counted &c, unsigned number) {
  llvm::BasicBlock *header = c.loop->getHeader();
  llvm::Value *whole_test = llvm::cast<llvm::BranchInst>(header->getTerminator())->getCondition();
  llvm::Module &module = *header->getModule();
  llvm::IRBuilder<> b(c.before->getTerminator());
  auto *i32 = b.getInt32Ty(), *i64 = b.getInt64Ty();
  auto *none = b.getVoidTy();
  llvm::Function *barrier = marker(module, kBarrier, llvm::FunctionType::get(none, {i32}, false));
  llvm::Type *type = c.count->getType();
  llvm::Value *count = c.count;
  if (c.test->isSigned())
    count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, count, llvm::ConstantInt::get(type, 0));
  if (c.when) count = b.CreateSelect(b.CreateFreeze(c.when), count, llvm::ConstantInt::get(type, 0));
  b.CreateCall(marker(module, kReduceMax, llvm::FunctionType::get(none, {i32, i64}, false)),
               {b.getInt32(number), b.CreateZExt(count, i64)});
  b.CreateCall(barrier, {b.getInt32(0)});
  llvm::Value *most =
      b.CreateCall(marker(module, kReduced, llvm::FunctionType::get(i64, {i32}, false)), {b.getInt32(number)});
  most = b.CreateTrunc(most, type);

  llvm::Function &function = *header->getParent();
  auto *turn = llvm::BasicBlock::Create(module.getContext(), "turn", &function, c.body);
  auto *merge = llvm::BasicBlock::Create(module.getContext(), "turned", &function);
  auto *branch = llvm::cast<llvm::BranchInst>(header->getTerminator());
  b.SetInsertPoint(turn);
  b.CreateCall(barrier, {b.getInt32(0)});
  b.CreateCondBr(b.CreateICmpULT(c.counter, count), c.body, merge);
  c.body->replacePhiUsesWith(header, turn);
  b.SetInsertPoint(branch);
  branch->setCondition(b.CreateICmpULT(c.counter, most));
  branch->setSuccessor(0, turn);
  b.SetInsertPoint(merge);
  for (llvm::PHINode &phi : header->phis()) {
    llvm::Value *next = phi.getIncomingValueForBlock(c.latch);
    if (&phi == c.counter) continue;
    llvm::PHINode *merged = b.CreatePHI(phi.getType(), 2);
    merged->addIncoming(next, c.latch);
    merged->addIncoming(&phi, turn);
    phi.setIncomingValueForBlock(c.latch, merged);
  }
  c.counter->setIncomingValueForBlock(c.latch,
                                      b.CreateAdd(c.counter, llvm::ConstantInt::get(type, 1), "", /*HasNUW=*/true));
  header->replacePhiUsesWith(c.latch, merge);
  b.CreateBr(header);
  c.latch->getTerminator()->setSuccessor(0, merge);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(whole_test);
}

} // namespace

namespace {

/// Is a loop left only when memory has changed, by a test of a value that was loaded in it?
bool waitsForMemory(const llvm::Loop &loop) {
  llvm::SmallVector<llvm::BasicBlock *, 4> exits;
  loop.getExitingBlocks(exits);
  if (exits.empty()) return false;
  bool any_load = false;
  for (llvm::BasicBlock *block : exits) {
    auto *branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional()) return false;
    llvm::SmallVector<llvm::Value *, 8> work = {branch->getCondition()};
    llvm::SmallPtrSet<llvm::Value *, 8> seen;
    while (!work.empty()) {
      auto *inst = llvm::dyn_cast<llvm::Instruction>(work.pop_back_val());
      if (!inst || !loop.contains(inst) || !seen.insert(inst).second) continue;
      if (llvm::isa<llvm::PHINode>(inst)) return false; // it counts or computes: some progress
      if (inst->mayReadFromMemory()) {
        any_load = true;
        continue;
      }
      work.append(inst->op_begin(), inst->op_end());
    }
  }
  return any_load;
}

/// Counts the turns of a waiting loop and lets the runtime look at the clock.
void watch(llvm::Loop &loop, llvm::Function &function) {
  llvm::BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch) return;
  llvm::Module &module = *function.getParent();
  llvm::IRBuilder<> b(header, header->begin());
  llvm::PHINode *turns = b.CreatePHI(b.getInt64Ty(), 2);
  for (llvm::BasicBlock *from : llvm::predecessors(header)) turns->addIncoming(b.getInt64(0), from);
  b.SetInsertPoint(latch->getTerminator());
  turns->setIncomingValueForBlock(latch, b.CreateAdd(turns, b.getInt64(1)));
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt64Ty()}, false);
  auto *status = b.CreateCall(module.getOrInsertFunction(kWaits, type), {turns});
  auto *leave = llvm::SplitBlockAndInsertIfThen(b.CreateICmpNE(status, b.getInt32(0)), latch->getTerminator(),
                                                /*Unreachable=*/true);
  b.SetInsertPoint(leave);
  b.CreateRet(status);
  leave->eraseFromParent();
}

} // namespace

void watchWaiting(llvm::Module &module, const std::string &kernel) {
  llvm::Function *function = module.getFunction(kernel);
  llvm::DominatorTree dominators(*function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    if (!waitsForMemory(*loop)) continue;
    bool synchronises = false;
    for (llvm::BasicBlock *block : loop->blocks())
      for (llvm::Instruction &inst : *block)
        if (auto *call = llvm::dyn_cast<llvm::CallBase>(&inst);
            call && call->getCalledFunction() && call->getCalledFunction()->getName() == kBarrier)
          synchronises = true;
    if (!synchronises) watch(*loop, *function);
  }
}

void widenLoops(llvm::Module &module, const std::string &kernel) {
  llvm::Function *function = module.getFunction(kernel);
  llvm::DominatorTree dominators(*function);
  llvm::LoopInfo loops(dominators);
  if (loops.empty()) return;
  Uniformity uniformity(*function);
  std::vector<Counted> found;
  for (llvm::Loop *loop : loops.getLoopsInPreorder()) {
    Counted counted;
    if (loop->isInnermost() && matchShape(*loop, counted) && isSuitable(counted, uniformity)) found.push_back(counted);
  }
  for (unsigned i = 0; i < found.size(); ++i) rewrite(found[i], i);
}

} // namespace naja::codegen::spmd
