// enumerate and zip: an iterator is the tuple of what it iterates over, its state the tuple of their states.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace naja::library {

using namespace ir;

namespace {

Resolution iterateOne(Opcode which, std::initializer_list<AbstractValue> operands, const Query &q) {
  return Table::global().resolveIterate(which, {std::span(operands.begin(), operands.size()), {}, q.flags});
}

AbstractValue plain(TypeId type) { return {type, {}, false}; }

Resolution notIterable(TypeId type) {
  return Resolution::error(fmt::format("'{}' object is not iterable", toString(type)));
}

/// The five operations on one of the things iterated over.
struct Source {
  TypeId iterator, state, value;
  EmitFn begin, valid, get, next;
};

/// Empty, with `failure` set: it cannot be iterated.
std::optional<Source> sourceOf(TypeId iterator, const Query &q, Resolution &failure) {
  Source s;
  s.iterator = iterator;
  auto take = [&](Opcode which, std::initializer_list<AbstractValue> operands, TypeId &type, EmitFn &emit) {
    Resolution r = iterateOne(which, operands, q);
    if (r.kind != Resolution::Resolved) {
      failure = r.kind == Resolution::NoMatch ? notIterable(iterator) : std::move(r);
      return false;
    }
    type = r.result.type;
    emit = std::move(r.emit);
    return true;
  };
  AbstractValue it = plain(iterator);
  TypeId ignored;
  if (!take(Opcode::GIterState, {it}, s.state, s.begin)) return {};
  AbstractValue state = plain(s.state);
  if (!take(Opcode::GIterValid, {it, state}, ignored, s.valid) ||
      !take(Opcode::GIterValue, {it, state}, s.value, s.get) || !take(Opcode::GIterNext, {it, state}, ignored, s.next))
    return {};
  return s;
}

using Sources = std::shared_ptr<const std::vector<Source>>;

/// One operation on every source: `emit` of each with its part of the iterator and of the state.
std::vector<ValueId> emitEach(Emitter &e, const std::vector<Source> &sources, EmitFn Source::*emit,
                              std::span<const ValueId> args) {
  std::vector<ValueId> results;
  for (unsigned i = 0; i < sources.size(); ++i) {
    std::vector<ValueId> operands = {emitTupleGet(e, args[0], i)};
    if (args.size() > 1) operands.push_back(emitTupleGet(e, args[1], i));
    results.push_back((sources[i].*emit)(e, operands));
  }
  return results;
}

TypeId tupleOf(const std::vector<Source> &sources, TypeId Source::*member) {
  std::vector<TypeId> items;
  for (const Source &s : sources) items.push_back(s.*member);
  return types().tuple(items);
}

Resolution tupleOfEach(Sources sources, EmitFn Source::*emit, TypeId Source::*member) {
  TypeId type = tupleOf(*sources, member);
  return Resolution::resolved(type, [sources, emit, type](Emitter &e, std::span<const ValueId> args) {
    return emitTupleMake(e, type, emitEach(e, *sources, emit, args));
  });
}

Resolution identity(const Query &q) {
  return Resolution::resolved(q.operands[0].type, [](Emitter &, std::span<const ValueId> args) { return args[0]; });
}

std::optional<std::vector<Source>> sourcesOf(std::span<const TypeId> iterators, const Query &q, Resolution &failure) {
  std::vector<Source> sources;
  for (TypeId iterator : iterators) {
    auto source = sourceOf(iterator, q, failure);
    if (!source) return {};
    sources.push_back(std::move(*source));
  }
  return sources;
}

/// What calling zip or enumerate needs of its iterables: their iterators, and the code that makes them.
struct Iterables {
  std::vector<TypeId> iterators;
  std::vector<EmitFn> make;
  std::vector<AbstractValue> operands;
};

std::optional<Iterables> iterablesOf(const Query &q, size_t count, Resolution &failure) {
  Iterables result;
  for (size_t i = 0; i < count; ++i) {
    AbstractValue operand = q.operands[i];
    Resolution r = iterateOne(Opcode::GIter, {operand}, q);
    if (r.kind != Resolution::Resolved) {
      failure = r.kind == Resolution::NoMatch ? notIterable(operand.type) : std::move(r);
      return {};
    }
    result.iterators.push_back(r.result.type);
    result.make.push_back(std::move(r.emit));
    result.operands.push_back(operand);
  }
  return result;
}

std::vector<ValueId> emitIterators(Emitter &e, const Iterables &iterables, std::span<const ValueId> args) {
  std::vector<ValueId> values;
  for (size_t i = 0; i < iterables.make.size(); ++i) {
    ValueId operand = emitOperand(e, iterables.operands[i], args[i]);
    values.push_back(iterables.make[i](e, std::span(&operand, 1)));
  }
  return values;
}

// ---- zip

Resolution zipRule(const Query &q) {
  bool strict = false;
  if (!q.keywords.empty()) {
    auto value = q.keywords.size() == 1 && q.keywords[0] == "strict" ? constantBool(q.operands.back()) : std::nullopt;
    if (!value) return Resolution::error(fmt::format("zip() got an unexpected keyword argument '{}'", q.keywords[0]));
    strict = *value;
  }
  if (strict) return Resolution::error("zip() with strict=True: compare the lengths before the loop instead");
  Resolution failure;
  auto iterables = iterablesOf(q, q.positional(), failure);
  if (!iterables) return failure;
  TypeId type = types().iterator("zip", iterables->iterators);
  return Resolution::resolved(type,
                              [iterables = std::move(*iterables), type](Emitter &e, std::span<const ValueId> args) {
                                return emitTupleMake(e, type, emitIterators(e, iterables, args));
                              });
}

Resolution iterateZip(Opcode which, const Query &q) {
  if (which == Opcode::GIter) return identity(q);
  Resolution failure;
  auto found = sourcesOf(typeOf(q.operands[0].type).args, q, failure);
  if (!found) return failure;
  auto sources = std::make_shared<const std::vector<Source>>(std::move(*found));
  switch (which) {
  case Opcode::GIterState: return tupleOfEach(sources, &Source::begin, &Source::state);
  case Opcode::GIterValue: return tupleOfEach(sources, &Source::get, &Source::value);
  case Opcode::GIterNext: return tupleOfEach(sources, &Source::next, &Source::state);
  default: break;
  }
  if (sources->empty()) return boolResolution(false);
  return Resolution::resolved(types().boolean, [sources](Emitter &e, std::span<const ValueId> args) {
    ValueId all;
    for (ValueId valid : emitEach(e, *sources, &Source::valid, args))
      all = all.valid() ? e.builder().emit(Opcode::IAnd, types().boolean, {all, valid}) : valid;
    return all;
  });
}

// ---- enumerate: Iterator "enumerate" of (iterator, start); state = (its state, number)

Resolution enumerateRule(const Query &q) {
  BoundArguments bound = bindArguments("enumerate", "iterable, start=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  AbstractValue start{types().int64, ConstantStore::global().ofInt(0), true};
  int at = bound.operand[1];
  if (at >= 0) start = q.operands[static_cast<size_t>(at)];
  if (!isInt(start.type) && !isBool(start.type))
    return Resolution::error(fmt::format("'{}' object cannot be interpreted as an integer", toString(start.type)));
  AbstractValue operand = q.operands[static_cast<size_t>(bound.operand[0])];
  int iterable_at = bound.operand[0];
  Resolution r = iterateOne(Opcode::GIter, {operand}, q);
  if (r.kind != Resolution::Resolved) return r.kind == Resolution::NoMatch ? notIterable(operand.type) : r;
  TypeId parts[] = {r.result.type, types().int64};
  TypeId type = types().iterator("enumerate", parts);
  return Resolution::resolved(type, [=, make = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
    ValueId iterable = emitOperand(e, operand, args[static_cast<size_t>(iterable_at)]);
    ValueId first = emitOperand(e, start, at >= 0 ? args[static_cast<size_t>(at)] : ValueId{});
    ValueId items[] = {make(e, std::span(&iterable, 1)), emitConvert(e, first, types().int64)};
    return emitTupleMake(e, type, items);
  });
}

Resolution iterateEnumerate(Opcode which, const Query &q) {
  if (which == Opcode::GIter) return identity(q);
  TypeId i64 = types().int64;
  Resolution failure;
  auto found = sourceOf(typeOf(q.operands[0].type).args[0], q, failure);
  if (!found) return failure;
  auto source = std::make_shared<const Source>(std::move(*found));
  TypeId state_parts[] = {source->state, i64}, value_parts[] = {i64, source->value};
  TypeId state = types().tuple(state_parts), value = types().tuple(value_parts);
  auto inner = [](Emitter &e, std::span<const ValueId> args) {
    return std::array{emitTupleGet(e, args[0], 0), emitTupleGet(e, args[1], 0)};
  };
  switch (which) {
  case Opcode::GIterState:
    return Resolution::resolved(state, [source, state](Emitter &e, std::span<const ValueId> args) {
      ValueId iterator = emitTupleGet(e, args[0], 0);
      ValueId items[] = {source->begin(e, std::span(&iterator, 1)), emitTupleGet(e, args[0], 1)};
      return emitTupleMake(e, state, items);
    });
  case Opcode::GIterValid:
    return Resolution::resolved(types().boolean, [source, inner](Emitter &e, std::span<const ValueId> args) {
      return source->valid(e, inner(e, args));
    });
  case Opcode::GIterValue:
    return Resolution::resolved(value, [source, inner, value](Emitter &e, std::span<const ValueId> args) {
      ValueId items[] = {emitTupleGet(e, args[1], 1), source->get(e, inner(e, args))};
      return emitTupleMake(e, value, items);
    });
  default:
    return Resolution::resolved(state, [source, inner, state](Emitter &e, std::span<const ValueId> args) {
      Builder &b = e.builder();
      ValueId number = b.iadd(emitTupleGet(e, args[1], 1), b.int64(1), kNoWrapSigned);
      ValueId items[] = {source->next(e, inner(e, args)), number};
      return emitTupleMake(e, state, items);
    });
  }
}

// ---- reversed: of what can be sliced (of ranges: see ranges.cpp)

Resolution reversedSequence(const Query &q) {
  if (q.operands.size() != 1 || !q.keywords.empty())
    return Resolution::error(fmt::format("reversed expected 1 argument, got {}", q.operands.size()));
  const AbstractValue &values = q.operands[0];
  if (!isTuple(values.type) && !(kindOf(values.type) == TypeKind::Array && typeOf(values.type).ndim > 0)) return {};
  ConstantStore &constants = ConstantStore::global();
  ConstId backwards = constants.intern({ConstSlice{{}, {}, constants.ofInt(-1)}, types().slice3, false});
  AbstractValue operands[] = {values, {types().slice3, backwards, false}};
  Resolution r = Table::global().resolveGetItem({operands, {}, q.flags});
  if (r.kind != Resolution::Resolved || r.result.constant.valid()) return r;
  r.emit = [values, emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
    ValueId items[] = {emitOperand(e, values, args[0]), ValueId{}};
    return emit(e, items);
  };
  return r;
}

} // namespace

void registerIterators(Table &table) {
  table.call("builtins.zip", zipRule);
  table.call("builtins.enumerate", enumerateRule);
  table.call("builtins.reversed", reversedSequence);
  table.iterateNamed("zip", iterateZip);
  table.iterateNamed("enumerate", iterateEnumerate);
}

} // namespace naja::library
