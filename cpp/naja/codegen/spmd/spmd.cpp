#include "naja/codegen/spmd/spmd.h"

#include "naja/codegen/spmd/markers.h"
#include "naja/codegen/spmd/regions.h"
#include "naja/codegen/spmd/trim_threads.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <array>

namespace naja::codegen::spmd {
namespace {

/// Members of naja_cuda_launch_config (naja/cuda/cpu_device/launch.h): grid, block, bytes of dynamic shared memory.
enum LaunchWord : unsigned { kGridWord = 0, kBlockWord = 3, kDynamicWord = 6 };
constexpr unsigned kIndices = 14, kDynamicIndex = 13, kLaneIndex = 12;
constexpr unsigned kWarp = 32;

/// Builds the function that runs blocks.
class BlockFunction {
public:
  BlockFunction(llvm::Function &thread, llvm::Function &blocks, llvm::Constant *info)
      : thread_(thread), blocks_(blocks), info_(info), context_(thread.getContext()), b_(context_) {}

  void build() {
    regions_ = cutAtBarriers(thread_);
    for (llvm::Instruction &inst : llvm::make_early_inc_range(llvm::instructions(thread_)))
      if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&inst); intrinsic && intrinsic->isLifetimeStartOrEnd())
        intrinsic->eraseFromParent();
    entry_ = llvm::BasicBlock::Create(context_, "entry", &blocks_);
    b_.SetInsertPoint(entry_);
    loadArguments();
    allocate();
    openBlockLoop();
    for (size_t i = 0; i < regions_.regions.size(); ++i)
      heads_.push_back(llvm::BasicBlock::Create(context_, "region", &blocks_));
    b_.CreateBr(heads_[0]);
    for (size_t i = 0; i < regions_.regions.size(); ++i) buildRegion(i);
    closeBlockLoop();
  }

private:
  llvm::Value *word(unsigned i) {
    return b_.CreateLoad(b_.getInt32Ty(), b_.CreateConstInBoundsGEP1_32(b_.getInt32Ty(), blocks_.getArg(1), i));
  }

  void loadArguments() {
    uint64_t offset = 0;
    const llvm::DataLayout &layout = thread_.getDataLayout();
    arguments_.push_back(llvm::PoisonValue::get(b_.getPtrTy())); // where the result would go
    for (unsigned i = 1; i < thread_.arg_size(); ++i) {
      llvm::Type *type = thread_.getArg(i)->getType();
      const llvm::Align align = layout.getABITypeAlign(type);
      offset = llvm::alignTo(offset, align);
      arguments_.push_back(
          b_.CreateAlignedLoad(type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), blocks_.getArg(0), offset), align));
      offset += layout.getTypeStoreSize(type);
    }
    for (unsigned i = 0; i < 3; ++i) {
      numbers_[6 + i] = word(kBlockWord + i);
      numbers_[9 + i] = word(kGridWord + i);
    }
    numbers_[kDynamicIndex] = word(kDynamicWord);
    // The launcher has checked that they are between 1 and 1024.
    for (unsigned i = 6; i < 9; ++i)
      llvm::cast<llvm::LoadInst>(numbers_[i])
          ->setMetadata(llvm::LLVMContext::MD_range,
                        llvm::MDBuilder(context_).createRange(llvm::APInt(32, 1), llvm::APInt(32, 1025)));
    count_ = b_.CreateMul(b_.CreateMul(numbers_[6], numbers_[7], "", true, true), numbers_[8], "threads", true, true);
  }

  llvm::AllocaInst *perThread(llvm::Type *type) {
    auto *memory = b_.CreateAlloca(type, b_.CreateZExt(count_, b_.getInt64Ty()));
    memory->setAlignment(llvm::Align(kSharedAlignment));
    return memory;
  }

  /// Memory of the block and of threads, reused from block to block.
  void allocate() {
    for (const Slot &slot : regions_.slots) {
      const bool shared = slot.uniform;
      memory_[slot.variable] = shared ? b_.CreateAlloca(slot.type) : perThread(slot.type);
      is_slot_.insert(slot.variable);
    }
    for (llvm::Instruction &inst : thread_.getEntryBlock())
      if (auto *local = llvm::dyn_cast<llvm::AllocaInst>(&inst); local && !is_slot_.contains(local)) {
        memory_[local] = perThread(local->getAllocatedType());
        locals_.push_back(local);
      }
    llvm::Module &module = *thread_.getParent();
    for (llvm::GlobalVariable &global : module.globals()) {
      const bool dynamic = global.getName() == kDynamicShared;
      if (!dynamic && !global.getName().starts_with(kShared)) continue;
      auto *size =
          dynamic
              ? b_.CreateZExt(numbers_[kDynamicIndex], b_.getInt64Ty())
              : static_cast<llvm::Value *>(b_.getInt64(module.getDataLayout().getTypeAllocSize(global.getValueType())));
      auto *memory = b_.CreateAlloca(b_.getInt8Ty(), size);
      memory->setAlignment(llvm::Align(kSharedAlignment));
      shared_.push_back({&global, memory});
    }
    if (regions_.regions.size() < 2) return;
    for (const Region &region : regions_.regions) needs_alive_ |= !region.agrees && region.returns;
    if (needs_alive_) alive_ = perThread(b_.getInt8Ty());
    next_ = b_.CreateAlloca(b_.getInt32Ty());
  }

  void openBlockLoop() {
    next_block_ = llvm::BasicBlock::Create(context_, "next_block", &blocks_);
    done_ = llvm::BasicBlock::Create(context_, "done", &blocks_);
    auto *header = llvm::BasicBlock::Create(context_, "block", &blocks_);
    auto *body = llvm::BasicBlock::Create(context_, "", &blocks_);
    b_.CreateBr(header);
    b_.SetInsertPoint(header);
    block_ = b_.CreatePHI(b_.getInt64Ty(), 2);
    block_->addIncoming(blocks_.getArg(2), entry_);
    b_.CreateCondBr(b_.CreateICmpSLT(block_, blocks_.getArg(3)), body, done_);
    b_.SetInsertPoint(body);
    llvm::Value *number = block_, *i64_x = b_.CreateZExt(numbers_[9], b_.getInt64Ty()),
                *i64_y = b_.CreateZExt(numbers_[10], b_.getInt64Ty());
    numbers_[3] = b_.CreateTrunc(b_.CreateURem(number, i64_x), b_.getInt32Ty(), "", true, true);
    number = b_.CreateUDiv(number, i64_x);
    numbers_[4] = b_.CreateTrunc(b_.CreateURem(number, i64_y), b_.getInt32Ty(), "", true, true);
    numbers_[5] = b_.CreateTrunc(b_.CreateUDiv(number, i64_y), b_.getInt32Ty(), "", true, true);
    if (alive_)
      b_.CreateMemSet(alive_, b_.getInt8(1), b_.CreateZExt(count_, b_.getInt64Ty()), llvm::Align(kSharedAlignment));
  }

  void closeBlockLoop() {
    b_.SetInsertPoint(next_block_);
    block_->addIncoming(b_.CreateAdd(block_, b_.getInt64(1), "", true, true), next_block_);
    b_.CreateBr(block_->getParent());
    b_.SetInsertPoint(done_);
    b_.CreateRet(b_.getInt32(0));
  }

  // ---- one region

  /// The loops over the threads of a block.
  struct Nest {
    llvm::BasicBlock *header[3], *latch[3]; // x, y, z
    llvm::PHINode *index[3];
    llvm::BasicBlock *after;
  };
  Nest openNest(llvm::BasicBlock *head) {
    Nest nest;
    llvm::BasicBlock *from = head;
    for (int axis = 2; axis >= 0; --axis) {
      nest.header[axis] = llvm::BasicBlock::Create(context_, "threads", &blocks_);
      nest.latch[axis] = llvm::BasicBlock::Create(context_, "next_thread", &blocks_);
      b_.CreateBr(nest.header[axis]);
      b_.SetInsertPoint(nest.header[axis]);
      nest.index[axis] = b_.CreatePHI(b_.getInt32Ty(), 2);
      nest.index[axis]->addIncoming(b_.getInt32(0), from);
      from = nest.header[axis];
    }
    nest.after = llvm::BasicBlock::Create(context_, "arrived", &blocks_);
    return nest;
  }
  void closeNest(Nest &nest) {
    for (int axis = 0; axis < 3; ++axis) {
      b_.SetInsertPoint(nest.latch[axis]);
      llvm::Value *next = b_.CreateAdd(nest.index[axis], b_.getInt32(1), "", true, true);
      nest.index[axis]->addIncoming(next, nest.latch[axis]);
      llvm::BasicBlock *out = axis < 2 ? nest.latch[axis + 1] : nest.after;
      auto *branch = b_.CreateCondBr(b_.CreateICmpULT(next, numbers_[6 + axis]), nest.header[axis], out);
      if (axis == 0) branch->setMetadata(llvm::LLVMContext::MD_loop, loopMetadata());
    }
  }
  llvm::MDNode *loopMetadata() {
    llvm::Metadata *parallel[] = {llvm::MDString::get(context_, "llvm.loop.parallel_accesses"), group_};
    llvm::Metadata *progress[] = {llvm::MDString::get(context_, "llvm.loop.mustprogress")};
    auto *node = llvm::MDNode::getDistinct(
        context_, {nullptr, llvm::MDNode::get(context_, parallel), llvm::MDNode::get(context_, progress)});
    node->replaceOperandWith(0, node);
    return node;
  }

  /// Of the thread in the region that is being built.
  struct Thread {
    llvm::Value *linear = nullptr;
    llvm::BasicBlock *latch = nullptr;
    llvm::AllocaInst *status = nullptr, *lowest = nullptr, *highest = nullptr;
    std::vector<std::pair<llvm::AllocaInst *, llvm::AllocaInst *>> results; // of uniform slots: while it runs, memory
  };

  llvm::AllocaInst *entryVariable(llvm::Type *type) {
    llvm::IRBuilder<> at(entry_, entry_->begin());
    return at.CreateAlloca(type);
  }

  void buildRegion(size_t number) {
    const Region &region = regions_.regions[number];
    group_ = llvm::MDNode::getDistinct(context_, {});
    llvm::ValueToValueMapTy map;
    Thread thread;
    b_.SetInsertPoint(heads_[number]);
    startRegion(region, thread);
    Nest nest = openNest(heads_[number]);
    thread.latch = nest.latch[0];
    for (int axis = 0; axis < 3; ++axis) numbers_[axis] = nest.index[axis];
    thread.linear = b_.CreateAdd(b_.CreateMul(b_.CreateAdd(b_.CreateMul(nest.index[2], numbers_[7], "", true, true),
                                                           nest.index[1], "", true, true),
                                              numbers_[6], "", true, true),
                                 nest.index[0], "", true, true);
    numbers_[kLaneIndex] = b_.CreateAnd(thread.linear, b_.getInt32(kWarp - 1));
    startThread(thread, map);
    cloneBlocks(region, thread, map);
    closeNest(nest);
    b_.SetInsertPoint(nest.latch[0], nest.latch[0]->begin());
    for (auto [running, memory] : thread.results)
      b_.CreateStore(b_.CreateLoad(running->getAllocatedType(), running), memory);
    b_.SetInsertPoint(nest.after);
    finishRegion(region, thread);
  }

  void startRegion(const Region &region, Thread &thread) {
    for (const Slot &slot : regions_.slots) {
      if (!slot.uniform) continue;
      bool stored = false;
      for (llvm::User *user : slot.variable->users())
        if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user)) stored |= region.blocks.contains(store->getParent());
      if (!stored) {
        variables_[slot.variable] = memory_[slot.variable];
        continue;
      }
      // Each thread starts from what the variable held when the region began.
      auto *running = entryVariable(slot.type), *memory = entryVariable(slot.type);
      variables_[slot.variable] = running;
      starts_[running] = memory_[slot.variable];
      thread.results.push_back({running, memory});
    }
    for (llvm::BasicBlock *block : region.blocks)
      for (llvm::Instruction &inst : *block)
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inst);
            call && call->getCalledFunction() && call->getCalledFunction()->getName() == kReduceMax)
          b_.CreateStore(b_.getInt64(0), reductionOf(*call));
    if (canRaise(region)) {
      thread.status = entryVariable(b_.getInt32Ty());
      b_.CreateStore(b_.getInt32(0), thread.status);
    }
    if (!region.agrees) {
      thread.lowest = entryVariable(b_.getInt32Ty());
      thread.highest = entryVariable(b_.getInt32Ty());
      b_.CreateStore(b_.getInt32(INT32_MAX), thread.lowest);
      b_.CreateStore(b_.getInt32(0), thread.highest);
    }
  }

  static bool canRaise(const Region &region) {
    for (llvm::BasicBlock *block : region.blocks)
      if (auto *ret = llvm::dyn_cast<llvm::ReturnInst>(block->getTerminator()))
        if (auto *status = llvm::dyn_cast<llvm::ConstantInt>(ret->getReturnValue()); !status || !status->isZero())
          return true;
    return false;
  }

  void startThread(Thread &thread, llvm::ValueToValueMapTy &map) {
    llvm::Value *at = b_.CreateZExt(thread.linear, b_.getInt64Ty());
    for (unsigned i = 0; i < thread_.arg_size(); ++i) map[thread_.getArg(i)] = arguments_[i];
    for (const Slot &slot : regions_.slots)
      if (!slot.uniform) variables_[slot.variable] = b_.CreateInBoundsGEP(slot.type, memory_[slot.variable], at);
    for (llvm::AllocaInst *local : locals_)
      variables_[local] = b_.CreateInBoundsGEP(local->getAllocatedType(), memory_[local], at);
    for (auto [running, memory] : thread.results)
      b_.CreateStore(b_.CreateLoad(running->getAllocatedType(), starts_[running]), running);
    if (!alive_) return;
    at_alive_ = b_.CreateInBoundsGEP(b_.getInt8Ty(), alive_, at);
    auto *live = llvm::BasicBlock::Create(context_, "alive", &blocks_);
    auto *flag = b_.CreateLoad(b_.getInt8Ty(), at_alive_);
    flag->setMetadata(llvm::LLVMContext::MD_access_group, group_);
    b_.CreateCondBr(b_.CreateICmpNE(flag, b_.getInt8(0)), live, thread.latch);
    b_.SetInsertPoint(live);
  }

  void cloneBlocks(const Region &region, Thread &thread, llvm::ValueToValueMapTy &map) {
    llvm::SmallVector<llvm::BasicBlock *, 16> made;
    for (llvm::BasicBlock *block : region.blocks) {
      made.push_back(llvm::CloneBasicBlock(block, map, "", &blocks_));
      map[block] = made.back();
    }
    for (auto [variable, memory] : variables_) {
      if (region.start == &thread_.getEntryBlock()) llvm::cast<llvm::Instruction>(map[variable])->eraseFromParent();
      map[variable] = memory;
    }
    for (unsigned next : region.next) map[barrierBefore(next)] = leaveFor(next, thread);
    for (auto [global, memory] : shared_) map[global] = memory;
    b_.CreateBr(llvm::cast<llvm::BasicBlock>(map[region.start]));
    for (llvm::BasicBlock *block : region.blocks) {
      auto *copy = llvm::cast<llvm::BasicBlock>(map[block]);
      for (llvm::PHINode &phi : llvm::make_early_inc_range(copy->phis()))
        for (int i = static_cast<int>(phi.getNumIncomingValues()) - 1; i >= 0; --i)
          if (!region.blocks.contains(phi.getIncomingBlock(static_cast<unsigned>(i))))
            phi.removeIncomingValue(static_cast<unsigned>(i), /*DeletePHIIfEmpty=*/false);
      for (llvm::Instruction &inst : *copy) llvm::RemapInstruction(&inst, map, llvm::RF_IgnoreMissingLocals);
    }
    for (llvm::BasicBlock *copy : made) finishBlock(*copy, thread);
  }

  llvm::BasicBlock *barrierBefore(unsigned region) {
    for (auto [block, next] : regions_.barriers)
      if (next == region) return block;
    return nullptr;
  }

  /// Where a thread goes that has come to the barrier before a region.
  llvm::BasicBlock *leaveFor(unsigned next, Thread &thread) {
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    auto *block = llvm::BasicBlock::Create(context_, "leave", &blocks_);
    b_.SetInsertPoint(block);
    arrive(next, thread);
    b_.CreateBr(thread.latch);
    return block;
  }
  void arrive(unsigned next, Thread &thread) {
    if (!thread.lowest) {
      if (next_) b_.CreateStore(b_.getInt32(next), next_);
      return;
    }
    auto meet = [&](llvm::AllocaInst *variable, llvm::Intrinsic::ID which) {
      b_.CreateStore(b_.CreateBinaryIntrinsic(which, b_.CreateLoad(b_.getInt32Ty(), variable), b_.getInt32(next)),
                     variable);
    };
    meet(thread.lowest, llvm::Intrinsic::umin);
    meet(thread.highest, llvm::Intrinsic::umax);
  }

  /// Markers, returns and what the loop's metadata needs, in a copied block.
  void finishBlock(llvm::BasicBlock &block, Thread &thread) {
    for (llvm::Instruction &inst : llvm::make_early_inc_range(block)) {
      inst.setDebugLoc(llvm::DebugLoc());
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inst);
          call && call->getCalledFunction() && call->getCalledFunction()->getName() == kIndex) {
        const auto which = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
        call->replaceAllUsesWith(numbers_[which]);
        call->eraseFromParent();
        continue;
      }
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&inst); call && (finishReduction(*call) || finishWaiting(*call)))
        continue;
      if (inst.mayReadOrWriteMemory() && !isRunning(inst)) inst.setMetadata(llvm::LLVMContext::MD_access_group, group_);
      if (auto *ret = llvm::dyn_cast<llvm::ReturnInst>(&inst)) finishReturn(*ret, thread);
    }
  }
  /// Reductions over the threads of a block are variables of it.
  bool finishReduction(llvm::CallInst &call) {
    const llvm::Function *callee = call.getCalledFunction();
    if (!callee || (callee->getName() != kReduceMax && callee->getName() != kReduced)) return false;
    llvm::IRBuilder<> b(&call);
    llvm::AllocaInst *variable = reductionOf(call);
    llvm::Value *so_far = b.CreateLoad(b.getInt64Ty(), variable);
    if (callee->getName() == kReduced)
      call.replaceAllUsesWith(so_far);
    else
      b.CreateStore(b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, so_far, call.getArgOperand(1)), variable);
    call.eraseFromParent();
    return true;
  }
  bool finishWaiting(llvm::CallInst &call) {
    if (!call.getCalledFunction() || call.getCalledFunction()->getName() != kWaits) return false;
    llvm::IRBuilder<> b(&call);
    auto waits =
        thread_.getParent()->getOrInsertFunction("naja_cuda_waits", b.getInt32Ty(), b.getPtrTy(), b.getInt64Ty());
    call.replaceAllUsesWith(b.CreateCall(waits, {info_, call.getArgOperand(0)}));
    call.eraseFromParent();
    return true;
  }
  llvm::AllocaInst *reductionOf(const llvm::CallInst &call) {
    llvm::AllocaInst *&variable = reductions_[llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue()];
    if (!variable) variable = entryVariable(b_.getInt64Ty());
    return variable;
  }
  bool isRunning(const llvm::Instruction &inst) const {
    const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&inst);
    return pointer && starts_.contains(pointer);
  }
  void finishReturn(llvm::ReturnInst &ret, Thread &thread) {
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(&ret);
    if (thread.status) {
      nameThread(ret, thread);
      llvm::Value *so_far = b_.CreateLoad(b_.getInt32Ty(), thread.status);
      b_.CreateStore(b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, so_far, ret.getReturnValue()), thread.status);
    }
    if (alive_) b_.CreateStore(b_.getInt8(0), at_alive_)->setMetadata(llvm::LLVMContext::MD_access_group, group_);
    if (!thread.lowest && next_) b_.CreateStore(b_.getInt32(0), next_);
    b_.CreateBr(thread.latch);
    ret.eraseFromParent();
  }

  /// An exception says which thread raised it.
  void nameThread(llvm::ReturnInst &ret, Thread &thread) {
    llvm::Value *status = ret.getReturnValue();
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(status); constant && constant->isZero()) return;
    auto *named = llvm::SplitBlockAndInsertIfThen(b_.CreateICmpNE(status, b_.getInt32(0)), &ret, /*Unreachable=*/false,
                                                  llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    b_.SetInsertPoint(named);
    auto name = thread_.getParent()->getOrInsertFunction("naja_cuda_raised", b_.getVoidTy(), b_.getPtrTy(),
                                                         b_.getPtrTy(), b_.getInt64Ty(), b_.getInt32Ty());
    b_.CreateCall(name, {info_, blocks_.getArg(1), block_, thread.linear});
    b_.SetInsertPoint(&ret);
  }

  void finishRegion(const Region &region, Thread &thread) {
    for (auto [running, memory] : thread.results)
      b_.CreateStore(b_.CreateLoad(running->getAllocatedType(), memory), starts_[running]);
    if (thread.status) {
      llvm::Value *status = b_.CreateLoad(b_.getInt32Ty(), thread.status);
      leaveIf(b_.CreateICmpNE(status, b_.getInt32(0)), [&] { return status; });
    }
    if (region.next.empty()) {
      b_.CreateBr(next_block_);
      return;
    }
    llvm::Value *next = nullptr;
    if (thread.lowest) {
      // Threads that have ended do not count.
      next = b_.CreateLoad(b_.getInt32Ty(), thread.highest);
      llvm::Value *lowest = b_.CreateLoad(b_.getInt32Ty(), thread.lowest);
      llvm::Value *differ = b_.CreateAnd(b_.CreateICmpNE(next, lowest), b_.CreateICmpNE(next, b_.getInt32(0)));
      leaveIf(differ, [&] { return reportDivergence(lowest, next); });
    } else if (region.next.size() + (region.returns ? 1 : 0) > 1) {
      next = b_.CreateLoad(b_.getInt32Ty(), next_);
    } else {
      b_.CreateBr(heads_[region.next[0]]);
      return;
    }
    auto *choice = b_.CreateSwitch(next, region.returns ? next_block_ : heads_[region.next[0]]);
    for (unsigned target : region.next) choice->addCase(b_.getInt32(target), heads_[target]);
  }

  template <class Status> void leaveIf(llvm::Value *condition, Status status) {
    auto *leave = llvm::BasicBlock::Create(context_, "leave", &blocks_),
         *go_on = llvm::BasicBlock::Create(context_, "", &blocks_);
    b_.CreateCondBr(condition, leave, go_on, llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    b_.SetInsertPoint(leave);
    b_.CreateRet(status());
    b_.SetInsertPoint(go_on);
  }

  llvm::Value *reportDivergence(llvm::Value *a, llvm::Value *b) {
    llvm::SmallVector<uint32_t, 8> lines(regions_.lines.begin(), regions_.lines.end());
    auto *table = llvm::ConstantDataArray::get(context_, lines);
    auto *global = new llvm::GlobalVariable(*thread_.getParent(), table->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, table);
    auto line = [&](llvm::Value *which) {
      return b_.CreateLoad(b_.getInt32Ty(), b_.CreateInBoundsGEP(b_.getInt32Ty(), global, which));
    };
    auto report =
        thread_.getParent()->getOrInsertFunction("naja_cuda_divergent_barrier", b_.getInt32Ty(), b_.getPtrTy(),
                                                 b_.getInt64Ty(), b_.getInt32Ty(), b_.getInt32Ty());
    return b_.CreateCall(report, {info_, block_, line(a), line(b)});
  }

  llvm::Function &thread_, &blocks_;
  llvm::Constant *info_;
  llvm::LLVMContext &context_;
  llvm::IRBuilder<> b_;
  Regions regions_;
  llvm::BasicBlock *entry_ = nullptr, *next_block_ = nullptr, *done_ = nullptr;
  llvm::SmallVector<llvm::Value *, 16> arguments_;
  std::array<llvm::Value *, kIndices> numbers_{};
  llvm::Value *count_ = nullptr;
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> memory_, starts_;
  llvm::MapVector<llvm::AllocaInst *, llvm::Value *> variables_; // of the thread's function -> memory in this region
  llvm::DenseSet<const llvm::Value *> is_slot_;
  std::vector<llvm::AllocaInst *> locals_;
  std::vector<std::pair<llvm::GlobalVariable *, llvm::AllocaInst *>> shared_;
  llvm::DenseMap<uint64_t, llvm::AllocaInst *> reductions_;
  llvm::AllocaInst *alive_ = nullptr, *next_ = nullptr;
  bool needs_alive_ = false;
  llvm::Value *at_alive_ = nullptr;
  llvm::PHINode *block_ = nullptr;
  std::vector<llvm::BasicBlock *> heads_;
  llvm::MDNode *group_ = nullptr;
};

/// Stores its arguments one after the other, as BlockFunction loads them, and launches.
void buildEntry(llvm::Module &module, llvm::Function &thread, llvm::Function &blocks, llvm::Constant *info,
                const std::string &name) {
  llvm::IRBuilder<> b(module.getContext());
  auto *entry = llvm::Function::Create(thread.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, module);
  entry->setDoesNotThrow();
  entry->setDSOLocal(true);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", entry));
  const llvm::DataLayout &layout = module.getDataLayout();
  uint64_t offset = 0;
  auto *memory = b.CreateAlloca(b.getInt8Ty(), b.getInt64(8 * std::max<uint64_t>(entry->arg_size(), 1)));
  memory->setAlignment(llvm::Align(16));
  for (unsigned i = 1; i < entry->arg_size(); ++i) {
    llvm::Type *type = entry->getArg(i)->getType();
    const llvm::Align align = layout.getABITypeAlign(type);
    offset = llvm::alignTo(offset, align);
    b.CreateAlignedStore(entry->getArg(i), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, offset), align);
    offset += layout.getTypeStoreSize(type);
  }
  auto launch =
      module.getOrInsertFunction("naja_cuda_launch", b.getInt32Ty(), b.getPtrTy(), b.getPtrTy(), b.getPtrTy());
  b.CreateRet(b.CreateCall(launch, {&blocks, memory, info}));
}

/// naja_cuda_kernel_info: name, bytes of static shared memory.
llvm::Constant *makeInfo(llvm::Module &module, const std::string &name) {
  auto &context = module.getContext();
  uint64_t bytes = 0;
  for (llvm::GlobalVariable &global : module.globals())
    if (global.getName().starts_with(kShared)) bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  // Without the numbers that make it unique.
  auto *text = llvm::ConstantDataArray::getString(
      context, llvm::StringRef(name).rtrim("0123456789").rtrim('.').rtrim("0123456789").rtrim('.'));
  auto *text_global = new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text);
  auto *i32 = llvm::Type::getInt32Ty(context);
  llvm::Constant *members[] = {text_global, llvm::ConstantInt::get(i32, bytes), llvm::ConstantInt::get(i32, 0)};
  auto *value = llvm::ConstantStruct::getAnon(context, members);
  return new llvm::GlobalVariable(module, value->getType(), false, llvm::GlobalValue::PrivateLinkage, value);
}

std::optional<Diagnostic> complain(std::string text) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Unsupported;
  diagnostic.message = std::move(text);
  return diagnostic;
}

} // namespace

void inlineEverything(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasInternalLinkage()) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
}

std::optional<Diagnostic> lowerKernel(llvm::Module &module, const std::string &name) {
  llvm::StripDebugInfo(module);
  llvm::Function *thread = module.getFunction(name);
  for (const char *marker : {kIndex, kBarrier})
    if (llvm::Function *function = module.getFunction(marker))
      for (llvm::User *user : function->users())
        if (llvm::cast<llvm::Instruction>(user)->getFunction() != thread)
          return complain("a device function that calls itself cannot use threadIdx or syncthreads on the CPU device");
  thread->setName(name + ".thread");
  llvm::SmallVector<llvm::Constant *, 4> shared;
  for (llvm::GlobalVariable &global : module.globals())
    if (global.getName() == kDynamicShared || global.getName().starts_with(kShared)) shared.push_back(&global);
  llvm::convertUsersOfConstantsToInstructions(shared);
  llvm::Constant *info = makeInfo(module, name);
  auto *i64 = llvm::Type::getInt64Ty(module.getContext()), *i32 = llvm::Type::getInt32Ty(module.getContext());
  auto *pointer = llvm::PointerType::getUnqual(module.getContext());
  auto *blocks = llvm::Function::Create(llvm::FunctionType::get(i32, {pointer, pointer, i64, i64}, false),
                                        llvm::GlobalValue::ExternalLinkage, name + ".blocks", module);
  blocks->setDoesNotThrow();
  blocks->setDSOLocal(true);
  blocks->addFnAttr(kBlocksAttribute);
  for (unsigned i : {0U, 1U}) {
    blocks->addParamAttr(i, llvm::Attribute::NoAlias);
    blocks->addParamAttr(i, llvm::Attribute::ReadOnly);
  }
  BlockFunction(*thread, *blocks, info).build();
  buildEntry(module, *thread, *blocks, info, name);
  thread->eraseFromParent();
  for (llvm::Constant *global : shared) llvm::cast<llvm::GlobalVariable>(global)->eraseFromParent();
  return std::nullopt;
}

} // namespace naja::codegen::spmd
