#include "naja/passes/value_ranges.h"

#include <algorithm>
#include <numeric>

namespace naja::passes {
using namespace ir;

namespace {

bool tracked(TypeId type) {
  TypeKind kind = type.valid() ? typeOf(type).kind : TypeKind::None;
  return kind == TypeKind::Int || kind == TypeKind::Bool;
}

Predicate swapped(Predicate p) {
  constexpr Predicate kSwapped[] = {Predicate::Eq, Predicate::Ne, Predicate::Gt, Predicate::Ge, Predicate::Lt, Predicate::Le};
  return kSwapped[static_cast<size_t>(p)];
}
Predicate inverse(Predicate p) {
  constexpr Predicate kInverse[] = {Predicate::Ne, Predicate::Eq, Predicate::Ge, Predicate::Gt, Predicate::Le, Predicate::Lt};
  return kInverse[static_cast<size_t>(p)];
}

} // namespace

/// Builds the nodes on one walk over the dominator tree; `current_` is the node of each value where the walk is.
class RangeGraph {
public:
  explicit RangeGraph(ValueRanges &ranges) : r_(ranges), f_(ranges.f_) {
    r_.operands_.resize(f_.numInsts());
    r_.definitions_.assign(f_.numValues(), kNoNode);
    current_.assign(f_.numValues(), kNoNode);
    children_.resize(f_.numBlocks());
    entries_.assign(f_.numBlocks(), 0);
    block_position_.resize(f_.numBlocks());
    for (BlockId block : r_.dominators_.order()) {
      block_position_[block.value] = position_++;
      if (BlockId parent = r_.dominators_.idom(block); parent.valid())
        children_[parent.value].push_back(block);
      for (InstId id : f_.block(block).insts) {
        for (const Edge &edge : f_.inst(id).edges)
          ++entries_[edge.target.value];
        if (f_.inst(id).unwind.valid())
          entries_[f_.inst(id).unwind.value] += 2;
      }
    }
    for (BlockId block : r_.dominators_.order()) {
      position_ = block_position_[block.value];
      for (ValueId param : f_.block(block).params)
        define(param, block == f_.entry() ? RangeNode::Definition : RangeNode::Parameter);
    }
  }

  void build() {
    struct Frame {
      BlockId block;
      size_t next_child, undo;
    };
    std::vector<Frame> stack;
    auto enter = [&](BlockId block) {
      stack.push_back({block, 0, undo_.size()});
      visit(block);
    };
    enter(f_.entry());
    while (!stack.empty()) {
      Frame &frame = stack.back();
      const auto &children = children_[frame.block.value];
      if (frame.next_child < children.size()) {
        enter(children[frame.next_child++]);
        continue;
      }
      for (; undo_.size() > frame.undo; undo_.pop_back())
        current_[undo_.back().first.value] = undo_.back().second;
      stack.pop_back();
    }
    r_.order_.resize(r_.nodes_.size());
    std::iota(r_.order_.begin(), r_.order_.end(), NodeId(0));
    std::ranges::stable_sort(r_.order_, {}, [&](NodeId id) { return r_.nodes_[id].block; });
  }

private:
  NodeId add(RangeNode node) {
    node.block = position_;
    r_.nodes_.push_back(std::move(node));
    return static_cast<NodeId>(r_.nodes_.size() - 1);
  }

  NodeId define(ValueId value, RangeNode::Kind kind) {
    if (!tracked(f_.typeOf(value)))
      return kNoNode;
    RangeNode node;
    node.kind = kind;
    node.value = value;
    NodeId id = add(std::move(node));
    r_.definitions_[value.value] = current_[value.value] = id;
    return id;
  }

  void setCurrent(ValueId value, NodeId node) {
    undo_.emplace_back(value, current_[value.value]);
    current_[value.value] = node;
  }

  NodeId refinement(ValueId value, NodeId base, Predicate p, NodeId other) {
    RangeNode node;
    node.kind = RangeNode::Refinement;
    node.value = value;
    node.predicate = p;
    node.inputs = {base, other};
    return add(std::move(node));
  }

  /// Calls fn(value, predicate, other value) for what follows from a condition's being true or false.
  template <class Fn> void implied(ValueId condition, bool truth, Fn &&fn, int depth = 0) {
    const Inst *inst = f_.def(condition);
    if (inst == nullptr || depth > 4)
      return;
    if (inst->op == Opcode::INot) {
      implied(inst->operands[0], !truth, fn, depth + 1);
    } else if (inst->op == (truth ? Opcode::IAnd : Opcode::IOr)) {
      implied(inst->operands[0], truth, fn, depth + 1);
      implied(inst->operands[1], truth, fn, depth + 1);
    } else if (inst->op == Opcode::ICmp && tracked(f_.typeOf(inst->operands[0]))) {
      Predicate p = truth ? inst->predicate() : inverse(inst->predicate());
      fn(inst->operands[0], p, inst->operands[1]);
      fn(inst->operands[1], swapped(p), inst->operands[0]);
    }
  }

  void assume(ValueId condition, bool truth) {
    implied(condition, truth, [&](ValueId value, Predicate p, ValueId other) {
      if (f_.def(value) == nullptr || f_.def(value)->op != Opcode::Const)
        setCurrent(value, refinement(value, current_[value.value], p, current_[other.value]));
    });
  }

  void visit(BlockId block) {
    position_ = block_position_[block.value];
    // A block that one branch alone enters: the branch's condition holds in it.
    if (entries_[block.value] == 1) {
      BlockId parent = r_.dominators_.idom(block);
      const Inst &end = f_.terminator(parent);
      if (end.op == Opcode::CondBr && end.edges[0].target != end.edges[1].target &&
          (end.edges[0].target == block || end.edges[1].target == block))
        assume(end.operands[0], end.edges[0].target == block);
    }
    for (InstId id : f_.block(block).insts)
      instruction(id);
    edges(f_.terminator(block));
  }

  void instruction(InstId id) {
    const Inst &inst = f_.inst(id);
    std::vector<NodeId> inputs;
    bool any = false;
    for (ValueId operand : inst.operands) {
      inputs.push_back(current_[operand.value]);
      any = any || inputs.back() != kNoNode;
    }
    if (inst.op == Opcode::Select)
      selectArms(inst, inputs);
    if (inst.result.valid()) {
      if (NodeId node = define(inst.result, RangeNode::Definition); node != kNoNode)
        r_.nodes_[node].inputs = inputs;
    }
    if (any)
      r_.operands_[id.value] = std::move(inputs);
    passedCheck(inst);
  }

  /// max(x, 0) written as x > 0 ? x : 0: the chosen arm is what the condition says.
  void selectArms(const Inst &inst, std::vector<NodeId> &inputs) {
    for (size_t arm = 1; arm <= 2; ++arm) {
      implied(inst.operands[0], arm == 1, [&](ValueId value, Predicate p, ValueId other) {
        if (value == inst.operands[arm] && inputs[arm] != kNoNode)
          inputs[arm] = refinement(value, inputs[arm], p, current_[other.value]);
      });
    }
  }

  /// What holds once a check has not raised.
  void passedCheck(const Inst &inst) {
    if (inst.op == Opcode::CheckTrue) {
      assume(inst.operands[0], true);
    } else if (inst.op == Opcode::CheckNonZero && current_[inst.operands[0].value] != kNoNode) {
      RangeNode node;
      node.kind = RangeNode::NonZero;
      node.value = inst.operands[0];
      node.inputs = {current_[inst.operands[0].value]};
      setCurrent(inst.operands[0], add(std::move(node)));
    } else if (inst.op == Opcode::ArrayAlloc) {
      for (ValueId extent : inst.operands) { // a negative one raises
        if (f_.def(extent) == nullptr || f_.def(extent)->op != Opcode::Const)
          setCurrent(extent, refinement(extent, current_[extent.value], Predicate::Ge, zero()));
      }
    } else if (inst.op == Opcode::CheckIndex) {
      ValueId index = inst.operands[0];
      setCurrent(index, refinement(index, current_[index.value], Predicate::Lt, current_[inst.operands[1].value]));
      setCurrent(index, refinement(index, current_[index.value], Predicate::Ge, zero()));
    }
  }

  /// A node for 0 that belongs to no value of the function.
  NodeId zero() {
    if (zero_ == kNoNode) {
      RangeNode node;
      node.exact = node.ideal = {0, 0};
      zero_ = add(std::move(node)); // any place in the order will do: it is known from the start
    }
    return zero_;
  }

  void edges(const Inst &end) {
    for (size_t e = 0; e < end.edges.size(); ++e) {
      const Edge &edge = end.edges[e];
      const auto &params = f_.block(edge.target).params;
      for (size_t i = 0; i < params.size(); ++i) {
        NodeId param = r_.definitions_[params[i].value];
        if (param == kNoNode)
          continue;
        NodeId arg = current_[edge.args[i].value];
        // On an edge of a branch to a block with other entries: the condition holds for what is passed.
        if (end.op == Opcode::CondBr && end.edges[0].target != end.edges[1].target) {
          implied(end.operands[0], e == 0, [&](ValueId value, Predicate p, ValueId other) {
            if (value == edge.args[i])
              arg = refinement(value, arg, p, current_[other.value]);
          });
        }
        r_.nodes_[param].inputs.push_back(arg);
      }
    }
  }

  ValueRanges &r_;
  const Function &f_;
  std::vector<NodeId> current_;
  std::vector<std::vector<BlockId>> children_;
  std::vector<uint32_t> entries_;
  std::vector<std::pair<ValueId, NodeId>> undo_;
  std::vector<uint32_t> block_position_;
  uint32_t position_ = 0;
  NodeId zero_ = kNoNode;
};

ValueRanges::ValueRanges(const Function &function) : f_(function), dominators_(function) {
  RangeGraph(*this).build();
  solve(&RangeNode::exact, false);
}

void ValueRanges::solveIdeal() { solve(&RangeNode::ideal, true); }

Interval ValueRanges::evaluate(const RangeNode &node, Interval RangeNode::*member, bool ideal) const {
  auto in = [&](size_t i) {
    return node.inputs[i] == kNoNode ? Interval() : nodes_[node.inputs[i]].*member;
  };
  switch (node.kind) {
  case RangeNode::Parameter: {
    Interval all;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      all = join(all, in(i));
    return all;
  }
  case RangeNode::Refinement: return constrain(in(0), node.predicate, in(1));
  case RangeNode::NonZero: return constrain(in(0), Predicate::Ne, {0, 0});
  case RangeNode::Definition: break;
  }
  if (!node.value.valid())
    return node.*member; // zero
  const Inst *inst = f_.def(node.value);
  if (inst == nullptr)
    return rangeOfType(f_.typeOf(node.value));
  std::vector<Interval> operands(node.inputs.size());
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i] = in(i);
  return transfer(f_, *inst, operands, ideal);
}

void ValueRanges::solve(Interval RangeNode::*member, bool ideal) {
  std::vector<std::vector<NodeId>> users(nodes_.size());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    for (NodeId input : nodes_[id].inputs) {
      if (input != kNoNode)
        users[input].push_back(id);
    }
  }
  std::vector<uint8_t> dirty(nodes_.size(), 1);
  for (RangeNode &node : nodes_)
    node.growths = 0;
  for (bool again = true; again;) {
    again = false;
    for (NodeId id : order_) {
      if (dirty[id] == 0)
        continue;
      dirty[id] = 0;
      RangeNode &node = nodes_[id];
      Interval next = evaluate(node, member, ideal);
      Interval &now = node.*member;
      if (next.inside(now))
        continue;
      next = join(now, next);
      // A parameter that grows again and again goes to where it stops: to 0, or to the end of its type.
      if (node.kind == RangeNode::Parameter && !now.empty() && node.growths++ > 1) {
        Interval all = rangeOfType(f_.typeOf(node.value));
        if (next.low < now.low)
          next.low = next.low >= 0 ? 0 : all.low;
        if (next.high > now.high)
          next.high = all.high;
      }
      now = next;
      for (NodeId user : users[id]) {
        dirty[user] = 1;
        again = true;
      }
    }
  }
  // What was widened too far is found out by computing again from there: bounds only shrink, and stay sound.
  for (int round = 0; round < 3; ++round) {
    for (NodeId id : order_) {
      RangeNode &node = nodes_[id];
      node.*member = meet(node.*member, evaluate(node, member, ideal));
    }
  }
}

/// Whether all products of two intervals are in `all`; those of two large uint64 leave 128 bits.
static bool productInside(const Interval &a, const Interval &b, const Interval &all) {
  for (Wide x : {a.low, a.high}) {
    for (Wide y : {b.low, b.high}) {
      Wide product = 0;
      if (__builtin_mul_overflow(x, y, &product) || product < all.low || product > all.high)
        return false;
    }
  }
  return true;
}

bool ValueRanges::cannotWrap(InstId id, bool as_unsigned) const {
  const Inst &inst = f_.inst(id);
  const auto &inputs = operands_[id.value];
  if (inputs.size() != 2 || inputs[0] == kNoNode || inputs[1] == kNoNode)
    return false;
  const Interval &a = nodes_[inputs[0]].exact, &b = nodes_[inputs[1]].exact;
  if (a.empty() || b.empty())
    return false;
  unsigned bits = typeOf(inst.type).bits;
  Interval all = as_unsigned ? Interval{0, (Wide(1) << bits) - 1}
                             : Interval{-(Wide(1) << (bits - 1)), (Wide(1) << (bits - 1)) - 1};
  // The bounds are those of the operands' own signedness; the other one sees the same numbers only where both allow.
  if (!a.inside(all) || !b.inside(all))
    return false;
  Interval result;
  if (inst.op == Opcode::IAdd)
    result = {a.low + b.low, a.high + b.high};
  else if (inst.op == Opcode::ISub)
    result = {a.low - b.high, a.high - b.low};
  else
    return productInside(a, b, all);
  return result.inside(all);
}

} // namespace naja::passes
