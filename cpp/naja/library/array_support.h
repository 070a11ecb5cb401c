// What the array families share: reading operands, geometry of arrays in SSA, kernels of one operation. Everything emits
// into the builder of the Emitter it gets and keeps no state.
#pragma once

#include "naja/library/emit_helpers.h"
#include "naja/library/rule.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace naja::library {

using ir::ValueId;

// ---- types
bool isArray(TypeId id);
/// [..] written in the code; see list_displays.cpp.
bool isListDisplay(TypeId id);
/// A tuple or a list display: a value of items.
bool isSequence(TypeId id);
/// As isScalar, false for an absent operand.
bool isScalarOperand(TypeId id);
/// bool or an integer: what can be an index or an extent.
bool isIndexLike(TypeId id);
/// A tuple of index-like items, or an index-like scalar.
bool isShape(TypeId id);
/// How many extents a shape operand has: 1 for a scalar.
unsigned shapeRank(TypeId id);
TypeId elementOf(TypeId array);
unsigned rankOf(TypeId array); // 0 for scalars
/// An array type whose layout is normalised: of at most one axis, C and F are the same.
TypeId arrayType(TypeId dtype, unsigned ndim, Layout layout = Layout::C, bool readonly = false, bool aligned = true);
/// The type of a view of an array of type `of`: it inherits readonly and, unless the dtype changes, aligned.
TypeId viewType(TypeId of, unsigned ndim, Layout layout);
bool isContiguous(TypeId array); // layout C or F
/// The dtype that an operand used as `dtype=` denotes: a scalar class, dtype object, string, int, float, bool, complex.
std::optional<TypeId> dtypeOperand(const AbstractValue &value);

// ---- constants known while typing
/// The dtype object of a type.
ConstId dtypeConstant(TypeId type);
/// None, or an absent operand.
bool isNone(const AbstractValue &value);
/// A bool or int constant as a truth value.
std::optional<bool> boolConstant(const AbstractValue &value);
/// A constant axis, normalised to 0 <= axis < ndim; empty where it is not constant or out of range.
std::optional<unsigned> axisConstant(const AbstractValue &value, unsigned ndim);

// ---- operands in the emitter
/// The operand as a value of type `to` (a scalar conversion at most): constants are materialised in that type.
ValueId operandAs(Emitter &e, const AbstractValue &operand, ValueId value, TypeId to);
/// The extents a shape operand (int or tuple of ints) denotes, as int64.
std::vector<ValueId> shapeOperand(Emitter &e, const AbstractValue &operand, ValueId value);
/// C's conversion of a scalar to a scalar type, complex to real included (drops the imaginary part).
ValueId castScalar(Emitter &e, ValueId value, TypeId to);

// ---- geometry
std::vector<ValueId> dimsOf(ir::Builder &b, ValueId array);
ValueId strideOf(ir::Builder &b, ValueId array, unsigned axis);
std::vector<ValueId> stridesOf(ir::Builder &b, ValueId array);
ValueId sizeOf(ir::Builder &b, ValueId array);
/// Product of extents, wrapping.
ValueId productOf(ir::Builder &b, std::span<const ValueId> dims);
/// A view of `array`'s memory; `strides` are used only where the type's layout is A.
ValueId restride(ir::Builder &b, ValueId array, TypeId type, std::span<const ValueId> dims,
                 std::span<const ValueId> strides, ValueId byte_offset = {});
ValueId allocate(ir::Builder &b, TypeId type, std::span<const ValueId> dims, bool zeroed = false);
ValueId loadItem(ir::Builder &b, ValueId array, std::span<const ValueId> indices);
void storeItem(ir::Builder &b, ValueId array, std::span<const ValueId> indices, ValueId value);
ValueId int64Tuple(ir::Builder &b, std::span<const ValueId> items);

// ---- elementwise
using KernelBody = std::function<ValueId(Emitter &, std::span<const ValueId>)>;
/// The kernel that converts `from` to `to`.
ir::FunctionId castKernel(Emitter &e, TypeId from, TypeId to);
ValueId mapArray(Emitter &e, ir::FunctionId kernel, TypeId type, std::span<const ValueId> operands);
void mapInto(Emitter &e, ValueId array, ir::FunctionId kernel, std::span<const ValueId> operands);
ValueId reduceArray(Emitter &e, ir::FunctionId kernel, ir::ReduceKind kind, TypeId type,
                    std::span<const ValueId> operands, ValueId initial);
/// A new array of that type with the (converted) elements of `array`.
ValueId copyArray(Emitter &e, ValueId array, TypeId type);
void fillArray(Emitter &e, ValueId array, ValueId scalar);

/// A loop over 0 <= i < count; `body` may split blocks. The builder stays after the loop.
void emitLoop(Emitter &e, ValueId count, const std::function<void(ValueId)> &body);
/// Nested loops over all indices below `dims` in C order that hand `carried` values from turn to turn; their last values.
using CarryBody = std::function<std::vector<ValueId>(std::span<const ValueId> indices, std::span<const ValueId> carried)>;
std::vector<ValueId> emitLoops(Emitter &e, std::span<const ValueId> dims, std::vector<ValueId> carried,
                               const CarryBody &body);
/// Runs `then` where the condition holds; `otherwise` are the results where it does not.
std::vector<ValueId> emitIf(Emitter &e, ValueId condition, std::vector<ValueId> otherwise,
                            const std::function<std::vector<ValueId>()> &then);

/// The operand that was bound to a parameter, or an absent one.
inline AbstractValue boundOperand(const BoundArguments &bound, size_t parameter, const Query &query) {
  int index = bound.operand[parameter];
  return index < 0 ? AbstractValue{} : query.operands[static_cast<size_t>(index)];
}

} // namespace naja::library
