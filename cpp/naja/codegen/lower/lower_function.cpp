#include "naja/codegen/lower/handlers.h"
#include "naja/codegen/target_info.h"
#include "naja/runtime/abi.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace naja::codegen {
namespace {

llvm::FastMathFlags fastMath(uint8_t bits) {
  llvm::FastMathFlags flags;
  flags.setNoNaNs(bits & ir::kNNan);
  flags.setNoInfs(bits & ir::kNInf);
  flags.setNoSignedZeros(bits & ir::kNSZ);
  flags.setAllowReciprocal(bits & ir::kARcp);
  flags.setAllowContract(bits & ir::kContract);
  flags.setApproxFunc(bits & ir::kAFn);
  flags.setAllowReassoc(bits & ir::kReassoc);
  return flags;
}

bool hasPredecessor(const ir::Function &function, ir::BlockId target, const std::vector<ir::BlockId> &order) {
  for (ir::BlockId block : order)
    for (const ir::Edge &edge : function.terminator(block).edges)
      if (edge.target == target) return true;
  return false;
}

unsigned countReturns(const ir::Function &function, const std::vector<ir::BlockId> &order) {
  unsigned count = 0;
  for (ir::BlockId block : order) count += function.terminator(block).op == ir::Opcode::Return;
  return count;
}

} // namespace

FunctionLowering::FunctionLowering(ModuleLowering &module, const ir::Function &function, llvm::Function *llvm_function)
    : module_(module), function_(function), llvm_function_(llvm_function),
      owned_builder_(std::make_unique<llvm::IRBuilder<>>(module.context())), builder_(owned_builder_.get()) {
  scope_ = module.debugScope(function);
  if (scope_) llvm_function->setSubprogram(scope_);
}

FunctionLowering::FunctionLowering(ModuleLowering &module, const ir::Function &kernel, FunctionLowering &outer,
                                   const ir::Inst &outer_inst)
    : module_(module), function_(kernel), llvm_function_(outer.llvm_function_), builder_(outer.builder_), outer_(&outer),
      outer_inst_(&outer_inst) {}

void FunctionLowering::allocateValues() {
  offset_.resize(function_.numValues());
  uint32_t total = 0;
  for (size_t i = 0; i < offset_.size(); ++i) {
    offset_[i] = total;
    TypeId type = function_.typeOf(ir::ValueId(static_cast<uint32_t>(i)));
    if (type.valid()) total += static_cast<uint32_t>(typeInfo(type).size());
  }
  pool_.assign(total, nullptr);
  block_of_value_.assign(function_.numValues(), 0);
}

bool FunctionLowering::feedsStoreIndex(ir::ValueId id) {
  if (feeds_index_.empty()) {
    feeds_index_.assign(function_.numValues(), false);
    auto mark = [&](const ir::Inst &inst, size_t first, size_t last) {
      for (size_t i = first; i < last && i < inst.operands.size(); ++i) feeds_index_[inst.operands[i].value] = true;
    };
    // Definitions come before uses in this order: backwards, a value's uses have been seen.
    const std::vector<ir::BlockId> order = function_.reversePostOrder();
    for (auto block = order.rbegin(); block != order.rend(); ++block) {
      const auto &insts = function_.block(*block).insts;
      for (auto it = insts.rbegin(); it != insts.rend(); ++it) {
        const ir::Inst &inst = function_.inst(*it);
        switch (inst.op) {
        case ir::Opcode::ArrayStore: mark(inst, 1, inst.operands.size() - 1); break;
        case ir::Opcode::WrapIndex:
        case ir::Opcode::IAdd:
        case ir::Opcode::ISub:
        case ir::Opcode::IMin:
        case ir::Opcode::IMax:
          if (inst.result.valid() && feeds_index_[inst.result.value]) mark(inst, 0, 2);
          break;
        default: break;
        }
      }
    }
  }
  return feeds_index_[id.value];
}

ScalarRef FunctionLowering::value(ir::ValueId id) {
  return ScalarRef(pool_.data() + offset_[id.value], typeInfo(typeOf(id)).size());
}

void FunctionLowering::define(const ir::Inst &inst, ScalarRef scalars) {
  if (!inst.result.valid()) return;
  assert(scalars.size() == typeInfo(typeOf(inst.result)).size());
  std::copy(scalars.begin(), scalars.end(), pool_.begin() + offset_[inst.result.value]);
  block_of_value_[inst.result.value] = current_.value;
}

llvm::BasicBlock *FunctionLowering::newBlock(const char *name) {
  return llvm::BasicBlock::Create(context(), name, llvm_function_);
}

void FunctionLowering::prepareBlocks() {
  blocks_.assign(function_.numBlocks(), nullptr);
  phis_.resize(function_.numBlocks());
}

/// Makes the LLVM block of every NIR block in `order` with a phi per scalar of its parameters; binds the entry's.
void FunctionLowering::bindEntry(ScalarRef scalars) {
  const std::vector<ir::BlockId> order = function_.reversePostOrder();
  const bool loops_to_entry = hasPredecessor(function_, function_.entry(), order);
  llvm::BasicBlock *entry = b().GetInsertBlock();
  for (ir::BlockId id : order) {
    const bool is_entry = id == function_.entry();
    llvm::BasicBlock *&block = blocks_[id.value];
    block = is_entry && !loops_to_entry ? entry : newBlock("");
    if (is_entry && !loops_to_entry) continue;
    llvm::IRBuilder<> at(block);
    for (ir::ValueId param : function_.block(id).params) {
      block_of_value_[param.value] = id.value;
      uint32_t offset = offset_[param.value];
      for (llvm::Type *type : typeInfo(typeOf(param)).ssa) {
        llvm::PHINode *phi = at.CreatePHI(type, 2);
        phis_[id.value].push_back(phi);
        pool_[offset++] = phi;
      }
    }
  }
  makeLatches(order);
  size_t next = 0;
  for (ir::ValueId param : function_.block(function_.entry()).params)
    for (size_t i = 0; i < typeInfo(typeOf(param)).size(); ++i, ++next) {
      if (loops_to_entry) {
        phis_[0][next]->addIncoming(scalars[next], entry);
      } else {
        pool_[offset_[param.value] + i] = scalars[next];
      }
    }
  if (loops_to_entry) {
    b().CreateBr(blocks_[0]);
    b().SetInsertPoint(blocks_[0]);
  }
}

void FunctionLowering::makeLatches(const std::vector<ir::BlockId> &order) {
  position_.assign(function_.numBlocks(), 0);
  for (size_t i = 0; i < order.size(); ++i) position_[order[i].value] = static_cast<uint32_t>(i);
  findLoops(order);
  llvm::DenseMap<uint32_t, unsigned> back_edges;
  for (ir::BlockId id : order)
    for (const ir::Edge &edge : function_.terminator(id).edges)
      if (position_[edge.target.value] <= position_[id.value]) ++back_edges[edge.target.value];
  for (auto [header, count] : back_edges) {
    const ir::Inst *poll = pollOf(ir::BlockId(header));
    if (count < 2 && !poll) continue;
    Latch &latch = latches_[header];
    latch.block = newBlock("latch");
    latch.poll = poll;
    llvm::IRBuilder<> at(latch.block);
    for (llvm::PHINode *phi : phis_[header]) latch.phis.push_back(at.CreatePHI(phi->getType(), count));
  }
}

/// Natural loops, inner ones last, so that the innermost wins. (Back edges of a reducible graph lead to a dominator.)
void FunctionLowering::findLoops(const std::vector<ir::BlockId> &order) {
  loop_.assign(function_.numBlocks(), kNoLoop);
  outer_loop_.assign(function_.numBlocks(), kNoLoop);
  std::vector<std::vector<ir::BlockId>> latches(function_.numBlocks());
  bool any = false;
  for (ir::BlockId id : order)
    for (const ir::Edge &edge : function_.terminator(id).edges)
      if (position_[edge.target.value] <= position_[id.value]) {
        latches[edge.target.value].push_back(id);
        any = true;
      }
  if (!any) return;
  const auto predecessors = function_.predecessors();
  for (ir::BlockId header : order) { // an outer header precedes the inner ones
    if (latches[header.value].empty()) continue;
    outer_loop_[header.value] = loop_[header.value];
    loop_[header.value] = header.value;
    std::vector<ir::BlockId> work = latches[header.value];
    while (!work.empty()) {
      ir::BlockId block = work.back();
      work.pop_back();
      if (block == header || loop_[block.value] == header.value) continue;
      loop_[block.value] = header.value;
      for (ir::BlockId predecessor : predecessors[block.value]) work.push_back(predecessor);
    }
  }
}

bool FunctionLowering::isInvariant(ir::ValueId id) const {
  const uint32_t here = loop_[current_.value];
  if (here == kNoLoop) return false;
  uint32_t loop = loop_[block_of_value_[id.value]];
  for (; loop != kNoLoop; loop = outer_loop_[loop])
    if (loop == here) return false;
  return true;
}

/// Whether what is done on the way out with an exception uses a parameter of the loop's header. In the latch that would be
/// the value of the iteration that has ended, which may be released already.
static bool unwindUsesParamsOf(const ir::Function &function, ir::BlockId unwind, ir::BlockId header) {
  if (!unwind.valid()) return false;
  llvm::SmallVector<ir::BlockId, 4> work{unwind};
  llvm::DenseSet<uint32_t> seen{unwind.value};
  auto isParam = [&](ir::ValueId id) { return !function.value(id).inst.valid() && function.value(id).block == header; };
  while (!work.empty()) {
    const ir::BlockId block = work.pop_back_val();
    for (ir::InstId id : function.block(block).insts)
      if (llvm::any_of(function.inst(id).operands, isParam)) return true;
    for (const ir::Edge &edge : function.terminator(block).edges) {
      if (llvm::any_of(edge.args, isParam)) return true;
      if (seen.insert(edge.target.value).second) work.push_back(edge.target);
    }
  }
  return false;
}

/// The instruction that polls for signals once per iteration, at the begin of a loop's header, if it may move to the latch.
const ir::Inst *FunctionLowering::pollOf(ir::BlockId header) const {
  const ir::Inst &first = function_.inst(function_.block(header).insts.front());
  if (first.op != ir::Opcode::PollSignals || unwindUsesParamsOf(function_, first.unwind, header)) return nullptr;
  return &first;
}

/// Ends the latches. Polling there instead of in the header keeps the header's exit test first, as loop rotation wants it.
void FunctionLowering::lowerLatches() {
  for (auto &[header, latch] : latches_) {
    b().SetInsertPoint(latch.block);
    if (latch.poll) module_.target().handler(ir::Opcode::PollSignals)(*this, *latch.poll);
    for (size_t i = 0; i < latch.phis.size(); ++i) phis_[header][i]->addIncoming(latch.phis[i], b().GetInsertBlock());
    b().CreateBr(blocks_[header]);
  }
}

void FunctionLowering::lowerBlocks() {
  const TargetInfo &target = module_.target();
  b().setFastMathFlags(fastMath(function_.flags.fastmath));
  for (ir::BlockId id : function_.reversePostOrder()) {
    b().SetInsertPoint(blocks_[id.value]);
    current_ = id;
    if (scope_)
      for (ir::ValueId param : function_.block(id).params) describeVariable(param);
    for (ir::InstId inst_id : function_.block(id).insts) {
      const ir::Inst &inst = function_.inst(inst_id);
      if (auto latch = latches_.find(id.value); latch != latches_.end() && latch->second.poll == &inst) continue;
      if (scope_ && inst.loc.known())
        b().SetCurrentDebugLocation(llvm::DILocation::get(context(), static_cast<unsigned>(inst.loc.line),
                                                          static_cast<unsigned>(std::max<int>(inst.loc.col + 1, 0)), scope_));
      target.handler(inst.op)(*this, inst);
      if (module_.failed()) return;
      if (scope_ && inst.result.valid()) describeVariable(inst.result);
    }
  }
  lowerLatches();
}

void FunctionLowering::run(const Callee &callee) {
  callee_ = &callee;
  b().SetInsertPoint(newBlock("entry"));
  if (scope_)
    b().SetCurrentDebugLocation(llvm::DILocation::get(context(), static_cast<unsigned>(std::max(function_.first_line, 0)), 0, scope_));
  allocateValues();
  prepareBlocks();
  Scalars arguments;
  unsigned next = callee.direct ? 0 : 1;
  for (TypeId type : function_.param_types)
    for (llvm::Type *ssa : typeInfo(type).ssa) arguments.push_back(fromAbi(llvm_function_->getArg(next++), ssa));
  bindEntry(arguments);
  lowerBlocks();
}

void FunctionLowering::beginPlain(const Callee &callee) {
  callee_ = &callee;
  b().SetInsertPoint(newBlock("entry"));
  b().setFastMathFlags(fastMath(function_.flags.fastmath));
  if (scope_)
    b().SetCurrentDebugLocation(llvm::DILocation::get(context(), static_cast<unsigned>(std::max(function_.first_line, 0)), 0, scope_));
}

Scalars FunctionLowering::inlineCall(const ir::Function &kernel, llvm::ArrayRef<Scalars> arguments, const ir::Inst &inst) {
  FunctionLowering inner(module_, kernel, *this, inst);
  inner.allocateValues();
  inner.prepareBlocks();
  Scalars flat;
  for (const Scalars &argument : arguments) flat.append(argument.begin(), argument.end());
  const llvm::FastMathFlags flags = b().getFastMathFlags();
  inner.bindEntry(flat);
  const TypeInfo &result = typeInfo(kernel.return_type);
  inner.inline_exit_ = newBlock("");
  // One return: its scalars are the result, no phi needed; returnValue fills the list.
  if (countReturns(kernel, kernel.reversePostOrder()) > 1) {
    llvm::IRBuilder<> at(inner.inline_exit_);
    for (llvm::Type *type : result.ssa) inner.inline_results_.push_back(at.CreatePHI(type, 2));
  }
  inner.lowerBlocks();
  b().setFastMathFlags(flags);
  b().SetInsertPoint(inner.inline_exit_);
  if (!inner.inline_results_.empty()) return Scalars(inner.inline_results_.begin(), inner.inline_results_.end());
  if (inner.inline_values_.size() == result.size()) return inner.inline_values_;
  return zeros(kernel.return_type); // never returns: it always raises
}

llvm::Value *FunctionLowering::toAbi(llvm::Value *ssa, llvm::Type *abi) {
  return ssa->getType() == abi ? ssa : b().CreateZExt(ssa, abi);
}

llvm::Value *FunctionLowering::fromAbi(llvm::Value *value, llvm::Type *ssa) {
  return value->getType() == ssa ? value : b().CreateTrunc(value, ssa, "", /*IsNUW=*/true);
}

void FunctionLowering::storeStruct(llvm::Value *pointer, TypeId type, ScalarRef scalars) {
  const TypeInfo &info = typeInfo(type);
  for (size_t i = 0; i < scalars.size(); ++i) {
    const uint32_t offset = info.layout->offsets[i];
    llvm::Value *at = offset == 0 ? pointer : b().CreateConstInBoundsGEP1_64(b().getInt8Ty(), pointer, offset);
    b().CreateAlignedStore(toAbi(scalars[i], info.abi[i]), at, llvm::Align(sizeOf(scalarsOf(type)[i])));
  }
}

Scalars FunctionLowering::loadStruct(llvm::Value *pointer, TypeId type) {
  const TypeInfo &info = typeInfo(type);
  Scalars result;
  for (size_t i = 0; i < info.size(); ++i) {
    const uint32_t offset = info.layout->offsets[i];
    llvm::Value *at = offset == 0 ? pointer : b().CreateConstInBoundsGEP1_64(b().getInt8Ty(), pointer, offset);
    llvm::Value *loaded = b().CreateAlignedLoad(info.abi[i], at, llvm::Align(sizeOf(scalarsOf(type)[i])));
    result.push_back(fromAbi(loaded, info.ssa[i]));
  }
  return result;
}

llvm::AllocaInst *FunctionLowering::stackSlot(uint64_t bytes, unsigned alignment) {
  llvm::BasicBlock &entry = llvm_function_->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  auto *slot = at.CreateAlloca(llvm::ArrayType::get(at.getInt8Ty(), std::max<uint64_t>(bytes, 1)));
  slot->setAlignment(llvm::Align(alignment));
  return slot;
}

Scalars FunctionLowering::zeros(TypeId type) {
  Scalars result;
  for (llvm::Type *ssa : typeInfo(type).ssa) result.push_back(llvm::Constant::getNullValue(ssa));
  return result;
}

llvm::Value *FunctionLowering::asInt64(llvm::Value *value, TypeId type) {
  const Type &info = naja::typeOf(type);
  return info.kind == TypeKind::Int && info.is_signed ? b().CreateSExtOrTrunc(value, b().getInt64Ty())
                                                      : b().CreateZExtOrTrunc(value, b().getInt64Ty());
}

// ------------------------------------------------------------------------------------------------------------ edges

/// Passes the edge's arguments, for a branch from `from`; returns the LLVM block to branch to.
llvm::BasicBlock *FunctionLowering::enter(const ir::Edge &edge, llvm::BasicBlock *from) {
  auto latch = latches_.end();
  if (position_[edge.target.value] <= position_[current_.value]) latch = latches_.find(edge.target.value);
  auto &phis = latch == latches_.end() ? phis_[edge.target.value] : latch->second.phis;
  size_t next = 0;
  for (ir::ValueId argument : edge.args)
    for (llvm::Value *scalar : value(argument)) phis[next++]->addIncoming(scalar, from);
  return latch == latches_.end() ? blockOf(edge.target) : latch->second.block;
}

void FunctionLowering::branch(const ir::Edge &edge) { b().CreateBr(enter(edge, b().GetInsertBlock())); }

void FunctionLowering::branchIf(llvm::Value *condition, const ir::Edge &then, const ir::Edge &otherwise) {
  llvm::BasicBlock *from = b().GetInsertBlock();
  if (then.target != otherwise.target) {
    llvm::BasicBlock *true_block = enter(then, from);
    b().CreateCondBr(condition, true_block, enter(otherwise, from));
    return;
  }
  if (then.args.empty()) {
    b().CreateBr(enter(then, from));
    return;
  }
  // Two edges to one block with values of their own need a block in between.
  llvm::BasicBlock *between = newBlock("");
  b().CreateCondBr(condition, enter(then, from), between);
  b().SetInsertPoint(between);
  branch(otherwise);
}

void FunctionLowering::returnValue(ScalarRef scalars, TypeId type) {
  if (outer_) {
    if (inline_results_.empty()) inline_values_.assign(scalars.begin(), scalars.end());
    for (size_t i = 0; i < inline_results_.size(); ++i) inline_results_[i]->addIncoming(scalars[i], b().GetInsertBlock());
    b().CreateBr(inline_exit_);
    return;
  }
  if (!callee_->direct) {
    storeStruct(llvm_function_->getArg(0), type, scalars);
    b().CreateRet(i32(NAJA_OK));
    return;
  }
  Scalars parts;
  if (callee_->has_status) parts.push_back(i32(NAJA_OK));
  parts.append(scalars.begin(), scalars.end());
  if (parts.empty()) {
    b().CreateRetVoid();
  } else if (parts.size() == 1) {
    b().CreateRet(parts[0]);
  } else {
    b().CreateAggregateRet(parts.data(), static_cast<unsigned>(parts.size()));
  }
}

} // namespace naja::codegen
