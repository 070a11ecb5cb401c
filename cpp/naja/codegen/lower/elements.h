// Elements of arrays in memory, and the geometry of array values.
#pragma once

#include "naja/codegen/lower/lowering.h"

namespace naja::codegen {

/// Loads a value of type `type` (as itemSize lays it out). Records are views: they keep `owner` (null: nobody).
Scalars loadElement(FunctionLowering &f, llvm::Value *pointer, TypeId type, unsigned alignment, llvm::Value *owner);
void storeElement(FunctionLowering &f, llvm::Value *pointer, TypeId type, unsigned alignment, ScalarRef value);
unsigned elementAlignment(const Type &array);

/// An array value taken apart.
struct ArrayView {
  const Type *type = nullptr;
  llvm::Value *owner = nullptr, *data = nullptr;
  ScalarRef extents, strides; // strides: layout A only
};
ArrayView arrayOf(FunctionLowering &f, ir::ValueId id);
/// The stride in bytes of each axis; computed for layouts C and F.
Scalars stridesOf(FunctionLowering &f, const ArrayView &array);
llvm::Value *elementPointer(FunctionLowering &f, const ArrayView &array, ScalarRef indices);
/// Product of the extents.
llvm::Value *sizeOfArray(FunctionLowering &f, ScalarRef extents);

} // namespace naja::codegen
