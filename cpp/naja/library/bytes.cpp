// bytes: what a read-only array of uint8 can do, by way of that array. Slices are views, so they are arrays.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"

namespace naja::library {
namespace {

using Values = std::span<const ValueId>;

TypeId arrayOfBytes() { return arrayType(types().uint8, 1, Layout::C, true); }

/// The operation with operand `at`, bytes, taken as an array.
template <class Resolve> Resolution asArray(const Query &query, size_t at, Resolve resolve) {
  std::vector<AbstractValue> operands(query.operands.begin(), query.operands.end());
  AbstractValue bytes = operands[at];
  operands[at] = {arrayOfBytes(), {}, false};
  Query inner = query;
  inner.operands = operands;
  Resolution result = resolve(inner);
  if (result.kind == Resolution::Resolved && result.emit)
    result.emit = [emit = std::move(result.emit), bytes, at](Emitter &e, Values values) {
      std::vector<ValueId> converted(values.begin(), values.end());
      converted[at] = e.builder().cast(emitOperand(e, bytes, values[at]), arrayOfBytes());
      return emit(e, converted);
    };
  return result;
}

Resolution getItem(const Query &query) {
  return asArray(query, 0, [](const Query &q) { return Table::global().resolveGetItem(q); });
}
Resolution contains(const Query &query) {
  return asArray(query, 1, [](const Query &q) { return Table::global().resolveContains(q); });
}
Resolution truth(const Query &) {
  return Resolution::resolved(types().boolean, [](Emitter &e, Values values) {
    ir::Builder &b = e.builder();
    return b.icmp(ir::Predicate::Ne, b.dim(b.cast(values[0], arrayOfBytes()), 0), b.int64(0));
  });
}
Resolution iterate(ir::Opcode which, const Query &query) {
  if (which != ir::Opcode::GIter) // the iterator is the array
    return {};
  return asArray(query, 0, [](const Query &q) { return Table::global().resolveIterate(ir::Opcode::GIter, q); });
}
Resolution len(const Query &query) {
  if (query.operands.size() != 1 || kindOf(query.operands[0].type) != TypeKind::Bytes)
    return {};
  return asArray(query, 0, [](const Query &q) { return Table::global().resolveCall("builtins.len", q); });
}

} // namespace

void registerBytes(Table &table) {
  table.getItem(TypeKind::Bytes, getItem);
  table.contains(TypeKind::Bytes, contains);
  table.truth(TypeKind::Bytes, truth);
  table.iterate(TypeKind::Bytes, iterate);
  table.call("builtins.len", len);
}

} // namespace naja::library
