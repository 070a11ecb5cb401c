// a[...] and a[...] = x with integer arrays and boolean masks among the indices. Integer arrays on every axis make a
// gather (a map that fuses); anything else loops over the broadcast shape of the index arrays and copies what the other
// indices leave of the array. A mask stands for the arrays of np.nonzero.
#include "naja/library/array_families.h"
#include "naja/library/array_indexing.h"
#include "naja/library/array_views.h"

#include <algorithm>
#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Predicate;
using Values = std::span<const ValueId>;

/// Where the axes of a fancy result come from.
struct FancyPlan {
  TypeId array;
  ArrayIndex parsed;
  AbstractValue index;
  unsigned index_rank = 0; // axes of the broadcast index arrays
  unsigned before = 0;     // other axes in front of them in the result
  unsigned rest = 0;       // other axes in all
  bool no_new_axes = true;
};

bool isFancy(const IndexItem &item) {
  return item.kind == IndexItem::IntArray || item.kind == IndexItem::BoolArray || item.kind == IndexItem::Integer;
}

FancyPlan makePlan(TypeId array, ArrayIndex parsed, const AbstractValue &index) {
  FancyPlan plan{array, std::move(parsed), index};
  bool seen = false, closed = false, split = false;
  unsigned before = 0;
  for (const IndexItem &item : plan.parsed.items) {
    if (isFancy(item)) {
      split = split || closed;
      seen = true;
      if (item.kind != IndexItem::Integer)
        plan.index_rank = std::max(plan.index_rank, item.kind == IndexItem::BoolArray ? 1U : rankOf(item.value.type));
      continue;
    }
    closed = seen;
    before += !seen;
    ++plan.rest;
    plan.no_new_axes = plan.no_new_axes && item.kind != IndexItem::NewAxis;
  }
  plan.before = split ? 0 : before; // separated index arrays go first
  return plan;
}

TypeId resultType(const FancyPlan &plan) { return arrayType(elementOf(plan.array), plan.index_rank + plan.rest); }

/// Only integer arrays and integers, one for every axis.
bool isGather(const FancyPlan &plan) {
  if (plan.rest > 0 || plan.parsed.has_ellipsis)
    return false;
  return std::none_of(plan.parsed.items.begin(), plan.parsed.items.end(),
                      [](const IndexItem &item) { return item.kind == IndexItem::BoolArray; });
}

/// A bare mask, or one mask in a tuple of nothing else, over the leading axes.
bool isMask(const FancyPlan &plan) {
  return plan.parsed.arrays == 1 && plan.parsed.items[0].kind == IndexItem::BoolArray &&
         std::all_of(plan.parsed.items.begin() + 1, plan.parsed.items.end(),
                     [](const IndexItem &item) { return item.kind == IndexItem::Full; });
}

// ---- masks

void checkMaskShape(Emitter &e, ValueId array, ValueId mask, unsigned first_axis) {
  Builder &b = e.builder();
  for (unsigned axis = 0; axis < rankOf(b.function().typeOf(mask)); ++axis)
    emitCheck(e, b.icmp(Predicate::Eq, b.dim(array, first_axis + axis), b.dim(mask, axis)), "IndexError",
              "boolean index did not match indexed array along axis " + std::to_string(first_axis + axis));
}

ValueId countTrue(Emitter &e, ValueId mask) {
  std::array<ValueId, 1> operands{mask};
  return reduceArray(e, castKernel(e, types().boolean, types().int64), ir::ReduceKind::Sum, types().int64, operands,
                     e.builder().int64(0));
}

/// Calls `visit` for every true item with its indices and its number, and returns how many there were.
ValueId eachTrue(Emitter &e, ValueId mask, const std::function<void(Values indices, ValueId number)> &visit) {
  Builder &b = e.builder();
  std::vector<ValueId> dims = dimsOf(b, mask);
  return emitLoops(e, dims, {b.int64(0)}, [&](Values indices, Values carried) {
    std::vector<ValueId> at(indices.begin(), indices.end());
    ValueId number = carried[0];
    return emitIf(e, loadItem(b, mask, at), {number}, [&] {
      visit(at, number);
      return std::vector<ValueId>{b.iadd(number, b.int64(1), ir::kNoWrapSigned)};
    });
  })[0];
}

/// array[indices] with whole axes after them: an item's view, or nothing where the indices are all.
ValueId leadingView(Builder &b, ValueId array, Values indices) {
  TypeId type = b.function().typeOf(array);
  unsigned rank = rankOf(type) - static_cast<unsigned>(indices.size());
  Layout layout = typeOf(type).layout == Layout::C ? Layout::C : Layout::A;
  std::vector<ValueId> operands{array};
  operands.insert(operands.end(), indices.begin(), indices.end());
  ValueId view = b.emit(Opcode::ArrayView, viewType(type, rank, layout), operands);
  b.last().int_list.assign(indices.size(), ir::kViewIndex);
  b.last().int_list.resize(rankOf(type), ir::kViewFull);
  return view;
}

/// destination[...] = source[...] for items or views of one dtype each.
void copyBetween(Emitter &e, ValueId destination, Values to, ValueId source, Values from) {
  Builder &b = e.builder();
  TypeId dtype = elementOf(b.function().typeOf(destination)), source_dtype = elementOf(b.function().typeOf(source));
  if (rankOf(b.function().typeOf(destination)) == to.size()) {
    ValueId item = loadItem(b, source, from);
    storeItem(b, destination, to, isScalar(dtype) ? castScalar(e, item, dtype) : item);
    return;
  }
  std::array<ValueId, 1> operands{leadingView(b, source, from)};
  mapInto(e, leadingView(b, destination, to), castKernel(e, source_dtype, dtype), operands);
}

ValueId emitMaskGet(Emitter &e, const FancyPlan &plan, ValueId array, ValueId mask) {
  Builder &b = e.builder();
  checkMaskShape(e, array, mask, 0);
  unsigned masked = rankOf(b.function().typeOf(mask));
  std::vector<ValueId> dims{countTrue(e, mask)};
  for (unsigned axis = masked; axis < rankOf(plan.array); ++axis)
    dims.push_back(b.dim(array, axis));
  ValueId result = allocate(b, resultType(plan), dims);
  eachTrue(e, mask, [&](Values indices, ValueId number) {
    copyBetween(e, result, std::array<ValueId, 1>{number}, array, indices);
  });
  return result;
}

// ---- stores through masks

/// a[mask] = x: a scalar or a value that broadcasts over the trailing axes goes to every true item; else x[k] to the k-th.
void emitMaskSet(Emitter &e, const FancyPlan &plan, ValueId array, ValueId mask, const AbstractValue &stored,
                 ValueId value) {
  Builder &b = e.builder();
  TypeId dtype = elementOf(plan.array);
  checkMaskShape(e, array, mask, 0);
  unsigned rest = rankOf(plan.array) - rankOf(b.function().typeOf(mask));
  if (rankOf(stored.type) == 0) {
    if (isArray(stored.type))
      value = loadItem(b, value, {});
    value = isScalar(dtype) ? (isArray(stored.type) ? castScalar(e, value, dtype) : operandAs(e, stored, value, dtype)) : value;
    eachTrue(e, mask, [&](Values indices, ValueId) {
      if (rest == 0)
        storeItem(b, array, indices, value);
      else
        fillArray(e, leadingView(b, array, indices), value);
    });
    return;
  }
  TypeId source_dtype = elementOf(stored.type);
  if (rankOf(stored.type) <= rest) {
    eachTrue(e, mask, [&](Values indices, ValueId) {
      std::array<ValueId, 1> operands{value};
      mapInto(e, leadingView(b, array, indices), castKernel(e, source_dtype, dtype), operands);
    });
    return;
  }
  ValueId count = countTrue(e, mask), given = b.dim(value, 0);
  ValueId single = b.icmp(Predicate::Eq, given, b.int64(1));
  emitCheck(e, b.emit(Opcode::IOr, types().boolean, {single, b.icmp(Predicate::Eq, given, count)}), "ValueError",
            "NumPy boolean array indexing assignment: the number of input values differs from the number of output values "
            "where the mask is true");
  std::array<ValueId, 1> overlap{value};
  value = mapArray(e, castKernel(e, source_dtype, dtype), arrayType(dtype, rankOf(stored.type)), overlap); // may overlap
  eachTrue(e, mask, [&](Values indices, ValueId number) {
    copyBetween(e, array, indices, value, std::array<ValueId, 1>{b.select(single, b.int64(0), number)});
  });
}

// ---- integer arrays

/// np.nonzero(mask) as index arrays.
std::vector<ValueId> emitNonzero(Emitter &e, ValueId mask) {
  Builder &b = e.builder();
  unsigned rank = rankOf(b.function().typeOf(mask));
  std::array<ValueId, 1> dims{countTrue(e, mask)};
  std::vector<ValueId> arrays;
  for (unsigned i = 0; i < rank; ++i)
    arrays.push_back(allocate(b, arrayType(types().int64, 1), dims));
  eachTrue(e, mask, [&](Values indices, ValueId number) {
    for (unsigned i = 0; i < rank; ++i)
      storeItem(b, arrays[i], std::array<ValueId, 1>{number}, indices[i]);
  });
  return arrays;
}

/// An index of one axis: an array or an int64.
struct AxisIndex {
  unsigned axis;  // of the array
  ValueId value;
  bool is_signed;
};

std::vector<AxisIndex> axisIndices(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value) {
  std::vector<AxisIndex> result;
  for (const IndexItem &item : plan.parsed.items) {
    if (!isFancy(item))
      continue;
    ValueId value = indexItemValue(e, item, plan.index, index_value);
    if (item.kind == IndexItem::Integer) {
      bool is_signed = item.value.constant.valid() || isSigned(item.value.type);
      result.push_back({item.axis, operandAs(e, item.value, value, types().int64), is_signed});
    } else if (item.kind == IndexItem::IntArray) {
      result.push_back({item.axis, value, isSigned(elementOf(item.value.type))});
    } else {
      checkMaskShape(e, array, value, item.axis);
      for (ValueId positions : emitNonzero(e, value))
        result.push_back({item.axis + static_cast<unsigned>(result.empty() ? 0 : result.back().axis + 1 - item.axis),
                          positions, false});
    }
  }
  return result;
}

ValueId wrapped(Emitter &e, ValueId index, bool is_signed, ValueId extent, unsigned axis) {
  Builder &b = e.builder();
  index = emitConvert(e, index, types().int64);
  if (is_signed)
    index = b.emit(Opcode::WrapIndex, types().int64, {index, extent});
  if (e.flags().boundscheck)
    b.emit(Opcode::CheckIndex, {}, {index, extent}, axis);
  return index;
}

/// One map over the index arrays, whose kernel loads.
ValueId emitGather(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value) {
  Builder &b = e.builder();
  std::vector<AxisIndex> indices = axisIndices(e, plan, array, index_value);
  std::vector<TypeId> params{plan.array};
  std::vector<ValueId> operands{array};
  std::string key = "gather(" + toString(plan.array);
  for (const AxisIndex &index : indices) {
    TypeId type = elementOf(b.function().typeOf(index.value));
    params.push_back(type);
    operands.push_back(index.value);
    key += "," + toString(type) + (index.is_signed ? "" : "+");
  }
  ir::FunctionId kernel = e.kernel(key + ")", params, elementOf(plan.array), [&](Emitter &inner, Values args) {
    std::vector<ValueId> at;
    for (unsigned axis = 0; axis < indices.size(); ++axis)
      at.push_back(wrapped(inner, args[axis + 1], indices[axis].is_signed, inner.builder().dim(args[0], axis), axis));
    return loadItem(inner.builder(), args[0], at);
  });
  return mapArray(e, kernel, resultType(plan), operands);
}

/// The broadcast extents of the index arrays, and every index as an array of that rank (or a scalar).
struct Broadcast {
  std::vector<ValueId> dims;
  std::vector<AxisIndex> indices;
};

Broadcast broadcastIndices(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value) {
  Builder &b = e.builder();
  Broadcast result;
  result.indices = axisIndices(e, plan, array, index_value);
  std::vector<std::vector<ValueId>> extents(plan.index_rank);
  for (const AxisIndex &index : result.indices) {
    unsigned rank = rankOf(b.function().typeOf(index.value));
    for (unsigned axis = 0; axis < rank; ++axis)
      extents[plan.index_rank - rank + axis].push_back(b.dim(index.value, axis));
  }
  for (const std::vector<ValueId> &axis : extents)
    result.dims.push_back(axis.size() == 1 ? axis[0] : b.emit(Opcode::ArrayBroadcastDim, types().int64, axis));
  for (AxisIndex &index : result.indices) {
    TypeId type = b.function().typeOf(index.value);
    if (!isArray(type) || (result.indices.size() == 1 && rankOf(type) == plan.index_rank))
      continue;
    TypeId to = arrayType(elementOf(type), plan.index_rank, plan.index_rank == 0 ? Layout::C : Layout::A, true,
                          typeOf(type).aligned);
    index.value = emitBroadcastTo(e, index.value, result.dims, to);
  }
  return result;
}

/// The array with slices and new axes applied; axes with index arrays are kept whole. `fancy[i]`: the view's axis of index i.
struct PlainView {
  ValueId view;
  std::vector<unsigned> fancy;
};

PlainView plainView(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value) {
  Builder &b = e.builder();
  PlainView result;
  std::vector<ValueId> operands{array};
  std::vector<int64_t> codes;
  bool contiguous = typeOf(plan.array).layout == Layout::C;
  for (const IndexItem &item : plan.parsed.items) {
    if (isFancy(item)) {
      for (unsigned i = 0; i < item.axes; ++i) {
        result.fancy.push_back(static_cast<unsigned>(codes.size()));
        codes.push_back(ir::kViewFull);
      }
    } else if (item.kind == IndexItem::Slice) {
      SliceValues slice = emitSlice(e, item.value, indexItemValue(e, item, plan.index, index_value), b.dim(array, item.axis));
      operands.insert(operands.end(), {slice.first, slice.count, slice.step});
      codes.push_back(ir::kViewSlice);
      contiguous = false;
    } else {
      codes.push_back(item.kind == IndexItem::NewAxis ? ir::kViewNewAxis : ir::kViewFull);
    }
  }
  TypeId type = viewType(plan.array, static_cast<unsigned>(codes.size()), contiguous ? Layout::C : Layout::A);
  if (type == plan.array && operands.size() == 1) {
    result.view = array;
    return result;
  }
  result.view = b.emit(Opcode::ArrayView, type, operands);
  b.last().int_list = std::move(codes);
  return result;
}

/// A view of `array` with these axes fixed.
ValueId fixAxes(Builder &b, ValueId array, std::span<const unsigned> axes, Values indices) {
  TypeId type = b.function().typeOf(array);
  std::vector<int64_t> codes(rankOf(type), ir::kViewFull);
  std::vector<ValueId> by_axis(rankOf(type)), operands{array};
  for (size_t i = 0; i < axes.size(); ++i) {
    codes[axes[i]] = ir::kViewIndex;
    by_axis[axes[i]] = indices[i];
  }
  for (ValueId index : by_axis)
    if (index.valid())
      operands.push_back(index);
  auto rank = static_cast<unsigned>(rankOf(type) - axes.size());
  bool leading = true;
  for (size_t i = 0; i < axes.size(); ++i)
    leading = leading && codes[i] == ir::kViewIndex;
  Layout layout = leading && typeOf(type).layout == Layout::C ? Layout::C : Layout::A;
  ValueId view = b.emit(Opcode::ArrayView, viewType(type, rank, layout), operands);
  b.last().int_list = std::move(codes);
  return view;
}

/// destination[...] = source, views of one shape: no loop where they are single items.
void assignView(Emitter &e, ValueId destination, ValueId source) {
  Builder &b = e.builder();
  TypeId to = b.function().typeOf(destination), from = b.function().typeOf(source);
  if (rankOf(to) == 0) {
    storeItem(b, destination, {}, loadItem(b, source, {}));
    return;
  }
  std::array<ValueId, 1> operands{source};
  mapInto(e, destination, castKernel(e, elementOf(from), elementOf(to)), operands);
}

/// For every position of the index arrays: the view of the array there (`at_array`) and the same axes of a result-shaped
/// array (`at_result`).
void eachPosition(Emitter &e, const FancyPlan &plan, const Broadcast &broadcast, const PlainView &plain, ValueId result,
                  const std::function<void(ValueId at_array, ValueId at_result)> &visit) {
  Builder &b = e.builder();
  std::vector<unsigned> result_axes;
  for (unsigned i = 0; i < plan.index_rank; ++i)
    result_axes.push_back(plan.before + i);
  emitLoops(e, broadcast.dims, {}, [&](Values position, Values) {
    std::vector<ValueId> at(position.begin(), position.end()), indices;
    for (size_t i = 0; i < broadcast.indices.size(); ++i) {
      const AxisIndex &index = broadcast.indices[i];
      bool whole = isArray(b.function().typeOf(index.value));
      ValueId item = whole ? loadItem(b, index.value, at) : index.value;
      indices.push_back(wrapped(e, item, index.is_signed, b.dim(plain.view, plain.fancy[i]), index.axis));
    }
    visit(fixAxes(b, plain.view, plain.fancy, indices), result.valid() ? fixAxes(b, result, result_axes, at) : ValueId{});
    return std::vector<ValueId>{};
  });
}

/// Extents of the result: the other axes of the view with those of the index arrays put in.
std::vector<ValueId> resultDims(Builder &b, const FancyPlan &plan, const Broadcast &broadcast, const PlainView &plain) {
  std::vector<ValueId> dims;
  for (unsigned axis = 0; axis < rankOf(b.function().typeOf(plain.view)); ++axis)
    if (std::find(plain.fancy.begin(), plain.fancy.end(), axis) == plain.fancy.end())
      dims.push_back(b.dim(plain.view, axis));
  dims.insert(dims.begin() + plan.before, broadcast.dims.begin(), broadcast.dims.end());
  return dims;
}

ValueId emitFancyGet(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value) {
  Builder &b = e.builder();
  Broadcast broadcast = broadcastIndices(e, plan, array, index_value);
  PlainView plain = plainView(e, plan, array, index_value);
  ValueId result = allocate(b, resultType(plan), resultDims(b, plan, broadcast, plain));
  eachPosition(e, plan, broadcast, plain, result,
               [&](ValueId at_array, ValueId at_result) { assignView(e, at_result, at_array); });
  return result;
}

void emitFancySet(Emitter &e, const FancyPlan &plan, ValueId array, ValueId index_value, const AbstractValue &stored,
                  ValueId value) {
  Builder &b = e.builder();
  TypeId dtype = elementOf(plan.array);
  Broadcast broadcast = broadcastIndices(e, plan, array, index_value);
  PlainView plain = plainView(e, plan, array, index_value);
  if (rankOf(stored.type) == 0) {
    if (isArray(stored.type))
      value = castScalar(e, loadItem(b, value, {}), dtype);
    else if (isScalar(dtype))
      value = operandAs(e, stored, value, dtype);
    eachPosition(e, plan, broadcast, plain, {}, [&](ValueId at_array, ValueId) {
      if (rankOf(b.function().typeOf(at_array)) == 0)
        storeItem(b, at_array, {}, value);
      else
        fillArray(e, at_array, value);
    });
    return;
  }
  // The value in the shape of the result; a copy, since it may be a view of the array.
  std::vector<ValueId> dims = resultDims(b, plan, broadcast, plain);
  ValueId copy = copyArray(e, value, arrayType(dtype, rankOf(stored.type)));
  TypeId type = arrayType(dtype, plan.index_rank + plan.rest, Layout::A);
  ValueId shaped = emitBroadcastTo(e, copy, dims, type);
  eachPosition(e, plan, broadcast, plain, shaped,
               [&](ValueId at_array, ValueId at_value) { assignView(e, at_array, at_value); });
}

// ---- rules

std::optional<FancyPlan> planOf(const Query &query) {
  TypeId array = query.operands[0].type;
  ArrayIndex parsed = parseIndex(array, query.operands[1]);
  if (!parsed.error.empty() || parsed.arrays == 0)
    return std::nullopt;
  return makePlan(array, std::move(parsed), query.operands[1]);
}

ValueId maskOf(Emitter &e, const FancyPlan &plan, ValueId index_value) {
  return indexItemValue(e, plan.parsed.items[0], plan.index, index_value);
}

Resolution getItem(const Query &query) {
  std::optional<FancyPlan> found = planOf(query);
  if (!found)
    return {};
  FancyPlan plan = std::move(*found);
  bool mask = isMask(plan), gather = isGather(plan);
  bool scalar = gather && plan.index_rank == 0; // arrays of no axes
  return Resolution::resolved(scalar ? elementOf(plan.array) : resultType(plan), [=](Emitter &e, Values values) {
    if (mask)
      return emitMaskGet(e, plan, values[0], maskOf(e, plan, values[1]));
    if (!gather)
      return emitFancyGet(e, plan, values[0], values[1]);
    if (!scalar)
      return emitGather(e, plan, values[0], values[1]);
    std::vector<ValueId> at;
    Builder &b = e.builder();
    for (const AxisIndex &index : axisIndices(e, plan, values[0], values[1])) {
      ValueId value = isArray(b.function().typeOf(index.value)) ? loadItem(b, index.value, {}) : index.value;
      at.push_back(wrapped(e, value, index.is_signed, b.dim(values[0], index.axis), index.axis));
    }
    return loadItem(b, values[0], at);
  });
}

Resolution setItem(const Query &query) {
  std::optional<FancyPlan> found = planOf(query);
  if (!found)
    return {};
  FancyPlan plan = std::move(*found);
  if (typeOf(plan.array).readonly)
    return readonlyStore(plan.array);
  AbstractValue stored = query.operands[2];
  TypeId shape = arrayType(elementOf(plan.array), plan.index_rank + plan.rest, Layout::A);
  if (std::string error = isTuple(stored.type) ? "cannot store a tuple through an index array" : storableInto(shape, stored);
      !error.empty())
    return Resolution::error(error);
  if (rankOf(stored.type) > rankOf(shape))
    return Resolution::error("shape mismatch: the value has more axes than what is indexed");
  bool mask = isMask(plan);
  return Resolution::resolved(types().none, [=](Emitter &e, Values values) {
    if (mask)
      emitMaskSet(e, plan, values[0], maskOf(e, plan, values[1]), stored, values[2]);
    else
      emitFancySet(e, plan, values[0], values[1], stored, values[2]);
    return e.builder().noneConst();
  });
}

} // namespace

void registerArrayFancyIndex(Table &table) {
  table.getItem(TypeKind::Array, getItem);
  table.setItem(TypeKind::Array, setItem);
}

} // namespace naja::library
