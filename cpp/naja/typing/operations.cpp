// Transfer functions of the operations that the builtin table resolves: from the operands' abstract values to the
// result's.
#include "naja/typing/operations.h"

#include "naja/typing/calls.h"
#include "naja/typing/messages.h"

#include <array>

namespace naja::typing {

using ir::Opcode;
using library::Query;
using library::Resolution;
using library::Table;

// ---- steps

Plan &Step::plan() {
  auto &slot = spec.plans[item_inst().value];
  if (!slot) slot = std::make_unique<Plan>();
  slot->sources.clear();
  slot->packed.clear();
  return *slot;
}

void Step::dropPlan() { spec.plans[item_inst().value].reset(); }

AbstractValue Step::fail(std::string message, std::string label, std::string hint, DiagnosticKind kind) {
  Diagnostic d;
  d.kind = kind;
  d.message = std::move(message);
  d.where = rangeIn(spec.body, inst.loc);
  d.label = std::move(label);
  d.hint = std::move(hint);
  return fail(std::move(d));
}

AbstractValue Step::fail(Diagnostic diagnostic) {
  if (!diagnostic.where.loc.known() && diagnostic.where.file.empty()) diagnostic.where = rangeIn(spec.body, inst.loc);
  spec.errors[item] = std::move(diagnostic);
  return {};
}

std::optional<AbstractValue> Engine::apply(Step &step, Resolution &&resolution, std::span<const AbstractValue> operands,
                                           const std::vector<Source> *sources) {
  switch (resolution.kind) {
  case Resolution::NoMatch: return std::nullopt;
  case Resolution::Error: return step.fail(std::move(resolution.message), {}, std::move(resolution.hint));
  case Resolution::Resolved: {
    AbstractValue result = resolution.result;
    if (sources != nullptr) {
      Plan &plan = step.plan();
      plan.callee = nullptr;
      plan.sources = *sources;
    } else if (step.spec.plans[step.item_inst().value]) {
      step.dropPlan();
    }
    if (result.constant.valid()) {
      step.emit() = nullptr;
      return result.type.valid() ? result : ofConstant(result.constant);
    }
    step.emit() = std::move(resolution.emit);
    return canonical(result);
  }
  case Resolution::CallFunction: return callResolved(step, resolution, operands, sources);
  case Resolution::NeedsPython:
    if (!operands[0].constant.valid())
      return step.fail("attribute '" + resolution.request_attribute + "' of " + toString(operands[0].type) +
                       " is not known at compile time");
    return attributeOfObject(step, operands[0].constant, resolution.request_attribute);
  }
  return std::nullopt;
}

namespace {

AbstractValue bottom() { return {}; }

/// An operation whose operands are those of the instruction: asks the table, else says what does not match.
template <class Resolve, class Message> AbstractValue resolveWith(Step &step, Resolve resolve, Message message) {
  std::vector<AbstractValue> operands;
  operands.reserve(step.inst.operands.size());
  if (!collectOperands(step, 0, operands)) return bottom();
  Query query{operands, {}, &step.spec.flags};
  if (auto result = step.engine.apply(step, resolve(query), operands)) return *result;
  return message(std::span<const AbstractValue>(operands));
}

std::string noOperator(std::string_view op, std::span<const AbstractValue> operands) {
  return "No implementation of operator " + std::string(op) + " for " + typeList(operands);
}

/// Classes, and tuples of classes, as isinstance takes them.
bool isClass(const AbstractValue &value) {
  switch (typeOf(value.type).kind) {
  case TypeKind::Builtin:
  case TypeKind::NumberClass:
  case TypeKind::TypeRef:
  case TypeKind::NamedTupleClass:
  case TypeKind::ExceptionClass:
  case TypeKind::None: return true;
  default: return false;
  }
}

/// `int | float` of classes: the tuple of them, which means the same to isinstance.
std::optional<AbstractValue> unionOfClasses(const AbstractValue &a, const AbstractValue &b) {
  std::vector<ConstId> items;
  std::vector<TypeId> item_types;
  auto add = [&](ConstId item) {
    items.push_back(item);
    item_types.push_back(typeOfConstant(item));
  };
  for (const AbstractValue &side : {a, b}) {
    if (!side.constant.valid()) return std::nullopt;
    if (isClass(side)) {
      add(side.constant);
      continue;
    }
    const auto *tuple = std::get_if<ConstTuple>(&ConstantStore::global().get(side.constant).value);
    if (tuple == nullptr) return std::nullopt;
    for (ConstId item : tuple->items) {
      if (!isClass(ofConstant(item))) return std::nullopt;
      add(item);
    }
  }
  TypeId type = types().tuple(item_types);
  return AbstractValue{type, ConstantStore::global().intern({ConstTuple{std::move(items), {}}, type, false}), false};
}

AbstractValue transferBinary(Step &step) {
  bool inplace = step.inst.op == Opcode::GInplace;
  ir::BinaryOp op = step.inst.binaryOp();
  if (op == ir::BinaryOp::Or && !step.operand(0).isBottom() && !step.operand(1).isBottom()) {
    if (auto classes = unionOfClasses(step.operand(0), step.operand(1))) return *classes;
  }
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveBinary(op, inplace, q); },
      [&](std::span<const AbstractValue> operands) {
        return step.fail(noOperator(std::string(ir::text(op)) + (inplace ? "=" : ""), operands));
      });
}

AbstractValue transferUnary(Step &step) {
  ir::UnaryOp op = step.inst.unaryOp();
  if (op != ir::UnaryOp::Not) {
    return resolveWith(
        step, [&](const Query &q) { return step.table().resolveUnary(op, q); },
        [&](std::span<const AbstractValue> operands) { return step.fail(noOperator(ir::text(op), operands)); });
  }
  if (step.operand(0).isBottom()) return bottom();
  auto truth = truthOf(step, step.operand(0));
  if (!truth) return bottom();
  if (truth->value.constant.valid()) {
    ConstantStore &constants = ConstantStore::global();
    bool value = std::get<bool>(constants.get(truth->value.constant).value);
    step.emit() = nullptr;
    return ofConstant(constants.ofBool(!value));
  }
  step.emit() = [emit = std::move(truth->emit)](library::Emitter &e, std::span<const ir::ValueId> operands) {
    ir::ValueId value = emit ? emit(e, operands) : operands[0];
    return e.builder().emit(Opcode::INot, types().boolean, {value});
  };
  return {types().boolean, {}, false};
}

AbstractValue transferCompare(Step &step) {
  ir::Predicate p = step.inst.predicate();
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveCompare(p, q); },
      [&](std::span<const AbstractValue> operands) { return step.fail(noOperator(ir::text(p), operands)); });
}

AbstractValue boolean(Step &step, bool value) {
  step.emit() = nullptr;
  return ofConstant(ConstantStore::global().ofBool(value));
}

/// Arrays are the same where they are the same memory.
AbstractValue sameMemory(Step &step) {
  step.emit() = [](library::Emitter &e, std::span<const ir::ValueId> operands) {
    ir::Builder &b = e.builder();
    TypeId address = types().void_pointer;
    return b.icmp(ir::Predicate::Eq, b.emit(Opcode::ArrayData, address, {operands[0]}),
                  b.emit(Opcode::ArrayData, address, {operands[1]}));
  };
  return {types().boolean, {}, false};
}

AbstractValue transferIs(Step &step) {
  const AbstractValue &a = step.operand(0), &b = step.operand(1);
  if (a.isBottom() || b.isBottom()) return bottom();
  if (isCompileTime(a.type) && isCompileTime(b.type)) return boolean(step, a.type == b.type);
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveIs(q); },
      [&](std::span<const AbstractValue> operands) {
        // Values of types that never meet are never the same object.
        if (!unify(operands[0].type, operands[1].type)) return boolean(step, false);
        if (typeOf(operands[0].type).kind == TypeKind::Array && typeOf(operands[1].type).kind == TypeKind::Array)
          return sameMemory(step);
        return step.fail(noOperator("is", operands));
      });
}

AbstractValue transferContains(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveContains(q); },
      [&](std::span<const AbstractValue> operands) { return step.fail(noOperator("in", operands)); });
}

AbstractValue transferTruth(Step &step) {
  if (step.operand(0).isBottom()) return bottom();
  auto truth = truthOf(step, step.operand(0));
  if (!truth) return bottom();
  step.emit() = std::move(truth->emit);
  return truth->value;
}

AbstractValue transferGetItem(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveGetItem(q); },
      [&](std::span<const AbstractValue> operands) {
        return step.fail("No implementation of getitem for " + typeList(operands), "cannot be indexed with this");
      });
}

AbstractValue transferSetItem(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveSetItem(q); },
      [&](std::span<const AbstractValue> operands) {
        std::string hint = typeOf(operands[0].type).kind == TypeKind::Tuple ? "tuples cannot be changed" : "";
        return step.fail("No implementation of setitem for " + typeList(operands), {}, hint);
      });
}

AbstractValue transferSetAttr(Step &step) {
  std::string_view name = ir::symbolText(step.inst.symbol());
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveSetAttribute(name, q); },
      [&](std::span<const AbstractValue> operands) {
        return step.fail("Cannot set attribute '" + std::string(name) + "' of type " + toString(operands[0].type));
      });
}

AbstractValue transferUnpackCheck(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveUnpack(-step.inst.attr, q); },
      [&](std::span<const AbstractValue> operands) {
        return step.fail("Cannot unpack a value of type " + toString(operands[0].type) + " into " +
                         std::to_string(step.inst.attr) + " names");
      });
}

AbstractValue transferUnpackItem(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveUnpack(step.inst.attr, q); },
      [&](std::span<const AbstractValue>) { return bottom(); }); // the check has said it
}

AbstractValue transferIterate(Step &step) {
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveIterate(step.inst.op, q); },
      [&](std::span<const AbstractValue> operands) {
        return step.fail("A value of type " + toString(operands[0].type) + " is not iterable");
      });
}

// ---- values

AbstractValue transferConst(Step &step) { return valueOfConstant(step, step.inst.constant()); }

AbstractValue transferArg(Step &step) { return ofType(step.spec.arg_types[static_cast<size_t>(step.inst.attr)]); }

AbstractValue transferUndefinedName(Step &step) {
  std::string name(ir::symbolText(step.inst.symbol()));
  for (std::string_view module : {"np", "numpy", "math", "cmath", "random", "operator"}) {
    if (name == module)
      return step.fail("name '" + name + "' is not defined", "not found",
                       "import it: " + (name == "np" ? std::string("import numpy as np") : "import " + name));
  }
  std::vector<std::string> candidates = step.spec.body.code().local_names;
  for (const auto &[global, value] : step.spec.body.snapshot().globals) candidates.push_back(global);
  for (const std::string &builtin : step.table().similar("builtins." + name))
    candidates.push_back(displayName(builtin));
  return step.fail("name '" + name + "' is not defined", "not found", nearest(name, candidates));
}

AbstractValue transferCopy(Step &step) { return step.operand(0); }

AbstractValue transferUnbound(Step &) { return {types().unbound, {}, false}; }

AbstractValue transferTuple(Step &step) {
  std::vector<AbstractValue> items;
  if (!collectOperands(step, 0, items)) return bottom();
  std::vector<TypeId> item_types;
  std::vector<ConstId> constants;
  bool weak = false;
  size_t known = 0;
  for (const AbstractValue &item : items) {
    item_types.push_back(item.type);
    // A constant that has another type than its own (forced by `locals`) cannot stand for the value.
    bool constant = item.constant.valid() && typeOfConstant(item.constant) == item.type;
    constants.push_back(constant ? item.constant : ConstId());
    known += constant;
    weak = weak || item.weak;
  }
  TypeId type = types().tuple(item_types);
  if (known < items.size())
    return {type,
            {},
            false,
            known == 0 ? ConstId()
                       : ConstantStore::global().intern({ConstTuple{std::move(constants), {}}, type, false})};
  return {type, ConstantStore::global().intern({ConstTuple{std::move(constants), {}}, type, weak}), weak};
}

/// Integers and None make a slice; a bool counts as an integer, an Optional is unwrapped where it is used.
bool isSlicePart(TypeId id) {
  TypeKind kind = typeOf(withoutOptional(id)).kind;
  return kind == TypeKind::Int || kind == TypeKind::Bool || kind == TypeKind::None;
}

AbstractValue transferSlice(Step &step) {
  std::vector<AbstractValue> parts;
  if (!collectOperands(step, 0, parts)) return bottom();
  bool constant = true;
  for (const AbstractValue &part : parts) {
    if (!isSlicePart(part.type)) return step.fail("slice indices must be integers or None, not " + toString(part.type));
    constant = constant && part.constant.valid();
  }
  bool stepped = parts.size() > 2 && typeOf(parts[2].type).kind != TypeKind::None;
  TypeId type = stepped ? types().slice3 : types().slice2;
  if (!constant) return {type, {}, false};
  auto part = [&](size_t i) {
    return i < parts.size() && typeOf(parts[i].type).kind != TypeKind::None ? parts[i].constant : ConstId();
  };
  return {type, ConstantStore::global().intern({ConstSlice{part(0), part(1), part(2)}, type, false}), false};
}

AbstractValue transferListToTuple(Step &step) {
  const AbstractValue &list = step.operand(0);
  if (list.isBottom()) return bottom();
  if (typeOf(list.type).kind != TypeKind::Tuple)
    return step.fail("Cannot make arguments of a value of type " + toString(list.type), {},
                     "f(*args) needs a tuple, whose length is known when the call is compiled");
  return list;
}

/// *args being put together: tuples are chained.
AbstractValue transferExtend(Step &step) {
  const AbstractValue &head = step.operand(0), &tail = step.operand(1);
  if (head.isBottom() || tail.isBottom()) return bottom();
  if (typeOf(head.type).kind != TypeKind::Tuple || typeOf(tail.type).kind != TypeKind::Tuple)
    return step.fail("Cannot make arguments of a value of type " + toString(tail.type), {},
                     "f(*args) needs a tuple, whose length is known when the call is compiled");
  std::vector<TypeId> items = typeOf(head.type).args;
  for (TypeId item : typeOf(tail.type).args) items.push_back(item);
  return {types().tuple(items), {}, false};
}

/// True where a list display is only read where a tuple serves as well: by builtin functions, loops and `in`, or as an
/// item of such a list. It then costs no list.
bool isReadOnlyList(const Specialisation &spec, ir::ValueId list) {
  const ir::Function &f = spec.body.function();
  for (uint32_t use : spec.body.uses(list)) {
    const Body::Item &item = spec.body.items()[use];
    if (!item.inst.valid()) return false;
    const ir::Inst &inst = f.inst(item.inst);
    auto callsBuiltin = [&] {
      TypeId callee = spec.value(inst.operands[0]).type; // unknown yet: the call looks at the list again
      return inst.operands[0] != list && (!callee.valid() || typeOf(callee).kind == TypeKind::Builtin);
    };
    bool reads = inst.op == Opcode::GIter || (inst.op == Opcode::GContains && inst.operands[1] == list) ||
                 (inst.op == Opcode::GCall && callsBuiltin()) ||
                 (inst.op == Opcode::GList && isReadOnlyList(spec, inst.result));
    if (!reads) return false;
  }
  return true;
}

AbstractValue transferTuple(Step &step);

/// Operations without a table of their own are rows named by their opcode ("g.list", "g.format").
AbstractValue transferNamed(Step &step) {
  static const std::pair<Opcode, const char *> kWhat[] = {
      {Opcode::GList, "list displays"},        {Opcode::GSet, "set displays"},
      {Opcode::GDict, "dict displays"},        {Opcode::GListAppend, "list comprehensions"},
      {Opcode::GSetAdd, "set comprehensions"}, {Opcode::GDictSet, "dict comprehensions"},
      {Opcode::GFormat, "f-strings"},          {Opcode::GJoinStr, "f-strings"},
      {Opcode::GDelItem, "del of an item"}};
  std::string_view name = ir::info(step.inst.op).text;
  bool known = step.table().knows(name);
  if (!known && step.inst.op == Opcode::GList && isReadOnlyList(step.spec, step.inst.result))
    return transferTuple(step);
  if (!known && step.inst.result.valid() && step.spec.body.uses(step.inst.result).empty())
    return bottom(); // taken apart by the translation: the keywords of f(*args, k=v)
  return resolveWith(
      step, [&](const Query &q) { return step.table().resolveCall(name, q); },
      [&](std::span<const AbstractValue> operands) {
        std::string what(name);
        for (const auto &[op, text] : kWhat) what = op == step.inst.op ? text : what;
        return step.fail("Use of unsupported operation: " + what + " of " + typeList(operands), {}, {},
                         DiagnosticKind::Unsupported);
      });
}

AbstractValue transferForeign(Step &step) {
  return step.fail("internal: " + std::string(ir::info(step.inst.op).text) + " in untyped code", {}, {},
                   DiagnosticKind::Compiler);
}

std::array<Transfer, 256> makeTransfers() {
  std::array<Transfer, 256> table{};
  table.fill(transferForeign);
  auto set = [&](std::initializer_list<Opcode> ops, Transfer transfer) {
    for (Opcode op : ops) table[static_cast<size_t>(op)] = transfer;
  };
  using enum Opcode;
  set({Const}, transferConst);
  set({GArg}, transferArg);
  set({GUndefinedName}, transferUndefinedName);
  set({GCopy}, transferCopy);
  set({GUnbound}, transferUnbound);
  set({GCheckBound}, transferCheckBound);
  set({GBinary, GInplace}, transferBinary);
  set({GUnary}, transferUnary);
  set({GCompare}, transferCompare);
  set({GIs}, transferIs);
  set({GContains}, transferContains);
  set({GTruth}, transferTruth);
  set({GGetAttr}, transferGetAttr);
  set({GSetAttr}, transferSetAttr);
  set({GGetItem}, transferGetItem);
  set({GSetItem}, transferSetItem);
  set({GSlice}, transferSlice);
  set({GTuple}, transferTuple);
  set({GListToTuple}, transferListToTuple);
  set({GExtend}, transferExtend);
  set({GList, GSet, GDict, GListAppend, GSetAdd, GDictSet, GFormat, GJoinStr, GDelItem}, transferNamed);
  set({GUnpackCheck}, transferUnpackCheck);
  set({GUnpackItem}, transferUnpackItem);
  set({GCall}, transferCall);
  set({GCallStar}, transferCallStar);
  set({GMakeFunction}, transferMakeFunction);
  set({GIter, GIterState, GIterValid, GIterValue, GIterNext}, transferIterate);
  set({Br}, transferBranch);
  set({CondBr}, transferCondBranch);
  set({Return}, transferReturn);
  set({GRaise}, transferGenericRaise);
  set({Raise, Unreachable, Resume}, transferStop);
  return table;
}

} // namespace

AbstractValue valueOfConstant(Step &step, ConstId id) {
  const Constant &constant = ConstantStore::global().get(id);
  if (std::holds_alternative<BigInt>(constant.value))
    return step.fail("the integer " + toString(id) + " fits neither int64 nor uint64");
  if (const auto *object = std::get_if<ObjectRef>(&constant.value); object != nullptr && !constant.type.valid()) {
    PythonRequest request;
    request.object = id;
    const Answer *answer = step.engine.ask(step, step.engine.typeAnswer(id), PythonRequest::TypeOf, request);
    if (answer == nullptr) return {};
    if (!answer->type)
      return step.fail("Cannot determine the type of an object of class " + object->class_name,
                       "not a value that compiled code can use",
                       "pass it as an argument, or use a type that naja knows");
    return {*answer->type, id, false};
  }
  return typeOfConstant(id).valid() ? ofConstant(id) : step.fail("Cannot determine the type of " + toString(id));
}

std::optional<Truth> truthOf(Step &step, const AbstractValue &operand) {
  ConstantStore &constants = ConstantStore::global();
  if (operand.type == types().boolean) return Truth{operand, nullptr};
  TypeKind kind = typeOf(operand.type).kind;
  if (isCompileTime(operand.type) || kind == TypeKind::Closure || kind == TypeKind::BoundMethod)
    return Truth{ofConstant(constants.ofBool(kind != TypeKind::None)), nullptr};
  std::span<const AbstractValue> operands(&operand, 1);
  Resolution r = step.table().resolveTruth(Query{operands, {}, &step.spec.flags});
  if (r.kind == Resolution::Resolved) return Truth{r.result, r.result.constant.valid() ? nullptr : std::move(r.emit)};
  step.fail(r.kind == Resolution::Error ? std::move(r.message)
                                        : "The truth of a value of type " + toString(operand.type) + " is not defined",
            {}, std::move(r.hint));
  return std::nullopt;
}

Transfer transferOf(Opcode op) {
  static const std::array<Transfer, 256> table = makeTransfers();
  return table[static_cast<size_t>(op)];
}

} // namespace naja::typing
