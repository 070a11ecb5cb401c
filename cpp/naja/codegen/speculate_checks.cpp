#include "naja/codegen/speculate_checks.h"

#include "naja/codegen/argument_aliases.h"
#include "naja/codegen/version_aliases.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/IVDescriptors.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/ProfDataUtils.h>
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

/// Elements of a strip: long enough that its overhead vanishes, short enough to stay in the first-level cache.
constexpr uint64_t kStrip = 1024;
constexpr uint64_t kFewest = 16; // loops below run as they are
constexpr unsigned kMostInstructions = 400, kMostRangeTests = 24;

struct Analyses {
  LoopInfo &loops;
  DominatorTree &dominators;
  ScalarEvolution &evolution;
  AAResults &aliases;
  AssumptionCache &assumptions;
  ArgumentAliases &arguments;
};

/// A branch out of the loop that is hardly ever taken.
struct Check {
  BranchInst *branch;
  bool leaves_on_true;
  BasicBlock *goes_on() const { return branch->getSuccessor(leaves_on_true ? 1 : 0); }
};

bool isUnlikely(const BranchInst &branch, unsigned successor) {
  uint64_t weight_true = 0, weight_false = 0;
  if (!extractBranchWeights(branch, weight_true, weight_false)) return false;
  const uint64_t taken = successor == 0 ? weight_true : weight_false, total = weight_true + weight_false;
  return taken < total / 64;
}

class Candidate {
public:
  Candidate(Loop &loop, Analyses &analyses) : loop_(loop), a_(analyses) {}
  bool isSuitable();
  void transform();

private:
  struct Clone {
    ValueToValueMapTy map;
    SmallVector<BasicBlock *, 8> blocks;
    BasicBlock *header = nullptr, *latch = nullptr;
    PHINode *counter = nullptr;
  };

  bool findChecks();
  bool hasVectorisableBody();
  bool findCheckedLoads();
  bool planRangeTests();
  const SCEV *rangeOf(Instruction *access, bool end);
  Value *expandNoOverlap(SCEVExpander &expander, Instruction *at);
  void makeClone(Clone &clone, const Twine &suffix);
  void countTo(Clone &clone, BasicBlock *entry, Value *count, BasicBlock *exit);
  void removeDead(Clone &clone);
  void enterSlow(BasicBlock *slow, BasicBlock *decide, const DenseMap<PHINode *, PHINode *> &at_strip);

  Loop &loop_;
  Analyses &a_;
  BasicBlock *latch_ = nullptr, *preheader_ = nullptr;
  const SCEV *back_edges_ = nullptr;
  SmallVector<Check, 4> checks_;
  SmallVector<LoadInst *, 8> checked_loads_;
  SmallVector<StoreInst *, 4> stores_;
  SmallVector<std::pair<LoadInst *, StoreInst *>, 8> range_tests_;
  std::set<ArgumentAliases::Pair> disjoint_arguments_; // strips run where these do not overlap
};

bool Candidate::findChecks() {
  SmallVector<BasicBlock *, 8> exiting;
  loop_.getExitingBlocks(exiting);
  for (BasicBlock *block : exiting) {
    if (block == latch_) continue;
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch || !branch->isConditional() || !a_.dominators.dominates(block, latch_)) return false;
    const bool on_true = !loop_.contains(branch->getSuccessor(0));
    if (on_true == !loop_.contains(branch->getSuccessor(1)) || !isUnlikely(*branch, on_true ? 0 : 1)) return false;
    checks_.push_back({branch, on_true});
  }
  return !checks_.empty();
}

/// Nothing that would keep the loop without its checks from being vectorised.
bool Candidate::hasVectorisableBody() {
  for (PHINode &phi : loop_.getHeader()->phis()) {
    InductionDescriptor induction;
    RecurrenceDescriptor recurrence;
    if (!InductionDescriptor::isInductionPHI(&phi, &loop_, &a_.evolution, induction) &&
        !RecurrenceDescriptor::isReductionPHI(&phi, &loop_, recurrence, nullptr, &a_.assumptions, &a_.dominators, &a_.evolution))
      return false;
    if (recurrence.getRecurrenceKind() != RecurKind::None && recurrence.hasExactFPMath()) return false;
  }
  unsigned size = 0;
  for (BasicBlock *block : loop_.blocks())
    for (Instruction &inst : *block) {
      if (++size > kMostInstructions) return false;
      if (auto *store = dyn_cast<StoreInst>(&inst)) {
        if (!store->isSimple()) return false;
        stores_.push_back(store);
      } else if (auto *load = dyn_cast<LoadInst>(&inst)) {
        if (!load->isSimple()) return false;
      } else if (inst.mayReadOrWriteMemory() || inst.mayThrow() || isa<AllocaInst>(inst)) {
        return false;
      }
      auto *call = dyn_cast<CallInst>(&inst);
      if (call && !isa<IntrinsicInst>(call) && !call->hasFnAttr("vector-function-abi-variant")) return false;
    }
  return true;
}

/// The loads that the checks depend on. Where the loop has inner branches, whatever decides them counts as well.
bool Candidate::findCheckedLoads() {
  SmallVector<Value *, 16> work;
  SmallPtrSet<Value *, 32> seen;
  for (const Check &check : checks_) work.push_back(check.branch->getCondition());
  bool control_added = false;
  while (!work.empty()) {
    auto *inst = dyn_cast<Instruction>(work.pop_back_val());
    if (!inst || !loop_.contains(inst) || !seen.insert(inst).second) continue;
    if (auto *load = dyn_cast<LoadInst>(inst)) checked_loads_.push_back(load);
    if (isa<PHINode>(inst) && inst->getParent() != loop_.getHeader() && !control_added) {
      control_added = true;
      for (BasicBlock *block : loop_.blocks()) {
        auto *branch = dyn_cast<BranchInst>(block->getTerminator());
        if (!branch) return false;
        if (branch->isConditional()) work.push_back(branch->getCondition());
      }
    }
    // A reduction that decides a check would have to be carried through the detection as well: it is, since the clone has it.
    for (Value *operand : inst->operands()) work.push_back(operand);
  }
  return true;
}

bool Candidate::planRangeTests() {
  disjoint_arguments_ = a_.arguments.pairsOf(loop_);
  for (LoadInst *load : checked_loads_)
    for (StoreInst *store : stores_) {
      const int read_array = a_.arguments.arrayOf(*load), written_array = a_.arguments.arrayOf(*store);
      if (disjoint_arguments_.contains({static_cast<unsigned>(written_array), static_cast<unsigned>(read_array)})) continue;
      const MemoryLocation read = MemoryLocation::getBeforeOrAfter(load->getPointerOperand(), load->getAAMetadata());
      const MemoryLocation written = MemoryLocation::getBeforeOrAfter(store->getPointerOperand(), store->getAAMetadata());
      if (a_.aliases.isNoAlias(read, written)) continue;
      const SCEV *load_address = a_.evolution.getSCEV(load->getPointerOperand());
      const SCEV *store_address = a_.evolution.getSCEV(store->getPointerOperand());
      if (load_address == store_address && load->getType() == store->getValueOperand()->getType()) {
        // In place: every iteration has its own element, read before it is written.
        auto *step = dyn_cast<SCEVAddRecExpr>(load_address);
        const DataLayout &layout = load->getDataLayout();
        const uint64_t size = layout.getTypeStoreSize(load->getType());
        if (step && step->getLoop() == &loop_ && step->isAffine()) {
          auto *constant = dyn_cast<SCEVConstant>(step->getStepRecurrence(a_.evolution));
          if (constant && constant->getAPInt().abs().uge(size) && a_.dominators.dominates(load, store)) continue;
        }
        return false;
      }
      for (Instruction *access : {static_cast<Instruction *>(load), static_cast<Instruction *>(store)})
        if (!rangeOf(access, false) || !rangeOf(access, true)) return false;
      range_tests_.push_back({load, store});
    }
  return range_tests_.size() <= kMostRangeTests;
}

/// First address that the access touches in the whole loop, or the address after the last one. Null: not computable.
const SCEV *Candidate::rangeOf(Instruction *access, bool end) {
  ScalarEvolution &evolution = a_.evolution;
  Value *pointer = getLoadStorePointerOperand(access);
  const SCEV *address = evolution.getSCEV(pointer);
  const SCEV *low = address, *high = address;
  if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(address); recurrence && recurrence->getLoop() == &loop_) {
    if (!recurrence->isAffine()) return nullptr;
    const SCEV *first = recurrence->getStart(), *last = recurrence->evaluateAtIteration(back_edges_, evolution);
    const SCEV *step = recurrence->getStepRecurrence(evolution);
    if (evolution.isKnownNonNegative(step)) {
      low = first, high = last;
    } else if (evolution.isKnownNonPositive(step)) {
      low = last, high = first;
    } else {
      low = evolution.getUMinExpr(first, last), high = evolution.getUMaxExpr(first, last);
    }
  } else if (!evolution.isLoopInvariant(address, &loop_)) {
    return nullptr;
  }
  if (!end) return low;
  const uint64_t size = access->getDataLayout().getTypeStoreSize(getLoadStoreType(access));
  return evolution.getAddExpr(high, evolution.getConstant(evolution.getEffectiveSCEVType(high->getType()), size));
}

bool Candidate::isSuitable() {
  latch_ = loop_.getLoopLatch();
  preheader_ = loop_.getLoopPreheader();
  if (!latch_ || !preheader_ || !loop_.isLoopExiting(latch_) || !isa<BranchInst>(latch_->getTerminator())) return false;
  if (findOptionMDForLoop(&loop_, "naja.checks")) return false;
  if (!findChecks()) return false;
  back_edges_ = a_.evolution.getExitCount(&loop_, latch_);
  if (isa<SCEVCouldNotCompute>(back_edges_) || !back_edges_->getType()->isIntegerTy(64)) return false;
  if (!hasVectorisableBody() || !findCheckedLoads() || !planRangeTests()) return false;
  SCEVExpander expander(a_.evolution, "checks");
  Instruction *at = preheader_->getTerminator();
  if (!expander.isSafeToExpandAt(back_edges_, at)) return false;
  for (auto [load, store] : range_tests_)
    for (Instruction *access : {static_cast<Instruction *>(load), static_cast<Instruction *>(store)})
      for (bool end : {false, true})
        if (!expander.isSafeToExpandAt(rangeOf(access, end), at)) return false;
  return true;
}

Value *Candidate::expandNoOverlap(SCEVExpander &expander, Instruction *at) {
  IRBuilder<> b(at);
  Type *word = b.getInt64Ty();
  DenseMap<const SCEV *, Value *> expanded;
  auto bound = [&](Instruction *access, bool end) {
    const SCEV *expression = rangeOf(access, end);
    Value *&value = expanded[expression];
    if (!value) {
      value = expander.expandCodeFor(expression, expression->getType(), at);
      b.SetInsertPoint(at);
      if (value->getType()->isPointerTy()) value = b.CreatePtrToInt(value, word);
      value = b.CreateFreeze(value);
    }
    return value;
  };
  Value *disjoint = b.getTrue();
  std::set<std::pair<const SCEV *, const SCEV *>> tested;
  for (auto [load, store] : range_tests_) {
    if (!tested.insert({rangeOf(load, false), rangeOf(store, false)}).second) continue;
    Value *before = b.CreateICmpULE(bound(load, true), bound(store, false));
    Value *after = b.CreateICmpULE(bound(store, true), bound(load, false));
    disjoint = b.CreateAnd(disjoint, b.CreateOr(before, after));
  }
  return disjoint;
}

void Candidate::makeClone(Clone &clone, const Twine &suffix) {
  Function *function = loop_.getHeader()->getParent();
  for (BasicBlock *block : loop_.blocks()) {
    BasicBlock *copy = CloneBasicBlock(block, clone.map, suffix, function);
    clone.map[block] = copy;
    clone.blocks.push_back(copy);
  }
  remapInstructionsInBlocks(clone.blocks, clone.map);
  clone.header = cast<BasicBlock>(clone.map[loop_.getHeader()]);
  clone.latch = cast<BasicBlock>(clone.map[latch_]);
  for (const Check &check : checks_) {
    auto *branch = cast<BranchInst>(clone.map[check.branch]);
    auto *stay = cast<BasicBlock>(clone.map[check.goes_on()]);
    BranchInst::Create(stay, branch->getIterator());
    branch->eraseFromParent();
  }
}

/// Makes the clone run `count` iterations from `entry` and go on to `exit`.
void Candidate::countTo(Clone &clone, BasicBlock *entry, Value *count, BasicBlock *exit) {
  IRBuilder<> b(clone.header, clone.header->begin());
  clone.counter = b.CreatePHI(b.getInt64Ty(), 2);
  Instruction *old = clone.latch->getTerminator();
  b.SetInsertPoint(old);
  Value *next = b.CreateAdd(clone.counter, b.getInt64(1), "", true, true);
  b.CreateCondBr(b.CreateICmpEQ(next, count), exit, clone.header);
  clone.counter->addIncoming(b.getInt64(0), entry);
  clone.counter->addIncoming(next, clone.latch);
  old->eraseFromParent();
}

void Candidate::removeDead(Clone &clone) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : clone.blocks) {
      for (Instruction &inst : make_early_inc_range(reverse(*block)))
        if (isInstructionTriviallyDead(&inst)) {
          inst.eraseFromParent();
          changed = true;
        }
      SmallVector<WeakTrackingVH, 8> phis;
      for (PHINode &phi : block->phis()) phis.push_back(&phi);
      for (WeakTrackingVH &handle : phis)
        if (auto *phi = dyn_cast_or_null<PHINode>(handle)) changed |= RecursivelyDeleteDeadPHINode(phi);
    }
  }
}

/// Gives the loop with this latch one property, set to 1, and no others.
void setProperty(LLVMContext &context, BasicBlock &latch, const char *name) {
  Metadata *value = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
  MDNode *property = MDNode::get(context, {MDString::get(context, name), value});
  MDNode *id = MDNode::getDistinct(context, {nullptr, property});
  id->replaceOperandWith(0, id);
  latch.getTerminator()->setMetadata(LLVMContext::MD_loop, id);
}

/// The original loop, from the start or from the strip in which a check fails.
void Candidate::enterSlow(BasicBlock *slow, BasicBlock *decide, const DenseMap<PHINode *, PHINode *> &at_strip) {
  IRBuilder<> b(slow);
  for (PHINode &phi : loop_.getHeader()->phis()) {
    PHINode *start = b.CreatePHI(phi.getType(), 2);
    const int index = phi.getBasicBlockIndex(preheader_);
    start->addIncoming(phi.getIncomingValue(static_cast<unsigned>(index)), preheader_);
    start->addIncoming(at_strip.lookup(&phi), decide);
    phi.setIncomingBlock(static_cast<unsigned>(index), slow);
    phi.setIncomingValue(static_cast<unsigned>(index), start);
  }
  b.CreateBr(loop_.getHeader());
  // It is rarely run, and not for long: no pass shall spend time on it.
  for (const char *property : {"naja.checks", "llvm.loop.isvectorized", "llvm.loop.unroll.disable"})
    addStringMetadataToLoop(&loop_, property, 1);
}

void Candidate::transform() {
  Function *function = loop_.getHeader()->getParent();
  LLVMContext &context = function->getContext();
  BasicBlock *header = loop_.getHeader();
  auto *latch_branch = cast<BranchInst>(latch_->getTerminator());
  BasicBlock *exit = latch_branch->getSuccessor(loop_.contains(latch_branch->getSuccessor(0)) ? 1 : 0);

  // Conditions before cloning, since the clones lose their branches.
  SCEVExpander expander(a_.evolution, "checks");
  Instruction *at = preheader_->getTerminator();
  IRBuilder<> b(at);
  Value *iterations = expander.expandCodeFor(back_edges_, b.getInt64Ty(), at);
  b.SetInsertPoint(at);
  Value *total = b.CreateAdd(b.CreateFreeze(iterations), b.getInt64(1));
  Value *disjoint = expandNoOverlap(expander, at);
  if (!disjoint_arguments_.empty()) disjoint = b.CreateAnd(disjoint, a_.arguments.disjoint(disjoint_arguments_));

  Clone detection, fast;
  auto block = [&](const char *name) { return BasicBlock::Create(context, name, function, header); };
  BasicBlock *strip = block("strip"), *decide = block("strip.decide"), *next_strip = block("strip.next"), *slow = block("strip.slow");
  makeClone(detection, ".detect");
  makeClone(fast, ".fast");

  for (BasicBlock *copy : fast.blocks)
    for (Instruction &inst : *copy)
      if (isa<LoadInst, StoreInst>(inst)) a_.arguments.annotate(inst, disjoint_arguments_);

  // The way in.
  b.SetInsertPoint(at);
  Value *worth = b.CreateICmpUGE(total, b.getInt64(kFewest));
  b.CreateCondBr(b.CreateAnd(worth, disjoint), strip, slow);
  at->eraseFromParent();

  // Strip: where each of the header's values stands at its begin.
  b.SetInsertPoint(strip);
  DenseMap<PHINode *, PHINode *> at_strip;
  for (PHINode &phi : header->phis()) {
    PHINode *value = b.CreatePHI(phi.getType(), 2);
    value->addIncoming(phi.getIncomingValueForBlock(preheader_), preheader_);
    auto *advanced = cast<PHINode>(fast.map[&phi])->getIncomingValueForBlock(fast.latch);
    value->addIncoming(advanced, next_strip);
    at_strip[&phi] = value;
  }
  PHINode *left = b.CreatePHI(b.getInt64Ty(), 2);
  left->addIncoming(total, preheader_);
  Value *count = b.CreateBinaryIntrinsic(Intrinsic::umin, left, b.getInt64(kStrip));
  b.CreateBr(detection.header);

  // Detection: the checks' conditions alone.
  countTo(detection, strip, count, decide);
  b.SetInsertPoint(detection.header, detection.header->begin());
  PHINode *fails = b.CreatePHI(b.getInt1Ty(), 2);
  b.SetInsertPoint(detection.latch->getTerminator());
  Value *now = fails;
  for (const Check &check : checks_) {
    Value *condition = check.branch->getCondition();
    if (Value *mapped = detection.map.lookup(condition)) condition = mapped;
    if (!check.leaves_on_true) condition = b.CreateNot(condition);
    now = b.CreateOr(now, condition);
  }
  fails->addIncoming(b.getFalse(), strip);
  fails->addIncoming(now, detection.latch);
  for (StoreInst *store : stores_) cast<Instruction>(detection.map[store])->eraseFromParent();
  auto enter = [&](Clone &clone, BasicBlock *from) {
    for (PHINode &phi : header->phis()) {
      auto *copy = cast<PHINode>(clone.map[&phi]);
      const int index = copy->getBasicBlockIndex(preheader_);
      copy->setIncomingBlock(static_cast<unsigned>(index), from);
      copy->setIncomingValue(static_cast<unsigned>(index), at_strip[&phi]);
    }
  };
  enter(detection, strip);
  enter(fast, decide);
  b.SetInsertPoint(decide);
  b.CreateCondBr(now, slow, fast.header, MDBuilder(context).createUnlikelyBranchWeights());
  removeDead(detection);

  countTo(fast, decide, count, next_strip);
  b.SetInsertPoint(next_strip);
  Value *rest = b.CreateSub(left, count);
  left->addIncoming(rest, next_strip);
  b.CreateCondBr(b.CreateICmpEQ(rest, b.getInt64(0)), exit, strip);
  for (PHINode &phi : exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(latch_);
    if (Value *mapped = fast.map.lookup(value)) value = mapped;
    phi.addIncoming(value, next_strip);
  }

  enterSlow(slow, decide, at_strip);
  if (!disjoint_arguments_.empty()) setProperty(context, *fast.latch, kDisjoint);
  setProperty(context, *detection.latch, "llvm.loop.vectorize.predicate.enable");
}

} // namespace

llvm::PreservedAnalyses SpeculateChecksPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses) {
  bool changed = false;
  ArgumentAliases arguments(function);
  for (int round = 0; round < 32; ++round) {
    Analyses needed{analyses.getResult<LoopAnalysis>(function), analyses.getResult<DominatorTreeAnalysis>(function),
                    analyses.getResult<ScalarEvolutionAnalysis>(function), analyses.getResult<AAManager>(function),
                    analyses.getResult<AssumptionAnalysis>(function), arguments};
    for (Loop *loop : needed.loops) {
      changed |= simplifyLoop(loop, &needed.dominators, &needed.loops, &needed.evolution, &needed.assumptions, nullptr, false);
      changed |= formLCSSARecursively(*loop, needed.dominators, &needed.loops, &needed.evolution);
    }
    bool transformed = false;
    for (Loop *loop : needed.loops.getLoopsInPreorder()) {
      if (!loop->isInnermost()) continue;
      Candidate candidate(*loop, needed);
      if (!candidate.isSuitable()) continue;
      candidate.transform();
      transformed = true;
      break;
    }
    if (!transformed) break;
    changed = true;
    analyses.invalidate(function, PreservedAnalyses::none());
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace naja::codegen
