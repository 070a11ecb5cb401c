#include "naja/typing/offline.h"

namespace naja::typing {

std::optional<std::vector<TypeId>> parseTypeList(std::string_view text) {
  std::vector<TypeId> out;
  while (!text.empty()) {
    auto type = parseTypePrefix(text);
    if (!type) return std::nullopt;
    out.push_back(*type);
    while (!text.empty() && (text.front() == ',' || text.front() == ' ')) text.remove_prefix(1);
  }
  return out;
}

const ir::Function *Offline::find(const std::string &name) const {
  for (const auto &function : untyped_->functions) {
    if (function->name == name) return function.get();
  }
  return nullptr;
}

std::shared_ptr<const frontend::FunctionSnapshot> Offline::snapshotOf(const std::string &name) {
  auto &slot = snapshots_[name];
  const ir::Function *function = find(name);
  if (slot || function == nullptr) return slot;
  const FunctionInfo &info = functions[name];
  auto code = std::make_shared<frontend::CodeSnapshot>();
  code->name = code->qualname = name;
  code->file = function->file.empty() ? "<text>" : function->file;
  code->first_line = function->first_line;
  auto first = function->param_names.begin() + info.captured;
  code->free_names.assign(function->param_names.begin(), first);
  code->local_names.assign(first, function->param_names.end());
  code->has_varargs = info.star;
  code->keyword_only = static_cast<int>(info.keyword_only);
  code->arg_count = static_cast<int>(code->local_names.size()) - code->keyword_only - (info.star ? 1 : 0);
  auto snapshot = std::make_shared<frontend::FunctionSnapshot>();
  snapshot->code = std::move(code);
  snapshot->defaults = info.defaults;
  slot = snapshot;
  return slot;
}

Result<frontend::Translated> Offline::translate(const frontend::FunctionSnapshot &snapshot) {
  frontend::Translated out;
  out.function = std::make_unique<ir::Function>(*find(snapshot.code->name));
  for (const std::string &name : functions[snapshot.code->name].inner) out.inner.push_back(snapshotOf(name));
  return out;
}

void Offline::answer(Session &session, const PythonRequest &request) {
  if (request.kind == PythonRequest::Snapshot) {
    const std::string &name = request.function.name;
    if (auto snapshot = snapshotOf(name)) {
      session.answerSnapshot(request.function, snapshot, functions[name].options);
      return;
    }
    Diagnostic d;
    d.message = "no function " + name;
    session.answerError(request, d);
  } else if (request.kind == PythonRequest::Attribute) {
    const auto *module = std::get_if<ModuleRef>(&ConstantStore::global().get(request.object).value);
    std::string full = (module != nullptr ? module->name : toString(request.object)) + "." + request.name;
    std::optional<ConstId> value;
    if (auto found = attributes.find(full); found != attributes.end())
      value = found->second;
    else if (library::Table::global().knows(full))
      value = ConstantStore::global().intern({BuiltinRef{full, {}}, {}, false});
    session.answerAttribute(request.object, request.name, value);
  } else if (request.kind == PythonRequest::Overload) {
    session.answerOverload(request, std::nullopt);
  } else if (request.kind == PythonRequest::TypeOf) {
    session.answerTypeOf(request.object, std::nullopt);
  } else {
    session.answerLibrary(request.name, std::nullopt);
  }
}

Result<std::unique_ptr<ir::Module>> Offline::type(std::vector<TypeId> args, std::optional<TypeId> result,
                                                  CompiledFunctions *compiled) {
  snapshots_.clear();
  rounds = 0;
  const std::string &root_name = untyped_->functions[0]->name;
  Session session({snapshotOf(root_name), functions[root_name].options, std::move(args), result}, compiled);
  session.setTranslator([this](const frontend::FunctionSnapshot &snapshot, bool) { return translate(snapshot); });
  for (;;) {
    switch (session.run()) {
    case Session::State::Failed: return session.error();
    case Session::State::Done: result_type_ = session.returnType(); return session.takeModule();
    case Session::State::NeedsPython: break;
    }
    ++rounds;
    for (const PythonRequest &request : session.takeRequests()) answer(session, request);
  }
}

} // namespace naja::typing
