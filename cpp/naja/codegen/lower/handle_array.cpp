// Arrays: allocation, geometry, element access, views. An array is its scalars (owner, data, extents, strides of layout A);
// a view is arithmetic on them.
#include "naja/codegen/lower/elements.h"
#include "naja/codegen/lower/handlers.h"
#include "naja/runtime/abi.h"

#include <llvm/IR/Intrinsics.h>

namespace naja::codegen {

unsigned elementAlignment(const Type &array) { return array.aligned ? itemAlignment(array.args[0]) : 1; }

Scalars loadElement(FunctionLowering &f, llvm::Value *pointer, TypeId type, unsigned alignment, llvm::Value *owner) {
  auto &b = f.b();
  const Type &info = naja::typeOf(type);
  const TypeInfo &layout = f.typeInfo(type);
  const llvm::Align align(alignment);
  switch (info.kind) {
  case TypeKind::Bool: // any byte but 0 is true: it may be a view of other memory
    return {b.CreateICmpNE(b.CreateAlignedLoad(b.getInt8Ty(), pointer, align), b.getInt8(0))};
  case TypeKind::Complex: {
    llvm::Value *imaginary = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer, info.bits / 16U);
    return {b.CreateAlignedLoad(layout.ssa[0], pointer, align), b.CreateAlignedLoad(layout.ssa[1], imaginary, align)};
  }
  case TypeKind::Record:
    return {owner ? owner : llvm::ConstantPointerNull::get(b.getPtrTy()), pointer};
  case TypeKind::Int:
  case TypeKind::Float:
  case TypeKind::Pointer:
  case TypeKind::Object:
  case TypeKind::Opaque: return {b.CreateAlignedLoad(layout.ssa[0], pointer, align)};
  default: return f.loadStruct(pointer, type); // library memory of tuples, optionals ...
  }
}

void storeElement(FunctionLowering &f, llvm::Value *pointer, TypeId type, unsigned alignment, ScalarRef value) {
  auto &b = f.b();
  const Type &info = naja::typeOf(type);
  const llvm::Align align(alignment);
  switch (info.kind) {
  case TypeKind::Bool: b.CreateAlignedStore(f.toAbi(value[0], b.getInt8Ty()), pointer, align); return;
  case TypeKind::Complex:
    b.CreateAlignedStore(value[0], pointer, align);
    b.CreateAlignedStore(value[1], b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), pointer, info.bits / 16U), align);
    return;
  case TypeKind::Record: b.CreateMemMove(pointer, align, value[1], llvm::Align(1), itemSize(type)); return;
  case TypeKind::Int:
  case TypeKind::Float:
  case TypeKind::Pointer:
  case TypeKind::Object:
  case TypeKind::Opaque: b.CreateAlignedStore(value[0], pointer, align); return;
  default: f.storeStruct(pointer, type, value); return;
  }
}

ArrayView arrayOf(FunctionLowering &f, ir::ValueId id) {
  ArrayView view;
  view.type = &naja::typeOf(f.typeOf(id));
  ScalarRef scalars = f.value(id);
  view.owner = scalars[kArrayOwner];
  view.data = scalars[kArrayData];
  view.extents = scalars.slice(kArrayDims, view.type->ndim);
  if (view.type->layout == Layout::A) view.strides = scalars.slice(kArrayDims + view.type->ndim, view.type->ndim);
  return view;
}

namespace {

/// Axes from the fastest to the slowest.
unsigned axisAt(const Type &type, unsigned position) {
  return type.layout == Layout::F ? position : type.ndim - 1U - position;
}

Scalars contiguousStrides(FunctionLowering &f, const Type &type, ScalarRef extents) {
  Scalars strides(type.ndim);
  llvm::Value *stride = f.i64(itemSize(type.args[0]));
  for (unsigned i = 0; i < type.ndim; ++i) {
    strides[axisAt(type, i)] = stride;
    if (i + 1U < type.ndim) stride = f.b().CreateMul(stride, extents[axisAt(type, i)], "", false, true);
  }
  return strides;
}

Scalars indexScalars(FunctionLowering &f, const ir::Inst &inst, size_t first, size_t count) {
  Scalars indices;
  for (size_t i = 0; i < count; ++i)
    indices.push_back(f.asInt64(f.scalar(inst.operands[first + i]), f.typeOf(inst.operands[first + i])));
  return indices;
}

} // namespace

Scalars stridesOf(FunctionLowering &f, const ArrayView &array) {
  if (array.type->layout == Layout::A) return Scalars(array.strides.begin(), array.strides.end());
  return contiguousStrides(f, *array.type, array.extents);
}

llvm::Value *elementPointer(FunctionLowering &f, const ArrayView &array, ScalarRef indices) {
  auto &b = f.b();
  const Type &type = *array.type;
  if (type.ndim == 0) return array.data;
  if (type.layout == Layout::A) {
    llvm::Value *pointer = array.data;
    for (unsigned axis = 0; axis < type.ndim; ++axis)
      pointer = b.CreateInBoundsGEP(b.getInt8Ty(), pointer, b.CreateMul(indices[axis], array.strides[axis], "", false, true));
    return pointer;
  }
  // Horner's scheme from the slowest axis.
  llvm::Value *linear = indices[axisAt(type, type.ndim - 1U)];
  for (unsigned position = type.ndim - 1U; position-- > 0;) {
    const unsigned axis = axisAt(type, position);
    linear = b.CreateMul(linear, array.extents[axis], "", false, true);
    linear = b.CreateAdd(linear, indices[axis], "", false, true);
  }
  const unsigned size = itemSize(type.args[0]);
  const TypeInfo &item = f.typeInfo(type.args[0]);
  if (item.size() == 1 && naja::typeOf(type.args[0]).kind != TypeKind::Record)
    return b.CreateInBoundsGEP(item.abi[0], array.data, linear);
  return b.CreateInBoundsGEP(llvm::ArrayType::get(b.getInt8Ty(), size), array.data, linear);
}

llvm::Value *sizeOfArray(FunctionLowering &f, ScalarRef extents) {
  if (extents.empty()) return f.i64(1);
  llvm::Value *size = extents[0];
  for (llvm::Value *extent : extents.drop_front()) size = f.b().CreateMul(size, extent, "", false, true);
  return size;
}

void lowerArrayAlloc(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  const Type &type = naja::typeOf(inst.type);
  Scalars extents = indexScalars(f, inst, 0, inst.operands.size());
  llvm::Value *bytes = f.i64(itemSize(type.args[0]));
  llvm::Value *overflow = b.getFalse(), *sign = f.i64(0);
  for (llvm::Value *extent : extents) {
    llvm::Value *pair = b.CreateBinaryIntrinsic(llvm::Intrinsic::umul_with_overflow, bytes, extent);
    bytes = b.CreateExtractValue(pair, 0);
    overflow = b.CreateOr(overflow, b.CreateExtractValue(pair, 1));
    sign = b.CreateOr(sign, extent);
  }
  // Negative or overflowing sizes ask for what no machine has; which of the two it was is found out afterwards.
  llvm::Value *negative = b.CreateICmpSLT(sign, f.i64(0));
  bytes = b.CreateSelect(b.CreateOr(negative, overflow), f.i64(-1), bytes);
  auto *function_type = llvm::FunctionType::get(b.getPtrTy(), {b.getInt64Ty(), b.getInt32Ty(), b.getPtrTy()}, false);
  llvm::Function *alloc = f.module().runtime("naja_rt_alloc", function_type);
  alloc->addRetAttr(llvm::Attribute::NoAlias);
  alloc->addRetAttr(llvm::Attribute::getWithAlignment(f.context(), llvm::Align(64)));
  llvm::AllocaInst *data = f.stackSlot(8, 8);
  llvm::Value *owner = b.CreateCall(alloc, {bytes, f.i32(inst.attr & 1), data});
  f.coldIf(b.CreateIsNull(owner), [&] {
    llvm::BasicBlock *value_error = f.newBlock("negative"), *memory_error = f.newBlock("no_memory");
    b.CreateCondBr(negative, value_error, memory_error);
    b.SetInsertPoint(value_error);
    f.raiseTextIf(inst, b.getTrue(), NAJA_ValueError, "negative dimensions are not allowed");
    b.CreateUnreachable();
    b.SetInsertPoint(memory_error);
    f.leave(inst, f.i32(NAJA_RAISED));
  });
  Scalars result = {owner, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), owner, NAJA_PAYLOAD_OFFSET)};
  result.append(extents.begin(), extents.end());
  if (type.layout == Layout::A) {
    Type contiguous = type;
    contiguous.layout = Layout::C;
    Scalars strides = contiguousStrides(f, contiguous, extents);
    result.append(strides.begin(), strides.end());
  }
  f.define(inst, result);
}

void lowerArrayData(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, arrayOf(f, inst.operands[0]).data); }
void lowerArrayDim(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, arrayOf(f, inst.operands[0]).extents[static_cast<size_t>(inst.attr)]);
}
void lowerArrayStride(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, stridesOf(f, arrayOf(f, inst.operands[0]))[static_cast<size_t>(inst.attr)]);
}
void lowerArraySize(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, sizeOfArray(f, arrayOf(f, inst.operands[0]).extents));
}

void lowerArrayLoad(FunctionLowering &f, const ir::Inst &inst) {
  ArrayView array = arrayOf(f, inst.operands[0]);
  llvm::Value *pointer = elementPointer(f, array, indexScalars(f, inst, 1, array.type->ndim));
  f.define(inst, loadElement(f, pointer, array.type->args[0], elementAlignment(*array.type), array.owner));
}
void lowerArrayStore(FunctionLowering &f, const ir::Inst &inst) {
  ArrayView array = arrayOf(f, inst.operands[0]);
  llvm::Value *pointer = elementPointer(f, array, indexScalars(f, inst, 1, array.type->ndim));
  storeElement(f, pointer, array.type->args[0], elementAlignment(*array.type), f.value(inst.operands.back()));
}
void lowerArrayItemPtr(FunctionLowering &f, const ir::Inst &inst) {
  ArrayView array = arrayOf(f, inst.operands[0]);
  f.define(inst, elementPointer(f, array, indexScalars(f, inst, 1, array.type->ndim)));
}

void lowerArrayView(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  ArrayView source = arrayOf(f, inst.operands[0]);
  Scalars source_strides = stridesOf(f, source);
  Scalars extents, strides;
  llvm::Value *offset = f.i64(0);
  size_t axis = 0, next = 1;
  for (int64_t code : inst.int_list) {
    if (code == ir::kViewNewAxis) {
      extents.push_back(f.i64(1));
      strides.push_back(f.i64(0));
      continue;
    }
    llvm::Value *stride = source_strides[axis];
    if (code == ir::kViewFull) {
      extents.push_back(source.extents[axis]);
      strides.push_back(stride);
    } else {
      // An index, or the first index of a slice.
      llvm::Value *first = f.asInt64(f.scalar(inst.operands[next]), f.typeOf(inst.operands[next]));
      ++next;
      offset = b.CreateAdd(offset, b.CreateMul(first, stride, "", false, true), "", false, true);
      if (code == ir::kViewSlice) {
        extents.push_back(f.scalar(inst.operands[next]));
        strides.push_back(b.CreateMul(f.scalar(inst.operands[next + 1]), stride, "", false, true));
        next += 2;
      }
    }
    ++axis;
  }
  for (; axis < source.type->ndim; ++axis) {
    extents.push_back(source.extents[axis]);
    strides.push_back(source_strides[axis]);
  }
  // An empty slice may begin before the array: not inbounds.
  Scalars result = {source.owner, b.CreateGEP(b.getInt8Ty(), source.data, offset)};
  result.append(extents.begin(), extents.end());
  if (naja::typeOf(inst.type).layout == Layout::A) result.append(strides.begin(), strides.end());
  f.define(inst, result);
}

void lowerArrayRestride(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  ScalarRef source = f.value(inst.operands[0]);
  Scalars rest = indexScalars(f, inst, 1, inst.operands.size() - 1);
  Scalars result = {source[kArrayOwner], b.CreateGEP(b.getInt8Ty(), source[kArrayData], rest[0])};
  result.append(rest.begin() + 1, rest.end());
  f.define(inst, result);
}

void lowerWrapIndex(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  llvm::Value *index = f.scalar(inst.operands[0]), *size = f.scalar(inst.operands[1]);
  llvm::Value *negative = b.CreateICmpSLT(index, llvm::ConstantInt::get(index->getType(), 0));
  // Out of the loop it costs nothing and is better hoisted; in it, a branch that is hardly ever taken, not a select:
  // addresses then do not wait for three more instructions.
  if (f.isInvariant(inst.operands[0])) return f.define(inst, b.CreateSelect(negative, b.CreateAdd(index, size), index));
  f.define(inst, f.unlikelyValue(negative, index, [&] { return b.CreateAdd(index, size); }));
}

void lowerCheckIndex(FunctionLowering &f, const ir::Inst &inst) {
  if (!inst.mayRaise()) return;
  llvm::Value *index = f.asInt64(f.scalar(inst.operands[0]), f.typeOf(inst.operands[0]));
  llvm::Value *size = f.scalar(inst.operands[1]);
  // As unsigned, a negative index is too large.
  f.raiseIndexIf(inst, f.b().CreateICmpUGE(index, size), index, inst.attr, size);
}

void lowerArrayBroadcastDim(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  Scalars extents = indexScalars(f, inst, 0, inst.operands.size());
  llvm::Value *common = extents[0], *other = extents[0], *bad = b.getFalse();
  for (llvm::Value *extent : ScalarRef(extents).drop_front()) {
    llvm::Value *common_is_one = b.CreateICmpEQ(common, f.i64(1));
    llvm::Value *differs = b.CreateAnd(b.CreateICmpNE(extent, common), b.CreateICmpNE(extent, f.i64(1)));
    llvm::Value *clash = b.CreateAnd(differs, b.CreateNot(common_is_one));
    other = b.CreateSelect(clash, extent, other);
    bad = b.CreateOr(bad, clash);
    common = b.CreateSelect(common_is_one, extent, common);
  }
  if (inst.mayRaise()) {
    f.coldIf(bad, [&] {
      auto *type = llvm::FunctionType::get(
          b.getVoidTy(), {b.getPtrTy(), b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy(), b.getPtrTy(), b.getInt32Ty()}, false);
      b.CreateCall(f.module().runtime("naja_rt_raise_broadcast", type, RuntimeEffect::Arguments, true),
                   {f.module().text("operands could not be broadcast together"), common, other, f.origin(), f.functionText(inst),
                    f.i32(inst.loc.line)});
      f.leave(inst, f.i32(NAJA_RAISED));
    });
  }
  f.define(inst, common);
}

} // namespace naja::codegen
