// Whole-array reductions as functions and methods. Along an axis: Python code of naja.library.reductions.
#include "naja/library/array_families.h"
#include "naja/library/array_views.h"
#include "naja/library/ufunc.h"

#include <array>
#include <limits>

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Builder;
using ir::MathFn;
using ir::Opcode;
using ir::Predicate;
using ir::ReduceKind;
using Args = std::span<const ValueId>;

struct Reduction;
/// Emits the reduction of an array to `result`. `ddof` is for var and std.
using EmitReduction = ValueId (*)(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId ddof);

struct Reduction {
  std::string_view name;
  TypeId (*result)(TypeId dtype); // invalid: not defined
  EmitReduction emit;
  int64_t param = 0;
  std::string_view axis_function; // of naja.library.reductions; empty: no axis
  bool takes_dtype = false, takes_ddof = false;
};

TypeId dtypeOfValue(Emitter &e, ValueId array) { return elementOf(e.builder().function().typeOf(array)); }

/// The kernel of one operand, named after its use.
ir::FunctionId unaryKernel(Emitter &e, std::string_view name, TypeId from, TypeId to,
                           const std::function<ValueId(Emitter &, ValueId)> &body) {
  std::array<TypeId, 1> params{from};
  return e.kernel("reduce." + std::string(name) + "(" + toString(from) + ")" + toString(to), params, to,
                  [&](Emitter &inner, Args args) { return body(inner, args[0]); });
}

ValueId reduceOne(Emitter &e, ir::FunctionId kernel, ReduceKind kind, TypeId type, ValueId array, ValueId initial) {
  std::array<ValueId, 1> operands{array};
  return reduceArray(e, kernel, kind, type, operands, initial);
}

ValueId scalarConstant(Emitter &e, int64_t value, TypeId type) {
  return emitConstant(e, ConstantStore::global().ofInt(value), type);
}

// ---- sum, prod

TypeId accumulatorOf(TypeId dtype) {
  const Type &type = typeOf(dtype);
  if (type.kind == TypeKind::Bool)
    return types().int64;
  if (type.kind == TypeKind::Int)
    return type.is_signed ? types().int64 : types().uint64;
  return dtype;
}

ValueId emitSum(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  auto kind = static_cast<ReduceKind>(row.param);
  ValueId initial = scalarConstant(e, kind == ReduceKind::Prod ? 1 : 0, result);
  if (isBool(result)) // + and * of bools are or and and
    kind = kind == ReduceKind::Prod ? ReduceKind::All : ReduceKind::Any;
  ir::FunctionId kernel = castKernel(e, dtypeOfValue(e, array), result);
  return reduceOne(e, kernel, kind, result, array, initial);
}

ValueId isNanElement(Emitter &e, ValueId x) {
  return emitMath(e, MathFn::IsNan, e.builder().function().typeOf(x), {x});
}

/// nansum, nanprod: a NaN counts as the identity.
ValueId emitNanSum(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  auto kind = static_cast<ReduceKind>(row.param);
  int64_t identity = kind == ReduceKind::Prod ? 1 : 0;
  TypeId dtype = dtypeOfValue(e, array);
  if (!isFloat(dtype) && !isComplex(dtype))
    return emitSum(e, row, array, result, {});
  ir::FunctionId kernel = unaryKernel(e, row.name, dtype, result, [&](Emitter &inner, ValueId x) {
    ValueId value = inner.builder().select(isNanElement(inner, x), scalarConstant(inner, identity, dtype), x);
    return castScalar(inner, value, result);
  });
  return reduceOne(e, kernel, kind, result, array, scalarConstant(e, identity, result));
}

// ---- min, max

TypeId orderedOnly(TypeId dtype) { return isComplex(dtype) ? TypeId{} : dtype; }

/// What every element is below (of min) or above (of max).
ValueId extreme(Emitter &e, bool of_max, TypeId type) {
  Builder &b = e.builder();
  const Type &t = typeOf(type);
  if (t.kind == TypeKind::Bool)
    return b.boolConst(!of_max);
  if (t.kind == TypeKind::Float)
    return b.floatConst(of_max ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity(), type);
  if (!t.is_signed)
    return b.intConst(of_max ? 0 : t.bits == 64 ? -1 : (int64_t(1) << t.bits) - 1, type);
  int64_t least = t.bits == 64 ? INT64_MIN : -(int64_t(1) << (t.bits - 1));
  return b.intConst(of_max ? least : -(least + 1), type);
}

void checkNotEmpty(Emitter &e, ValueId array, bool of_max) {
  Builder &b = e.builder();
  emitCheck(e, b.icmp(Predicate::Ne, sizeOf(b, array), b.int64(0)), "ValueError",
            std::string("zero-size array to reduction operation ") + (of_max ? "maximum" : "minimum") +
                " which has no identity");
}

ReduceKind extremumKind(bool of_max, TypeId type) {
  if (isBool(type))
    return of_max ? ReduceKind::Any : ReduceKind::All;
  return of_max ? ReduceKind::Max : ReduceKind::Min;
}

ValueId emitExtremum(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  bool of_max = row.param == 1;
  checkNotEmpty(e, array, of_max);
  return reduceOne(e, castKernel(e, result, result), extremumKind(of_max, result), result, array,
                   extreme(e, of_max, result));
}

/// nanmin, nanmax: NaN where there is nothing else.
ValueId emitNanExtremum(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  if (!isFloat(result))
    return emitExtremum(e, row, array, result, {});
  Builder &b = e.builder();
  bool of_max = row.param == 1;
  checkNotEmpty(e, array, of_max);
  ir::FunctionId kernel = unaryKernel(e, row.name, result, result, [&](Emitter &inner, ValueId x) {
    return inner.builder().select(isNanElement(inner, x), extreme(inner, of_max, result), x);
  });
  ValueId found = reduceOne(e, kernel, of_max ? ReduceKind::Max : ReduceKind::Min, result, array, extreme(e, of_max, result));
  ir::FunctionId number = unaryKernel(e, "isnumber", result, types().boolean,
                                      [](Emitter &inner, ValueId x) { return emitNot(inner, isNanElement(inner, x)); });
  ValueId any = reduceOne(e, number, ReduceKind::Any, types().boolean, array, b.boolConst(false));
  return b.select(any, found, b.floatConst(std::numeric_limits<double>::quiet_NaN(), result));
}

ValueId emitPtp(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  Reduction least = row, most = row;
  least.param = 0;
  most.param = 1;
  ValueId high = emitExtremum(e, most, array, result, {});
  return emitBinary(e, BinaryOp::Sub, high, emitExtremum(e, least, array, result, {}), result);
}
TypeId numericOnly(TypeId dtype) { return isComplex(dtype) || isBool(dtype) ? TypeId{} : dtype; }

// ---- any, all, count_nonzero

TypeId truthResult(TypeId) { return types().boolean; }
TypeId countResult(TypeId) { return types().int64; }

ir::FunctionId truthKernel(Emitter &e, TypeId dtype) {
  return unaryKernel(e, "truth", dtype, types().boolean, [](Emitter &inner, ValueId x) { return emitTruth(inner, x); });
}

ValueId emitAnyAll(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  auto kind = static_cast<ReduceKind>(row.param);
  return reduceOne(e, truthKernel(e, dtypeOfValue(e, array)), kind, result, array,
                   e.builder().boolConst(kind == ReduceKind::All));
}

ValueId emitCountNonzero(Emitter &e, const Reduction &, ValueId array, TypeId result, ValueId) {
  ir::FunctionId kernel = unaryKernel(e, "count_nonzero", dtypeOfValue(e, array), result, [&](Emitter &inner, ValueId x) {
    return emitConvert(inner, emitTruth(inner, x), result);
  });
  return reduceOne(e, kernel, ReduceKind::Sum, result, array, e.builder().int64(0));
}

// ---- mean, var, std

TypeId meanResult(TypeId dtype) { return isFloat(dtype) || isComplex(dtype) ? dtype : types().float64; }
TypeId varianceResult(TypeId dtype) { return realPart(meanResult(dtype)); }

ValueId quotient(Emitter &e, ValueId total, ValueId count, TypeId type) {
  return emitBinary(e, BinaryOp::TrueDiv, total, emitConvert(e, count, type), type, ZeroDivision::Ieee);
}

ValueId emitMean(Emitter &e, const Reduction &, ValueId array, TypeId result, ValueId) {
  ir::FunctionId kernel = castKernel(e, dtypeOfValue(e, array), result);
  ValueId total = reduceOne(e, kernel, ReduceKind::Sum, result, array, scalarConstant(e, 0, result));
  return quotient(e, total, sizeOf(e.builder(), array), result);
}

/// |x - mean|**2
ValueId squaredDistance(Emitter &e, ValueId x, ValueId mean, TypeId real) {
  Builder &b = e.builder();
  TypeId type = b.function().typeOf(mean);
  ValueId d = emitBinary(e, BinaryOp::Sub, castScalar(e, x, type), mean, type);
  if (!isComplex(type))
    return b.emit(Opcode::FMul, real, {d, d});
  ValueId re = b.emit(Opcode::CReal, real, {d}), im = b.emit(Opcode::CImag, real, {d});
  return b.emit(Opcode::FAdd, real, {b.emit(Opcode::FMul, real, {re, re}), b.emit(Opcode::FMul, real, {im, im})});
}

/// The number of elements, or of those that are no NaN.
ValueId countOf(Emitter &e, ValueId array, bool skip_nan) {
  TypeId dtype = dtypeOfValue(e, array);
  if (!skip_nan || (!isFloat(dtype) && !isComplex(dtype)))
    return sizeOf(e.builder(), array);
  ir::FunctionId kernel = unaryKernel(e, "count", dtype, types().int64, [](Emitter &inner, ValueId x) {
    return emitConvert(inner, emitNot(inner, isNanElement(inner, x)), types().int64);
  });
  return reduceOne(e, kernel, ReduceKind::Sum, types().int64, array, e.builder().int64(0));
}

ValueId emitNanMean(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId) {
  Reduction sum = row;
  sum.name = "nansum";
  sum.param = static_cast<int64_t>(ReduceKind::Sum);
  return quotient(e, emitNanSum(e, sum, array, result, {}), countOf(e, array, true), result);
}

/// param bit 0: the square root; bit 1: NaNs are skipped.
ValueId emitVariance(Emitter &e, const Reduction &row, ValueId array, TypeId result, ValueId ddof) {
  Builder &b = e.builder();
  bool root = (row.param & 1) != 0, skip_nan = (row.param & 2) != 0;
  TypeId dtype = dtypeOfValue(e, array), mean_type = meanResult(dtype);
  ValueId mean = skip_nan ? emitNanMean(e, row, array, mean_type, {}) : emitMean(e, row, array, mean_type, {});
  std::array<TypeId, 2> params{dtype, mean_type};
  ir::FunctionId kernel =
      e.kernel(std::string(skip_nan ? "nanvariance(" : "variance(") + toString(dtype) + ")", params, result,
               [&](Emitter &inner, Args args) {
                 ValueId d = squaredDistance(inner, args[0], args[1], result);
                 if (!skip_nan || (!isFloat(dtype) && !isComplex(dtype)))
                   return d;
                 return inner.builder().select(isNanElement(inner, args[0]), scalarConstant(inner, 0, result), d);
               });
  std::array<ValueId, 2> operands{array, mean};
  ValueId total = reduceArray(e, kernel, ReduceKind::Sum, result, operands, scalarConstant(e, 0, result));
  ValueId count = emitConvert(e, countOf(e, array, skip_nan), result);
  if (ddof.valid())
    count = b.math(MathFn::Maximum, result,
                   {b.emit(Opcode::FSub, result, {count, emitConvert(e, ddof, result)}), scalarConstant(e, 0, result)});
  ValueId variance = b.emit(Opcode::FDiv, result, {total, count});
  return root ? b.math(MathFn::Sqrt, result, {variance}) : variance;
}

constexpr int64_t kind(ReduceKind k) { return static_cast<int64_t>(k); }

constexpr Reduction kReductions[] = {
    {"sum", accumulatorOf, emitSum, kind(ReduceKind::Sum), "sum", true},
    {"prod", accumulatorOf, emitSum, kind(ReduceKind::Prod), "prod", true},
    {"min", orderedOnly, emitExtremum, 0, "min"},
    {"max", orderedOnly, emitExtremum, 1, "max"},
    {"amin", orderedOnly, emitExtremum, 0, "min"},
    {"amax", orderedOnly, emitExtremum, 1, "max"},
    {"ptp", numericOnly, emitPtp, 0, "ptp"},
    {"any", truthResult, emitAnyAll, kind(ReduceKind::Any), "any"},
    {"all", truthResult, emitAnyAll, kind(ReduceKind::All), "all"},
    {"count_nonzero", countResult, emitCountNonzero, 0, "count_nonzero"},
    {"mean", meanResult, emitMean, 0, "mean", true},
    {"var", varianceResult, emitVariance, 0, "var", false, true},
    {"std", varianceResult, emitVariance, 1, "std", false, true},
    {"nansum", accumulatorOf, emitNanSum, kind(ReduceKind::Sum), "nansum"},
    {"nanprod", accumulatorOf, emitNanSum, kind(ReduceKind::Prod), "nanprod"},
    {"nanmin", orderedOnly, emitNanExtremum, 0, "nanmin"},
    {"nanmax", orderedOnly, emitNanExtremum, 1, "nanmax"},
    {"nanmean", meanResult, emitNanMean, 0, "nanmean"},
    {"nanvar", varianceResult, emitVariance, 2, "nanvar", false, true},
    {"nanstd", varianceResult, emitVariance, 3, "nanstd", false, true},
};

const Reduction *findReduction(std::string_view name) {
  for (const Reduction &row : kReductions)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::string_view plainName(std::string_view name) { return name.substr(name.rfind('.') + 1); }

constexpr std::string_view kLibrary = "naja.library.reductions:";

/// The reduction along one axis, by the library function of that axis; with a variable axis, by the one that looks it up.
Resolution alongAxis(const Reduction &row, const Query &query, const BoundArguments &bound, TypeId result) {
  TypeId array = query.operands[static_cast<size_t>(bound.operand[0])].type;
  AbstractValue axis = boundOperand(bound, 1, query);
  if (row.axis_function.empty())
    return Resolution::error(std::string(row.name) + ": an axis cannot be given");
  std::vector<Resolution::Arg> args{{bound.operand[0], {}}};
  std::string function = std::string(kLibrary) + std::string(row.axis_function) + "_axis";
  if (constantInt(axis)) {
    std::optional<unsigned> at = axisConstant(axis, rankOf(array));
    if (!at)
      return Resolution::error("axis " + std::to_string(*constantInt(axis)) + " is out of bounds for array of dimension " +
                               std::to_string(rankOf(array)));
    function += std::to_string(*at);
  } else {
    if (!isInt(axis.type))
      return Resolution::error(std::string(row.name) + ": the axis must be an int");
    args.push_back({bound.operand[1], {}});
  }
  if (row.takes_dtype)
    args.push_back({-1, ConstantStore::global().ofType(result)});
  if (row.takes_ddof) {
    int ddof = bound.operand.back();
    args.push_back(ddof >= 0 ? Resolution::Arg{ddof, {}} : Resolution::Arg{-1, ConstantStore::global().ofInt(0)});
  }
  return Resolution::callLibrary(std::move(function), std::move(args));
}

Resolution wholeArray(const Reduction &row, AbstractValue source, size_t position, TypeId result, AbstractValue ddof,
                      int ddof_position) {
  return Resolution::resolved(result, [=, &row](Emitter &e, std::span<const ValueId> values) {
    Builder &b = e.builder();
    ValueId array = values[position];
    if (!isArray(source.type)) { // a scalar: an array of no axes
      array = allocate(b, arrayType(source.type, 0), {});
      storeItem(b, array, {}, emitOperand(e, source, values[position]));
    }
    ValueId degrees = isNone(ddof) ? ValueId{} : emitOperand(e, ddof, values[static_cast<size_t>(ddof_position)]);
    return row.emit(e, row, array, result, degrees);
  });
}

Resolution reduction(const Query &query) {
  const Reduction &row = *findReduction(plainName(query.name));
  BoundArguments bound = bindArguments(
      row.name, row.takes_ddof ? "a, axis=, dtype=, out=, ddof=" : row.takes_dtype ? "a, axis=, dtype=, out=" : "a, axis=, out=",
      query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue source = boundOperand(bound, 0, query);
  if (!isElementwiseOperand(source.type))
    return {};
  TypeId result = row.result(elementOf(source.type));
  if (!result.valid()) {
    bool extremum = row.emit == emitExtremum;
    if (extremum && isArray(source.type) && isNone(boundOperand(bound, 1, query)))
      return Resolution::callLibrary(std::string(kLibrary) + "complex_" + std::string(row.axis_function),
                                     {{bound.operand[0], {}}});
    if (extremum && rankOf(source.type) > 1)
      return alongAxis(row, query, bound, elementOf(source.type));
    return Resolution::error(std::string(row.name) + " is not defined for " + toString(source.type));
  }
  AbstractValue dtype = row.takes_dtype || row.takes_ddof ? boundOperand(bound, 2, query) : AbstractValue{};
  if (!isNone(dtype)) {
    std::optional<TypeId> given = dtypeOperand(dtype);
    if (!given)
      return Resolution::error(std::string(row.name) + ": the dtype must be known while compiling");
    result = row.takes_ddof ? realPart(*given) : *given;
  }
  AbstractValue ddof = row.takes_ddof ? boundOperand(bound, 4, query) : AbstractValue{};
  AbstractValue axis = boundOperand(bound, 1, query);
  bool only_axis = rankOf(source.type) == 1 && axisConstant(axis, 1) == 0U;
  if (!isNone(axis) && !only_axis)
    return alongAxis(row, query, bound, result);
  return wholeArray(row, source, static_cast<size_t>(bound.operand[0]), result, ddof,
                    row.takes_ddof ? bound.operand[4] : -1);
}

} // namespace

void registerArrayReductions(Table &table) {
  for (const Reduction &row : kReductions) {
    table.call("numpy." + std::string(row.name), reduction);
    for (std::string_view method : {"sum", "prod", "min", "max", "any", "all", "mean", "var", "std"})
      if (method == row.name)
        table.method(TypeKind::Array, row.name, reduction);
  }
}

} // namespace naja::library
