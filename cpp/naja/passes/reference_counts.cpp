#include "naja/passes/reference_counts.h"

#include "naja/passes/bit_matrix.h"
#include "naja/passes/cfg.h"
#include "naja/passes/ownership.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace naja::passes {
using namespace ir;

namespace {

/// Blocks that release a set of roots and go on to the handler (or out). A set is released from its last root to its
/// first, each in a block of its own, so that sets with a common beginning share the rest: what straight-line code needs
/// grows linearly.
class UnwindBlocks {
public:
  UnwindBlocks(Function &function, const Ownership &ownership) : f_(function), ownership_(ownership) {}

  BlockId get(std::span<const Word> roots, BlockId handler) {
    BlockId block = handler;
    forEachBit(roots, [&](uint32_t root) { block = step(block, handler, root); });
    return block;
  }

private:
  BlockId step(BlockId next, BlockId handler, uint32_t root) {
    auto [found, fresh] = blocks_.try_emplace({next.value, handler.value, root}, BlockId());
    if (!fresh)
      return found->second;
    BlockId block = f_.addBlock();
    Inst release;
    release.op = Opcode::DecRef;
    release.operands.push_back(ownership_.roots()[root]);
    f_.append(block, std::move(release));
    Inst end;
    end.op = next.valid() ? Opcode::Br : Opcode::Resume;
    if (next.valid())
      end.edges.push_back({next, {}});
    f_.append(block, std::move(end));
    found->second = block;
    return block;
  }

  Function &f_;
  const Ownership &ownership_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, BlockId> blocks_;
};

class Inserter {
public:
  explicit Inserter(Function &function)
      : f_(function), order_(function.reversePostOrder()), ownership_(function, order_),
        live_in_(function.numBlocks(), ownership_.roots().size()), unwinds_(function, ownership_),
        live_(live_in_.words()), released_(live_in_.words()) {}

  void run() {
    removeUnreachable(f_, order_);
    liveness();
    for (BlockId block : order_)
      walk(block);
    placeOnEdges();
  }

private:
  /// Owned roots that are live where a block begins. A use of a view is a use of its roots.
  void liveness() {
    BitMatrix defined(f_.numBlocks(), ownership_.roots().size());
    for (BlockId block : order_)
      scan(block, defined.row(block.value));
    std::vector<Word> out(live_in_.words());
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
        std::fill(out.begin(), out.end(), 0);
        flowIn(*it, out);
        auto in = live_in_.row(it->value);
        auto def = defined.row(it->value);
        for (size_t w = 0; w < out.size(); ++w) {
          Word next = in[w] | (out[w] & ~def[w]);
          changed = changed || next != in[w];
          in[w] = next;
        }
      }
    }
  }

  /// Definitions of a block, and its uses of what it does not define.
  void scan(BlockId block, std::span<Word> defined) {
    auto define = [&](ValueId value) {
      if (int root = ownership_.rootIndex(value); root >= 0)
        setBit(defined, static_cast<uint32_t>(root));
    };
    for (ValueId param : f_.block(block).params)
      define(param);
    for (InstId id : f_.block(block).insts) {
      const Inst &inst = f_.inst(id);
      forEachUse(inst, [&](uint32_t root) {
        if (!testBit(defined, root))
          setBit(live_in_.row(block.value), root);
      });
      if (inst.result.valid())
        define(inst.result);
    }
  }

  void flowIn(BlockId block, std::span<Word> out) const {
    for (InstId id : f_.block(block).insts) {
      const Inst &inst = f_.inst(id);
      for (const Edge &edge : inst.edges)
        uniteWith(out, live_in_.row(edge.target.value));
      if (inst.unwind.valid())
        uniteWith(out, live_in_.row(inst.unwind.value));
    }
  }

  template <class Fn> void forEachUse(const Inst &inst, Fn &&fn) const {
    for (ValueId operand : inst.operands)
      std::ranges::for_each(ownership_.keeps(operand), fn);
    for (const Edge &edge : inst.edges) {
      for (ValueId arg : edge.args)
        std::ranges::for_each(ownership_.keeps(arg), fn);
    }
  }

  InstId count(Opcode op, ValueId value, const Loc &loc) {
    Inst inst;
    inst.op = op;
    inst.operands.push_back(value);
    inst.loc = loc;
    return f_.makeInst(std::move(inst));
  }

  /// Gives `args` away at one point. Of `dying`, the roots whose last use this is, those that can be moved are taken out;
  /// everything else is counted.
  void giveAway(std::span<const ValueId> args, std::span<Word> dying, const Loc &loc, std::vector<InstId> &out) {
    for (ValueId arg : args) {
      ownership_.leaves(arg, [&](ValueId leaf) {
        if (ownership_.countsNothing(leaf) || !hasReferences(f_.typeOf(leaf)))
          return;
        int owner = ownership_.owner(leaf);
        if (owner >= 0 && testBit(dying, static_cast<uint32_t>(owner)))
          clearBit(dying, static_cast<uint32_t>(owner));
        else
          out.push_back(count(Opcode::IncRef, leaf, loc));
      });
    }
  }

  void release(std::span<const Word> roots, const Loc &loc, std::vector<InstId> &out) {
    forEachBit(roots, [&](uint32_t root) { out.push_back(count(Opcode::DecRef, ownership_.roots()[root], loc)); });
  }

  /// Walks a block backwards, collecting its new instructions from the end; `live_` is what is live after each.
  void walk(BlockId block) {
    std::vector<InstId> old = f_.block(block).insts;
    std::fill(live_.begin(), live_.end(), 0);
    reversed_.clear();
    terminator(block, old.back());
    for (size_t i = old.size() - 1; i-- > 0;)
      instruction(old[i]);
    std::vector<InstId> insts;
    for (ValueId param : f_.block(block).params) {
      int root = ownership_.rootIndex(param);
      if (root >= 0 && !testBit(live_, static_cast<uint32_t>(root)))
        insts.push_back(count(Opcode::DecRef, param, Loc()));
    }
    insts.insert(insts.end(), reversed_.rbegin(), reversed_.rend());
    f_.block(block).insts = std::move(insts);
  }

  void terminator(BlockId block, InstId id) {
    const Inst &inst = f_.inst(id);
    for (const Edge &edge : inst.edges)
      uniteWith(live_, live_in_.row(edge.target.value));
    if (inst.unwind.valid())
      uniteWith(live_, live_in_.row(inst.unwind.value));
    std::vector<InstId> counts;
    if (inst.edges.empty()) {
      exit(id, counts);
    } else {
      forEachUse(inst, [&](uint32_t root) { setBit(live_, root); });
      for (size_t e = 0; e < f_.inst(id).edges.size(); ++e)
        edge(block, id, e);
    }
    reversed_.push_back(id);
    reversed_.insert(reversed_.end(), counts.rbegin(), counts.rend());
    forEachUse(f_.inst(id), [&](uint32_t root) { setBit(live_, root); });
  }

  /// return and raise give their operands away; resume and unreachable have none. `live_`: what a handler needs.
  void exit(InstId id, std::vector<InstId> &counts) {
    const Inst &inst = f_.inst(id);
    std::vector<Word> dying(live_.size(), 0);
    forEachUse(inst, [&](uint32_t root) {
      if (!testBit(live_, root))
        setBit(dying, root);
    });
    std::vector<ValueId> args = inst.operands;
    Loc loc = inst.loc;
    giveAway(args, dying, loc, counts);
    release(dying, loc, counts);
  }

  /// What dies on an edge is what is live at the end of its source and not in its target.
  void edge(BlockId block, InstId id, size_t e) {
    const Edge &edge = f_.inst(id).edges[e];
    std::vector<Word> dying(live_);
    auto keep = live_in_.row(edge.target.value);
    for (size_t w = 0; w < dying.size(); ++w)
      dying[w] &= ~keep[w];
    std::vector<ValueId> args = edge.args;
    Loc loc = f_.inst(id).loc;
    std::vector<InstId> counts;
    giveAway(args, dying, loc, counts);
    release(dying, loc, counts);
    if (!counts.empty())
      edge_counts_.push_back({block, e, std::move(counts)});
  }

  void instruction(InstId id) {
    Loc loc = f_.inst(id).loc;
    ValueId result = f_.inst(id).result;
    if (int root = result.valid() ? ownership_.rootIndex(result) : -1; root >= 0) {
      if (!testBit(live_, static_cast<uint32_t>(root)))
        reversed_.push_back(count(Opcode::DecRef, result, loc));
      clearBit(live_, static_cast<uint32_t>(root));
    }
    std::vector<Word> dying;
    forEachUse(f_.inst(id), [&](uint32_t root) {
      if (testBit(live_, root))
        return;
      dying.resize(live_.size(), 0);
      setBit(dying, root);
    });
    std::vector<InstId> before, after;
    Opcode op = f_.inst(id).op;
    if (op == Opcode::PtrStore || op == Opcode::RecordStore) {
      dying.resize(live_.size(), 0);
      ValueId stored = f_.inst(id).operands[1];
      giveAway({&stored, 1}, dying, loc, before);
    }
    release(dying, loc, after);
    reversed_.insert(reversed_.end(), after.rbegin(), after.rend());
    reversed_.push_back(id);
    reversed_.insert(reversed_.end(), before.rbegin(), before.rend());
    forEachUse(f_.inst(id), [&](uint32_t root) { setBit(live_, root); });
    if (f_.inst(id).mayRaise())
      unwind(id);
  }

  /// On an exception everything that was live before the instruction is released, but what the handler needs.
  void unwind(InstId id) {
    BlockId handler = f_.inst(id).unwind;
    std::vector<Word> releasing(live_);
    if (handler.valid()) {
      auto needed = live_in_.row(handler.value);
      for (size_t w = 0; w < releasing.size(); ++w)
        releasing[w] &= ~needed[w];
      uniteWith(live_, needed);
    }
    // Neighbours mostly release the same.
    if (!last_valid_ || handler != last_handler_ || releasing != released_) {
      last_unwind_ = unwinds_.get(releasing, handler);
      last_handler_ = handler;
      released_ = std::move(releasing);
      last_valid_ = true;
    }
    f_.inst(id).unwind = last_unwind_;
  }

  /// Before the branch where there is one edge, at the head of a target that nothing else enters, else on a split edge.
  void placeOnEdges() {
    std::vector<uint32_t> entries(f_.numBlocks(), 0);
    for (BlockId block : order_) {
      for (InstId id : f_.block(block).insts) {
        for (const Edge &edge : f_.inst(id).edges)
          ++entries[edge.target.value];
        if (BlockId unwind = f_.inst(id).unwind; unwind.valid())
          entries[unwind.value] += 2;
      }
    }
    for (const EdgeCounts &counts : edge_counts_) {
      const auto &edges = f_.terminator(counts.source).edges;
      BlockId target = edges[counts.edge].target;
      BlockId home = counts.source;
      bool single = edges.size() == 1;
      if (!single)
        home = entries[target.value] == 1 ? target : splitEdge(f_, counts.source, counts.edge);
      auto &insts = f_.block(home).insts;
      insts.insert(single ? insts.end() - 1 : insts.begin(), counts.counts.begin(), counts.counts.end());
    }
  }

  struct EdgeCounts {
    BlockId source;
    size_t edge;
    std::vector<InstId> counts;
  };

  Function &f_;
  std::vector<BlockId> order_;
  Ownership ownership_;
  BitMatrix live_in_;
  UnwindBlocks unwinds_;
  std::vector<Word> live_;
  std::vector<InstId> reversed_;
  std::vector<EdgeCounts> edge_counts_;
  bool last_valid_ = false;
  BlockId last_handler_, last_unwind_;
  std::vector<Word> released_;
};

bool anyReferences(const Function &function) {
  for (uint32_t i = 0; i < function.numValues(); ++i) {
    TypeId type = function.typeOf(ValueId(i));
    if (type.valid() && hasReferences(type))
      return true;
  }
  return false;
}

} // namespace

void insertReferenceCounts(Function &function) {
  if (!function.external && function.typed && anyReferences(function))
    Inserter(function).run();
}

void referenceCounts(Module &module) {
  for (const auto &function : module.functions)
    insertReferenceCounts(*function);
}

} // namespace naja::passes
