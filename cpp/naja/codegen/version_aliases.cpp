#include "naja/codegen/version_aliases.h"

#include "naja/types/type.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <map>
#include <set>

namespace naja::codegen {
namespace {

using namespace llvm;

constexpr unsigned kMostInstructions = 400;
constexpr size_t kMostPairs = 24;

/// An array argument of the function.
struct ArrayArgument {
  Argument *data = nullptr;
  unsigned dimensions = 0;
  uint64_t item_size = 0;
  bool strided = false, fortran = false;
  MDNode *scope = nullptr;
  Value *low = nullptr, *high = nullptr; // addresses, computed at the entry when first needed
};

class Versioner {
public:
  Versioner(Function &function, LoopInfo &loops, DominatorTree &dominators)
      : function_(function), loops_(loops), dominators_(dominators), metadata_(function.getContext()) {}
  bool run();

private:
  using Pair = std::pair<unsigned, unsigned>; // written array, other array
  void readArguments();
  int arrayOf(Instruction &access) const;
  bool collect(Loop &loop, std::set<Pair> &pairs);
  void computeBounds(ArrayArgument &array);
  Value *disjoint(const std::set<Pair> &pairs);
  void version(Loop &loop, const std::set<Pair> &pairs);
  void annotate(Instruction &access, const std::set<Pair> &pairs);

  Function &function_;
  LoopInfo &loops_;
  DominatorTree &dominators_;
  MDBuilder metadata_;
  MDNode *domain_ = nullptr;
  SmallVector<ArrayArgument, 8> arrays_;
  std::map<Pair, Value *> pair_disjoint_;
  std::map<std::set<Pair>, Value *> all_disjoint_;
};

void Versioner::readArguments() {
  MDNode *list = function_.getMetadata(kArrayArguments);
  if (!list) return;
  for (const MDOperand &operand : list->operands()) {
    auto *node = cast<MDNode>(operand);
    auto number = [&](unsigned i) { return mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue(); };
    ArrayArgument array;
    array.data = function_.getArg(static_cast<unsigned>(number(0)));
    array.dimensions = static_cast<unsigned>(number(1));
    array.item_size = number(2);
    array.fortran = number(3) == static_cast<uint64_t>(Layout::F);
    array.strided = number(3) == static_cast<uint64_t>(Layout::A);
    arrays_.push_back(array);
  }
}

int Versioner::arrayOf(Instruction &access) const {
  const Value *base = getUnderlyingObject(getLoadStorePointerOperand(&access), 0);
  for (size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].data == base) return static_cast<int>(i);
  return -1;
}

/// The pairs that the loop needs to be disjoint. False: not a loop for this.
bool Versioner::collect(Loop &loop, std::set<Pair> &pairs) {
  std::set<unsigned> written, used;
  unsigned size = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      if (++size > kMostInstructions || isa<AllocaInst>(inst)) return false;
      if (!isa<LoadInst, StoreInst>(inst)) {
        if (inst.mayReadOrWriteMemory()) return false; // calls: nothing to gain
        continue;
      }
      if (inst.isVolatile()) return false;
      const int array = arrayOf(inst);
      if (array < 0) continue;
      used.insert(static_cast<unsigned>(array));
      if (isa<StoreInst>(inst)) written.insert(static_cast<unsigned>(array));
    }
  for (unsigned to : written)
    for (unsigned other : used)
      if (to != other) pairs.insert({to, other});
  return !pairs.empty() && pairs.size() <= kMostPairs;
}

void Versioner::computeBounds(ArrayArgument &array) {
  if (array.low) return;
  BasicBlock &entry = function_.getEntryBlock();
  IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  b.SetInsertPoint(entry.getTerminator());
  const unsigned first = array.data->getArgNo() + 1;
  auto extent = [&](unsigned axis) -> Value * { return function_.getArg(first + axis); };
  array.low = b.CreatePtrToInt(array.data, b.getInt64Ty());
  Value *bytes = b.getInt64(array.item_size);
  if (!array.strided) {
    for (unsigned axis = 0; axis < array.dimensions; ++axis) bytes = b.CreateMul(bytes, extent(axis));
    array.high = b.CreateAdd(array.low, bytes);
    return;
  }
  Value *low = array.low, *high = b.CreateAdd(array.low, bytes), *zero = b.getInt64(0);
  for (unsigned axis = 0; axis < array.dimensions; ++axis) {
    Value *stride = function_.getArg(first + array.dimensions + axis);
    Value *reach = b.CreateMul(stride, b.CreateSub(extent(axis), b.getInt64(1)));
    low = b.CreateAdd(low, b.CreateBinaryIntrinsic(Intrinsic::smin, reach, zero));
    high = b.CreateAdd(high, b.CreateBinaryIntrinsic(Intrinsic::smax, reach, zero));
  }
  array.low = low;
  array.high = high;
}

Value *Versioner::disjoint(const std::set<Pair> &pairs) {
  Value *&all = all_disjoint_[pairs];
  if (all) return all;
  for (auto [a, b] : pairs) {
    computeBounds(arrays_[a]);
    computeBounds(arrays_[b]);
  }
  IRBuilder<> b(function_.getEntryBlock().getTerminator());
  for (Pair pair : pairs) {
    Value *&test = pair_disjoint_[{std::min(pair.first, pair.second), std::max(pair.first, pair.second)}];
    if (!test) {
      ArrayArgument &x = arrays_[pair.first], &y = arrays_[pair.second];
      test = b.CreateOr(b.CreateICmpULE(x.high, y.low), b.CreateICmpULE(y.high, x.low));
    }
    all = all ? b.CreateAnd(all, test) : test;
  }
  return all;
}

void Versioner::annotate(Instruction &access, const std::set<Pair> &pairs) {
  const int array = arrayOf(access);
  if (array < 0) return;
  LLVMContext &context = function_.getContext();
  auto scopeOf = [&](unsigned i) {
    if (!domain_) domain_ = metadata_.createAnonymousAliasScopeDomain();
    if (!arrays_[i].scope) arrays_[i].scope = metadata_.createAnonymousAliasScope(domain_);
    return arrays_[i].scope;
  };
  SmallVector<Metadata *, 8> others;
  for (unsigned i = 0; i < arrays_.size(); ++i)
    if (pairs.count({i, static_cast<unsigned>(array)}) || pairs.count({static_cast<unsigned>(array), i})) others.push_back(scopeOf(i));
  if (others.empty()) return;
  auto add = [&](unsigned kind, ArrayRef<Metadata *> scopes) {
    access.setMetadata(kind, MDNode::concatenate(access.getMetadata(kind), MDNode::get(context, scopes)));
  };
  add(LLVMContext::MD_alias_scope, scopeOf(static_cast<unsigned>(array)));
  add(LLVMContext::MD_noalias, others);
}

void Versioner::version(Loop &loop, const std::set<Pair> &pairs) {
  BasicBlock *preheader = loop.getLoopPreheader(), *header = loop.getHeader();
  Value *condition = disjoint(pairs);
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
      if (isa<LoadInst, StoreInst>(inst)) annotate(inst, pairs);
  Instruction *jump = preheader->getTerminator();
  IRBuilder<> b(jump);
  b.CreateCondBr(condition, copy_header, plain);
  jump->eraseFromParent();
  // The plain loop is for arguments that overlap: as it is, and with the same math routines as the vectorised one.
  for (const char *property : {"llvm.loop.isvectorized", "llvm.loop.unroll.disable", "naja.checks"})
    addStringMetadataToLoop(&loop, property, 1);
}

bool Versioner::run() {
  readArguments();
  if (arrays_.size() < 2) return false;
  bool changed = false;
  // The loops of before: copies are not in LoopInfo.
  for (Loop *loop : loops_.getLoopsInPreorder()) {
    std::set<Pair> pairs;
    if (!loop->isInnermost() || !loop->isLoopSimplifyForm() || !loop->isLCSSAForm(dominators_)) continue;
    if (!collect(*loop, pairs)) continue;
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
