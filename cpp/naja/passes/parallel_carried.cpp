#include "naja/passes/parallel_carried.h"

#include "naja/passes/parallel_arrays.h"
#include "naja/types/layout.h"

#include <algorithm>
#include <map>

namespace naja::passes {
using namespace ir;

namespace {

/// A use of a value inside of the loop: as an operand, or as an argument of an edge.
struct Use {
  InstId inst;
  BlockId block;
  int edge = -1;
  size_t index = 0; // of the operand, or of the argument
};

class Classifier {
public:
  Classifier(const Function &f, const MarkedLoop &loop, const Dominators &dominators)
      : f_(f), loop_(loop), dominators_(dominators), uses_(f.numValues()) {
    for (BlockId block : dominators.order()) {
      if (loop.inside[block.value]) collect(block);
    }
  }

  std::optional<Dependence> run(std::vector<Carried> &out) {
    const auto &params = f_.block(loop_.header).params;
    for (uint32_t i = 0; i < params.size(); ++i) {
      if (params[i] == loop_.index) continue;
      Carried carried;
      carried.param = params[i];
      carried.position = i;
      carried.chain.assign(f_.numValues(), false);
      if (isInduction(carried) || isFold(carried) || isExtreme(carried) || isLast(carried)) {
        out.push_back(std::move(carried));
        continue;
      }
      return dependence(carried);
    }
    return follow(out);
  }

private:
  bool inside(BlockId block) const { return loop_.inside[block.value]; }
  bool definedOutside(ValueId value) const {
    BlockId home = dominators_.blockOf(value);
    return home.valid() && !inside(home);
  }
  bool isConstant(ValueId value) const {
    const Inst *def = f_.def(value);
    return def && def->op == Opcode::Const;
  }

  void collect(BlockId block) {
    for (InstId id : f_.block(block).insts) {
      const Inst &inst = f_.inst(id);
      for (size_t i = 0; i < inst.operands.size(); ++i) uses_[inst.operands[i].value].push_back({id, block, -1, i});
      for (size_t e = 0; e < inst.edges.size(); ++e) {
        for (size_t i = 0; i < inst.edges[e].args.size(); ++i)
          uses_[inst.edges[e].args[i].value].push_back({id, block, static_cast<int>(e), i});
        if (inst.edges[e].target.valid()) entering_[inst.edges[e].target.value].push_back({id, block, static_cast<int>(e), 0});
      }
    }
  }

  const Edge &edgeOf(const Use &use) const { return f_.inst(use.inst).edges[static_cast<size_t>(use.edge)]; }

  /// Where an edge hands a value on: the parameter of its target; invalid where it leaves the loop.
  ValueId handedTo(const Use &use) const {
    const Edge &edge = edgeOf(use);
    return inside(edge.target) ? f_.block(edge.target).params[use.index] : ValueId();
  }

  /// Follows a value through the loop. `operand(use)` decides on its uses by instructions: an invalid id forbids them, a
  /// value continues the chain there, `param` itself ignores the use.
  template <class Operand> bool grow(Carried &c, Operand operand) {
    c.chain.assign(f_.numValues(), false);
    c.chain[c.param.value] = true;
    std::vector<ValueId> work{c.param};
    auto add = [&](ValueId value) {
      if (c.chain[value.value]) return;
      c.chain[value.value] = true;
      work.push_back(value);
    };
    while (!work.empty()) {
      ValueId value = work.back();
      work.pop_back();
      for (const Use &use : uses_[value.value]) {
        if (use.edge >= 0) {
          const Edge &edge = edgeOf(use);
          if (!inside(edge.target)) {
            if (use.block != loop_.header) return false;
            continue;
          }
          ValueId to = handedTo(use);
          if (edge.target == loop_.header && to != c.param) return false;
          add(to);
          continue;
        }
        ValueId next = operand(use);
        if (!next.valid()) return false;
        add(next);
      }
    }
    return true;
  }

  /// Calls fn(parameter, argument, use) for everything that edges of the loop hand to parameters in the chain.
  template <class Fn> bool everyArgument(const Carried &c, Fn fn) const {
    for (const auto &[block, edges] : entering_) {
      if (!loop_.inside[block]) continue;
      const auto &params = f_.block(BlockId(block)).params;
      for (size_t i = 0; i < params.size(); ++i) {
        if (!c.chain[params[i].value]) continue;
        for (const Use &edge : edges) {
          if (!fn(params[i], edgeOf(edge).args[i], edge)) return false;
        }
      }
    }
    return true;
  }
  bool onlyChain(const Carried &c) const {
    return everyArgument(c, [&](ValueId, ValueId argument, const Use &) { return c.chain[argument.value]; });
  }

  // ---- x += d in every iteration, whatever else x is used for
  bool isInduction(Carried &c) {
    if (typeOf(f_.typeOf(c.param)).kind != TypeKind::Int) return false;
    ValueId next;
    auto it = entering_.find(loop_.header.value);
    if (it == entering_.end()) return false;
    for (const Use &edge : it->second) {
      ValueId argument = edgeOf(edge).args[c.position];
      if (next.valid() && next != argument) return false;
      next = argument;
    }
    const Inst *def = next.valid() ? f_.def(next) : nullptr;
    if (!def || (def->op != Opcode::IAdd && def->op != Opcode::ISub) || def->operands[0] != c.param) return false;
    ValueId step = def->operands[1];
    if (!isConstant(step) && !definedOutside(step)) return false;
    c.role = Role::Induction;
    c.op = def->op;
    c.step = step;
    return true;
  }

  // ---- x = x op y, in any nesting, by one family of operations
  bool isFold(Carried &c) {
    if (!typeOf(f_.typeOf(c.param)).isScalar()) return false;
    std::optional<std::pair<Opcode, int64_t>> family;
    bool grown = grow(c, [&](const Use &use) -> ValueId {
      const Inst &inst = f_.inst(use.inst);
      if (inst.op == Opcode::Select && use.index > 0) return inst.result; // its other value is looked at below
      std::optional<std::pair<Opcode, int64_t>> here;
      if (auto op = combiningOperation(inst)) here = {*op, inst.op == Opcode::Math ? inst.attr : 0};
      if (!here || (family && *family != *here)) return {};
      if (inst.operands[0] == inst.operands[1] || (needsValueFirst(inst.op) && use.index != 0)) return {};
      family = here;
      return inst.result;
    });
    if (!grown || !family || !onlyChain(c)) return false;
    c.role = Role::Fold;
    c.op = family->first;
    c.attr = family->second;
    return selectsStay(c) && operandsStayOut(c);
  }

  /// Both values of a select in the chain are.
  bool selectsStay(const Carried &c) const {
    return everyDefinition(c, [&](const Inst &inst) {
      return inst.op != Opcode::Select || (c.chain[inst.operands[1].value] && c.chain[inst.operands[2].value]);
    });
  }
  /// One operand of each operation is in the chain, the other is not.
  bool operandsStayOut(const Carried &c) const {
    return everyDefinition(c, [&](const Inst &inst) {
      return inst.op == Opcode::Select || c.chain[inst.operands[0].value] != c.chain[inst.operands[1].value];
    });
  }
  template <class Fn> bool everyDefinition(const Carried &c, Fn fn) const {
    for (uint32_t v = 0; v < c.chain.size(); ++v) {
      if (!c.chain[v]) continue;
      const Inst *def = f_.def(ValueId(v));
      if (def && !fn(*def)) return false;
    }
    return true;
  }

  // ---- if x > m: m = x, by a branch or a select
  struct Pick {
    ValueId compare, value;
  };
  bool isExtreme(Carried &c) {
    if (!typeOf(f_.typeOf(c.param)).isReal()) return false;
    std::vector<Pick> picks;
    bool consistent = true;
    c.role = Role::Extreme;
    bool grown = grow(c, [&](const Use &use) -> ValueId {
      const Inst &inst = f_.inst(use.inst);
      if (inst.op == Opcode::Select && use.index > 0) return inst.result;
      if (inst.op != Opcode::ICmp && inst.op != Opcode::FCmp) return {};
      bool value_first = use.index == 1;
      if (inst.predicate() == Predicate::Eq || inst.predicate() == Predicate::Ne) return {};
      if (!picks.empty())
        consistent = consistent && c.op == inst.op && c.attr == inst.attr && c.value_first == value_first;
      c.op = inst.op;
      c.attr = inst.attr;
      c.value_first = value_first;
      picks.push_back({inst.result, inst.operands[value_first ? 0 : 1]});
      return c.param; // no part of the chain: its uses are checked below
    });
    if (!grown || picks.empty() || !consistent) return false;
    std::optional<bool> taken_if;
    auto outcome = [&](bool taken) { return !taken_if || *taken_if == taken ? (taken_if = taken, true) : false; };
    for (const Pick &pick : picks) {
      if (c.chain[pick.value.value] || !comparisonOnlyPicks(c, pick)) return false;
    }
    if (!everyDefinition(c, [&](const Inst &inst) { return inst.op != Opcode::Select || selectPicks(c, inst, picks, outcome); }))
      return false;
    bool merged = everyArgument(c, [&](ValueId, ValueId argument, const Use &edge) {
      return c.chain[argument.value] || edgePicks(argument, edge, picks, outcome);
    });
    if (!merged || !taken_if) return false;
    c.taken_if = *taken_if;
    return true;
  }

  bool comparisonOnlyPicks(const Carried &, const Pick &pick) const {
    for (const Use &use : uses_[pick.compare.value]) {
      const Inst &inst = f_.inst(use.inst);
      if (use.edge >= 0 || (inst.op != Opcode::Select && inst.op != Opcode::CondBr) || use.index != 0) return false;
      if (inst.op == Opcode::CondBr && !isDiamond(inst)) return false;
    }
    return true;
  }
  template <class Outcome>
  bool selectPicks(const Carried &c, const Inst &inst, const std::vector<Pick> &picks, Outcome outcome) const {
    bool first = c.chain[inst.operands[1].value], second = c.chain[inst.operands[2].value];
    if (first && second) return true;
    ValueId value = inst.operands[first ? 2 : 1];
    for (const Pick &pick : picks) {
      if (pick.compare == inst.operands[0] && pick.value == value) return outcome(!first);
    }
    return false;
  }
  /// The argument comes along the side of a diamond that a comparison of it decides.
  template <class Outcome> bool edgePicks(ValueId argument, const Use &edge, const std::vector<Pick> &picks, Outcome outcome) const {
    InstId branch_id = edge.inst;
    BlockId block = edge.block;
    int side = edge.edge;
    if (f_.inst(branch_id).op == Opcode::Br) { // through a block that only computes
      auto it = entering_.find(edge.block.value);
      if (it == entering_.end() || it->second.size() != 1 || !onlyComputes(f_.block(edge.block))) return false;
      branch_id = it->second[0].inst;
      block = it->second[0].block;
      side = it->second[0].edge;
    }
    const Inst &branch = f_.inst(branch_id);
    if (branch.op != Opcode::CondBr) return false;
    for (const Pick &pick : picks) {
      if (branch.operands[0] == pick.compare && isSame(pick.value, argument, block)) return outcome(side == 0);
    }
    return false;
  }

  bool onlyComputes(const Block &block) const {
    return std::ranges::all_of(block.insts, [&](InstId id) {
      const Inst &inst = f_.inst(id);
      return (info(inst.op).effects & Writes) == 0 && !inst.mayRaise();
    });
  }
  /// Whether `there`, in the side of a branch, is what `here` is in front of it: nothing is written between the two.
  bool isSame(ValueId here, ValueId there, BlockId branch_block, int depth = 0) const {
    if (here == there) return true;
    const Inst *a = f_.def(here), *b = f_.def(there);
    if (!a || !b || depth > 4 || a->op != b->op || a->attr != b->attr || a->type != b->type || a->int_list != b->int_list ||
        a->operands.size() != b->operands.size() || (info(a->op).effects & Writes) != 0)
      return false;
    if ((info(a->op).effects & Reads) != 0 && writtenAfter(f_.value(here).inst, branch_block)) return false;
    for (size_t i = 0; i < a->operands.size(); ++i) {
      if (!isSame(a->operands[i], b->operands[i], branch_block, depth + 1)) return false;
    }
    return true;
  }
  bool writtenAfter(InstId inst, BlockId block) const {
    if (dominators_.blockOf(inst) != block) return true;
    const auto &insts = f_.block(block).insts;
    auto at = std::ranges::find(insts, inst);
    return std::any_of(at, insts.end(), [&](InstId id) { return (info(f_.inst(id).op).effects & Writes) != 0; });
  }

  /// Where a side of a branch leads: straight to a block with parameters, or through one that only computes.
  const Edge *sideOf(const Inst &branch, size_t side) const {
    const Edge *edge = &branch.edges[side];
    const Block &block = f_.block(edge->target);
    auto it = entering_.find(edge->target.value);
    bool alone = it != entering_.end() && it->second.size() == 1;
    if (alone && block.params.empty() && f_.terminator(edge->target).op == Opcode::Br && onlyComputes(block))
      edge = &f_.terminator(edge->target).edges[0];
    return edge;
  }
  /// A branch that does nothing but pick arguments for one block.
  bool isDiamond(const Inst &branch) const {
    return inside(sideOf(branch, 0)->target) && sideOf(branch, 0)->target == sideOf(branch, 1)->target;
  }

  // ---- assigned, now and then, and not read before it is
  bool isLast(Carried &c) {
    if (!grow(c, [](const Use &) { return ValueId(); })) return false;
    c.role = Role::Last;
    auto it = entering_.find(loop_.header.value);
    if (it == entering_.end()) return false;
    for (const Use &edge : it->second) c.conditional = c.conditional || c.chain[edgeOf(edge).args[c.position].value];
    return true;
  }

  // ---- what is assigned where an extreme is found (the index of a maximum)

  /// Values that the comparisons of extremes decide must be assigned together with them, and only so.
  std::optional<Dependence> follow(std::vector<Carried> &all) {
    for (size_t e = 0; e < all.size(); ++e) {
      if (all[e].role != Role::Extreme) continue;
      for (size_t i = 0; i < all.size(); ++i) {
        if (i != e && decidedBy(all[i], all[e]) && !follows(all, i, e)) return dependence(all[i]);
      }
      if (!othersUndecided(all, e)) return dependence(all[e]);
    }
    return {};
  }

  template <class Fn> void eachDecision(const Carried &extreme, Fn fn) const {
    for (uint32_t v = 0; v < extreme.chain.size(); ++v) {
      if (!extreme.chain[v]) continue;
      for (const Use &use : uses_[v]) {
        const Inst &compare = f_.inst(use.inst);
        if (use.edge >= 0 || (compare.op != Opcode::ICmp && compare.op != Opcode::FCmp)) continue;
        for (const Use &decided : uses_[compare.result.value]) fn(f_.inst(decided.inst));
      }
    }
  }
  static bool differs(const Edge &a, const Edge &b, size_t i) { return a.args[i] != b.args[i]; }

  bool decidedBy(const Carried &c, const Carried &extreme) const {
    bool decided = false;
    eachDecision(extreme, [&](const Inst &inst) {
      if (inst.op == Opcode::Select) {
        decided = decided || c.chain[inst.operands[1].value] || c.chain[inst.operands[2].value];
        return;
      }
      const Edge *sides[] = {sideOf(inst, 0), sideOf(inst, 1)};
      const auto &params = f_.block(sides[0]->target).params;
      for (size_t i = 0; i < params.size(); ++i)
        decided = decided || (c.chain[params[i].value] && differs(*sides[0], *sides[1], i));
    });
    return decided;
  }

  /// It gets new values only where the extreme does.
  bool follows(std::vector<Carried> &all, size_t i, size_t e) const {
    Carried &c = all[i];
    const Carried &extreme = all[e];
    if (c.role != Role::Last || c.follows >= 0) return false;
    bool together = everyArgument(c, [&](ValueId param, ValueId argument, const Use &edge) {
      if (c.chain[argument.value]) return true;
      const Edge &in = edgeOf(edge);
      const auto &params = f_.block(in.target).params;
      for (size_t k = 0; k < params.size(); ++k) {
        if (extreme.chain[params[k].value] && !extreme.chain[in.args[k].value]) return true;
      }
      static_cast<void>(param);
      return false;
    });
    // And where the extreme does, it does.
    bool always = everyArgument(extreme, [&](ValueId, ValueId argument, const Use &edge) {
      if (extreme.chain[argument.value]) return true;
      const Edge &in = edgeOf(edge);
      const auto &params = f_.block(in.target).params;
      for (size_t k = 0; k < params.size(); ++k) {
        if (c.chain[params[k].value] && !c.chain[in.args[k].value]) return true;
      }
      return false;
    });
    if (!together || !always) return false;
    c.follows = static_cast<int>(e);
    return true;
  }

  /// No value that is carried by nothing in the list is decided by the extreme.
  bool othersUndecided(const std::vector<Carried> &all, size_t e) const {
    bool good = true;
    eachDecision(all[e], [&](const Inst &inst) {
      auto carried = [&](ValueId value) {
        return std::ranges::any_of(all, [&](const Carried &c) { return c.chain.size() > value.value && c.chain[value.value]; });
      };
      if (inst.op == Opcode::Select) {
        good = good && carried(inst.result);
        return;
      }
      const Edge *sides[] = {sideOf(inst, 0), sideOf(inst, 1)};
      const auto &params = f_.block(sides[0]->target).params;
      for (size_t i = 0; i < params.size(); ++i) good = good && (carried(params[i]) || !differs(*sides[0], *sides[1], i));
    });
    return good;
  }

  /// The two places: where the value of an iteration is made, and where the next one reads it.
  std::optional<Dependence> dependence(const Carried &c) const {
    Dependence d;
    d.where = loop_.loc;
    for (const Use &use : uses_[c.param.value]) {
      if (use.edge < 0) {
        d.where = f_.inst(use.inst).loc;
        break;
      }
    }
    if (auto it = entering_.find(loop_.header.value); it != entering_.end() && !it->second.empty()) {
      const Inst *def = f_.def(edgeOf(it->second[0]).args[c.position]);
      d.other = def ? def->loc : f_.inst(it->second[0].inst).loc;
    }
    const SymbolId name = f_.value(c.param).name;
    d.text = name.valid() ? "variable '" + std::string(symbolText(name)) + "' carries a value from one iteration to the next"
                          : "a value is carried from one iteration to the next";
    return d;
  }

  const Function &f_;
  const MarkedLoop &loop_;
  const Dominators &dominators_;
  std::vector<std::vector<Use>> uses_;
  std::map<uint32_t, std::vector<Use>> entering_; // edges of the loop, by target
};

} // namespace

std::optional<Dependence> classifyCarried(const Function &function, const MarkedLoop &loop, const Dominators &dominators,
                                          std::vector<Carried> &out) {
  return Classifier(function, loop, dominators).run(out);
}

} // namespace naja::passes
