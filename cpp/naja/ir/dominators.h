// Dominator tree of a function, unwind edges included. An exception leaves its block in the middle, so a value is
// available in an unwind block only where it is defined before every instruction that unwinds there. Valid until the
// control flow changes; O(blocks + instructions).
#pragma once

#include "naja/ir/function.h"

#include <vector>

namespace naja::ir {

class Dominators {
public:
  explicit Dominators(const Function &function);

  /// Reachable blocks (normal and unwind edges) in reverse post-order.
  const std::vector<BlockId> &order() const { return order_; }
  bool reachable(BlockId block) const { return position_[block.value] != kUnreachable; }
  /// The immediate dominator; invalid for the entry and unreachable blocks.
  BlockId idom(BlockId block) const { return idom_[block.value]; }
  bool dominates(BlockId a, BlockId b) const {
    return first_[a.value] <= first_[b.value] && last_[b.value] <= last_[a.value];
  }
  /// Position of an instruction in its block, and the block; invalid where it is in none.
  BlockId blockOf(InstId inst) const { return inst_block_[inst.value]; }
  size_t positionOf(InstId inst) const { return inst_position_[inst.value]; }
  BlockId blockOf(ValueId value) const;
  /// True where `value` may be used by the instruction at `position` of `block` (or on its edges).
  bool available(ValueId value, BlockId block, size_t position) const;

private:
  static constexpr uint32_t kUnreachable = 0xffffffffU;
  void number();
  void findOrder();
  void findIdoms();
  BlockId meet(BlockId a, BlockId b) const;

  const Function &function_;
  std::vector<BlockId> order_;
  std::vector<uint32_t> position_; // in order_
  std::vector<std::vector<BlockId>> successors_, predecessors_;
  std::vector<BlockId> idom_;
  std::vector<uint32_t> first_, last_; // interval in the tree
  std::vector<BlockId> inst_block_;
  std::vector<uint32_t> inst_position_;
  std::vector<uint32_t> limit_;      // of an unwind block: first instruction of its idom that unwinds to it
  std::vector<bool> has_limited_child_;
};

} // namespace naja::ir
