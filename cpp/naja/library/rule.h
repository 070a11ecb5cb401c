// The builtin table: how an operation on given operand types is typed and what typed NIR it becomes. A rule does both at
// once: it looks at the operands' abstract values and returns the result with a closure that emits the code later.
// Tables are split by family (library/scalar_operators.cpp, library/array_indexing.cpp ...), each with one register
// function listed in library/tables.cpp; nothing else has to be edited to add a row.
#pragma once

#include "naja/ir/function.h"
#include "naja/support/diagnostic.h"
#include "naja/types/constant.h"
#include "naja/types/promotion.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace naja::library {

/// What typing knows of a value: its type, its constant where it is known, and whether it is a weak literal (NEP 50).
struct AbstractValue {
  TypeId type;
  ConstId constant; // invalid: not known at compile time
  bool weak = false;
  /// Of a tuple that is no constant as a whole: a ConstTuple of the items that are, with invalid ids for the others.
  ConstId parts = {};
  bool isBottom() const { return !type.valid(); }
  bool operator==(const AbstractValue &) const = default;
};

/// Where a rule emits: the builder, and services of the elaboration.
class Emitter {
public:
  virtual ~Emitter() = default;
  virtual ir::Builder &builder() = 0;
  virtual ir::Module &module() = 0;
  virtual const ir::FunctionFlags &flags() const = 0;
  /// A new empty block, for rules that need branches. The builder stays where it is: end its block with br or condBr, then
  /// setBlock; elaboration goes on in the block where the builder is when the rule returns. Block parameters: addParam.
  virtual ir::BlockId newBlock() = 0;
  /// Converts to a type that unify or a cast allows; emits nothing where it has it already.
  virtual ir::ValueId convert(ir::ValueId value, TypeId to) = 0;
  /// A kernel (typed function of scalars) with this signature and a body emitted by `body`; equal `key`s are made once.
  virtual ir::FunctionId kernel(const std::string &key, std::span<const TypeId> params, TypeId result,
                                const std::function<ir::ValueId(Emitter &, std::span<const ir::ValueId>)> &body) = 0;
};

using EmitFn = std::function<ir::ValueId(Emitter &, std::span<const ir::ValueId>)>;

/// Outcome of a rule.
struct Resolution {
  enum Kind {
    NoMatch,   // not this rule's operands; another may match
    Resolved,  // `result` and `emit`
    Error,     // these operands are wrong: `message`, `hint`
    CallFunction, // becomes a call of a compilable function: `callee` with `call_args`
    NeedsPython,  // typing must ask Python first: `request`
  };
  Kind kind = NoMatch;
  AbstractValue result;
  EmitFn emit; // operands as the typed values of the operation, in order; unused for constants and none-typed values
  std::string message, hint;
  ConstId callee;
  /// CallFunction with an invalid `callee`: a function of the library written in Python, "naja.library.sorting:sort";
  /// typing asks Python for it when it is first called.
  std::string library_function;
  /// The callee's arguments: indices of operands (>= 0), or constants.
  struct Arg { int operand = -1; ConstId constant; };
  std::vector<Arg> call_args;
  std::string request_attribute; // NeedsPython: the attribute of operand 0's object

  static Resolution resolved(TypeId type, EmitFn emit) { Resolution r; r.kind = Resolved; r.result = {type, {}, false}; r.emit = std::move(emit); return r; }
  /// The result is a compile-time constant of this type; nothing is emitted but a `const` where it is needed.
  static Resolution constantValue(ConstId constant, bool weak);
  static Resolution callLibrary(std::string function, std::vector<Arg> args) { Resolution r; r.kind = CallFunction; r.library_function = std::move(function); r.call_args = std::move(args); return r; }
  static Resolution error(std::string message, std::string hint = {}) { Resolution r; r.kind = Error; r.message = std::move(message); r.hint = std::move(hint); return r; }
};

/// One call or operation to resolve. For calls, positional arguments come first, then keywords, named by `keywords`.
struct Query {
  std::span<const AbstractValue> operands;
  std::span<const std::string_view> keywords; // names of the last operands
  const ir::FunctionFlags *flags = nullptr;
  /// Name of the row that is asked, for rules that serve several: "numpy.sqrt", or the method's name.
  std::string_view name = {};
  size_t positional() const { return operands.size() - keywords.size(); }
};

using CallRule = Resolution (*)(const Query &);
using BinaryRule = Resolution (*)(ir::BinaryOp, bool inplace, const Query &);
using UnaryRule = Resolution (*)(ir::UnaryOp, const Query &);
using CompareRule = Resolution (*)(ir::Predicate, const Query &);
using AttributeRule = Resolution (*)(std::string_view attribute, const Query &);          // getattr; operand 0
using MethodRule = Resolution (*)(const Query &);                                         // operand 0 = receiver
using GenericRule = Resolution (*)(const Query &);

/// The tables. Filled once; read-only afterwards. Rules of one kind are tried in order of registration until one does not
/// answer NoMatch.
class Table {
public:
  static Table &global();

  void call(std::string_view name, CallRule rule);               // "numpy.zeros", "builtins.len", "math.sin"
  void method(TypeKind receiver, std::string_view name, MethodRule rule);
  void attribute(TypeKind receiver, AttributeRule rule);
  void binary(BinaryRule rule);
  void unary(UnaryRule rule);
  void compare(CompareRule rule);
  void identity(GenericRule rule);                               // a is b
  void getItem(TypeKind receiver, GenericRule rule);             // object, index
  void setItem(TypeKind receiver, GenericRule rule);             // object, index, value
  void contains(TypeKind container, GenericRule rule);           // item, container
  void truth(TypeKind kind, GenericRule rule);
  void unpack(TypeKind kind, Resolution (*rule)(int64_t index_or_minus_count, const Query &));
  void setAttribute(TypeKind receiver, Resolution (*rule)(std::string_view, const Query &));
  /// Calling a value of this kind (number classes, named tuple classes): operand 0 is the callee.
  void callValue(TypeKind kind, GenericRule rule);
  /// The five operations of a for loop: see g.iter ...; `which` is the opcode.
  void iterate(TypeKind kind, Resolution (*rule)(ir::Opcode which, const Query &));
  void iterateNamed(std::string_view iterator_name, Resolution (*rule)(ir::Opcode which, const Query &)); // TypeKind::Iterator

  Resolution resolveCall(std::string_view name, const Query &) const;
  Resolution resolveMethod(TypeId receiver, std::string_view name, const Query &) const;
  bool hasMethod(TypeId receiver, std::string_view name) const;
  Resolution resolveAttribute(std::string_view attribute, const Query &) const; // methods become bound methods
  Resolution resolveBinary(ir::BinaryOp op, bool inplace, const Query &) const;
  Resolution resolveUnary(ir::UnaryOp op, const Query &) const;
  Resolution resolveCompare(ir::Predicate p, const Query &) const;
  Resolution resolveIs(const Query &) const; // a constant where the types decide, so that branches on it are pruned
  Resolution resolveGetItem(const Query &) const;
  Resolution resolveSetItem(const Query &) const;
  Resolution resolveContains(const Query &) const;
  Resolution resolveTruth(const Query &) const;
  Resolution resolveUnpack(int64_t index_or_minus_count, const Query &) const;
  Resolution resolveSetAttribute(std::string_view attribute, const Query &) const;
  Resolution resolveCallValue(const Query &) const;
  Resolution resolveIterate(ir::Opcode which, const Query &) const;
  bool knows(std::string_view name) const;
  /// Canonical names of all rows, for the identity map of bindings and the documentation.
  std::vector<std::string> names() const;
  /// Names close to a misspelt one, for hints.
  std::vector<std::string> similar(std::string_view name) const;

private:
  Table();
  struct Impl;
  Impl *impl_;
};

/// Binds positional and keyword arguments to parameter names with optional defaults, as Python does; the error text of
/// Python's TypeError otherwise. `spec`: "shape, dtype=, *, like=" ("name=": optional).
struct BoundArguments {
  std::vector<int> operand; // per parameter: index of the operand, or -1
  std::string error;        // empty: bound
};
BoundArguments bindArguments(std::string_view function, std::string_view spec, const Query &query);

} // namespace naja::library
