#include "naja/library/elementwise.h"

#include <algorithm>

namespace naja::library {

using ir::Builder;

bool isElementwiseOperand(TypeId type) { return type.valid() && isScalar(elementOf(type)); }

AbstractValue elementValue(const AbstractValue &operand) {
  if (isArray(operand.type))
    return {elementOf(operand.type), {}, false};
  return operand;
}

namespace {

unsigned maxRank(const Elementwise &operation) {
  unsigned rank = 0;
  for (const AbstractValue &operand : operation.operands)
    rank = std::max(rank, rankOf(operand.type));
  return rank;
}

/// A scalar constant becomes part of the kernel; a frozen array is an operand like any other.
bool isBuiltIn(const AbstractValue &operand) { return operand.constant.valid() && !isArray(operand.type); }

/// Operands as the kernel gets them: parameters of those that are not constants, and the values that go with them.
struct KernelOperands {
  std::vector<TypeId> params;
  std::vector<ValueId> values;
};

KernelOperands kernelOperands(const Elementwise &operation, std::span<const ValueId> values) {
  KernelOperands result;
  for (size_t i = 0; i < operation.operands.size(); ++i)
    if (!isBuiltIn(operation.operands[i])) {
      result.params.push_back(elementOf(operation.operands[i].type));
      result.values.push_back(values[operation.positions[i]]);
    }
  return result;
}

std::string kernelKey(const Elementwise &operation, TypeId result) {
  std::string key = operation.name + "(";
  for (const AbstractValue &operand : operation.operands) {
    if (isBuiltIn(operand))
      key += "#" + std::to_string(operand.constant.value);
    key += (isArray(operand.type) ? toString(elementOf(operand.type)) : toString(operand.type)) + ",";
  }
  return key + ")" + toString(operation.result) + ">" + toString(result);
}

ir::FunctionId makeKernel(Emitter &e, const Elementwise &operation, const KernelOperands &operands, TypeId result) {
  return e.kernel(kernelKey(operation, result), operands.params, result,
                  [&](Emitter &inner, std::span<const ValueId> args) {
                    std::vector<ValueId> all;
                    size_t next = 0;
                    for (const AbstractValue &operand : operation.operands)
                      all.push_back(isBuiltIn(operand) ? emitConstant(inner, operand.constant, operand.type)
                                                       : args[next++]);
                    return castScalar(inner, operation.body(inner, all), result);
                  });
}

} // namespace

TypeId elementwiseType(const Elementwise &operation) {
  unsigned rank = maxRank(operation);
  if (rank == 0)
    return operation.result;
  bool fortran = rank > 1;
  for (const AbstractValue &operand : operation.operands)
    if (rankOf(operand.type) == rank && typeOf(operand.type).layout != Layout::F)
      fortran = false;
  return arrayType(operation.result, rank, fortran ? Layout::F : Layout::C);
}

ValueId emitElementwise(Emitter &e, const Elementwise &operation, std::span<const ValueId> values) {
  if (maxRank(operation) == 0) {
    std::vector<ValueId> scalars;
    for (size_t i = 0; i < operation.operands.size(); ++i) {
      const AbstractValue &operand = operation.operands[i];
      ValueId value = emitOperand(e, operand, values[operation.positions[i]]);
      scalars.push_back(isArray(operand.type) ? loadItem(e.builder(), value, {}) : value);
    }
    return castScalar(e, operation.body(e, scalars), operation.result);
  }
  KernelOperands operands = kernelOperands(operation, values);
  ir::FunctionId kernel = makeKernel(e, operation, operands, operation.result);
  return mapArray(e, kernel, elementwiseType(operation), operands.values);
}

void emitElementwiseInto(Emitter &e, const Elementwise &operation, std::span<const ValueId> values, ValueId out) {
  KernelOperands operands = kernelOperands(operation, values);
  TypeId dtype = elementOf(e.builder().function().typeOf(out));
  ir::FunctionId kernel = makeKernel(e, operation, operands, dtype);
  mapInto(e, out, kernel, operands.values);
}

Resolution resolveElementwise(Elementwise operation) {
  TypeId type = elementwiseType(operation);
  return Resolution::resolved(type, [operation = std::move(operation)](Emitter &e, std::span<const ValueId> values) {
    return emitElementwise(e, operation, values);
  });
}

Resolution resolveElementwiseInto(Elementwise operation, TypeId out, size_t out_position) {
  if (!isArray(out))
    return Resolution::error("the output must be an array, not " + toString(out));
  if (typeOf(out).readonly)
    return Resolution::error("cannot modify a read-only array of type " + toString(out));
  TypeId dtype = elementOf(out);
  if (!isScalar(dtype) || !castsSameKind(operation.result, dtype))
    return Resolution::error("cannot cast the result from " + toString(operation.result) + " to " + toString(dtype) +
                                 " (casting rule 'same_kind')",
                             "convert it explicitly with .astype or write to an array of " +
                                 toString(operation.result));
  if (maxRank(operation) > rankOf(out))
    return Resolution::error("the output has fewer axes (" + std::to_string(rankOf(out)) + ") than the result (" +
                             std::to_string(maxRank(operation)) + ")");
  return Resolution::resolved(out, [operation = std::move(operation), out_position](Emitter &e,
                                                                                    std::span<const ValueId> values) {
    emitElementwiseInto(e, operation, values, values[out_position]);
    return values[out_position];
  });
}

TypeId commonDtype(std::span<const AbstractValue> elements) {
  TypeId common;
  for (const AbstractValue &element : elements)
    if (!element.weak)
      common = common.valid() ? promoteDtypes(common, element.type) : element.type;
  bool any_strong = common.valid();
  for (const AbstractValue &element : elements)
    if (element.weak)
      common = !common.valid() ? element.type
               : any_strong    ? promoteWeak(element.type, common)
                               : promoteDtypes(common, element.type);
  return common;
}

TypeId floatDtype(TypeId dtype) {
  const Type &type = typeOf(dtype);
  if (type.kind == TypeKind::Bool || (type.kind == TypeKind::Int && type.bits <= 16))
    return types().float32;
  return type.kind == TypeKind::Int ? types().float64 : dtype;
}

bool castsSameKind(TypeId from, TypeId to) {
  auto order = [](TypeId id) {
    const Type &type = typeOf(id);
    switch (type.kind) {
    case TypeKind::Bool: return 0;
    case TypeKind::Int: return type.is_signed ? 2 : 1;
    case TypeKind::Float: return 3;
    default: return 4;
    }
  };
  return order(from) <= order(to);
}

} // namespace naja::library
