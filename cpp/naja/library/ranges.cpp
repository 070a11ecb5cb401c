// range(): values of three integers (start, stop, step); iteration, attributes, len, `in`, reversed. With a step of 1
// or -1 the state of a loop is the index itself, as in C; otherwise a counter k with start + k * step. A literal step
// is part of the type.
#include "naja/library/ranges.h"

#include "naja/library/constant_fold.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

/// Literal steps up to this are marked as not wrapping: a wrap needs 2**63 / step iterations.
constexpr int64_t kSmallStep = 65536;

TypeId counterOf(TypeId item) { return types().integer(typeOf(item).bits, false); }

/// int32 where all arguments are signed and of 32 bits or less, uint64 where one is uint64 (and literals fit it), else
/// int64, which holds the other unsigned types.
std::optional<TypeId> itemType(const Query &q) {
  bool narrow = true, any_uint64 = false, signed_64 = false;
  for (const AbstractValue &a : q.operands) {
    const Type &t = typeOf(a.type);
    if (t.kind != TypeKind::Int && t.kind != TypeKind::Bool) return {};
    bool is_uint64 = a.type == types().uint64;
    any_uint64 |= is_uint64;
    bool adapts = a.weak && constantInt(a).value_or(-1) >= 0;
    signed_64 |= !is_uint64 && !adapts;
    narrow &= !a.weak && t.bits <= 32 && (t.is_signed || t.kind == TypeKind::Bool);
  }
  if (any_uint64) return signed_64 ? types().int64 : types().uint64;
  return narrow ? types().int32 : types().int64;
}

void checkStep(Emitter &e, ValueId step) {
  if (auto n = definedInt(e, step); n && *n != 0) return;
  Builder &b = e.builder();
  emitCheck(e, b.icmp(Predicate::Ne, step, b.intConst(0, valueType(e, step))), "ValueError",
            "range() arg 3 must not be zero");
}

Resolution rangeRule(const Query &q) {
  size_t n = q.operands.size();
  if (!q.keywords.empty()) return Resolution::error("range() takes no keyword arguments");
  if (n == 0 || n > 3)
    return Resolution::error(n == 0 ? "range expected at least 1 argument, got 0"
                                    : fmt::format("range expected at most 3 arguments, got {}", n));
  auto item = itemType(q);
  if (!item) {
    for (const AbstractValue &a : q.operands)
      if (isFloat(a.type) || isComplex(a.type) || isNone(a.type))
        return Resolution::error(fmt::format("'{}' object cannot be interpreted as an integer", toString(a.type)),
                                 "convert it with int(...)");
    return {};
  }
  auto step = n == 3 ? constantInt(q.operands[2]) : std::optional<int64_t>(1);
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  TypeId type = types().range(*item, step == 0 ? std::nullopt : step);
  return Resolution::resolved(
      type, [operands = std::move(operands), type, item = *item](Emitter &e, std::span<const ValueId> args) {
        Builder &b = e.builder();
        auto get = [&](size_t i) { return emitConvert(e, emitOperand(e, operands[i], args[i]), item); };
        size_t n = operands.size();
        ValueId parts[3];
        parts[0] = n == 1 ? b.intConst(0, item) : get(0);
        parts[1] = get(n == 1 ? 0 : 1);
        parts[2] = n == 3 ? get(2) : b.intConst(1, item);
        if (n == 3) checkStep(e, parts[2]);
        return emitTupleMake(e, type, parts);
      });
}

std::optional<int64_t> literalStep(TypeId range) {
  const Type &type = typeOf(range);
  return type.offsets.empty() ? std::nullopt : std::optional(type.offsets[0]);
}

/// The type that counts the items: the items' own where a literal step of two or more halves their number.
TypeId counterFor(TypeId range) {
  TypeId item = typeOf(range).args[0];
  auto step = literalStep(range);
  return step && step != 1 && step != -1 ? item : counterOf(item);
}

/// Wrap flags for a loop whose step is a small literal.
int64_t stepFlags(Emitter &e, ValueId step, TypeId item) {
  auto n = definedInt(e, step);
  bool small = n && *n <= kSmallStep && *n >= -kSmallStep;
  return small && isSigned(item) ? kNoWrapSigned : 0;
}

// ---- iteration with a step of 1 or -1: Iterator "range" or "range_down" of (start, stop), state = index

TypeId unitIterator(TypeId item, bool down) {
  TypeId parts[] = {item, item};
  return types().iterator(down ? "range_down" : "range", parts);
}

template <bool Down> Resolution iterateUnit(Opcode which, const Query &q) {
  TypeId item = typeOf(q.operands[0].type).args[0];
  switch (which) {
  case Opcode::GIter:
    return Resolution::resolved(q.operands[0].type, [](Emitter &, std::span<const ValueId> args) { return args[0]; });
  case Opcode::GIterState:
    return Resolution::resolved(item,
                                [](Emitter &e, std::span<const ValueId> args) { return emitTupleGet(e, args[0], 0); });
  case Opcode::GIterValid:
    return Resolution::resolved(types().boolean, [](Emitter &e, std::span<const ValueId> args) {
      return e.builder().icmp(Down ? Predicate::Gt : Predicate::Lt, args[1], emitTupleGet(e, args[0], 1));
    });
  case Opcode::GIterValue:
    return Resolution::resolved(item, [](Emitter &, std::span<const ValueId> args) { return args[1]; });
  default: // not at stop yet, so one more step does not wrap
    return Resolution::resolved(item, [item](Emitter &e, std::span<const ValueId> args) {
      Builder &b = e.builder();
      int64_t flags = isSigned(item) ? kNoWrapSigned : kNoWrapUnsigned;
      ValueId one = b.intConst(1, item);
      return Down ? b.isub(args[1], one, flags) : b.iadd(args[1], one, flags);
    });
  }
}

// ---- any step: Iterator "range_step" of (start, count, step), state = counter

TypeId stepIterator(TypeId item, TypeId counter) {
  TypeId parts[] = {item, counter, item};
  return types().iterator("range_step", parts);
}

Resolution iterateStep(Opcode which, const Query &q) {
  const Type &type = typeOf(q.operands[0].type);
  TypeId item = type.args[0], counter = type.args[1];
  switch (which) {
  case Opcode::GIter:
    return Resolution::resolved(q.operands[0].type, [](Emitter &, std::span<const ValueId> args) { return args[0]; });
  case Opcode::GIterState:
    return Resolution::resolved(
        counter, [counter](Emitter &e, std::span<const ValueId>) { return e.builder().intConst(0, counter); });
  case Opcode::GIterValid:
    return Resolution::resolved(types().boolean, [](Emitter &e, std::span<const ValueId> args) {
      return e.builder().icmp(Predicate::Lt, args[1], emitTupleGet(e, args[0], 1));
    });
  case Opcode::GIterValue:
    return Resolution::resolved(item, [item](Emitter &e, std::span<const ValueId> args) {
      Builder &b = e.builder();
      ValueId start = emitTupleGet(e, args[0], 0), step = emitTupleGet(e, args[0], 2);
      int64_t flags = stepFlags(e, step, item);
      ValueId k = b.cast(args[1], item);
      if (definedInt(e, step) == -1) return b.isub(start, k, flags);
      return b.iadd(start, definedInt(e, step) == 1 ? k : b.imul(k, step, flags), flags);
    });
  default:
    return Resolution::resolved(counter, [counter](Emitter &e, std::span<const ValueId> args) {
      int64_t flags = isSigned(counter) ? kNoWrapSigned | kNoWrapUnsigned : kNoWrapUnsigned;
      return e.builder().iadd(args[1], e.builder().intConst(1, counter), flags);
    });
  }
}

Resolution iterateRange(Opcode which, const Query &q) {
  if (which != Opcode::GIter) return {};
  TypeId range = q.operands[0].type, item = typeOf(range).args[0];
  auto step = literalStep(range);
  if (step == 1 || (step == -1 && isSigned(item))) {
    TypeId type = unitIterator(item, step == -1);
    return Resolution::resolved(type, [type](Emitter &e, std::span<const ValueId> args) {
      ValueId parts[] = {emitTupleGet(e, args[0], 0), emitTupleGet(e, args[0], 1)};
      return emitTupleMake(e, type, parts);
    });
  }
  TypeId counter = counterFor(range), type = stepIterator(item, counter);
  return Resolution::resolved(type, [type, counter](Emitter &e, std::span<const ValueId> args) {
    RangeParts parts = emitRangeParts(e, args[0]);
    ValueId items[] = {parts.start, emitConvert(e, emitRangeCount(e, parts), counter), parts.step};
    return emitTupleMake(e, type, items);
  });
}

Resolution reversedRange(const Query &q) {
  if (q.operands.size() != 1 || kindOf(q.operands[0].type) != TypeKind::Range) return {};
  TypeId item = typeOf(q.operands[0].type).args[0];
  if (literalStep(q.operands[0].type) == 1 && isSigned(item)) { // from stop - 1 down to start
    TypeId down = unitIterator(item, true);
    return Resolution::resolved(down, [item, down](Emitter &e, std::span<const ValueId> args) {
      Builder &b = e.builder();
      ValueId start = emitTupleGet(e, args[0], 0), stop = emitTupleGet(e, args[0], 1), one = b.intConst(1, item);
      // An empty range may end at the lowest integer: then nothing is iterated because stop - 1 is not above start - 1.
      ValueId empty = b.icmp(Predicate::Le, stop, start);
      ValueId first = b.select(empty, start, b.isub(stop, one));
      ValueId last = b.select(empty, start, b.isub(start, one));
      ValueId parts[] = {first, last};
      return emitTupleMake(e, down, parts);
    });
  }
  TypeId type = stepIterator(item, counterOf(item));
  return Resolution::resolved(type, [item, type](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    RangeParts parts = emitRangeParts(e, args[0]);
    ValueId count = emitRangeCount(e, parts), one = b.intConst(1, item);
    bool unit = definedInt(e, parts.step) == 1;
    ValueId steps = b.isub(b.cast(count, item), one);
    ValueId last = b.iadd(parts.start, unit ? steps : b.imul(steps, parts.step));
    ValueId back = unit ? b.intConst(-1, item) : b.emit(Opcode::INeg, item, {parts.step});
    ValueId items[] = {last, count, back};
    return emitTupleMake(e, type, items);
  });
}

// ---- prange under parallel=True: the same iterators by other names, whose loops are marked

/// The value is the iterator of the range already.
Resolution parallelRange(const Query &q) {
  Resolution range = rangeRule(q);
  if (range.kind != Resolution::Resolved || !q.flags || (q.flags->parallel & kParallelPrange) == 0) return range;
  AbstractValue made = range.result;
  Query iterated;
  iterated.operands = std::span(&made, 1);
  iterated.flags = q.flags;
  Resolution plain = iterateRange(Opcode::GIter, iterated);
  const Type &type = typeOf(plain.result.type);
  TypeId marked = types().iterator("p" + type.name, type.args);
  size_t items = type.args.size();
  return Resolution::resolved(
      marked, [marked, items, range = range.emit, plain = plain.emit](Emitter &e, std::span<const ValueId> args) {
        ValueId made = range(e, args);
        ValueId iterator = plain(e, std::span(&made, 1));
        std::vector<ValueId> parts;
        for (unsigned i = 0; i < items; ++i) parts.push_back(emitTupleGet(e, iterator, i));
        return emitTupleMake(e, marked, parts);
      });
}

template <Resolution (*Plain)(Opcode, const Query &)> Resolution iterateParallel(Opcode which, const Query &q) {
  Resolution plain = Plain(which, q);
  if (which != Opcode::GIterValid || plain.kind != Resolution::Resolved) return plain;
  return Resolution::resolved(plain.result.type, [plain = plain.emit](Emitter &e, std::span<const ValueId> args) {
    e.builder().emit(Opcode::ParallelMark, {}, {});
    return plain(e, args);
  });
}

// ---- attributes, items, membership

Resolution rangeAttribute(std::string_view name, const Query &q) {
  unsigned index = name == "start" ? 0 : name == "stop" ? 1 : name == "step" ? 2 : 3;
  if (index == 3) return {};
  TypeId item = typeOf(q.operands[0].type).args[0];
  return Resolution::resolved(
      item, [index](Emitter &e, std::span<const ValueId> args) { return emitTupleGet(e, args[0], index); });
}

Resolution rangeItem(const Query &q) {
  const AbstractValue &index = q.operands[1];
  if (!isInt(index.type) && !isBool(index.type)) return {};
  TypeId item = typeOf(q.operands[0].type).args[0];
  return Resolution::resolved(item, [index, item](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    TypeId i64 = types().int64;
    RangeParts parts = emitRangeParts(e, args[0]);
    ValueId count = emitConvert(e, emitRangeCount(e, parts), i64);
    ValueId i = emitConvert(e, emitOperand(e, index, args[1]), i64);
    ValueId wrapped = b.emit(Opcode::WrapIndex, i64, {i, count});
    ValueId in_range =
        b.icmp(Predicate::Lt, emitConvert(e, wrapped, types().uint64), emitConvert(e, count, types().uint64));
    emitCheck(e, in_range, "IndexError", "range object index out of range");
    return b.iadd(parts.start, b.imul(emitConvert(e, wrapped, item), parts.step));
  });
}

/// x in range: between first and last, and a whole number of steps from start.
Resolution rangeContains(const Query &q) {
  const AbstractValue &x = q.operands[0];
  if (!isReal(x.type)) return isScalar(x.type) ? Resolution{} : boolResolution(false);
  return Resolution::resolved(types().boolean, [x](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    TypeId boolean = types().boolean;
    RangeParts parts = emitRangeParts(e, args[1]);
    TypeId item = valueType(e, parts.start);
    ValueId value = emitOperand(e, x, args[0]), zero = b.intConst(0, item);
    auto both = [&](ValueId l, ValueId r) { return b.emit(Opcode::IAnd, boolean, {l, r}); };
    ValueId upwards =
        both(emitCompare(e, Predicate::Ge, value, parts.start), emitCompare(e, Predicate::Lt, value, parts.stop));
    auto step = definedInt(e, parts.step);
    ValueId inside = upwards;
    if (!step && isSigned(item)) {
      ValueId downwards =
          both(emitCompare(e, Predicate::Le, value, parts.start), emitCompare(e, Predicate::Gt, value, parts.stop));
      inside = b.select(b.icmp(Predicate::Gt, parts.step, zero), upwards, downwards);
    } else if (step && *step < 0) {
      inside =
          both(emitCompare(e, Predicate::Le, value, parts.start), emitCompare(e, Predicate::Gt, value, parts.stop));
    }
    ValueId whole = emitConvert(e, value, item);
    if (isFloat(valueType(e, value))) inside = both(inside, emitCompare(e, Predicate::Eq, whole, value));
    if (step == 1 || step == -1) return inside;
    ValueId rest = emitBinary(e, BinaryOp::Mod, b.isub(whole, parts.start), parts.step, item, ZeroDivision::Checked);
    return both(inside, b.icmp(Predicate::Eq, rest, zero));
  });
}

Resolution rangeTruth(const Query &q) {
  return Resolution::resolved(types().boolean, [](Emitter &e, std::span<const ValueId> args) {
    return emitTruth(e, emitRangeCount(e, emitRangeParts(e, args[0])));
  });
}

} // namespace

RangeParts emitRangeParts(Emitter &e, ValueId range) {
  TypeId type = valueType(e, range);
  ValueId start = emitTupleGet(e, range, 0), stop = emitTupleGet(e, range, 1);
  if (auto step = literalStep(type)) return {start, stop, e.builder().intConst(*step, typeOf(type).args[0])};
  return {start, stop, emitTupleGet(e, range, 2)};
}

ValueId emitRangeCount(Emitter &e, const RangeParts &parts) {
  Builder &b = e.builder();
  TypeId item = valueType(e, parts.start), counter = counterOf(item);
  ValueId zero = b.intConst(0, counter), one = b.intConst(1, counter);
  auto step = definedInt(e, parts.step);
  auto widened = [&](ValueId v) { return emitConvert(e, v, counter); };
  // Differences of items fit the unsigned type of their width.
  auto span = [&](ValueId low, ValueId high) { return b.isub(widened(high), widened(low)); };
  auto count = [&](ValueId low, ValueId high, ValueId magnitude) {
    ValueId distance = span(low, high);
    if (!magnitude.valid()) return b.select(b.icmp(Predicate::Lt, low, high), distance, zero);
    ValueId steps = b.iadd(b.emit(Opcode::IFloorDiv, counter, {b.isub(distance, one), magnitude}), one);
    return b.select(b.icmp(Predicate::Lt, low, high), steps, zero);
  };
  if (step && (*step > 0 || !isSigned(item)))
    return count(parts.start, parts.stop, *step == 1 ? ValueId{} : widened(parts.step));
  if (step) return count(parts.stop, parts.start, *step == -1 ? ValueId{} : b.intConst(-*step, counter));
  if (!isSigned(item)) return count(parts.start, parts.stop, parts.step);
  ValueId up = b.icmp(Predicate::Gt, parts.step, b.intConst(0, item));
  ValueId low = b.select(up, parts.start, parts.stop), high = b.select(up, parts.stop, parts.start);
  return count(low, high, widened(b.emit(Opcode::IAbs, item, {parts.step})));
}

void registerRanges(Table &table) {
  table.call("builtins.range", rangeRule);
  table.call("naja.prange", parallelRange);
  table.call("builtins.reversed", reversedRange);
  table.iterate(TypeKind::Range, iterateRange);
  table.iterateNamed("range", iterateUnit<false>);
  table.iterateNamed("range_down", iterateUnit<true>);
  table.iterateNamed("range_step", iterateStep);
  table.iterateNamed("prange", iterateParallel<iterateUnit<false>>);
  table.iterateNamed("prange_down", iterateParallel<iterateUnit<true>>);
  table.iterateNamed("prange_step", iterateParallel<iterateStep>);
  table.attribute(TypeKind::Range, rangeAttribute);
  table.getItem(TypeKind::Range, rangeItem);
  table.contains(TypeKind::Range, rangeContains);
  table.truth(TypeKind::Range, rangeTruth);
}

} // namespace naja::library
