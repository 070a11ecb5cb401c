// Builtin functions on scalars, tuples, strings and ranges: abs len divmod pow sum any all tuple print.
#include "naja/library/constant_fold.h"
#include "naja/library/ranges.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <cmath>

namespace naja::library {

using namespace ir;

namespace {

Resolution wrongCount(std::string_view name, std::string_view expected, size_t given) {
  return Resolution::error(fmt::format("{} expected {}, got {}", name, expected, given));
}

// ---- abs

Resolution absRule(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty())
    return Resolution::error(fmt::format("abs() takes exactly one argument ({} given)", q.operands.size()));
  const AbstractValue &a = q.operands[0];
  if (!isScalar(a.type)) return {};
  if (a.weak && a.constant.valid() && !isComplex(a.type)) {
    if (auto d = constantFloat(a); d && isFloat(a.type))
      return Resolution::constantValue(ConstantStore::global().ofFloat(std::fabs(*d)), true);
    if (auto i = constantInt(a); i && *i != INT64_MIN) return intResolution(*i < 0 ? -*i : *i);
  }
  TypeId type = isBool(a.type) ? types().int64 : realPart(a.type);
  return Resolution::resolved(
      type, [a](Emitter &e, std::span<const ValueId> args) { return emitAbs(e, emitOperand(e, a, args[0])); });
}

// ---- len

int64_t codePoints(std::string_view utf8) {
  int64_t n = 0;
  for (unsigned char c : utf8) n += (c & 0xC0U) != 0x80U;
  return n;
}

Resolution lenOfTuple(const Query &q) {
  return intResolution(static_cast<int64_t>(typeOf(q.operands[0].type).args.size()));
}

Resolution lenOfString(const Query &q) {
  const AbstractValue &a = q.operands[0];
  if (auto text = constantString(a)) return intResolution(codePoints(*text));
  return Resolution::resolved(types().int64, [](Emitter &e, std::span<const ValueId> args) {
    return e.builder().emit(Opcode::StringLen, types().int64, {args[0]});
  });
}

Resolution lenOfRange(const Query &q) {
  return Resolution::resolved(types().int64, [](Emitter &e, std::span<const ValueId> args) {
    return emitConvert(e, emitRangeCount(e, emitRangeParts(e, args[0])), types().int64);
  });
}

Resolution lenRule(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty())
    return Resolution::error(fmt::format("len() takes exactly one argument ({} given)", q.operands.size()));
  switch (kindOf(q.operands[0].type)) {
  case TypeKind::Tuple: return lenOfTuple(q);
  case TypeKind::String: return lenOfString(q);
  case TypeKind::Range: return lenOfRange(q);
  case TypeKind::Bool:
  case TypeKind::Int:
  case TypeKind::Float:
  case TypeKind::Complex:
  case TypeKind::None:
    return Resolution::error(fmt::format("object of type '{}' has no len()", toString(q.operands[0].type)));
  default: return {};
  }
}

// ---- divmod, pow

Resolution divmodRule(const Query &q) {
  if (q.operands.size() != 2 || !q.keywords.empty()) return wrongCount("divmod", "2 arguments", q.operands.size());
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  TypeId type = binaryResultType(BinaryOp::FloorDiv, a, b);
  if (!type.valid()) return {};
  TypeId pair = types().uniTuple(type, 2);
  return Resolution::resolved(pair, [a, b, type, pair](Emitter &e, std::span<const ValueId> args) {
    ValueId x = emitConvert(e, emitOperand(e, a, args[0]), type), y = emitConvert(e, emitOperand(e, b, args[1]), type);
    ZeroDivision mode = ZeroDivision::Ieee;
    if (zeroRaises(e, ZeroDivision::ByErrorModel)) {
      emitNonZeroCheck(e, y, isFloat(type) ? "float divmod()" : "integer division or modulo by zero");
      mode = ZeroDivision::Checked;
    }
    ValueId parts[] = {emitBinary(e, BinaryOp::FloorDiv, x, y, type, mode),
                       emitBinary(e, BinaryOp::Mod, x, y, type, mode)};
    return emitTupleMake(e, pair, parts);
  });
}

Resolution powRule(const Query &q) {
  if (q.operands.size() == 3) {
    Resolution::Arg args[] = {{0, {}}, {1, {}}, {2, {}}};
    for (const AbstractValue &operand : q.operands)
      if (!isInt(operand.type) && !isBool(operand.type))
        return isScalar(operand.type)
                   ? Resolution::error("pow() 3rd argument not allowed unless all arguments are integers")
                   : Resolution{};
    return Resolution::callLibrary("naja.library.integers:pow_mod", {args, args + 3});
  }
  if (q.operands.size() != 2) return wrongCount("pow", "2 or 3 arguments", q.operands.size());
  return Table::global().resolveBinary(BinaryOp::Pow, false, q);
}

// ---- sum, any, all of tuples

/// Not a tuple (whose items may differ in type), but something that a for loop takes.
bool isIterable(TypeId type, const Query &q) {
  AbstractValue value[] = {{type, {}, false}};
  return Table::global().resolveIterate(Opcode::GIter, {value, {}, q.flags}).kind == Resolution::Resolved;
}

Resolution sumRule(const Query &q) {
  BoundArguments bound = bindArguments("sum", "iterable, start=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  const AbstractValue &tuple = q.operands[static_cast<size_t>(bound.operand[0])];
  int start = bound.operand[1];
  ConstId zero = ConstantStore::global().ofInt(0);
  if (!isTuple(tuple.type)) {
    if (!isIterable(tuple.type, q)) return {};
    Resolution::Arg initial = start >= 0 ? Resolution::Arg{start, {}} : Resolution::Arg{-1, zero};
    return Resolution::callLibrary("naja.library.iterables:sum_of", {{bound.operand[0], {}}, initial});
  }
  AbstractValue total{types().int64, zero, true};
  if (start >= 0) total = q.operands[static_cast<size_t>(start)];
  AbstractValue first = total;
  std::vector<EmitFn> steps;
  std::vector<AbstractValue> items = itemsOf(tuple);
  for (const AbstractValue &item : items) {
    AbstractValue operands[] = {total, item};
    Resolution r = Table::global().resolveBinary(BinaryOp::Add, false, {operands, {}, q.flags});
    if (r.kind != Resolution::Resolved) return r;
    total = r.result;
    steps.push_back(std::move(r.emit));
  }
  if (total.constant.valid()) return Resolution::constantValue(total.constant, total.weak);
  int tuple_at = bound.operand[0];
  return Resolution::resolved(
      total.type, [first, start, tuple, tuple_at, steps = std::move(steps)](Emitter &e, std::span<const ValueId> args) {
        ValueId value = emitOperand(e, tuple, args[static_cast<size_t>(tuple_at)]);
        ValueId sum = emitOperand(e, first, start >= 0 ? args[static_cast<size_t>(start)] : ValueId{});
        for (size_t i = 0; i < steps.size(); ++i) {
          ValueId operands[] = {sum, emitTupleGet(e, value, static_cast<unsigned>(i))};
          sum = steps[i](e, operands);
        }
        return sum;
      });
}

Resolution anyAll(bool any, const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty())
    return Resolution::error(
        fmt::format("{}() takes exactly one argument ({} given)", any ? "any" : "all", q.operands.size()));
  if (!isTuple(q.operands[0].type)) {
    if (!isIterable(q.operands[0].type, q)) return {};
    return Resolution::callLibrary(any ? "naja.library.iterables:any_of" : "naja.library.iterables:all_of", {{0, {}}});
  }
  std::vector<EmitFn> truths;
  std::vector<AbstractValue> items = itemsOf(q.operands[0]);
  for (const AbstractValue &item : items) {
    Resolution r = Table::global().resolveTruth({std::span(&item, 1), {}, q.flags});
    if (r.kind != Resolution::Resolved) return r;
    truths.push_back(std::move(r.emit));
  }
  if (truths.empty()) return boolResolution(!any);
  AbstractValue tuple = q.operands[0];
  return Resolution::resolved(
      types().boolean, [any, tuple, truths = std::move(truths)](Emitter &e, std::span<const ValueId> args) {
        ValueId value = emitOperand(e, tuple, args[0]), result;
        for (size_t i = 0; i < truths.size(); ++i) {
          ValueId item = emitTupleGet(e, value, static_cast<unsigned>(i));
          ValueId truth = truths[i](e, std::span(&item, 1));
          result = result.valid() ? e.builder().emit(any ? Opcode::IOr : Opcode::IAnd, types().boolean, {result, truth})
                                  : truth;
        }
        return result;
      });
}

Resolution anyRule(const Query &q) { return anyAll(true, q); }
Resolution allRule(const Query &q) { return anyAll(false, q); }

// ---- tuple, print

Resolution tupleRule(const Query &q) {
  if (q.operands.empty()) return Resolution::constantValue(ConstantStore::global().ofTuple({}), false);
  if (q.operands.size() != 1 || !q.keywords.empty())
    return wrongCount("tuple", "at most 1 argument", q.operands.size());
  const AbstractValue &a = q.operands[0];
  const Type &type = typeOf(a.type);
  if (type.kind != TypeKind::Tuple) return {};
  if (a.constant.valid() && !type.isNamedTuple()) return Resolution::constantValue(a.constant, a.weak);
  TypeId plain = types().tuple(type.args);
  return Resolution::resolved(plain, [a, plain](Emitter &e, std::span<const ValueId> args) {
    ValueId value = emitOperand(e, a, args[0]);
    if (plain == a.type) return value;
    std::vector<ValueId> items;
    for (unsigned i = 0; i < typeOf(plain).args.size(); ++i) items.push_back(emitTupleGet(e, value, i));
    return emitTupleMake(e, plain, items);
  });
}

Resolution printRule(const Query &q) {
  if (!q.keywords.empty())
    return Resolution::error(fmt::format("print() takes no keyword '{}' here", q.keywords[0]),
                             "print each line with one call of print");
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  return Resolution::resolved(
      types().none, [operands = std::move(operands)](Emitter &e, std::span<const ValueId> args) {
        std::vector<ValueId> values;
        for (size_t i = 0; i < operands.size(); ++i)
          values.push_back(isNone(operands[i].type) ? e.builder().noneConst() : emitOperand(e, operands[i], args[i]));
        e.builder().emit(Opcode::Print, {}, values);
        return e.builder().noneConst();
      });
}

} // namespace

void registerBuiltins(Table &table) {
  table.call("builtins.abs", absRule);
  table.call("builtins.len", lenRule);
  table.call("builtins.divmod", divmodRule);
  table.call("builtins.pow", powRule);
  table.call("builtins.sum", sumRule);
  table.call("builtins.any", anyRule);
  table.call("builtins.all", allRule);
  table.call("builtins.tuple", tupleRule);
  table.call("builtins.print", printRule);
}

} // namespace naja::library
