// Tuples, optionals, slices and strings: lists of scalars, so most of it is bookkeeping.
#include "naja/codegen/lower/handlers.h"
#include "naja/runtime/abi.h"

#include <llvm/IR/Intrinsics.h>

namespace naja::codegen {
namespace {

/// The items of a type that TupleGet can take apart: a range has three of its item type.
TypeId itemType(const Type &type, size_t index) { return type.kind == TypeKind::Range ? type.args[0] : type.args[index]; }

Scalars dynamicFromMemory(FunctionLowering &f, ScalarRef tuple, llvm::Value *index, size_t count, size_t width) {
  auto &b = f.b();
  Scalars result;
  for (size_t k = 0; k < width; ++k) {
    llvm::Type *type = f.module().machineType(Machine::I8);
    type = tuple[k]->getType()->isIntegerTy(1) ? type : tuple[k]->getType();
    auto *array = llvm::ArrayType::get(type, count);
    llvm::Value *slot = f.stackSlot(f.module().module().getDataLayout().getTypeAllocSize(array), 16);
    for (size_t i = 0; i < count; ++i)
      b.CreateStore(f.toAbi(tuple[i * width + k], type), b.CreateConstInBoundsGEP2_64(array, slot, 0, i));
    llvm::Value *at = b.CreateInBoundsGEP(type, slot, {index});
    result.push_back(f.fromAbi(b.CreateLoad(type, at), tuple[k]->getType()));
  }
  return result;
}

struct SliceBounds {
  llvm::Value *first, *count, *step;
};

/// One end of a slice as slice.indices does it: negative counts from the end, then clamped to [low, high].
llvm::Value *clampEnd(llvm::IRBuilder<> &b, llvm::Value *end, llvm::Value *length, llvm::Value *low, llvm::Value *high) {
  llvm::Value *wrapped = b.CreateSelect(b.CreateICmpSLT(end, b.getInt64(0)), b.CreateAdd(end, length), end);
  wrapped = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wrapped, low);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, wrapped, high);
}

SliceBounds indicesOfPositive(llvm::IRBuilder<> &b, llvm::Value *start, llvm::Value *stop, llvm::Value *step, llvm::Value *length) {
  llvm::Value *zero = b.getInt64(0);
  llvm::Value *first = start ? clampEnd(b, start, length, zero, length) : zero;
  llvm::Value *last = stop ? clampEnd(b, stop, length, zero, length) : length;
  // first and last are in [0, length]: no overflow.
  llvm::Value *distance = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(last, first, "", false, true), zero);
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step);
  if (constant && constant->isOne()) return {first, distance, step};
  llvm::Value *less_one = b.CreateSub(distance, b.getInt64(1));
  llvm::Value *count = b.CreateAdd(b.CreateUDiv(less_one, step), b.getInt64(1));
  return {first, b.CreateSelect(b.CreateICmpEQ(distance, zero), zero, count), step};
}

SliceBounds indicesOfNegative(llvm::IRBuilder<> &b, llvm::Value *start, llvm::Value *stop, llvm::Value *step, llvm::Value *length) {
  llvm::Value *zero = b.getInt64(0), *minus_one = b.getInt64(-1);
  llvm::Value *top = b.CreateAdd(length, minus_one, "", false, true);
  llvm::Value *first = start ? clampEnd(b, start, length, minus_one, top) : top;
  llvm::Value *last = stop ? clampEnd(b, stop, length, minus_one, top) : minus_one;
  llvm::Value *distance = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(first, last, "", false, true), zero);
  llvm::Value *count = b.CreateAdd(b.CreateUDiv(b.CreateSub(distance, b.getInt64(1)), b.CreateNeg(step)), b.getInt64(1));
  return {first, b.CreateSelect(b.CreateICmpEQ(distance, zero), zero, count), step};
}

} // namespace

void lowerTupleMake(FunctionLowering &f, const ir::Inst &inst) {
  Scalars result;
  for (ir::ValueId operand : inst.operands) {
    ScalarRef item = f.value(operand);
    result.append(item.begin(), item.end());
  }
  f.define(inst, result);
}

void lowerTupleGet(FunctionLowering &f, const ir::Inst &inst) {
  const Type &type = naja::typeOf(f.typeOf(inst.operands[0]));
  size_t at = 0;
  for (size_t i = 0; i < static_cast<size_t>(inst.attr); ++i) at += f.typeInfo(itemType(type, i)).size();
  f.define(inst, f.value(inst.operands[0]).slice(at, f.typeInfo(inst.type).size()));
}

void lowerTupleGetDynamic(FunctionLowering &f, const ir::Inst &inst) {
  constexpr size_t kMaxSelects = 4;
  const Type &type = naja::typeOf(f.typeOf(inst.operands[0]));
  const size_t count = type.args.size(), width = f.typeInfo(inst.type).size();
  ScalarRef tuple = f.value(inst.operands[0]);
  llvm::Value *index = f.asInt64(f.scalar(inst.operands[1]), f.typeOf(inst.operands[1]));
  if (width == 0 || count == 0) return f.define(inst, f.zeros(inst.type));
  if (count > kMaxSelects) return f.define(inst, dynamicFromMemory(f, tuple, index, count, width));
  Scalars result(tuple.begin(), tuple.begin() + static_cast<std::ptrdiff_t>(width));
  for (size_t i = 1; i < count; ++i) {
    llvm::Value *is_item = f.b().CreateICmpEQ(index, f.i64(static_cast<int64_t>(i)));
    for (size_t k = 0; k < width; ++k) result[k] = f.b().CreateSelect(is_item, tuple[i * width + k], result[k]);
  }
  f.define(inst, result);
}

void lowerOptionalHas(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.scalar(inst.operands[0])); }
void lowerOptionalValue(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.value(inst.operands[0]).drop_front()); }

void lowerSliceIndices(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  llvm::Value *start = (inst.attr & ir::kHasStart) ? f.scalar(inst.operands[0]) : nullptr;
  llvm::Value *stop = (inst.attr & ir::kHasStop) ? f.scalar(inst.operands[1]) : nullptr;
  llvm::Value *step = (inst.attr & ir::kHasStep) ? f.scalar(inst.operands[2]) : f.i64(1);
  llvm::Value *length = f.scalar(inst.operands[3]);
  SliceBounds bounds{};
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step)) {
    bounds = constant->isNegative() ? indicesOfNegative(b, start, stop, step, length) : indicesOfPositive(b, start, stop, step, length);
  } else {
    llvm::Value *down = b.CreateICmpSLT(step, f.i64(0));
    SliceBounds negative = indicesOfNegative(b, start, stop, step, length);
    SliceBounds positive = indicesOfPositive(b, start, stop, step, length);
    bounds = {b.CreateSelect(down, negative.first, positive.first), b.CreateSelect(down, negative.count, positive.count), step};
  }
  llvm::Value *result[] = {bounds.first, bounds.count, bounds.step};
  f.define(inst, result);
}

void lowerSliceMake(FunctionLowering &f, const ir::Inst &inst) {
  Scalars result;
  for (size_t i = 0; i < 3; ++i) {
    ScalarRef part = f.value(inst.operands[i]);
    result.push_back(((inst.attr >> i) & 1) != 0 && !part.empty() ? part.front() : f.i64(0));
  }
  result.push_back(f.b().getInt8(static_cast<uint8_t>(inst.attr)));
  f.define(inst, result);
}

void lowerSlicePart(FunctionLowering &f, const ir::Inst &inst) {
  ScalarRef slice = f.value(inst.operands[0]);
  llvm::Value *bit = f.b().CreateAnd(slice[3], f.b().getInt8(static_cast<uint8_t>(1U << inst.attr)));
  llvm::Value *result[] = {f.b().CreateICmpNE(bit, f.b().getInt8(0)), slice[static_cast<size_t>(inst.attr)]};
  f.define(inst, result);
}

void lowerStringEq(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  ScalarRef x = f.value(inst.operands[0]), y = f.value(inst.operands[1]);
  // Strings are held in their narrowest form, so equal ones agree in length and kind; else nothing is compared.
  llvm::Value *same = b.CreateAnd(b.CreateICmpEQ(x[kStringLength], y[kStringLength]), b.CreateICmpEQ(x[kStringKind], y[kStringKind]));
  llvm::Value *size = b.CreateMul(x[kStringLength], b.CreateZExt(x[kStringKind], b.getInt64Ty()));
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  llvm::Function *compare = f.module().runtime("memcmp", type);
  llvm::Value *order = b.CreateCall(compare, {x[kStringData], y[kStringData], b.CreateSelect(same, size, f.i64(0))});
  f.define(inst, b.CreateAnd(same, b.CreateICmpEQ(order, f.i32(0))));
}

void lowerStringLen(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.value(inst.operands[0])[kStringLength]); }

void lowerBox(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  const TypeId type = f.typeOf(inst.operands[0]);
  const StructLayout &layout = structLayoutOf(type);
  llvm::Value *slot = f.stackSlot(layout.size, std::max(layout.alignment, 1U));
  f.storeStruct(slot, type, f.value(inst.operands[0]));
  auto *function_type = llvm::FunctionType::get(b.getPtrTy(), {b.getInt32Ty(), b.getPtrTy()}, false);
  llvm::Value *object = b.CreateCall(f.module().runtime("naja_rt_box", function_type, RuntimeEffect::Anything),
                                      {b.CreateLoad(b.getInt32Ty(), f.module().typeSlot(type)), slot});
  f.coldIf(b.CreateIsNull(object), [&] { f.leave(inst, f.i32(NAJA_PYTHON_ERROR)); });
  f.define(inst, object);
}

} // namespace naja::codegen
