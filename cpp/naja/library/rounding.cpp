// round(), math.floor, math.ceil, math.trunc.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <cmath>

namespace naja::library {

using namespace ir;

namespace {

/// A rounded int is itself, as int64 unless it is a uint64.
Resolution wholeNumber(const AbstractValue &a) {
  TypeId type = a.type == types().uint64 ? a.type : types().int64;
  if (a.constant.valid() && a.weak && type == a.type) return Resolution::constantValue(a.constant, true);
  return Resolution::resolved(type, [a, type](Emitter &e, std::span<const ValueId> args) {
    return emitConvert(e, emitOperand(e, a, args[0]), type);
  });
}

/// To int64, as Python's int-valued roundings; ints stay what arithmetic makes of them.
Resolution toInteger(MathFn fn, const AbstractValue &a) {
  if (!isReal(a.type))
    return isComplex(a.type) ? Resolution::error("type complex doesn't define a rounding") : Resolution{};
  if (!isFloat(a.type)) return wholeNumber(a);
  return Resolution::resolved(types().int64, [fn, a](Emitter &e, std::span<const ValueId> args) {
    ValueId x = emitOperand(e, a, args[0]);
    // The conversion truncates.
    return emitConvert(e, fn == MathFn::Trunc ? x : emitMath(e, fn, a.type, {x}), types().int64);
  });
}

template <MathFn Fn> Resolution integerRule(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty()) return Resolution::error("expected exactly one argument");
  return toInteger(Fn, q.operands[0]);
}

/// 10 ** n for n of either sign as a factor, and whether to divide by it.
struct Scale {
  ValueId factor;
  ValueId divides; // invalid: n is constant, see `divides_constant`
  bool divides_constant = false;
};

Scale emitScale(Emitter &e, ValueId digits) {
  Builder &b = e.builder();
  TypeId f64 = types().float64;
  if (auto n = definedInt(e, digits))
    return {b.floatConst(std::pow(10.0, std::fabs(static_cast<double>(*n))), f64), {}, *n < 0};
  ValueId magnitude = emitConvert(e, b.emit(Opcode::IAbs, types().int64, {digits}), f64);
  return {emitMath(e, MathFn::Pow, f64, {b.floatConst(10.0, f64), magnitude}),
          b.icmp(Predicate::Lt, digits, b.int64(0)), false};
}

/// The integer nearest to the exact product x * factor, ties to even: `scaled` is the rounded product, `rest` what the
/// rounding left out; where `scaled` lies halfway between integers, the sign of `rest` decides.
ValueId emitNearest(Emitter &e, ValueId scaled, ValueId rest) {
  Builder &b = e.builder();
  TypeId f64 = types().float64;
  auto number = [&](double v) { return b.floatConst(v, f64); };
  ValueId nearest = emitMath(e, MathFn::Rint, f64, {scaled});
  ValueId off = b.emit(Opcode::FSub, f64, {scaled, nearest});
  ValueId half = b.fcmp(Predicate::Eq, b.emit(Opcode::FAbs, f64, {off}), number(0.5));
  ValueId above = b.emit(Opcode::FAdd, f64, {emitMath(e, MathFn::Floor, f64, {scaled}), number(1.0)});
  ValueId below = emitMath(e, MathFn::Floor, f64, {scaled});
  ValueId decided = b.select(b.fcmp(Predicate::Gt, rest, number(0.0)), above,
                             b.select(b.fcmp(Predicate::Lt, rest, number(0.0)), below, nearest));
  return b.select(half, decided, nearest);
}

ValueId emitRoundUp(Emitter &e, ValueId x, ValueId factor) {
  Builder &b = e.builder();
  TypeId f64 = types().float64;
  ValueId scaled = b.emit(Opcode::FMul, f64, {x, factor});
  ValueId rest = emitMath(e, MathFn::Fma, f64, {x, factor, b.emit(Opcode::FNeg, f64, {scaled})});
  return b.emit(Opcode::FDiv, f64, {emitNearest(e, scaled, rest), factor});
}

ValueId emitRoundDown(Emitter &e, ValueId x, ValueId factor) {
  Builder &b = e.builder();
  TypeId f64 = types().float64;
  ValueId scaled = b.emit(Opcode::FDiv, f64, {x, factor});
  ValueId rest = emitMath(e, MathFn::Fma, f64, {b.emit(Opcode::FNeg, f64, {scaled}), factor, x});
  return b.emit(Opcode::FMul, f64, {emitNearest(e, scaled, rest), factor});
}

/// round(x, n): correctly rounded for |n| <= 22, where 10 ** n is exact. A result that is not finite (the scaling
/// overflowed) or a number without digits there is x itself.
ValueId emitRoundDigits(Emitter &e, ValueId x, ValueId digits) {
  Builder &b = e.builder();
  TypeId f64 = types().float64;
  Scale scale = emitScale(e, digits);
  ValueId rounded;
  if (scale.divides.valid())
    rounded = b.select(scale.divides, emitRoundDown(e, x, scale.factor), emitRoundUp(e, x, scale.factor));
  else
    rounded = scale.divides_constant ? emitRoundDown(e, x, scale.factor) : emitRoundUp(e, x, scale.factor);
  if (scale.divides_constant)
    return b.select(emitMath(e, MathFn::IsFinite, f64, {x}), emitMath(e, MathFn::CopySign, f64, {rounded, x}), x);
  ValueId scaled = b.emit(Opcode::FMul, f64, {x, scale.factor});
  ValueId small = b.fcmp(Predicate::Lt, b.emit(Opcode::FAbs, f64, {scaled}), b.floatConst(0x1p53, f64));
  if (scale.divides.valid())
    small = b.emit(
        Opcode::IOr, types().boolean,
        {small, b.emit(Opcode::IAnd, types().boolean, {scale.divides, emitMath(e, MathFn::IsFinite, f64, {x})})});
  return b.select(small, emitMath(e, MathFn::CopySign, f64, {rounded, x}), x);
}

/// round(i, n) of an int: itself for n >= 0; tens, hundreds ... for n < 0.
Resolution roundInteger(const Query &q, const AbstractValue &digits) {
  auto n = constantInt(digits);
  if (n && *n >= 0) return wholeNumber(q.operands[0]);
  Resolution::Arg args[] = {{0, {}}, {1, {}}};
  return Resolution::callLibrary("naja.library.integers:round_int", {args, args + 2});
}

Resolution roundRule(const Query &q) {
  BoundArguments bound = bindArguments("round", "number, ndigits=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  const AbstractValue &a = q.operands[static_cast<size_t>(bound.operand[0])];
  if (!isReal(a.type))
    return isComplex(a.type) ? Resolution::error("type complex doesn't define __round__ method") : Resolution{};
  int at = bound.operand[1];
  if (at < 0 || isNone(q.operands[static_cast<size_t>(at)].type)) return toInteger(MathFn::Rint, a);
  AbstractValue digits = q.operands[static_cast<size_t>(at)];
  if (!isInt(digits.type) && !isBool(digits.type))
    return Resolution::error("'" + toString(digits.type) + "' object cannot be interpreted as an integer");
  if (!isFloat(a.type)) return roundInteger(q, digits);
  return Resolution::resolved(a.type, [a, digits, at](Emitter &e, std::span<const ValueId> args) {
    ValueId x = emitConvert(e, emitOperand(e, a, args[0]), types().float64);
    ValueId n = emitConvert(e, emitOperand(e, digits, args[static_cast<size_t>(at)]), types().int64);
    return emitConvert(e, emitRoundDigits(e, x, n), a.type);
  });
}

} // namespace

void registerRounding(Table &table) {
  table.call("builtins.round", roundRule);
  table.call("math.floor", integerRule<MathFn::Floor>);
  table.call("math.ceil", integerRule<MathFn::Ceil>);
  table.call("math.trunc", integerRule<MathFn::Trunc>);
}

} // namespace naja::library
