#include "naja/library/array_support.h"

#include <array>
#include <cassert>

namespace naja::library {

using ir::Builder;
using ir::Opcode;

// ---- types

bool isArray(TypeId id) { return id.valid() && typeOf(id).kind == TypeKind::Array; }
bool isListDisplay(TypeId id) {
  return id.valid() && typeOf(id).kind == TypeKind::Iterator && typeOf(id).name == "list";
}
bool isSequence(TypeId id) { return id.valid() && (typeOf(id).kind == TypeKind::Tuple || isListDisplay(id)); }
bool isScalarOperand(TypeId id) { return id.valid() && typeOf(id).isScalar(); }
bool isIndexLike(TypeId id) {
  return id.valid() && (typeOf(id).kind == TypeKind::Int || typeOf(id).kind == TypeKind::Bool);
}

bool isShape(TypeId id) {
  if (!id.valid())
    return false;
  if (isIndexLike(id))
    return true;
  if (!isSequence(id))
    return false;
  for (TypeId item : typeOf(id).args)
    if (!isIndexLike(item))
      return false;
  return true;
}

unsigned shapeRank(TypeId id) {
  return isSequence(id) ? static_cast<unsigned>(typeOf(id).args.size()) : 1;
}

TypeId elementOf(TypeId array) { return isArray(array) ? typeOf(array).args[0] : array; }
unsigned rankOf(TypeId array) { return isArray(array) ? typeOf(array).ndim : 0; }

TypeId arrayType(TypeId dtype, unsigned ndim, Layout layout, bool readonly, bool aligned) {
  return types().array(dtype, ndim, ndim <= 1 && layout == Layout::F ? Layout::C : layout, readonly, aligned);
}

TypeId viewType(TypeId of, unsigned ndim, Layout layout) {
  const Type &type = typeOf(of);
  return arrayType(type.args[0], ndim, ndim == 0 ? Layout::C : layout, type.readonly, type.aligned);
}

bool isContiguous(TypeId array) { return isArray(array) && typeOf(array).layout != Layout::A; }

std::optional<TypeId> dtypeOperand(const AbstractValue &value) {
  if (!value.type.valid())
    return std::nullopt;
  std::optional<TypeId> type = denotedType(value);
  return type && itemSize(*type) > 0 ? type : std::nullopt;
}

// ---- constants

ConstId dtypeConstant(TypeId type) {
  return ConstantStore::global().intern({TypeRef{type, true, {}}, types().dtypeOf(type), false});
}

bool isNone(const AbstractValue &value) {
  if (!value.type.valid() || isNone(value.type))
    return true;
  const Constant *constant = constantOf(value);
  return constant != nullptr && std::holds_alternative<Null>(constant->value);
}

std::optional<bool> boolConstant(const AbstractValue &value) {
  std::optional<int64_t> number = value.type.valid() ? constantInt(value) : std::nullopt;
  return number ? std::optional<bool>(*number != 0) : std::nullopt;
}

std::optional<unsigned> axisConstant(const AbstractValue &value, unsigned ndim) {
  std::optional<int64_t> axis = constantInt(value);
  if (!axis)
    return std::nullopt;
  int64_t normal = *axis < 0 ? *axis + ndim : *axis;
  if (normal < 0 || normal >= static_cast<int64_t>(ndim))
    return std::nullopt;
  return static_cast<unsigned>(normal);
}

// ---- operands in the emitter

ValueId castScalar(Emitter &e, ValueId value, TypeId to) {
  Builder &b = e.builder();
  TypeId from = b.function().typeOf(value);
  if (isComplex(from) && !isComplex(to) && !isBool(to))
    value = b.emit(Opcode::CReal, realPart(from), {value});
  return emitConvert(e, value, to);
}

ValueId operandAs(Emitter &e, const AbstractValue &operand, ValueId value, TypeId to) {
  if (operand.constant.valid() && isScalar(operand.type) && isScalar(to) && !(isComplex(operand.type) && !isComplex(to)))
    return emitConstant(e, operand.constant, to);
  value = emitOperand(e, operand, value);
  TypeId from = e.builder().function().typeOf(value);
  return isScalar(from) && isScalar(to) ? castScalar(e, value, to) : e.convert(value, to);
}

std::vector<ValueId> shapeOperand(Emitter &e, const AbstractValue &operand, ValueId value) {
  Builder &b = e.builder();
  std::vector<ValueId> dims;
  if (!isSequence(operand.type)) {
    dims.push_back(operandAs(e, operand, value, types().int64));
    return dims;
  }
  const Constant *constant = constantOf(operand);
  if (constant != nullptr) {
    if (const auto *tuple = std::get_if<ConstTuple>(&constant->value)) {
      for (ConstId item : tuple->items)
        dims.push_back(operandAs(e, {ConstantStore::global().get(item).type, item, true}, {}, types().int64));
      return dims;
    }
  }
  unsigned rank = shapeRank(operand.type);
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(b.cast(b.tupleGet(value, i), types().int64));
  return dims;
}

// ---- geometry

std::vector<ValueId> dimsOf(Builder &b, ValueId array) {
  std::vector<ValueId> dims;
  unsigned ndim = rankOf(b.function().typeOf(array));
  for (unsigned i = 0; i < ndim; ++i)
    dims.push_back(b.dim(array, i));
  return dims;
}

ValueId strideOf(Builder &b, ValueId array, unsigned axis) {
  return b.emit(Opcode::ArrayStride, types().int64, {array}, axis);
}

std::vector<ValueId> stridesOf(Builder &b, ValueId array) {
  std::vector<ValueId> strides;
  unsigned ndim = rankOf(b.function().typeOf(array));
  for (unsigned i = 0; i < ndim; ++i)
    strides.push_back(strideOf(b, array, i));
  return strides;
}

ValueId sizeOf(Builder &b, ValueId array) { return b.emit(Opcode::ArraySize, types().int64, {array}); }

ValueId productOf(Builder &b, std::span<const ValueId> dims) {
  if (dims.empty())
    return b.int64(1);
  ValueId product = dims[0];
  for (ValueId dim : dims.subspan(1))
    product = b.imul(product, dim);
  return product;
}

ValueId restride(Builder &b, ValueId array, TypeId type, std::span<const ValueId> dims,
                 std::span<const ValueId> strides, ValueId byte_offset) {
  std::vector<ValueId> operands{array, byte_offset.valid() ? byte_offset : b.int64(0)};
  operands.insert(operands.end(), dims.begin(), dims.end());
  if (typeOf(type).layout == Layout::A)
    operands.insert(operands.end(), strides.begin(), strides.end());
  return b.emit(Opcode::ArrayRestride, type, operands);
}

ValueId allocate(Builder &b, TypeId type, std::span<const ValueId> dims, bool zeroed) {
  return b.emit(Opcode::ArrayAlloc, type, dims, zeroed ? 1 : 0);
}

ValueId loadItem(Builder &b, ValueId array, std::span<const ValueId> indices) {
  std::vector<ValueId> operands{array};
  operands.insert(operands.end(), indices.begin(), indices.end());
  return b.emit(Opcode::ArrayLoad, elementOf(b.function().typeOf(array)), operands);
}

void storeItem(Builder &b, ValueId array, std::span<const ValueId> indices, ValueId value) {
  std::vector<ValueId> operands{array};
  operands.insert(operands.end(), indices.begin(), indices.end());
  operands.push_back(value);
  b.emit(Opcode::ArrayStore, {}, operands);
}

ValueId int64Tuple(Builder &b, std::span<const ValueId> items) { return b.tupleMake(items); }

// ---- elementwise

ir::FunctionId castKernel(Emitter &e, TypeId from, TypeId to) {
  std::array<TypeId, 1> params{from};
  return e.kernel("cast(" + toString(from) + ")" + toString(to), params, to,
                  [to](Emitter &inner, std::span<const ValueId> args) {
                    return isScalar(to) ? castScalar(inner, args[0], to) : args[0];
                  });
}

ValueId mapArray(Emitter &e, ir::FunctionId kernel, TypeId type, std::span<const ValueId> operands) {
  return e.builder().emit(Opcode::ArrayMap, type, operands, kernel.value);
}

void mapInto(Emitter &e, ValueId array, ir::FunctionId kernel, std::span<const ValueId> operands) {
  std::vector<ValueId> all{array};
  all.insert(all.end(), operands.begin(), operands.end());
  e.builder().emit(Opcode::ArrayMapInto, {}, all, kernel.value);
}

ValueId reduceArray(Emitter &e, ir::FunctionId kernel, ir::ReduceKind kind, TypeId type,
                    std::span<const ValueId> operands, ValueId initial) {
  std::vector<ValueId> all(operands.begin(), operands.end());
  all.push_back(initial);
  ValueId result = e.builder().emit(Opcode::ArrayReduce, type, all, kernel.value);
  e.builder().last().int_list = {static_cast<int64_t>(kind)};
  return result;
}

ValueId copyArray(Emitter &e, ValueId array, TypeId type) {
  TypeId from = elementOf(e.builder().function().typeOf(array));
  std::array<ValueId, 1> operands{array};
  return mapArray(e, castKernel(e, from, elementOf(type)), type, operands);
}

void fillArray(Emitter &e, ValueId array, ValueId scalar) {
  Builder &b = e.builder();
  std::array<ValueId, 1> operands{scalar};
  mapInto(e, array, castKernel(e, b.function().typeOf(scalar), elementOf(b.function().typeOf(array))), operands);
}

void emitLoop(Emitter &e, ValueId count, const std::function<void(ValueId)> &body) {
  emitLoops(e, std::span(&count, 1), {}, [&](std::span<const ValueId> indices, std::span<const ValueId>) {
    body(indices[0]);
    return std::vector<ValueId>{};
  });
}

namespace {

std::vector<ValueId> emitLoopsFrom(Emitter &e, std::span<const ValueId> dims, std::vector<ValueId> carried,
                                   std::vector<ValueId> &indices, const CarryBody &body) {
  if (indices.size() == dims.size())
    return body(indices, carried);
  Builder &b = e.builder();
  ir::Function &function = b.function();
  ir::BlockId header = e.newBlock(), inside = e.newBlock(), after = e.newBlock();
  function.block(header).is_loop_header = true;
  ValueId i = function.addParam(header, types().int64);
  std::vector<ValueId> state, args{b.int64(0)};
  for (ValueId value : carried)
    state.push_back(function.addParam(header, function.typeOf(value)));
  args.insert(args.end(), carried.begin(), carried.end());
  ValueId extent = dims[indices.size()];
  b.br(header, args);
  b.setBlock(header);
  b.condBr(b.icmp(ir::Predicate::Lt, i, extent), inside, {}, after, {});
  b.setBlock(inside);
  indices.push_back(i);
  std::vector<ValueId> next = emitLoopsFrom(e, dims, state, indices, body);
  indices.pop_back();
  next.insert(next.begin(), b.iadd(i, b.int64(1), ir::kNoWrapSigned));
  b.br(header, next);
  b.setBlock(after);
  return state;
}

} // namespace

std::vector<ValueId> emitLoops(Emitter &e, std::span<const ValueId> dims, std::vector<ValueId> carried,
                               const CarryBody &body) {
  std::vector<ValueId> indices;
  return emitLoopsFrom(e, dims, std::move(carried), indices, body);
}

std::vector<ValueId> emitIf(Emitter &e, ValueId condition, std::vector<ValueId> otherwise,
                            const std::function<std::vector<ValueId>()> &then) {
  Builder &b = e.builder();
  ir::BlockId inside = e.newBlock(), after = e.newBlock();
  std::vector<ValueId> results;
  for (ValueId value : otherwise)
    results.push_back(b.function().addParam(after, b.function().typeOf(value)));
  b.condBr(condition, inside, {}, after, std::move(otherwise));
  b.setBlock(inside);
  b.br(after, then());
  b.setBlock(after);
  return results;
}

} // namespace naja::library
