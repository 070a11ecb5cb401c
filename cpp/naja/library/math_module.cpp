// The math module on scalars: IEEE results without domain errors, float32 stays float32, ints and bools become float64.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace naja::library {

using namespace ir;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Resolution wrongCount(size_t wanted, size_t given) {
  return Resolution::error(fmt::format("expected {} argument{}, got {}", wanted, wanted == 1 ? "" : "s", given));
}

/// Complex and non-numeric operands of a function of real numbers. Empty: all are real.
std::optional<Resolution> refuseNonReal(const Query &q) {
  for (const AbstractValue &a : q.operands) {
    if (isComplex(a.type))
      return Resolution::error("must be real number, not complex", "cmath has the functions of complex numbers");
    if (!isReal(a.type)) return Resolution{};
  }
  return {};
}

TypeId commonMathType(const Query &q) {
  AbstractValue all = q.operands[0];
  for (const AbstractValue &a : q.operands.subspan(1)) all = {arithmeticType(all, a), {}, all.weak && a.weak};
  return mathType(all.type);
}

using Values = std::span<const ValueId>;
using EmitReal = ValueId (*)(Emitter &, TypeId, Values);

/// A function of `count` reals: operands converted to their common float type, the result of `result`'s kind.
struct RealFunction {
  size_t count;
  EmitReal emit;
  TypeId (*result)(TypeId);
};

TypeId same(TypeId type) { return type; }
TypeId truthValue(TypeId) { return types().boolean; }

Resolution applyReal(const RealFunction &f, const Query &q) {
  if (q.operands.size() != f.count || !q.keywords.empty()) return wrongCount(f.count, q.operands.size());
  if (auto refused = refuseNonReal(q)) return std::move(*refused);
  TypeId type = commonMathType(q);
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  return Resolution::resolved(f.result(type), [f, type, operands = std::move(operands)](Emitter &e, Values args) {
    std::vector<ValueId> values;
    for (size_t i = 0; i < operands.size(); ++i)
      values.push_back(emitConvert(e, emitOperand(e, operands[i], args[i]), type));
    return f.emit(e, type, values);
  });
}

// ---- functions that the math instruction has

template <MathFn Fn> Resolution unary(const Query &q) {
  return applyReal({1, [](Emitter &e, TypeId type, Values v) { return emitMath(e, Fn, type, {v[0]}); }, same}, q);
}
template <MathFn Fn> Resolution binary(const Query &q) {
  return applyReal({2, [](Emitter &e, TypeId type, Values v) { return emitMath(e, Fn, type, {v[0], v[1]}); }, same}, q);
}

/// isnan, isinf, isfinite: of ints known.
template <MathFn Fn> Resolution classify(const Query &q) {
  if (q.operands.size() == 1 && q.keywords.empty() && (isInt(q.operands[0].type) || isBool(q.operands[0].type)))
    return boolResolution(Fn == MathFn::IsFinite);
  return applyReal({1, [](Emitter &e, TypeId type, Values v) { return emitMath(e, Fn, type, {v[0]}); }, truthValue}, q);
}

// ---- compositions

ValueId scaled(Emitter &e, TypeId type, ValueId x, double factor) {
  return e.builder().emit(Opcode::FMul, type, {x, e.builder().floatConst(factor, type)});
}

Resolution degrees(const Query &q) {
  return applyReal(
      {1, [](Emitter &e, TypeId t, Values v) { return scaled(e, t, v[0], 180.0 / std::numbers::pi); }, same}, q);
}
Resolution radians(const Query &q) {
  return applyReal(
      {1, [](Emitter &e, TypeId t, Values v) { return scaled(e, t, v[0], std::numbers::pi / 180.0); }, same}, q);
}
Resolution fabsRule(const Query &q) {
  return applyReal({1, [](Emitter &e, TypeId t, Values v) { return e.builder().emit(Opcode::FAbs, t, {v[0]}); }, same},
                   q);
}

Resolution logRule(const Query &q) {
  if (q.operands.size() == 1) return unary<MathFn::Log>(q);
  return applyReal({2,
                    [](Emitter &e, TypeId t, Values v) {
                      return e.builder().emit(
                          Opcode::FDiv, t, {emitMath(e, MathFn::Log, t, {v[0]}), emitMath(e, MathFn::Log, t, {v[1]})});
                    },
                    same},
                   q);
}

/// math.pow: as C's pow, but small constant exponents multiply.
Resolution powRule(const Query &q) {
  if (q.operands.size() != 2) return wrongCount(2, q.operands.size());
  if (auto refused = refuseNonReal(q)) return std::move(*refused);
  AbstractValue a = q.operands[0], b = q.operands[1];
  TypeId type = commonMathType(q);
  return Resolution::resolved(type, [a, b, type](Emitter &e, Values args) {
    return emitBinary(e, BinaryOp::Pow, emitConvert(e, emitOperand(e, a, args[0]), type), emitOperand(e, b, args[1]),
                      type);
  });
}

ValueId emitUlp(Emitter &e, TypeId t, Values v) {
  Builder &b = e.builder();
  ValueId x = b.emit(Opcode::FAbs, t, {v[0]}), infinity = b.floatConst(kInfinity, t);
  ValueId up = emitMath(e, MathFn::NextAfter, t, {x, infinity});
  ValueId down = emitMath(e, MathFn::NextAfter, t, {x, b.floatConst(-kInfinity, t)});
  ValueId step = b.select(b.fcmp(Predicate::Eq, up, infinity), b.emit(Opcode::FSub, t, {x, down}),
                          b.emit(Opcode::FSub, t, {up, x}));
  return b.select(emitMath(e, MathFn::IsFinite, t, {x}), step, x);
}
Resolution ulp(const Query &q) { return applyReal({1, emitUlp, same}, q); }

ValueId emitFma(Emitter &e, TypeId t, Values v) { return emitMath(e, MathFn::Fma, t, {v[0], v[1], v[2]}); }
Resolution fma(const Query &q) { return applyReal({3, emitFma, same}, q); }

// ---- several results

TypeId pairOf(TypeId type) { return types().uniTuple(type, 2); }

ValueId emitModf(Emitter &e, TypeId t, Values v) {
  Builder &b = e.builder();
  ValueId whole = emitMath(e, MathFn::Trunc, t, {v[0]});
  ValueId rest =
      b.select(emitMath(e, MathFn::IsInf, t, {v[0]}), b.floatConst(0.0, t), b.emit(Opcode::FSub, t, {v[0], whole}));
  ValueId items[] = {emitMath(e, MathFn::CopySign, t, {rest, v[0]}), whole};
  return emitTupleMake(e, pairOf(t), items);
}
Resolution modf(const Query &q) { return applyReal({1, emitModf, pairOf}, q); }

TypeId mantissaAndExponent(TypeId type) {
  TypeId items[] = {type, types().int64};
  return types().tuple(items);
}

/// frexp by the bits: the exponent field replaced by that of [0.5, 1).
ValueId emitFrexp(Emitter &e, TypeId t, Values v) {
  Builder &b = e.builder();
  TypeId f64 = types().float64, i64 = types().int64;
  ValueId x = emitConvert(e, v[0], f64), zero = b.int64(0);
  ValueId tiny = b.fcmp(Predicate::Lt, b.emit(Opcode::FAbs, f64, {x}), b.floatConst(0x1p-1022, f64));
  ValueId normal = b.select(tiny, b.emit(Opcode::FMul, f64, {x, b.floatConst(0x1p54, f64)}), x);
  ValueId bits = b.emit(Opcode::Bitcast, i64, {normal});
  ValueId field = b.emit(Opcode::IAnd, i64, {b.emit(Opcode::IShr, i64, {bits, b.int64(52)}), b.int64(0x7ff)});
  ValueId exponent = b.isub(field, b.select(tiny, b.int64(1022 + 54), b.int64(1022)));
  ValueId kept = b.emit(Opcode::IAnd, i64, {bits, b.int64(static_cast<int64_t>(0x800fffffffffffffULL))});
  ValueId mantissa = b.emit(Opcode::Bitcast, f64, {b.emit(Opcode::IOr, i64, {kept, b.int64(int64_t(1022) << 52)})});
  ValueId plain = b.emit(Opcode::IAnd, types().boolean,
                         {emitMath(e, MathFn::IsFinite, f64, {x}), b.fcmp(Predicate::Ne, x, b.floatConst(0.0, f64))});
  ValueId items[] = {emitConvert(e, b.select(plain, mantissa, x), t), b.select(plain, exponent, zero)};
  return emitTupleMake(e, mantissaAndExponent(t), items);
}
Resolution frexp(const Query &q) { return applyReal({1, emitFrexp, mantissaAndExponent}, q); }

Resolution ldexp(const Query &q) {
  if (q.operands.size() != 2) return wrongCount(2, q.operands.size());
  if (auto refused = refuseNonReal(q)) return std::move(*refused);
  AbstractValue a = q.operands[0], n = q.operands[1];
  if (isFloat(n.type)) return Resolution::error("Expected an int as second argument to ldexp.");
  TypeId type = mathType(a.type);
  return Resolution::resolved(type, [a, n, type](Emitter &e, Values args) {
    Builder &b = e.builder();
    TypeId i64 = types().int64;
    ValueId exponent = emitConvert(e, emitOperand(e, n, args[1]), i64);
    if (!definedInt(e, exponent)) // beyond this every result is 0 or inf
      exponent = b.emit(Opcode::IMax, i64, {b.emit(Opcode::IMin, i64, {exponent, b.int64(100000)}), b.int64(-100000)});
    return emitMath(e, MathFn::Ldexp, type, {emitOperand(e, a, args[0]), exponent});
  });
}

// ---- isclose

ValueId emitIsClose(Emitter &e, TypeId t, Values v) {
  Builder &b = e.builder();
  TypeId boolean = types().boolean;
  ValueId x = v[0], y = v[1], relative = v[2], absolute = v[3];
  auto magnitude = [&](ValueId a) { return b.emit(Opcode::FAbs, t, {a}); };
  auto product = [&](ValueId a) { return magnitude(b.emit(Opcode::FMul, t, {relative, a})); };
  ValueId difference = magnitude(b.emit(Opcode::FSub, t, {x, y}));
  ValueId near = b.fcmp(Predicate::Le, difference, product(y));
  near = b.emit(Opcode::IOr, boolean, {near, b.fcmp(Predicate::Le, difference, product(x))});
  near = b.emit(Opcode::IOr, boolean, {near, b.fcmp(Predicate::Le, difference, absolute)});
  ValueId infinite =
      b.emit(Opcode::IOr, boolean, {emitMath(e, MathFn::IsInf, t, {x}), emitMath(e, MathFn::IsInf, t, {y})});
  return b.emit(Opcode::IOr, boolean,
                {b.fcmp(Predicate::Eq, x, y), b.emit(Opcode::IAnd, boolean, {near, emitNot(e, infinite)})});
}

Resolution isclose(const Query &q) {
  BoundArguments bound = bindArguments("isclose", "a, b, *, rel_tol=, abs_tol=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  if (auto refused = refuseNonReal(q)) return std::move(*refused);
  std::vector<AbstractValue> operands;
  for (size_t i = 0; i < 4; ++i) {
    int at = bound.operand[i];
    ConstId standard = ConstantStore::global().ofFloat(i == 2 ? 1e-9 : 0.0);
    operands.push_back(at >= 0 ? q.operands[static_cast<size_t>(at)] : AbstractValue{types().float64, standard, true});
  }
  return Resolution::resolved(types().boolean, [operands, at = bound.operand](Emitter &e, Values args) {
    std::vector<ValueId> values;
    TypeId f64 = types().float64;
    for (size_t i = 0; i < 4; ++i)
      values.push_back(
          emitConvert(e, emitOperand(e, operands[i], at[i] >= 0 ? args[static_cast<size_t>(at[i])] : ValueId{}), f64));
    ValueId zero = e.builder().floatConst(0.0, f64);
    if (at[2] >= 0 || at[3] >= 0) {
      ValueId valid = e.builder().emit(
          Opcode::IAnd, types().boolean,
          {e.builder().fcmp(Predicate::Ge, values[2], zero), e.builder().fcmp(Predicate::Ge, values[3], zero)});
      emitCheck(e, valid, "ValueError", "tolerances must be non-negative");
    }
    return emitIsClose(e, f64, values);
  });
}

// ---- functions of integers

std::optional<Resolution> refuseNonInt(const Query &q) {
  for (const AbstractValue &a : q.operands) {
    if (isFloat(a.type) || isComplex(a.type))
      return Resolution::error(fmt::format("'{}' object cannot be interpreted as an integer", toString(a.type)));
    if (!isInt(a.type) && !isBool(a.type)) return Resolution{};
  }
  return {};
}

Resolution integerFunction(const Query &q, std::string_view name, size_t least, size_t most) {
  if (q.operands.size() < least || q.operands.size() > most || !q.keywords.empty())
    return wrongCount(least, q.operands.size());
  if (auto refused = refuseNonInt(q)) return std::move(*refused);
  std::vector<Resolution::Arg> args;
  for (size_t i = 0; i < q.operands.size(); ++i) args.push_back({static_cast<int>(i), {}});
  return Resolution::callLibrary(fmt::format("naja.library.integers:{}", name), std::move(args));
}

/// |x| as uint64.
ValueId emitMagnitude(Emitter &e, const AbstractValue &a, ValueId value) {
  ValueId wide = emitConvert(e, emitOperand(e, a, value), isUnsigned(a.type) ? types().uint64 : types().int64);
  return emitConvert(e, emitAbs(e, wide), types().uint64);
}

ValueId emitGcd(Emitter &e, ValueId a, ValueId b) {
  ValueId args[] = {a, b};
  return e.builder().callRuntime("naja_rt_gcd_u64", types().uint64, args, false);
}

/// |a| / gcd(a, b) * |b|, 0 where one is.
ValueId emitLcm(Emitter &e, ValueId a, ValueId b) {
  Builder &build = e.builder();
  TypeId u64 = types().uint64;
  ValueId common = build.emit(Opcode::IMax, u64, {emitGcd(e, a, b), build.intConst(1, u64)});
  return build.imul(build.emit(Opcode::IFloorDiv, u64, {a, common}), b);
}

/// gcd and lcm take any number of ints.
Resolution foldOverInts(const Query &q, int64_t of_none, ValueId (*combine)(Emitter &, ValueId, ValueId)) {
  if (!q.keywords.empty()) return Resolution::error("takes no keyword arguments");
  if (q.operands.empty()) return intResolution(of_none);
  if (auto refused = refuseNonInt(q)) return std::move(*refused);
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  bool all_unsigned =
      std::all_of(operands.begin(), operands.end(), [](const AbstractValue &a) { return isUnsigned(a.type); });
  TypeId type = all_unsigned ? types().uint64 : types().int64;
  return Resolution::resolved(type, [operands = std::move(operands), combine, type](Emitter &e, Values args) {
    ValueId result = emitMagnitude(e, operands[0], args[0]);
    for (size_t i = 1; i < operands.size(); ++i) result = combine(e, result, emitMagnitude(e, operands[i], args[i]));
    return emitConvert(e, result, type);
  });
}

Resolution gcd(const Query &q) { return foldOverInts(q, 0, emitGcd); }
Resolution lcm(const Query &q) { return foldOverInts(q, 1, emitLcm); }

/// The root of the nearest double is at most one off.
Resolution isqrt(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty()) return wrongCount(1, q.operands.size());
  if (auto refused = refuseNonInt(q)) return std::move(*refused);
  AbstractValue a = q.operands[0];
  TypeId type = isUnsigned(a.type) ? types().uint64 : types().int64;
  return Resolution::resolved(type, [a, type](Emitter &e, Values args) {
    Builder &b = e.builder();
    TypeId u64 = types().uint64;
    ValueId n = emitConvert(e, emitOperand(e, a, args[0]), type);
    if (isSigned(type))
      emitCheck(e, b.icmp(Predicate::Ge, n, b.int64(0)), "ValueError", "isqrt() argument must be nonnegative");
    ValueId wide = emitConvert(e, n, u64), one = b.intConst(1, u64);
    ValueId root = emitConvert(e, emitMath(e, MathFn::Sqrt, types().float64, {n}), u64);
    root = b.emit(Opcode::IMin, u64, {root, b.intConst(4294967295, u64)}); // so that squares fit
    root = b.isub(root, b.select(b.icmp(Predicate::Gt, b.imul(root, root), wide), one, b.intConst(0, u64)));
    ValueId next = b.iadd(root, one);
    ValueId fits = b.emit(Opcode::IAnd, types().boolean,
                          {b.icmp(Predicate::Le, b.imul(next, next), wide),
                           b.icmp(Predicate::Lt, next, b.intConst(int64_t(1) << 32, u64))});
    return emitConvert(e, b.select(fits, next, root), type);
  });
}

Resolution factorial(const Query &q) { return integerFunction(q, "factorial", 1, 1); }
Resolution comb(const Query &q) { return integerFunction(q, "comb", 2, 2); }
Resolution perm(const Query &q) {
  return q.operands.size() == 1 ? integerFunction(q, "factorial", 1, 1) : integerFunction(q, "perm", 2, 2);
}

struct Row {
  std::string_view name;
  CallRule rule;
};
constexpr Row kRows[] = {
    {"sqrt", unary<MathFn::Sqrt>},
    {"cbrt", unary<MathFn::Cbrt>},
    {"exp", unary<MathFn::Exp>},
    {"exp2", unary<MathFn::Exp2>},
    {"expm1", unary<MathFn::Expm1>},
    {"log2", unary<MathFn::Log2>},
    {"log10", unary<MathFn::Log10>},
    {"log1p", unary<MathFn::Log1p>},
    {"sin", unary<MathFn::Sin>},
    {"cos", unary<MathFn::Cos>},
    {"tan", unary<MathFn::Tan>},
    {"asin", unary<MathFn::Asin>},
    {"acos", unary<MathFn::Acos>},
    {"atan", unary<MathFn::Atan>},
    {"sinh", unary<MathFn::Sinh>},
    {"cosh", unary<MathFn::Cosh>},
    {"tanh", unary<MathFn::Tanh>},
    {"asinh", unary<MathFn::Asinh>},
    {"acosh", unary<MathFn::Acosh>},
    {"atanh", unary<MathFn::Atanh>},
    {"erf", unary<MathFn::Erf>},
    {"erfc", unary<MathFn::Erfc>},
    {"gamma", unary<MathFn::Gamma>},
    {"lgamma", unary<MathFn::Lgamma>},
    {"atan2", binary<MathFn::Atan2>},
    {"copysign", binary<MathFn::CopySign>},
    {"nextafter", binary<MathFn::NextAfter>},
    {"fmod", binary<MathFn::Fmod>},
    {"remainder", binary<MathFn::Remainder>},
    {"isnan", classify<MathFn::IsNan>},
    {"isinf", classify<MathFn::IsInf>},
    {"isfinite", classify<MathFn::IsFinite>},
    {"degrees", degrees},
    {"radians", radians},
    {"fabs", fabsRule},
    {"log", logRule},
    {"pow", powRule},
    {"ulp", ulp},
    {"fma", fma},
    {"modf", modf},
    {"frexp", frexp},
    {"ldexp", ldexp},
    {"isclose", isclose},
    {"gcd", gcd},
    {"lcm", lcm},
    {"factorial", factorial},
    {"isqrt", isqrt},
    {"comb", comb},
    {"perm", perm},
};

} // namespace

void registerMath(Table &table) {
  for (const Row &row : kRows) table.call(fmt::format("math.{}", row.name), row.rule);
}

} // namespace naja::library
