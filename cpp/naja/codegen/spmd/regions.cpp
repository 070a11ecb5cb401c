#include "naja/codegen/spmd/regions.h"

#include "naja/codegen/spmd/markers.h"
#include "naja/codegen/spmd/uniformity.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <map>

namespace naja::codegen::spmd {
namespace {

using Blocks = llvm::SetVector<llvm::BasicBlock *>;

bool isCall(const llvm::Instruction &inst, const char *name) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&inst);
  return call && call->getCalledFunction() && call->getCalledFunction()->getName() == name;
}

/// Cheaper to compute again than to keep in memory; addresses above all, since an access through an address that was
/// loaded is not known to be contiguous.
bool isCheap(const llvm::Instruction &inst) {
  if (inst.mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(inst) || llvm::isa<llvm::AllocaInst>(inst)) return false;
  switch (inst.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem:
  case llvm::Instruction::FDiv:
  case llvm::Instruction::FRem:
  case llvm::Instruction::Freeze: return false;
  case llvm::Instruction::Call: return isCall(inst, kIndex);
  default: return !inst.isTerminator();
  }
}

class Cutter {
public:
  explicit Cutter(llvm::Function &thread) : thread_(thread), uniformity_(thread) {}

  Regions run() {
    isolateBarriers();
    findRegions();
    if (out_.regions.size() > 1) {
      noteAgreement();
      rematerialise();
      demote();
    }
    return std::move(out_);
  }

private:
  void isolateBarriers() {
    llvm::SmallVector<llvm::CallBase *, 8> calls;
    for (llvm::Instruction &inst : llvm::instructions(thread_))
      if (isCall(inst, kBarrier)) calls.push_back(llvm::cast<llvm::CallBase>(&inst));
    out_.regions.resize(calls.size() + 1);
    out_.lines.assign(1, 0);
    out_.regions[0].start = &thread_.getEntryBlock();
    for (unsigned i = 0; i < calls.size(); ++i) {
      llvm::BasicBlock *whole = calls[i]->getParent();
      const bool uniform = uniformity_.isUniform(whole);
      llvm::BasicBlock *barrier = whole->splitBasicBlock(calls[i], "barrier");
      llvm::BasicBlock *behind = barrier->splitBasicBlock(calls[i]->getNextNode(), "behind");
      if (whole == &thread_.getEntryBlock()) out_.regions[0].start = whole;
      if (!uniform) {
        divergent_.insert(barrier);
        divergent_.insert(behind);
      }
      out_.barriers[barrier] = i + 1;
      out_.regions[i + 1].start = behind;
      out_.lines.push_back(
          static_cast<uint32_t>(llvm::cast<llvm::ConstantInt>(calls[i]->getArgOperand(0))->getZExtValue()));
    }
  }

  bool isUniform(llvm::BasicBlock *block) const { return uniformity_.isUniform(block) && !divergent_.contains(block); }

  /// Blocks that are reached from `start` without passing a barrier or `avoid`.
  Blocks reach(llvm::BasicBlock *start, llvm::BasicBlock *avoid, Region *region = nullptr) const {
    Blocks found;
    llvm::SmallVector<llvm::BasicBlock *, 16> work;
    auto add = [&](llvm::BasicBlock *block) {
      if (block == avoid) return;
      if (auto barrier = out_.barriers.find(block); barrier != out_.barriers.end()) {
        if (region && !llvm::is_contained(region->next, barrier->second)) region->next.push_back(barrier->second);
        return;
      }
      if (found.insert(block)) work.push_back(block);
    };
    add(start);
    while (!work.empty())
      for (llvm::BasicBlock *next : llvm::successors(work.pop_back_val())) add(next);
    return found;
  }

  void findRegions() {
    for (Region &region : out_.regions) {
      region.blocks = reach(region.start, nullptr, &region);
      for (llvm::BasicBlock *block : region.blocks)
        region.returns |= llvm::isa<llvm::ReturnInst>(block->getTerminator());
    }
  }

  /// A region whose ways out all lie where every thread goes alike.
  void noteAgreement() {
    for (Region &region : out_.regions) {
      if (region.next.size() + (region.returns ? 1 : 0) < 2) continue;
      for (llvm::BasicBlock *block : region.blocks) {
        const bool leaves =
            llvm::isa<llvm::ReturnInst>(block->getTerminator()) ||
            llvm::any_of(llvm::successors(block), [&](llvm::BasicBlock *b) { return out_.barriers.count(b) != 0; });
        if (leaves && (!isUniform(block) || !uniformity_.isUniform(block->getTerminator()))) region.agrees = false;
      }
    }
  }

  /// Can the use be reached in a region that has not passed the definition?
  bool crosses(const llvm::Use &use, llvm::Instruction &definition) {
    llvm::BasicBlock *at = blockOf(use), *from = definition.getParent();
    if (at == from) return false;
    for (unsigned i = 0; i < out_.regions.size(); ++i) {
      if (!out_.regions[i].blocks.contains(at)) continue;
      auto [entry, is_new] = reachable_.try_emplace({i, from});
      if (is_new) entry->second = reach(out_.regions[i].start, from);
      if (entry->second.contains(at)) return true;
    }
    return false;
  }
  static llvm::BasicBlock *blockOf(const llvm::Use &use) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
    return user->getParent();
  }
  static llvm::Instruction *placeFor(const llvm::Use &use) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use)->getTerminator();
    return user;
  }

  void rematerialise() {
    llvm::SmallVector<llvm::Instruction *, 32> cheap;
    // Users first: what is copied for them makes new uses of their operands.
    for (llvm::BasicBlock &block : thread_)
      for (llvm::Instruction &inst : block)
        if (isCheap(inst)) cheap.push_back(&inst);
    while (!cheap.empty()) {
      llvm::Instruction *inst = cheap.pop_back_val();
      for (llvm::Use &use : llvm::make_early_inc_range(inst->uses())) {
        if (!crosses(use, *inst)) continue;
        copyInto(*inst, blockOf(use));
        use.set(copies_[{inst, blockOf(use)}]);
      }
    }
  }

  /// A copy of a cheap value at the begin of a block, with its cheap operands.
  llvm::Value *copyInto(llvm::Instruction &inst, llvm::BasicBlock *block) {
    auto known = copies_.find({&inst, block});
    if (known != copies_.end()) return known->second;
    llvm::Instruction *copy = inst.clone();
    for (llvm::Use &operand : copy->operands()) {
      auto *value = llvm::dyn_cast<llvm::Instruction>(operand.get());
      if (value && isCheap(*value) && value->getParent() != block) operand.set(copyInto(*value, block));
    }
    // Behind the copies made so far, before everything else.
    llvm::Instruction *&last = last_copy_[block];
    if (last)
      copy->insertAfter(last);
    else
      copy->insertBefore(*block, block->getFirstInsertionPt());
    last = copy;
    copy->dropUnknownNonDebugMetadata();
    copies_[{&inst, block}] = copy;
    copy_set_.insert(copy);
    return copy;
  }

  void demote() {
    llvm::SmallVector<llvm::Instruction *, 32> all;
    for (llvm::Instruction &inst : llvm::instructions(thread_))
      if (!llvm::isa<llvm::AllocaInst>(inst) && !inst.getType()->isVoidTy() && !copy_set_.contains(&inst))
        all.push_back(&inst);
    for (llvm::Instruction *inst : all) {
      llvm::SmallVector<llvm::Use *, 8> crossing;
      for (llvm::Use &use : inst->uses())
        if (crosses(use, *inst)) crossing.push_back(&use);
      if (!crossing.empty()) throughMemory(*inst, crossing);
    }
  }

  void throughMemory(llvm::Instruction &inst, llvm::ArrayRef<llvm::Use *> uses) {
    llvm::IRBuilder<> b(&thread_.getEntryBlock(), thread_.getEntryBlock().begin());
    llvm::Type *type = inst.getType()->isIntegerTy(1) ? b.getInt8Ty() : inst.getType();
    llvm::AllocaInst *variable = b.CreateAlloca(type);
    out_.slots.push_back({variable, type, uniformity_.isUniform(&inst) && isUniform(inst.getParent())});
    for (llvm::Use *use : uses) {
      llvm::Instruction *place = placeFor(*use);
      b.SetInsertPoint(place);
      llvm::Value *loaded = b.CreateLoad(type, variable);
      use->set(type == inst.getType() ? loaded : b.CreateTrunc(loaded, inst.getType()));
    }
    b.SetInsertPoint(inst.getParent(), llvm::isa<llvm::PHINode>(inst) ? inst.getParent()->getFirstInsertionPt()
                                                                      : std::next(inst.getIterator()));
    b.CreateStore(type == inst.getType() ? static_cast<llvm::Value *>(&inst) : b.CreateZExt(&inst, type), variable);
  }

  llvm::Function &thread_;
  Uniformity uniformity_;
  Regions out_;
  llvm::DenseSet<llvm::BasicBlock *> divergent_; // blocks made here out of divergent ones
  std::map<std::pair<unsigned, llvm::BasicBlock *>, Blocks> reachable_;
  std::map<std::pair<llvm::Instruction *, llvm::BasicBlock *>, llvm::Instruction *> copies_;
  llvm::DenseMap<llvm::BasicBlock *, llvm::Instruction *> last_copy_;
  llvm::DenseSet<llvm::Instruction *> copy_set_;
};

} // namespace

Regions cutAtBarriers(llvm::Function &thread) { return Cutter(thread).run(); }

} // namespace naja::codegen::spmd
