#include "naja/codegen/lower/float_bounds.h"

#include "naja/types/constant.h"

#include <algorithm>
#include <cmath>

namespace naja::codegen {
namespace {

std::optional<double> constantBound(const ir::Inst &inst) {
  const ConstantValue &value = ConstantStore::global().get(inst.constant()).value;
  if (auto *real = std::get_if<double>(&value)) return std::isnan(*real) ? std::nullopt : std::optional<double>(*real);
  if (auto *integer = std::get_if<int64_t>(&value)) return std::nextafter(static_cast<double>(*integer), -INFINITY);
  return std::nullopt;
}

std::optional<double> mathBound(const ir::Function &f, const ir::Inst &inst, int depth) {
  switch (inst.mathFn()) {
  case ir::MathFn::Sqrt:
  case ir::MathFn::Exp:
  case ir::MathFn::Exp2:
  case ir::MathFn::Hypot:
  case ir::MathFn::Abs: return 0.0;
  case ir::MathFn::Cosh: return 0.5;
  case ir::MathFn::Fmax:
  case ir::MathFn::Maximum: {
    auto a = lowerBound(f, inst.operands[0], depth), b = lowerBound(f, inst.operands[1], depth);
    if (inst.mathFn() == ir::MathFn::Fmax) return a && b ? std::optional(std::min(*a, *b)) : std::nullopt; // NaN drops out
    return a && b ? std::optional(std::max(*a, *b)) : a ? a : b;
  }
  default: return std::nullopt;
  }
}

} // namespace

std::optional<double> lowerBound(const ir::Function &f, ir::ValueId value, int depth) {
  const ir::Inst *inst = f.def(value);
  if (!inst || depth == 0) return std::nullopt;
  // Only real numbers in double: the bounds below are rounded down in double.
  const Type &type = typeOf(f.typeOf(value));
  if (type.kind != TypeKind::Float || type.bits != 64) return std::nullopt;
  auto of = [&](unsigned i) { return lowerBound(f, inst->operands[i], depth - 1); };
  auto down = [](double x) { return x > 0 ? x * (1 - 1e-15) : x; };
  switch (inst->op) {
  case ir::Opcode::Const: return constantBound(*inst);
  case ir::Opcode::FAbs: return 0.0;
  case ir::Opcode::Math: return mathBound(f, *inst, depth - 1);
  case ir::Opcode::FAdd: {
    auto a = of(0), b = of(1);
    if (!a || !b || *a < 0 || *b < 0) return std::nullopt;
    return down(*a + *b);
  }
  case ir::Opcode::FMul: {
    if (inst->operands[0] == inst->operands[1]) return 0.0;
    auto a = of(0), b = of(1);
    if (!a || !b || *a < 0 || *b < 0) return std::nullopt;
    return down(*a * *b);
  }
  case ir::Opcode::FDiv: {
    auto a = of(0), b = of(1);
    // Not below zero where neither is; the sign of a zero divisor is not known, but then the check has raised.
    return a && b && *a >= 0 && *b > 0 ? std::optional(0.0) : std::nullopt;
  }
  case ir::Opcode::Select: {
    auto a = of(1), b = of(2);
    return a && b ? std::optional(std::min(*a, *b)) : std::nullopt;
  }
  default: return std::nullopt;
  }
}

} // namespace naja::codegen
