// Functions and methods that change the geometry of an array: reshape, ravel, transpose and their kin, view, fill, item.
#include "naja/library/array_families.h"
#include "naja/library/array_views.h"

#include <algorithm>
#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Predicate;

ValueId orBool(Builder &b, ValueId x, ValueId y) { return b.emit(Opcode::IOr, types().boolean, {x, y}); }
ValueId andBool(Builder &b, ValueId x, ValueId y) { return b.emit(Opcode::IAnd, types().boolean, {x, y}); }

// ---- reshape

/// Replaces one extent of -1 by what is left of `size`, and checks that the sizes agree.
void resolveExtents(Emitter &e, std::vector<ValueId> &dims, ValueId size) {
  Builder &b = e.builder();
  ValueId zero = b.int64(0), one = b.int64(1);
  ValueId unknown = zero, known = one;
  std::vector<ValueId> negative(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    negative[i] = b.icmp(Predicate::Lt, dims[i], zero);
    unknown = b.iadd(unknown, b.cast(negative[i], types().int64));
    known = b.imul(known, b.select(negative[i], one, dims[i]));
  }
  emitCheck(e, b.icmp(Predicate::Le, unknown, one), "ValueError", "can only specify one unknown dimension");
  ValueId empty = b.icmp(Predicate::Eq, known, zero), none = b.icmp(Predicate::Eq, unknown, zero);
  ValueId divisor = b.select(empty, one, known);
  ValueId rest = b.emit(Opcode::IFloorDiv, types().int64, {size, divisor});
  ValueId total = b.select(none, known, b.imul(known, rest));
  ValueId fits = andBool(b, b.icmp(Predicate::Eq, total, size), orBool(b, none, emitNot(e, empty)));
  emitCheck(e, fits, "ValueError", "cannot reshape array: the new shape has another number of elements");
  for (size_t i = 0; i < dims.size(); ++i)
    dims[i] = b.select(negative[i], rest, dims[i]);
}

/// Resolution of a reshape of operand 0 to the extents that `extents` reads.
Resolution reshapeTo(TypeId array, unsigned ndim,
                     std::function<std::vector<ValueId>(Emitter &, std::span<const ValueId>)> extents) {
  const Type &from = typeOf(array);
  bool view = from.layout == Layout::C;
  TypeId type = view ? viewType(array, ndim, Layout::C) : arrayType(from.args[0], ndim);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    std::vector<ValueId> dims = extents(e, values);
    resolveExtents(e, dims, sizeOf(b, values[0]));
    return restride(b, emitContiguous(e, values[0]), type, dims, {});
  });
}

Resolution reshapeByOperand(const Query &query, size_t index) {
  AbstractValue shape = query.operands[index];
  if (!isShape(shape.type))
    return Resolution::error("reshape: the shape must be an int or a tuple of ints, not " + toString(shape.type));
  return reshapeTo(query.operands[0].type, shapeRank(shape.type),
                   [=](Emitter &e, std::span<const ValueId> values) { return shapeOperand(e, shape, values[index]); });
}

Resolution reshapeMethod(const Query &query) {
  if (query.operands.size() == 2 && query.keywords.empty())
    return reshapeByOperand(query, 1);
  if (!query.keywords.empty() || query.operands.size() < 2)
    return Resolution::error("reshape: a shape is expected, as a tuple or as separate ints");
  std::vector<AbstractValue> extents(query.operands.begin() + 1, query.operands.end());
  for (const AbstractValue &extent : extents)
    if (!isIndexLike(extent.type))
      return Resolution::error("reshape: the extents must be ints, not " + toString(extent.type));
  return reshapeTo(query.operands[0].type, static_cast<unsigned>(extents.size()),
                   [extents](Emitter &e, std::span<const ValueId> values) {
                     std::vector<ValueId> dims;
                     for (size_t i = 0; i < extents.size(); ++i)
                       dims.push_back(operandAs(e, extents[i], values[i + 1], types().int64));
                     return dims;
                   });
}

Resolution reshapeFunction(const Query &query) {
  BoundArguments bound = bindArguments("reshape", "a, shape, order=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  if (!isArray(query.operands[0].type) || bound.operand[0] != 0)
    return {};
  return reshapeByOperand(query, static_cast<size_t>(bound.operand[1]));
}

Resolution ravel(const Query &query) {
  if (query.operands.empty() || !isArray(query.operands[0].type))
    return {};
  if (query.operands.size() > 1)
    return Resolution::error("ravel: order is always 'C'");
  return Resolution::resolved(raveledType(query.operands[0].type), [](Emitter &e, std::span<const ValueId> values) {
    return emitRaveled(e, values[0]);
  });
}

Resolution flatten(const Query &query) {
  if (query.operands.size() > 1)
    return Resolution::error("flatten: order is always 'C'");
  TypeId from = query.operands[0].type, type = arrayType(elementOf(from), 1);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    ValueId copy = copyArray(e, values[0], arrayType(elementOf(from), rankOf(from)));
    std::array<ValueId, 1> dims{sizeOf(b, copy)};
    return restride(b, copy, type, dims, {});
  });
}

// ---- order of axes

Resolution permute(TypeId array, std::vector<unsigned> order) {
  TypeId type = permutedType(array, order);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    return type == array && typeOf(type).layout != Layout::A ? values[0]
                                                              : emitPermuted(e.builder(), values[0], type, order);
  });
}

/// A permutation of all axes from constants; empty: they are none.
std::optional<std::vector<unsigned>> permutation(std::span<const AbstractValue> axes, unsigned ndim) {
  std::vector<unsigned> order;
  std::vector<bool> seen(ndim);
  for (const AbstractValue &axis : axes) {
    std::optional<unsigned> number = axisConstant(axis, ndim);
    if (!number || seen[*number])
      return std::nullopt;
    seen[*number] = true;
    order.push_back(*number);
  }
  return order.size() == ndim ? std::optional(order) : std::nullopt;
}

/// The items of a constant tuple, or of a tuple of constants; a scalar stands for itself.
std::vector<AbstractValue> constantItems(const AbstractValue &value) {
  std::vector<AbstractValue> items;
  const Constant *constant = constantOf(value);
  if (constant == nullptr)
    return items;
  if (const auto *tuple = std::get_if<ConstTuple>(&constant->value)) {
    for (ConstId item : tuple->items)
      items.push_back({ConstantStore::global().get(item).type, item, true});
  } else {
    items.push_back(value);
  }
  return items;
}

Resolution transposeBy(TypeId array, std::span<const AbstractValue> axes) {
  std::optional<std::vector<unsigned>> order = permutation(axes, rankOf(array));
  if (!order)
    return Resolution::error("transpose: the axes must be constants that name each axis once");
  return permute(array, *order);
}

Resolution transposeAll(TypeId array) {
  return Resolution::resolved(transposedType(array), [](Emitter &e, std::span<const ValueId> values) {
    return emitTransposed(e.builder(), values[0]);
  });
}

Resolution transposeMethod(const Query &query) {
  TypeId array = query.operands[0].type;
  if (query.operands.size() == 1 || (query.operands.size() == 2 && isNone(query.operands[1])))
    return transposeAll(array);
  if (query.operands.size() == 2 && isTuple(query.operands[1].type))
    return transposeBy(array, constantItems(query.operands[1]));
  return transposeBy(array, query.operands.subspan(1));
}

Resolution transposeFunction(const Query &query) {
  BoundArguments bound = bindArguments("transpose", "a, axes=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  if (!isArray(query.operands[0].type))
    return {};
  AbstractValue axes = boundOperand(bound, 1, query);
  return isNone(axes) ? transposeAll(query.operands[0].type)
                      : transposeBy(query.operands[0].type, constantItems(axes));
}

Resolution swapaxes(const Query &query) {
  BoundArguments bound = bindArguments("swapaxes", "a, axis1, axis2", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId array = query.operands[0].type;
  if (!isArray(array))
    return {};
  std::optional<unsigned> first = axisConstant(boundOperand(bound, 1, query), rankOf(array));
  std::optional<unsigned> second = axisConstant(boundOperand(bound, 2, query), rankOf(array));
  if (!first || !second)
    return Resolution::error("swapaxes: the axes must be constants within the array's axes");
  std::vector<unsigned> order(rankOf(array));
  for (unsigned i = 0; i < order.size(); ++i)
    order[i] = i == *first ? *second : i == *second ? *first : i;
  return permute(array, order);
}

Resolution moveaxis(const Query &query) {
  BoundArguments bound = bindArguments("moveaxis", "a, source, destination", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId array = query.operands[0].type;
  if (!isArray(array))
    return {};
  std::optional<unsigned> from = axisConstant(boundOperand(bound, 1, query), rankOf(array));
  std::optional<unsigned> to = axisConstant(boundOperand(bound, 2, query), rankOf(array));
  if (!from || !to)
    return Resolution::error("moveaxis: source and destination must be constant axes");
  std::vector<unsigned> order;
  for (unsigned i = 0; i < rankOf(array); ++i)
    if (i != *from)
      order.push_back(i);
  order.insert(order.begin() + *to, *from);
  return permute(array, order);
}

// ---- more and fewer axes

/// A view through array.view: one code per item, no operands.
Resolution viewByCodes(TypeId array, TypeId type, std::vector<int64_t> codes, unsigned dropped) {
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    std::vector<ValueId> operands{values[0]};
    for (unsigned i = 0; i < dropped; ++i)
      operands.push_back(b.int64(0));
    ValueId view = b.emit(Opcode::ArrayView, type, operands);
    b.last().int_list = codes;
    return view;
  });
}

Resolution expandDims(const Query &query) {
  BoundArguments bound = bindArguments("expand_dims", "a, axis", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId array = query.operands[0].type;
  if (!isArray(array))
    return {};
  std::vector<AbstractValue> axes = constantItems(boundOperand(bound, 1, query));
  unsigned ndim = rankOf(array) + static_cast<unsigned>(axes.size());
  std::vector<int64_t> codes(ndim, ir::kViewFull);
  for (const AbstractValue &axis : axes) {
    std::optional<unsigned> at = axisConstant(axis, ndim);
    if (!at || codes[*at] == ir::kViewNewAxis)
      return Resolution::error("expand_dims: the axis must be a constant from " + std::to_string(-int64_t(ndim)) +
                               " to " + std::to_string(ndim - 1));
    codes[*at] = ir::kViewNewAxis;
  }
  if (axes.empty())
    return Resolution::error("expand_dims: the axis must be a constant");
  return viewByCodes(array, viewType(array, ndim, typeOf(array).layout), std::move(codes), 0);
}

Resolution squeeze(const Query &query) {
  BoundArguments bound = bindArguments("squeeze", "a, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId array = query.operands[0].type;
  if (!isArray(array))
    return {};
  std::vector<AbstractValue> axes = constantItems(boundOperand(bound, 1, query));
  std::vector<int64_t> codes(rankOf(array), ir::kViewFull);
  for (const AbstractValue &axis : axes) {
    std::optional<unsigned> at = axisConstant(axis, rankOf(array));
    if (!at)
      return Resolution::error("squeeze: the axis must be a constant axis of the array");
    codes[*at] = ir::kViewIndex;
  }
  if (axes.empty())
    return Resolution::error("squeeze: name the axes, so that the number of axes is known while compiling",
                             "np.squeeze(a, axis=0)");
  unsigned dropped = static_cast<unsigned>(std::count(codes.begin(), codes.end(), ir::kViewIndex));
  TypeId type = viewType(array, rankOf(array) - dropped, typeOf(array).layout);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    std::vector<ValueId> operands{values[0]};
    for (unsigned i = 0; i < codes.size(); ++i)
      if (codes[i] == ir::kViewIndex) {
        emitCheck(e, b.icmp(Predicate::Eq, b.dim(values[0], i), b.int64(1)), "ValueError",
                  "cannot select an axis to squeeze out which has size not equal to one");
        operands.push_back(b.int64(0));
      }
    ValueId view = b.emit(Opcode::ArrayView, type, operands);
    b.last().int_list = codes;
    return view;
  });
}

template <unsigned least> Resolution atLeast(const Query &query) {
  if (query.operands.size() != 1 || !isArray(query.operands[0].type))
    return {};
  TypeId array = query.operands[0].type;
  unsigned ndim = rankOf(array);
  if (ndim >= least)
    return Resolution::resolved(array, [](Emitter &, std::span<const ValueId> values) { return values[0]; });
  std::vector<int64_t> codes(ndim, ir::kViewFull);
  while (codes.size() < std::min(least, 2U))
    codes.insert(codes.begin(), ir::kViewNewAxis);
  if (least == 3)
    codes.push_back(ir::kViewNewAxis);
  return viewByCodes(array, viewType(array, least, typeOf(array).layout), std::move(codes), 0);
}

Resolution broadcastTo(const Query &query) {
  BoundArguments bound = bindArguments("broadcast_to", "array, shape, subok=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue source = boundOperand(bound, 0, query), shape = boundOperand(bound, 1, query);
  if (!isArray(source.type))
    return {};
  if (!isShape(shape.type))
    return Resolution::error("broadcast_to: the shape must be an int or a tuple of ints");
  unsigned ndim = shapeRank(shape.type);
  if (ndim < rankOf(source.type))
    return Resolution::error("broadcast_to: input operand has more dimensions than allowed by the axis remapping");
  TypeId type = arrayType(elementOf(source.type), ndim, ndim == 0 ? Layout::C : Layout::A, true,
                          typeOf(source.type).aligned);
  auto at = static_cast<size_t>(bound.operand[1]);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    return emitBroadcastTo(e, values[0], shapeOperand(e, shape, values[at]), type);
  });
}

/// Reverses axes: negative strides from the last item.
ValueId emitReversed(Emitter &e, ValueId array, TypeId type, const std::vector<bool> &reverse) {
  Builder &b = e.builder();
  std::vector<ValueId> dims = dimsOf(b, array), strides = stridesOf(b, array);
  ValueId offset = b.int64(0);
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (reverse[axis]) {
      offset = b.iadd(offset, b.imul(b.isub(dims[axis], b.int64(1)), strides[axis]));
      strides[axis] = b.emit(Opcode::INeg, types().int64, {strides[axis]});
    }
  return restride(b, array, type, dims, strides, offset);
}

Resolution flipAxes(TypeId array, std::vector<bool> reverse) {
  TypeId type = viewType(array, rankOf(array), Layout::A);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    return emitReversed(e, values[0], type, reverse);
  });
}

Resolution flip(const Query &query) {
  BoundArguments bound = bindArguments("flip", "m, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId array = query.operands[0].type;
  if (!isArray(array))
    return {};
  AbstractValue axis = boundOperand(bound, 1, query);
  std::vector<bool> reverse(rankOf(array), isNone(axis));
  if (!isNone(axis))
    for (const AbstractValue &item : constantItems(axis)) {
      std::optional<unsigned> at = axisConstant(item, rankOf(array));
      if (!at)
        return Resolution::error("flip: the axis must be a constant axis of the array");
      reverse[*at] = true;
    }
  return flipAxes(array, std::move(reverse));
}

template <unsigned axis> Resolution flipOne(const Query &query) {
  if (query.operands.size() != 1 || !isArray(query.operands[0].type))
    return {};
  unsigned ndim = rankOf(query.operands[0].type);
  if (ndim <= axis)
    return Resolution::error("Input must be >= " + std::to_string(axis + 1) + "-d.");
  std::vector<bool> reverse(ndim);
  reverse[axis] = true;
  return flipAxes(query.operands[0].type, std::move(reverse));
}

Resolution asStrided(const Query &query) {
  BoundArguments bound = bindArguments("as_strided", "x, shape=, strides=, subok=, writeable=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue source = boundOperand(bound, 0, query), shape = boundOperand(bound, 1, query);
  AbstractValue steps = boundOperand(bound, 2, query);
  if (!isArray(source.type))
    return {};
  bool own_shape = !isNone(shape), own_strides = !isNone(steps);
  unsigned ndim = own_shape ? (isShape(shape.type) ? shapeRank(shape.type) : ~0U) : rankOf(source.type);
  unsigned count = own_strides ? (isShape(steps.type) ? shapeRank(steps.type) : ~0U) : rankOf(source.type);
  if (ndim != count || ndim == ~0U)
    return Resolution::error("as_strided: shape and strides must be tuples of ints of one length");
  TypeId type = viewType(source.type, ndim, Layout::A);
  int shape_at = bound.operand[1], strides_at = bound.operand[2];
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    std::vector<ValueId> dims = own_shape ? shapeOperand(e, shape, values[static_cast<size_t>(shape_at)])
                                          : dimsOf(b, values[0]);
    std::vector<ValueId> strides = own_strides ? shapeOperand(e, steps, values[static_cast<size_t>(strides_at)])
                                               : stridesOf(b, values[0]);
    return restride(b, values[0], type, dims, strides);
  });
}

// ---- other methods

/// a.view(dtype): the last axis is divided or multiplied where the item sizes differ.
ValueId emitViewAs(Emitter &e, ValueId array, TypeId type) {
  Builder &b = e.builder();
  TypeId from = b.function().typeOf(array);
  int64_t old_size = itemSize(elementOf(from)), new_size = itemSize(elementOf(type));
  std::vector<ValueId> dims = dimsOf(b, array), strides;
  bool strided = typeOf(type).layout == Layout::A;
  if (strided)
    strides = stridesOf(b, array);
  if (old_size != new_size) {
    ValueId bytes = b.imul(dims.back(), b.int64(old_size));
    if (strided)
      emitCheck(e, b.icmp(Predicate::Eq, strides.back(), b.int64(old_size)), "ValueError",
                "To change to a dtype of a different size, the last axis must be contiguous");
    ValueId rest = b.emit(Opcode::IMod, types().int64, {bytes, b.int64(new_size)});
    if (old_size % new_size != 0)
      emitCheck(e, b.icmp(Predicate::Eq, rest, b.int64(0)), "ValueError",
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the last "
                "axis of the array.");
    dims.back() = b.emit(Opcode::IFloorDiv, types().int64, {bytes, b.int64(new_size)});
    if (strided)
      strides.back() = b.int64(new_size);
  }
  return restride(b, array, type, dims, strides);
}

Resolution viewMethod(const Query &query) {
  if (query.operands.size() != 2)
    return Resolution::error("view: a dtype is expected");
  std::optional<TypeId> dtype = dtypeOperand(query.operands[1]);
  TypeId array = query.operands[0].type;
  const Type &from = typeOf(array);
  if (!dtype)
    return Resolution::error("view: the dtype must be known while compiling");
  bool same_size = itemSize(*dtype) == itemSize(from.args[0]);
  if (!same_size && (from.ndim == 0 || from.layout == Layout::F))
    return Resolution::error("To change to a dtype of a different size, the last axis must be contiguous");
  bool aligned = from.aligned && (itemAlignment(*dtype) <= itemAlignment(from.args[0]) || isContiguous(array));
  TypeId type = arrayType(*dtype, from.ndim, from.layout, from.readonly, aligned);
  return Resolution::resolved(
      type, [type](Emitter &e, std::span<const ValueId> values) { return emitViewAs(e, values[0], type); });
}

Resolution readonlyError(TypeId array) {
  return Resolution::error("cannot modify a read-only array of type " + toString(array));
}

Resolution fill(const Query &query) {
  TypeId array = query.operands[0].type;
  if (query.operands.size() != 2 || !isScalar(query.operands[1].type))
    return Resolution::error("fill: a scalar is expected");
  if (typeOf(array).readonly)
    return readonlyError(array);
  AbstractValue value = query.operands[1];
  return Resolution::resolved(types().none, [=](Emitter &e, std::span<const ValueId> values) {
    fillArray(e, values[0], operandAs(e, value, values[1], elementOf(array)));
    return e.builder().noneConst();
  });
}

Resolution item(const Query &query) {
  TypeId array = query.operands[0].type;
  if (query.operands.size() != 1)
    return Resolution::error("item: no arguments are expected", "index the array");
  return Resolution::resolved(elementOf(array), [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    if (rankOf(array) > 0)
      emitCheck(e, b.icmp(Predicate::Eq, sizeOf(b, values[0]), b.int64(1)), "ValueError",
                "can only convert an array of size 1 to a Python scalar");
    std::vector<ValueId> zeros;
    for (unsigned i = 0; i < rankOf(array); ++i)
      zeros.push_back(b.int64(0));
    return loadItem(b, values[0], zeros);
  });
}

/// np.shape(a), np.ndim(a): also of scalars.
Resolution shapeFunction(const Query &query) {
  if (query.operands.size() != 1)
    return {};
  TypeId type = query.operands[0].type;
  if (!isArray(type) && !isScalarOperand(type))
    return {};
  return Resolution::resolved(types().uniTuple(types().int64, rankOf(type)),
                              [type](Emitter &e, std::span<const ValueId> values) {
                                Builder &b = e.builder();
                                return int64Tuple(b, isArray(type) ? dimsOf(b, values[0]) : std::vector<ValueId>{});
                              });
}

Resolution ndimFunction(const Query &query) {
  if (query.operands.size() != 1 || (!isArray(query.operands[0].type) && !isScalarOperand(query.operands[0].type)))
    return {};
  return Resolution::constantValue(ConstantStore::global().ofInt(rankOf(query.operands[0].type)), true);
}

Resolution sizeFunction(const Query &query) {
  BoundArguments bound = bindArguments("size", "a, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId type = query.operands[0].type;
  if (isScalarOperand(type))
    return Resolution::constantValue(ConstantStore::global().ofInt(1), true);
  if (!isArray(type))
    return {};
  AbstractValue axis = boundOperand(bound, 1, query);
  std::optional<unsigned> at = isNone(axis) ? std::nullopt : axisConstant(axis, rankOf(type));
  if (!isNone(axis) && !at)
    return Resolution::error("size: the axis must be a constant axis of the array");
  return Resolution::resolved(types().int64, [at](Emitter &e, std::span<const ValueId> values) {
    return at ? e.builder().dim(values[0], *at) : sizeOf(e.builder(), values[0]);
  });
}

} // namespace

void registerArrayShape(Table &table) {
  table.method(TypeKind::Array, "reshape", reshapeMethod);
  table.method(TypeKind::Array, "ravel", ravel);
  table.method(TypeKind::Array, "flatten", flatten);
  table.method(TypeKind::Array, "transpose", transposeMethod);
  table.method(TypeKind::Array, "swapaxes", swapaxes);
  table.method(TypeKind::Array, "squeeze", squeeze);
  table.method(TypeKind::Array, "view", viewMethod);
  table.method(TypeKind::Array, "fill", fill);
  table.method(TypeKind::Array, "item", item);
  table.call("numpy.reshape", reshapeFunction);
  table.call("numpy.ravel", ravel);
  table.call("numpy.transpose", transposeFunction);
  table.call("numpy.swapaxes", swapaxes);
  table.call("numpy.moveaxis", moveaxis);
  table.call("numpy.expand_dims", expandDims);
  table.call("numpy.squeeze", squeeze);
  table.call("numpy.atleast_1d", atLeast<1>);
  table.call("numpy.atleast_2d", atLeast<2>);
  table.call("numpy.atleast_3d", atLeast<3>);
  table.call("numpy.broadcast_to", broadcastTo);
  table.call("numpy.flip", flip);
  table.call("numpy.flipud", flipOne<0>);
  table.call("numpy.fliplr", flipOne<1>);
  table.call("numpy.lib.stride_tricks.as_strided", asStrided);
  table.call("numpy.shape", shapeFunction);
  table.call("numpy.ndim", ndimFunction);
  table.call("numpy.size", sizeFunction);
}

} // namespace naja::library
