#include "naja/passes/loops.h"

#include "naja/passes/scalar_constant.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

Loops::Loops(const Function &function, const Dominators &dominators) : innermost_(function.numBlocks(), -1) {
  std::vector<std::vector<BlockId>> predecessors(function.numBlocks());
  for (BlockId block : dominators.order()) {
    for (InstId id : function.block(block).insts) {
      const Inst &inst = function.inst(id);
      for (const Edge &edge : inst.edges)
        predecessors[edge.target.value].push_back(block);
      if (inst.unwind.valid())
        predecessors[inst.unwind.value].push_back(block);
    }
  }
  // Headers in reverse post-order: outer loops come first, so the last to claim a block is the innermost.
  std::vector<int> seen(function.numBlocks(), -1);
  for (BlockId header : dominators.order()) {
    std::vector<BlockId> work;
    for (BlockId pred : predecessors[header.value]) {
      if (dominators.dominates(header, pred))
        work.push_back(pred);
    }
    if (work.empty())
      continue;
    auto index = static_cast<int>(loops_.size());
    Loop loop;
    loop.header = header;
    loop.parent = innermost_[header.value];
    loop.blocks.push_back(header);
    seen[header.value] = index;
    while (!work.empty()) {
      BlockId block = work.back();
      work.pop_back();
      if (seen[block.value] == index)
        continue;
      seen[block.value] = index;
      loop.blocks.push_back(block);
      for (BlockId pred : predecessors[block.value])
        work.push_back(pred);
    }
    for (BlockId block : loop.blocks)
      innermost_[block.value] = index;
    if (loop.parent >= 0)
      loops_[static_cast<size_t>(loop.parent)].innermost = false;
    loops_.push_back(std::move(loop));
  }
}

std::optional<uint64_t> constantTripCount(const Function &f, const Loop &loop) {
  const Inst &end = f.terminator(loop.header);
  const Inst *compare = end.op == Opcode::CondBr ? f.def(end.operands[0]) : nullptr;
  if (compare == nullptr || compare->op != Opcode::ICmp || compare->predicate() != Predicate::Lt)
    return {};
  const Value &index = f.value(compare->operands[0]);
  const Inst *stop = f.def(compare->operands[1]);
  auto limit = stop != nullptr ? scalarOf(*stop) : std::nullopt;
  if (!limit || index.inst.valid() || index.block != loop.header)
    return {};
  std::optional<int64_t> start, step;
  for (uint32_t b = 0; b < f.numBlocks(); ++b) {
    const Block &block = f.block(BlockId(b));
    if (block.dead || block.insts.empty())
      continue;
    bool inside = std::ranges::find(loop.blocks, BlockId(b)) != loop.blocks.end();
    for (const Edge &edge : f.terminator(BlockId(b)).edges) {
      if (edge.target != loop.header)
        continue;
      const Inst *arg = f.def(edge.args[index.index]);
      const Inst *added = arg;
      if (inside && arg != nullptr && arg->op == Opcode::IAdd && arg->operands[0] == compare->operands[0])
        added = f.def(arg->operands[1]);
      auto value = added != nullptr ? scalarOf(*added) : std::nullopt;
      std::optional<int64_t> &known = inside ? step : start;
      if (!value || (inside && added == arg) || (known && *known != value->bits))
        return {};
      known = value->bits;
    }
  }
  if (!start || !step || *step <= 0)
    return {};
  if (*start >= limit->bits)
    return 0;
  return (static_cast<uint64_t>(limit->bits) - static_cast<uint64_t>(*start) + static_cast<uint64_t>(*step) - 1) /
         static_cast<uint64_t>(*step);
}

} // namespace naja::passes
