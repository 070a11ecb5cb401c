// Intervals of all integer (and bool) values, and what branch conditions and passed checks say of them in the blocks that
// they dominate. A value has a node for its definition and one for each place from where more is known of it (the nodes are
// what e-SSA form would give names to). Exact intervals know that integers wrap. Ideal ones take iadd, isub and imul for
// mathematical: they serve for indices only, where a wrapped sum would be out of bounds anyhow.
// Valid until the function changes. Linear but for the depth of loops.
#pragma once

#include "naja/ir/dominators.h"
#include "naja/ir/function.h"

#include <vector>

namespace naja::passes {

using Wide = __int128;

struct Interval {
  Wide low = 1, high = 0; // empty: no value gets here
  bool empty() const { return low > high; }
  bool single() const { return low == high; }
  bool contains(Wide value) const { return low <= value && value <= high; }
  bool inside(const Interval &other) const { return empty() || (low >= other.low && high <= other.high); }
  bool operator==(const Interval &) const = default;
};
Interval join(const Interval &a, const Interval &b);
Interval meet(const Interval &a, const Interval &b);
/// All values of an integer type or bool.
Interval rangeOfType(TypeId type);

using NodeId = uint32_t;
constexpr NodeId kNoNode = 0xffffffffU;

struct RangeNode {
  enum Kind : uint8_t {
    Definition, // result of an instruction, or a parameter of the entry block
    Parameter,  // of another block: joins `inputs`
    Refinement, // of inputs[0]: compared by `predicate` with inputs[1]
    NonZero,    // inputs[0] without 0
  } kind = Definition;
  ir::Predicate predicate = ir::Predicate::Eq;
  uint8_t growths = 0;
  uint32_t block = 0; // position of its block in reverse post-order
  ir::ValueId value;
  std::vector<NodeId> inputs; // Definition: of the instruction's operands (kNoNode: not an integer)
  Interval exact, ideal;
};

class ValueRanges {
public:
  explicit ValueRanges(const ir::Function &function);

  const ir::Dominators &dominators() const { return dominators_; }
  const std::vector<RangeNode> &nodes() const { return nodes_; }
  const RangeNode &node(NodeId id) const { return nodes_[id]; }
  /// All nodes, block by block in reverse post-order: but for loops, inputs come first.
  const std::vector<NodeId> &order() const { return order_; }
  /// Nodes of an instruction's operands where it stands.
  const std::vector<NodeId> &operands(ir::InstId inst) const { return operands_[inst.value]; }
  NodeId definition(ir::ValueId value) const { return definitions_[value.value]; }
  /// Solves for the ideal intervals too (the exact ones are solved at construction).
  void solveIdeal();
  /// iadd, isub, imul: true where the result is in the type's range for all operands.
  bool cannotWrap(ir::InstId inst, bool as_unsigned) const;

private:
  friend class RangeGraph;
  void solve(Interval RangeNode::*member, bool ideal);
  Interval evaluate(const RangeNode &node, Interval RangeNode::*member, bool ideal) const;

  const ir::Function &f_;
  ir::Dominators dominators_;
  std::vector<RangeNode> nodes_;
  std::vector<std::vector<NodeId>> operands_;
  std::vector<NodeId> definitions_;
  std::vector<NodeId> order_;
};

/// The interval of an instruction's result; `operands` are empty intervals where not integers.
Interval transfer(const ir::Function &function, const ir::Inst &inst, const std::vector<Interval> &operands, bool ideal);
/// What is left of `value` where `value p other` holds.
Interval constrain(const Interval &value, ir::Predicate p, const Interval &other);

} // namespace naja::passes
