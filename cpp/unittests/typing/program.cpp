#include "program.h"

#include <gtest/gtest.h>

namespace naja::typing {

std::vector<TypeId> parseTypes(std::string_view text) {
  std::vector<TypeId> out;
  while (!text.empty()) {
    auto type = parseTypePrefix(text);
    if (!type) {
      ADD_FAILURE() << "no type: " << text;
      break;
    }
    out.push_back(*type);
    while (!text.empty() && (text.front() == ',' || text.front() == ' '))
      text.remove_prefix(1);
  }
  return out;
}

Program::Program(std::string text) : text_(std::move(text)) {
  size_t start = text_.find('@') + 1;
  root_ = text_.substr(start, text_.find('(') - start);
}

std::shared_ptr<const frontend::FunctionSnapshot> Program::snapshotOf(const std::string &name) {
  auto &slot = snapshots_[name];
  if (slot)
    return slot;
  auto parsed = ir::parseModule(text_);
  if (auto *error = std::get_if<ir::ParseError>(&parsed)) {
    ADD_FAILURE() << "line " << error->line << ": " << error->message;
    return slot;
  }
  for (const auto &function : std::get<0>(parsed)->functions) {
    if (function->name != name)
      continue;
    auto code = std::make_shared<frontend::CodeSnapshot>();
    code->name = code->qualname = name;
    code->file = "t.py";
    code->first_line = 1;
    unsigned skip = captured[name];
    code->free_names.assign(function->param_names.begin(), function->param_names.begin() + skip);
    code->local_names.assign(function->param_names.begin() + skip, function->param_names.end());
    code->has_varargs = star[name];
    code->keyword_only = static_cast<int>(keyword_only[name]);
    code->arg_count = static_cast<int>(code->local_names.size()) - code->keyword_only - (star[name] ? 1 : 0);
    auto snapshot = std::make_shared<frontend::FunctionSnapshot>();
    snapshot->code = code;
    snapshot->defaults = defaults[name];
    slot = snapshot;
  }
  return slot;
}

Result<frontend::Translated> Program::translate(const frontend::FunctionSnapshot &snapshot) {
  auto parsed = ir::parseModule(text_);
  frontend::Translated out;
  for (auto &function : std::get<0>(parsed)->functions) {
    if (function->name == snapshot.code->name)
      out.function = std::move(function);
  }
  for (const std::string &name : inner[snapshot.code->name])
    out.inner.push_back(snapshotOf(name));
  return out;
}

void Program::answer(Engine &engine, const PythonRequest &request) {
  switch (request.kind) {
  case PythonRequest::Snapshot:
    if (auto snapshot = snapshotOf(request.function.name)) {
      engine.answerSnapshot(request.function, snapshot, options[request.function.name]);
    } else {
      Diagnostic d;
      d.message = "no function " + request.function.name;
      engine.answerError(request, d);
    }
    break;
  case PythonRequest::Attribute: {
    Answer &entry = engine.attributeAnswer(request.object, request.name);
    const auto *module = std::get_if<ModuleRef>(&ConstantStore::global().get(request.object).value);
    std::string full = (module != nullptr ? module->name : toString(request.object)) + "." + request.name;
    if (auto found = attributes.find(full); found != attributes.end())
      entry.constant = found->second;
    else if (library::Table::global().knows(full))
      entry.constant = ConstantStore::global().intern({BuiltinRef{full, {}}, {}, false});
    engine.answer(entry);
    break;
  }
  case PythonRequest::Overload: engine.answer(engine.overloadAnswer(request)); break;
  case PythonRequest::TypeOf: engine.answer(engine.typeAnswer(request.object)); break;
  case PythonRequest::Library: engine.answer(engine.libraryAnswer(request.name)); break;
  }
}

std::string Program::run(std::string_view args) { return run(parseTypes(args)); }

std::string Program::run(std::vector<TypeId> args) {
  Session::Root root;
  root.snapshot = snapshotOf(root_);
  root.options = options[root_];
  root.arg_types = std::move(args);
  root.return_type = declared;
  Engine engine(root, compiled, [this](const frontend::FunctionSnapshot &s, bool) { return translate(s); });
  if (!engine.start()) {
    error = engine.error;
    return "error: " + error.message;
  }
  while (!engine.solve()) {
    ++rounds;
    for (const PythonRequest &request : engine.takeRequests())
      answer(engine, request);
  }
  if (auto found = engine.findError()) {
    error = *found;
    return "error: " + error.message;
  }
  return_type = engine.root().result.type;
  module = elaborate(engine.root());
  std::string text = ir::print(*module);
  for (const std::string &complaint : ir::verify(*module))
    ADD_FAILURE() << complaint << "\n" << text;
  return text;
}

std::string Program::result(std::string_view args) {
  std::string text = run(args);
  return text.starts_with("error:") ? text : toString(return_type);
}

} // namespace naja::typing
