// Loops over arrays, np.ndenumerate, np.ndindex, np.nditer and a.flat: pure state machines. The state of the n-d ones is
// the tuple of indices; an empty shape starts past its end.
#include "naja/library/array_families.h"
#include "naja/library/array_indexing.h"
#include "naja/library/array_views.h"

#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using ir::Predicate;
using Values = std::span<const ValueId>;

// ---- a for loop over an array

ValueId leadingItem(Emitter &e, ValueId array, ValueId i, TypeId type) {
  Builder &b = e.builder();
  unsigned ndim = rankOf(b.function().typeOf(array));
  if (ndim == 1)
    return loadItem(b, array, std::array<ValueId, 1>{i});
  ValueId view = b.emit(Opcode::ArrayView, type, {array, i});
  b.last().int_list.assign(ndim, ir::kViewFull);
  b.last().int_list[0] = ir::kViewIndex;
  return view;
}

/// Type of a[i].
TypeId leadingItemType(TypeId array) {
  const Type &type = typeOf(array);
  if (type.ndim == 1)
    return type.args[0];
  return viewType(array, type.ndim - 1, type.layout == Layout::C ? Layout::C : Layout::A);
}

Resolution iterateArray(Opcode which, const Query &query) {
  TypeId array = query.operands[0].type;
  switch (which) {
  case Opcode::GIter:
    if (rankOf(array) == 0)
      return Resolution::error("iteration over a 0-d array");
    return Resolution::resolved(array, [operand = query.operands[0]](Emitter &e, Values values) {
      return emitOperand(e, operand, values[0]);
    });
  case Opcode::GIterState:
    return Resolution::resolved(types().int64, [](Emitter &e, Values) { return e.builder().int64(0); });
  case Opcode::GIterValid:
    return Resolution::resolved(types().boolean, [](Emitter &e, Values values) {
      return e.builder().icmp(Predicate::Lt, values[1], e.builder().dim(values[0], 0));
    });
  case Opcode::GIterValue: {
    TypeId type = leadingItemType(array);
    return Resolution::resolved(
        type, [type](Emitter &e, Values values) { return leadingItem(e, values[0], values[1], type); });
  }
  default:
    return Resolution::resolved(types().int64, [](Emitter &e, Values values) {
      return e.builder().iadd(values[1], e.builder().int64(1), ir::kNoWrapSigned);
    });
  }
}

// ---- states of n-d loops

/// int64 of the number done for 0 axes, else the indices.
TypeId stateType(unsigned ndim) {
  return ndim == 0 ? types().int64 : types().uniTuple(types().int64, ndim);
}

ValueId firstState(Builder &b, std::span<const ValueId> dims) {
  if (dims.empty())
    return b.int64(0);
  ValueId empty = b.icmp(Predicate::Eq, productOf(b, dims), b.int64(0));
  std::vector<ValueId> indices(dims.size(), b.int64(0));
  indices[0] = b.select(empty, dims[0], b.int64(0));
  return int64Tuple(b, indices);
}

std::vector<ValueId> indicesOf(Builder &b, ValueId state, unsigned ndim) {
  std::vector<ValueId> indices;
  for (unsigned i = 0; i < ndim; ++i)
    indices.push_back(b.tupleGet(state, i));
  return indices;
}

ValueId stateValid(Builder &b, ValueId state, std::span<const ValueId> dims) {
  if (dims.empty())
    return b.icmp(Predicate::Eq, state, b.int64(0));
  return b.icmp(Predicate::Lt, b.tupleGet(state, 0), dims[0]);
}

ValueId nextState(Builder &b, ValueId state, std::span<const ValueId> dims) {
  if (dims.empty())
    return b.int64(1);
  std::vector<ValueId> indices = indicesOf(b, state, static_cast<unsigned>(dims.size()));
  ValueId carry = b.int64(1);
  for (size_t axis = dims.size(); axis-- > 0;) {
    ValueId stepped = b.iadd(indices[axis], carry, ir::kNoWrapSigned);
    if (axis == 0) {
      indices[0] = stepped;
      break;
    }
    ValueId wraps = b.icmp(Predicate::Eq, stepped, dims[axis]);
    indices[axis] = b.select(wraps, b.int64(0), stepped);
    carry = b.cast(wraps, types().int64);
  }
  return int64Tuple(b, indices);
}

/// What an iterator object holds.
ValueId held(Builder &b, ValueId iterator) {
  TypeId type = typeOf(b.function().typeOf(iterator)).args[0];
  return b.emit(Opcode::TupleGet, type, {iterator}, 0);
}

ValueId makeIterator(Builder &b, TypeId type, ValueId what) { return b.emit(Opcode::TupleMake, type, {what}); }

/// Extents of the array or shape that an iterator holds.
std::vector<ValueId> extentsOf(Builder &b, ValueId what) {
  TypeId type = b.function().typeOf(what);
  return isArray(type) ? dimsOf(b, what) : indicesOf(b, what, shapeRank(type));
}

/// The steps that all n-d loops share: everything but the value.
Resolution stepRule(Opcode which, TypeId iterator, unsigned ndim) {
  switch (which) {
  case Opcode::GIter: return Resolution::resolved(iterator, [](Emitter &, Values values) { return values[0]; });
  case Opcode::GIterState:
    return Resolution::resolved(stateType(ndim), [](Emitter &e, Values values) {
      Builder &b = e.builder();
      return firstState(b, extentsOf(b, held(b, values[0])));
    });
  case Opcode::GIterValid:
    return Resolution::resolved(types().boolean, [](Emitter &e, Values values) {
      Builder &b = e.builder();
      return stateValid(b, values[1], extentsOf(b, held(b, values[0])));
    });
  default:
    return Resolution::resolved(stateType(ndim), [](Emitter &e, Values values) {
      Builder &b = e.builder();
      return nextState(b, values[1], extentsOf(b, held(b, values[0])));
    });
  }
}

unsigned heldRank(TypeId iterator) {
  TypeId type = typeOf(iterator).args[0];
  return isArray(type) ? rankOf(type) : shapeRank(type);
}

ValueId indexTuple(Builder &b, ValueId state, unsigned ndim) {
  return ndim == 0 ? int64Tuple(b, {}) : state;
}

Resolution iterateNdindex(Opcode which, const Query &query) {
  TypeId iterator = query.operands[0].type;
  unsigned ndim = heldRank(iterator);
  if (which != Opcode::GIterValue)
    return stepRule(which, iterator, ndim);
  return Resolution::resolved(types().uniTuple(types().int64, ndim), [ndim](Emitter &e, Values values) {
    return indexTuple(e.builder(), values[1], ndim);
  });
}

Resolution iterateNdenumerate(Opcode which, const Query &query) {
  TypeId iterator = query.operands[0].type;
  unsigned ndim = heldRank(iterator);
  if (which != Opcode::GIterValue)
    return stepRule(which, iterator, ndim);
  std::array<TypeId, 2> items{types().uniTuple(types().int64, ndim), elementOf(typeOf(iterator).args[0])};
  return Resolution::resolved(types().tuple(items), [ndim](Emitter &e, Values values) {
    Builder &b = e.builder();
    ValueId item = loadItem(b, held(b, values[0]), indicesOf(b, values[1], ndim));
    return b.tupleMake(std::array<ValueId, 2>{indexTuple(b, values[1], ndim), item});
  });
}

Resolution iterateFlat(Opcode which, const Query &query) {
  TypeId iterator = query.operands[0].type;
  unsigned ndim = heldRank(iterator);
  if (which != Opcode::GIterValue)
    return stepRule(which, iterator, ndim);
  return Resolution::resolved(elementOf(typeOf(iterator).args[0]), [ndim](Emitter &e, Values values) {
    Builder &b = e.builder();
    return loadItem(b, held(b, values[0]), indicesOf(b, values[1], ndim));
  });
}

/// np.nditer(a): a view of no axes for every item.
Resolution iterateNditer(Opcode which, const Query &query) {
  TypeId iterator = query.operands[0].type;
  unsigned ndim = heldRank(iterator);
  if (which != Opcode::GIterValue)
    return stepRule(which, iterator, ndim);
  TypeId type = viewType(typeOf(iterator).args[0], 0, Layout::C);
  return Resolution::resolved(type, [=](Emitter &e, Values values) {
    Builder &b = e.builder();
    ValueId array = held(b, values[0]);
    std::vector<ValueId> operands{array};
    std::vector<ValueId> indices = indicesOf(b, values[1], ndim);
    operands.insert(operands.end(), indices.begin(), indices.end());
    ValueId view = b.emit(Opcode::ArrayView, type, operands);
    b.last().int_list.assign(ndim, ir::kViewIndex);
    return view;
  });
}

// ---- the calls that make the iterators

TypeId iteratorOver(std::string name, TypeId what) {
  std::array<TypeId, 1> args{what};
  return types().iterator(std::move(name), args);
}

Resolution iteratorOf(std::string name, const Query &query) {
  if (query.operands.size() != 1 || !isArray(query.operands[0].type))
    return {};
  TypeId type = iteratorOver(std::move(name), query.operands[0].type);
  return Resolution::resolved(type, [type, operand = query.operands[0]](Emitter &e, Values values) {
    return makeIterator(e.builder(), type, emitOperand(e, operand, values[0]));
  });
}

Resolution ndenumerate(const Query &query) { return iteratorOf("ndenumerate", query); }

/// In the order of memory, as NumPy: that of a.T where the layout is F.
Resolution nditer(const Query &query) {
  if (query.operands.size() != 1 || !isArray(query.operands[0].type))
    return {};
  TypeId array = query.operands[0].type;
  bool fortran = typeOf(array).layout == Layout::F;
  TypeId type = iteratorOver("nditer", fortran ? transposedType(array) : array);
  return Resolution::resolved(type, [=, operand = query.operands[0]](Emitter &e, Values values) {
    ValueId value = emitOperand(e, operand, values[0]);
    return makeIterator(e.builder(), type, fortran ? emitTransposed(e.builder(), value) : value);
  });
}

Resolution ndindex(const Query &query) {
  if (!query.keywords.empty())
    return {};
  std::vector<AbstractValue> operands(query.operands.begin(), query.operands.end());
  bool one_tuple = operands.size() == 1 && isTuple(operands[0].type);
  for (const AbstractValue &operand : operands)
    if (one_tuple ? !isShape(operand.type) : !isIndexLike(operand.type))
      return Resolution::error("ndindex: ints or a tuple of ints are expected");
  unsigned ndim = one_tuple ? shapeRank(operands[0].type) : static_cast<unsigned>(operands.size());
  TypeId type = iteratorOver("ndindex", types().uniTuple(types().int64, ndim));
  return Resolution::resolved(type, [=](Emitter &e, Values values) {
    std::vector<ValueId> dims;
    if (one_tuple)
      dims = shapeOperand(e, operands[0], values[0]);
    else
      for (size_t i = 0; i < operands.size(); ++i)
        dims.push_back(operandAs(e, operands[i], values[i], types().int64));
    return makeIterator(e.builder(), type, int64Tuple(e.builder(), dims));
  });
}

// ---- a.flat[i] where the layout is not C

bool isFlat(TypeId id) { return typeOf(id).kind == TypeKind::Iterator && typeOf(id).name == "flat"; }

/// The indices of item i in C order.
std::vector<ValueId> unravel(Builder &b, ValueId i, std::span<const ValueId> dims) {
  std::vector<ValueId> indices(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    if (axis == 0) {
      indices[0] = i;
      break;
    }
    indices[axis] = b.emit(Opcode::IMod, types().int64, {i, dims[axis]});
    i = b.emit(Opcode::IFloorDiv, types().int64, {i, dims[axis]});
  }
  return indices;
}

std::vector<ValueId> flatIndices(Emitter &e, ValueId array, const AbstractValue &index, ValueId value) {
  Builder &b = e.builder();
  ValueId i = emitIntegerIndex(e, index, value, sizeOf(b, array), 0);
  return unravel(b, i, dimsOf(b, array));
}

Resolution flatGetItem(const Query &query) {
  AbstractValue index = query.operands[1];
  if (!isFlat(query.operands[0].type) || kindOf(index.type) != TypeKind::Int)
    return {};
  return Resolution::resolved(elementOf(typeOf(query.operands[0].type).args[0]), [index](Emitter &e, Values values) {
    ValueId array = held(e.builder(), values[0]);
    return loadItem(e.builder(), array, flatIndices(e, array, index, values[1]));
  });
}

Resolution flatSetItem(const Query &query) {
  AbstractValue index = query.operands[1], stored = query.operands[2];
  if (!isFlat(query.operands[0].type) || kindOf(index.type) != TypeKind::Int || !isScalar(stored.type))
    return {};
  TypeId array_type = typeOf(query.operands[0].type).args[0];
  if (typeOf(array_type).readonly)
    return readonlyStore(array_type);
  return Resolution::resolved(types().none, [=](Emitter &e, Values values) {
    ValueId array = held(e.builder(), values[0]);
    storeItem(e.builder(), array, flatIndices(e, array, index, values[1]),
              operandAs(e, stored, values[2], elementOf(array_type)));
    return e.builder().noneConst();
  });
}

Resolution flatLen(const Query &query) {
  if (query.operands.size() != 1 || !isFlat(query.operands[0].type))
    return {};
  return Resolution::resolved(types().int64, [](Emitter &e, Values values) {
    return sizeOf(e.builder(), held(e.builder(), values[0]));
  });
}

} // namespace

void registerArrayIterate(Table &table) {
  table.iterate(TypeKind::Array, iterateArray);
  table.iterateNamed("ndindex", iterateNdindex);
  table.iterateNamed("ndenumerate", iterateNdenumerate);
  table.iterateNamed("flat", iterateFlat);
  table.iterateNamed("nditer", iterateNditer);
  table.call("numpy.ndenumerate", ndenumerate);
  table.call("numpy.ndindex", ndindex);
  table.call("numpy.nditer", nditer);
  table.getItem(TypeKind::Iterator, flatGetItem);
  table.setItem(TypeKind::Iterator, flatSetItem);
  table.call("builtins.len", flatLen);
}

} // namespace naja::library
