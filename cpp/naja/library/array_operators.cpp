// Operators on arrays, and every ufunc as a call np.name(...).
#include "naja/library/array_families.h"
#include "naja/library/ufunc.h"

#include <array>

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Predicate;
using ir::UnaryOp;

std::string_view ufuncOf(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add: return "add";
  case BinaryOp::Sub: return "subtract";
  case BinaryOp::Mul: return "multiply";
  case BinaryOp::TrueDiv: return "divide";
  case BinaryOp::FloorDiv: return "floor_divide";
  case BinaryOp::Mod: return "remainder";
  case BinaryOp::Pow: return "power";
  case BinaryOp::LShift: return "left_shift";
  case BinaryOp::RShift: return "right_shift";
  case BinaryOp::And: return "bitwise_and";
  case BinaryOp::Or: return "bitwise_or";
  case BinaryOp::Xor: return "bitwise_xor";
  default: return "matmul";
  }
}

std::string_view ufuncOf(Predicate p) {
  switch (p) {
  case Predicate::Eq: return "equal";
  case Predicate::Ne: return "not_equal";
  case Predicate::Lt: return "less";
  case Predicate::Le: return "less_equal";
  case Predicate::Gt: return "greater";
  default: return "greater_equal";
  }
}

bool anyArray(const Query &query) {
  for (const AbstractValue &operand : query.operands)
    if (isArray(operand.type))
      return true;
  return false;
}

Resolution inplace(const Ufunc &row, const Query &query) {
  static constexpr std::array<size_t, 2> kPositions{0, 1};
  for (const AbstractValue &operand : query.operands)
    if (!isElementwiseOperand(operand.type))
      return {};
  Resolution error;
  std::optional<Elementwise> operation = ufuncOperation(row, query.operands, kPositions, error);
  return operation ? resolveElementwiseInto(std::move(*operation), query.operands[0].type, 0) : error;
}

Resolution binary(BinaryOp op, bool is_inplace, const Query &query) {
  if (!anyArray(query) || op == BinaryOp::MatMul)
    return {};
  const Ufunc &row = *findUfunc(ufuncOf(op));
  return is_inplace && isArray(query.operands[0].type) ? inplace(row, query) : resolveUfunc(row, query.operands);
}

Resolution unary(UnaryOp op, const Query &query) {
  if (!anyArray(query) || op == UnaryOp::Not)
    return {};
  std::string_view name = op == UnaryOp::Neg ? "negative" : op == UnaryOp::Pos ? "positive" : "invert";
  return resolveUfunc(*findUfunc(name), query.operands);
}

Resolution compare(Predicate p, const Query &query) {
  if (!anyArray(query))
    return {};
  return resolveUfunc(*findUfunc(ufuncOf(p)), query.operands);
}

Resolution builtinAbs(const Query &query) {
  return query.operands.size() == 1 && anyArray(query) ? resolveUfunc(*findUfunc("absolute"), query.operands)
                                                       : Resolution{};
}

/// The row's name without the module.
std::string_view plainName(std::string_view name) { return name.substr(name.rfind('.') + 1); }

Resolution ufuncCall(const Query &query) { return resolveUfuncCall(plainName(query.name), query); }

Resolution conjugateMethod(const Query &query) {
  if (query.operands.size() != 1)
    return Resolution::error("conj: no arguments are expected");
  if (!isComplex(elementOf(query.operands[0].type))) // the array itself, unlike np.conj
    return Resolution::resolved(query.operands[0].type, [](Emitter &, std::span<const ValueId> values) { return values[0]; });
  return resolveUfunc(*findUfunc("conjugate"), query.operands);
}

/// np.divmod, np.modf, np.frexp: two results, each a map of its own.
Resolution pairOf(Resolution first, Resolution second) {
  if (first.kind != Resolution::Resolved)
    return first;
  if (second.kind != Resolution::Resolved)
    return second;
  std::array<TypeId, 2> items{first.result.type, second.result.type};
  return Resolution::resolved(types().tuple(items), [a = std::move(first.emit), b = std::move(second.emit)](
                                                        Emitter &e, std::span<const ValueId> values) {
    std::array<ValueId, 2> results{a(e, values), b(e, values)};
    return e.builder().tupleMake(results);
  });
}

Resolution divmodCall(const Query &query) {
  if (query.operands.size() != 2 || !query.keywords.empty())
    return {};
  if (query.name == "builtins.divmod" && !anyArray(query))
    return {};
  return pairOf(resolveUfunc(*findUfunc("floor_divide"), query.operands),
                resolveUfunc(*findUfunc("remainder"), query.operands));
}

} // namespace

void registerUfuncs(Table &table) {
  for (std::span<const Ufunc> family : {arithmeticUfuncs(), logicUfuncs(), mathUfuncs()})
    for (const Ufunc &row : family)
      table.call("numpy." + std::string(row.name), ufuncCall);
  table.call("numpy.divmod", divmodCall);
}

void registerArrayOperators(Table &table) {
  table.binary(binary);
  table.unary(unary);
  table.compare(compare);
  table.call("builtins.abs", builtinAbs);
  table.call("builtins.divmod", divmodCall);
  table.method(TypeKind::Array, "conj", conjugateMethod);
  table.method(TypeKind::Array, "conjugate", conjugateMethod);
}

} // namespace naja::library
