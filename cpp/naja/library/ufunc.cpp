#include "naja/library/ufunc.h"

#include "naja/library/array_families.h"

#include <array>
#include <map>

namespace naja::library {
namespace {

std::map<std::string_view, const Ufunc *> &rowsByName() {
  static auto *rows = [] {
    auto *map = new std::map<std::string_view, const Ufunc *>; // lives as long as the process, as the tables do
    for (std::span<const Ufunc> family : {arithmeticUfuncs(), logicUfuncs(), mathUfuncs()})
      for (const Ufunc &row : family)
        map->emplace(row.name, &row);
    return map;
  }();
  return *rows;
}

/// A Python int literal must fit the integer dtype it meets; comparisons alone take any.
bool literalFits(const AbstractValue &element, TypeId loop) {
  const Constant *constant = constantOf(element);
  if (!element.weak || constant == nullptr || !isInt(loop))
    return true;
  const Type &type = typeOf(loop);
  if (const auto *large = std::get_if<uint64_t>(&constant->value))
    return type.bits == 64 && !type.is_signed && *large > 0;
  std::optional<int64_t> value = constantInt(element);
  if (!value)
    return true;
  if (!type.is_signed)
    return *value >= 0 && (type.bits == 64 || *value < (int64_t(1) << type.bits));
  int64_t limit = type.bits == 64 ? INT64_MAX : (int64_t(1) << (type.bits - 1)) - 1;
  return *value <= limit && *value >= -limit - 1;
}

std::string operandTypes(std::span<const AbstractValue> operands) {
  std::string text;
  for (const AbstractValue &operand : operands)
    text += (text.empty() ? "" : ", ") + toString(operand.type);
  return text;
}

} // namespace

const Ufunc *findUfunc(std::string_view name) {
  auto it = rowsByName().find(name);
  return it == rowsByName().end() ? nullptr : it->second;
}

std::optional<Elementwise> ufuncOperation(const Ufunc &row, std::span<const AbstractValue> operands,
                                          std::span<const size_t> positions, Resolution &error) {
  std::vector<AbstractValue> elements;
  for (const AbstractValue &operand : operands)
    elements.push_back(elementValue(operand));
  TypeId loop = row.loop(elements);
  if (!loop.valid()) {
    error = Resolution::error("ufunc '" + std::string(row.name) + "' is not defined for (" + operandTypes(operands) + ")");
    return std::nullopt;
  }
  for (const AbstractValue &element : elements)
    if (!row.raw && !literalFits(element, loop)) {
      error = Resolution::error("Python integer " + toString(element.constant) + " out of bounds for " + toString(loop));
      return std::nullopt;
    }
  Elementwise operation;
  operation.name = row.name;
  operation.operands.assign(operands.begin(), operands.end());
  operation.positions.assign(positions.begin(), positions.end());
  operation.result = row.result(loop);
  operation.body = [&row, loop](Emitter &e, std::span<const ValueId> args) {
    std::vector<ValueId> converted(args.begin(), args.end());
    if (!row.raw)
      for (ValueId &arg : converted)
        arg = castScalar(e, arg, loop);
    return row.element(e, row, loop, converted);
  };
  return operation;
}

Resolution resolveUfunc(const Ufunc &row, std::span<const AbstractValue> operands) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!isElementwiseOperand(operands[i].type))
      return {};
    positions.push_back(i);
  }
  Resolution error;
  std::optional<Elementwise> operation = ufuncOperation(row, operands, positions, error);
  return operation ? resolveElementwise(std::move(*operation)) : error;
}

Resolution resolveUfuncCall(std::string_view name, const Query &query) {
  const Ufunc *row = findUfunc(name);
  if (row == nullptr)
    return {};
  BoundArguments bound = bindArguments(
      name, row->inputs == 1 ? "x, out=, *, where=, casting=, order=, dtype=" : "x1, x2, out=, *, where=, casting=, order=, dtype=",
      query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  std::vector<AbstractValue> operands;
  std::vector<size_t> positions;
  for (unsigned i = 0; i < row->inputs; ++i) {
    operands.push_back(boundOperand(bound, i, query));
    positions.push_back(static_cast<size_t>(bound.operand[i]));
    if (!isElementwiseOperand(operands.back().type))
      return {};
  }
  if (!isNone(boundOperand(bound, row->inputs + 1, query)))
    return Resolution::error(std::string(name) + ": the argument 'where' is not available in compiled code",
                             "use np.where on the result");
  Resolution error;
  AbstractValue dtype = boundOperand(bound, row->inputs + 4, query);
  if (!isNone(dtype)) {
    std::optional<TypeId> given = dtypeOperand(dtype);
    if (!given)
      return Resolution::error(std::string(name) + ": the dtype must be known while compiling");
    for (AbstractValue &operand : operands)
      if (isScalar(operand.type))
        operand.weak = true; // adapts to the dtype that is asked for
  }
  std::optional<Elementwise> operation = ufuncOperation(*row, operands, positions, error);
  if (!operation)
    return error;
  if (!isNone(dtype))
    operation->result = *dtypeOperand(dtype);
  AbstractValue out = boundOperand(bound, row->inputs, query);
  if (!isNone(out))
    return resolveElementwiseInto(std::move(*operation), out.type, static_cast<size_t>(bound.operand[row->inputs]));
  return resolveElementwise(std::move(*operation));
}

// ---- loop rules

TypeId commonLoop(std::span<const AbstractValue> elements) { return commonDtype(elements); }

TypeId noBoolLoop(std::span<const AbstractValue> elements) {
  TypeId common = commonDtype(elements);
  return isBool(common) ? TypeId{} : common;
}

TypeId powerLoop(std::span<const AbstractValue> elements) {
  TypeId common = commonDtype(elements);
  return isBool(common) ? types().int8 : common;
}

TypeId boolAsInt8Loop(std::span<const AbstractValue> elements) {
  TypeId common = powerLoop(elements);
  return isComplex(common) ? TypeId{} : common;
}

TypeId divideLoop(std::span<const AbstractValue> elements) {
  TypeId common = commonDtype(elements);
  return isInt(common) || isBool(common) ? types().float64 : common;
}

TypeId floatLoop(std::span<const AbstractValue> elements) {
  TypeId loop = floatDtype(commonDtype(elements));
  return isFloat(loop) ? loop : TypeId{};
}

TypeId inexactLoop(std::span<const AbstractValue> elements) { return floatDtype(commonDtype(elements)); }

TypeId bitLoop(std::span<const AbstractValue> elements) {
  TypeId common = commonDtype(elements);
  return isBool(common) || isInt(common) ? common : TypeId{};
}

TypeId integerLoop(std::span<const AbstractValue> elements) {
  TypeId common = powerLoop(elements);
  return isInt(common) ? common : TypeId{};
}

TypeId realLoop(std::span<const AbstractValue> elements) {
  TypeId common = commonDtype(elements);
  return isComplex(common) ? TypeId{} : common;
}

TypeId anyLoop(std::span<const AbstractValue> elements) { return commonDtype(elements); }

TypeId sameResult(TypeId loop) { return loop; }
TypeId boolResult(TypeId) { return types().boolean; }
TypeId realResult(TypeId loop) { return realPart(loop); }

} // namespace naja::library
