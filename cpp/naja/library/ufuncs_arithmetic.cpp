// Ufuncs of arithmetic: + - * / // % ** and their kin, minimum and maximum, sign, abs.
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
using Args = std::span<const ValueId>;

ValueId one(Emitter &e, TypeId type) { return emitConstant(e, ConstantStore::global().ofInt(1), type); }
ValueId zero(Emitter &e, TypeId type) { return emitConstant(e, ConstantStore::global().ofInt(0), type); }
TypeId typeIn(Emitter &e, ValueId value) { return e.builder().function().typeOf(value); }

ValueId binary(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  auto op = static_cast<BinaryOp>(row.param);
  if (isBool(loop)) // + and * of bools are or and and
    return e.builder().emit(op == BinaryOp::Add ? Opcode::IOr : Opcode::IAnd, loop, {args[0], args[1]});
  return emitBinary(e, op, args[0], args[1], loop, ZeroDivision::Ieee);
}

/// The scalar exponents that NumPy's ** treats apart.
std::optional<ValueId> specialPower(Emitter &e, TypeId loop, ValueId base, ValueId exponent) {
  const Constant *constant = definedConstant(e, exponent);
  const auto *number = constant != nullptr ? std::get_if<double>(&constant->value) : nullptr;
  if (number == nullptr || isInt(loop))
    return std::nullopt;
  base = castScalar(e, base, loop);
  if (*number == 0.5)
    return emitMath(e, MathFn::Sqrt, loop, {base});
  if (*number == 1.0 || *number == 2.0)
    return emitPowerChain(e, base, static_cast<uint64_t>(*number), loop);
  if (*number == -1.0)
    return emitBinary(e, BinaryOp::TrueDiv, one(e, loop), base, loop, ZeroDivision::Ieee);
  return std::nullopt;
}

/// 0 to a complex power, as NumPy: 1 for 0, 0 where the real part is positive, else NaN.
ValueId powerOfZero(Emitter &e, TypeId loop, ValueId base, ValueId exponent, ValueId otherwise) {
  Builder &b = e.builder();
  TypeId part = realPart(loop);
  ValueId nothing = zero(e, loop), nan = b.floatConst(std::numeric_limits<double>::quiet_NaN(), part);
  ValueId positive = b.fcmp(Predicate::Gt, b.emit(Opcode::CReal, part, {exponent}), zero(e, part));
  ValueId result = b.select(positive, nothing, b.emit(Opcode::CMake, loop, {nan, nan}));
  result = b.select(emitCompare(e, Predicate::Eq, exponent, nothing), one(e, loop), result);
  return b.select(emitCompare(e, Predicate::Eq, base, nothing), result, otherwise);
}

ValueId power(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  if (auto special = specialPower(e, loop, args[0], args[1]))
    return *special;
  if (std::optional<int64_t> known = definedInt(e, args[1]); isInt(loop) && known && *known < 0)
    emitCheck(e, e.builder().boolConst(false), "ValueError", "Integers to negative integer powers are not allowed.");
  if (isInt(loop))
    return emitBinary(e, BinaryOp::Pow, castScalar(e, args[0], loop), castScalar(e, args[1], loop), loop,
                      ZeroDivision::Ieee);
  bool constant = definedConstant(e, args[1]) != nullptr; // a small integer exponent multiplies
  ValueId result = emitBinary(e, BinaryOp::Pow, args[0], constant ? args[1] : castScalar(e, args[1], loop), loop,
                              ZeroDivision::Ieee);
  if (!isComplex(loop))
    return result;
  return powerOfZero(e, loop, castScalar(e, args[0], loop), castScalar(e, args[1], loop), result);
}

TypeId floatPowerLoop(std::span<const AbstractValue> elements) {
  return isComplex(commonDtype(elements)) ? types().complex128 : types().float64;
}

/// C's remainder: sign of the dividend.
ValueId fmodOf(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  if (isFloat(loop))
    return b.math(MathFn::Fmod, loop, {args[0], args[1]});
  ValueId rest = emitBinary(e, BinaryOp::Mod, args[0], args[1], loop, ZeroDivision::Ieee);
  if (!isSigned(loop))
    return rest;
  ValueId nothing = zero(e, loop);
  ValueId signs = b.emit(Opcode::IXor, loop, {args[0], args[1]});
  ValueId differ = b.icmp(Predicate::Lt, signs, nothing), some = b.icmp(Predicate::Ne, rest, nothing);
  ValueId adjust = b.emit(Opcode::IAnd, types().boolean, {differ, some});
  return b.select(adjust, b.isub(rest, args[1]), rest);
}

ValueId negative(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return emitUnary(e, ir::UnaryOp::Neg, args[0], loop);
}
ValueId identity(Emitter &, const Ufunc &, TypeId, Args args) { return args[0]; }

ValueId absolute(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return isBool(loop) ? args[0] : emitAbs(e, args[0]);
}

ValueId fabsOf(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return e.builder().emit(Opcode::FAbs, loop, {args[0]});
}

ValueId square(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return isBool(loop) ? args[0] : emitBinary(e, BinaryOp::Mul, args[0], args[0], loop);
}

ValueId reciprocal(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  if (!isInt(loop))
    return emitBinary(e, BinaryOp::TrueDiv, one(e, loop), args[0], loop, ZeroDivision::Ieee);
  ValueId result = b.select(b.icmp(Predicate::Eq, args[0], one(e, loop)), one(e, loop), zero(e, loop));
  if (!isSigned(loop))
    return result;
  ValueId minus_one = b.intConst(-1, loop);
  return b.select(b.icmp(Predicate::Eq, args[0], minus_one), minus_one, result);
}

ValueId conjugate(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  if (!isComplex(loop))
    return args[0];
  Builder &b = e.builder();
  TypeId part = realPart(loop);
  ValueId imaginary = b.emit(Opcode::CImag, part, {args[0]});
  return b.emit(Opcode::CMake, loop,
                {b.emit(Opcode::CReal, part, {args[0]}), b.emit(Opcode::FNeg, part, {imaginary})});
}

/// z / |z|, 0 where it is 0; of what is infinite in one part only, the sign of that part.
ValueId complexSign(Emitter &e, TypeId loop, ValueId z) {
  Builder &b = e.builder();
  const TypeId part = realPart(loop);
  ValueId nothing = zero(e, part), modulus = emitAbs(e, z);
  ValueId re = b.emit(Opcode::CReal, part, {z}), im = b.emit(Opcode::CImag, part, {z});
  ValueId unbounded = emitMath(e, MathFn::IsInf, part, {modulus});
  auto is_infinite = [&](ValueId v) { return emitMath(e, MathFn::IsInf, part, {v}); };
  auto component = [&](ValueId own, ValueId other) {
    ValueId quotient = b.emit(Opcode::FDiv, part, {own, modulus});
    ValueId sign = b.emit(Opcode::Math, part, {one(e, part), own}, static_cast<int64_t>(MathFn::CopySign));
    ValueId one_sided = b.select(is_infinite(own), sign, nothing);
    ValueId both = b.emit(Opcode::IAnd, types().boolean, {is_infinite(own), is_infinite(other)});
    return b.select(unbounded, b.select(both, quotient, one_sided), quotient);
  };
  ValueId unit = b.emit(Opcode::CMake, loop, {component(re, im), component(im, re)});
  return b.select(b.fcmp(Predicate::Eq, modulus, nothing), zero(e, loop), unit);
}

ValueId sign(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  ValueId x = args[0];
  if (isComplex(loop)) return complexSign(e, loop, x);
  ValueId nothing = zero(e, loop);
  ValueId positive = emitCompare(e, Predicate::Gt, x, nothing);
  ValueId rest = isFloat(loop) ? b.select(emitCompare(e, Predicate::Eq, x, nothing), nothing, x) : nothing;
  if (!isUnsigned(loop)) {
    ValueId minus_one = emitConstant(e, ConstantStore::global().ofInt(-1), loop);
    rest = b.select(emitCompare(e, Predicate::Lt, x, nothing), minus_one, rest);
  }
  return b.select(positive, one(e, loop), rest);
}

// ---- minimum, maximum: param bit 0: maximum, bit 1: a NaN gives way to the other operand

ValueId complexIsNan(Emitter &e, ValueId x) { return emitMath(e, MathFn::IsNan, typeIn(e, x), {x}); }

ValueId complexExtremum(Emitter &e, bool is_max, bool skip_nan, ValueId x, ValueId y) {
  Builder &b = e.builder();
  TypeId part = realPart(typeIn(e, x)), boolean = types().boolean;
  ValueId xr = b.emit(Opcode::CReal, part, {x}), yr = b.emit(Opcode::CReal, part, {y});
  ValueId xi = b.emit(Opcode::CImag, part, {x}), yi = b.emit(Opcode::CImag, part, {y});
  Predicate before = is_max ? Predicate::Gt : Predicate::Lt, before_or_same = is_max ? Predicate::Ge : Predicate::Le;
  ValueId ties = b.emit(Opcode::IAnd, boolean, {b.fcmp(Predicate::Eq, xr, yr), b.fcmp(before_or_same, xi, yi)});
  ValueId ordered = b.emit(Opcode::IAnd, boolean, {b.fcmp(Predicate::Eq, xi, xi), b.fcmp(Predicate::Eq, yi, yi)});
  ValueId wins = b.emit(Opcode::IAnd, boolean, {b.fcmp(before, xr, yr), ordered});
  ValueId x_wins = b.emit(Opcode::IOr, boolean, {wins, ties});
  if (skip_nan)
    x_wins = b.emit(Opcode::IOr, boolean, {x_wins, complexIsNan(e, y)});
  else
    x_wins = b.emit(Opcode::IOr, boolean, {x_wins, complexIsNan(e, x)});
  return b.select(x_wins, x, y);
}

ValueId extremum(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  bool is_max = (row.param & 1) != 0, skip_nan = (row.param & 2) != 0;
  Builder &b = e.builder();
  if (isBool(loop))
    return b.emit(is_max ? Opcode::IOr : Opcode::IAnd, loop, {args[0], args[1]});
  if (isInt(loop))
    return b.emit(is_max ? Opcode::IMax : Opcode::IMin, loop, {args[0], args[1]});
  if (isComplex(loop))
    return complexExtremum(e, is_max, skip_nan, args[0], args[1]);
  MathFn fn = skip_nan ? (is_max ? MathFn::Fmax : MathFn::Fmin) : (is_max ? MathFn::Maximum : MathFn::Minimum);
  return b.math(fn, loop, {args[0], args[1]});
}

// ---- greatest common divisor

ValueId gcdOf(Emitter &e, TypeId loop, ValueId x, ValueId y) {
  Builder &b = e.builder();
  TypeId wide = types().uint64;
  auto magnitude = [&](ValueId v) { return emitConvert(e, isSigned(loop) ? b.emit(Opcode::IAbs, loop, {v}) : v, wide); };
  std::array<ValueId, 2> args{magnitude(x), magnitude(y)};
  return emitConvert(e, b.callRuntime("naja_rt_gcd_u64", wide, args, false), loop);
}

ValueId gcd(Emitter &e, const Ufunc &, TypeId loop, Args args) { return gcdOf(e, loop, args[0], args[1]); }

ValueId lcm(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  ValueId divisor = gcdOf(e, loop, args[0], args[1]);
  auto magnitude = [&](ValueId v) { return isSigned(loop) ? b.emit(Opcode::IAbs, loop, {v}) : v; };
  ValueId quotient = emitBinary(e, BinaryOp::FloorDiv, magnitude(args[0]), divisor, loop, ZeroDivision::Ieee);
  return b.imul(quotient, magnitude(args[1]));
}

constexpr int64_t op(BinaryOp o) { return static_cast<int64_t>(o); }

constexpr Ufunc kRows[] = {
    {"add", 2, commonLoop, sameResult, binary, op(BinaryOp::Add)},
    {"subtract", 2, noBoolLoop, sameResult, binary, op(BinaryOp::Sub)},
    {"multiply", 2, commonLoop, sameResult, binary, op(BinaryOp::Mul)},
    {"divide", 2, divideLoop, sameResult, binary, op(BinaryOp::TrueDiv)},
    {"true_divide", 2, divideLoop, sameResult, binary, op(BinaryOp::TrueDiv)},
    {"floor_divide", 2, boolAsInt8Loop, sameResult, binary, op(BinaryOp::FloorDiv)},
    {"remainder", 2, boolAsInt8Loop, sameResult, binary, op(BinaryOp::Mod)},
    {"mod", 2, boolAsInt8Loop, sameResult, binary, op(BinaryOp::Mod)},
    {"fmod", 2, boolAsInt8Loop, sameResult, fmodOf},
    {"power", 2, powerLoop, sameResult, power, 0, true},
    {"pow", 2, powerLoop, sameResult, power, 0, true},
    {"float_power", 2, floatPowerLoop, sameResult, power, 0, true},
    {"negative", 1, noBoolLoop, sameResult, negative},
    {"positive", 1, noBoolLoop, sameResult, identity},
    {"absolute", 1, commonLoop, realResult, absolute},
    {"abs", 1, commonLoop, realResult, absolute},
    {"fabs", 1, floatLoop, sameResult, fabsOf},
    {"square", 1, powerLoop, sameResult, square},
    {"reciprocal", 1, powerLoop, sameResult, reciprocal},
    {"conjugate", 1, powerLoop, sameResult, conjugate},
    {"conj", 1, powerLoop, sameResult, conjugate},
    {"sign", 1, noBoolLoop, sameResult, sign},
    {"minimum", 2, commonLoop, sameResult, extremum, 0},
    {"maximum", 2, commonLoop, sameResult, extremum, 1},
    {"fmin", 2, commonLoop, sameResult, extremum, 2},
    {"fmax", 2, commonLoop, sameResult, extremum, 3},
    {"gcd", 2, integerLoop, sameResult, gcd},
    {"lcm", 2, integerLoop, sameResult, lcm},
};

} // namespace

std::span<const Ufunc> arithmeticUfuncs() { return kRows; }

} // namespace naja::library
