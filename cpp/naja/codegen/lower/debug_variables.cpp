// debug=True: which machine scalars hold the variables of the Python function, for gdb and lldb. Numbers are described as
// such, arrays as a struct of the pointer and the extents.
#include "naja/codegen/lower/lowering.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>

#include <fmt/format.h>

namespace naja::codegen {
namespace {

llvm::DIType *numberType(llvm::DIBuilder &debug, TypeId id) {
  const Type &type = naja::typeOf(id);
  switch (type.kind) {
  case TypeKind::Bool: return debug.createBasicType("bool", 8, llvm::dwarf::DW_ATE_boolean);
  case TypeKind::Int:
    return debug.createBasicType(toString(id), type.bits, type.is_signed ? llvm::dwarf::DW_ATE_signed : llvm::dwarf::DW_ATE_unsigned);
  case TypeKind::Float: // float16 lives in an integer
    if (type.bits == 16) return nullptr;
    return debug.createBasicType(toString(id), type.bits, llvm::dwarf::DW_ATE_float);
  default: return nullptr;
  }
}

/// {data, n0, n1, ...}: the array's scalars from its data on.
llvm::DIType *arrayStruct(llvm::DIBuilder &debug, llvm::DIScope *scope, TypeId id) {
  const Type &type = naja::typeOf(id);
  llvm::DIType *element = numberType(debug, type.args[0]);
  llvm::DIType *pointer = debug.createPointerType(element, 64);
  llvm::DIType *extent = debug.createBasicType("int64", 64, llvm::dwarf::DW_ATE_signed);
  llvm::SmallVector<llvm::Metadata *, 8> members;
  for (unsigned i = 0; i <= type.ndim; ++i)
    members.push_back(debug.createMemberType(scope, i == 0 ? "data" : fmt::format("n{}", i - 1), nullptr, 0, 64, 64, uint64_t{64} * i,
                                             llvm::DINode::FlagZero, i == 0 ? pointer : extent));
  return debug.createStructType(scope, toString(id), nullptr, 0, uint64_t{64} * members.size(), 64, llvm::DINode::FlagZero, nullptr,
                                debug.getOrCreateArray(members));
}

} // namespace

void FunctionLowering::describeVariable(ir::ValueId id) {
  const ir::SymbolId name = function_.value(id).name;
  llvm::DIBuilder *debug = module_.debug();
  if (!scope_ || !debug || !name.valid()) return;
  const TypeId type = typeOf(id);
  const bool is_array = naja::typeOf(type).kind == TypeKind::Array;
  llvm::DILocalVariable *&variable = variables_[{name.value, type.value}];
  if (!variable) {
    llvm::DIType *described = is_array ? arrayStruct(*debug, scope_, type) : numberType(*debug, type);
    if (!described) return;
    variable = debug->createAutoVariable(scope_, ir::symbolText(name), scope_->getFile(), scope_->getLine(), described, true);
  }
  const llvm::DILocation *where = b().getCurrentDebugLocation();
  if (!where) where = llvm::DILocation::get(context(), scope_->getLine(), 0, scope_);
  ScalarRef scalars = value(id);
  auto tell = [&](llvm::Value *scalar, llvm::DIExpression *expression) {
    debug->insertDbgValueIntrinsic(scalar, variable, expression, where, b().GetInsertPoint());
  };
  if (!is_array) {
    tell(scalars[0], debug->createExpression());
    return;
  }
  for (unsigned i = 0; i <= naja::typeOf(type).ndim; ++i) // data and the extents follow each other
    tell(scalars[kArrayData + i], *llvm::DIExpression::createFragmentExpression(debug->createExpression(), 64 * i, 64));
}

} // namespace naja::codegen
