#include "naja/typing/calls.h"

#include "naja/typing/map_function.h"
#include "naja/typing/messages.h"
#include "naja/typing/operations.h"

#include <algorithm>
#include <array>

namespace naja::typing {

using ir::Opcode;
using library::Query;
using library::Resolution;

std::vector<AbstractValue> Arguments::known() const {
  std::vector<AbstractValue> out;
  out.reserve(values.size());
  for (const Source &source : values) out.push_back(source.known);
  return out;
}

namespace {

AbstractValue bottom() { return {}; }

Source valueSource(ir::ValueId value, const AbstractValue &known) { return {Source::Value, value, 0, 0, known}; }
Source constantSource(const AbstractValue &known) { return {Source::Constant, {}, 0, 0, known}; }
/// Item `index` of a tuple (or closure) value.
Source itemSource(ir::ValueId tuple, uint32_t index, const AbstractValue &known) {
  return known.constant.valid() ? constantSource(known) : Source{Source::Item, tuple, index, 0, known};
}

const ConstantValue &contents(const AbstractValue &value) { return ConstantStore::global().get(value.constant).value; }

/// A compilable callee: its body and, of an inner function, what it holds.
struct Callee {
  const Body &body;
  const CallSignature &signature;
  ir::FunctionFlags flags;
  const FunctionRef *ref = nullptr;
  std::vector<Source> captured, defaults; // defaults: by parameter; used where the signature does not know the value
};

/// Sources and types of the callee's parameters.
struct Bound {
  std::vector<Source> sources, packed;
  std::vector<TypeId> types;
};

void bindParam(const Callee &callee, const Arguments &arguments, const BoundParam &param, size_t index, bool literal,
               Bound &out) {
  const CallSignature &signature = callee.signature;
  if (param.kind == BoundParam::Argument) {
    const Source &source = arguments.values[param.index];
    out.sources.push_back(source);
    out.types.push_back(argumentType(source.known, literal));
    return;
  }
  if (param.kind == BoundParam::Rest) {
    std::vector<TypeId> items;
    Source pack{Source::Pack, {}, static_cast<uint32_t>(out.packed.size()), param.count, {}};
    for (uint32_t i = param.index; i < param.index + param.count; ++i) {
      out.packed.push_back(arguments.values[i]);
      items.push_back(arguments.values[i].known.type);
    }
    pack.known.type = types().tuple(items);
    out.sources.push_back(pack);
    out.types.push_back(pack.known.type);
    return;
  }
  size_t positional = signature.positional.size();
  ConstId value = index < positional ? *signature.defaults[index] : *signature.keyword_defaults[index - positional];
  if (!value.valid()) {
    const Source &source = callee.defaults[index];
    out.sources.push_back(source);
    out.types.push_back(argumentType(source.known, true));
    return;
  }
  out.sources.push_back(constantSource(ofConstant(value)));
  out.types.push_back(omittedType(value));
}

AbstractValue callBody(Step &step, const Callee &callee, const Arguments &arguments) {
  const CallSignature &signature = callee.signature;
  if (signature.accepts_keywords)
    return step.fail("Use of unsupported feature: **"
                     "kwargs of " +
                         signature.name,
                     {}, {}, DiagnosticKind::Unsupported);
  size_t positional = arguments.values.size() - arguments.keywords.size();
  Binding binding = bindCall(signature, positional, arguments.keywords);
  if (!binding.error.empty()) return step.fail(std::move(binding.error));
  bool literal = callee.body.options().inline_always;
  Bound bound;
  for (const Source &source : callee.captured) {
    bound.sources.push_back(source);
    bound.types.push_back(argumentType(source.known, true));
  }
  for (size_t i = 0; i < binding.params.size(); ++i) bindParam(callee, arguments, binding.params[i], i, literal, bound);
  ir::FunctionFlags flags = callee.flags;
  flags.forceinline = flags.forceinline || literal;
  Specialisation *target =
      step.engine.specialise(step, callee.body, std::move(bound.types), flags, literal, callee.ref);
  if (target == nullptr) return bottom();
  const auto &slot = step.spec.plans[step.item_inst().value];
  bool registered = slot && slot->callee == target;
  Plan &plan = step.plan();
  plan.callee = target;
  plan.by_rule = false;
  plan.sources = std::move(bound.sources);
  plan.packed = std::move(bound.packed);
  return registered ? target->result : step.engine.resultOf(step, *target);
}

// ---- by kind of callee

AbstractValue noFunction(Step &step, const std::string &name, const Arguments &arguments, std::string hint) {
  return step.fail("No implementation of function " + name + " for " + typeList(arguments.known(), arguments.keywords),
                   {}, std::move(hint));
}

/// The answer to whether an @overload of a callable (or, without one, of a method or attribute) takes these arguments.
const Answer *askOverload(Step &step, ConstId callable, std::string name, const Arguments &arguments) {
  PythonRequest request;
  request.object = callable;
  request.name = std::move(name);
  for (const AbstractValue &value : arguments.known()) request.arg_types.push_back(argumentType(value, true));
  request.keywords.assign(arguments.keywords.begin(), arguments.keywords.end());
  Answer &entry = step.engine.overloadAnswer(request);
  return step.engine.ask(step, entry, PythonRequest::Overload, std::move(request));
}

/// An @overload of a callable for these arguments, if Python knows one.
AbstractValue callOverload(Step &step, const AbstractValue &callee, const std::string &name, const Arguments &arguments,
                           std::string hint) {
  const Answer *answer = askOverload(step, callee.constant, {}, arguments);
  if (answer == nullptr) return bottom();
  if (answer->function) return callFunction(step, *answer->function, arguments, true);
  return noFunction(step, name, arguments, std::move(hint));
}

AbstractValue callBuiltin(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  const auto &name = std::get<BuiltinRef>(contents(callee)).name;
  if (name == kMapFunction || name == kMapFunctionInto) return mapFunction(step, arguments, name == kMapFunctionInto);
  std::vector<AbstractValue> known = arguments.known();
  Resolution r = step.table().resolveCall(name, Query{known, arguments.keywords, &step.spec.flags});
  if (auto result = step.engine.apply(step, std::move(r), known, &arguments.values)) return *result;
  std::string hint;
  if (!step.table().knows(name)) {
    hint = "naja does not implement " + displayName(name);
    if (auto close = step.table().similar(name); !close.empty())
      hint += "; did you mean " + displayName(close.front()) + "?";
  }
  return callOverload(step, callee, displayName(name), arguments, std::move(hint));
}

/// The receiver of a method that is called where it was looked up: its own value rather than the bound method's.
Source receiverOf(Step &step, TypeId receiver) {
  const ir::Function &f = step.spec.body.function();
  ir::ValueId method = step.inst.operands[0];
  const ir::Inst *lookup = f.def(method);
  if (lookup != nullptr && lookup->op == Opcode::GGetAttr) {
    ir::ValueId object = lookup->operands[0];
    const AbstractValue &value = step.spec.value(object);
    const ir::Inst *definition = f.def(object);
    if (value.type == receiver)
      return valueSource(object, definition != nullptr && definition->op == Opcode::Const
                                     ? value
                                     : canonical(AbstractValue{receiver, {}, false}));
  }
  return valueSource(method, canonical({receiver, {}, false}));
}

AbstractValue callMethod(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  const Type &type = typeOf(callee.type);
  Arguments all = arguments;
  all.values.insert(all.values.begin(), receiverOf(step, type.args[0]));
  std::vector<AbstractValue> known = all.known();
  Resolution r = step.table().resolveMethod(type.args[0], type.name, Query{known, all.keywords, &step.spec.flags});
  if (auto result = step.engine.apply(step, std::move(r), known, &all.values)) return *result;
  const Answer *answer = askOverload(step, {}, type.name, all);
  if (answer == nullptr) return bottom();
  if (answer->function) return callFunction(step, *answer->function, all, true);
  return noFunction(step, toString(type.args[0]) + "." + type.name, arguments, {});
}

/// A plain Python function is what an @overload of it says, or itself.
AbstractValue callCompiled(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  const auto &function = std::get<FunctionRef>(contents(callee));
  if (!function.dispatcher.valid() && function.function.valid()) {
    const Answer *answer = askOverload(step, callee.constant, {}, arguments);
    if (answer == nullptr) return bottom();
    if (answer->function) return callFunction(step, *answer->function, arguments, true);
  }
  return callFunction(step, function, arguments, false);
}

AbstractValue callClosure(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  const Type &type = typeOf(callee.type);
  const Engine::Closure *closure = step.engine.closure(step, ConstId(type.constant));
  if (closure == nullptr) return bottom();
  const Body &body = *closure->body;
  CallSignature signature = body.signature();
  // Of a library function that inherits options, the closure does so too.
  ir::FunctionFlags flags = closure->outer == &step.spec.body ? step.spec.flags : body.options().flags;
  Callee target{body, signature, flags, nullptr, {}, {}};
  target.defaults.resize(signature.numParams());
  size_t first_default = signature.positional.size() - closure->defaults;
  for (uint32_t i = 0; i < type.args.size(); ++i) {
    Source source = itemSource(step.inst.operands[0], i, ofType(type.args[i]));
    if (i < body.captured()) {
      target.captured.push_back(source);
      continue;
    }
    size_t param = first_default + i - body.captured();
    if (param < signature.positional.size()) {
      signature.defaults[param] = ConstId();
    } else {
      const std::string &name = closure->keyword_names[param - signature.positional.size()];
      auto place = std::find(signature.keyword_only.begin(), signature.keyword_only.end(), name);
      auto keyword = static_cast<size_t>(place - signature.keyword_only.begin());
      signature.keyword_defaults[keyword] = ConstId();
      param = signature.positional.size() + keyword;
    }
    target.defaults[param] = source;
  }
  return callBody(step, target, arguments);
}

/// Values that the table knows how to call: number classes, named tuple classes.
AbstractValue callValue(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  Arguments all = arguments;
  all.values.insert(all.values.begin(), valueSource(step.inst.operands[0], callee));
  std::vector<AbstractValue> known = all.known();
  Resolution r = step.table().resolveCallValue(Query{known, all.keywords, &step.spec.flags});
  if (auto result = step.engine.apply(step, std::move(r), known, &all.values)) return *result;
  if (callee.constant.valid() && typeOf(callee.type).kind != TypeKind::None)
    return callOverload(step, callee, toString(callee.constant), arguments, {});
  return step.fail("A value of type " + toString(callee.type) + " is not callable", "not a function");
}

AbstractValue callException(Step &step, const AbstractValue &callee, const Arguments &arguments) {
  if (!arguments.keywords.empty()) return step.fail(toString(callee.type) + "() takes no keyword arguments");
  Type type;
  type.kind = TypeKind::ExceptionInstance;
  type.constant = callee.constant.value;
  for (const AbstractValue &value : arguments.known()) type.args.push_back(value.type);
  Plan &plan = step.plan();
  plan.callee = nullptr;
  plan.sources = arguments.values;
  step.emit() = [](library::Emitter &e, std::span<const ir::ValueId> items) { return e.builder().tupleMake(items); };
  return {types().intern(std::move(type)), {}, false};
}

using CallHandler = AbstractValue (*)(Step &, const AbstractValue &, const Arguments &);

AbstractValue dispatch(Step &step, const Arguments &arguments) {
  const AbstractValue callee = step.operand(0);
  CallHandler handler = callValue;
  switch (typeOf(callee.type).kind) {
  case TypeKind::Builtin: handler = callBuiltin; break;
  case TypeKind::BoundMethod: handler = callMethod; break;
  case TypeKind::Function: handler = callCompiled; break;
  case TypeKind::Closure: handler = callClosure; break;
  case TypeKind::ExceptionClass: handler = callException; break;
  default: break;
  }
  return handler(step, callee, arguments);
}

} // namespace

namespace {
/// A list display that was taken for a tuple before the callee was known to be no builtin.
void reconsiderLists(Step &step) {
  const ir::Function &f = step.spec.body.function();
  for (ir::ValueId operand : step.inst.operands) {
    ir::InstId definition = f.value(operand).inst;
    if (definition.valid() && f.inst(definition).op == Opcode::GList)
      step.spec.queue.push(step.spec.body.itemOf(definition));
  }
}

/// The operands of a call from `first` on as arguments, the last ones named; false: one is not known yet.
bool collectArguments(Step &step, size_t first, Arguments &arguments) {
  arguments.values.reserve(arguments.values.size() + step.inst.operands.size() + 1); // room for a receiver
  for (size_t i = first; i < step.inst.operands.size(); ++i) {
    if (step.operand(i).isBottom()) return false;
    arguments.values.push_back(valueSource(step.inst.operands[i], step.operand(i)));
  }
  for (int64_t symbol : step.inst.int_list)
    arguments.keywords.push_back(ir::symbolText(ir::SymbolId(static_cast<uint32_t>(symbol))));
  return true;
}
} // namespace

AbstractValue transferCall(Step &step) {
  Arguments arguments;
  if (step.operand(0).isBottom() || !collectArguments(step, 1, arguments)) return bottom();
  if (typeOf(step.operand(0).type).kind != TypeKind::Builtin) reconsiderLists(step);
  return dispatch(step, arguments);
}

AbstractValue transferCallStar(Step &step) {
  if (step.operand(0).isBottom() || step.operand(1).isBottom()) return bottom();
  const AbstractValue &tuple = step.operand(1);
  const Type &type = typeOf(tuple.type);
  if (type.kind != TypeKind::Tuple)
    return step.fail("f(*args) needs a tuple, not " + toString(tuple.type), toString(tuple.type),
                     "the number of arguments must be known when the call is compiled");
  ConstId known = tuple.constant.valid() ? tuple.constant : tuple.parts;
  const ConstTuple *items =
      known.valid() ? std::get_if<ConstTuple>(&ConstantStore::global().get(known).value) : nullptr;
  Arguments arguments;
  for (uint32_t i = 0; i < type.args.size(); ++i) {
    AbstractValue item = items != nullptr && items->items[i].valid() ? ofConstant(items->items[i])
                                                                     : canonical({type.args[i], {}, false});
    arguments.values.push_back(itemSource(step.inst.operands[1], i, item));
  }
  if (!collectArguments(step, 2, arguments)) return bottom();
  return dispatch(step, arguments);
}

AbstractValue transferMakeFunction(Step &step) {
  std::vector<AbstractValue> held;
  if (!collectOperands(step, 0, held)) return bottom();
  Type type;
  type.kind = TypeKind::Closure;
  type.constant = step.engine.closureCode(step.spec.body, step.inst).value;
  for (const AbstractValue &value : held) type.args.push_back(argumentType(value, true));
  step.emit() = [items = type.args](library::Emitter &e, std::span<const ir::ValueId> operands) {
    std::vector<ir::ValueId> values;
    for (size_t i = 0; i < operands.size(); ++i) values.push_back(e.convert(operands[i], items[i]));
    return e.builder().tupleMake(values);
  };
  return {types().intern(std::move(type)), {}, false};
}

namespace {
/// An attribute by @overload_attribute, or a method by @overload_method that is looked for when it is called.
AbstractValue overloadedAttribute(Step &step, const AbstractValue &object, std::string_view name) {
  Arguments receiver;
  receiver.values.push_back(valueSource(step.inst.operands[0], object));
  const Answer *answer = askOverload(step, {}, "@" + std::string(name), receiver);
  if (answer == nullptr) return bottom();
  if (!answer->function)
    return step.fail("Unknown attribute '" + std::string(name) + "' of type " + toString(object.type));
  if (answer->function->function.valid()) return callFunction(step, *answer->function, receiver, true);
  step.emit() = [](library::Emitter &, std::span<const ir::ValueId> operands) { return operands[0]; };
  return {types().boundMethod(object.type, std::string(name)), {}, false};
}
} // namespace

AbstractValue transferGetAttr(Step &step) {
  const AbstractValue object = step.operand(0);
  if (object.isBottom()) return bottom();
  std::string_view name = ir::symbolText(step.inst.symbol());
  TypeKind kind = typeOf(object.type).kind;
  if (step.spec.flags.cuda && (kind == TypeKind::Module || kind == TypeKind::Builtin)) { // threadIdx.x, cuda.laneid
    std::span<const AbstractValue> operand(&object, 1);
    Resolution r = step.table().resolveAttribute(name, Query{operand, {}, &step.spec.flags});
    if (auto result = step.engine.apply(step, std::move(r), operand)) return *result;
  }
  if (kind == TypeKind::Module) return attributeOfObject(step, object.constant, name);
  if (kind == TypeKind::Builtin) {
    // "numpy.add.reduce": a row of its own.
    std::string full = std::get<BuiltinRef>(contents(object)).name + "." + std::string(name);
    if (step.table().knows(full)) return ofConstant(ConstantStore::global().intern({BuiltinRef{full, {}}, {}, false}));
    return attributeOfObject(step, object.constant, name);
  }
  std::span<const AbstractValue> operands(&object, 1);
  Resolution r = step.table().resolveAttribute(name, Query{operands, {}, &step.spec.flags});
  if (auto result = step.engine.apply(step, std::move(r), operands)) return *result;
  if (isCompileTime(object.type) && kind != TypeKind::None && object.constant.valid())
    return attributeOfObject(step, object.constant, name);
  return overloadedAttribute(step, object, name);
}

AbstractValue attributeOfObject(Step &step, ConstId object, std::string_view name) {
  PythonRequest request;
  request.object = object;
  request.name = name;
  Answer &entry = step.engine.attributeAnswer(object, name);
  const Answer *answer = step.engine.ask(step, entry, PythonRequest::Attribute, std::move(request));
  if (answer == nullptr) return bottom();
  if (answer->constant) {
    step.emit() = nullptr;
    return valueOfConstant(step, *answer->constant);
  }
  const auto *module = std::get_if<ModuleRef>(&ConstantStore::global().get(object).value);
  if (module == nullptr) return step.fail("Unknown attribute '" + std::string(name) + "' of " + toString(object));
  std::string hint;
  if (auto close = step.table().similar(module->name + "." + std::string(name)); !close.empty())
    hint = "did you mean '" + close.front() + "'?";
  return step.fail("module '" + module->name + "' has no attribute '" + std::string(name) + "'", {}, hint);
}

const Body *bodyOf(Step &step, const FunctionRef &function) {
  const Body *body = step.engine.rootBody();
  if (function.function.valid() && function.function == body->snapshot().function) return body;
  PythonRequest request;
  request.function = function;
  const Answer *answer =
      step.engine.ask(step, step.engine.snapshotAnswer(function), PythonRequest::Snapshot, std::move(request));
  return answer == nullptr ? nullptr : answer->body;
}

AbstractValue callFunction(Step &step, const FunctionRef &function, const Arguments &arguments, bool library) {
  const Body *body = bodyOf(step, function);
  if (body == nullptr) return bottom();
  ir::FunctionFlags flags = body->options().flags;
  if (step.spec.flags.cuda) { // whatever a kernel calls is part of it
    flags.cuda = true;
    flags.error_model_numpy = step.spec.flags.error_model_numpy;
  }
  if (library) {
    flags.error_model_numpy = step.spec.flags.error_model_numpy;
    flags.fastmath = step.spec.flags.fastmath;
    flags.forceinline = flags.forceinline || step.spec.flags.forceinline;
  }
  return callBody(step, Callee{*body, body->signature(), flags, library ? nullptr : &function, {}, {}}, arguments);
}

AbstractValue callResolved(Step &step, Resolution &resolution, std::span<const AbstractValue> operands,
                           const std::vector<Source> *sources) {
  Arguments arguments;
  for (const Resolution::Arg &arg : resolution.call_args) {
    if (arg.operand < 0) {
      arguments.values.push_back(constantSource(ofConstant(arg.constant)));
      continue;
    }
    auto i = static_cast<size_t>(arg.operand);
    Source source = sources != nullptr ? (*sources)[i] : valueSource(step.inst.operands[i], operands[i]);
    source.known = operands[i];
    arguments.values.push_back(source);
  }
  if (resolution.callee.valid())
    return callFunction(step, std::get<FunctionRef>(ConstantStore::global().get(resolution.callee).value), arguments,
                        true);
  PythonRequest request;
  request.name = resolution.library_function;
  Answer &entry = step.engine.libraryAnswer(resolution.library_function);
  const Answer *answer = step.engine.ask(step, entry, PythonRequest::Library, std::move(request));
  if (answer == nullptr) return bottom();
  if (!answer->function)
    return step.fail("library function " + resolution.library_function + " is missing", {}, {},
                     DiagnosticKind::Compiler);
  return callFunction(step, *answer->function, arguments, true);
}

// ---- explicit signatures

namespace {

/// How well arguments fit a signature: counts by Conversion, worst kinds first; nothing where one does not convert.
std::optional<std::array<unsigned, 4>> rank(std::span<const TypeId> args, std::span<const TypeId> wanted) {
  if (args.size() != wanted.size()) return std::nullopt;
  std::array<unsigned, 4> counts{};
  for (size_t i = 0; i < args.size(); ++i) {
    const Type &type = typeOf(args[i]);
    TypeId from = type.kind == TypeKind::Omitted ? typeOfConstant(ConstId(type.constant)) : args[i];
    Conversion c = conversion(from, wanted[i]);
    if (c == Conversion::None) return std::nullopt;
    ++counts[3 - static_cast<size_t>(c)];
  }
  return counts;
}

} // namespace

std::optional<Diagnostic> chooseSignature(const Body &body, std::vector<TypeId> &args, std::optional<TypeId> &result) {
  const auto &signatures = body.options().signatures;
  for (const auto &signature : signatures) {
    if (signature.args == args) {
      result = signature.result;
      return std::nullopt;
    }
  }
  if (body.options().can_compile) return std::nullopt;
  const FunctionOptions::Signature *best = nullptr;
  std::array<unsigned, 4> best_rank{};
  for (const auto &signature : signatures) {
    auto r = rank(args, signature.args);
    // Fewest unsafe conversions, then safe ones, then promotions.
    if (r && (best == nullptr ||
              std::lexicographical_compare(r->begin(), r->begin() + 3, best_rank.begin(), best_rank.begin() + 3))) {
      best = &signature;
      best_rank = *r;
    }
  }
  if (best != nullptr) {
    args = best->args;
    result = best->result;
    return std::nullopt;
  }
  Diagnostic d;
  std::string list;
  for (TypeId arg : args) list += (list.empty() ? "" : ", ") + toString(arg);
  d.message = "No matching definition for argument type(s) " + list + " of " + body.signature().name;
  d.hint = "the function has explicit signatures and compiles no others";
  return d;
}

} // namespace naja::typing
