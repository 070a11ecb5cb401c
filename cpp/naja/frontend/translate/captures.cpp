// Inner functions capture by value. That is what Python does as long as a captured variable is not assigned while the
// function can still be called; where it is, the function is refused rather than compiled to something else.
#include "naja/frontend/translate/translator.h"

#include <algorithm>
#include <unordered_set>

namespace naja::frontend {

using ir::BlockId;
using ir::InstId;
using ir::Opcode;
using ir::ValueId;

namespace {

/// Values that may be, or hold, the inner function: through block parameters and tuples. (What calls return is not
/// followed: a function that gives its argument back is rare, and everything would hold everything.)
std::unordered_set<uint32_t> holdersOf(const ir::Function &f, ValueId function) {
  std::unordered_set<uint32_t> holders{function.value};
  auto holds = [&](ValueId value) { return holders.contains(value.value); };
  for (bool changed = true; changed;) {
    const size_t before = holders.size();
    for (uint32_t b = 0; b < f.numBlocks(); ++b) {
      for (InstId id : f.block(BlockId(b)).insts) {
        const ir::Inst &inst = f.inst(id);
        const bool passes = inst.op == Opcode::GTuple || inst.op == Opcode::GUnpackItem ||
                            inst.op == Opcode::GGetItem || inst.op == Opcode::GList || inst.op == Opcode::GCheckBound ||
                            inst.op == Opcode::GMakeFunction;
        if (passes && std::any_of(inst.operands.begin(), inst.operands.end(), holds)) holders.insert(inst.result.value);
        for (const ir::Edge &edge : inst.edges) {
          const auto &params = f.block(edge.target).params;
          for (size_t i = 0; i < edge.args.size(); ++i) {
            if (holds(edge.args[i])) holders.insert(params[i].value);
          }
        }
      }
    }
    changed = holders.size() != before;
  }
  return holders;
}

/// Where a value is alive, one question at a time: is it at the end of a block, or just before an instruction?
class LiveRange {
public:
  LiveRange(const ir::Function &f, const Cfg &cfg, ValueId value) : f_(f), value_(value) {
    const ir::Value &v = f.value(value);
    for (uint32_t b = 0; b < f.numBlocks(); ++b) {
      for (InstId id : f.block(BlockId(b)).insts) {
        const ir::Inst &inst = f.inst(id);
        if (std::find(inst.operands.begin(), inst.operands.end(), value) != inst.operands.end()) use(b, id);
        for (const ir::Edge &edge : inst.edges) {
          if (std::find(edge.args.begin(), edge.args.end(), value) != edge.args.end()) liveOut(b);
        }
      }
    }
    def_block_ = v.inst.valid() ? blockOf(v.inst) : v.block.value;
    while (!work_.empty()) {
      const uint32_t block = work_.back();
      work_.pop_back();
      if (block == def_block_) continue;
      for (const Cfg::Predecessor &pred : cfg.predecessors(block)) liveOut(pred.block);
    }
  }

  /// Alive at the point before all instructions of the block with ids from `next` on, and defined by then.
  bool aliveAt(uint32_t block, uint32_t next) const {
    const InstId def = f_.value(value_).inst;
    // Made later in this block: what an earlier round made reaches here through a block parameter, another holder.
    if (block == def_block_ && def.valid() && def.value >= next) return false;
    if (live_out_.contains(block)) return true;
    auto it = last_use_.find(block);
    return it != last_use_.end() && it->second >= next && (block == def_block_ || live_in_.contains(block));
  }

private:
  uint32_t blockOf(InstId inst) const {
    for (uint32_t b = 0; b < f_.numBlocks(); ++b) {
      const auto &insts = f_.block(BlockId(b)).insts;
      if (std::find(insts.begin(), insts.end(), inst) != insts.end()) return b;
    }
    return 0;
  }
  void use(uint32_t block, InstId inst) {
    uint32_t &last = last_use_[block];
    last = std::max(last, inst.value);
    liveIn(block);
  }
  void liveOut(uint32_t block) {
    if (live_out_.insert(block).second) liveIn(block);
  }
  void liveIn(uint32_t block) {
    if (live_in_.insert(block).second) work_.push_back(block);
  }

  const ir::Function &f_;
  ValueId value_;
  uint32_t def_block_ = 0;
  std::unordered_set<uint32_t> live_in_, live_out_;
  std::unordered_map<uint32_t, uint32_t> last_use_;
  std::vector<uint32_t> work_;
};

} // namespace

void Translator::checkCaptures() {
  if (cell_stores_.empty()) return;
  for (const CaptureSite &site : capture_sites_) {
    auto captured = [&](const CellStore &store) {
      return std::find(site.slots.begin(), site.slots.end(), store.slot) != site.slots.end();
    };
    if (std::none_of(cell_stores_.begin(), cell_stores_.end(), captured)) continue;
    for (uint32_t holder : holdersOf(*function_, site.function)) {
      const LiveRange range(*function_, *cfg_, ValueId(holder));
      for (const CellStore &store : cell_stores_) {
        if (!captured(store) || !range.aliveAt(store.block, store.next_inst)) continue;
        unit_ = store.unit;
        const std::string &name = code_.local_names[static_cast<size_t>(store.slot)];
        const std::string &inner = code_.codes[site.code]->name;
        if (name == inner)
          fail("the inner function '" + inner + "' calls itself", "define it outside of this function");
        else
          fail("'" + name + "' is assigned after the inner function '" + inner + "' has captured it",
               "inner functions see the value a variable has when they are made: pass it as an argument");
        return;
      }
    }
  }
}

} // namespace naja::frontend
