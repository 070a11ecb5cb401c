// Elementwise evaluation of a function of scalars over arrays and scalars: how ufuncs, operators, np.where and their kin
// become array.map and array.map_into of a kernel, or plain scalar code where no operand has an axis.
#pragma once

#include "naja/library/array_support.h"

#include <string>
#include <vector>

namespace naja::library {

struct Elementwise {
  std::string name;                    // unique among all kernels but for types and constants of the operands
  std::vector<AbstractValue> operands; // arrays and scalars; constants are built into the kernel
  std::vector<size_t> positions;       // where each operand's value is in the values of the operation
  TypeId result;                       // of one element
  KernelBody body;                     // arguments have the operands' element types
};

/// True for what can be an operand: an array of scalars or a scalar.
bool isElementwiseOperand(TypeId type);
/// The element of an operand: dtype, constant and weakness (of scalars only).
AbstractValue elementValue(const AbstractValue &operand);
/// Type of the result: a scalar where no operand has an axis, else a new array (F where all full-rank operands are F).
TypeId elementwiseType(const Elementwise &operation);
ValueId emitElementwise(Emitter &e, const Elementwise &operation, std::span<const ValueId> values);
/// Into an existing array of any numeric dtype.
void emitElementwiseInto(Emitter &e, const Elementwise &operation, std::span<const ValueId> values, ValueId out);
Resolution resolveElementwise(Elementwise operation);
/// With out=: the value at `out_position` is written and is the result. NumPy's same_kind rule decides what may be cast.
Resolution resolveElementwiseInto(Elementwise operation, TypeId out, size_t out_position);

/// NumPy's result_type of scalars' and arrays' elements, weak literals last (NEP 50).
TypeId commonDtype(std::span<const AbstractValue> elements);
/// float32 for integers up to 16 bits and bool, float64 for wider ones; floats and complex numbers stay.
TypeId floatDtype(TypeId dtype);
/// NumPy's can_cast(from, to, 'same_kind').
bool castsSameKind(TypeId from, TypeId to);

} // namespace naja::library
