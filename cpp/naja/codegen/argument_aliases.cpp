#include "naja/codegen/argument_aliases.h"

#include "naja/types/type.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace naja::codegen {
namespace {

constexpr unsigned kMostInstructions = 400;
constexpr size_t kMostPairs = 24;

} // namespace

using namespace llvm;

ArgumentAliases::ArgumentAliases(Function &function) : function_(function), metadata_(function.getContext()) {
  MDNode *list = function_.getMetadata(kArrayArguments);
  if (!list) return;
  for (const MDOperand &operand : list->operands()) {
    auto *node = cast<MDNode>(operand);
    auto number = [&](unsigned i) { return mdconst::extract<ConstantInt>(node->getOperand(i))->getZExtValue(); };
    Array array;
    array.data = function_.getArg(static_cast<unsigned>(number(0)));
    array.dimensions = static_cast<unsigned>(number(1));
    array.item_size = number(2);
    array.strided = number(3) == static_cast<uint64_t>(Layout::A);
    arrays_.push_back(array);
  }
}

int ArgumentAliases::arrayOf(Instruction &access) const {
  const Value *base = getUnderlyingObject(getLoadStorePointerOperand(&access), 0);
  for (size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].data == base) return static_cast<int>(i);
  return -1;
}

std::set<ArgumentAliases::Pair> ArgumentAliases::pairsOf(const Loop &loop) const {
  std::set<unsigned> written, used;
  unsigned size = 0;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &inst : *block) {
      if (++size > kMostInstructions || isa<AllocaInst>(inst)) return {};
      if (!isa<LoadInst, StoreInst>(inst)) {
        if (inst.mayReadOrWriteMemory()) return {}; // calls: nothing to gain
        continue;
      }
      if (inst.isVolatile()) return {};
      const int array = arrayOf(inst);
      if (array < 0) continue;
      used.insert(static_cast<unsigned>(array));
      if (isa<StoreInst>(inst)) written.insert(static_cast<unsigned>(array));
    }
  std::set<Pair> pairs;
  for (unsigned to : written)
    for (unsigned other : used)
      if (to != other) pairs.insert({to, other});
  if (pairs.size() > kMostPairs) pairs.clear();
  return pairs;
}

void ArgumentAliases::computeBounds(Array &array) {
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

Value *ArgumentAliases::disjoint(const std::set<Pair> &pairs) {
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
      Array &x = arrays_[pair.first], &y = arrays_[pair.second];
      test = b.CreateOr(b.CreateICmpULE(x.high, y.low), b.CreateICmpULE(y.high, x.low));
    }
    all = all ? b.CreateAnd(all, test) : test;
  }
  return all;
}

void ArgumentAliases::annotate(Instruction &access, const std::set<Pair> &pairs) {
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

} // namespace naja::codegen
