// Operators on tuples: + * == != < <= > >= in, and bool(t).
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

/// The tuple of chosen items: item `second[i]` of operand `first[i]`.
using Picks = std::vector<std::pair<unsigned, unsigned>>;

Resolution assemble(const Query &q, const Picks &picks) {
  std::vector<AbstractValue> items[2];
  for (size_t i = 0; i < 2; ++i)
    if (isTuple(q.operands[i].type)) items[i] = itemsOf(q.operands[i]);
  std::vector<AbstractValue> picked;
  std::vector<TypeId> item_types;
  for (auto [operand, index] : picks) {
    picked.push_back(items[operand][index]);
    item_types.push_back(picked.back().type);
  }
  TypeId type = types().tuple(item_types);
  auto emit = [type, picks, a = q.operands[0], b = q.operands[1]](Emitter &e, std::span<const ValueId> args) {
    ValueId tuples[2];
    for (unsigned i = 0; i < 2; ++i)
      if (isTuple((i ? b : a).type)) tuples[i] = emitOperand(e, i ? b : a, args[i]);
    std::vector<ValueId> values;
    for (auto [operand, index] : picks) values.push_back(emitTupleGet(e, tuples[operand], index));
    return emitTupleMake(e, type, values);
  };
  return tupleResolution(type, picked, true, emit);
}

Resolution concatenate(const Query &q) {
  Picks picks;
  for (unsigned operand = 0; operand < 2; ++operand)
    for (unsigned i = 0; i < typeOf(q.operands[operand].type).args.size(); ++i) picks.emplace_back(operand, i);
  return assemble(q, picks);
}

Resolution repeat(const Query &q, unsigned tuple, unsigned times) {
  constexpr int64_t kMostItems = 1000;
  auto count = constantInt(q.operands[times]);
  if (!count)
    return Resolution::error("a tuple is repeated a constant number of times: its length is part of its type");
  auto size = static_cast<int64_t>(typeOf(q.operands[tuple].type).args.size());
  if (*count > 0 && size > 0 && *count > kMostItems / size)
    return Resolution::error(fmt::format("the tuple would have more than {} items", kMostItems));
  Picks picks;
  for (int64_t n = 0; n < *count; ++n)
    for (unsigned i = 0; i < size; ++i) picks.emplace_back(tuple, i);
  return assemble(q, picks);
}

Resolution binary(BinaryOp op, bool, const Query &q) {
  bool first = isTuple(q.operands[0].type), second = isTuple(q.operands[1].type);
  if (op == BinaryOp::Add && first && second) return concatenate(q);
  if (op == BinaryOp::Mul && first != second && isInt(q.operands[first ? 1 : 0].type))
    return repeat(q, first ? 0 : 1, first ? 1 : 0);
  return {};
}

// ---- comparison

/// What comparing two tuples needs of one position: == , and the strict order where that is asked.
struct Position {
  EmitFn equal, less;
};

std::optional<Position> positionOf(Predicate strict, bool ordered, const AbstractValue &a, const AbstractValue &b,
                                   const Query &q, Resolution &failure) {
  AbstractValue pair[] = {a, b};
  Position position;
  auto take = [&](Predicate p, EmitFn &emit) {
    Resolution r = Table::global().resolveCompare(p, {pair, {}, q.flags});
    if (r.kind == Resolution::Resolved)
      emit = std::move(r.emit);
    else
      failure = std::move(r);
    return r.kind == Resolution::Resolved;
  };
  if (!take(Predicate::Eq, position.equal) || (ordered && !take(strict, position.less))) return {};
  return position;
}

struct TupleComparison {
  Predicate predicate;
  AbstractValue a, b;
  std::vector<Position> positions;
  bool when_prefix_equal; // the result where all common positions are equal

  ValueId emit(Emitter &e, std::span<const ValueId> args) const {
    Builder &build = e.builder();
    ValueId x = emitOperand(e, a, args[0]), y = emitOperand(e, b, args[1]);
    bool ordered = predicate != Predicate::Eq && predicate != Predicate::Ne;
    ValueId result;
    for (size_t i = positions.size(); i-- > 0;) {
      ValueId pair[] = {emitTupleGet(e, x, static_cast<unsigned>(i)), emitTupleGet(e, y, static_cast<unsigned>(i))};
      ValueId equal = positions[i].equal(e, pair);
      if (!ordered) {
        result = result.valid() ? build.emit(Opcode::IAnd, types().boolean, {equal, result}) : equal;
        continue;
      }
      ValueId less = positions[i].less(e, pair);
      ValueId rest = result.valid() ? result : build.boolConst(when_prefix_equal);
      result = build.select(equal, rest, less);
    }
    return predicate == Predicate::Ne ? emitNot(e, result) : result;
  }
};

bool prefixResult(Predicate p, size_t a, size_t b) {
  switch (p) {
  case Predicate::Lt: return a < b;
  case Predicate::Le: return a <= b;
  case Predicate::Gt: return a > b;
  case Predicate::Ge: return a >= b;
  case Predicate::Eq: return a == b;
  default: return a != b;
  }
}

Resolution compare(Predicate p, const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  bool equality = p == Predicate::Eq || p == Predicate::Ne;
  if (!isTuple(a.type) || !isTuple(b.type)) {
    bool scalar_other = isTuple(a.type) ? isScalar(b.type) : isTuple(b.type) && isScalar(a.type);
    return equality && scalar_other ? boolResolution(p == Predicate::Ne) : Resolution{};
  }
  std::vector<AbstractValue> xs = itemsOf(a), ys = itemsOf(b);
  size_t common = std::min(xs.size(), ys.size());
  bool at_end = prefixResult(p, xs.size(), ys.size());
  if (common == 0 || (equality && xs.size() != ys.size())) return boolResolution(at_end);
  Predicate strict = p == Predicate::Lt || p == Predicate::Le ? Predicate::Lt : Predicate::Gt;
  TupleComparison comparison{p, a, b, {}, at_end};
  for (size_t i = 0; i < common; ++i) {
    Resolution failure;
    auto position = positionOf(strict, !equality, xs[i], ys[i], q, failure);
    if (!position) return failure;
    comparison.positions.push_back(std::move(*position));
  }
  return Resolution::resolved(types().boolean,
                              [comparison = std::move(comparison)](Emitter &e, std::span<const ValueId> args) {
                                return comparison.emit(e, args);
                              });
}

/// item in tuple: equal to any.
Resolution contains(const Query &q) {
  AbstractValue value = q.operands[0], tuple = q.operands[1];
  std::vector<EmitFn> equal;
  bool folded = true, found = false;
  for (const AbstractValue &item : itemsOf(tuple)) {
    AbstractValue pair[] = {item, value};
    Resolution r = Table::global().resolveCompare(Predicate::Eq, {pair, {}, q.flags});
    if (r.kind != Resolution::Resolved) return r;
    auto known = constantBool(r.result);
    folded &= known.has_value();
    found |= known.value_or(false);
    equal.push_back(known == false ? EmitFn{} : std::move(r.emit));
  }
  if (found || folded) return boolResolution(found);
  return Resolution::resolved(
      types().boolean, [value, tuple, equal = std::move(equal)](Emitter &e, std::span<const ValueId> args) {
        ValueId v = emitOperand(e, value, args[0]), t = emitOperand(e, tuple, args[1]), any;
        for (unsigned i = 0; i < equal.size(); ++i) {
          if (!equal[i]) continue;
          ValueId pair[] = {emitTupleGet(e, t, i), v};
          ValueId same = equal[i](e, pair);
          any = any.valid() ? e.builder().emit(Opcode::IOr, types().boolean, {any, same}) : same;
        }
        return any;
      });
}

Resolution truth(const Query &q) { return boolResolution(!typeOf(q.operands[0].type).args.empty()); }

} // namespace

void registerTupleOperators(Table &table) {
  table.binary(binary);
  table.compare(compare);
  table.contains(TypeKind::Tuple, contains);
  table.truth(TypeKind::Tuple, truth);
}

} // namespace naja::library
