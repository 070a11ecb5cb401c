// The solver of a session: bodies, specialisations, the worklists, and what Python has answered. Single-threaded; owns
// everything below it until the session ends.
#pragma once

#include "naja/typing/specialisation.h"

#include <deque>

namespace naja::typing {

class Engine;

/// The visit of one instruction: what a transfer function sees.
struct Step {
  Engine &engine;
  Specialisation &spec;
  uint32_t item;
  const ir::Inst &inst;

  const AbstractValue &operand(size_t i) const { return spec.value(inst.operands[i]); }
  Plan &plan(); // of the instruction, made empty
  void dropPlan();
  library::EmitFn &emit() { return spec.emits[item_inst().value]; }
  ir::InstId item_inst() const { return spec.body.items()[item].inst; }
  const library::Table &table() const { return library::Table::global(); }

  /// Record an error at this instruction; the result is bottom.
  AbstractValue fail(std::string message, std::string label = {}, std::string hint = {},
                     DiagnosticKind kind = DiagnosticKind::Typing);
  AbstractValue fail(Diagnostic diagnostic);
};

/// A question to Python and its answer.
struct Answer {
  PythonRequest request;
  enum State : uint8_t { Unasked, Waiting, Given, Failed } state = Unasked;
  std::optional<ConstId> constant;     // Attribute
  std::optional<FunctionRef> function; // Overload, Library
  std::optional<TypeId> type;          // TypeOf
  const Body *body = nullptr;          // Snapshot
  Diagnostic error;                    // Failed
  std::vector<Specialisation::Caller> waiting;
};

class Engine {
public:
  Engine(Session::Root root, CompiledFunctions *compiled, Translator translator);

  void setTranslator(Translator translator) { translator_ = std::move(translator); }
  /// Translates the root and queues it; false: `error` is set.
  bool start();
  /// Solves until settled or waiting. False: there are unanswered requests.
  bool solve();
  /// The first error of the settled solution, or none.
  std::optional<Diagnostic> findError() const;

  Specialisation &root() { return *root_; }
  const Session::Root &rootRequest() const { return request_; }
  const std::deque<std::unique_ptr<Specialisation>> &specialisations() const { return specs_; }
  std::vector<PythonRequest> takeRequests() { return std::move(new_requests_); }
  Diagnostic error; // of start()

  // ---- answers (python.cpp)
  void answer(Answer &entry);
  Session::ReadSet readSet() const;
  void answerError(const PythonRequest &request, Diagnostic diagnostic);
  void answerSnapshot(const FunctionRef &ref, std::shared_ptr<const frontend::FunctionSnapshot> snapshot,
                      FunctionOptions options);
  Answer &attributeAnswer(ConstId object, std::string_view name);
  Answer &overloadAnswer(const PythonRequest &request);
  Answer &typeAnswer(ConstId object);
  Answer &snapshotAnswer(const FunctionRef &function);
  Answer &libraryAnswer(std::string_view name);

  // ---- for transfer functions
  /// The answer if there is one. Otherwise asks (once) and makes the step wait: null.
  const Answer *ask(Step &step, Answer &entry, PythonRequest::Kind kind, PythonRequest request);
  /// Asks all that a body is certain to ask at once, so that Python is entered once for it.
  void askAhead(const Body &body);
  /// The specialisation for these argument types, made and queued where it is new. Null: an error was recorded.
  Specialisation *specialise(Step &step, const Body &body, std::vector<TypeId> args, ir::FunctionFlags flags,
                             bool literal, const FunctionRef *ref);
  /// An inner function: where it is made, and how its defaults are held behind what it captures.
  struct Closure {
    const Body *outer = nullptr;
    size_t index = 0;
    size_t defaults = 0;                    // of the last positional parameters
    std::vector<std::string> keyword_names; // of the keyword-only parameters with defaults
    const Body *body = nullptr;             // translated when it is first called
  };
  /// The constant that stands for the inner function that an instruction makes: the identity of a Closure type.
  ConstId closureCode(const Body &outer, const ir::Inst &make_function);
  /// The inner function with its body; null: an error was recorded.
  const Closure *closure(Step &step, ConstId code);
  const Body *rootBody() const { return root_body_; }
  /// The callee's result as the call sees it, with the call registered for changes.
  AbstractValue resultOf(Step &step, Specialisation &callee);
  /// Turns a rule's answer into a value: keeps the code, specialises callees, asks Python. `sources`: where operands
  /// come from if they are not those of the instruction. NoMatch gives nullopt.
  std::optional<AbstractValue> apply(Step &step, library::Resolution &&resolution,
                                     std::span<const AbstractValue> operands,
                                     const std::vector<Source> *sources = nullptr);

  /// Marks an edge executable.
  void reach(Specialisation &spec, ir::BlockId from, size_t edge);
  void reachBlock(Specialisation &spec, ir::BlockId block);
  void updateResult(Specialisation &spec);
  void cutAfter(Specialisation &spec, uint32_t item);
  void uncut(Specialisation &spec, ir::BlockId block, uint32_t item);

private:
  const Body *makeBody(std::shared_ptr<const frontend::FunctionSnapshot> snapshot, FunctionOptions options,
                       bool is_inner, Diagnostic &failure);
  void begin(Specialisation &spec);
  void schedule(Specialisation &spec);
  void visit(Specialisation &spec, uint32_t item);
  void visitJoin(Specialisation &spec, ir::BlockId block);
  AbstractValue joinParam(Specialisation &spec, ir::BlockId block, ir::ValueId param, uint32_t index);
  AbstractValue force(Specialisation &spec, ir::ValueId value, AbstractValue found, uint32_t item);
  void setValue(Specialisation &spec, ir::ValueId value, const AbstractValue &found);
  void setResult(Specialisation &spec, const AbstractValue &result);
  bool settleFunctionsWithoutReturn();
  void pose(Answer &entry, PythonRequest request);
  bool tooDeep(const Specialisation *caller, const Body &body) const;

  Session::Root request_;
  CompiledFunctions *compiled_;
  Translator translator_;
  const Body *root_body_ = nullptr;
  Specialisation *root_ = nullptr;
  std::vector<std::unique_ptr<Body>> bodies_;
  std::deque<std::unique_ptr<Specialisation>> specs_;
  std::vector<Specialisation *> stack_; // being solved: the last one first
  struct Key {
    uint32_t body;
    std::vector<TypeId> args;
    ir::FunctionFlags flags;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };
  std::unordered_map<Key, Specialisation *, KeyHash> by_key_;
  std::unordered_map<uint32_t, Closure> closures_; // by constant of the code
  std::unordered_map<std::string, Answer> answers_;
  std::vector<bool> asked_ahead_; // by body
  std::vector<PythonRequest> new_requests_;
  size_t waiting_ = 0; // asked and not answered
};

/// The transfer functions by opcode (operations.cpp, calls.cpp, branches.cpp).
using Transfer = AbstractValue (*)(Step &);
Transfer transferOf(ir::Opcode op);

} // namespace naja::typing
