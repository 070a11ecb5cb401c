// Code of scalar operators: one small function per family, operands converted first.
#include "naja/library/emit_helpers.h"

#include <cmath>

namespace naja::library {

using namespace ir;

namespace {

bool knownNonZero(Emitter &e, ValueId divisor) {
  const Constant *c = definedConstant(e, divisor);
  if (!c) return false;
  if (auto *i = std::get_if<int64_t>(&c->value)) return *i != 0;
  if (auto *u = std::get_if<uint64_t>(&c->value)) return *u != 0;
  if (auto *d = std::get_if<double>(&c->value)) return *d != 0;
  if (auto *z = std::get_if<std::complex<double>>(&c->value)) return *z != std::complex<double>(0, 0);
  return false;
}

} // namespace

bool zeroRaises(Emitter &e, ZeroDivision zero) {
  return zero == ZeroDivision::Raise || (zero == ZeroDivision::ByErrorModel && !e.flags().error_model_numpy);
}

void emitNonZeroCheck(Emitter &e, ValueId divisor, std::string_view message) {
  if (!knownNonZero(e, divisor)) e.builder().emit(Opcode::CheckNonZero, {}, {divisor}, internSymbol(message).value);
}

namespace {

ValueId emitInt(Emitter &e, Opcode op, ValueId a, ValueId b, TypeId type) { return e.builder().emit(op, type, {a, b}); }

/// // and % of integers, the divisor made 1 where it is 0 and no exception is wanted.
ValueId emitIntDivision(Emitter &e, bool modulo, ValueId a, ValueId b, TypeId type, ZeroDivision zero) {
  Builder &build = e.builder();
  Opcode op = modulo ? Opcode::IMod : Opcode::IFloorDiv;
  if (zero == ZeroDivision::Checked || knownNonZero(e, b)) return emitInt(e, op, a, b, type);
  if (zeroRaises(e, zero)) {
    emitNonZeroCheck(e, b, modulo ? "integer modulo by zero" : "integer division or modulo by zero");
    return emitInt(e, op, a, b, type);
  }
  ValueId nothing = build.intConst(0, type);
  ValueId is_zero = build.icmp(Predicate::Eq, b, nothing);
  ValueId divisor = build.select(is_zero, build.intConst(1, type), b);
  ValueId result = emitInt(e, op, a, divisor, type);
  return modulo ? result : build.select(is_zero, nothing, result); // x % 1 is 0 already
}

ValueId emitFloatDivision(Emitter &e, BinaryOp op, ValueId a, ValueId b, TypeId type, bool of_ints, ZeroDivision zero) {
  if (zeroRaises(e, zero)) {
    std::string_view text = op == BinaryOp::FloorDiv ? "float floor division by zero"
                            : op == BinaryOp::Mod    ? "float modulo"
                            : of_ints                ? "division by zero"
                                                     : "float division by zero";
    emitNonZeroCheck(e, b, text);
  }
  Opcode code = op == BinaryOp::FloorDiv ? Opcode::FFloorDiv : op == BinaryOp::Mod ? Opcode::FMod : Opcode::FDiv;
  return e.builder().emit(code, type, {a, b});
}

ValueId emitComplexDivision(Emitter &e, ValueId a, ValueId b, TypeId type, ZeroDivision zero) {
  Builder &build = e.builder();
  if (zeroRaises(e, zero) && !knownNonZero(e, b)) {
    TypeId part = realPart(type);
    ValueId re = build.emit(Opcode::FAbs, part, {build.emit(Opcode::CReal, part, {b})});
    ValueId im = build.emit(Opcode::FAbs, part, {build.emit(Opcode::CImag, part, {b})});
    // The sum is zero where both are.
    emitNonZeroCheck(e, build.emit(Opcode::FAdd, part, {re, im}), "complex division by zero");
  }
  return build.emit(Opcode::CDiv, type, {a, b});
}

Opcode arithmeticOpcode(BinaryOp op, TypeKind kind) {
  bool is_float = kind == TypeKind::Float, is_complex = kind == TypeKind::Complex;
  switch (op) {
  case BinaryOp::Add: return is_float ? Opcode::FAdd : is_complex ? Opcode::CAdd : Opcode::IAdd;
  case BinaryOp::Sub: return is_float ? Opcode::FSub : is_complex ? Opcode::CSub : Opcode::ISub;
  case BinaryOp::Mul: return is_float ? Opcode::FMul : is_complex ? Opcode::CMul : Opcode::IMul;
  case BinaryOp::LShift: return Opcode::IShl;
  case BinaryOp::RShift: return Opcode::IShr;
  case BinaryOp::And: return Opcode::IAnd;
  case BinaryOp::Or: return Opcode::IOr;
  default: return Opcode::IXor;
  }
}

// ---- power

/// Exponents up to this are multiplied out for floats: the error stays within 4 ulp.
constexpr int64_t kMaxFloatChain = 8;
constexpr int64_t kMaxComplexChain = 100; // as CPython
constexpr int64_t kMaxIntChain = 64;

ValueId emitMul(Emitter &e, ValueId a, ValueId b, TypeId type) {
  return e.builder().emit(arithmeticOpcode(BinaryOp::Mul, kindOf(type)), type, {a, b});
}

/// An exponent is negative by its own type: that of the result may be of the other signedness.
ValueId emitIntPower(Emitter &e, ValueId a, ValueId b, TypeId type) {
  Builder &build = e.builder();
  a = emitConvert(e, a, type);
  const std::optional<int64_t> constant = definedInt(e, b);
  if (constant && *constant >= 0 && *constant <= kMaxIntChain)
    return emitPowerChain(e, a, static_cast<uint64_t>(*constant), type);
  const TypeId exponent = valueType(e, b);
  const bool is_signed = isInt(exponent) && isSigned(exponent);
  if (is_signed && !constant)
    emitCheck(e, build.icmp(Predicate::Ge, b, build.intConst(0, exponent)), "ValueError",
              "Integers to negative integer powers are not allowed.");
  const TypeId wide = is_signed ? types().int64 : types().uint64;
  ValueId args[] = {emitConvert(e, a, wide), emitConvert(e, b, wide)};
  ValueId wide_result =
      build.callRuntime(is_signed ? "naja_rt_ipow_i64" : "naja_rt_ipow_u64", wide, args, /*may_raise=*/false);
  return emitConvert(e, wide_result, type);
}

ValueId emitFloatPower(Emitter &e, ValueId a, ValueId b, TypeId type, ZeroDivision zero) {
  Builder &build = e.builder();
  TypeId exponent_type = valueType(e, b);
  bool int_exponent = isInt(exponent_type) || isBool(exponent_type);
  int64_t most = isComplex(type) ? kMaxComplexChain : kMaxFloatChain;
  if (auto n = int_exponent ? definedInt(e, b) : std::nullopt; n && *n >= -most && *n <= most) {
    ValueId base = emitConvert(e, a, type);
    ValueId power = emitPowerChain(e, base, static_cast<uint64_t>(*n < 0 ? -*n : *n), type);
    if (*n >= 0) return power;
    ValueId one = emitConvert(e, build.floatConst(1.0, types().float64), type);
    return build.emit(isComplex(type) ? Opcode::CDiv : Opcode::FDiv, type, {one, power});
  }
  a = emitConvert(e, a, type);
  b = emitConvert(e, b, type);
  return isComplex(type) ? emitComplexPower(e, a, b, type, zero) : build.math(MathFn::Pow, type, {a, b});
}

} // namespace

ValueId emitPowerChain(Emitter &e, ValueId base, uint64_t exponent, TypeId type) {
  if (exponent == 0) return emitConvert(e, e.builder().int64(1), type);
  base = emitConvert(e, base, type);
  ValueId result;
  for (;; base = emitMul(e, base, base, type)) {
    if (exponent & 1) result = result.valid() ? emitMul(e, result, base, type) : base;
    exponent >>= 1;
    if (exponent == 0) return result;
  }
}

ValueId emitBinary(Emitter &e, BinaryOp op, ValueId a, ValueId b, TypeId result, ZeroDivision zero) {
  TypeKind kind = kindOf(result);
  if (op == BinaryOp::Pow)
    return kind == TypeKind::Int ? emitIntPower(e, a, b, result) : emitFloatPower(e, a, b, result, zero);
  bool of_ints = !isFloat(valueType(e, a)) && !isFloat(valueType(e, b));
  a = emitConvert(e, a, result);
  b = emitConvert(e, b, result);
  if (op == BinaryOp::TrueDiv || op == BinaryOp::FloorDiv || op == BinaryOp::Mod) {
    if (kind == TypeKind::Complex) return emitComplexDivision(e, a, b, result, zero);
    if (kind == TypeKind::Float) return emitFloatDivision(e, op, a, b, result, of_ints, zero);
    return emitIntDivision(e, op == BinaryOp::Mod, a, b, result, zero);
  }
  return e.builder().emit(arithmeticOpcode(op, kind), result, {a, b});
}

ValueId emitNot(Emitter &e, ValueId condition) {
  if (const Constant *c = definedConstant(e, condition))
    if (auto *b = std::get_if<bool>(&c->value)) return e.builder().boolConst(!*b);
  return e.builder().emit(Opcode::INot, types().boolean, {condition});
}

static Opcode negation(TypeKind kind) {
  switch (kind) {
  case TypeKind::Float: return Opcode::FNeg;
  case TypeKind::Complex: return Opcode::CNeg;
  default: return Opcode::INeg;
  }
}

ValueId emitUnary(Emitter &e, UnaryOp op, ValueId a, TypeId result) {
  Builder &build = e.builder();
  if (op == UnaryOp::Not) return emitNot(e, emitTruth(e, a));
  // A narrow integer is negated and inverted at its own width and widened then, as NumPy's and Numba's are: -uint8(1) is 255.
  if (kindOf(valueType(e, a)) != TypeKind::Int || kindOf(result) != TypeKind::Int) a = emitConvert(e, a, result);
  TypeId type = valueType(e, a);
  switch (op) {
  case UnaryOp::Invert: a = build.emit(Opcode::INot, type, {a}); break;
  case UnaryOp::Neg: a = build.emit(negation(kindOf(type)), type, {a}); break;
  default: break;
  }
  return emitConvert(e, a, result);
}

ValueId emitMath(Emitter &e, MathFn fn, TypeId type, std::initializer_list<ValueId> operands) {
  std::vector<ValueId> args;
  for (ValueId operand : operands) {
    bool integer_operand = args.size() == 1 && (fn == MathFn::PowInt || fn == MathFn::Ldexp);
    TypeId wanted = !integer_operand ? type : fn == MathFn::PowInt ? types().int64 : types().int32;
    args.push_back(emitConvert(e, operand, wanted));
  }
  return e.builder().emit(Opcode::Math, mathResultType(fn, type), args, static_cast<int64_t>(fn));
}

ValueId emitTruth(Emitter &e, ValueId a) {
  Builder &build = e.builder();
  TypeId type = valueType(e, a);
  if (const Constant *c = definedConstant(e, a)) {
    if (auto *b = std::get_if<bool>(&c->value)) return build.boolConst(*b);
    if (std::holds_alternative<int64_t>(c->value) || std::holds_alternative<uint64_t>(c->value) ||
        std::holds_alternative<double>(c->value))
      return build.boolConst(knownNonZero(e, a));
  }
  switch (kindOf(type)) {
  case TypeKind::Bool: return a;
  case TypeKind::Int: return build.icmp(Predicate::Ne, a, build.intConst(0, type));
  case TypeKind::Float: return build.fcmp(Predicate::Ne, a, build.floatConst(0.0, type));
  case TypeKind::Complex: {
    TypeId part = realPart(type);
    ValueId zero = build.floatConst(0.0, part);
    ValueId re = build.fcmp(Predicate::Ne, build.emit(Opcode::CReal, part, {a}), zero);
    ValueId im = build.fcmp(Predicate::Ne, build.emit(Opcode::CImag, part, {a}), zero);
    return build.emit(Opcode::IOr, types().boolean, {re, im});
  }
  default: return e.convert(a, types().boolean);
  }
}

ValueId emitAbs(Emitter &e, ValueId a) {
  Builder &build = e.builder();
  TypeId type = valueType(e, a);
  switch (kindOf(type)) {
  case TypeKind::Bool: return emitConvert(e, a, types().int64);
  case TypeKind::Int: return isUnsigned(type) ? a : build.emit(Opcode::IAbs, type, {a});
  case TypeKind::Complex: return emitMath(e, MathFn::Abs, type, {a});
  default: return build.emit(Opcode::FAbs, type, {a});
  }
}

ValueId emitMinMax(Emitter &e, bool is_max, ValueId a, ValueId b) {
  Builder &build = e.builder();
  TypeId type = valueType(e, a);
  if (isInt(type)) return build.emit(is_max ? Opcode::IMax : Opcode::IMin, type, {a, b});
  return build.select(emitCompare(e, is_max ? Predicate::Gt : Predicate::Lt, b, a), b, a);
}

} // namespace naja::library
