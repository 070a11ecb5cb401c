#include "naja/passes/simplify.h"

#include "naja/ir/dominators.h"
#include "naja/passes/block_params.h"
#include "naja/passes/cfg.h"
#include "naja/passes/simplify_rules.h"
#include "naja/passes/tuple_params.h"
#include "naja/passes/value_table.h"

#include <algorithm>
#include <map>

namespace naja::passes {
using namespace ir;

namespace {

/// Pure and sure: computing it twice is computing it once. Checks count: one that passed passes again.
bool repeatable(const Inst &inst) {
  uint8_t effects = info(inst.op).effects;
  return (effects & static_cast<uint8_t>(Calls & ~MayRaise)) == 0 && !info(inst.op).is_terminator && !info(inst.op).is_generic;
}

/// One sweep in dominance order: operands resolved, rules applied, repeated values found.
class Sweep final : public RuleContext {
public:
  explicit Sweep(Function &function) : RuleContext(function), dominators_(function), table_(function) {
    for (uint32_t i = 0; i < f.numValues(); ++i)
      map_.emplace_back(i);
  }

  bool run() {
    removeUnreachable(f, dominators_.order());
    collectConstants();
    for (BlockId block : dominators_.order())
      sweep(block);
    auto &entry = f.block(f.entry()).insts;
    entry.insert(entry.begin(), constants_.begin(), constants_.end());
    replaceValues(f, map_); // edges to blocks that were swept before
    return changed_;
  }

  ValueId constant(const ScalarConstant &scalar) override {
    auto [found, fresh] = scalars_.try_emplace({scalar.type.value, scalar.bits}, ValueId());
    if (fresh) {
      Inst inst;
      inst.op = Opcode::Const;
      inst.type = scalar.type;
      inst.attr = constantOf(scalar).value;
      InstId id = f.makeInst(std::move(inst));
      constants_.push_back(id);
      found->second = f.inst(id).result;
      map_.push_back(found->second);
    }
    return found->second;
  }

private:
  /// Takes the constants out of all blocks, one instruction for equal ones.
  void collectConstants() {
    for (BlockId block : dominators_.order()) {
      std::erase_if(f.block(block).insts, [&](InstId id) {
        const Inst &inst = f.inst(id);
        if (inst.op != Opcode::Const && inst.op != Opcode::Undef)
          return false;
        auto scalar = scalarOf(inst);
        ValueId &known = scalar ? scalars_[{scalar->type.value, scalar->bits}]
                                : others_[{inst.type.value, inst.op == Opcode::Undef ? -1 : inst.attr}];
        if (known.valid()) {
          map_[inst.result.value] = known;
        } else {
          known = inst.result;
          constants_.push_back(id);
        }
        return true;
      });
    }
  }

  ValueId resolve(ValueId value) {
    while (map_[value.value] != value)
      value = map_[value.value];
    return value;
  }

  void sweep(BlockId block) {
    block_ = block;
    std::vector<InstId> insts = std::move(f.block(block).insts);
    size_t kept = 0;
    for (InstId id : insts) {
      if (instruction(id))
        insts[kept++] = id;
    }
    insts.resize(kept);
    f.block(block).insts = std::move(insts);
  }

  /// False where the instruction is gone.
  bool instruction(InstId id) {
    // Rules may make constants, which moves the instructions of the function: they work on this one apart.
    Inst inst = std::move(f.inst(id));
    for (ValueId &operand : inst.operands)
      operand = resolve(operand);
    for (Edge &edge : inst.edges) {
      for (ValueId &arg : edge.args)
        arg = resolve(arg);
    }
    bool kept = info(inst.op).is_terminator ? (branch(inst), true) : simplified(inst);
    f.inst(id) = std::move(inst);
    kept = kept && !(repeatable(f.inst(id)) && repeated(id));
    changed_ = changed_ || !kept;
    return kept;
  }

  bool simplified(Inst &inst) {
    for (int i = 0; i < 8; ++i) {
      if (ValueId folded = foldConstant(inst); folded.valid())
        return replace(inst, folded);
      Rewrite result = rewrite(*this, inst);
      if (result.kind == Rewrite::None)
        return true;
      if (result.kind == Rewrite::Remove)
        return false;
      if (result.kind == Rewrite::Value)
        return replace(inst, result.value);
      changed_ = true;
    }
    return true;
  }

  bool replace(const Inst &inst, ValueId value) {
    map_[inst.result.value] = resolve(value);
    SymbolId name = f.value(inst.result).name;
    Value &target = f.value(map_[inst.result.value]);
    if (name.valid() && !target.name.valid() && target.inst.valid())
      target.name = name;
    return false;
  }

  ValueId foldConstant(const Inst &inst) {
    if (!inst.result.valid() || inst.operands.empty() || inst.operands.size() > 2)
      return {};
    ScalarConstant operands[2];
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      auto known = scalar(inst.operands[i]);
      if (!known)
        return {};
      operands[i] = *known;
    }
    auto folded = fold(inst, {operands, inst.operands.size()});
    return folded ? constant(*folded) : ValueId();
  }

  /// True where a dominating instruction computed the same (or checked it). Its wrap flags hold for this one as well:
  /// they are about the same numbers.
  bool repeated(InstId id) {
    const Inst &inst = f.inst(id);
    InstId &slot = table_.slot(inst);
    InstId first = slot;
    if (first.valid() && first != id && dominates(first)) {
      if (inst.result.valid())
        replace(inst, f.inst(first).result);
      return true;
    }
    slot = id;
    return false;
  }

  bool dominates(InstId first) const {
    BlockId home = dominators_.blockOf(first);
    if (!home.valid())
      return false;
    if (home == block_)
      return true;
    ValueId result = f.inst(first).result;
    // Blocks that exceptions enter see only what was computed before the instruction that raised.
    return result.valid() ? dominators_.available(result, block_, 0) : dominators_.dominates(home, block_);
  }

  void branch(Inst &inst) {
    if (inst.op != Opcode::CondBr)
      return;
    if (const Inst *negated = def(inst.operands[0], Opcode::INot)) {
      ValueId condition = negated->operands[0];
      inst.operands[0] = condition;
      std::swap(inst.edges[0], inst.edges[1]);
    }
    auto condition = scalar(inst.operands[0]);
    bool same = inst.edges[0].target == inst.edges[1].target && inst.edges[0].args == inst.edges[1].args;
    if (!condition && !same)
      return;
    if (!same && condition->bits == 0)
      std::swap(inst.edges[0], inst.edges[1]);
    inst.op = Opcode::Br;
    inst.operands.clear();
    inst.edges.resize(1);
    changed_ = true;
  }

  Dominators dominators_;
  ValueTable table_;
  std::vector<ValueId> map_;
  std::map<std::pair<uint32_t, int64_t>, ValueId> scalars_, others_;
  std::vector<InstId> constants_;
  BlockId block_;
  bool changed_ = false;
};

/// Joins a block with the one that it branches to, where nothing else does; skips blocks that only branch.
class Blocks {
public:
  explicit Blocks(Function &function) : f_(function), order_(function.reversePostOrder()) {}

  bool run() {
    removeUnreachable(f_, order_);
    count();
    bool changed = skipEmpty();
    for (BlockId block : order_) {
      if (!f_.block(block).dead)
        changed = join(block) || changed;
    }
    return changed;
  }

private:
  void count() {
    entries_.assign(f_.numBlocks(), 0);
    unwinds_.assign(f_.numBlocks(), false);
    for (BlockId block : order_) {
      for (InstId id : f_.block(block).insts) {
        for (const Edge &edge : f_.inst(id).edges)
          ++entries_[edge.target.value];
        if (f_.inst(id).unwind.valid())
          unwinds_[f_.inst(id).unwind.value] = true;
      }
    }
  }

  /// A block without parameters that only branches on: its predecessors go there themselves. Its arguments, if it passes
  /// any, are values that dominate it and so its predecessors' ends.
  bool isForwarder(BlockId block) const {
    const Block &b = f_.block(block);
    return block != f_.entry() && b.params.empty() && b.insts.size() == 1 && !b.is_loop_header &&
           f_.inst(b.insts[0]).op == Opcode::Br && !unwinds_[block.value] &&
           f_.inst(b.insts[0]).edges[0].target != block;
  }

  bool skipEmpty() {
    bool changed = false;
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      auto &edges = f_.terminator(*it).edges;
      for (Edge &edge : edges) {
        BlockId middle = edge.target;
        if (!isForwarder(middle))
          continue;
        const Edge &onward = f_.terminator(middle).edges[0];
        // A loop header keeps one entry from outside, and no block is the target of two edges of one branch.
        bool twice = std::ranges::any_of(edges, [&](const Edge &other) { return other.target == onward.target; });
        if (twice || f_.block(onward.target).is_loop_header)
          continue;
        edge = Edge(onward);
        ++entries_[edge.target.value];
        if (--entries_[middle.value] == 0) {
          --entries_[edge.target.value];
          f_.block(middle).dead = true;
          f_.block(middle).insts.clear();
        }
        changed = true;
      }
    }
    return changed;
  }

  bool join(BlockId block) {
    bool changed = false;
    for (;;) {
      Inst &end = f_.terminator(block);
      if (end.op != Opcode::Br)
        return changed;
      BlockId next = end.edges[0].target;
      if (next == block || entries_[next.value] != 1 || unwinds_[next.value])
        return changed;
      // What exceptions enter stays a block that releases and goes on.
      Opcode last = f_.terminator(next).op;
      if (unwinds_[block.value] && last != Opcode::Br && last != Opcode::Resume && last != Opcode::Raise)
        return changed;
      Block &target = f_.block(next);
      for (size_t i = 0; i < target.params.size(); ++i)
        replaced(target.params[i], end.edges[0].args[i]);
      auto &insts = f_.block(block).insts;
      insts.pop_back();
      insts.insert(insts.end(), target.insts.begin(), target.insts.end());
      target.insts.clear();
      target.params.clear();
      target.dead = true;
      changed = true;
    }
  }

  void replaced(ValueId param, ValueId arg) {
    if (map_.empty()) {
      for (uint32_t i = 0; i < f_.numValues(); ++i)
        map_.emplace_back(i);
    }
    map_[param.value] = arg;
  }

  Function &f_;
  std::vector<BlockId> order_;
  std::vector<uint32_t> entries_;
  std::vector<bool> unwinds_;

public:
  std::vector<ValueId> map_;
};

bool tidyBlocks(Function &function) {
  Blocks blocks(function);
  bool changed = blocks.run();
  if (!blocks.map_.empty())
    replaceValues(function, blocks.map_);
  return changed;
}

} // namespace

bool simplifyFunction(Function &function) {
  if (function.external || !function.typed)
    return false;
  bool any = false;
  // A second round finds what folded branches and parameters made possible; there is rarely a third.
  for (int round = 0; round < 4; ++round) {
    bool changed = removeTrivialParams(function, function.reversePostOrder());
    changed = splitTupleParams(function, function.reversePostOrder()) || changed;
    changed = Sweep(function).run() || changed;
    changed = mergeEqualParams(function, function.reversePostOrder()) || changed;
    changed = tidyBlocks(function) || changed;
    changed = removeUnread(function, function.reversePostOrder()) || changed;
    any = any || changed;
    if (!changed)
      break;
  }
  return any;
}

void simplify(Module &module) {
  for (const auto &function : module.functions)
    simplifyFunction(*function);
}

} // namespace naja::passes
