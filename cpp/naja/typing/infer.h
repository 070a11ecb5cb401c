// Types a function for given argument types and returns typed NIR: abstract interpretation over SSA, sparse and
// conditional; calls specialise callees on the way. Resumable: it stops where Python must be asked and goes on with the
// answers. No Python here, no lock held while Python is asked.
#pragma once

#include "naja/frontend/translate/translate.h"
#include "naja/ir/function.h"
#include "naja/library/rule.h"
#include "naja/support/result.h"

#include <functional>
#include <memory>
#include <variant>

namespace naja::typing {

/// Per-function options that come with a dispatcher.
struct FunctionOptions {
  ir::FunctionFlags flags;
  std::vector<std::pair<std::string, TypeId>> locals; // forced types of local variables
  bool inline_always = false;
  /// Explicit signatures. Where `can_compile` is false (disable_compile, or a list of signatures was given) a call uses
  /// the best of them, converting its arguments; otherwise only one that fits exactly (its result type is then the
  /// declared).
  struct Signature {
    std::vector<TypeId> args;
    std::optional<TypeId> result;
  };
  std::vector<Signature> signatures;
  bool can_compile = true;
};

/// What typing asks of Python. Answered through Session::answer*.
struct PythonRequest {
  enum Kind {
    Snapshot,  // FunctionSnapshot and options of a function: `function`
    Attribute, // getattr(object, name) of a module, class or object: `object`, `name`
    Overload,  // implementation by @overload of the callable `object` for `arg_types`, the last of which `keywords`
              // name. With an invalid object: of the method `name` of the first argument, or ("@name") of its
              // attribute; an attribute may be answered by an invalid FunctionRef: there is a method of that name.
    TypeOf,  // typeof(object)
    Library, // the library function that a rule calls: `name` is "naja.library.sorting:sort"; answerLibrary
  };
  Kind kind;
  FunctionRef function;
  ConstId object;
  std::string name;
  std::vector<TypeId> arg_types;
  std::vector<std::string> keywords;
};

/// Specialisations that exist compiled already, so that a call to one needs no body. Implemented by driver.
class CompiledFunctions {
public:
  virtual ~CompiledFunctions() = default;
  struct Entry {
    std::string symbol;
    TypeId return_type;
    bool may_raise;
  };
  virtual std::optional<Entry> find(const FunctionRef &function, std::span<const TypeId> args) = 0;
};

/// One typing run: a root specialisation and everything it calls.
class Session {
public:
  struct Root {
    std::shared_ptr<const frontend::FunctionSnapshot> snapshot;
    FunctionOptions options;
    std::vector<TypeId> arg_types;     // Omitted and Literal types allowed
    std::optional<TypeId> return_type; // of an explicit signature: the result is converted to it
  };
  explicit Session(Root root, CompiledFunctions *compiled = nullptr);
  ~Session();

  /// Replaces frontend::translate (naja-opt and tests, which have NIR text instead of bytecode). Before the first
  /// run().
  void setTranslator(std::function<Result<frontend::Translated>(const frontend::FunctionSnapshot &, bool is_inner)> f);

  enum class State { NeedsPython, Done, Failed };
  /// Runs until done, failed, or all that is left waits for Python.
  State run();
  std::vector<PythonRequest> takeRequests();

  void answerSnapshot(const FunctionRef &function, std::shared_ptr<const frontend::FunctionSnapshot> snapshot,
                      FunctionOptions options);
  void answerAttribute(ConstId object, std::string_view name, std::optional<ConstId> value);
  void answerOverload(const PythonRequest &request, std::optional<FunctionRef> implementation);
  void answerTypeOf(ConstId object, std::optional<TypeId> type);
  void answerLibrary(std::string_view name, std::optional<FunctionRef> function);
  /// Python raised an error instead of an answer, or the request cannot be met.
  void answerError(const PythonRequest &request, Diagnostic diagnostic);

  /// After Done: the typed module (root is function 0). After Failed: the diagnostic.
  std::unique_ptr<ir::Module> takeModule();
  const Diagnostic &error() const;
  TypeId returnType() const;
  /// What the code depends on besides the root: for the store's manifest.
  struct ReadSet {
    std::vector<std::pair<FunctionRef, uint64_t>> functions; // with the hash of what was snapshot
    struct Attribute {
      ConstId object;
      std::string name;
      std::optional<ConstId> value;
    };
    std::vector<Attribute> attributes;
    struct Implementation { // what a hook of Python code answered
      PythonRequest request;
      std::optional<FunctionRef> function;
    };
    std::vector<Implementation> overloads;
    std::vector<ConstId> typed_objects; // whose type Python was asked for
  };
  ReadSet readSet() const;
  /// Untyped NIR of the root, for dumps.
  std::string untypedText() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace naja::typing
