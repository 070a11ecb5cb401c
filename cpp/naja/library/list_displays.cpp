// [a, b, c] written in the code: a value as immutable as a tuple, for the places that only read it (np.array, np.stack,
// a loop, an index, len). It is no list: nothing can be stored in it, and it cannot leave compiled code.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"

namespace naja::library {
namespace {

using Values = std::span<const ValueId>;

Resolution makeDisplay(const Query &query) {
  std::vector<TypeId> items;
  for (const AbstractValue &operand : query.operands)
    items.push_back(operand.type);
  TypeId type = types().iterator("list", items);
  return Resolution::resolved(
      type, [type](Emitter &e, Values values) { return e.builder().emit(ir::Opcode::TupleMake, type, values); });
}

bool isDisplay(const AbstractValue &value) { return isListDisplay(value.type); }

/// The display as a tuple.
ValueId asTuple(Emitter &e, ValueId display) {
  ir::Builder &b = e.builder();
  std::vector<ValueId> items;
  size_t count = typeOf(b.function().typeOf(display)).args.size();
  for (unsigned i = 0; i < count; ++i)
    items.push_back(b.tupleGet(display, i));
  return b.tupleMake(items);
}

/// What an operation on the tuple of the same items does.
Resolution throughTuple(const Query &query, Resolution (*resolve)(const Query &)) {
  std::vector<AbstractValue> operands(query.operands.begin(), query.operands.end());
  operands[0] = {types().tuple(typeOf(operands[0].type).args), {}, false};
  Query inner = query;
  inner.operands = operands;
  Resolution result = resolve(inner);
  if (result.kind == Resolution::Resolved && result.emit)
    result.emit = [emit = std::move(result.emit)](Emitter &e, Values values) {
      std::vector<ValueId> converted(values.begin(), values.end());
      converted[0] = asTuple(e, values[0]);
      return emit(e, converted);
    };
  return result;
}

Resolution getItem(const Query &query) {
  if (!isDisplay(query.operands[0]))
    return {};
  return throughTuple(query, [](const Query &q) { return Table::global().resolveGetItem(q); });
}

/// A loop over the items is one over the tuple.
Resolution iterate(ir::Opcode which, const Query &query) {
  if (which != ir::Opcode::GIter)
    return {};
  return throughTuple(query, [](const Query &q) { return Table::global().resolveIterate(ir::Opcode::GIter, q); });
}

Resolution len(const Query &query) {
  if (query.operands.size() != 1 || !isDisplay(query.operands[0]))
    return {};
  auto count = static_cast<int64_t>(typeOf(query.operands[0].type).args.size());
  return Resolution::constantValue(ConstantStore::global().ofInt(count), true);
}

Resolution unpack(int64_t index_or_minus_count, const Query &query) {
  if (!isDisplay(query.operands[0]))
    return {};
  std::vector<AbstractValue> operands{{types().tuple(typeOf(query.operands[0].type).args), {}, false}};
  Query inner = query;
  inner.operands = operands;
  Resolution result = Table::global().resolveUnpack(index_or_minus_count, inner);
  if (result.kind == Resolution::Resolved && result.emit)
    result.emit = [emit = std::move(result.emit)](Emitter &e, Values values) {
      ValueId tuple = asTuple(e, values[0]);
      return emit(e, std::span(&tuple, 1));
    };
  return result;
}

/// list(...) of a display, sum, min, max: by way of the tuple.
Resolution reduceDisplay(const Query &query) {
  if (query.operands.size() != 1 || !isDisplay(query.operands[0]) || !query.keywords.empty())
    return {};
  std::vector<AbstractValue> operands{{types().tuple(typeOf(query.operands[0].type).args), {}, false}};
  Query inner = query;
  inner.operands = operands;
  Resolution result = Table::global().resolveCall(query.name, inner);
  if (result.kind == Resolution::Resolved && result.emit)
    result.emit = [emit = std::move(result.emit)](Emitter &e, Values values) {
      ValueId tuple = asTuple(e, values[0]);
      return emit(e, std::span(&tuple, 1));
    };
  return result;
}

} // namespace

void registerListDisplays(Table &table) {
  table.call("g.list", makeDisplay);
  table.call("builtins.len", len);
  table.call("builtins.min", reduceDisplay);
  table.call("builtins.max", reduceDisplay);
  table.getItem(TypeKind::Iterator, getItem);
  table.iterateNamed("list", iterate);
  table.unpack(TypeKind::Iterator, unpack);
}

} // namespace naja::library
