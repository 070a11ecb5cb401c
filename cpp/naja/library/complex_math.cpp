// The cmath module: operands become complex64 (float32, complex64) or complex128.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

using Values = std::span<const ValueId>;

Resolution wrongCount(size_t wanted, size_t given) {
  return Resolution::error(fmt::format("expected {} argument{}, got {}", wanted, wanted == 1 ? "" : "s", given));
}

template <MathFn Fn> Resolution unary(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty()) return wrongCount(1, q.operands.size());
  AbstractValue a = q.operands[0];
  if (!isScalar(a.type)) return {};
  TypeId type = complexFor(a.type);
  return Resolution::resolved(mathResultType(Fn, type), [a, type](Emitter &e, Values args) {
    return emitMath(e, Fn, type, {emitOperand(e, a, args[0])});
  });
}

Resolution logRule(const Query &q) {
  if (q.operands.size() != 2) return unary<MathFn::Log>(q);
  AbstractValue a = q.operands[0], base = q.operands[1];
  if (!isScalar(a.type) || !isScalar(base.type)) return {};
  TypeId type = complexFor(arithmeticType(a, base));
  return Resolution::resolved(type, [a, base, type](Emitter &e, Values args) {
    ValueId x = emitMath(e, MathFn::Log, type, {emitOperand(e, a, args[0])});
    return e.builder().emit(Opcode::CDiv, type, {x, emitMath(e, MathFn::Log, type, {emitOperand(e, base, args[1])})});
  });
}

Resolution polar(const Query &q) {
  if (q.operands.size() != 1) return wrongCount(1, q.operands.size());
  AbstractValue a = q.operands[0];
  if (!isScalar(a.type)) return {};
  TypeId type = complexFor(a.type), pair = types().uniTuple(realPart(type), 2);
  return Resolution::resolved(pair, [a, type, pair](Emitter &e, Values args) {
    ValueId z = emitConvert(e, emitOperand(e, a, args[0]), type);
    ValueId items[] = {emitMath(e, MathFn::Abs, type, {z}), emitMath(e, MathFn::Phase, type, {z})};
    return emitTupleMake(e, pair, items);
  });
}

Resolution rect(const Query &q) {
  if (q.operands.size() != 2) return wrongCount(2, q.operands.size());
  AbstractValue r = q.operands[0], phi = q.operands[1];
  if (!isReal(r.type) || !isReal(phi.type))
    return isScalar(r.type) && isScalar(phi.type) ? Resolution::error("must be real number, not complex")
                                                  : Resolution{};
  TypeId part = mathType(arithmeticType(r, phi)), type = complexFor(part);
  return Resolution::resolved(type, [r, phi, part, type](Emitter &e, Values args) {
    Builder &b = e.builder();
    ValueId length = emitConvert(e, emitOperand(e, r, args[0]), part),
            angle = emitConvert(e, emitOperand(e, phi, args[1]), part);
    ValueId re = b.emit(Opcode::FMul, part, {length, emitMath(e, MathFn::Cos, part, {angle})});
    ValueId im = b.emit(Opcode::FMul, part, {length, emitMath(e, MathFn::Sin, part, {angle})});
    // An angle of 0 keeps an infinite length on the axis: inf * sin(0) would be NaN.
    ValueId zero = b.fcmp(Predicate::Eq, angle, b.floatConst(0.0, part));
    return b.emit(Opcode::CMake, type, {b.select(zero, length, re), b.select(zero, angle, im)});
  });
}

/// |a - b| <= max(rel_tol * max(|a|, |b|), abs_tol), and equal infinities.
ValueId emitIsClose(Emitter &e, TypeId type, Values v) {
  Builder &b = e.builder();
  TypeId part = realPart(type), boolean = types().boolean;
  auto magnitude = [&](ValueId z) { return emitMath(e, MathFn::Abs, type, {z}); };
  ValueId difference = magnitude(b.emit(Opcode::CSub, type, {v[0], v[1]}));
  auto within = [&](ValueId z) {
    return b.fcmp(Predicate::Le, difference, b.emit(Opcode::FMul, part, {v[2], magnitude(z)}));
  };
  ValueId near = b.emit(Opcode::IOr, boolean, {within(v[0]), within(v[1])});
  near = b.emit(Opcode::IOr, boolean, {near, b.fcmp(Predicate::Le, difference, v[3])});
  ValueId infinite = b.emit(Opcode::IOr, boolean,
                            {emitMath(e, MathFn::IsInf, type, {v[0]}), emitMath(e, MathFn::IsInf, type, {v[1]})});
  return b.emit(
      Opcode::IOr, boolean,
      {emitCompare(e, Predicate::Eq, v[0], v[1]), b.emit(Opcode::IAnd, boolean, {near, emitNot(e, infinite)})});
}

Resolution isclose(const Query &q) {
  BoundArguments bound = bindArguments("isclose", "a, b, *, rel_tol=, abs_tol=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  std::vector<AbstractValue> operands;
  for (size_t i = 0; i < 4; ++i) {
    int at = bound.operand[i];
    ConstId standard = ConstantStore::global().ofFloat(i == 2 ? 1e-9 : 0.0);
    operands.push_back(at >= 0 ? q.operands[static_cast<size_t>(at)] : AbstractValue{types().float64, standard, true});
    if (!isScalar(operands.back().type)) return {};
  }
  return Resolution::resolved(types().boolean, [operands, at = bound.operand](Emitter &e, Values args) {
    std::vector<ValueId> values;
    for (size_t i = 0; i < 4; ++i)
      values.push_back(
          emitConvert(e, emitOperand(e, operands[i], at[i] >= 0 ? args[static_cast<size_t>(at[i])] : ValueId{}),
                      i < 2 ? types().complex128 : types().float64));
    return emitIsClose(e, types().complex128, values);
  });
}

struct Row {
  std::string_view name;
  CallRule rule;
};
constexpr Row kRows[] = {
    {"sqrt", unary<MathFn::Sqrt>},
    {"exp", unary<MathFn::Exp>},
    {"log10", unary<MathFn::Log10>},
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
    {"phase", unary<MathFn::Phase>},
    {"isnan", unary<MathFn::IsNan>},
    {"isinf", unary<MathFn::IsInf>},
    {"isfinite", unary<MathFn::IsFinite>},
    {"log", logRule},
    {"polar", polar},
    {"rect", rect},
    {"isclose", isclose},
};

} // namespace

void registerComplexMath(Table &table) {
  for (const Row &row : kRows) table.call(fmt::format("cmath.{}", row.name), row.rule);
}

} // namespace naja::library
