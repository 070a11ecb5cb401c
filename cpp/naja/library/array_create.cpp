// np.empty, zeros, ones, full and their _like forms, asarray, ascontiguousarray, asfortranarray, copy.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"
#include "naja/library/array_views.h"

namespace naja::library {
namespace {

using ir::Builder;

enum class Fill { Uninitialised, Zero, One, Value };

Resolution wrongDtype(std::string_view function) {
  return Resolution::error(std::string(function) + ": the dtype must be known while compiling",
                           "pass a NumPy scalar class such as np.float64, a dtype, or a string such as 'f8'");
}

/// order='C' or 'F' as a constant string; 'K' and 'A' keep `natural`.
std::optional<Layout> orderOperand(const AbstractValue &value, Layout natural) {
  if (isNone(value))
    return natural;
  std::optional<std::string_view> text = constantString(value);
  if (!text || text->size() != 1)
    return std::nullopt;
  switch ((*text)[0]) {
  case 'C': case 'c': return Layout::C;
  case 'F': case 'f': return Layout::F;
  case 'K': case 'k': case 'A': case 'a': return natural;
  default: return std::nullopt;
  }
}

/// The emitter of a new array: extents from `dims`, content by `fill`.
ValueId emitFilled(Emitter &e, TypeId type, std::span<const ValueId> dims, Fill fill, const AbstractValue &fill_value,
                   ValueId value) {
  Builder &b = e.builder();
  ValueId array = allocate(b, type, dims, fill == Fill::Zero);
  if (fill == Fill::One)
    fillArray(e, array, castScalar(e, b.boolConst(true), elementOf(type)));
  if (fill == Fill::Value)
    fillArray(e, array, operandAs(e, fill_value, value, elementOf(type)));
  return array;
}

template <Fill fill> Resolution createRule(std::string_view function, std::string_view spec, const Query &query) {
  BoundArguments bound = bindArguments(function, spec, query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  constexpr size_t kDtype = fill == Fill::Value ? 2 : 1;
  AbstractValue shape = boundOperand(bound, 0, query), value;
  if (!isShape(shape.type))
    return Resolution::error(std::string(function) + ": the shape must be an int or a tuple of ints, not " +
                             (shape.type.valid() ? toString(shape.type) : "nothing"));
  TypeId dtype = types().float64;
  if constexpr (fill == Fill::Value) {
    value = boundOperand(bound, 1, query);
    if (!isScalarOperand(value.type))
      return Resolution::error(std::string(function) + ": the fill value must be a number, not " + toString(value.type));
    dtype = value.type;
  }
  AbstractValue dtype_value = boundOperand(bound, kDtype, query);
  if (!isNone(dtype_value)) {
    std::optional<TypeId> given = dtypeOperand(dtype_value);
    if (!given)
      return wrongDtype(function);
    dtype = *given;
  }
  std::optional<Layout> order = orderOperand(boundOperand(bound, kDtype + 1, query), Layout::C);
  if (!order)
    return Resolution::error(std::string(function) + ": order must be 'C' or 'F'");
  TypeId type = arrayType(dtype, shapeRank(shape.type), *order);
  int shape_index = bound.operand[0], value_index = fill == Fill::Value ? bound.operand[1] : -1;
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    std::vector<ValueId> dims = shapeOperand(e, shape, values[static_cast<size_t>(shape_index)]);
    return emitFilled(e, type, dims, fill, value,
                      value_index >= 0 ? values[static_cast<size_t>(value_index)] : ValueId{});
  });
}

Resolution empty(const Query &q) {
  return createRule<Fill::Uninitialised>("empty", "shape, dtype=, order=, *, device=, like=", q);
}
Resolution zeros(const Query &q) { return createRule<Fill::Zero>("zeros", "shape, dtype=, order=, *, device=, like=", q); }
Resolution ones(const Query &q) { return createRule<Fill::One>("ones", "shape, dtype=, order=, *, device=, like=", q); }
Resolution full(const Query &q) {
  return createRule<Fill::Value>("full", "shape, fill_value, dtype=, order=, *, device=, like=", q);
}

template <Fill fill> Resolution likeRule(std::string_view function, std::string_view spec, const Query &query) {
  BoundArguments bound = bindArguments(function, spec, query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  constexpr size_t kDtype = fill == Fill::Value ? 2 : 1;
  AbstractValue prototype = boundOperand(bound, 0, query), value;
  if (!isArray(prototype.type) && !isScalarOperand(prototype.type))
    return Resolution{};
  TypeId dtype = elementOf(prototype.type);
  if constexpr (fill == Fill::Value) {
    value = boundOperand(bound, 1, query);
    if (!isScalarOperand(value.type))
      return Resolution::error(std::string(function) + ": the fill value must be a number, not " + toString(value.type));
  }
  AbstractValue dtype_value = boundOperand(bound, kDtype, query);
  if (!isNone(dtype_value)) {
    std::optional<TypeId> given = dtypeOperand(dtype_value);
    if (!given)
      return wrongDtype(function);
    dtype = *given;
  }
  AbstractValue shape = boundOperand(bound, kDtype + 3, query);
  bool own_shape = !isNone(shape);
  if (own_shape && !isShape(shape.type))
    return Resolution::error(std::string(function) + ": the shape must be an int or a tuple of ints");
  bool fortran = isArray(prototype.type) && typeOf(prototype.type).layout == Layout::F;
  std::optional<Layout> order = orderOperand(boundOperand(bound, kDtype + 1, query), fortran ? Layout::F : Layout::C);
  if (!order)
    return Resolution::error(std::string(function) + ": order must be 'C', 'F', 'A' or 'K'");
  TypeId type = arrayType(dtype, own_shape ? shapeRank(shape.type) : rankOf(prototype.type), *order);
  int array_index = bound.operand[0], value_index = fill == Fill::Value ? bound.operand[1] : -1;
  int shape_index = bound.operand[kDtype + 3];
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    std::vector<ValueId> dims;
    if (own_shape)
      dims = shapeOperand(e, shape, values[static_cast<size_t>(shape_index)]);
    else if (isArray(prototype.type))
      dims = dimsOf(e.builder(), values[static_cast<size_t>(array_index)]);
    return emitFilled(e, type, dims, fill, value,
                      value_index >= 0 ? values[static_cast<size_t>(value_index)] : ValueId{});
  });
}

Resolution emptyLike(const Query &q) {
  return likeRule<Fill::Uninitialised>("empty_like", "prototype, dtype=, order=, subok=, shape=", q);
}
Resolution zerosLike(const Query &q) { return likeRule<Fill::Zero>("zeros_like", "a, dtype=, order=, subok=, shape=", q); }
Resolution onesLike(const Query &q) { return likeRule<Fill::One>("ones_like", "a, dtype=, order=, subok=, shape=", q); }
Resolution fullLike(const Query &q) {
  return likeRule<Fill::Value>("full_like", "a, fill_value, dtype=, order=, subok=, shape=", q);
}

/// How np.asarray and its kin treat an array that has the dtype already.
enum class Keep { Any, C, F, Never };

Resolution convertRule(std::string_view function, std::string_view spec, Keep keep, const Query &query) {
  BoundArguments bound = bindArguments(function, spec, query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue source = boundOperand(bound, 0, query);
  if (!isArray(source.type) && !isScalarOperand(source.type))
    return Resolution{};
  TypeId dtype = elementOf(source.type);
  AbstractValue dtype_value = bound.operand.size() > 1 ? boundOperand(bound, 1, query) : AbstractValue{};
  if (!isNone(dtype_value)) {
    std::optional<TypeId> given = dtypeOperand(dtype_value);
    if (!given)
      return wrongDtype(function);
    dtype = *given;
  }
  unsigned ndim = rankOf(source.type);
  if ((keep == Keep::C || keep == Keep::F) && ndim == 0)
    ndim = 1; // NumPy: at least one axis
  Layout from = isArray(source.type) ? typeOf(source.type).layout : Layout::C;
  Layout to = keep == Keep::C ? Layout::C : keep == Keep::F ? Layout::F : from == Layout::F ? Layout::F : Layout::C;
  bool fits = keep == Keep::Any || (keep != Keep::Never && typeOf(arrayType(dtype, ndim, to)).layout == from);
  int index = bound.operand[0];
  if (isArray(source.type) && fits && dtype == elementOf(source.type) && ndim == rankOf(source.type))
    return Resolution::resolved(source.type, [index](Emitter &, std::span<const ValueId> values) {
      return values[static_cast<size_t>(index)];
    });
  TypeId type = arrayType(dtype, ndim, to);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    ValueId value = values[static_cast<size_t>(index)];
    if (isArray(source.type) && rankOf(source.type) == ndim) {
      bool in_order = (keep == Keep::C || keep == Keep::F) && dtype == elementOf(source.type);
      return in_order ? emitContiguous(e, value, to) : copyArray(e, value, type);
    }
    std::vector<ValueId> dims(ndim, ndim > 0 ? b.int64(1) : ValueId{});
    ValueId array = allocate(b, type, dims);
    ValueId scalar = isArray(source.type) ? castScalar(e, loadItem(b, value, {}), dtype)
                                          : operandAs(e, source, value, dtype);
    std::vector<ValueId> zeros(ndim, ndim > 0 ? b.int64(0) : ValueId{});
    storeItem(b, array, zeros, scalar);
    return array;
  });
}

Resolution asarray(const Query &q) {
  return convertRule("asarray", "a, dtype=, order=, *, device=, copy=, like=", Keep::Any, q);
}
Resolution ascontiguousarray(const Query &q) {
  return convertRule("ascontiguousarray", "a, dtype=, *, like=", Keep::C, q);
}
Resolution asfortranarray(const Query &q) { return convertRule("asfortranarray", "a, dtype=, *, like=", Keep::F, q); }
Resolution copy(const Query &q) {
  // The second parameter of np.copy is the order, which has no dtype to offer.
  if (q.operands.size() != 1)
    return Resolution::error("copy: one argument expected");
  return convertRule("copy", "a", Keep::Never, q);
}

/// a.copy(): C order, as NumPy's method.
Resolution copyMethod(const Query &query) {
  BoundArguments bound = bindArguments("copy", "self, order=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  TypeId source = query.operands[0].type;
  std::optional<Layout> order = Layout::C;
  if (bound.operand[1] >= 0)
    order = orderOperand(boundOperand(bound, 1, query),
                         typeOf(source).layout == Layout::F ? Layout::F : Layout::C);
  if (!order)
    return Resolution::error("copy: order must be 'C', 'F', 'A' or 'K'");
  TypeId type = arrayType(elementOf(source), rankOf(source), *order);
  return Resolution::resolved(
      type, [type](Emitter &e, std::span<const ValueId> values) { return copyArray(e, values[0], type); });
}

/// a.astype(dtype): layout kept where it is C or F.
Resolution astypeMethod(const Query &query) {
  BoundArguments bound = bindArguments("astype", "self, dtype, order=, casting=, subok=, copy=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  std::optional<TypeId> dtype = dtypeOperand(boundOperand(bound, 1, query));
  if (!dtype)
    return wrongDtype("astype");
  TypeId source = query.operands[0].type;
  std::optional<Layout> order =
      orderOperand(boundOperand(bound, 2, query), typeOf(source).layout == Layout::F ? Layout::F : Layout::C);
  if (!order)
    return Resolution::error("astype: order must be 'C', 'F', 'A' or 'K'");
  TypeId type = arrayType(*dtype, rankOf(source), *order);
  return Resolution::resolved(
      type, [type](Emitter &e, std::span<const ValueId> values) { return copyArray(e, values[0], type); });
}

} // namespace

void registerArrayCreate(Table &table) {
  table.call("numpy.empty", empty);
  table.call("numpy.zeros", zeros);
  table.call("numpy.ones", ones);
  table.call("numpy.full", full);
  table.call("numpy.empty_like", emptyLike);
  table.call("numpy.zeros_like", zerosLike);
  table.call("numpy.ones_like", onesLike);
  table.call("numpy.full_like", fullLike);
  table.call("numpy.asarray", asarray);
  table.call("numpy.ascontiguousarray", ascontiguousarray);
  table.call("numpy.asfortranarray", asfortranarray);
  table.call("numpy.copy", copy);
  table.method(TypeKind::Array, "copy", copyMethod);
  table.method(TypeKind::Array, "astype", astypeMethod);
}

} // namespace naja::library
