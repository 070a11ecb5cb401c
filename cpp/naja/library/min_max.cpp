// min() and max() of scalars and tuples, with Python's treatment of NaN: a later value wins only by comparing as less
// (greater).
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

/// All known at compile time: the chosen constant.
std::optional<Resolution> foldMinMax(bool is_max, std::span<const AbstractValue> values) {
  const AbstractValue *best = &values[0];
  for (const AbstractValue &v : values) {
    if (!v.constant.valid() || !v.weak) return {};
    auto better = foldCompare(is_max ? Predicate::Gt : Predicate::Lt, v, *best);
    auto known = better ? constantBool(better->result) : std::nullopt;
    if (!known) return {};
    if (*known) best = &v;
  }
  return Resolution::constantValue(best->constant, true);
}

std::optional<Resolution> checkedScalars(bool is_max, std::span<const AbstractValue> values) {
  for (const AbstractValue &v : values) {
    if (!isScalar(v.type)) return Resolution{};
    if (isComplex(v.type))
      return Resolution::error(
          fmt::format("complex numbers have no order: {}() of {}", is_max ? "max" : "min", toString(v.type)));
  }
  return {};
}

ValueId emitChain(Emitter &e, bool is_max, TypeId type, std::span<const ValueId> values) {
  ValueId best = emitConvert(e, values[0], type);
  for (ValueId v : values.subspan(1)) best = emitMinMax(e, is_max, best, emitConvert(e, v, type));
  return best;
}

Resolution ofValues(bool is_max, const Query &q) {
  if (auto refused = checkedScalars(is_max, q.operands)) return std::move(*refused);
  if (auto folded = foldMinMax(is_max, q.operands)) return std::move(*folded);
  auto type = commonType(q.operands);
  if (!type) return {};
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  return Resolution::resolved(
      *type, [is_max, type = *type, operands = std::move(operands)](Emitter &e, std::span<const ValueId> args) {
        std::vector<ValueId> values;
        for (size_t i = 0; i < operands.size(); ++i) values.push_back(emitOperand(e, operands[i], args[i]));
        return emitChain(e, is_max, type, values);
      });
}

Resolution ofTuple(bool is_max, const Query &q) {
  AbstractValue tuple = q.operands[0];
  std::vector<AbstractValue> items = itemsOf(tuple);
  if (items.empty()) return Resolution::error(fmt::format("{}() arg is an empty sequence", is_max ? "max" : "min"));
  if (auto refused = checkedScalars(is_max, items)) return std::move(*refused);
  if (auto folded = foldMinMax(is_max, items)) return std::move(*folded);
  auto type = commonType(items);
  if (!type) return {};
  return Resolution::resolved(
      *type, [is_max, type = *type, tuple, n = items.size()](Emitter &e, std::span<const ValueId> args) {
        ValueId t = emitOperand(e, tuple, args[0]);
        std::vector<ValueId> values;
        for (unsigned i = 0; i < n; ++i) values.push_back(emitTupleGet(e, t, i));
        return emitChain(e, is_max, type, values);
      });
}

/// Has a length and items of one type.
bool isSequence(TypeId type) {
  TypeKind kind = kindOf(type);
  return kind == TypeKind::Range || (kind == TypeKind::Array && typeOf(type).ndim == 1);
}

/// min(values, default=x)
Resolution withDefault(bool is_max, const Query &q) {
  bool only_default = q.keywords.size() == 1 && q.keywords[0] == "default" && q.operands.size() == 2;
  if (!only_default) return {};
  const AbstractValue &values = q.operands[0];
  if (isSequence(values.type))
    return Resolution::callLibrary(is_max ? "naja.library.iterables:max_or" : "naja.library.iterables:min_or",
                                   {{0, {}}, {1, {}}});
  if (!isTuple(values.type)) return {};
  if (!typeOf(values.type).args.empty()) return ofTuple(is_max, {q.operands.first(1), {}, q.flags});
  AbstractValue fallback = q.operands[1];
  if (fallback.constant.valid()) return Resolution::constantValue(fallback.constant, fallback.weak);
  return Resolution::resolved(fallback.type, [](Emitter &, std::span<const ValueId> args) { return args[1]; });
}

Resolution minMax(bool is_max, const Query &q) {
  if (q.operands.empty())
    return Resolution::error(fmt::format("{} expected at least 1 argument, got 0", is_max ? "max" : "min"));
  if (!q.keywords.empty()) return withDefault(is_max, q);
  if (q.operands.size() > 1) return ofValues(is_max, q);
  if (isTuple(q.operands[0].type)) return ofTuple(is_max, q);
  if (isScalar(q.operands[0].type))
    return Resolution::error(fmt::format("'{}' object is not iterable", toString(q.operands[0].type)));
  if (!isSequence(q.operands[0].type)) return {};
  return Resolution::callLibrary(is_max ? "naja.library.iterables:max_of" : "naja.library.iterables:min_of", {{0, {}}});
}

Resolution minRule(const Query &q) { return minMax(false, q); }
Resolution maxRule(const Query &q) { return minMax(true, q); }

} // namespace

void registerMinMax(Table &table) {
  table.call("builtins.min", minRule);
  table.call("builtins.max", maxRule);
}

} // namespace naja::library
