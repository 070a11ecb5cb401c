#include "naja/typing/elaborate.h"
#include "naja/typing/engine.h"
#include "naja/typing/infer.h"

namespace naja::typing {

struct Session::Impl {
  Impl(Root root, CompiledFunctions *compiled) : engine(std::move(root), compiled, frontend::translate) {}

  Engine engine;
  bool started = false;
  std::unique_ptr<ir::Module> module;
  Diagnostic error;
  TypeId return_type;
};

Session::Session(Root root, CompiledFunctions *compiled) : impl_(std::make_unique<Impl>(std::move(root), compiled)) {}
Session::~Session() = default;

void Session::setTranslator(std::function<Result<frontend::Translated>(const frontend::FunctionSnapshot &, bool)> f) {
  impl_->engine.setTranslator([f = std::move(f)](const frontend::FunctionSnapshot &snapshot, bool is_inner,
                                                 std::span<const std::string>) { return f(snapshot, is_inner); });
}

Session::State Session::run() {
  Engine &engine = impl_->engine;
  if (!impl_->started) {
    impl_->started = true;
    if (!engine.start()) {
      impl_->error = engine.error;
      return State::Failed;
    }
  }
  if (!engine.solve()) return State::NeedsPython;
  if (auto error = engine.findError()) {
    impl_->error = std::move(*error);
    return State::Failed;
  }
  impl_->return_type = engine.root().result.type;
  impl_->module = elaborate(engine.root());
  return State::Done;
}

std::vector<PythonRequest> Session::takeRequests() { return impl_->engine.takeRequests(); }

void Session::answerSnapshot(const FunctionRef &function, std::shared_ptr<const frontend::FunctionSnapshot> snapshot,
                             FunctionOptions options) {
  impl_->engine.answerSnapshot(function, std::move(snapshot), std::move(options));
}
void Session::answerAttribute(ConstId object, std::string_view name, std::optional<ConstId> value) {
  Answer &answer = impl_->engine.attributeAnswer(object, name);
  answer.constant = value;
  impl_->engine.answer(answer);
}
void Session::answerOverload(const PythonRequest &request, std::optional<FunctionRef> implementation) {
  Answer &answer = impl_->engine.overloadAnswer(request);
  answer.function = std::move(implementation);
  impl_->engine.answer(answer);
}
void Session::answerTypeOf(ConstId object, std::optional<TypeId> type) {
  Answer &answer = impl_->engine.typeAnswer(object);
  answer.type = type;
  impl_->engine.answer(answer);
}
void Session::answerLibrary(std::string_view name, std::optional<FunctionRef> function) {
  Answer &answer = impl_->engine.libraryAnswer(name);
  answer.function = std::move(function);
  impl_->engine.answer(answer);
}
void Session::answerError(const PythonRequest &request, Diagnostic diagnostic) {
  impl_->engine.answerError(request, std::move(diagnostic));
}

std::unique_ptr<ir::Module> Session::takeModule() { return std::move(impl_->module); }
const Diagnostic &Session::error() const { return impl_->error; }
Session::ReadSet Session::readSet() const { return impl_->engine.readSet(); }
TypeId Session::returnType() const { return impl_->return_type; }
std::string Session::untypedText() const {
  const Body *body = impl_->engine.rootBody();
  return body != nullptr ? ir::print(body->function()) : std::string();
}

} // namespace naja::typing
