// Functions of the math module over several numbers: hypot, dist, prod, sumprod, fsum.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

/// float32 where all are, else float64. Empty: not all are real numbers.
std::optional<TypeId> floatTypeOf(std::span<const AbstractValue> values) {
  if (values.empty()) return types().float64;
  AbstractValue all = values[0];
  for (const AbstractValue &v : values) {
    if (!isReal(v.type)) return {};
    all = {arithmeticType(all, v), {}, all.weak && v.weak};
  }
  return mathType(all.type);
}

ValueId emitHypot(Emitter &e, TypeId type, std::span<const ValueId> values) {
  if (values.empty()) return e.builder().floatConst(0.0, type);
  if (values.size() == 1) return e.builder().emit(Opcode::FAbs, type, {values[0]});
  ValueId length = values[0];
  for (ValueId v : values.subspan(1)) length = emitMath(e, MathFn::Hypot, type, {length, v});
  return length;
}

Resolution hypot(const Query &q) {
  if (!q.keywords.empty()) return Resolution::error("math.hypot() takes no keyword arguments");
  auto type = floatTypeOf(q.operands);
  if (!type) return {};
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  return Resolution::resolved(
      *type, [type = *type, operands = std::move(operands)](Emitter &e, std::span<const ValueId> args) {
        std::vector<ValueId> values;
        for (size_t i = 0; i < operands.size(); ++i)
          values.push_back(emitConvert(e, emitOperand(e, operands[i], args[i]), type));
        return emitHypot(e, type, values);
      });
}

/// Two tuples of one length taken item by item.
struct Pairs {
  AbstractValue a, b;
  TypeId type;
  unsigned count;
};

std::optional<Pairs> pairsOf(const Query &q, Resolution &failure, std::string_view message) {
  if (q.operands.size() != 2 || !isTuple(q.operands[0].type) || !isTuple(q.operands[1].type)) return {};
  std::vector<AbstractValue> items = itemsOf(q.operands[0]), others = itemsOf(q.operands[1]);
  if (items.size() != others.size()) {
    failure = Resolution::error(std::string(message));
    return {};
  }
  auto count = static_cast<unsigned>(items.size());
  items.insert(items.end(), others.begin(), others.end());
  auto type = floatTypeOf(items);
  return type ? std::optional(Pairs{q.operands[0], q.operands[1], *type, count}) : std::nullopt;
}

Resolution dist(const Query &q) {
  Resolution failure;
  auto pairs = pairsOf(q, failure, "both points must have the same number of dimensions");
  if (!pairs) return failure;
  return Resolution::resolved(pairs->type, [pairs = *pairs](Emitter &e, std::span<const ValueId> args) {
    ValueId p = emitOperand(e, pairs.a, args[0]), r = emitOperand(e, pairs.b, args[1]);
    std::vector<ValueId> differences;
    for (unsigned i = 0; i < pairs.count; ++i)
      differences.push_back(emitBinary(e, BinaryOp::Sub, emitTupleGet(e, p, i), emitTupleGet(e, r, i), pairs.type));
    return emitHypot(e, pairs.type, differences);
  });
}

/// A chain of one binary operator over the items, from `first`.
Resolution chain(BinaryOp op, const AbstractValue &first, int first_at, const AbstractValue &tuple, int tuple_at,
                 const Query &q) {
  AbstractValue total = first;
  std::vector<EmitFn> steps;
  for (const AbstractValue &item : itemsOf(tuple)) {
    AbstractValue operands[] = {total, item};
    Resolution r = Table::global().resolveBinary(op, false, {operands, {}, q.flags});
    if (r.kind != Resolution::Resolved) return r;
    total = r.result;
    steps.push_back(std::move(r.emit));
  }
  if (total.constant.valid()) return Resolution::constantValue(total.constant, total.weak);
  return Resolution::resolved(total.type, [=, steps = std::move(steps)](Emitter &e, std::span<const ValueId> args) {
    ValueId items = emitOperand(e, tuple, args[static_cast<size_t>(tuple_at)]);
    ValueId result = emitOperand(e, first, first_at >= 0 ? args[static_cast<size_t>(first_at)] : ValueId{});
    for (unsigned i = 0; i < steps.size(); ++i) {
      ValueId operands[] = {result, emitTupleGet(e, items, i)};
      result = steps[i](e, operands);
    }
    return result;
  });
}

Resolution prod(const Query &q) {
  BoundArguments bound = bindArguments("prod", "iterable, *, start=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  const AbstractValue &tuple = q.operands[static_cast<size_t>(bound.operand[0])];
  int start = bound.operand[1];
  AbstractValue one{types().int64, ConstantStore::global().ofInt(1), true};
  AbstractValue first = start >= 0 ? q.operands[static_cast<size_t>(start)] : one;
  if (isTuple(tuple.type)) return chain(BinaryOp::Mul, first, start, tuple, bound.operand[0], q);
  if (start >= 0) return Resolution::callLibrary("naja.library.numbers:prod", {{bound.operand[0], {}}, {start, {}}});
  return Resolution::callLibrary("naja.library.numbers:prod", {{bound.operand[0], {}}, {-1, one.constant}});
}

Resolution sumprod(const Query &q) {
  Resolution failure;
  if (q.operands.size() != 2 || !isTuple(q.operands[0].type) || !isTuple(q.operands[1].type)) return {};
  std::vector<AbstractValue> xs = itemsOf(q.operands[0]), ys = itemsOf(q.operands[1]);
  if (xs.size() != ys.size()) return Resolution::error("Inputs are not the same length");
  AbstractValue total{types().int64, ConstantStore::global().ofInt(0), true}, first = total;
  std::vector<std::pair<EmitFn, EmitFn>> steps; // product, sum
  for (size_t i = 0; i < xs.size(); ++i) {
    AbstractValue factors[] = {xs[i], ys[i]};
    Resolution product = Table::global().resolveBinary(BinaryOp::Mul, false, {factors, {}, q.flags});
    if (product.kind != Resolution::Resolved) return product;
    AbstractValue terms[] = {total, product.result};
    Resolution sum = Table::global().resolveBinary(BinaryOp::Add, false, {terms, {}, q.flags});
    if (sum.kind != Resolution::Resolved) return sum;
    total = sum.result;
    steps.emplace_back(std::move(product.emit), std::move(sum.emit));
  }
  if (total.constant.valid()) return Resolution::constantValue(total.constant, total.weak);
  return Resolution::resolved(total.type, [first, a = q.operands[0], b = q.operands[1],
                                           steps = std::move(steps)](Emitter &e, std::span<const ValueId> args) {
    ValueId x = emitOperand(e, a, args[0]), y = emitOperand(e, b, args[1]), sum = emitOperand(e, first, {});
    for (unsigned i = 0; i < steps.size(); ++i) {
      ValueId factors[] = {emitTupleGet(e, x, i), emitTupleGet(e, y, i)};
      ValueId terms[] = {sum, steps[i].first(e, factors)};
      sum = steps[i].second(e, terms);
    }
    return sum;
  });
}

/// math.fsum of anything that can be iterated, written in Python.
Resolution fsum(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty())
    return Resolution::error(fmt::format("math.fsum() takes exactly one argument ({} given)", q.operands.size()));
  if (isTuple(q.operands[0].type) && typeOf(q.operands[0].type).args.empty())
    return Resolution::constantValue(ConstantStore::global().ofFloat(0.0), true);
  if (!isTuple(q.operands[0].type) || isUniTuple(q.operands[0].type))
    return Resolution::callLibrary("naja.library.numbers:fsum", {{0, {}}});
  return Resolution::error("math.fsum() of a tuple of mixed types", "give all items one type");
}

} // namespace

void registerMathTuples(Table &table) {
  table.call("math.hypot", hypot);
  table.call("math.dist", dist);
  table.call("math.prod", prod);
  table.call("math.sumprod", sumprod);
  table.call("math.fsum", fsum);
}

} // namespace naja::library
