#include "naja/codegen/spmd/uniformity.h"

#include "naja/codegen/spmd/markers.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace naja::codegen::spmd {
namespace {

/// threadIdx and the lane differ between threads; the other numbers are the block's.
bool isThreadNumber(const llvm::CallBase &call) {
  const auto *which = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
  return !which || which->getZExtValue() < 3 || which->getZExtValue() == 12;
}

bool isSource(const llvm::Instruction &inst) {
  if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&inst)) {
    const llvm::Function *callee = call->getCalledFunction();
    if (callee && callee->getName() == kIndex) return isThreadNumber(*call);
    if (callee && callee->getName() == kReduced) return false;
    return !call->doesNotAccessMemory();
  }
  return inst.mayReadFromMemory() || llvm::isa<llvm::AllocaInst>(inst);
}

} // namespace

Uniformity::Uniformity(llvm::Function &function) {
  llvm::PostDominatorTree post(function);
  llvm::SmallVector<const llvm::Instruction *, 32> work;
  auto mark = [&](const llvm::Instruction &inst) {
    if (divergent_.insert(&inst).second) work.push_back(&inst);
  };
  // Blocks between a divergent branch and the block where its paths meet; values joined there or made on the way
  // differ.
  auto spread = [&](const llvm::Instruction &branch) {
    const llvm::BasicBlock *from = branch.getParent();
    const auto *node = post.getNode(const_cast<llvm::BasicBlock *>(from));
    const llvm::BasicBlock *meet = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    llvm::SmallVector<const llvm::BasicBlock *, 16> blocks(llvm::successors(from));
    while (!blocks.empty()) {
      const llvm::BasicBlock *block = blocks.pop_back_val();
      if (block == meet) {
        for (const llvm::PHINode &phi : block->phis()) mark(phi);
        continue;
      }
      if (!divergent_blocks_.insert(block).second) continue;
      for (const llvm::Instruction &inst : *block) mark(inst);
      blocks.append(llvm::succ_begin(block), llvm::succ_end(block));
    }
  };
  for (const llvm::Instruction &inst : llvm::instructions(function))
    if (isSource(inst)) mark(inst);
  while (!work.empty()) {
    const llvm::Instruction *inst = work.pop_back_val();
    if (inst->isTerminator() && inst->getNumSuccessors() > 1) spread(*inst);
    for (const llvm::User *user : inst->users())
      if (const auto *next = llvm::dyn_cast<llvm::Instruction>(user)) mark(*next);
  }
}

} // namespace naja::codegen::spmd
