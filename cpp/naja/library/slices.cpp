// slice objects: slice(a, b, c), .start .stop .step, .indices(n), equality by parts.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <array>

namespace naja::library {

using namespace ir;

namespace {

bool isPart(TypeId type) { return isInt(type) || isBool(type) || isNone(type); }

/// slice(stop), slice(start, stop), slice(start, stop, step)
Resolution sliceRule(const Query &q) {
  size_t n = q.operands.size();
  if (n == 0 || n > 3 || !q.keywords.empty())
    return Resolution::error(
        fmt::format("slice expected at {} argument{}, got {}", n == 0 ? "least 1" : "most 3", n == 0 ? "" : "s", n));
  AbstractValue none{types().none, ConstantStore::global().none(), false};
  AbstractValue parts[3] = {none, none, none};
  int from[3] = {-1, -1, -1};
  for (size_t i = 0; i < n; ++i) {
    size_t slot = n == 1 ? 1 : i;
    parts[slot] = q.operands[i];
    from[slot] = static_cast<int>(i);
    if (!isPart(parts[slot].type))
      return Resolution::error(
          fmt::format("slice indices must be integers or None, not {}", toString(parts[slot].type)));
  }
  TypeId type = isNone(parts[2].type) ? types().slice2 : types().slice3;
  bool all_constant = true;
  ConstSlice constant;
  ConstId *slots[] = {&constant.start, &constant.stop, &constant.step};
  for (size_t i = 0; i < 3; ++i) {
    if (isNone(parts[i].type)) continue;
    all_constant &= parts[i].constant.valid();
    *slots[i] = parts[i].constant;
  }
  if (all_constant) return Resolution::constantValue(ConstantStore::global().intern({constant, type, false}), false);
  std::array<AbstractValue, 3> known = {parts[0], parts[1], parts[2]};
  std::array<int, 3> at = {from[0], from[1], from[2]};
  return Resolution::resolved(type, [known, at, type](Emitter &e, std::span<const ValueId> args) {
    std::vector<ValueId> values;
    int64_t given = 0;
    for (size_t i = 0; i < 3; ++i) {
      bool present = !isNone(known[i].type);
      given |= present ? int64_t(1) << i : 0;
      values.push_back(present
                           ? emitConvert(e, emitOperand(e, known[i], args[static_cast<size_t>(at[i])]), types().int64)
                           : e.builder().int64(i == 2 ? 1 : 0));
    }
    return e.builder().emit(Opcode::SliceMake, type, values, given);
  });
}

Resolution partOf(const AbstractValue &slice, int64_t index) {
  const Constant *c = constantOf(slice);
  if (const auto *parts = c ? std::get_if<ConstSlice>(&c->value) : nullptr) {
    ConstId part = index == 0 ? parts->start : index == 1 ? parts->stop : parts->step;
    return part.valid() ? Resolution::constantValue(part, true) : noneResolution();
  }
  if (index == 2 && typeOf(slice.type).ndim == 2) return noneResolution();
  TypeId type = types().optional(types().int64);
  return Resolution::resolved(type, [index, type](Emitter &e, std::span<const ValueId> args) {
    return e.builder().emit(Opcode::SlicePart, type, {args[0]}, index);
  });
}

Resolution attribute(std::string_view name, const Query &q) {
  int64_t index = name == "start" ? 0 : name == "stop" ? 1 : name == "step" ? 2 : -1;
  return index < 0 ? Resolution{} : partOf(q.operands[0], index);
}

/// A part as (given, value); `absent` stands where it is not given.
struct Part {
  ValueId has, value;
};

Part emitPart(Emitter &e, ValueId slice, int64_t index) {
  Builder &b = e.builder();
  ValueId part = b.emit(Opcode::SlicePart, types().optional(types().int64), {slice}, index);
  return {b.emit(Opcode::OptionalHas, types().boolean, {part}), b.emit(Opcode::OptionalValue, types().int64, {part})};
}

/// slice.indices(n) as CPython computes it.
Resolution indices(const Query &q) {
  if (q.operands.size() != 2 || (!isInt(q.operands[1].type) && !isBool(q.operands[1].type)))
    return Resolution::error("slice.indices() takes exactly one integer");
  AbstractValue slice = q.operands[0], length = q.operands[1];
  TypeId triple = types().uniTuple(types().int64, 3);
  return Resolution::resolved(triple, [slice, length, triple](Emitter &e, std::span<const ValueId> args) {
    Builder &b = e.builder();
    TypeId i64 = types().int64;
    ValueId s = emitOperand(e, slice, args[0]), n = emitConvert(e, emitOperand(e, length, args[1]), i64);
    ValueId zero = b.int64(0), one = b.int64(1), minus_one = b.int64(-1);
    emitCheck(e, b.icmp(Predicate::Ge, n, zero), "ValueError", "length should not be negative");
    Part step_part = emitPart(e, s, 2);
    ValueId step = b.select(step_part.has, step_part.value, one);
    emitCheck(e, b.icmp(Predicate::Ne, step, zero), "ValueError", "slice step cannot be zero");
    ValueId backwards = b.icmp(Predicate::Lt, step, zero);
    ValueId low = b.select(backwards, minus_one, zero), high = b.select(backwards, b.isub(n, one), n);
    auto bounded = [&](int64_t index, ValueId absent) {
      Part part = emitPart(e, s, index);
      ValueId wrapped = b.emit(Opcode::WrapIndex, i64, {part.value, n});
      ValueId clamped = b.emit(Opcode::IMin, i64, {b.emit(Opcode::IMax, i64, {wrapped, low}), high});
      return b.select(part.has, clamped, absent);
    };
    ValueId items[] = {bounded(0, b.select(backwards, high, low)), bounded(1, b.select(backwards, low, high)), step};
    return emitTupleMake(e, triple, items);
  });
}

} // namespace

void registerSlices(Table &table) {
  table.call("builtins.slice", sliceRule);
  table.attribute(TypeKind::Slice, attribute);
  table.method(TypeKind::Slice, "indices", indices);
}

} // namespace naja::library
