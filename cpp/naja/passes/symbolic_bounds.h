// Bounds of integers by other values: v >= half + 1, v <= n - 1, v >= -half. With the intervals they prove indices such as
// i - half + j (i from half up) not negative, and i + 1 (i below n - 1) below n. Part of index_ranges.
#pragma once

#include "naja/passes/value_ranges.h"

#include <array>
#include <optional>
#include <span>

namespace naja::passes {

/// sign * symbol + offset.
struct LinearBound {
  ir::ValueId symbol;
  int64_t sign = 1;
  int64_t offset = 0;
};

/// A few bounds of one node; the tightest offset per symbol and sign. `constant` is one found by cancelling symbols.
struct BoundSet {
  std::array<LinearBound, 4> items;
  uint8_t size = 0;
  std::optional<Wide> constant;
  std::span<const LinearBound> all() const { return {items.data(), size}; }
};

class SymbolicBounds {
public:
  /// `ideal`: over the ideal intervals, sums taken for mathematical; otherwise only those that cannot wrap count.
  SymbolicBounds(const ir::Function &function, const ValueRanges &ranges, bool ideal);

  /// Lower bound of a node's value by constants, intervals included.
  Wide low(NodeId node) const;
  /// True where the value of `index` is certainly below that of `extent` (nodes of one place).
  bool below(NodeId index, NodeId extent) const;

private:
  enum Side : uint8_t { Lower, Upper };
  struct Facts {
    BoundSet side[2];
    bool visited = false;
  };

  void solve();
  Facts compute(NodeId id, bool first) const;
  void definition(NodeId id, Facts &out) const;
  void sum(const Facts &a, Wide a_low, Wide a_high, const Facts &b, Wide b_low, Wide b_high, Facts &out) const;
  void refine(const RangeNode &node, Facts &out) const;
  void merge(NodeId id, std::span<const NodeId> inputs, Facts &out, bool first) const;
  bool holds(NodeId input, const LinearBound &bound, Side side) const;
  /// The bounds of a node and the node's own value as one.
  Facts withSelf(NodeId node) const;
  Facts negated(const Facts &facts) const;
  void add(BoundSet &set, LinearBound bound, Side side, Wide shift = 0) const;
  void addAll(BoundSet &set, const BoundSet &from, Side side, Wide shift = 0) const;
  LinearBound canonical(LinearBound bound) const;
  Wide limit(NodeId node, Side side) const;
  Wide evaluate(const LinearBound &bound, Side side) const;
  bool preserves(const ir::Inst &inst) const;
  bool usableAt(const LinearBound &bound, NodeId parameter) const;
  const Interval &interval(NodeId node) const { return ideal_ ? ranges_.node(node).ideal : ranges_.node(node).exact; }

  const ir::Function &f_;
  const ValueRanges &ranges_;
  bool ideal_;
  std::vector<Facts> facts_;
};

} // namespace naja::passes
