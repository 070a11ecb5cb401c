// Comparison of scalars with Python's results: mixed signs and ints against floats are compared exactly.
#include "naja/library/emit_helpers.h"

#include <cmath>

namespace naja::library {

using namespace ir;

namespace {

Predicate swapped(Predicate p) {
  switch (p) {
  case Predicate::Lt: return Predicate::Gt;
  case Predicate::Le: return Predicate::Ge;
  case Predicate::Gt: return Predicate::Lt;
  case Predicate::Ge: return Predicate::Le;
  default: return p;
  }
}

bool isLess(Predicate p) { return p == Predicate::Lt || p == Predicate::Le; }
bool isOrder(Predicate p) { return p != Predicate::Eq && p != Predicate::Ne; }

/// Signed against uint64, neither constant decides: the sign of `s` first, then unsigned comparison.
ValueId compareSignedUnsigned(Emitter &e, Predicate p, ValueId s, ValueId u) {
  Builder &b = e.builder();
  s = emitConvert(e, s, types().int64);
  if (auto n = definedInt(e, s)) {
    if (*n < 0) return b.boolConst(p == Predicate::Ne || isLess(p));
    return b.icmp(p, emitConvert(e, s, types().uint64), u);
  }
  if (const Constant *c = definedConstant(e, u)) {
    if (auto n = definedInt(e, u)) return b.icmp(p, s, b.int64(*n));
    (void)c; // above every int64
    return b.boolConst(p == Predicate::Ne || isLess(p));
  }
  ValueId unsigned_result = b.icmp(p, emitConvert(e, s, types().uint64), u);
  bool when_negative = p == Predicate::Ne || isLess(p);
  ValueId zero = b.int64(0);
  if (when_negative) return b.emit(Opcode::IOr, types().boolean, {b.icmp(Predicate::Lt, s, zero), unsigned_result});
  return b.emit(Opcode::IAnd, types().boolean, {b.icmp(Predicate::Ge, s, zero), unsigned_result});
}

ValueId compareInts(Emitter &e, Predicate p, ValueId x, ValueId y) {
  Builder &b = e.builder();
  TypeId tx = valueType(e, x), ty = valueType(e, y);
  if (isBool(tx) && isBool(ty)) return b.icmp(p, x, y);
  if (isBool(tx)) tx = types().uint8;
  if (isBool(ty)) ty = types().uint8;
  const Type &a = typeOf(tx), &c = typeOf(ty);
  TypeId common;
  if (a.is_signed == c.is_signed)
    common = a.bits >= c.bits ? tx : ty;
  else if ((a.is_signed ? c : a).bits < 64)
    common = types().int64;
  else if (a.is_signed)
    return compareSignedUnsigned(e, p, x, y);
  else
    return compareSignedUnsigned(e, swapped(p), y, x);
  return b.icmp(p, emitConvert(e, x, common), emitConvert(e, y, common));
}

/// An integer variable against a float constant: a comparison of integers, or a constant.
std::optional<ValueId> compareIntWithFloatConstant(Emitter &e, Predicate p, ValueId i, double f) {
  Builder &b = e.builder();
  TypeId type = valueType(e, i);
  if (std::isnan(f)) return b.boolConst(p == Predicate::Ne);
  double whole = std::floor(f);
  bool integral = whole == f;
  bool is_unsigned = isUnsigned(type);
  double lowest = is_unsigned ? 0.0 : -9223372036854775808.0;
  double beyond = is_unsigned ? 18446744073709551616.0 : 9223372036854775808.0;
  if (f < lowest) return b.boolConst(p == Predicate::Ne || p == Predicate::Gt || p == Predicate::Ge);
  if (f >= beyond) return b.boolConst(p == Predicate::Ne || isLess(p));
  if (!integral) {
    if (!isOrder(p)) return b.boolConst(p == Predicate::Ne);
    p = isLess(p) ? Predicate::Le : Predicate::Gt; // i < 2.5 is i <= 2, i >= 2.5 is i > 2
  }
  TypeId wide = is_unsigned ? types().uint64 : types().int64;
  int64_t bits = is_unsigned ? static_cast<int64_t>(static_cast<uint64_t>(whole)) : static_cast<int64_t>(whole);
  return compareInts(e, p, i, b.intConst(bits, wide));
}

/// int64 or uint64 against a float, exactly: rounding to the float type is monotone, so the converted integer decides
/// unless it equals the float; then the float is an integer itself, compared as one.
ValueId compareWideIntWithFloat(Emitter &e, Predicate p, ValueId i, ValueId f) {
  Builder &b = e.builder();
  bool is_unsigned = isUnsigned(valueType(e, i));
  TypeId wide = is_unsigned ? types().uint64 : types().int64, boolean = types().boolean;
  i = emitConvert(e, i, wide);
  f = emitConvert(e, f, types().float64);
  ValueId rounded = b.cast(i, types().float64);
  ValueId ties = b.fcmp(Predicate::Eq, rounded, f);
  // At 2**63 (2**64) the conversion back saturates: every integer is below it.
  ValueId limit = b.fcmp(Predicate::Eq, f,
                         b.floatConst(is_unsigned ? 18446744073709551616.0 : 9223372036854775808.0, types().float64));
  ValueId exact = b.icmp(p, i, b.cast(f, wide));
  bool below_gives = isLess(p) || p == Predicate::Ne;
  ValueId tied = below_gives ? b.emit(Opcode::IOr, boolean, {exact, limit})
                             : b.emit(Opcode::IAnd, boolean, {exact, emitNot(e, limit)});
  if (p == Predicate::Eq) return b.emit(Opcode::IAnd, boolean, {ties, tied});
  Predicate strict = p == Predicate::Le ? Predicate::Lt : p == Predicate::Ge ? Predicate::Gt : p;
  ValueId apart = b.fcmp(strict, rounded, f);
  return b.emit(Opcode::IOr, boolean, {apart, b.emit(Opcode::IAnd, boolean, {ties, tied})});
}

ValueId compareIntFloat(Emitter &e, Predicate p, ValueId i, ValueId f) {
  Builder &b = e.builder();
  if (isBool(valueType(e, i))) i = emitConvert(e, i, types().uint8);
  if (const Constant *c = definedConstant(e, f))
    if (auto *d = std::get_if<double>(&c->value))
      if (auto done = compareIntWithFloatConstant(e, p, i, *d)) return *done;
  TypeId float_type = valueType(e, f);
  unsigned exact_bits = typeOf(float_type).bits == 32 ? 24 : 53, bits = typeOf(valueType(e, i)).bits;
  if (bits <= exact_bits) return b.fcmp(p, emitConvert(e, i, float_type), f);
  TypeId wide = types().float64;
  auto n = definedInt(e, i);
  if (n && static_cast<double>(*n) < 9223372036854775808.0 && static_cast<int64_t>(static_cast<double>(*n)) == *n) {
    bool fits = static_cast<double>(static_cast<float>(*n)) == static_cast<double>(*n);
    TypeId type = fits ? float_type : wide;
    return b.fcmp(p, emitConvert(e, i, type), emitConvert(e, f, type));
  }
  if (bits <= 32) return b.fcmp(p, emitConvert(e, i, wide), emitConvert(e, f, wide));
  return compareWideIntWithFloat(e, p, i, f);
}

ValueId compareComplex(Emitter &e, Predicate p, ValueId x, ValueId y) {
  Builder &b = e.builder();
  auto part = [&](Opcode op, ValueId v) {
    TypeId type = valueType(e, v);
    if (isComplex(type)) return b.emit(op, realPart(type), {v});
    return op == Opcode::CReal ? v : b.floatConst(0.0, types().float64);
  };
  ValueId re = emitCompare(e, p, part(Opcode::CReal, x), part(Opcode::CReal, y));
  ValueId im = emitCompare(e, p, part(Opcode::CImag, x), part(Opcode::CImag, y));
  return b.emit(p == Predicate::Eq ? Opcode::IAnd : Opcode::IOr, types().boolean, {re, im});
}

} // namespace

ValueId emitCompare(Emitter &e, Predicate p, ValueId x, ValueId y) {
  Builder &b = e.builder();
  TypeId tx = valueType(e, x), ty = valueType(e, y);
  if (isComplex(tx) || isComplex(ty)) return compareComplex(e, p, x, y);
  if (isFloat(tx) && isFloat(ty)) {
    TypeId common = typeOf(tx).bits >= typeOf(ty).bits ? tx : ty;
    return b.fcmp(p, emitConvert(e, x, common), emitConvert(e, y, common));
  }
  if (isFloat(ty)) return compareIntFloat(e, p, x, y);
  if (isFloat(tx)) return compareIntFloat(e, swapped(p), y, x);
  return compareInts(e, p, x, y);
}

} // namespace naja::library
