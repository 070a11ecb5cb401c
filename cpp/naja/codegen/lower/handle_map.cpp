// array.map, array.map_into, array.reduce. Each becomes one internal function, the row kernel, with one loop over unit
// strides, and a call of naja_rt_elementwise, which broadcasts, allocates and walks the rest (runtime/elementwise.cpp): a
// loop is the only thing that depends on the expression, so it is the only thing that LLVM sees. Values pass between the two
// in a frame of 8-byte words on the stack; a static plan says what lies where.
#include "naja/codegen/lower/complex.h"
#include "naja/codegen/lower/elements.h"
#include "naja/codegen/lower/handlers.h"
#include "naja/runtime/abi.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace naja::codegen {
namespace {

/// Rows of float sums: short enough that the reordered sum of one is accurate; their sums are added with compensation.
constexpr int64_t kSumRow = 2048;

bool isArrayLike(TypeId id) {
  const TypeKind kind = naja::typeOf(id).kind;
  return kind == TypeKind::Array;
}

/// One operand of the instruction, as the row kernel and the plan see it.
struct RowOperand {
  ir::ValueId value;
  TypeId type;
  bool streamed = false; // an array whose elements are the kernel's arguments
  bool whole = false;    // an array that the kernel gets itself
  unsigned word = 0;     // its first word in the frame (arrays: the data pointer)
};

class Elementwise {
public:
  Elementwise(FunctionLowering &f, const ir::Inst &inst)
      : f_(f), inst_(inst), kernel_(f.module().nir().get(inst.function())), out_of_row_(inst) {
    out_of_row_.unwind = {}; // inside the row kernel an exception leaves the row kernel
  }
  void lowerMap(bool into);
  void lowerReduce();

private:
  void addOperand(ir::ValueId value, TypeId parameter);
  unsigned take(unsigned words) { return std::exchange(words_, words_ + words); }
  void makeRow(const char *suffix);
  llvm::Value *frameWord(FunctionLowering &row, llvm::Value *frame, unsigned word, llvm::Type *type);
  Scalars kernelArguments();
  Scalars invariant(const RowOperand &operand);
  void beginLoop();
  Scalars callKernel();
  void endLoop();
  void storeFrame();
  llvm::Constant *makePlan(naja_elementwise_kind kind, int64_t longest_row);
  llvm::Constant *makeParallel(naja_elementwise_kind kind);
  llvm::Value *runPlan(naja_elementwise_kind kind, int64_t longest_row);
  llvm::Value *at(llvm::Value *base, unsigned word);
  Scalars reduceStep(ir::ReduceKind kind, ScalarRef accumulated, ScalarRef value, const Type &type);
  void storeAccumulator(ir::ReduceKind kind, ScalarRef accumulated, TypeId type_id);

  FunctionLowering &f_;
  const ir::Inst &inst_;
  const ir::Function &kernel_;
  ir::Inst out_of_row_;
  llvm::SmallVector<RowOperand, 8> operands_;
  RowOperand output_;
  bool has_output_ = false;
  unsigned words_ = 0;
  unsigned accumulator_ = 0, compensation_ = 0;
  llvm::AllocaInst *frame_ = nullptr; // of the caller

  // the row kernel being made
  std::unique_ptr<FunctionLowering> row_;
  llvm::Function *row_function_ = nullptr;
  Callee row_callee_;
  llvm::Value *row_pointers_ = nullptr, *row_frame_ = nullptr, *row_count_ = nullptr, *index_ = nullptr;
  llvm::SmallVector<llvm::Value *, 8> bases_;      // by streamed operand, the output first
  llvm::SmallVector<Scalars, 8> invariants_;       // by operand
  llvm::BasicBlock *loop_ = nullptr, *entry_ = nullptr;
  size_t first_loop_block_ = 0;
};

void Elementwise::addOperand(ir::ValueId value, TypeId parameter) {
  RowOperand operand;
  operand.value = value;
  operand.type = f_.typeOf(value);
  const bool is_array = isArrayLike(operand.type);
  operand.whole = is_array && isArrayLike(parameter);
  operand.streamed = is_array && !operand.whole;
  const size_t scalars = f_.typeInfo(operand.type).size();
  // Owners of arrays stay behind: a row only reads memory.
  operand.word = take(static_cast<unsigned>(is_array ? scalars - 1 : scalars));
  operands_.push_back(operand);
}

llvm::Value *Elementwise::at(llvm::Value *base, unsigned word) {
  auto &b = f_.b();
  return word == 0 ? base : b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), base, word);
}

llvm::Value *Elementwise::frameWord(FunctionLowering &row, llvm::Value *frame, unsigned word, llvm::Type *type) {
  auto &b = row.b();
  llvm::Value *pointer = word == 0 ? frame : b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), frame, word);
  return b.CreateAlignedLoad(type, pointer, llvm::Align(8));
}

/// What an operand that does not change along the row is inside of it: a constant, or loaded once from the frame.
Scalars Elementwise::invariant(const RowOperand &operand) {
  const TypeInfo &info = f_.typeInfo(operand.type);
  ScalarRef outside = f_.value(operand.value);
  Scalars result;
  if (operand.whole) result.push_back(llvm::ConstantPointerNull::get(row_->b().getPtrTy()));
  for (size_t i = operand.whole ? 1 : 0, word = operand.word; i < info.size(); ++i, ++word) {
    if (llvm::isa<llvm::ConstantInt, llvm::ConstantFP>(outside[i])) {
      result.push_back(outside[i]);
      continue;
    }
    result.push_back(row_->fromAbi(frameWord(*row_, row_frame_, static_cast<unsigned>(word), info.abi[i]), info.ssa[i]));
  }
  return result;
}

void Elementwise::makeRow(const char *suffix) {
  llvm::Module &module = f_.module().module();
  auto &context = f_.context();
  auto *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, llvm::Type::getInt64Ty(context), pointer}, false);
  row_function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, f_.llvmFunction()->getName() + suffix, module);
  row_function_->setDoesNotThrow();
  row_function_->setMustProgress();
  for (unsigned i : {0U, 2U}) {
    row_function_->addParamAttr(i, llvm::Attribute::NoAlias);
    row_function_->addParamAttr(i, llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none()));
  }
  row_callee_.function = row_function_;
  row_callee_.direct = true;
  row_ = std::make_unique<FunctionLowering>(f_.module(), f_.nir(), row_function_);
  row_->beginPlain(row_callee_);
  row_pointers_ = row_function_->getArg(0);
  row_count_ = row_function_->getArg(1);
  row_frame_ = row_function_->getArg(2);
  unsigned next = 0;
  auto &b = row_->b();
  auto base = [&] {
    llvm::Value *slot = next == 0 ? row_pointers_ : b.CreateConstInBoundsGEP1_64(b.getPtrTy(), row_pointers_, next);
    ++next;
    bases_.push_back(b.CreateAlignedLoad(b.getPtrTy(), slot, llvm::Align(8)));
  };
  if (has_output_) base();
  for (const RowOperand &operand : operands_) {
    if (operand.streamed) {
      base();
      invariants_.emplace_back();
    } else {
      invariants_.push_back(invariant(operand));
    }
  }
}

/// A do-while loop over the row: the count is at least one.
void Elementwise::beginLoop() {
  auto &b = row_->b();
  entry_ = b.GetInsertBlock();
  loop_ = row_->newBlock("loop");
  b.CreateBr(loop_);
  b.SetInsertPoint(loop_);
  index_ = b.CreatePHI(b.getInt64Ty(), 2);
}

llvm::Value *elementOf(llvm::IRBuilder<> &b, FunctionLowering &row, llvm::Value *base, TypeId item, llvm::Value *index) {
  const TypeInfo &info = row.typeInfo(item);
  if (info.size() == 1) return b.CreateInBoundsGEP(info.abi[0], base, index);
  return b.CreateInBoundsGEP(llvm::ArrayType::get(b.getInt8Ty(), itemSize(item)), base, index);
}

Scalars Elementwise::callKernel() {
  llvm::SmallVector<Scalars, 8> arguments;
  size_t next = has_output_ ? 1 : 0;
  for (size_t i = 0; i < operands_.size(); ++i) {
    const RowOperand &operand = operands_[i];
    if (!operand.streamed) {
      arguments.push_back(row_->cast(invariants_[i], operand.type, kernel_.param_types[i]));
      continue;
    }
    const Type &array = naja::typeOf(operand.type);
    llvm::Value *pointer = elementOf(row_->b(), *row_, bases_[next++], array.args[0], index_);
    Scalars element = loadElement(*row_, pointer, array.args[0], elementAlignment(array), nullptr);
    arguments.push_back(row_->cast(element, array.args[0], kernel_.param_types[i]));
  }
  return row_->inlineCall(kernel_, arguments, out_of_row_);
}

void Elementwise::endLoop() {
  auto &b = row_->b();
  auto &context = f_.context();
  auto *index = llvm::cast<llvm::PHINode>(index_);
  llvm::Value *following = b.CreateAdd(index_, b.getInt64(1), "", true, true);
  llvm::BasicBlock *done = row_->newBlock("done");
  auto *branch = b.CreateCondBr(b.CreateICmpEQ(following, row_count_), done, loop_);
  index->addIncoming(b.getInt64(0), entry_);
  index->addIncoming(following, b.GetInsertBlock());
  // Elements do not depend on each other: what overlaps has been copied. (The same element may be read and written.)
  llvm::MDNode *group = llvm::MDNode::getDistinct(context, {});
  bool in_loop = false;
  for (llvm::BasicBlock &block : *row_function_) {
    in_loop |= &block == loop_;
    if (!in_loop) continue;
    for (llvm::Instruction &inst : block)
      if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(inst)) inst.setMetadata(llvm::LLVMContext::MD_access_group, group);
  }
  llvm::Metadata *parallel[] = {llvm::MDString::get(context, "llvm.loop.parallel_accesses"), group};
  llvm::SmallVector<llvm::Metadata *, 2> properties = {nullptr, llvm::MDNode::get(context, parallel)};
  llvm::MDNode *loop_id = llvm::MDNode::getDistinct(context, properties);
  loop_id->replaceOperandWith(0, loop_id);
  branch->setMetadata(llvm::LLVMContext::MD_loop, loop_id);
  b.SetInsertPoint(done);
}

void Elementwise::storeFrame() {
  auto &b = f_.b();
  auto put = [&](unsigned word, llvm::Value *value) { b.CreateAlignedStore(value, at(frame_, word), llvm::Align(8)); };
  auto putAll = [&](const RowOperand &operand) {
    ScalarRef scalars = f_.value(operand.value);
    const TypeInfo &info = f_.typeInfo(operand.type);
    const bool is_array = operand.streamed || operand.whole;
    for (size_t i = is_array ? 1 : 0, word = operand.word; i < scalars.size(); ++i, ++word) {
      const bool known = !is_array && llvm::isa<llvm::ConstantInt, llvm::ConstantFP>(scalars[i]);
      if (!known) put(static_cast<unsigned>(word), f_.toAbi(scalars[i], info.abi[i]));
    }
  };
  if (has_output_ && output_.value.valid()) putAll(output_);
  for (const RowOperand &operand : operands_) putAll(operand);
}

/// naja_dtype of an accumulator; NAJA_DTYPES: it has none.
uint32_t dtypeOf(const Type &type) {
  const unsigned log = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
  switch (type.kind) {
  case TypeKind::Bool: return NAJA_BOOL;
  case TypeKind::Int: return (type.is_signed ? NAJA_INT8 : NAJA_UINT8) + log;
  case TypeKind::Float: return type.bits == 32 ? NAJA_FLOAT32 : type.bits == 64 ? NAJA_FLOAT64 : NAJA_DTYPES;
  case TypeKind::Complex: return type.bits == 64 ? NAJA_COMPLEX64 : NAJA_COMPLEX128;
  default: return NAJA_DTYPES;
  }
}

/// What the runtime needs to use threads; null where it must not.
llvm::Constant *Elementwise::makeParallel(naja_elementwise_kind kind) {
  auto &b = f_.b();
  const bool reduces = kind == NAJA_REDUCE;
  const uint32_t dtype = reduces ? dtypeOf(naja::typeOf(inst_.type)) : NAJA_DTYPES;
  const uint8_t wanted = reduces ? ir::kParallelReductions : ir::kParallelArrays;
  if ((f_.nir().flags.parallel & wanted) == 0 || (reduces && dtype == NAJA_DTYPES))
    return llvm::ConstantPointerNull::get(b.getPtrTy());
  auto *i32 = b.getInt32Ty();
  auto *type = llvm::StructType::get(f_.context(), {i32, i32, i32, b.getInt8Ty(), b.getInt8Ty(), b.getInt16Ty()});
  const auto reduction = static_cast<uint8_t>(reduces ? inst_.int_list[0] : 0);
  llvm::Constant *value = llvm::ConstantStruct::get(
      type, {b.getInt32(words_), b.getInt32(accumulator_), b.getInt32(compensation_), b.getInt8(reduction),
             b.getInt8(static_cast<uint8_t>(dtype)), b.getInt16(0)});
  return new llvm::GlobalVariable(f_.module().module(), type, true, llvm::GlobalValue::PrivateLinkage, value);
}

llvm::Constant *Elementwise::makePlan(naja_elementwise_kind kind, int64_t longest_row) {
  auto &b = f_.b();
  auto *pointer = b.getPtrTy();
  auto *i8 = b.getInt8Ty();
  auto *i16 = b.getInt16Ty();
  auto *i32 = b.getInt32Ty();
  auto *entry_type = llvm::StructType::get(f_.context(), {i32, i32, i16, i8, i8, i32});
  llvm::SmallVector<llvm::Constant *, 8> entries;
  auto add = [&](const RowOperand &operand) {
    const Type &array = naja::typeOf(operand.type);
    entries.push_back(llvm::ConstantStruct::get(
        entry_type, {b.getInt32(operand.word), b.getInt32(itemSize(array.args[0])), b.getInt16(array.ndim),
                     b.getInt8(static_cast<uint8_t>(array.layout)), b.getInt8(operand.whole), b.getInt32(0)}));
  };
  if (has_output_) add(output_);
  for (const RowOperand &operand : operands_)
    if (operand.streamed || operand.whole) add(operand);
  auto *table_type = llvm::ArrayType::get(entry_type, entries.size());
  llvm::Module &module = f_.module().module();
  auto *table = new llvm::GlobalVariable(module, table_type, true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(table_type, entries));
  auto *plan_type = llvm::StructType::get(f_.context(), {pointer, pointer, pointer, i32, i16, i8, i8, b.getInt64Ty(), pointer, pointer});
  llvm::Constant *plan = llvm::ConstantStruct::get(
      plan_type, {row_function_, f_.fileText(), f_.functionText(inst_), f_.i32(inst_.loc.line), b.getInt16(static_cast<uint16_t>(entries.size())),
                  b.getInt8(kind), b.getInt8(0), f_.i64(longest_row), table, makeParallel(kind)});
  return new llvm::GlobalVariable(module, plan_type, true, llvm::GlobalValue::PrivateLinkage, plan);
}

llvm::Value *Elementwise::runPlan(naja_elementwise_kind kind, int64_t longest_row) {
  auto &b = f_.b();
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy()}, false);
  // Reads and writes arrays behind the pointers in the frame.
  llvm::Function *run = f_.module().runtime("naja_rt_elementwise", type, RuntimeEffect::Anything);
  return b.CreateCall(run, {makePlan(kind, longest_row), frame_});
}

void Elementwise::lowerMap(bool into) {
  has_output_ = true;
  output_.type = into ? f_.typeOf(inst_.operands[0]) : inst_.type;
  output_.streamed = true;
  if (into) output_.value = inst_.operands[0];
  const Type &array = naja::typeOf(output_.type);
  const unsigned scalars = static_cast<unsigned>(f_.typeInfo(output_.type).size());
  const unsigned owner_word = take(scalars);
  output_.word = owner_word + 1;
  for (size_t i = into ? 1 : 0, parameter = 0; i < inst_.operands.size(); ++i, ++parameter)
    addOperand(inst_.operands[i], kernel_.param_types[parameter]);
  makeRow(".map");
  beginLoop();
  Scalars value = callKernel();
  value = row_->cast(value, kernel_.return_type, array.args[0]);
  llvm::Value *pointer = elementOf(row_->b(), *row_, bases_[0], array.args[0], index_);
  storeElement(*row_, pointer, array.args[0], elementAlignment(array), value);
  endLoop();
  row_->b().CreateRet(row_->i32(NAJA_OK));

  frame_ = f_.stackSlot(8ULL * std::max(words_, 1U), 8);
  storeFrame();
  llvm::Value *status = runPlan(into ? NAJA_MAP_INTO : NAJA_MAP, 0);
  // Even a kernel that cannot raise may find shapes that differ, or no memory.
  f_.checkStatus(inst_, status);
  if (into) return;
  Scalars result;
  const TypeInfo &info = f_.typeInfo(inst_.type);
  for (unsigned i = 0; i < scalars; ++i) result.push_back(frameWord(f_, frame_, owner_word + i, info.abi[i]));
  f_.define(inst_, result);
}

// ---------------------------------------------------------------------------------------------------------- reductions

bool isFloatSum(ir::ReduceKind kind, const Type &type) {
  return kind == ir::ReduceKind::Sum && (type.kind == TypeKind::Float || type.kind == TypeKind::Complex);
}

/// a op b of two floats where either NaN wins, and the order of equals does not matter.
llvm::Value *floatExtreme(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y, bool maximum) {
  return b.CreateBinaryIntrinsic(maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
}

/// Complex numbers are ordered by real, then imaginary part; NaN wins.
Scalars complexExtreme(llvm::IRBuilder<> &b, ScalarRef x, ScalarRef y, bool maximum) {
  auto before = [&](llvm::Value *p, llvm::Value *q) { return maximum ? b.CreateFCmpOGT(p, q) : b.CreateFCmpOLT(p, q); };
  llvm::Value *keep = b.CreateOr(before(x[0], y[0]), b.CreateAnd(b.CreateFCmpOEQ(x[0], y[0]), before(x[1], y[1])));
  keep = b.CreateOr(keep, b.CreateFCmpUNO(x[0], x[1]));
  return {b.CreateSelect(keep, x[0], y[0]), b.CreateSelect(keep, x[1], y[1])};
}

Scalars Elementwise::reduceStep(ir::ReduceKind kind, ScalarRef x, ScalarRef y, const Type &type) {
  using K = ir::ReduceKind;
  auto &b = row_->b();
  const bool is_float = type.kind == TypeKind::Float, is_complex = type.kind == TypeKind::Complex;
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  if ((is_float || is_complex) && (kind == K::Sum || (kind == K::Prod && is_float))) {
    // Within a row the order is free, so that it vectorises.
    llvm::FastMathFlags flags = b.getFastMathFlags();
    flags.setAllowReassoc();
    b.setFastMathFlags(flags);
  }
  switch (kind) {
  case K::Sum: {
    Scalars result;
    for (size_t i = 0; i < x.size(); ++i)
      result.push_back(is_float || is_complex ? b.CreateFAdd(x[i], y[i]) : b.CreateAdd(x[i], y[i]));
    return result;
  }
  case K::Prod: {
    if (is_complex) {
      Complex product = complexMul(b, {x[0], x[1]}, {y[0], y[1]});
      return {product.re, product.im};
    }
    return {is_float ? b.CreateFMul(x[0], y[0]) : b.CreateMul(x[0], y[0])};
  }
  case K::Min:
  case K::Max: {
    const bool maximum = kind == K::Max;
    if (is_complex) return complexExtreme(b, x, y, maximum);
    if (is_float) return {floatExtreme(b, x[0], y[0], maximum)};
    if (type.kind == TypeKind::Bool) return {maximum ? b.CreateOr(x[0], y[0]) : b.CreateAnd(x[0], y[0])};
    const auto id = type.is_signed ? (maximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin)
                                   : (maximum ? llvm::Intrinsic::umax : llvm::Intrinsic::umin);
    return {b.CreateBinaryIntrinsic(id, x[0], y[0])};
  }
  case K::Any:
  case K::Or: return {b.CreateOr(x[0], y[0])};
  case K::All:
  case K::And: return {b.CreateAnd(x[0], y[0])};
  case K::Xor: return {b.CreateXor(x[0], y[0])};
  }
  return {};
}

void Elementwise::storeAccumulator(ir::ReduceKind kind, ScalarRef accumulated, TypeId type_id) {
  auto &b = row_->b();
  const Type &type = naja::typeOf(type_id);
  const TypeInfo &info = f_.typeInfo(type_id);
  auto word = [&](unsigned i) { return i == 0 ? row_frame_ : b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), row_frame_, i); };
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  for (unsigned i = 0; i < accumulated.size(); ++i) {
    llvm::Value *value = accumulated[i];
    if (isFloatSum(kind, type)) {
      // Neumaier: the error of adding the row's sum is exact, and kept apart.
      llvm::Value *sum = b.CreateAlignedLoad(info.abi[i], word(accumulator_ + i), llvm::Align(8));
      llvm::Value *lost = b.CreateAlignedLoad(info.abi[i], word(compensation_ + i), llvm::Align(8));
      llvm::Value *total = b.CreateFAdd(sum, value);
      llvm::Value *part = b.CreateFSub(total, sum);
      llvm::Value *error = b.CreateFAdd(b.CreateFSub(sum, b.CreateFSub(total, part)), b.CreateFSub(value, part));
      b.CreateAlignedStore(b.CreateFAdd(lost, error), word(compensation_ + i), llvm::Align(8));
      value = total;
    }
    b.CreateAlignedStore(row_->toAbi(value, info.abi[i]), word(accumulator_ + i), llvm::Align(8));
  }
}

void Elementwise::lowerReduce() {
  const auto kind = static_cast<ir::ReduceKind>(inst_.int_list[0]);
  // float16 accumulates in float32, as NumPy's sums do.
  const TypeId type_id = isHalf(naja::typeOf(inst_.type)) ? naja::types().float32 : inst_.type;
  const Type &type = naja::typeOf(type_id);
  const TypeInfo &info = f_.typeInfo(type_id);
  const auto width = static_cast<unsigned>(info.size());
  const bool compensated = isFloatSum(kind, type);
  accumulator_ = take(width);
  if (compensated) compensation_ = take(width);
  for (size_t i = 0; i + 1 < inst_.operands.size(); ++i) addOperand(inst_.operands[i], kernel_.param_types[i]);
  makeRow(".reduce");
  auto &rb = row_->b();
  Scalars initial;
  for (unsigned i = 0; i < width; ++i)
    initial.push_back(compensated ? static_cast<llvm::Value *>(llvm::ConstantFP::get(info.ssa[i], 0.0))
                                  : row_->fromAbi(frameWord(*row_, row_frame_, accumulator_ + i, info.abi[i]), info.ssa[i]));
  beginLoop();
  llvm::SmallVector<llvm::PHINode *, 2> phis;
  for (unsigned i = 0; i < width; ++i) {
    phis.push_back(rb.CreatePHI(info.ssa[i], 2));
    phis.back()->addIncoming(initial[i], entry_);
  }
  Scalars value = row_->cast(callKernel(), kernel_.return_type, type_id);
  Scalars accumulated = reduceStep(kind, Scalars(phis.begin(), phis.end()), value, type);
  for (unsigned i = 0; i < width; ++i) phis[i]->addIncoming(accumulated[i], rb.GetInsertBlock());
  endLoop();
  storeAccumulator(kind, accumulated, type_id);
  llvm::Value *status = row_->i32(NAJA_OK);
  const bool any = kind == ir::ReduceKind::Any, all = kind == ir::ReduceKind::All;
  if (any || all) {
    llvm::Value *decided = any ? accumulated[0] : rb.CreateNot(accumulated[0]);
    status = rb.CreateSelect(decided, row_->i32(NAJA_STOP), status);
  }
  rb.CreateRet(status);

  frame_ = f_.stackSlot(8ULL * std::max(words_, 1U), 8);
  auto &b = f_.b();
  ScalarRef start = f_.value(inst_.operands.back());
  Scalars start_scalars = f_.cast(start, f_.typeOf(inst_.operands.back()), type_id);
  for (unsigned i = 0; i < width; ++i) {
    b.CreateAlignedStore(f_.toAbi(start_scalars[i], info.abi[i]), at(frame_, accumulator_ + i), llvm::Align(8));
    if (compensated) b.CreateAlignedStore(llvm::ConstantFP::get(info.abi[i], 0.0), at(frame_, compensation_ + i), llvm::Align(8));
  }
  storeFrame();
  const int64_t row = compensated ? kSumRow : any || all ? 2 * kSumRow : 0;
  f_.checkStatus(inst_, runPlan(NAJA_REDUCE, row));
  Scalars result;
  for (unsigned i = 0; i < width; ++i) {
    llvm::Value *sum = frameWord(f_, frame_, accumulator_ + i, info.abi[i]);
    if (compensated) {
      // An infinite sum has lost nothing that could be given back.
      llvm::Value *lost = frameWord(f_, frame_, compensation_ + i, info.abi[i]);
      llvm::IRBuilder<>::FastMathFlagGuard guard(b);
      b.clearFastMathFlags();
      sum = b.CreateSelect(b.CreateFCmpORD(lost, lost), b.CreateFAdd(sum, lost), sum);
    }
    result.push_back(f_.fromAbi(sum, info.ssa[i]));
  }
  f_.define(inst_, f_.cast(result, type_id, inst_.type));
}

} // namespace

void lowerArrayMap(FunctionLowering &f, const ir::Inst &inst) { Elementwise(f, inst).lowerMap(false); }
void lowerArrayMapInto(FunctionLowering &f, const ir::Inst &inst) { Elementwise(f, inst).lowerMap(true); }
void lowerArrayReduce(FunctionLowering &f, const ir::Inst &inst) { Elementwise(f, inst).lowerReduce(); }

} // namespace naja::codegen
