#include "naja/passes/symbolic_bounds.h"

#include "naja/passes/scalar_constant.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

constexpr Wide kMaxOffset = Wide(1) << 62;

bool sameSymbol(const LinearBound &a, const LinearBound &b) { return a.symbol == b.symbol && a.sign == b.sign; }

} // namespace

SymbolicBounds::SymbolicBounds(const Function &function, const ValueRanges &ranges, bool ideal)
    : f_(function), ranges_(ranges), ideal_(ideal), facts_(ranges.nodes().size()) {
  solve();
}

Wide SymbolicBounds::low(NodeId node) const { return limit(node, Lower); }

bool SymbolicBounds::below(NodeId index, NodeId extent) const {
  if (interval(index).empty() || interval(extent).empty())
    return false;
  if (limit(index, Upper) < limit(extent, Lower))
    return true;
  Facts a = withSelf(index), b = withSelf(extent);
  for (const LinearBound &upper : a.side[Upper].all()) {
    for (const LinearBound &lower : b.side[Lower].all()) {
      if (sameSymbol(upper, lower) && upper.offset < lower.offset)
        return true;
    }
  }
  return false;
}

/// What is claimed of parameters of loops is taken on trust on the first pass, and dropped where a later one finds an edge
/// on which it does not hold, until all that is left holds on all edges.
void SymbolicBounds::solve() {
  bool changed = true;
  for (int pass = 0; changed; ++pass) {
    changed = false;
    for (NodeId id : ranges_.order()) {
      Facts next = compute(id, pass == 0);
      // After some passes parameters give up: bounds only ever go away, so this ends.
      if (pass > 8 && ranges_.node(id).kind == RangeNode::Parameter)
        next = Facts();
      next.visited = true;
      Facts &now = facts_[id];
      for (int side = 0; side < 2 && !changed; ++side) {
        const BoundSet &a = now.side[side], &b = next.side[side];
        changed = a.size != b.size || a.constant != b.constant ||
                  !std::equal(a.all().begin(), a.all().end(), b.all().begin(), [](const LinearBound &x, const LinearBound &y) {
                    return sameSymbol(x, y) && x.offset == y.offset;
                  });
      }
      now = next;
    }
    if (pass > 10)
      break;
  }
}

SymbolicBounds::Facts SymbolicBounds::compute(NodeId id, bool first) const {
  const RangeNode &node = ranges_.node(id);
  Facts out;
  switch (node.kind) {
  case RangeNode::Parameter: merge(id, node.inputs, out, first); break;
  case RangeNode::Refinement: refine(node, out); break;
  case RangeNode::NonZero: out = facts_[node.inputs[0]]; break;
  case RangeNode::Definition: definition(id, out); break;
  }
  return out;
}

SymbolicBounds::Facts SymbolicBounds::withSelf(NodeId node) const {
  Facts facts = facts_[node];
  if (ValueId value = ranges_.node(node).value; value.valid()) {
    add(facts.side[Lower], {value, 1, 0}, Lower);
    add(facts.side[Upper], {value, 1, 0}, Upper);
  }
  return facts;
}

SymbolicBounds::Facts SymbolicBounds::negated(const Facts &facts) const {
  Facts out;
  for (Side side : {Lower, Upper}) {
    const BoundSet &from = facts.side[side];
    BoundSet &to = out.side[side == Lower ? Upper : Lower];
    for (const LinearBound &bound : from.all())
      to.items[to.size++] = {bound.symbol, -bound.sign, -bound.offset};
    if (from.constant)
      to.constant = -*from.constant;
  }
  return out;
}

void SymbolicBounds::add(BoundSet &set, LinearBound bound, Side side, Wide shift) const {
  bound = canonical(bound);
  Wide offset = bound.offset + shift;
  if (offset > kMaxOffset || offset < -kMaxOffset || !bound.symbol.valid())
    return;
  bound.offset = static_cast<int64_t>(offset);
  NodeId symbol = ranges_.definition(bound.symbol);
  if (symbol == kNoNode || interval(symbol).single())
    return; // the intervals know it
  for (uint8_t i = 0; i < set.size; ++i) {
    LinearBound &known = set.items[i];
    if (sameSymbol(known, bound)) {
      known.offset = side == Lower ? std::max(known.offset, bound.offset) : std::min(known.offset, bound.offset);
      return;
    }
  }
  if (set.size < set.items.size())
    set.items[set.size++] = bound;
}

void SymbolicBounds::addAll(BoundSet &set, const BoundSet &from, Side side, Wide shift) const {
  for (const LinearBound &bound : from.all())
    add(set, bound, side, shift);
  if (from.constant) {
    Wide constant = *from.constant + shift;
    bool tighter = !set.constant || (side == Lower ? constant > *set.constant : constant < *set.constant);
    if (tighter)
      set.constant = constant;
  }
}

/// True where iadd, isub or ineg gives the mathematical result.
bool SymbolicBounds::preserves(const Inst &inst) const {
  bool is_unsigned = typeOf(inst.type).isUnsigned();
  if (is_unsigned && inst.op == Opcode::INeg)
    return false; // wraps wherever it is not 0, on purpose
  if (ideal_)
    return true;
  if ((inst.attr & (is_unsigned ? kNoWrapUnsigned : kNoWrapSigned)) != 0 && inst.op != Opcode::INeg)
    return true;
  const Inst *def = f_.def(inst.result);
  if (def == nullptr)
    return false;
  InstId id = f_.value(inst.result).inst;
  if (inst.op == Opcode::INeg) {
    const auto &inputs = ranges_.operands(id);
    return !inputs.empty() && inputs[0] != kNoNode && interval(inputs[0]).low > rangeOfType(inst.type).low;
  }
  return ranges_.cannotWrap(id, is_unsigned);
}

/// Symbols are followed to what they are sums of with constants, so that n - 1 and n have one symbol.
LinearBound SymbolicBounds::canonical(LinearBound bound) const {
  for (int depth = 0; depth < 8; ++depth) {
    const Inst *inst = f_.def(bound.symbol);
    if (inst == nullptr)
      break;
    if (inst->op == Opcode::Cast && ranges_.definition(inst->operands[0]) != kNoNode &&
        interval(ranges_.definition(inst->operands[0])).inside(rangeOfType(inst->type))) {
      bound.symbol = inst->operands[0];
      continue;
    }
    if (inst->op == Opcode::INeg && preserves(*inst)) {
      bound.symbol = inst->operands[0];
      bound.sign = -bound.sign;
      continue;
    }
    if ((inst->op != Opcode::IAdd && inst->op != Opcode::ISub) || !preserves(*inst))
      break;
    // x + c, x - c, c - x
    auto constant = [&](size_t i) { return ranges_.definition(inst->operands[i]); };
    NodeId left = constant(0), right = constant(1);
    bool subtract = inst->op == Opcode::ISub;
    size_t variable = 0;
    Wide value = 0;
    if (interval(right).single()) {
      value = subtract ? -interval(right).low : interval(right).low;
    } else if (interval(left).single()) {
      value = interval(left).low;
      variable = 1;
    } else {
      break;
    }
    Wide offset = bound.offset + (bound.sign > 0 ? value : -value);
    if (offset > kMaxOffset || offset < -kMaxOffset)
      break;
    bound.offset = static_cast<int64_t>(offset);
    if (variable == 1 && subtract)
      bound.sign = -bound.sign;
    bound.symbol = inst->operands[variable];
  }
  return bound;
}

Wide SymbolicBounds::evaluate(const LinearBound &bound, Side side) const {
  const Interval &symbol = interval(ranges_.definition(bound.symbol));
  bool low_end = (side == Lower) == (bound.sign > 0);
  Wide value = low_end ? symbol.low : symbol.high;
  return (bound.sign > 0 ? value : -value) + bound.offset;
}

Wide SymbolicBounds::limit(NodeId node, Side side) const {
  const BoundSet &set = facts_[node].side[side];
  Wide best = side == Lower ? interval(node).low : interval(node).high;
  auto consider = [&](Wide value) { best = side == Lower ? std::max(best, value) : std::min(best, value); };
  if (set.constant)
    consider(*set.constant);
  for (const LinearBound &bound : set.all())
    consider(evaluate(bound, side));
  return best;
}

/// Bounds of a + b.
void SymbolicBounds::sum(const Facts &a, Wide a_low, Wide a_high, const Facts &b, Wide b_low, Wide b_high, Facts &out) const {
  for (Side side : {Lower, Upper}) {
    BoundSet &set = out.side[side];
    set.constant = side == Lower ? a_low + b_low : a_high + b_high;
    for (const LinearBound &x : a.side[side].all())
      add(set, x, side, side == Lower ? b_low : b_high);
    for (const LinearBound &y : b.side[side].all())
      add(set, y, side, side == Lower ? a_low : a_high);
    for (const LinearBound &x : a.side[side].all()) {
      for (const LinearBound &y : b.side[side].all()) {
        if (x.symbol != y.symbol || x.sign != -y.sign)
          continue;
        Wide constant = static_cast<Wide>(x.offset) + y.offset;
        set.constant = side == Lower ? std::max(*set.constant, constant) : std::min(*set.constant, constant);
      }
    }
  }
}

void SymbolicBounds::refine(const RangeNode &node, Facts &out) const {
  out = facts_[node.inputs[0]];
  if (node.inputs[1] == kNoNode)
    return;
  Facts other = withSelf(node.inputs[1]);
  Predicate p = node.predicate;
  bool strict = p == Predicate::Lt || p == Predicate::Gt;
  if (p == Predicate::Lt || p == Predicate::Le || p == Predicate::Eq)
    addAll(out.side[Upper], other.side[Upper], Upper, strict ? -1 : 0);
  if (p == Predicate::Gt || p == Predicate::Ge || p == Predicate::Eq)
    addAll(out.side[Lower], other.side[Lower], Lower, strict ? 1 : 0);
}

void SymbolicBounds::definition(NodeId id, Facts &out) const {
  const RangeNode &node = ranges_.node(id);
  const Inst *inst = node.value.valid() ? f_.def(node.value) : nullptr;
  if (inst == nullptr || node.inputs.empty())
    return;
  auto known = [&](size_t i) { return i < node.inputs.size() && node.inputs[i] != kNoNode && !interval(node.inputs[i]).empty(); };
  if (!known(0) && inst->op != Opcode::Select)
    return;
  auto low_of = [&](size_t i) { return limit(node.inputs[i], Lower); };
  auto high_of = [&](size_t i) { return limit(node.inputs[i], Upper); };
  auto copyUpper = [&](size_t i) { addAll(out.side[Upper], withSelf(node.inputs[i]).side[Upper], Upper); };
  switch (inst->op) {
  case Opcode::IAdd: case Opcode::ISub: {
    if (!preserves(*inst) || !known(1))
      return;
    Facts a = withSelf(node.inputs[0]), b = withSelf(node.inputs[1]);
    if (inst->op == Opcode::IAdd)
      sum(a, low_of(0), high_of(0), b, low_of(1), high_of(1), out);
    else
      sum(a, low_of(0), high_of(0), negated(b), -high_of(1), -low_of(1), out);
    return;
  }
  case Opcode::INeg:
    if (preserves(*inst))
      out = negated(withSelf(node.inputs[0]));
    return;
  case Opcode::Cast:
    if (interval(node.inputs[0]).inside(rangeOfType(inst->type)))
      out = withSelf(node.inputs[0]);
    return;
  case Opcode::WrapIndex:
    if (low_of(0) >= 0)
      out = withSelf(node.inputs[0]);
    return;
  case Opcode::IMin: case Opcode::IMax: {
    if (!known(1))
      return;
    Side side = inst->op == Opcode::IMin ? Upper : Lower;
    addAll(out.side[side], withSelf(node.inputs[0]).side[side], side);
    addAll(out.side[side], withSelf(node.inputs[1]).side[side], side);
    return;
  }
  case Opcode::IMod:
    if (known(1) && low_of(1) > 0) {
      addAll(out.side[Upper], withSelf(node.inputs[1]).side[Upper], Upper, -1);
      if (low_of(0) >= 0)
        copyUpper(0);
    }
    return;
  case Opcode::IFloorDiv: case Opcode::IShr: case Opcode::IAnd:
    if (known(1) && low_of(0) >= 0 && (inst->op != Opcode::IFloorDiv || low_of(1) > 0))
      copyUpper(0);
    return;
  case Opcode::Select: {
    std::array<NodeId, 2> arms{node.inputs[1], node.inputs[2]};
    merge(id, arms, out, true);
    return;
  }
  default: return;
  }
}

bool SymbolicBounds::holds(NodeId input, const LinearBound &bound, Side side) const {
  const Facts facts = withSelf(input); // named: a range-for keeps no temporary behind a member alive
  for (const LinearBound &known : facts.side[side].all()) {
    if (sameSymbol(known, bound))
      return side == Lower ? known.offset >= bound.offset : known.offset <= bound.offset;
  }
  return false;
}

/// A symbol must have one value for all that goes into a parameter: it is defined before the parameter's block.
bool SymbolicBounds::usableAt(const LinearBound &bound, NodeId parameter) const {
  BlockId home = ranges_.dominators().blockOf(bound.symbol);
  BlockId block = ranges_.dominators().blockOf(ranges_.node(parameter).value);
  return home.valid() && home != block && ranges_.dominators().dominates(home, block);
}

void SymbolicBounds::merge(NodeId id, std::span<const NodeId> inputs, Facts &out, bool first) const {
  std::vector<NodeId> known;
  for (NodeId input : inputs) {
    if (input == kNoNode)
      return;
    if (facts_[input].visited && !interval(input).empty())
      known.push_back(input);
  }
  if (known.empty())
    return;
  bool is_parameter = ranges_.node(id).kind == RangeNode::Parameter;
  Facts candidates = first ? withSelf(known[0]) : facts_[id];
  for (Side side : {Lower, Upper}) {
    for (LinearBound bound : candidates.side[side].all()) {
      if (is_parameter && !usableAt(bound, id))
        continue;
      // On the first pass the weakest offset of all that are known; later the claim stands or falls.
      bool all = true;
      for (NodeId input : known) {
        bool found = false;
        const Facts facts = withSelf(input);
        for (const LinearBound &other : facts.side[side].all()) {
          if (!sameSymbol(other, bound))
            continue;
          found = true;
          if (first)
            bound.offset = side == Lower ? std::min(bound.offset, other.offset) : std::max(bound.offset, other.offset);
        }
        all = all && found && holds(input, bound, side);
      }
      if (all && out.side[side].size < out.side[side].items.size())
        out.side[side].items[out.side[side].size++] = bound;
    }
    Wide weakest = limit(known[0], side);
    bool found = false; // beyond what the intervals know
    for (NodeId input : known) {
      Wide here = limit(input, side);
      weakest = side == Lower ? std::min(weakest, here) : std::max(weakest, here);
      found = found || here != (side == Lower ? interval(input).low : interval(input).high);
    }
    const auto &claimed = facts_[id].side[side].constant;
    if (first && found)
      out.side[side].constant = weakest;
    else if (!first && claimed && (side == Lower ? weakest >= *claimed : weakest <= *claimed))
      out.side[side].constant = claimed;
  }
}

} // namespace naja::passes
