// np.concatenate, stack, vstack, hstack, dstack, column_stack, append: a new array whose parts are views that the operands
// are copied into.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"

#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Predicate;
using Values = std::span<const ValueId>;

/// Makes one operand what is joined: its type, and the view that has this type.
struct Piece {
  TypeId type;                // of the operand: array or scalar
  std::vector<int64_t> codes; // of the view of an array; empty: the array itself
  unsigned rank = 0;          // of the piece
};

struct Join {
  std::vector<Piece> pieces;
  unsigned axis = 0;
  TypeId result;
  std::function<ValueId(Emitter &, Values, size_t)> operand; // value of piece i
};

ValueId pieceValue(Emitter &e, const Piece &piece, ValueId value) {
  Builder &b = e.builder();
  if (!isArray(piece.type)) { // a scalar: all axes of extent 1
    std::vector<ValueId> ones(piece.rank, b.int64(1)), zeros(piece.rank, b.int64(0));
    ValueId array = allocate(b, arrayType(piece.type, piece.rank), ones);
    storeItem(b, array, zeros, value);
    return array;
  }
  if (piece.codes.empty())
    return value;
  ValueId view = b.emit(Opcode::ArrayView, viewType(piece.type, piece.rank, typeOf(piece.type).layout), {value});
  b.last().int_list = piece.codes;
  return view;
}

/// result[..., start : start + extent, ...]
ValueId slot(Builder &b, ValueId result, unsigned axis, ValueId start, ValueId extent) {
  TypeId type = b.function().typeOf(result);
  std::vector<int64_t> codes(rankOf(type), ir::kViewFull);
  codes[axis] = ir::kViewSlice;
  Layout layout = axis == 0 ? Layout::C : Layout::A;
  ValueId view = b.emit(Opcode::ArrayView, viewType(type, rankOf(type), layout), {result, start, extent, b.int64(1)});
  b.last().int_list = std::move(codes);
  return view;
}

ValueId emitJoin(Emitter &e, const Join &join, Values values) {
  Builder &b = e.builder();
  std::vector<ValueId> pieces;
  for (size_t i = 0; i < join.pieces.size(); ++i)
    pieces.push_back(pieceValue(e, join.pieces[i], join.operand(e, values, i)));
  std::vector<ValueId> dims = dimsOf(b, pieces[0]);
  for (size_t i = 1; i < pieces.size(); ++i)
    for (unsigned axis = 0; axis < dims.size(); ++axis) {
      ValueId extent = b.dim(pieces[i], axis);
      if (axis == join.axis)
        dims[axis] = b.iadd(dims[axis], extent, ir::kNoWrapSigned);
      else
        emitCheck(e, b.icmp(Predicate::Eq, extent, b.dim(pieces[0], axis)), "ValueError",
                  "all the input array dimensions except for the concatenation axis must match exactly");
    }
  ValueId result = allocate(b, join.result, dims);
  ValueId start = b.int64(0);
  for (ValueId piece : pieces) {
    ValueId extent = b.dim(piece, join.axis);
    std::array<ValueId, 1> operands{piece};
    TypeId from = elementOf(b.function().typeOf(piece));
    mapInto(e, slot(b, result, join.axis, start, extent), castKernel(e, from, elementOf(join.result)), operands);
    start = b.iadd(start, extent, ir::kNoWrapSigned);
  }
  return result;
}

/// Finishes a join whose pieces are known: common rank and dtype.
Resolution resolveJoin(Join join, std::string_view name) {
  TypeId dtype;
  for (const Piece &piece : join.pieces) {
    if (piece.rank != join.pieces[0].rank)
      return Resolution::error(std::string(name) + ": all the arrays must have the same number of axes");
    TypeId element = elementOf(piece.type);
    if (dtype.valid() && dtype != element && !(isScalar(dtype) && isScalar(element)))
      return Resolution::error(std::string(name) + ": arrays of " + toString(dtype) + " and " + toString(element) +
                               " have no common dtype");
    dtype = dtype.valid() && dtype != element ? promoteDtypes(dtype, element) : element;
  }
  join.result = arrayType(dtype, join.pieces[0].rank);
  return Resolution::resolved(join.result, [join = std::move(join)](Emitter &e, Values values) {
    return emitJoin(e, join, values);
  });
}

/// The items of a tuple of arrays; empty: it is none.
std::vector<TypeId> arraysOf(TypeId tuple) {
  if (!isSequence(tuple) || typeOf(tuple).args.empty())
    return {};
  for (TypeId item : typeOf(tuple).args)
    if (!isArray(item) && !isScalar(item))
      return {};
  return typeOf(tuple).args;
}

std::function<ValueId(Emitter &, Values, size_t)> itemsOf(const AbstractValue &tuple, size_t position) {
  return [=](Emitter &e, Values values, size_t i) {
    return e.builder().tupleGet(emitOperand(e, tuple, values[position]), static_cast<unsigned>(i));
  };
}

/// How an array of some rank becomes a piece.
using Shaping = Piece (*)(TypeId type);

Piece asItIs(TypeId type) { return {type, {}, rankOf(type)}; }
Piece atLeast1(TypeId type) {
  return rankOf(type) == 0 && isArray(type) ? Piece{type, {ir::kViewNewAxis}, 1} : Piece{type, {}, std::max(1U, rankOf(type))};
}
Piece rows(TypeId type) {
  if (rankOf(type) >= 2)
    return asItIs(type);
  std::vector<int64_t> codes(2 - rankOf(type), ir::kViewNewAxis);
  codes.resize(2, ir::kViewFull);
  return {type, codes, 2};
}
Piece columns(TypeId type) {
  if (rankOf(type) >= 2)
    return asItIs(type);
  std::vector<int64_t> codes(rankOf(type), ir::kViewFull);
  codes.resize(2, ir::kViewNewAxis);
  return {type, codes, 2};
}
Piece depths(TypeId type) {
  switch (rankOf(type)) {
  case 0: return {type, {ir::kViewNewAxis, ir::kViewNewAxis, ir::kViewNewAxis}, 3};
  case 1: return {type, {ir::kViewNewAxis, ir::kViewFull, ir::kViewNewAxis}, 3};
  case 2: return {type, {ir::kViewFull, ir::kViewFull, ir::kViewNewAxis}, 3};
  default: return asItIs(type);
  }
}

Resolution joinAlong(const AbstractValue &tuple, size_t position, Shaping shaping, unsigned axis, std::string_view name) {
  Join join;
  for (TypeId item : arraysOf(tuple.type))
    join.pieces.push_back(shaping(item));
  join.axis = axis;
  join.operand = itemsOf(tuple, position);
  if (axis >= join.pieces[0].rank)
    return Resolution::error(std::string(name) + ": zero-dimensional arrays cannot be concatenated");
  return resolveJoin(std::move(join), name);
}

/// The arrays of the first argument, or an answer that there are none.
std::optional<Resolution> checkArrays(const AbstractValue &tuple) {
  if (!arraysOf(tuple.type).empty())
    return std::nullopt;
  return Resolution{};
}

Resolution concatenate(const Query &query) {
  BoundArguments bound = bindArguments("concatenate", "arrays, axis=, out=, dtype=, casting=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue tuple = boundOperand(bound, 0, query), axis_value = boundOperand(bound, 1, query);
  if (auto none = checkArrays(tuple))
    return *none;
  unsigned rank = rankOf(arraysOf(tuple.type)[0]);
  std::optional<unsigned> axis = bound.operand[1] < 0 ? std::optional(0U) : axisConstant(axis_value, rank);
  if (!axis)
    return Resolution::error("concatenate: the axis must be a constant axis of the arrays");
  return joinAlong(tuple, static_cast<size_t>(bound.operand[0]), asItIs, *axis, "concatenate");
}

Resolution stack(const Query &query) {
  BoundArguments bound = bindArguments("stack", "arrays, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue tuple = boundOperand(bound, 0, query);
  if (auto none = checkArrays(tuple))
    return *none;
  std::vector<TypeId> items = arraysOf(tuple.type);
  unsigned rank = rankOf(items[0]) + 1;
  std::optional<unsigned> axis =
      bound.operand[1] < 0 ? std::optional(0U) : axisConstant(boundOperand(bound, 1, query), rank);
  if (!axis)
    return Resolution::error("stack: the axis must be a constant");
  Join join;
  for (TypeId item : items) {
    std::vector<int64_t> codes(rankOf(item), ir::kViewFull);
    codes.insert(codes.begin() + std::min<ptrdiff_t>(*axis, rankOf(item)), ir::kViewNewAxis);
    join.pieces.push_back({item, codes, rankOf(item) + 1});
  }
  join.axis = *axis;
  join.operand = itemsOf(tuple, static_cast<size_t>(bound.operand[0]));
  return resolveJoin(std::move(join), "stack");
}

/// vstack, hstack ...: one argument, the axis follows from the function (and for hstack from the rank).
Resolution stackOf(const Query &query, std::string_view name, Shaping shaping, unsigned axis) {
  BoundArguments bound = bindArguments(name, "tup, *, dtype=, casting=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue tuple = boundOperand(bound, 0, query);
  if (auto none = checkArrays(tuple))
    return *none;
  return joinAlong(tuple, static_cast<size_t>(bound.operand[0]), shaping, axis, name);
}

Resolution vstack(const Query &query) { return stackOf(query, "vstack", rows, 0); }
Resolution dstack(const Query &query) { return stackOf(query, "dstack", depths, 2); }
Resolution columnStack(const Query &query) { return stackOf(query, "column_stack", columns, 1); }
Resolution hstack(const Query &query) {
  std::vector<TypeId> items = query.operands.empty() ? std::vector<TypeId>{} : arraysOf(query.operands[0].type);
  return stackOf(query, "hstack", atLeast1, !items.empty() && rankOf(items[0]) > 1 ? 1 : 0);
}

Resolution append(const Query &query) {
  BoundArguments bound = bindArguments("append", "arr, values, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue first = boundOperand(bound, 0, query), second = boundOperand(bound, 1, query);
  for (const AbstractValue *operand : {&first, &second})
    if (!operand->type.valid() || (!isArray(operand->type) && !isScalar(operand->type)))
      return {};
  AbstractValue axis_value = boundOperand(bound, 2, query);
  Join join;
  if (isNone(axis_value)) { // both as one axis
    for (const AbstractValue *operand : {&first, &second})
      join.pieces.push_back(rankOf(operand->type) > 1 ? Piece{arrayType(elementOf(operand->type), 1), {}, 1}
                                                      : atLeast1(operand->type));
  } else {
    std::optional<unsigned> axis = axisConstant(axis_value, rankOf(first.type));
    if (!axis || rankOf(first.type) != rankOf(second.type))
      return Resolution::error("append: with an axis, which must be a constant, both arrays must have the same rank");
    join.axis = *axis;
    join.pieces = {asItIs(first.type), asItIs(second.type)};
  }
  std::array<size_t, 2> at{static_cast<size_t>(bound.operand[0]), static_cast<size_t>(bound.operand[1])};
  join.operand = [=, flat = isNone(axis_value)](Emitter &e, Values values, size_t i) {
    const AbstractValue &operand = i == 0 ? first : second;
    ValueId value = emitOperand(e, operand, values[at[i]]);
    if (!flat || rankOf(operand.type) <= 1)
      return value;
    Builder &b = e.builder();
    ValueId copy = copyArray(e, value, arrayType(elementOf(operand.type), rankOf(operand.type)));
    std::array<ValueId, 1> dims{sizeOf(b, copy)};
    return restride(b, copy, arrayType(elementOf(operand.type), 1), dims, {});
  };
  return resolveJoin(std::move(join), "append");
}

} // namespace

void registerArrayJoin(Table &table) {
  table.call("numpy.concatenate", concatenate);
  table.call("numpy.stack", stack);
  table.call("numpy.vstack", vstack);
  table.call("numpy.row_stack", vstack);
  table.call("numpy.hstack", hstack);
  table.call("numpy.dstack", dstack);
  table.call("numpy.column_stack", columnStack);
  table.call("numpy.append", append);
}

} // namespace naja::library
