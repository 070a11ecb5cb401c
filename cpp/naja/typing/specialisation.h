// One specialisation being typed: a body with argument types, and what the solver knows of its values so far.
#pragma once

#include "naja/typing/body.h"
#include "naja/typing/lattice.h"

#include <memory>
#include <unordered_map>

namespace naja::typing {

class Specialisation;

/// Items that wait to be visited, lowest first: a bit each.
class WorkQueue {
public:
  void resize(size_t items) { words_.assign((items + 63) / 64, 0), low_ = static_cast<uint32_t>(words_.size()); }
  void push(uint32_t item) {
    words_[item / 64] |= uint64_t(1) << (item % 64);
    low_ = std::min(low_, item / 64);
  }
  void pushRange(uint32_t first, uint32_t last);
  /// The lowest item, taken out; Body::kNone where there is none.
  uint32_t pop();
  bool empty();

private:
  std::vector<uint64_t> words_;
  uint32_t low_ = 0; // no word below has a bit
};

/// Where an operand of an operation or an argument of a call comes from.
struct Source {
  enum Kind : uint8_t {
    Value,    // a value of the untyped function
    Item,     // item `index` of the tuple, closure or exception that `value` is
    Constant, // `known.constant`
    Pack,     // a tuple of the plan's packed sources [index, index + count): *args
  };
  Kind kind = Value;
  ir::ValueId value;
  uint32_t index = 0, count = 0;
  AbstractValue known; // type and constant; of a Value: as the operation sees it (a bound method as its receiver)
};

/// How an operation is elaborated where it is more than a rule applied to the operands of its instruction.
struct Plan {
  std::vector<Source> sources, packed; // operands of the rule, or arguments of the callee by parameter
  Specialisation *callee = nullptr;    // a call; else the instruction's rule is applied to the sources
  bool by_rule = false;                // the rule's code calls the callee, from a kernel
};

class Specialisation {
public:
  Specialisation(const Body &body, std::vector<TypeId> arg_types, ir::FunctionFlags flags);

  const Body &body;
  std::vector<TypeId> arg_types;
  ir::FunctionFlags flags;
  std::optional<TypeId> declared_return;
  Specialisation *parent = nullptr; // that called it first
  std::string external_symbol;      // compiled earlier: nothing to solve
  bool external_may_raise = true;
  bool literal = false; // arguments keep their constants, and so does the result
  bool on_stack = false;

  std::vector<AbstractValue> values; // by untyped value
  std::vector<uint8_t> reached;      // by block
  std::vector<uint8_t> edges;        // executable ones, by number
  std::vector<uint32_t> cuts;        // by block: items after this one are never reached (it always raises)
  std::vector<uint8_t> changes;      // by value, of loop headers: how often its type changed
  WorkQueue queue;

  std::vector<library::EmitFn> emits;       // by instruction
  std::vector<std::unique_ptr<Plan>> plans; // by instruction

  AbstractValue result;           // bottom: no return reached yet
  bool result_is_default = false; // no return is reachable: the result is none until one is
  unsigned result_changes = 0;
  std::vector<uint32_t> returns; // items of the reached ones

  struct Caller {
    Specialisation *caller;
    uint32_t item;
  };
  std::vector<Caller> callers;

  std::unordered_map<uint32_t, Diagnostic> errors; // by item
  /// Two definitions of a block parameter that do not unify: reported if the parameter is read.
  struct Conflict {
    TypeId first, second;
    ir::ValueId first_value, second_value;
  };
  std::unordered_map<uint32_t, Conflict> conflicts; // by value

  const AbstractValue &value(ir::ValueId id) const { return values[id.value]; }
  bool isReached(ir::BlockId block) const { return reached[block.value] != 0; }
  /// True for an item that control can reach.
  bool isExecuted(uint32_t item) const;
  bool edgeIsExecutable(ir::BlockId from, size_t edge) const { return edges[body.edgeNumber(from, edge)] != 0; }
  /// "f(int64, array(float64, 1d, C))"
  std::string describe() const;
};

} // namespace naja::typing
