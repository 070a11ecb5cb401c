// Questions to Python and their answers. An instruction that waits keeps its old value (bottom at first) and is visited
// again when the answer is there.
#include "naja/typing/engine.h"
#include "naja/typing/messages.h"

namespace naja::typing {

namespace {
std::string keyOf(char kind, uint32_t object, std::string_view name = {}) {
  return std::string(1, kind) + std::to_string(object) + ":" + std::string(name);
}
} // namespace

Answer &Engine::attributeAnswer(ConstId object, std::string_view name) {
  return answers_[keyOf('a', object.value, name)];
}
Answer &Engine::typeAnswer(ConstId object) { return answers_[keyOf('t', object.value)]; }
Answer &Engine::libraryAnswer(std::string_view name) { return answers_[keyOf('l', 0, name)]; }
Answer &Engine::overloadAnswer(const PythonRequest &request) {
  std::string key = request.name;
  for (TypeId arg : request.arg_types) key += "," + std::to_string(arg.value);
  for (const std::string &keyword : request.keywords) key += "," + keyword;
  return answers_[keyOf('o', request.object.value, key)];
}
Answer &Engine::snapshotAnswer(const FunctionRef &function) {
  return answers_[keyOf('s', function.function.value, std::to_string(function.dispatcher.value) + ":" + function.name)];
}

const Answer *Engine::ask(Step &step, Answer &entry, PythonRequest::Kind kind, PythonRequest request) {
  if (entry.state == Answer::Given) return &entry;
  if (entry.state == Answer::Failed) {
    step.fail(entry.error);
    return nullptr;
  }
  if (entry.state == Answer::Unasked) {
    request.kind = kind;
    pose(entry, std::move(request));
    askAhead(step.spec.body);
  }
  entry.waiting.push_back({&step.spec, step.item});
  return nullptr;
}

void Engine::pose(Answer &entry, PythonRequest request) {
  entry.state = Answer::Waiting;
  entry.request = request;
  ++waiting_;
  new_requests_.push_back(std::move(request));
}

Session::ReadSet Engine::readSet() const {
  Session::ReadSet set;
  for (const auto &[key, entry] : answers_) {
    const PythonRequest &request = entry.request;
    if (entry.state != Answer::Given) continue;
    if (request.kind == PythonRequest::Snapshot)
      set.functions.emplace_back(request.function, entry.body->snapshot().content_hash);
    else if (request.kind == PythonRequest::Attribute)
      set.attributes.push_back({request.object, request.name, entry.constant});
    else if (request.kind == PythonRequest::Overload)
      set.overloads.push_back({request, entry.function});
    else if (request.kind == PythonRequest::TypeOf)
      set.typed_objects.push_back(request.object);
  }
  return set;
}

void Engine::askAhead(const Body &body) {
  if (asked_ahead_.size() <= body.id) asked_ahead_.resize(bodies_.size(), false);
  if (asked_ahead_[body.id]) return;
  asked_ahead_[body.id] = true;
  auto askOne = [&](Answer &entry, PythonRequest request) {
    if (entry.state != Answer::Unasked) return;
    pose(entry, std::move(request));
  };
  for (const Body::Question &question : body.questions()) {
    PythonRequest request;
    if (question.name.valid()) {
      request.kind = PythonRequest::Attribute;
      request.object = question.object;
      request.name = ir::symbolText(question.name);
      askOne(attributeAnswer(question.object, request.name), request);
    } else {
      request.kind = PythonRequest::Snapshot;
      request.function = std::get<FunctionRef>(ConstantStore::global().get(question.object).value);
      if (!request.function.function.valid() || request.function.function != root_body_->snapshot().function)
        askOne(snapshotAnswer(request.function), request);
    }
  }
}

void Engine::answer(Answer &entry) {
  if (entry.state == Answer::Waiting) --waiting_;
  if (entry.state != Answer::Failed) entry.state = Answer::Given;
  for (const Specialisation::Caller &waiting : entry.waiting) {
    waiting.caller->queue.push(waiting.item);
    schedule(*waiting.caller);
  }
  entry.waiting.clear();
}

void Engine::answerSnapshot(const FunctionRef &ref, std::shared_ptr<const frontend::FunctionSnapshot> snapshot,
                            FunctionOptions options) {
  Answer &entry = snapshotAnswer(ref);
  if (entry.body == nullptr) {
    entry.body = makeBody(std::move(snapshot), std::move(options), false, entry.error);
    if (entry.body == nullptr) {
      waiting_ -= entry.state == Answer::Waiting ? 1 : 0;
      entry.state = Answer::Failed;
    }
  }
  answer(entry);
}

void Engine::answerError(const PythonRequest &request, Diagnostic diagnostic) {
  auto entryOf = [&]() -> Answer & {
    switch (request.kind) {
    case PythonRequest::Snapshot: return snapshotAnswer(request.function);
    case PythonRequest::Attribute: return attributeAnswer(request.object, request.name);
    case PythonRequest::Overload: return overloadAnswer(request);
    case PythonRequest::TypeOf: return typeAnswer(request.object);
    case PythonRequest::Library: break;
    }
    return libraryAnswer(request.name);
  };
  Answer &entry = entryOf();
  entry.error = std::move(diagnostic);
  waiting_ -= entry.state == Answer::Waiting ? 1 : 0;
  entry.state = Answer::Failed;
  answer(entry);
}

// ---- inner functions

ConstId Engine::closureCode(const Body &outer, const ir::Inst &make) {
  auto index = static_cast<size_t>(make.attr);
  const auto &snapshot = outer.inner(index);
  // Named by what it is, so that equal closures of several sessions have one type.
  FunctionRef code{outer.snapshot().function, {}, ""};
  code.name = snapshot->code->qualname + "@" + std::to_string(index) + "#" + std::to_string(snapshot->content_hash);
  ConstId id = ConstantStore::global().intern({std::move(code), {}, false});
  auto [place, is_new] = closures_.try_emplace(id.value);
  if (is_new) {
    Closure &closure = place->second;
    closure.outer = &outer;
    closure.index = index;
    closure.defaults = make.int_list.size() > 1 ? static_cast<size_t>(make.int_list[1]) : 0;
    for (size_t i = 2; i < make.int_list.size(); ++i)
      closure.keyword_names.emplace_back(ir::symbolText(ir::SymbolId(static_cast<uint32_t>(make.int_list[i]))));
  }
  return id;
}

const Engine::Closure *Engine::closure(Step &step, ConstId code) {
  auto found = closures_.find(code.value);
  if (found == closures_.end()) {
    step.fail("The inner function " + toString(code) + " is not known here");
    return nullptr;
  }
  Closure &closure = found->second;
  if (closure.body == nullptr) {
    Diagnostic failure;
    FunctionOptions options;
    options.flags = closure.outer->options().flags;
    closure.body = makeBody(closure.outer->inner(closure.index), std::move(options), true, failure);
    if (closure.body == nullptr) {
      step.fail(std::move(failure));
      return nullptr;
    }
  }
  return &closure;
}

} // namespace naja::typing
