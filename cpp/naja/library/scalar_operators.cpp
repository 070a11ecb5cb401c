// Operators on bool, int8..uint64, float32/64, complex64/128, and bool(x) of them.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

namespace naja::library {

namespace {

Resolution binaryRule(ir::BinaryOp op, bool, const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  if (!isScalar(a.type) || !isScalar(b.type)) return {};
  TypeId type = binaryResultType(op, a, b);
  if (!type.valid()) return {};
  if (q.flags && q.flags->cuda) type = narrowResultType(op, a, b, type);
  if (auto folded = foldBinary(op, a, b)) return std::move(*folded);
  return Resolution::resolved(type, [op, a, b, type](Emitter &e, std::span<const ir::ValueId> args) {
    return emitBinary(e, op, emitOperand(e, a, args[0]), emitOperand(e, b, args[1]), type);
  });
}

Resolution unaryRule(ir::UnaryOp op, const Query &q) {
  const AbstractValue &a = q.operands[0];
  if (!isScalar(a.type)) return {};
  TypeId type = unaryResultType(op, a.type);
  if (!type.valid()) return {};
  if (auto folded = foldUnary(op, a)) return std::move(*folded);
  return Resolution::resolved(type, [op, a, type](Emitter &e, std::span<const ir::ValueId> args) {
    return emitUnary(e, op, emitOperand(e, a, args[0]), type);
  });
}

Resolution truthRule(const Query &q) {
  const AbstractValue &a = q.operands[0];
  if (auto folded = foldTruth(a)) return std::move(*folded);
  return Resolution::resolved(types().boolean, [a](Emitter &e, std::span<const ir::ValueId> args) {
    return emitTruth(e, emitOperand(e, a, args[0]));
  });
}

} // namespace

void registerScalarOperators(Table &table) {
  table.binary(binaryRule);
  table.unary(unaryRule);
  for (TypeKind kind : {TypeKind::Bool, TypeKind::Int, TypeKind::Float, TypeKind::Complex})
    table.truth(kind, truthRule);
}

} // namespace naja::library
