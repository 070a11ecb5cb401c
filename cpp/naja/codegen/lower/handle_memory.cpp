// Raw memory and records.
#include "naja/codegen/lower/elements.h"
#include "naja/codegen/lower/handlers.h"

namespace naja::codegen {

void lowerPtrLoad(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, loadElement(f, f.scalar(inst.operands[0]), inst.type, itemAlignment(inst.type), nullptr));
}
void lowerPtrStore(FunctionLowering &f, const ir::Inst &inst) {
  const TypeId type = f.typeOf(inst.operands[1]);
  storeElement(f, f.scalar(inst.operands[0]), type, itemAlignment(type), f.value(inst.operands[1]));
}
void lowerPtrAdd(FunctionLowering &f, const ir::Inst &inst) {
  llvm::Value *bytes = f.asInt64(f.scalar(inst.operands[1]), f.typeOf(inst.operands[1]));
  f.define(inst, f.b().CreateGEP(f.b().getInt8Ty(), f.scalar(inst.operands[0]), bytes));
}
void lowerPtrFromInt(FunctionLowering &f, const ir::Inst &inst) {
  llvm::Value *address = f.asInt64(f.scalar(inst.operands[0]), f.typeOf(inst.operands[0]));
  f.define(inst, f.b().CreateIntToPtr(address, f.b().getPtrTy()));
}
void lowerPtrToInt(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, f.b().CreatePtrToInt(f.scalar(inst.operands[0]), f.typeInfo(inst.type).ssa[0]));
}

void lowerArrayFromPtr(FunctionLowering &f, const ir::Inst &inst) {
  Scalars array = {llvm::ConstantPointerNull::get(f.b().getPtrTy()), f.scalar(inst.operands[0])};
  for (size_t i = 1; i < inst.operands.size(); ++i)
    array.push_back(f.asInt64(f.scalar(inst.operands[i]), f.typeOf(inst.operands[i])));
  // A result of layout A without given strides is contiguous.
  const Type &type = naja::typeOf(inst.type);
  if (type.layout == Layout::A && array.size() == kArrayDims + size_t{type.ndim}) {
    const TypeId contiguous = naja::types().array(type.args[0], type.ndim, Layout::C, type.readonly, type.aligned);
    array = f.cast(array, contiguous, inst.type);
  }
  f.define(inst, array);
}

namespace {
/// Data address of a record (owner, data) or a plain pointer, moved by `offset`.
llvm::Value *fieldPointer(FunctionLowering &f, const ir::Inst &inst) {
  ScalarRef base = f.value(inst.operands[0]);
  return f.b().CreateConstInBoundsGEP1_64(f.b().getInt8Ty(), base.back(), static_cast<uint64_t>(inst.attr));
}
unsigned fieldAlignment(FunctionLowering &f, const ir::Inst &inst, TypeId field) {
  const Type &record = naja::typeOf(f.typeOf(inst.operands[0]));
  return record.kind == TypeKind::Record && !record.aligned ? 1 : itemAlignment(field);
}
} // namespace

void lowerRecordField(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, fieldPointer(f, inst)); }

void lowerRecordLoad(FunctionLowering &f, const ir::Inst &inst) {
  ScalarRef record = f.value(inst.operands[0]);
  llvm::Value *owner = record.size() > 1 ? record.front() : nullptr;
  f.define(inst, loadElement(f, fieldPointer(f, inst), inst.type, fieldAlignment(f, inst, inst.type), owner));
}

void lowerRecordStore(FunctionLowering &f, const ir::Inst &inst) {
  const TypeId type = f.typeOf(inst.operands[1]);
  storeElement(f, fieldPointer(f, inst), type, fieldAlignment(f, inst, type), f.value(inst.operands[1]));
}

} // namespace naja::codegen
