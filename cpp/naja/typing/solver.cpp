// The worklist: which items are visited, joins at block parameters, edges, results. Values only ever rise: an error or
// a question to Python leaves the old value, so that every chain of changes ends.
#include "naja/typing/calls.h"
#include "naja/typing/engine.h"
#include "naja/typing/messages.h"

#include <algorithm>

namespace naja::typing {

using ir::BlockId;
using ir::ValueId;

namespace {
/// A type that changed this often at a loop header (or as a result) is unified with what it was from then on: rules
/// that are not monotone cannot keep the solver going for ever.
constexpr unsigned kFreeChanges = 4;
/// Specialisations of one function that may call each other in a chain with ever new argument types.
constexpr unsigned kMaxChain = 24;
} // namespace

size_t Engine::KeyHash::operator()(const Key &key) const {
  uint64_t hash = 0x9e3779b97f4a7c15ULL ^ key.body;
  auto mix = [&hash](uint64_t value) {
    hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32U;
  };
  for (TypeId arg : key.args) mix(arg.value);
  return hash;
}

Engine::Engine(Session::Root root, CompiledFunctions *compiled, Translator translator)
    : request_(std::move(root)), compiled_(compiled), translator_(std::move(translator)) {}

const Body *Engine::makeBody(std::shared_ptr<const frontend::FunctionSnapshot> snapshot, FunctionOptions options,
                             bool is_inner, Diagnostic &failure) {
  std::vector<std::string> forced;
  for (const auto &[name, type] : options.locals) forced.push_back(name);
  Result<frontend::Translated> translated = translator_(*snapshot, is_inner, forced);
  if (!translated) {
    failure = translated.error();
    return nullptr;
  }
  bodies_.push_back(std::make_unique<Body>(std::move(snapshot), std::move(options), std::move(*translated), is_inner));
  bodies_.back()->id = static_cast<uint32_t>(bodies_.size() - 1);
  return bodies_.back().get();
}

bool Engine::start() {
  root_body_ = makeBody(request_.snapshot, request_.options, false, error);
  if (root_body_ == nullptr) return false;
  const Body &body = *root_body_;
  if (request_.arg_types.size() != body.numParams()) {
    std::vector<std::string_view> no_keywords;
    error.message = bindCall(body.signature(), request_.arg_types.size(), no_keywords).error;
    if (error.message.empty())
      error.message = body.signature().name + "() takes " + std::to_string(body.numParams()) + " arguments but " +
                      std::to_string(request_.arg_types.size()) + " types were given";
    error.where = {body.code().file, body.code().qualname, Loc{body.code().first_line, body.code().first_line, -1, -1}};
    return false;
  }
  specs_.push_back(std::make_unique<Specialisation>(body, request_.arg_types, request_.options.flags));
  root_ = specs_.back().get();
  root_->declared_return = request_.return_type;
  by_key_[{body.id, root_->arg_types, root_->flags}] = root_;
  begin(*root_);
  return true;
}

void Engine::begin(Specialisation &spec) {
  const ir::Function &f = spec.body.function();
  spec.values.assign(f.numValues(), {});
  spec.reached.assign(f.numBlocks(), 0);
  spec.cuts.assign(f.numBlocks(), Body::kNone);
  spec.edges.assign(spec.body.numEdges(), 0);
  spec.changes.assign(f.numValues(), 0);
  spec.emits.resize(f.numInsts());
  spec.plans.resize(f.numInsts());
  spec.queue.resize(spec.body.items().size());
  if (spec.declared_return) spec.result = ofType(*spec.declared_return);
  reachBlock(spec, f.entry());
  schedule(spec);
}

void Engine::schedule(Specialisation &spec) {
  if (spec.on_stack) return;
  spec.on_stack = true;
  stack_.push_back(&spec);
}

bool Engine::solve() {
  for (;;) {
    while (!stack_.empty()) {
      Specialisation &spec = *stack_.back();
      uint32_t item = spec.queue.pop();
      if (item != Body::kNone) {
        visit(spec, item); // may put a callee on top
        // What follows would see no value here, and then loops would see values in another order than the program's.
        if (!new_requests_.empty()) return false;
        continue;
      }
      spec.on_stack = false;
      stack_.pop_back();
    }
    if (!settleFunctionsWithoutReturn()) return waiting_ == 0;
  }
}

void Engine::visit(Specialisation &spec, uint32_t item) {
  if (!spec.isExecuted(item)) return;
  const Body::Item &what = spec.body.items()[item];
  if (!what.inst.valid()) {
    visitJoin(spec, what.block);
    return;
  }
  const ir::Inst &inst = spec.body.function().inst(what.inst);
  if (!spec.errors.empty()) spec.errors.erase(item);
  if (inst.unwind.valid()) reachBlock(spec, inst.unwind);
  Step step{*this, spec, item, inst};
  AbstractValue found = transferOf(inst.op)(step);
  if (inst.result.valid() && !found.isBottom())
    setValue(spec, inst.result, spec.body.forcesTypes() ? force(spec, inst.result, found, item) : found);
}

void Engine::setValue(Specialisation &spec, ValueId value, const AbstractValue &found) {
  AbstractValue &known = spec.values[value.value];
  if (known == found || found.isBottom()) return;
  known = found;
  for (uint32_t item : spec.body.uses(value)) spec.queue.push(item);
}

AbstractValue Engine::force(Specialisation &spec, ValueId value, AbstractValue found, uint32_t item) {
  ir::SymbolId name = spec.body.function().value(value).name;
  TypeId type = name.valid() ? spec.body.forcedType(name) : TypeId();
  if (!type.valid() || found.isBottom() || found.type == type || found.type == types().unbound) return found;
  bool unbound = typeOf(found.type).kind == TypeKind::MaybeUnbound;
  if (!convertible(unbound ? typeOf(found.type).args[0] : found.type, type)) {
    Step step{*this, spec, item, spec.body.function().inst(spec.body.items()[item].inst)};
    return step.fail("Cannot convert " + toString(found.type) + " to " + toString(type) +
                     ", which `locals` demands of '" + std::string(ir::symbolText(name)) + "'");
  }
  return canonical({unbound ? types().maybeUnbound(type) : type, {}, false});
}

// ---- joins

void Engine::visitJoin(Specialisation &spec, BlockId block) {
  const auto &params = spec.body.function().block(block).params;
  for (uint32_t i = 0; i < params.size(); ++i) {
    if (spec.body.isLive(params[i])) setValue(spec, params[i], joinParam(spec, block, params[i], i));
  }
}

AbstractValue Engine::joinParam(Specialisation &spec, BlockId block, ValueId param, uint32_t index) {
  const ir::Function &f = spec.body.function();
  bool header = spec.body.isLoopHeader(block);
  AbstractValue joined;
  ValueId first;
  for (const Body::InEdge &edge : spec.body.inEdges(block)) {
    if (spec.edges[edge.number] == 0) continue;
    ValueId arg = f.inst(edge.inst).edges[edge.edge].args[index];
    AbstractValue incoming = spec.value(arg);
    if (incoming.isBottom()) continue;
    if (header) incoming = widen(incoming);
    auto both = join(joined, incoming);
    if (!both) {
      spec.conflicts[param.value] = {joined.type, incoming.type, first, arg};
      return {};
    }
    joined = *both;
    if (!first.valid()) first = arg;
  }
  if (!spec.conflicts.empty()) spec.conflicts.erase(param.value);
  ir::SymbolId name = f.value(param).name;
  if (TypeId forced = name.valid() ? spec.body.forcedType(name) : TypeId(); forced.valid() && !joined.isBottom()) {
    bool unbound = typeOf(joined.type).kind == TypeKind::MaybeUnbound;
    joined = canonical({unbound ? types().maybeUnbound(forced) : forced, {}, false});
  }
  AbstractValue known = spec.value(param);
  if (!header || known.isBottom() || joined.isBottom() || known.type == joined.type) return joined;
  uint8_t &changes = spec.changes[param.value];
  if (changes++ < kFreeChanges) return joined;
  changes = kFreeChanges;
  return join(known, joined).value_or(joined);
}

// ---- edges

void Engine::reachBlock(Specialisation &spec, BlockId block) {
  if (spec.isReached(block)) return;
  spec.reached[block.value] = 1;
  spec.queue.pushRange(spec.body.firstItem(block), spec.body.lastItem(block));
}

void Engine::reach(Specialisation &spec, BlockId from, size_t edge) {
  uint8_t &executable = spec.edges[spec.body.edgeNumber(from, edge)];
  if (executable != 0) return;
  executable = 1;
  BlockId target = spec.body.function().terminator(from).edges[edge].target;
  if (spec.isReached(target))
    spec.queue.push(spec.body.firstItem(target));
  else
    reachBlock(spec, target);
}

void Engine::cutAfter(Specialisation &spec, uint32_t item) { spec.cuts[spec.body.items()[item].block.value] = item; }

void Engine::uncut(Specialisation &spec, BlockId block, uint32_t item) {
  if (spec.cuts[block.value] != item) return;
  spec.cuts[block.value] = Body::kNone;
  spec.queue.pushRange(item + 1, spec.body.lastItem(block));
}

// ---- results

void Engine::setResult(Specialisation &spec, const AbstractValue &result) {
  if (spec.result == result) return;
  spec.result = result;
  for (const Specialisation::Caller &caller : spec.callers) {
    caller.caller->queue.push(caller.item);
    schedule(*caller.caller);
  }
}

void Engine::updateResult(Specialisation &spec) {
  const ir::Function &f = spec.body.function();
  AbstractValue joined;
  for (uint32_t item : spec.returns) {
    AbstractValue value = spec.value(f.inst(spec.body.items()[item].inst).operands[0]);
    if (value.isBottom() || !spec.isExecuted(item)) continue;
    auto both = join(joined, spec.literal ? value : widen(value));
    if (!both) {
      spec.errors[item] = returnConflict(spec);
      return;
    }
    joined = *both;
  }
  if (joined.isBottom()) return;
  for (uint32_t item : spec.returns) spec.errors.erase(item); // a conflict of earlier types
  if (!spec.result.isBottom() && !spec.result_is_default && spec.result.type != joined.type &&
      spec.result_changes++ >= kFreeChanges)
    joined = join(spec.result, joined).value_or(joined);
  spec.result_is_default = false;
  setResult(spec, joined);
}

/// A function in which no return can be reached (it always raises, or loops for ever) returns none. Known only when all
/// else has settled.
bool Engine::settleFunctionsWithoutReturn() {
  bool changed = false;
  for (const auto &spec : specs_) {
    if (!spec->result.isBottom() || !spec->returns.empty() || !spec->external_symbol.empty()) continue;
    bool decided = true;
    for (BlockId block : spec->body.order()) {
      if (!spec->isReached(block) || spec->cuts[block.value] != Body::kNone) continue;
      size_t count = spec->body.function().terminator(block).edges.size();
      bool leaves = count == 0;
      for (size_t i = 0; i < count; ++i) leaves = leaves || spec->edgeIsExecutable(block, i);
      decided = decided && leaves;
    }
    if (!decided) continue;
    spec->result_is_default = true;
    setResult(*spec, canonical({types().none, {}, false}));
    changed = true;
  }
  return changed;
}

// ---- specialisations

bool Engine::tooDeep(const Specialisation *caller, const Body &body) const {
  unsigned count = 0;
  for (; caller != nullptr; caller = caller->parent) count += &caller->body == &body ? 1 : 0;
  return count > kMaxChain;
}

Specialisation *Engine::specialise(Step &step, const Body &body, std::vector<TypeId> args, ir::FunctionFlags flags,
                                   bool literal, const FunctionRef *ref) {
  std::optional<TypeId> declared;
  if (auto failure = chooseSignature(body, args, declared)) {
    step.fail(std::move(*failure));
    return nullptr;
  }
  Key key{body.id, std::move(args), flags};
  if (auto found = by_key_.find(key); found != by_key_.end()) return found->second;
  if (tooDeep(&step.spec, body)) {
    step.fail("Recursion of " + body.signature().name + " with ever new argument types", "",
              "a recursive call needs argument types that repeat");
    return nullptr;
  }
  specs_.push_back(std::make_unique<Specialisation>(body, key.args, flags));
  Specialisation &spec = *specs_.back();
  spec.parent = &step.spec;
  spec.literal = literal;
  spec.declared_return = declared;
  by_key_.emplace(std::move(key), &spec);
  if (compiled_ != nullptr && ref != nullptr && !literal && body.captured() == 0) {
    if (auto entry = compiled_->find(*ref, spec.arg_types)) {
      spec.external_symbol = entry->symbol;
      spec.external_may_raise = entry->may_raise;
      spec.result = ofType(entry->return_type);
      return &spec;
    }
  }
  begin(spec);
  return &spec;
}

AbstractValue Engine::resultOf(Step &step, Specialisation &callee) {
  callee.callers.push_back({&step.spec, step.item});
  return callee.result;
}

} // namespace naja::typing
