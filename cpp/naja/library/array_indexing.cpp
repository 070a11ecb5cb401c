#include "naja/library/array_indexing.h"

#include <array>

namespace naja::library {

using ir::Builder;
using ir::Opcode;
using ir::Predicate;

bool ArrayIndex::isItem() const {
  if (has_ellipsis)
    return false;
  for (const IndexItem &item : items)
    if (item.kind != IndexItem::Integer)
      return false;
  return true;
}

unsigned ArrayIndex::resultRank() const {
  unsigned rank = 0;
  for (const IndexItem &item : items)
    rank += item.kind == IndexItem::Slice || item.kind == IndexItem::Full || item.kind == IndexItem::NewAxis;
  return rank;
}

namespace {

/// The parts of an index: the items of a tuple with what is known of each, or the index itself.
std::vector<AbstractValue> partsOf(const AbstractValue &index, bool &is_tuple) {
  is_tuple = isTuple(index.type);
  if (!is_tuple)
    return {index};
  std::vector<AbstractValue> parts;
  const Constant *constant = index.parts.valid() ? &ConstantStore::global().get(index.parts) : constantOf(index);
  const auto *known = constant != nullptr ? std::get_if<ConstTuple>(&constant->value) : nullptr;
  const Type &type = typeOf(index.type);
  for (size_t i = 0; i < type.args.size(); ++i) {
    AbstractValue part{type.args[i], known != nullptr ? known->items[i] : ConstId{}, false};
    parts.push_back(part);
  }
  return parts;
}

bool isNullConst(ConstId id) {
  return !id.valid() || std::holds_alternative<Null>(ConstantStore::global().get(id).value);
}

/// What is known of a slice: full (`:`), of unit step.
void classifySlice(IndexItem &item) {
  const Type &type = typeOf(item.value.type);
  item.kind = IndexItem::Slice;
  item.unit_step = type.ndim == 2;
  const Constant *constant = constantOf(item.value);
  const auto *slice = constant != nullptr ? std::get_if<ConstSlice>(&constant->value) : nullptr;
  if (slice == nullptr)
    return;
  std::optional<int64_t> step =
      isNullConst(slice->step) ? std::optional<int64_t>(1) : constantInt({types().int64, slice->step, false});
  item.unit_step = step == 1;
  if (item.unit_step && isNullConst(slice->start) && isNullConst(slice->stop))
    item.kind = IndexItem::Full;
}

/// Kind of one part; false: no index.
bool classify(IndexItem &item) {
  const Type &type = typeOf(item.value.type);
  switch (type.kind) {
  case TypeKind::Int: item.kind = IndexItem::Integer; return true;
  case TypeKind::Slice: classifySlice(item); return true;
  case TypeKind::None:
    item.kind = IndexItem::NewAxis;
    item.axes = 0;
    return true;
  case TypeKind::Array: {
    TypeKind element = kindOf(type.args[0]);
    if (element == TypeKind::Int) {
      item.kind = IndexItem::IntArray;
      return true;
    }
    if (element != TypeKind::Bool || type.ndim == 0)
      return false;
    item.kind = IndexItem::BoolArray;
    item.axes = type.ndim;
    return true;
  }
  default: return false;
  }
}

} // namespace

ArrayIndex parseIndex(TypeId array, const AbstractValue &index) {
  ArrayIndex result;
  bool is_tuple = false;
  std::vector<AbstractValue> parts = partsOf(index, is_tuple);
  unsigned ndim = rankOf(array), named = 0;
  size_t ellipsis = parts.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    IndexItem item;
    item.value = parts[i];
    item.position = is_tuple ? static_cast<int>(i) : -1;
    if (kindOf(parts[i].type) == TypeKind::Ellipsis) {
      if (result.has_ellipsis)
        result.error = "an index can only have a single ellipsis ('...')";
      result.has_ellipsis = true;
      ellipsis = result.items.size();
      continue;
    }
    if (!classify(item)) {
      result.error = "cannot index an array with " + toString(parts[i].type);
      return result;
    }
    result.arrays += item.kind == IndexItem::IntArray || item.kind == IndexItem::BoolArray;
    named += item.axes;
    result.items.push_back(item);
  }
  if (named > ndim) {
    result.error = "too many indices: the array has " + std::to_string(ndim) + (ndim == 1 ? " axis, " : " axes, ") +
                   std::to_string(named) + " were indexed";
    return result;
  }
  size_t at = result.has_ellipsis ? ellipsis : result.items.size();
  result.items.insert(result.items.begin() + static_cast<ptrdiff_t>(at), ndim - named, IndexItem{});
  unsigned axis = 0;
  for (IndexItem &item : result.items) {
    item.axis = axis;
    axis += item.axes;
  }
  return result;
}

namespace {

/// The rule for C order, `items` from the slowest axis: integers, then one slice of unit step, then whole axes.
template <class Iterator> bool staysContiguous(Iterator begin, Iterator end) {
  bool started = false;
  for (Iterator it = begin; it != end; ++it) {
    const IndexItem &item = *it;
    if (item.kind == IndexItem::NewAxis)
      continue;
    if (item.kind == IndexItem::Integer ? started : item.kind == IndexItem::Slice && (started || !item.unit_step))
      return false;
    started = started || item.kind != IndexItem::Integer;
  }
  return true;
}

} // namespace

Layout resultLayout(TypeId array, const ArrayIndex &index) {
  Layout from = typeOf(array).layout;
  if (index.resultRank() == 0)
    return Layout::C;
  if (from == Layout::C && staysContiguous(index.items.begin(), index.items.end()))
    return Layout::C;
  if (from == Layout::F && staysContiguous(index.items.rbegin(), index.items.rend()))
    return Layout::F;
  return Layout::A;
}

ValueId indexItemValue(Emitter &e, const IndexItem &item, const AbstractValue &index, ValueId value) {
  if (item.value.constant.valid() || item.position < 0)
    return item.position < 0 ? value : ValueId{};
  Builder &b = e.builder();
  const ir::Inst *def = b.function().def(value);
  auto at = static_cast<size_t>(item.position);
  if (def != nullptr && def->op == Opcode::TupleMake)
    return def->operands[at];
  return b.tupleGet(value, static_cast<unsigned>(at));
}

ValueId emitIntegerIndex(Emitter &e, const AbstractValue &operand, ValueId value, ValueId extent, unsigned axis) {
  Builder &b = e.builder();
  value = operandAs(e, operand, value, types().int64);
  std::optional<int64_t> known = definedInt(e, value);
  if (known && *known < 0)
    value = b.iadd(extent, value);
  else if (!known && isSigned(operand.type))
    value = b.emit(Opcode::WrapIndex, types().int64, {value, extent});
  if (e.flags().boundscheck)
    b.emit(Opcode::CheckIndex, {}, {value, extent}, axis);
  return value;
}

namespace {

/// The parts of a slice as int64 with the bits of those that are given.
struct SliceParts {
  ValueId start, stop, step;
  int64_t given = 0;
};

SliceParts constantSlice(Emitter &e, const ConstSlice &slice) {
  SliceParts parts;
  auto part = [&](ConstId id, int64_t bit) {
    if (isNullConst(id))
      return e.builder().int64(0);
    parts.given |= bit;
    return emitConstant(e, id, types().int64);
  };
  parts.start = part(slice.start, ir::kHasStart);
  parts.stop = part(slice.stop, ir::kHasStop);
  parts.step = part(slice.step, ir::kHasStep);
  return parts;
}

/// A slice that comes from elsewhere (an argument): parts that are absent get the values that mean the same.
SliceParts unknownSlice(Emitter &e, ValueId slice) {
  Builder &b = e.builder();
  TypeId optional = types().optional(types().int64);
  std::array<ValueId, 3> has, value;
  for (int i = 0; i < 3; ++i) {
    ValueId part = b.emit(Opcode::SlicePart, optional, {slice}, i);
    has[i] = b.emit(Opcode::OptionalHas, types().boolean, {part});
    value[i] = b.emit(Opcode::OptionalValue, types().int64, {part});
  }
  SliceParts parts;
  parts.given = ir::kHasStart | ir::kHasStop | ir::kHasStep;
  parts.step = b.select(has[2], value[2], b.int64(1));
  ValueId backward = b.icmp(Predicate::Lt, parts.step, b.int64(0));
  ValueId most = b.int64(INT64_MAX), least = b.int64(INT64_MIN);
  parts.start = b.select(has[0], value[0], b.select(backward, most, b.int64(0)));
  parts.stop = b.select(has[1], value[1], b.select(backward, least, most));
  return parts;
}

SliceParts slicePartsOf(Emitter &e, const AbstractValue &operand, ValueId value) {
  if (const Constant *constant = constantOf(operand))
    if (const auto *slice = std::get_if<ConstSlice>(&constant->value))
      return constantSlice(e, *slice);
  const ir::Inst *def = e.builder().function().def(value);
  if (def != nullptr && def->op == Opcode::SliceMake)
    return {def->operands[0], def->operands[1], def->operands[2], def->attr};
  if (def != nullptr && def->op == Opcode::Const)
    if (const auto *slice = std::get_if<ConstSlice>(&ConstantStore::global().get(def->constant()).value))
      return constantSlice(e, *slice);
  return unknownSlice(e, value);
}

} // namespace

SliceValues emitSlice(Emitter &e, const AbstractValue &operand, ValueId value, ValueId extent) {
  Builder &b = e.builder();
  SliceParts parts = slicePartsOf(e, operand, value);
  bool has_step = (parts.given & ir::kHasStep) != 0;
  std::optional<int64_t> step = has_step ? definedInt(e, parts.step) : std::optional<int64_t>(1);
  if (step == 1)
    parts.given &= ~ir::kHasStep;
  else if (!step || *step == 0)
    emitCheck(e, b.icmp(Predicate::Ne, parts.step, b.int64(0)), "ValueError", "slice step cannot be zero");
  TypeId triple = types().uniTuple(types().int64, 3);
  ValueId indices =
      b.emit(Opcode::SliceIndices, triple, {parts.start, parts.stop, parts.step, extent}, parts.given);
  ValueId first = b.tupleGet(indices, 0), count = b.tupleGet(indices, 1);
  return {first, count, step ? b.int64(*step) : parts.step};
}

ValueId emitBasicView(Emitter &e, ValueId array, const ArrayIndex &parsed, const AbstractValue &index, ValueId value,
                      TypeId type) {
  Builder &b = e.builder();
  std::vector<ValueId> operands{array};
  std::vector<int64_t> codes;
  bool changes = false;
  for (const IndexItem &item : parsed.items) {
    changes = changes || item.kind != IndexItem::Full;
    switch (item.kind) {
    case IndexItem::Integer:
      codes.push_back(ir::kViewIndex);
      operands.push_back(emitIntegerIndex(e, item.value, indexItemValue(e, item, index, value),
                                          b.dim(array, item.axis), item.axis));
      break;
    case IndexItem::Slice: {
      codes.push_back(ir::kViewSlice);
      SliceValues slice = emitSlice(e, item.value, indexItemValue(e, item, index, value), b.dim(array, item.axis));
      operands.insert(operands.end(), {slice.first, slice.count, slice.step});
      break;
    }
    case IndexItem::NewAxis: codes.push_back(ir::kViewNewAxis); break;
    default: codes.push_back(ir::kViewFull); break;
    }
  }
  if (!changes && b.function().typeOf(array) == type)
    return array;
  ValueId view = b.emit(Opcode::ArrayView, type, operands);
  b.last().int_list = std::move(codes);
  return view;
}

// ---- stores

Resolution readonlyStore(TypeId array) {
  return Resolution::error("cannot modify a read-only array of type " + toString(array),
                           "copy it first, or pass an array that is writeable");
}

namespace {

bool isScalarTuple(TypeId id) {
  if (!isSequence(id) || typeOf(id).args.empty())
    return false;
  for (TypeId item : typeOf(id).args)
    if (!isScalar(item))
      return false;
  return true;
}

/// A tuple of scalars as a new array of one axis.
ValueId arrayOfTuple(Emitter &e, const AbstractValue &operand, ValueId value, TypeId dtype) {
  Builder &b = e.builder();
  value = emitOperand(e, operand, value);
  auto count = static_cast<unsigned>(typeOf(operand.type).args.size());
  std::array<ValueId, 1> dims{b.int64(count)};
  ValueId array = allocate(b, arrayType(dtype, 1), dims);
  for (unsigned i = 0; i < count; ++i) {
    std::array<ValueId, 1> at{b.int64(i)};
    storeItem(b, array, at, castScalar(e, b.tupleGet(value, i), dtype));
  }
  return array;
}

/// Drops leading axes (of extent 1) that the destination does not have.
ValueId dropLeadingAxes(Emitter &e, ValueId array, unsigned ndim) {
  Builder &b = e.builder();
  TypeId type = b.function().typeOf(array);
  unsigned extra = rankOf(type) - ndim;
  std::vector<ValueId> operands{array};
  std::vector<int64_t> codes(rankOf(type), ir::kViewFull);
  for (unsigned axis = 0; axis < extra; ++axis) {
    emitCheck(e, b.icmp(Predicate::Eq, b.dim(array, axis), b.int64(1)), "ValueError",
              "could not broadcast input array: it has more axes than the destination");
    operands.push_back(b.int64(0));
    codes[axis] = ir::kViewIndex;
  }
  Layout layout = typeOf(type).layout == Layout::C ? Layout::C : Layout::A;
  ValueId view = b.emit(Opcode::ArrayView, viewType(type, ndim, layout), operands);
  b.last().int_list = std::move(codes);
  return view;
}

} // namespace

std::string storableInto(TypeId view, const AbstractValue &value) {
  TypeId dtype = elementOf(view), type = value.type;
  if (isSequence(type) ? isScalarTuple(type) && isScalar(dtype) && rankOf(view) > 0
                    : elementOf(type) == dtype || (isScalar(elementOf(type)) && isScalar(dtype))) {
    if (isComplex(elementOf(type)) && !isArray(type) && !isComplex(dtype))
      return "cannot store " + toString(type) + " in an array of " + toString(dtype);
    return {};
  }
  return "cannot store " + toString(type) + " in " + toString(view);
}

void emitStoreInto(Emitter &e, ValueId view, const AbstractValue &operand, ValueId value) {
  Builder &b = e.builder();
  TypeId type = b.function().typeOf(view), dtype = elementOf(type);
  if (isScalar(operand.type)) {
    value = operandAs(e, operand, value, dtype);
    fillArray(e, view, value);
    return;
  }
  if (isSequence(operand.type))
    value = arrayOfTuple(e, operand, value, dtype);
  else if (isArray(operand.type) && rankOf(operand.type) == 0)
    value = loadItem(b, value, {});
  TypeId source = b.function().typeOf(value);
  if (rankOf(source) > rankOf(type))
    value = dropLeadingAxes(e, value, rankOf(type));
  std::array<ValueId, 1> operands{value};
  mapInto(e, view, castKernel(e, elementOf(source), dtype), operands);
}

} // namespace naja::library
