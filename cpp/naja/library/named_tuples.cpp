// Named tuples: construction by position and keyword, fields as attributes, _fields, _replace().
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <algorithm>

namespace naja::library {

using namespace ir;

namespace {

std::optional<unsigned> fieldIndex(const Type &type, std::string_view name) {
  auto it = std::find(type.fields.begin(), type.fields.end(), name);
  return it == type.fields.end() ? std::nullopt : std::optional(static_cast<unsigned>(it - type.fields.begin()));
}

Resolution fieldNames(const Type &type) {
  std::vector<ConstId> names;
  for (const std::string &field : type.fields) names.push_back(ConstantStore::global().ofString(field));
  return Resolution::constantValue(ConstantStore::global().ofTuple(names), false);
}

Resolution attribute(std::string_view name, const Query &q) {
  const AbstractValue &tuple = q.operands[0];
  const Type &type = typeOf(tuple.type);
  if (!type.isNamedTuple()) return {};
  if (name == "_fields") return fieldNames(type);
  auto index = fieldIndex(type, name);
  if (!index) return {};
  AbstractValue item = itemsOf(tuple)[*index];
  if (item.constant.valid()) return Resolution::constantValue(item.constant, item.weak);
  return Resolution::resolved(
      item.type, [i = *index](Emitter &e, std::span<const ValueId> args) { return emitTupleGet(e, args[0], i); });
}

Resolution construct(const Query &q) {
  const Constant *c = identityOf(q.operands[0]);
  const auto *named = c ? std::get_if<NamedTupleClass>(&c->value) : nullptr;
  if (!named) return {};
  std::string spec;
  for (const std::string &field : named->fields) spec += (spec.empty() ? "" : ", ") + field;
  Query arguments{q.operands.subspan(1), q.keywords, q.flags};
  BoundArguments bound = bindArguments(named->name, spec, arguments);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  std::vector<AbstractValue> items;
  std::vector<TypeId> item_types;
  for (int operand : bound.operand) {
    items.push_back(arguments.operands[static_cast<size_t>(operand)]);
    item_types.push_back(items.back().type);
  }
  TypeId type = types().namedTuple(named->name, named->fields, item_types, named->handle.value);
  return tupleResolution(type, items, false,
                         [type, items, at = bound.operand](Emitter &e, std::span<const ValueId> args) {
                           std::vector<ValueId> values;
                           for (size_t i = 0; i < items.size(); ++i)
                             values.push_back(emitOperand(e, items[i], args[static_cast<size_t>(at[i]) + 1]));
                           return emitTupleMake(e, type, values);
                         });
}

Resolution replace(const Query &q) {
  AbstractValue tuple = q.operands[0];
  const Type &type = typeOf(tuple.type);
  if (!type.isNamedTuple() || q.positional() != 1) return {};
  std::vector<AbstractValue> items = itemsOf(tuple);
  std::vector<int> from(items.size(), -1); // the operand that replaces the item
  for (size_t k = 0; k < q.keywords.size(); ++k) {
    auto index = fieldIndex(type, q.keywords[k]);
    if (!index) return Resolution::error(fmt::format("Got unexpected field names: ['{}']", q.keywords[k]));
    from[*index] = static_cast<int>(k + 1);
    items[*index] = q.operands[k + 1];
  }
  std::vector<TypeId> item_types;
  for (const AbstractValue &item : items) item_types.push_back(item.type);
  TypeId result = types().namedTuple(type.name, type.fields, item_types, type.handle);
  return Resolution::resolved(
      result, [result, tuple, from, items = std::move(items)](Emitter &e, std::span<const ValueId> args) {
        ValueId old = emitOperand(e, tuple, args[0]);
        std::vector<ValueId> values;
        for (unsigned i = 0; i < items.size(); ++i)
          values.push_back(from[i] < 0 ? emitTupleGet(e, old, i)
                                       : emitOperand(e, items[i], args[static_cast<size_t>(from[i])]));
        return emitTupleMake(e, result, values);
      });
}

} // namespace

void registerNamedTuples(Table &table) {
  table.attribute(TypeKind::Tuple, attribute);
  table.callValue(TypeKind::NamedTupleClass, construct);
  table.method(TypeKind::Tuple, "_replace", replace);
}

} // namespace naja::library
