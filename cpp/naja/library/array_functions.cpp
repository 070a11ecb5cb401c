// Elementwise functions that are no ufuncs: where, clip, round, nan_to_num, isclose, real, imag, angle, modf, frexp.
#include "naja/library/array_families.h"
#include "naja/library/array_views.h"
#include "naja/library/ufunc.h"

#include <array>
#include <cmath>
#include <limits>

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Builder;
using ir::MathFn;
using ir::Opcode;
using ir::Predicate;
using Args = std::span<const ValueId>;

std::optional<Resolution> failed(const BoundArguments &bound) {
  return bound.error.empty() ? std::nullopt : std::optional(Resolution::error(bound.error));
}

/// An elementwise operation on the first parameters of `bound`.
std::optional<Elementwise> operationOn(std::string name, const BoundArguments &bound, size_t count, const Query &query) {
  Elementwise operation;
  operation.name = std::move(name);
  for (size_t i = 0; i < count; ++i) {
    AbstractValue operand = boundOperand(bound, i, query);
    if (!isElementwiseOperand(operand.type))
      return std::nullopt;
    operation.operands.push_back(operand);
    operation.positions.push_back(static_cast<size_t>(bound.operand[i]));
  }
  return operation;
}

std::vector<AbstractValue> elementsOf(std::span<const AbstractValue> operands) {
  std::vector<AbstractValue> elements;
  for (const AbstractValue &operand : operands)
    elements.push_back(elementValue(operand));
  return elements;
}

Resolution where(const Query &query) {
  BoundArguments bound = bindArguments("where", "condition, x=, y=", query);
  if (auto error = failed(bound))
    return *error;
  if (bound.operand[1] < 0 || bound.operand[2] < 0)
    return {}; // where(condition) is nonzero, a library function
  std::optional<Elementwise> operation = operationOn("where", bound, 3, query);
  if (!operation)
    return {};
  TypeId result = commonDtype(elementsOf(std::span(operation->operands).subspan(1)));
  operation->result = result;
  operation->body = [result](Emitter &e, Args args) {
    return e.builder().select(emitTruth(e, args[0]), castScalar(e, args[1], result), castScalar(e, args[2], result));
  };
  return resolveElementwise(std::move(*operation));
}

// ---- clip

ValueId clipped(Emitter &e, TypeId type, ValueId x, ValueId low, ValueId high) {
  const Ufunc &maximum = *findUfunc("maximum"), &minimum = *findUfunc("minimum");
  if (low.valid()) {
    std::array<ValueId, 2> args{x, castScalar(e, low, type)};
    x = maximum.element(e, maximum, type, args);
  }
  if (high.valid()) {
    std::array<ValueId, 2> args{x, castScalar(e, high, type)};
    x = minimum.element(e, minimum, type, args);
  }
  return x;
}

Resolution clip(const Query &query) {
  BoundArguments bound = bindArguments("clip", "a, a_min=, a_max=, out=", query);
  if (auto error = failed(bound))
    return *error;
  Elementwise operation;
  std::array<bool, 3> given{};
  for (size_t i = 0; i < 3; ++i) {
    AbstractValue operand = boundOperand(bound, i, query);
    given[i] = !isNone(operand);
    if (!given[i])
      continue;
    if (!isElementwiseOperand(operand.type))
      return {};
    operation.operands.push_back(operand);
    operation.positions.push_back(static_cast<size_t>(bound.operand[i]));
  }
  if (!given[1] && !given[2])
    return Resolution::error("clip: one of a_min and a_max must be given");
  TypeId result = commonDtype(elementsOf(operation.operands));
  operation.name = given[1] ? (given[2] ? "clip" : "clip_low") : "clip_high";
  operation.result = result;
  operation.body = [=](Emitter &e, Args args) {
    ValueId low = given[1] ? args[1] : ValueId{}, high = given[2] ? args.back() : ValueId{};
    return clipped(e, result, castScalar(e, args[0], result), low, high);
  };
  AbstractValue out = boundOperand(bound, 3, query);
  return isNone(out) ? resolveElementwise(std::move(operation))
                     : resolveElementwiseInto(std::move(operation), out.type, static_cast<size_t>(bound.operand[3]));
}

// ---- round

ValueId roundReal(Emitter &e, TypeId type, ValueId x, int64_t decimals) {
  Builder &b = e.builder();
  if (decimals == 0)
    return b.math(MathFn::Rint, type, {x});
  ValueId scale = b.floatConst(std::pow(10.0, static_cast<double>(std::abs(decimals))), type);
  Opcode forth = decimals > 0 ? Opcode::FMul : Opcode::FDiv, back = decimals > 0 ? Opcode::FDiv : Opcode::FMul;
  return b.emit(back, type, {b.math(MathFn::Rint, type, {b.emit(forth, type, {x, scale})}), scale});
}

/// A whole float as an integer: narrow ones wrap as a cast of int64 does.
ValueId integerOf(Emitter &e, ValueId whole, TypeId type) {
  return emitConvert(e, type == types().uint64 ? whole : emitConvert(e, whole, types().int64), type);
}

ValueId roundElement(Emitter &e, TypeId type, ValueId x, int64_t decimals) {
  Builder &b = e.builder();
  if (isFloat(type))
    return roundReal(e, type, x, decimals);
  if (isComplex(type)) {
    TypeId part = realPart(type);
    ValueId real = roundReal(e, part, b.emit(Opcode::CReal, part, {x}), decimals);
    return b.emit(Opcode::CMake, type, {real, roundReal(e, part, b.emit(Opcode::CImag, part, {x}), decimals)});
  }
  if (decimals >= 0)
    return x;
  // To tens, hundreds ...: by way of floats, as NumPy does, with what that loses beyond 2**53.
  TypeId f64 = types().float64;
  return integerOf(e, roundReal(e, f64, emitConvert(e, x, f64), decimals), type);
}

/// The same for a number of decimals that is known at run time.
ValueId roundRealBy(Emitter &e, TypeId type, ValueId x, ValueId digits) {
  Builder &b = e.builder();
  ValueId positive = b.icmp(Predicate::Ge, digits, b.int64(0));
  ValueId size = emitConvert(e, b.emit(Opcode::IAbs, types().int64, {digits}), type);
  ValueId power = b.math(MathFn::Pow, type, {b.floatConst(10.0, type), size});
  ValueId scaled = b.select(positive, b.emit(Opcode::FMul, type, {x, power}), b.emit(Opcode::FDiv, type, {x, power}));
  ValueId whole = b.math(MathFn::Rint, type, {scaled});
  return b.select(positive, b.emit(Opcode::FDiv, type, {whole, power}), b.emit(Opcode::FMul, type, {whole, power}));
}

ValueId roundElementBy(Emitter &e, TypeId type, ValueId x, ValueId decimals) {
  Builder &b = e.builder();
  ValueId digits = emitConvert(e, decimals, types().int64);
  if (isFloat(type))
    return roundRealBy(e, type, x, digits);
  if (isComplex(type)) {
    TypeId part = realPart(type);
    ValueId real = roundRealBy(e, part, b.emit(Opcode::CReal, part, {x}), digits);
    return b.emit(Opcode::CMake, type, {real, roundRealBy(e, part, b.emit(Opcode::CImag, part, {x}), digits)});
  }
  TypeId f64 = types().float64;
  ValueId rounded = integerOf(e, roundRealBy(e, f64, emitConvert(e, x, f64), digits), type);
  return b.select(b.icmp(Predicate::Lt, digits, b.int64(0)), rounded, x);
}

Resolution round(const Query &query) {
  BoundArguments bound = bindArguments("round", "a, decimals=, out=", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> operation = operationOn("round", bound, 1, query);
  if (!operation || (query.name == "builtins.round" && !isArray(query.operands[0].type)))
    return {};
  AbstractValue decimals_value = boundOperand(bound, 1, query);
  TypeId result = elementOf(operation->operands[0].type);
  if (isBool(result))
    return {};
  operation->result = result;
  AbstractValue out = boundOperand(bound, 2, query);
  std::optional<int64_t> decimals = isNone(decimals_value) ? std::optional<int64_t>(0) : constantInt(decimals_value);
  if (!decimals) {
    if (!isInt(decimals_value.type))
      return Resolution::error("round: decimals must be an int");
    operation->name = "round_by";
    operation->operands.push_back(decimals_value);
    operation->positions.push_back(static_cast<size_t>(bound.operand[1]));
    operation->body = [result](Emitter &e, Args args) { return roundElementBy(e, result, args[0], args[1]); };
  } else {
    operation->name += std::to_string(*decimals);
    operation->body = [=](Emitter &e, Args args) { return roundElement(e, result, args[0], *decimals); };
  }
  return isNone(out) ? resolveElementwise(std::move(*operation))
                     : resolveElementwiseInto(std::move(*operation), out.type, static_cast<size_t>(bound.operand[2]));
}

// ---- nan_to_num

struct Replacements {
  AbstractValue nan, posinf, neginf; // absent: 0, the largest, the least number
};

/// The replacement, or the default where the operand is absent.
ValueId replacement(Emitter &e, const AbstractValue &given, double fallback, TypeId type) {
  return isNone(given) ? e.builder().floatConst(fallback, type) : operandAs(e, given, {}, type);
}

ValueId nanToNumber(Emitter &e, TypeId type, ValueId x, const Replacements &r) {
  Builder &b = e.builder();
  double most = typeOf(type).bits == 32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  double infinity = std::numeric_limits<double>::infinity();
  ValueId up = b.fcmp(Predicate::Eq, x, b.floatConst(infinity, type));
  ValueId down = b.fcmp(Predicate::Eq, x, b.floatConst(-infinity, type));
  ValueId is_nan = b.math(MathFn::IsNan, types().boolean, {x});
  ValueId finite = b.select(up, replacement(e, r.posinf, most, type),
                            b.select(down, replacement(e, r.neginf, -most, type), x));
  return b.select(is_nan, replacement(e, r.nan, 0.0, type), finite);
}

Resolution nanToNum(const Query &query) {
  BoundArguments bound = bindArguments("nan_to_num", "x, copy=, nan=, posinf=, neginf=", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> operation = operationOn("nan_to_num", bound, 1, query);
  if (!operation)
    return {};
  Replacements r{boundOperand(bound, 2, query), boundOperand(bound, 3, query), boundOperand(bound, 4, query)};
  for (const AbstractValue *value : {&r.nan, &r.posinf, &r.neginf}) {
    if (!isNone(*value) && !value->constant.valid())
      return Resolution::error("nan_to_num: the replacements must be constants");
    operation->name += "," + std::to_string(value->constant.value);
  }
  TypeId result = elementOf(operation->operands[0].type);
  operation->result = result;
  operation->body = [result, r](Emitter &e, Args args) {
    Builder &b = e.builder();
    if (isFloat(result))
      return nanToNumber(e, result, args[0], r);
    if (!isComplex(result))
      return args[0];
    TypeId part = realPart(result);
    ValueId real = nanToNumber(e, part, b.emit(Opcode::CReal, part, {args[0]}), r);
    return b.emit(Opcode::CMake, result, {real, nanToNumber(e, part, b.emit(Opcode::CImag, part, {args[0]}), r)});
  };
  if (boolConstant(boundOperand(bound, 1, query)) == false && isArray(query.operands[0].type))
    return resolveElementwiseInto(std::move(*operation), query.operands[0].type, 0);
  return resolveElementwise(std::move(*operation));
}

// ---- isclose, allclose

/// |a - b| <= atol + rtol * |b|; equal infinities are close.
ValueId closeElement(Emitter &e, TypeId loop, Args args, bool equal_nan) {
  Builder &b = e.builder();
  TypeId part = realPart(loop), boolean = types().boolean;
  ValueId x = castScalar(e, args[0], loop), y = castScalar(e, args[1], loop);
  ValueId rtol = castScalar(e, args[2], part), atol = castScalar(e, args[3], part);
  ValueId distance = emitAbs(e, emitBinary(e, BinaryOp::Sub, x, y, loop));
  ValueId bound = b.emit(Opcode::FAdd, part, {atol, b.emit(Opcode::FMul, part, {rtol, emitAbs(e, y)})});
  ValueId near = b.emit(Opcode::IAnd, boolean, {b.fcmp(Predicate::Le, distance, bound), emitMath(e, MathFn::IsFinite, loop, {y})});
  ValueId close = b.emit(Opcode::IOr, boolean, {near, emitCompare(e, Predicate::Eq, x, y)});
  if (!equal_nan)
    return close;
  ValueId nans = b.emit(Opcode::IAnd, boolean, {emitMath(e, MathFn::IsNan, loop, {x}), emitMath(e, MathFn::IsNan, loop, {y})});
  return b.emit(Opcode::IOr, boolean, {close, nans});
}

/// The operation of isclose; `query` positions beyond the operands stand for the default tolerances.
std::optional<Elementwise> closeOperation(const BoundArguments &bound, const Query &query) {
  std::optional<Elementwise> operation = operationOn("isclose", bound, 2, query);
  if (!operation)
    return std::nullopt;
  TypeId loop = divideLoop(elementsOf(operation->operands));
  constexpr std::array<double, 2> kDefaults{1e-05, 1e-08};
  for (size_t i = 0; i < 2; ++i) {
    AbstractValue given = boundOperand(bound, 2 + i, query);
    if (isNone(given)) {
      ConstId constant = ConstantStore::global().ofFloat(kDefaults[i]);
      operation->operands.push_back({types().float64, constant, true});
      operation->positions.push_back(0); // a constant: no value is read
    } else {
      operation->operands.push_back(given);
      operation->positions.push_back(static_cast<size_t>(bound.operand[2 + i]));
    }
  }
  bool equal_nan = boolConstant(boundOperand(bound, 4, query)).value_or(false);
  operation->name += equal_nan ? "_nan" : "";
  operation->result = types().boolean;
  operation->body = [=](Emitter &e, Args args) { return closeElement(e, loop, args, equal_nan); };
  return operation;
}

Resolution isclose(const Query &query) {
  BoundArguments bound = bindArguments("isclose", "a, b, rtol=, atol=, equal_nan=", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> operation = closeOperation(bound, query);
  return operation ? resolveElementwise(std::move(*operation)) : Resolution{};
}

Resolution allclose(const Query &query) {
  BoundArguments bound = bindArguments("allclose", "a, b, rtol=, atol=, equal_nan=", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> operation = closeOperation(bound, query);
  if (!operation)
    return {};
  return Resolution::resolved(types().boolean, [operation = *operation](Emitter &e, std::span<const ValueId> values) {
    ValueId close = emitElementwise(e, operation, values);
    if (!isArray(elementwiseType(operation)))
      return close;
    std::array<ValueId, 1> operands{close};
    ir::FunctionId kernel = castKernel(e, types().boolean, types().boolean);
    return reduceArray(e, kernel, ir::ReduceKind::All, types().boolean, operands, e.builder().boolConst(true));
  });
}

// ---- parts of complex numbers

template <bool imaginary> Resolution partOf(const Query &query) {
  if (query.operands.size() != 1)
    return {};
  TypeId type = query.operands[0].type;
  if (isArray(type))
    return complexPart(type, imaginary);
  if (!isScalarOperand(type))
    return {};
  AbstractValue operand = query.operands[0];
  TypeId result = isComplex(type) ? realPart(type) : type;
  return Resolution::resolved(result, [=](Emitter &e, std::span<const ValueId> values) {
    ValueId value = emitOperand(e, operand, values[0]);
    if (isComplex(type))
      return e.builder().emit(imaginary ? Opcode::CImag : Opcode::CReal, result, {value});
    return imaginary ? emitConstant(e, ConstantStore::global().ofInt(0), result) : value;
  });
}

Resolution angle(const Query &query) {
  BoundArguments bound = bindArguments("angle", "z, deg=", query);
  if (auto error = failed(bound))
    return *error;
  bool degrees = boolConstant(boundOperand(bound, 1, query)).value_or(false);
  std::optional<Elementwise> operation = operationOn(degrees ? "angle_deg" : "angle", bound, 1, query);
  if (!operation)
    return {};
  TypeId element = elementOf(operation->operands[0].type);
  TypeId result = isComplex(element) ? realPart(element) : isBool(element) ? types().float64 : floatDtype(element);
  operation->result = result;
  operation->body = [=](Emitter &e, Args args) {
    Builder &b = e.builder();
    ValueId phase = isComplex(element)
                        ? emitMath(e, MathFn::Phase, element, {args[0]})
                        : emitMath(e, MathFn::Atan2, result, {b.floatConst(0.0, result), castScalar(e, args[0], result)});
    return degrees ? b.emit(Opcode::FMul, result, {phase, b.floatConst(180.0 / M_PI, result)}) : phase;
  };
  return resolveElementwise(std::move(*operation));
}

/// np.result_type(...): of arrays, scalars and dtypes; a constant.
Resolution resultType(const Query &query) {
  std::vector<AbstractValue> elements;
  for (const AbstractValue &operand : query.operands) {
    std::optional<TypeId> dtype = isElementwiseOperand(operand.type) ? std::nullopt : dtypeOperand(operand);
    if (!dtype && !isElementwiseOperand(operand.type))
      return {};
    elements.push_back(dtype ? AbstractValue{*dtype, {}, false} : elementValue(operand));
  }
  if (elements.empty() || !query.keywords.empty())
    return Resolution::error("at least one array or dtype is required");
  return Resolution::constantValue(dtypeConstant(commonDtype(elements)), false);
}

// ---- two results

Resolution pair(Elementwise first, Elementwise second) {
  std::array<TypeId, 2> items{elementwiseType(first), elementwiseType(second)};
  return Resolution::resolved(types().tuple(items), [=](Emitter &e, std::span<const ValueId> values) {
    std::array<ValueId, 2> results{emitElementwise(e, first, values), emitElementwise(e, second, values)};
    return e.builder().tupleMake(results);
  });
}

Resolution modf(const Query &query) {
  BoundArguments bound = bindArguments("modf", "x", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> fraction = operationOn("modf_fraction", bound, 1, query);
  if (!fraction)
    return {};
  TypeId loop = floatLoop(elementsOf(fraction->operands));
  if (!loop.valid())
    return {};
  Elementwise integral = *fraction;
  integral.name = "modf_integral";
  fraction->result = integral.result = loop;
  fraction->body = [loop](Emitter &e, Args args) {
    Builder &b = e.builder();
    ValueId x = castScalar(e, args[0], loop), whole = b.math(MathFn::Trunc, loop, {x});
    ValueId rest = b.emit(Opcode::FSub, loop, {x, whole});
    ValueId infinite = b.math(MathFn::IsInf, types().boolean, {x});
    rest = b.select(infinite, b.floatConst(0.0, loop), rest);
    return b.math(MathFn::CopySign, loop, {rest, x});
  };
  integral.body = [loop](Emitter &e, Args args) {
    return e.builder().math(MathFn::Trunc, loop, {castScalar(e, args[0], loop)});
  };
  return pair(std::move(*fraction), std::move(integral));
}

/// Biased exponent of a float64, subnormals scaled first; the pieces of frexp.
struct FloatParts {
  ValueId bits, exponent, regular; // regular: finite and not 0
};
FloatParts floatParts(Emitter &e, ValueId x) {
  Builder &b = e.builder();
  TypeId f64 = types().float64, i64 = types().int64;
  ValueId magnitude = b.emit(Opcode::FAbs, f64, {x});
  ValueId tiny = b.fcmp(Predicate::Lt, magnitude, b.floatConst(std::numeric_limits<double>::min(), f64));
  ValueId scaled = b.select(tiny, b.emit(Opcode::FMul, f64, {x, b.floatConst(0x1p54, f64)}), x);
  ValueId bits = b.emit(Opcode::Bitcast, i64, {scaled});
  ValueId biased = b.emit(Opcode::IAnd, i64, {b.emit(Opcode::IShr, i64, {bits, b.int64(52)}), b.int64(0x7ff)});
  ValueId exponent = b.isub(biased, b.select(tiny, b.int64(1022 + 54), b.int64(1022)));
  ValueId finite = b.math(MathFn::IsFinite, types().boolean, {x});
  ValueId nonzero = b.fcmp(Predicate::Ne, x, b.floatConst(0.0, f64));
  return {bits, exponent, b.emit(Opcode::IAnd, types().boolean, {finite, nonzero})};
}

Resolution frexp(const Query &query) {
  BoundArguments bound = bindArguments("frexp", "x", query);
  if (auto error = failed(bound))
    return *error;
  std::optional<Elementwise> mantissa = operationOn("frexp_mantissa", bound, 1, query);
  if (!mantissa)
    return {};
  TypeId loop = floatLoop(elementsOf(mantissa->operands));
  if (!loop.valid())
    return {};
  Elementwise exponent = *mantissa;
  exponent.name = "frexp_exponent";
  mantissa->result = loop;
  exponent.result = types().int32;
  mantissa->body = [](Emitter &e, Args args) {
    Builder &b = e.builder();
    ValueId x = castScalar(e, args[0], types().float64);
    FloatParts parts = floatParts(e, x);
    TypeId i64 = types().int64;
    ValueId cleared = b.emit(Opcode::IAnd, i64, {parts.bits, b.int64(static_cast<int64_t>(0x800fffffffffffffULL))});
    ValueId half = b.emit(Opcode::IOr, i64, {cleared, b.int64(0x3fe0000000000000)});
    return b.select(parts.regular, b.emit(Opcode::Bitcast, types().float64, {half}), x);
  };
  exponent.body = [](Emitter &e, Args args) {
    FloatParts parts = floatParts(e, castScalar(e, args[0], types().float64));
    return e.builder().select(parts.regular, parts.exponent, e.builder().int64(0));
  };
  return pair(std::move(*mantissa), std::move(exponent));
}

} // namespace

void registerArrayFunctions(Table &table) {
  table.call("numpy.where", where);
  table.call("numpy.clip", clip);
  table.call("numpy.round", round);
  table.call("numpy.around", round);
  table.call("builtins.round", round);
  table.call("numpy.nan_to_num", nanToNum);
  table.call("numpy.isclose", isclose);
  table.call("numpy.allclose", allclose);
  table.call("numpy.real", partOf<false>);
  table.call("numpy.imag", partOf<true>);
  table.call("numpy.angle", angle);
  table.call("numpy.result_type", resultType);
  table.call("numpy.modf", modf);
  table.call("numpy.frexp", frexp);
  table.method(TypeKind::Array, "clip", clip);
  table.method(TypeKind::Array, "round", round);
}

} // namespace naja::library
