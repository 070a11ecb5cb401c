// Tuples: items by constant and dynamic index, constant slices, unpacking, iteration, index() and count().
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

size_t sizeOfTuple(const AbstractValue &tuple) { return typeOf(tuple.type).args.size(); }

Resolution constantItem(const AbstractValue &tuple, unsigned index) {
  AbstractValue item = itemsOf(tuple)[index];
  if (item.constant.valid()) return Resolution::constantValue(item.constant, item.weak);
  return Resolution::resolved(
      item.type, [index](Emitter &e, std::span<const ValueId> args) { return emitTupleGet(e, args[0], index); });
}

/// t[i] with i known at run time only: all items have one type.
Resolution dynamicItem(const AbstractValue &tuple, const AbstractValue &index) {
  if (!isUniTuple(tuple.type))
    return sizeOfTuple(tuple) == 0
               ? Resolution::error("tuple index out of range")
               : Resolution::error(
                     fmt::format("{} needs a constant index: its items have different types", toString(tuple.type)),
                     "iterate with literal_unroll, or give all items one type");
  TypeId item = typeOf(tuple.type).args[0];
  auto size = static_cast<int64_t>(sizeOfTuple(tuple));
  return Resolution::resolved(item, [tuple, index, item, size](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    ValueId t = emitOperand(e, tuple, args[0]), i = emitOperand(e, index, args[1]);
    i = emitConvert(e, i, isUnsigned(index.type) ? types().uint64 : types().int64);
    if (!isUnsigned(index.type))
      i = emitConvert(e, b.emit(Opcode::WrapIndex, types().int64, {i, b.int64(size)}), types().uint64);
    ValueId in_range = b.icmp(Predicate::Lt, i, b.intConst(size, types().uint64));
    emitCheck(e, in_range, "IndexError", "tuple index out of range");
    return b.emit(Opcode::TupleGetDynamic, item, {t, emitConvert(e, i, types().int64)});
  });
}

std::optional<int64_t> partOf(ConstId part) {
  AbstractValue value{ConstantStore::global().get(part).type, part, true};
  return constantInt(value);
}

/// The indices of t[a:b:c] with constant parts, as slice.indices gives them. Empty: step 0.
std::optional<std::vector<unsigned>> slicedIndices(const ConstSlice &slice, int64_t size) {
  int64_t step = slice.step.valid() ? partOf(slice.step).value_or(1) : 1;
  if (step == 0) return {};
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto clamp = [&](ConstId part, int64_t absent) {
    auto given = part.valid() ? partOf(part) : std::nullopt;
    if (!given) return absent;
    int64_t i = *given < 0 ? *given + size : *given;
    return std::min(std::max(i, low), high);
  };
  int64_t start = clamp(slice.start, step > 0 ? low : high), stop = clamp(slice.stop, step > 0 ? high : low);
  std::vector<unsigned> indices;
  for (int64_t i = start; step > 0 ? i < stop : i > stop; i += step) indices.push_back(static_cast<unsigned>(i));
  return indices;
}

Resolution sliceOf(const AbstractValue &tuple, const AbstractValue &slice) {
  const Constant *c = constantOf(slice);
  const auto *parts = c ? std::get_if<ConstSlice>(&c->value) : nullptr;
  if (!parts)
    return Resolution::error(
        fmt::format("{} needs a constant slice: the length of the result is part of its type", toString(tuple.type)));
  auto indices = slicedIndices(*parts, static_cast<int64_t>(sizeOfTuple(tuple)));
  if (!indices) return Resolution::error("slice step cannot be zero");
  std::vector<AbstractValue> items = itemsOf(tuple), picked;
  std::vector<TypeId> item_types;
  for (unsigned i : *indices) {
    picked.push_back(items[i]);
    item_types.push_back(items[i].type);
  }
  TypeId type = types().tuple(item_types);
  return tupleResolution(type, picked, tuple.weak,
                         [tuple, type, indices = std::move(*indices)](Emitter &e, std::span<const ValueId> args) {
                           ValueId whole = emitOperand(e, tuple, args[0]);
                           std::vector<ValueId> values;
                           for (unsigned i : indices) values.push_back(emitTupleGet(e, whole, i));
                           return emitTupleMake(e, type, values);
                         });
}

Resolution getItem(const Query &q) {
  const AbstractValue &tuple = q.operands[0], &index = q.operands[1];
  if (kindOf(index.type) == TypeKind::Slice) return sliceOf(tuple, index);
  if (!isInt(index.type) && !isBool(index.type))
    return Resolution::error(fmt::format("tuple indices must be integers or slices, not {}", toString(index.type)));
  auto constant = constantInt(index);
  if (!constant) return dynamicItem(tuple, index);
  auto size = static_cast<int64_t>(sizeOfTuple(tuple));
  int64_t i = *constant < 0 ? *constant + size : *constant;
  if (i < 0 || i >= size)
    return Resolution::error("tuple index out of range", fmt::format("the tuple has {} items", size));
  return constantItem(tuple, static_cast<unsigned>(i));
}

Resolution setItem(const Query &) { return Resolution::error("'tuple' object does not support item assignment"); }

Resolution unpack(int64_t index_or_minus_count, const Query &q) {
  const AbstractValue &tuple = q.operands[0];
  auto size = static_cast<int64_t>(sizeOfTuple(tuple));
  if (index_or_minus_count >= 0 && index_or_minus_count < size)
    return constantItem(tuple, static_cast<unsigned>(index_or_minus_count));
  int64_t wanted = -index_or_minus_count;
  if (size > wanted) return Resolution::error(fmt::format("too many values to unpack (expected {})", wanted));
  if (size < wanted)
    return Resolution::error(fmt::format("not enough values to unpack (expected {}, got {})", wanted, size));
  return Resolution::resolved(types().none, [](Emitter &, std::span<const ValueId>) { return ValueId{}; });
}

// ---- iteration: the state is the index

Resolution iterate(Opcode which, const Query &q) {
  const AbstractValue &tuple = q.operands[0];
  TypeId i64 = types().int64;
  auto size = static_cast<int64_t>(sizeOfTuple(tuple));
  if (size > 0 && !isUniTuple(tuple.type))
    return Resolution::error(fmt::format("a tuple of mixed types cannot be iterated: {}", toString(tuple.type)),
                             "use literal_unroll(t), or give all items one type");
  switch (which) {
  case Opcode::GIter:
    return Resolution::resolved(
        tuple.type, [tuple](Emitter &e, std::span<const ValueId> args) { return emitOperand(e, tuple, args[0]); });
  case Opcode::GIterState:
    return Resolution::resolved(i64, [](Emitter &e, std::span<const ValueId>) { return e.builder().int64(0); });
  case Opcode::GIterValid:
    if (size == 0) return boolResolution(false);
    return Resolution::resolved(types().boolean, [size](Emitter &e, std::span<const ValueId> args) {
      return e.builder().icmp(Predicate::Lt, args[1], e.builder().int64(size));
    });
  case Opcode::GIterValue: {
    if (size == 0) return noneResolution();
    TypeId item = typeOf(tuple.type).args[0];
    return Resolution::resolved(item, [tuple, item](Emitter &e, std::span<const ValueId> args) {
      return e.builder().emit(Opcode::TupleGetDynamic, item, {emitOperand(e, tuple, args[0]), args[1]});
    });
  }
  default:
    return Resolution::resolved(i64, [](Emitter &e, std::span<const ValueId> args) {
      return e.builder().iadd(args[1], e.builder().int64(1), kNoWrapSigned | kNoWrapUnsigned);
    });
  }
}

// ---- methods

/// The comparison of every item with operand 1.
std::optional<std::vector<EmitFn>> equalities(const Query &q, Resolution &failure) {
  std::vector<EmitFn> result;
  for (const AbstractValue &item : itemsOf(q.operands[0])) {
    AbstractValue pair[] = {item, q.operands[1]};
    Resolution r = Table::global().resolveCompare(Predicate::Eq, {pair, {}, q.flags});
    if (r.kind != Resolution::Resolved) {
      failure = std::move(r);
      return {};
    }
    result.push_back(std::move(r.emit));
  }
  return result;
}

std::vector<ValueId> emitEqualities(Emitter &e, const std::vector<EmitFn> &equal, ValueId tuple, ValueId value) {
  std::vector<ValueId> results;
  for (unsigned i = 0; i < equal.size(); ++i) {
    ValueId pair[] = {emitTupleGet(e, tuple, i), value};
    results.push_back(equal[i](e, pair));
  }
  return results;
}

Resolution count(const Query &q) {
  if (q.operands.size() != 2)
    return Resolution::error(fmt::format("tuple.count() takes exactly one argument ({} given)", q.operands.size() - 1));
  Resolution failure;
  auto equal = equalities(q, failure);
  if (!equal) return failure;
  AbstractValue tuple = q.operands[0], value = q.operands[1];
  return Resolution::resolved(
      types().int64, [equal = std::move(*equal), tuple, value](Emitter &e, std::span<const ValueId> args) {
        ValueId total = e.builder().int64(0);
        for (ValueId same : emitEqualities(e, equal, emitOperand(e, tuple, args[0]), emitOperand(e, value, args[1])))
          total = e.builder().iadd(total, emitConvert(e, same, types().int64));
        return total;
      });
}

Resolution index(const Query &q) {
  if (q.operands.size() != 2)
    return Resolution::error(fmt::format("index expected 1 argument, got {}", q.operands.size() - 1));
  Resolution failure;
  auto equal = equalities(q, failure);
  if (!equal) return failure;
  AbstractValue tuple = q.operands[0], value = q.operands[1];
  return Resolution::resolved(
      types().int64, [equal = std::move(*equal), tuple, value](Emitter &e, std::span<const ValueId> args) {
        Builder &b = e.builder();
        std::vector<ValueId> same =
            emitEqualities(e, equal, emitOperand(e, tuple, args[0]), emitOperand(e, value, args[1]));
        ValueId at = b.int64(-1);
        for (size_t i = same.size(); i-- > 0;) at = b.select(same[i], b.int64(static_cast<int64_t>(i)), at);
        emitCheck(e, b.icmp(Predicate::Ge, at, b.int64(0)), "ValueError", "tuple.index(x): x not in tuple");
        return at;
      });
}

} // namespace

void registerTuples(Table &table) {
  table.getItem(TypeKind::Tuple, getItem);
  table.setItem(TypeKind::Tuple, setItem);
  table.unpack(TypeKind::Tuple, unpack);
  table.iterate(TypeKind::Tuple, iterate);
  table.method(TypeKind::Tuple, "count", count);
  table.method(TypeKind::Tuple, "index", index);
}

} // namespace naja::library
