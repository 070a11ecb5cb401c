// Ufuncs of real and complex analysis: exponentials, trigonometry, rounding, and small float utilities.
#include "naja/library/ufunc.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Builder;
using ir::MathFn;
using ir::Opcode;
using ir::Predicate;
using Args = std::span<const ValueId>;

ValueId number(Emitter &e, double value, TypeId type) { return e.builder().floatConst(value, type); }

ValueId unaryMath(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  return emitMath(e, static_cast<MathFn>(row.param), loop, {args[0]});
}
ValueId binaryMath(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  return emitMath(e, static_cast<MathFn>(row.param), loop, {args[0], args[1]});
}

/// To the nearest whole number; a complex number part by part.
ValueId rint(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  if (!isComplex(loop))
    return emitMath(e, MathFn::Rint, loop, {args[0]});
  Builder &b = e.builder();
  TypeId part = realPart(loop);
  ValueId real = b.math(MathFn::Rint, part, {b.emit(Opcode::CReal, part, {args[0]})});
  return b.emit(Opcode::CMake, loop, {real, b.math(MathFn::Rint, part, {b.emit(Opcode::CImag, part, {args[0]})})});
}

/// floor, ceil, trunc: integers and bools are whole already.
ValueId whole(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  return isFloat(loop) ? emitMath(e, static_cast<MathFn>(row.param), loop, {args[0]}) : args[0];
}

ValueId toRadians(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return e.builder().emit(Opcode::FMul, loop, {args[0], number(e, std::numbers::pi / 180.0, loop)});
}
ValueId toDegrees(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return e.builder().emit(Opcode::FMul, loop, {args[0], number(e, 180.0 / std::numbers::pi, loop)});
}

ValueId heaviside(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  ValueId x = args[0], nothing = number(e, 0.0, loop);
  ValueId step = b.select(b.fcmp(Predicate::Lt, x, nothing), nothing, number(e, 1.0, loop));
  ValueId at_zero = b.select(b.fcmp(Predicate::Eq, x, nothing), args[1], step);
  return b.select(b.math(MathFn::IsNan, types().boolean, {x}), x, at_zero);
}

/// log(exp(x) + exp(y)), or in base 2 (param 1).
ValueId logAddExp(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  Builder &b = e.builder();
  bool base2 = row.param == 1;
  ValueId x = args[0], y = args[1];
  ValueId difference = b.emit(Opcode::FSub, loop, {x, y});
  ValueId larger = b.math(MathFn::Maximum, loop, {x, y});
  ValueId minus = b.emit(Opcode::FNeg, loop, {b.emit(Opcode::FAbs, loop, {difference})});
  ValueId small = b.math(base2 ? MathFn::Exp2 : MathFn::Exp, loop, {minus});
  ValueId correction = b.math(MathFn::Log1p, loop, {small});
  if (base2)
    correction = b.emit(Opcode::FMul, loop, {correction, number(e, std::numbers::log2e, loop)});
  ValueId same = b.fcmp(Predicate::Eq, x, y); // also of equal infinities
  ValueId doubled = b.emit(Opcode::FAdd, loop, {x, number(e, base2 ? 1.0 : std::numbers::ln2, loop)});
  return b.select(same, doubled, b.emit(Opcode::FAdd, loop, {larger, correction}));
}

ValueId spacing(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  ValueId infinity = number(e, std::numeric_limits<double>::infinity(), loop);
  ValueId away = b.math(MathFn::CopySign, loop, {infinity, args[0]});
  return b.emit(Opcode::FSub, loop, {b.math(MathFn::NextAfter, loop, {args[0], away}), args[0]});
}

/// x * 2**n; n stays an integer.
TypeId ldexpLoop(std::span<const AbstractValue> elements) {
  if (!isInt(elements[1].type) && !isBool(elements[1].type))
    return {};
  return floatLoop(elements.subspan(0, 1));
}
ValueId ldexp(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  ValueId exponent = emitConvert(e, args[1], types().int64); // beyond int32 the result is 0 or infinite anyway
  exponent = b.emit(Opcode::IMin, types().int64, {exponent, b.int64(1 << 20)});
  exponent = b.emit(Opcode::IMax, types().int64, {exponent, b.int64(-(1 << 20))});
  return emitMath(e, MathFn::Ldexp, loop, {castScalar(e, args[0], loop), exponent});
}

ValueId sinc(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  ConstantStore &constants = ConstantStore::global();
  auto constant = [&](double value) { return emitConstant(e, constants.ofFloat(value), loop); };
  ValueId is_zero = emitCompare(e, Predicate::Eq, args[0], constant(0.0));
  ValueId x = e.builder().select(is_zero, constant(1.0e-20), args[0]);
  ValueId y = emitBinary(e, BinaryOp::Mul, constant(std::numbers::pi), x, loop);
  return emitBinary(e, BinaryOp::TrueDiv, emitMath(e, MathFn::Sin, loop, {y}), y, loop, ZeroDivision::Ieee);
}

constexpr int64_t fn(MathFn f) { return static_cast<int64_t>(f); }

constexpr Ufunc kRows[] = {
    {"sqrt", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Sqrt)},
    {"exp", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Exp)},
    {"exp2", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Exp2)},
    {"expm1", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Expm1)},
    {"log", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Log)},
    {"log2", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Log2)},
    {"log10", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Log10)},
    {"log1p", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Log1p)},
    {"sin", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Sin)},
    {"cos", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Cos)},
    {"tan", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Tan)},
    {"arcsin", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Asin)},
    {"arccos", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Acos)},
    {"arctan", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Atan)},
    {"asin", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Asin)},
    {"acos", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Acos)},
    {"atan", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Atan)},
    {"sinh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Sinh)},
    {"cosh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Cosh)},
    {"tanh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Tanh)},
    {"arcsinh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Asinh)},
    {"arccosh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Acosh)},
    {"arctanh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Atanh)},
    {"asinh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Asinh)},
    {"acosh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Acosh)},
    {"atanh", 1, inexactLoop, sameResult, unaryMath, fn(MathFn::Atanh)},
    {"cbrt", 1, floatLoop, sameResult, unaryMath, fn(MathFn::Cbrt)},
    {"rint", 1, inexactLoop, sameResult, rint},
    {"floor", 1, realLoop, sameResult, whole, fn(MathFn::Floor)},
    {"ceil", 1, realLoop, sameResult, whole, fn(MathFn::Ceil)},
    {"trunc", 1, realLoop, sameResult, whole, fn(MathFn::Trunc)},
    {"fix", 1, realLoop, sameResult, whole, fn(MathFn::Trunc)},
    {"deg2rad", 1, floatLoop, sameResult, toRadians},
    {"radians", 1, floatLoop, sameResult, toRadians},
    {"rad2deg", 1, floatLoop, sameResult, toDegrees},
    {"degrees", 1, floatLoop, sameResult, toDegrees},
    {"arctan2", 2, floatLoop, sameResult, binaryMath, fn(MathFn::Atan2)},
    {"atan2", 2, floatLoop, sameResult, binaryMath, fn(MathFn::Atan2)},
    {"hypot", 2, floatLoop, sameResult, binaryMath, fn(MathFn::Hypot)},
    {"copysign", 2, floatLoop, sameResult, binaryMath, fn(MathFn::CopySign)},
    {"nextafter", 2, floatLoop, sameResult, binaryMath, fn(MathFn::NextAfter)},
    {"heaviside", 2, floatLoop, sameResult, heaviside},
    {"logaddexp", 2, floatLoop, sameResult, logAddExp, 0},
    {"logaddexp2", 2, floatLoop, sameResult, logAddExp, 1},
    {"spacing", 1, floatLoop, sameResult, spacing},
    {"ldexp", 2, ldexpLoop, sameResult, ldexp, 0, true},
    {"sinc", 1, divideLoop, sameResult, sinc},
};

} // namespace

std::span<const Ufunc> mathUfuncs() { return kRows; }

} // namespace naja::library
