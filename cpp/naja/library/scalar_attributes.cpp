// Attributes and methods of numbers: real, imag, conjugate(), item(), dtype, bit_length(), is_integer() ...
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <unordered_map>

namespace naja::library {

using namespace ir;

namespace {

Resolution realOf(const AbstractValue &a) {
  if (isComplex(a.type))
    return Resolution::resolved(realPart(a.type), [a](Emitter &e, std::span<const ValueId> args) {
      ValueId v = emitOperand(e, a, args[0]);
      return e.builder().emit(Opcode::CReal, realPart(a.type), {v});
    });
  TypeId to = isBool(a.type) ? types().int64 : a.type;
  if (a.constant.valid() && to == a.type) return Resolution::constantValue(a.constant, a.weak);
  return Resolution::resolved(to, [a, to](Emitter &e, std::span<const ValueId> args) {
    return emitConvert(e, emitOperand(e, a, args[0]), to);
  });
}

Resolution imagOf(const AbstractValue &a) {
  if (isComplex(a.type))
    return Resolution::resolved(realPart(a.type), [a](Emitter &e, std::span<const ValueId> args) {
      ValueId v = emitOperand(e, a, args[0]);
      return e.builder().emit(Opcode::CImag, realPart(a.type), {v});
    });
  AbstractValue zero{types().int64, ConstantStore::global().ofInt(0), true};
  return Resolution::constantValue(*convertConstant(zero, isBool(a.type) ? types().int64 : a.type, a.weak), a.weak);
}

Resolution denominatorOf(const AbstractValue &a) {
  return isInt(a.type) || isBool(a.type) ? intResolution(1) : Resolution{};
}
Resolution numeratorOf(const AbstractValue &a) { return isInt(a.type) || isBool(a.type) ? realOf(a) : Resolution{}; }
Resolution dtypeOf(const AbstractValue &a) { return dtypeResolution(a.type); }
Resolution itemsizeOf(const AbstractValue &a) { return intResolution(itemSize(a.type)); }
Resolution oneOf(const AbstractValue &) { return intResolution(1); }
Resolution ndimOf(const AbstractValue &) { return intResolution(0); }
Resolution shapeOf(const AbstractValue &) {
  return Resolution::constantValue(ConstantStore::global().ofTuple({}), false);
}
Resolution transposeOf(const AbstractValue &a) {
  return Resolution::resolved(a.type,
                              [a](Emitter &e, std::span<const ValueId> args) { return emitOperand(e, a, args[0]); });
}

Resolution scalarAttribute(std::string_view name, const Query &q) {
  static const std::unordered_map<std::string_view, Resolution (*)(const AbstractValue &)> attributes = {
      {"real", realOf},       {"imag", imagOf},   {"dtype", dtypeOf},         {"itemsize", itemsizeOf},
      {"nbytes", itemsizeOf}, {"size", oneOf},    {"ndim", ndimOf},           {"shape", shapeOf},
      {"strides", shapeOf},   {"T", transposeOf}, {"numerator", numeratorOf}, {"denominator", denominatorOf}};
  auto it = attributes.find(name);
  return it == attributes.end() ? Resolution{} : it->second(q.operands[0]);
}

Resolution noArguments(const Query &q, std::string_view name) {
  if (q.operands.size() == 1) return {};
  return Resolution::error(fmt::format("{}() takes no arguments ({} given)", name, q.operands.size() - 1));
}

Resolution conjugate(const Query &q) {
  if (Resolution r = noArguments(q, "conjugate"); r.kind == Resolution::Error) return r;
  const AbstractValue &a = q.operands[0];
  if (!isComplex(a.type)) return realOf(a);
  return Resolution::resolved(a.type, [a](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    ValueId v = emitOperand(e, a, args[0]);
    TypeId part = realPart(a.type);
    ValueId im = b.emit(Opcode::FNeg, part, {b.emit(Opcode::CImag, part, {v})});
    return b.emit(Opcode::CMake, a.type, {b.emit(Opcode::CReal, part, {v}), im});
  });
}

Resolution item(const Query &q) { return q.operands.size() == 1 ? transposeOf(q.operands[0]) : Resolution{}; }

Resolution isInteger(const Query &q) {
  if (Resolution r = noArguments(q, "is_integer"); r.kind == Resolution::Error) return r;
  const AbstractValue &a = q.operands[0];
  if (!isFloat(a.type)) return boolResolution(true);
  return Resolution::resolved(types().boolean, [a](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    ValueId v = emitOperand(e, a, args[0]);
    // x - trunc(x) is NaN for inf and NaN.
    ValueId rest = b.emit(Opcode::FSub, a.type, {v, emitMath(e, MathFn::Trunc, a.type, {v})});
    return b.fcmp(Predicate::Eq, rest, b.floatConst(0.0, a.type));
  });
}

/// Number of one bits of a uint64 (LLVM makes it one instruction).
ValueId emitPopulation(Emitter &e, ValueId x) {
  Builder &b = e.builder();
  TypeId u64 = types().uint64;
  auto c = [&](uint64_t v) { return b.intConst(static_cast<int64_t>(v), u64); };
  auto op = [&](Opcode code, ValueId l, ValueId r) { return b.emit(code, u64, {l, r}); };
  ValueId pairs = op(Opcode::ISub, x, op(Opcode::IAnd, op(Opcode::IShr, x, c(1)), c(0x5555555555555555)));
  ValueId low = op(Opcode::IAnd, pairs, c(0x3333333333333333));
  ValueId high = op(Opcode::IAnd, op(Opcode::IShr, pairs, c(2)), c(0x3333333333333333));
  ValueId quads = op(Opcode::IAdd, low, high);
  ValueId bytes = op(Opcode::IAnd, op(Opcode::IAdd, quads, op(Opcode::IShr, quads, c(4))), c(0x0f0f0f0f0f0f0f0f));
  return op(Opcode::IShr, op(Opcode::IMul, bytes, c(0x0101010101010101)), c(56));
}

ValueId emitMagnitude(Emitter &e, const AbstractValue &a, ValueId value) {
  ValueId wide = emitConvert(e, emitOperand(e, a, value), isUnsigned(a.type) ? types().uint64 : types().int64);
  return emitConvert(e, emitAbs(e, wide), types().uint64);
}

Resolution bitCount(const Query &q) {
  const AbstractValue &a = q.operands[0];
  if (q.operands.size() != 1 || (!isInt(a.type) && !isBool(a.type))) return {};
  return Resolution::resolved(types().int64, [a](Emitter &e, std::span<const ValueId> args) {
    return emitConvert(e, emitPopulation(e, emitMagnitude(e, a, args[0])), types().int64);
  });
}

Resolution bitLength(const Query &q) {
  const AbstractValue &a = q.operands[0];
  if (q.operands.size() != 1 || (!isInt(a.type) && !isBool(a.type))) return {};
  return Resolution::resolved(types().int64, [a](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    ValueId x = emitMagnitude(e, a, args[0]);
    TypeId u64 = types().uint64;
    for (int64_t n : {1, 2, 4, 8, 16, 32}) // every bit below the highest one set
      x = b.emit(Opcode::IOr, u64, {x, b.emit(Opcode::IShr, u64, {x, b.intConst(n, u64)})});
    return emitConvert(e, emitPopulation(e, x), types().int64);
  });
}

/// x.view(numpy.int32): the same bits as a type of the same size.
Resolution view(const Query &q) {
  if (q.operands.size() != 2) return {};
  const AbstractValue &a = q.operands[0];
  auto to = denotedType(q.operands[1]);
  if (!to || !isScalar(*to)) return {};
  if (a.weak) // a Python number has no `view`; its type here is no promise of a width
    return Resolution::error("'view' can only be called on NumPy dtypes, try wrapping the variable with 'np.<dtype>()'");
  if (itemSize(*to) != itemSize(a.type))
    return Resolution::error(fmt::format("Changing the dtype of a 0d array is only supported if the itemsize is "
                                         "unchanged: {} to {}",
                                         toString(a.type), toString(*to)));
  bool same_machine_kind = isInt(a.type) && isInt(*to);
  return Resolution::resolved(*to, [a, to = *to, same_machine_kind](Emitter &e, std::span<const ValueId> args) {
    ValueId v = emitOperand(e, a, args[0]);
    return a.type == to || same_machine_kind ? e.builder().cast(v, to) : e.builder().emit(Opcode::Bitcast, to, {v});
  });
}

/// x.astype(dtype)
Resolution astype(const Query &q) {
  auto to = q.operands.size() == 2 ? denotedType(q.operands[1]) : std::nullopt;
  if (!to || !isScalar(*to)) return {};
  AbstractValue operands[] = {classResolution(*to).result, q.operands[0]};
  Resolution r = Table::global().resolveCallValue({operands, {}, q.flags});
  if (r.kind == Resolution::Resolved && !r.result.constant.valid())
    r.emit = [emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
      ValueId swapped[] = {args[1], args[0]};
      return emit(e, swapped);
    };
  return r;
}

} // namespace

void registerScalarAttributes(Table &table) {
  for (TypeKind kind : {TypeKind::Bool, TypeKind::Int, TypeKind::Float, TypeKind::Complex}) {
    table.attribute(kind, scalarAttribute);
    table.method(kind, "conjugate", conjugate);
    table.method(kind, "conj", conjugate);
    table.method(kind, "item", item);
    table.method(kind, "view", view);
    table.method(kind, "astype", astype);
  }
  for (TypeKind kind : {TypeKind::Bool, TypeKind::Int}) {
    table.method(kind, "bit_count", bitCount);
    table.method(kind, "bit_length", bitLength);
    table.method(kind, "is_integer", isInteger);
  }
  table.method(TypeKind::Float, "is_integer", isInteger);
}

} // namespace naja::library
