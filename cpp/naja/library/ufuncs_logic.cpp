// Ufuncs of comparison, logic and bits, and the predicates of floats.
#include "naja/library/ufunc.h"

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Builder;
using ir::MathFn;
using ir::Opcode;
using ir::Predicate;
using Args = std::span<const ValueId>;

TypeId typeIn(Emitter &e, ValueId value) { return e.builder().function().typeOf(value); }

/// Complex numbers compare by their real parts, then by their imaginary parts; a NaN in either part orders nothing.
ValueId compareComplexOrder(Emitter &e, Predicate p, ValueId x, ValueId y) {
  Builder &b = e.builder();
  TypeId part = realPart(typeIn(e, x)), boolean = types().boolean;
  ValueId xr = b.emit(Opcode::CReal, part, {x}), yr = b.emit(Opcode::CReal, part, {y});
  ValueId xi = b.emit(Opcode::CImag, part, {x}), yi = b.emit(Opcode::CImag, part, {y});
  Predicate strict = p == Predicate::Le ? Predicate::Lt : p == Predicate::Ge ? Predicate::Gt : p;
  ValueId ties = b.emit(Opcode::IAnd, boolean, {b.fcmp(Predicate::Eq, xr, yr), b.fcmp(p, xi, yi)});
  ValueId ordered = b.emit(Opcode::IAnd, boolean, {b.fcmp(Predicate::Eq, xi, xi), b.fcmp(Predicate::Eq, yi, yi)});
  return b.emit(Opcode::IOr, boolean, {b.emit(Opcode::IAnd, boolean, {b.fcmp(strict, xr, yr), ordered}), ties});
}

/// Integers compare exactly; with a float involved both are converted to the common dtype first, as NumPy does.
ValueId compare(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  auto p = static_cast<Predicate>(row.param);
  TypeId x = typeIn(e, args[0]), y = typeIn(e, args[1]);
  bool integers = !isFloat(x) && !isComplex(x) && !isFloat(y) && !isComplex(y);
  if (integers)
    return emitCompare(e, p, args[0], args[1]);
  ValueId a = castScalar(e, args[0], loop), b = castScalar(e, args[1], loop);
  if (isComplex(loop) && p != Predicate::Eq && p != Predicate::Ne)
    return compareComplexOrder(e, p, a, b);
  return emitCompare(e, p, a, b);
}

ValueId logical(Emitter &e, const Ufunc &row, TypeId, Args args) {
  return e.builder().emit(static_cast<Opcode>(row.param), types().boolean,
                          {emitTruth(e, args[0]), emitTruth(e, args[1])});
}
ValueId logicalNot(Emitter &e, const Ufunc &, TypeId, Args args) { return emitNot(e, emitTruth(e, args[0])); }

ValueId bits(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  return e.builder().emit(static_cast<Opcode>(row.param), loop, {args[0], args[1]});
}
ValueId invert(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return e.builder().emit(Opcode::INot, loop, {args[0]});
}

/// isnan, isinf, isfinite: integers are finite.
ValueId classify(Emitter &e, const Ufunc &row, TypeId loop, Args args) {
  auto fn = static_cast<MathFn>(row.param);
  if (!isFloat(loop) && !isComplex(loop))
    return e.builder().boolConst(fn == MathFn::IsFinite);
  return emitMath(e, fn, loop, {args[0]});
}

ValueId signbit(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  return emitMath(e, MathFn::SignBit, loop, {args[0]});
}

ValueId bitCount(Emitter &e, const Ufunc &, TypeId loop, Args args) {
  Builder &b = e.builder();
  // The sum of adjacent bits, pairs, nibbles ..., which LLVM recognises as popcount.
  TypeId wide = types().uint64;
  ValueId x = emitConvert(e, isSigned(loop) ? b.emit(Opcode::IAbs, loop, {args[0]}) : args[0], wide);
  auto masked = [&](ValueId v, uint64_t mask) {
    return b.emit(Opcode::IAnd, wide, {v, b.intConst(static_cast<int64_t>(mask), wide)});
  };
  auto shifted = [&](ValueId v, int64_t by) { return b.emit(Opcode::IShr, wide, {v, b.intConst(by, wide)}); };
  x = b.isub(x, masked(shifted(x, 1), 0x5555555555555555));
  x = b.iadd(masked(x, 0x3333333333333333), masked(shifted(x, 2), 0x3333333333333333));
  x = masked(b.iadd(x, shifted(x, 4)), 0x0f0f0f0f0f0f0f0f);
  x = shifted(b.imul(x, b.intConst(0x0101010101010101, wide)), 56);
  return emitConvert(e, x, types().uint8);
}
TypeId byteResult(TypeId) { return types().uint8; }

constexpr int64_t code(Opcode op) { return static_cast<int64_t>(op); }
constexpr int64_t code(Predicate p) { return static_cast<int64_t>(p); }
constexpr int64_t code(MathFn f) { return static_cast<int64_t>(f); }

constexpr Ufunc kRows[] = {
    {"equal", 2, anyLoop, boolResult, compare, code(Predicate::Eq), true},
    {"not_equal", 2, anyLoop, boolResult, compare, code(Predicate::Ne), true},
    {"less", 2, anyLoop, boolResult, compare, code(Predicate::Lt), true},
    {"less_equal", 2, anyLoop, boolResult, compare, code(Predicate::Le), true},
    {"greater", 2, anyLoop, boolResult, compare, code(Predicate::Gt), true},
    {"greater_equal", 2, anyLoop, boolResult, compare, code(Predicate::Ge), true},
    {"logical_and", 2, anyLoop, boolResult, logical, code(Opcode::IAnd), true},
    {"logical_or", 2, anyLoop, boolResult, logical, code(Opcode::IOr), true},
    {"logical_xor", 2, anyLoop, boolResult, logical, code(Opcode::IXor), true},
    {"logical_not", 1, anyLoop, boolResult, logicalNot, 0, true},
    {"bitwise_and", 2, bitLoop, sameResult, bits, code(Opcode::IAnd)},
    {"bitwise_or", 2, bitLoop, sameResult, bits, code(Opcode::IOr)},
    {"bitwise_xor", 2, bitLoop, sameResult, bits, code(Opcode::IXor)},
    {"left_shift", 2, integerLoop, sameResult, bits, code(Opcode::IShl)},
    {"right_shift", 2, integerLoop, sameResult, bits, code(Opcode::IShr)},
    {"bitwise_left_shift", 2, integerLoop, sameResult, bits, code(Opcode::IShl)},
    {"bitwise_right_shift", 2, integerLoop, sameResult, bits, code(Opcode::IShr)},
    {"invert", 1, bitLoop, sameResult, invert},
    {"bitwise_not", 1, bitLoop, sameResult, invert},
    {"bitwise_invert", 1, bitLoop, sameResult, invert},
    {"bitwise_count", 1, integerLoop, byteResult, bitCount},
    {"isnan", 1, anyLoop, boolResult, classify, code(MathFn::IsNan), true},
    {"isinf", 1, anyLoop, boolResult, classify, code(MathFn::IsInf), true},
    {"isfinite", 1, anyLoop, boolResult, classify, code(MathFn::IsFinite), true},
    {"signbit", 1, floatLoop, boolResult, signbit},
};

} // namespace

std::span<const Ufunc> logicUfuncs() { return kRows; }

} // namespace naja::library
