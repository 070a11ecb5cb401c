#include "naja/library/array_views.h"

#include <fmt/format.h>

#include <array>

namespace naja::library {

using ir::Builder;
using ir::Opcode;

TypeId permutedType(TypeId array, std::span<const unsigned> order) {
  const Type &type = typeOf(array);
  bool same = true, reversed = true;
  for (unsigned i = 0; i < order.size(); ++i) {
    same = same && order[i] == i;
    reversed = reversed && order[i] == order.size() - 1 - i;
  }
  if (same)
    return array;
  Layout layout = Layout::A;
  if (reversed && type.layout != Layout::A)
    layout = type.layout == Layout::C ? Layout::F : Layout::C;
  return viewType(array, type.ndim, layout);
}

TypeId transposedType(TypeId array) {
  std::vector<unsigned> order(rankOf(array));
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = static_cast<unsigned>(order.size()) - 1 - i;
  return permutedType(array, order);
}

ValueId emitPermuted(Builder &b, ValueId array, TypeId type, std::span<const unsigned> order) {
  if (b.function().typeOf(array) == type && typeOf(type).layout != Layout::A)
    return array; // the identity
  std::vector<ValueId> dims, strides;
  for (unsigned axis : order) {
    dims.push_back(b.dim(array, axis));
    if (typeOf(type).layout == Layout::A)
      strides.push_back(strideOf(b, array, axis));
  }
  return restride(b, array, type, dims, strides);
}

ValueId emitTransposed(Builder &b, ValueId array) {
  TypeId from = b.function().typeOf(array);
  std::vector<unsigned> order(rankOf(from));
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = static_cast<unsigned>(order.size()) - 1 - i;
  return order.size() <= 1 ? array : emitPermuted(b, array, transposedType(from), order);
}

Resolution complexPart(TypeId array, bool imaginary) {
  const Type &type = typeOf(array);
  TypeId dtype = type.args[0];
  if (!isScalar(dtype))
    return Resolution::error(fmt::format("cannot access .{} of array of {}", imaginary ? "imag" : "real", toString(dtype)));
  if (!isComplex(dtype)) {
    if (!imaginary)
      return Resolution::resolved(array, [](Emitter &, std::span<const ValueId> values) { return values[0]; });
    TypeId zeros = arrayType(dtype, type.ndim, type.layout == Layout::F ? Layout::F : Layout::C);
    TypeId frozen = arrayType(dtype, type.ndim, typeOf(zeros).layout, /*readonly=*/true);
    return Resolution::resolved(frozen, [zeros, frozen](Emitter &e, std::span<const ValueId> values) {
      return e.builder().cast(allocate(e.builder(), zeros, dimsOf(e.builder(), values[0]), true), frozen);
    });
  }
  TypeId real = realPart(dtype);
  TypeId view = arrayType(real, type.ndim, type.ndim == 0 ? Layout::C : Layout::A, type.readonly, type.aligned);
  int64_t offset = imaginary ? itemSize(real) : 0;
  return Resolution::resolved(view, [view, offset](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    return restride(b, values[0], view, dimsOf(b, values[0]), stridesOf(b, values[0]), b.int64(offset));
  });
}

TypeId raveledType(TypeId array) {
  if (typeOf(array).layout == Layout::C)
    return viewType(array, 1, Layout::C);
  return arrayType(elementOf(array), 1, Layout::C);
}

/// Strides are those of the order; axes of extent 1 do not count, and nothing does in an array without elements.
ValueId isContiguousIn(Builder &b, ValueId array, bool fortran) {
  TypeId type = b.function().typeOf(array);
  const unsigned rank = rankOf(type);
  ValueId expected = b.int64(itemSize(elementOf(type)));
  ValueId contiguous = b.boolConst(true), empty = b.boolConst(false);
  for (unsigned i = 0; i < rank; ++i) {
    const unsigned axis = fortran ? i : rank - 1 - i;
    ValueId dim = b.dim(array, axis);
    ValueId fits = b.icmp(ir::Predicate::Eq, strideOf(b, array, axis), expected);
    fits = b.emit(Opcode::IOr, types().boolean, {fits, b.icmp(ir::Predicate::Eq, dim, b.int64(1))});
    contiguous = b.emit(Opcode::IAnd, types().boolean, {contiguous, fits});
    empty = b.emit(Opcode::IOr, types().boolean, {empty, b.icmp(ir::Predicate::Eq, dim, b.int64(0))});
    expected = b.imul(expected, dim);
  }
  return b.emit(Opcode::IOr, types().boolean, {contiguous, empty});
}

namespace {

ValueId viewAsOneAxis(Builder &b, ValueId array, TypeId type) {
  std::array<ValueId, 1> dims{sizeOf(b, array)};
  return restride(b, array, type, dims, {});
}

} // namespace

ValueId emitContiguous(Emitter &e, ValueId array, Layout order) {
  Builder &b = e.builder();
  TypeId from = b.function().typeOf(array);
  if (typeOf(from).layout == order)
    return array;
  TypeId to = arrayType(elementOf(from), rankOf(from), order);
  if (typeOf(from).readonly || !typeOf(from).aligned)
    return copyArray(e, array, to);
  // Known at run time only: the memory itself where it is in that order already, as NumPy. One long axis has both orders.
  ir::BlockId in_place = e.newBlock(), copied = e.newBlock(), after = e.newBlock();
  ValueId result = b.function().addParam(after, to);
  b.condBr(isContiguousIn(b, array, order == Layout::F), in_place, {}, copied, {});
  b.setBlock(in_place);
  b.br(after, {restride(b, array, to, dimsOf(b, array), {})});
  b.setBlock(copied);
  ValueId copy = copyArray(e, array, to);
  b.br(after, {copy});
  b.setBlock(after);
  return result;
}

ValueId emitRaveled(Emitter &e, ValueId array) {
  TypeId from = e.builder().function().typeOf(array);
  TypeId to = raveledType(from);
  if (from == to)
    return array;
  return viewAsOneAxis(e.builder(), emitContiguous(e, array), to);
}

Resolution flatOf(TypeId array) {
  if (typeOf(array).layout == Layout::C) {
    TypeId type = raveledType(array);
    return Resolution::resolved(
        type, [](Emitter &e, std::span<const ValueId> values) { return emitRaveled(e, values[0]); });
  }
  std::array<TypeId, 1> args{array};
  TypeId type = types().iterator("flat", args);
  return Resolution::resolved(type, [type](Emitter &e, std::span<const ValueId> values) {
    return e.builder().emit(Opcode::TupleMake, type, {values[0]});
  });
}

ValueId emitBroadcastTo(Emitter &e, ValueId array, std::span<const ValueId> dims, TypeId type) {
  Builder &b = e.builder();
  unsigned ndim = rankOf(b.function().typeOf(array));
  auto leading = static_cast<unsigned>(dims.size()) - ndim;
  std::vector<ValueId> strides(dims.size(), b.int64(0));
  for (unsigned axis = 0; axis < ndim; ++axis) {
    ValueId from = b.dim(array, axis), to = dims[leading + axis];
    ValueId same = b.icmp(ir::Predicate::Eq, from, to), one = b.icmp(ir::Predicate::Eq, from, b.int64(1));
    emitCheck(e, b.emit(Opcode::IOr, types().boolean, {same, one}), "ValueError",
              "operands could not be broadcast together with remapped shapes");
    strides[leading + axis] = b.select(same, strideOf(b, array, axis), b.int64(0));
  }
  return restride(b, array, type, dims, strides);
}

} // namespace naja::library
