// Attributes of arrays, len(), truth value and membership.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"
#include "naja/library/array_views.h"

#include <array>

namespace naja::library {
namespace {

using ir::Builder;

ConstId weakInt(int64_t value) { return ConstantStore::global().ofInt(value); }

Resolution shape(TypeId array) {
  return Resolution::resolved(types().uniTuple(types().int64, rankOf(array)),
                              [](Emitter &e, std::span<const ValueId> values) {
                                return int64Tuple(e.builder(), dimsOf(e.builder(), values[0]));
                              });
}

Resolution strides(TypeId array) {
  return Resolution::resolved(types().uniTuple(types().int64, rankOf(array)),
                              [](Emitter &e, std::span<const ValueId> values) {
                                return int64Tuple(e.builder(), stridesOf(e.builder(), values[0]));
                              });
}

Resolution ndim(TypeId array) { return Resolution::constantValue(weakInt(rankOf(array)), true); }
Resolution itemsize(TypeId array) { return Resolution::constantValue(weakInt(itemSize(elementOf(array))), true); }

Resolution size(TypeId) {
  return Resolution::resolved(
      types().int64, [](Emitter &e, std::span<const ValueId> values) { return sizeOf(e.builder(), values[0]); });
}

Resolution nbytes(TypeId array) {
  int64_t bytes = itemSize(elementOf(array));
  return Resolution::resolved(types().int64, [bytes](Emitter &e, std::span<const ValueId> values) {
    return e.builder().imul(sizeOf(e.builder(), values[0]), e.builder().int64(bytes));
  });
}

Resolution dtype(TypeId array) {
  return Resolution::constantValue(dtypeConstant(elementOf(array)), false);
}

Resolution transposed(TypeId array) {
  return Resolution::resolved(transposedType(array), [](Emitter &e, std::span<const ValueId> values) {
    return emitTransposed(e.builder(), values[0]);
  });
}

Resolution realPartOf(TypeId array) { return complexPart(array, false); }
Resolution imaginaryPartOf(TypeId array) { return complexPart(array, true); }

/// An object that stands for a group of attributes of an array; its value is the array's.
TypeId facetType(std::string name, TypeId array) {
  std::array<TypeId, 1> args{array};
  return types().iterator(std::move(name), args);
}

Resolution facet(std::string_view name, TypeId array) {
  TypeId type = facetType(std::string(name), array);
  return Resolution::resolved(type, [type](Emitter &e, std::span<const ValueId> values) {
    return e.builder().emit(ir::Opcode::TupleMake, type, {values[0]});
  });
}

Resolution flags(TypeId array) { return facet("flags", array); }
Resolution ctypes(TypeId array) { return facet("ctypes", array); }

struct AttributeRow {
  std::string_view name;
  Resolution (*resolve)(TypeId array);
};
constexpr AttributeRow kAttributes[] = {
    {"shape", shape},   {"strides", strides}, {"ndim", ndim},        {"size", size},
    {"dtype", dtype},   {"nbytes", nbytes},   {"itemsize", itemsize}, {"T", transposed},
    {"real", realPartOf}, {"imag", imaginaryPartOf}, {"flags", flags},
    {"ctypes", ctypes}, {"flat", flatOf},
};

Resolution arrayAttribute(std::string_view attribute, const Query &query) {
  for (const AttributeRow &row : kAttributes)
    if (row.name == attribute)
      return row.resolve(query.operands[0].type);
  return {};
}

Resolution flagsAttribute(std::string_view attribute, TypeId array) {
  const Type &type = typeOf(array);
  auto answer = [](bool value) { return Resolution::constantValue(ConstantStore::global().ofBool(value), false); };
  if (attribute == "c_contiguous" || attribute == "contiguous" || attribute == "f_contiguous") {
    bool fortran = attribute == "f_contiguous";
    if (type.layout == (fortran ? Layout::F : Layout::C) || (type.layout != Layout::A && type.ndim <= 1))
      return answer(true);
    return Resolution::resolved(types().boolean, [array, fortran](Emitter &e, std::span<const ValueId> values) {
      ValueId whole = e.builder().emit(ir::Opcode::TupleGet, array, {values[0]}, 0);
      return isContiguousIn(e.builder(), whole, fortran);
    });
  }
  if (attribute == "writeable")
    return answer(!type.readonly);
  if (attribute == "aligned")
    return answer(type.aligned);
  return {};
}

Resolution facetAttribute(std::string_view attribute, const Query &query) {
  const Type &type = typeOf(query.operands[0].type);
  if (type.name == "flags")
    return flagsAttribute(attribute, type.args[0]);
  if (type.name == "ctypes" && attribute == "data") {
    TypeId array = type.args[0];
    return Resolution::resolved(types().uint64, [array](Emitter &e, std::span<const ValueId> values) {
      Builder &b = e.builder();
      ValueId whole = b.emit(ir::Opcode::TupleGet, array, {values[0]}, 0);
      ValueId data = b.emit(ir::Opcode::ArrayData, types().pointer(elementOf(array)), {whole});
      return b.emit(ir::Opcode::PtrToInt, types().uint64, {data});
    });
  }
  return {};
}

Resolution len(const Query &query) {
  if (query.operands.size() != 1 || !isArray(query.operands[0].type))
    return {};
  if (rankOf(query.operands[0].type) == 0)
    return Resolution::error("len() of unsized object");
  return Resolution::resolved(
      types().int64, [](Emitter &e, std::span<const ValueId> values) { return e.builder().dim(values[0], 0); });
}

Resolution truth(const Query &query) {
  if (rankOf(query.operands[0].type) != 0)
    return Resolution::error("the truth value of an array with more than one element is ambiguous",
                             "use a.any() or a.all()");
  return Resolution::resolved(types().boolean, [](Emitter &e, std::span<const ValueId> values) {
    return emitTruth(e, loadItem(e.builder(), values[0], {}));
  });
}

/// item in array
Resolution contains(const Query &query) {
  AbstractValue item = query.operands[0];
  TypeId array = query.operands[1].type;
  if (!isScalarOperand(item.type) || !isScalar(elementOf(array)))
    return {};
  return Resolution::resolved(types().boolean, [=](Emitter &e, std::span<const ValueId> values) {
    std::array<TypeId, 2> params{elementOf(array), item.type};
    ir::FunctionId kernel = e.kernel("contains(" + toString(params[0]) + ", " + toString(params[1]) + ")", params,
                                     types().boolean, [](Emitter &inner, std::span<const ValueId> args) {
                                       return emitCompare(inner, ir::Predicate::Eq, args[0], args[1]);
                                     });
    std::array<ValueId, 2> operands{values[1], emitOperand(e, item, values[0])};
    return reduceArray(e, kernel, ir::ReduceKind::Any, types().boolean, operands, e.builder().boolConst(false));
  });
}

} // namespace

void registerArrayAttributes(Table &table) {
  table.attribute(TypeKind::Array, arrayAttribute);
  table.attribute(TypeKind::Iterator, facetAttribute);
  table.call("builtins.len", len);
  table.truth(TypeKind::Array, truth);
  table.contains(TypeKind::Array, contains);
}

} // namespace naja::library
