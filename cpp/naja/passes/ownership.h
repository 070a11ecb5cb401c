// What each value of a function owns, borrows or views; the analysis behind reference_counts.
#pragma once

#include "naja/ir/function.h"

#include <span>
#include <vector>

namespace naja::passes {

/// Roots are numbered in the order of their definitions (reverse post-order).
class Ownership {
public:
  /// `order`: the reachable blocks.
  Ownership(const ir::Function &function, const std::vector<ir::BlockId> &order);

  const std::vector<ir::ValueId> &roots() const { return roots_; }
  /// Index of the root that this value is; -1 where it is none.
  int rootIndex(ir::ValueId value) const { return facts_[value.value].root; }
  /// Roots that must live as long as this value is used.
  std::span<const uint32_t> keeps(ir::ValueId value) const;
  /// Index of the root whose references are exactly this value's, so that giving the value away gives the root away; -1.
  int owner(ir::ValueId value) const { return facts_[value.value].owner; }
  /// True where all owners of the value are null: nothing to count.
  bool countsNothing(ir::ValueId value) const { return facts_[value.value].null; }
  /// Calls fn(leaf) for the values whose references together are this value's (items of tuples made here, one by one).
  template <class Fn> void leaves(ir::ValueId value, Fn &&fn) const;

private:
  struct Facts {
    int root = -1;
    int owner = -1;
    bool null = true;
    bool is_tuple = false;        // made here of items
    uint32_t keeps_begin = 0, keeps_size = 0;
  };
  void define(ir::ValueId value);
  void instruction(const ir::Inst &inst);
  void view(const ir::Inst &inst, std::span<const ir::ValueId> bases);
  void alias(ir::ValueId value, ir::ValueId of);
  void setKeeps(Facts &facts, std::vector<uint32_t> roots);

  const ir::Function &function_;
  std::vector<Facts> facts_;
  std::vector<ir::ValueId> roots_;
  std::vector<uint32_t> pool_;
};

template <class Fn> void Ownership::leaves(ir::ValueId value, Fn &&fn) const {
  if (!facts_[value.value].is_tuple) {
    fn(value);
    return;
  }
  for (ir::ValueId item : function_.def(value)->operands)
    leaves(item, fn);
}

} // namespace naja::passes
