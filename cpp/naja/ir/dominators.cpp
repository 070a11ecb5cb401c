#include "naja/ir/dominators.h"

#include <algorithm>
#include <ranges>

namespace naja::ir {

Dominators::Dominators(const Function &function) : function_(function) {
  size_t blocks = function.numBlocks();
  position_.assign(blocks, kUnreachable);
  idom_.assign(blocks, BlockId());
  first_.assign(blocks, 1);
  last_.assign(blocks, 0);
  limit_.assign(blocks, kUnreachable);
  has_limited_child_.assign(blocks, false);
  successors_.resize(blocks);
  predecessors_.resize(blocks);
  inst_block_.assign(function.numInsts(), BlockId());
  inst_position_.assign(function.numInsts(), 0);
  for (uint32_t b = 0; b < blocks; ++b) {
    const Block &block = function.block(BlockId(b));
    if (block.dead)
      continue;
    for (uint32_t i = 0; i < block.insts.size(); ++i) {
      inst_block_[block.insts[i].value] = BlockId(b);
      inst_position_[block.insts[i].value] = i;
      const Inst &inst = function.inst(block.insts[i]);
      for (const Edge &edge : inst.edges)
        successors_[b].push_back(edge.target);
      if (inst.unwind.valid() && (successors_[b].empty() || successors_[b].back() != inst.unwind))
        successors_[b].push_back(inst.unwind);
    }
  }
  if (blocks == 0)
    return;
  findOrder();
  findIdoms();
  number();
}

void Dominators::findOrder() {
  std::vector<std::pair<BlockId, size_t>> stack{{function_.entry(), 0}};
  std::vector<bool> visited(function_.numBlocks(), false);
  visited[0] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    const auto &targets = successors_[block.value];
    if (next < targets.size()) {
      BlockId target = targets[targets.size() - 1 - next++];
      if (!visited[target.value]) {
        visited[target.value] = true;
        stack.emplace_back(target, 0);
      }
    } else {
      order_.push_back(block);
      stack.pop_back();
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (uint32_t i = 0; i < order_.size(); ++i)
    position_[order_[i].value] = i;
  for (BlockId block : order_) {
    for (BlockId target : successors_[block.value])
      predecessors_[target.value].push_back(block);
  }
}

BlockId Dominators::meet(BlockId a, BlockId b) const {
  while (a != b) {
    while (position_[a.value] > position_[b.value])
      a = idom_[a.value];
    while (position_[b.value] > position_[a.value])
      b = idom_[b.value];
  }
  return a;
}

void Dominators::findIdoms() {
  idom_[0] = function_.entry();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 1; i < order_.size(); ++i) {
      BlockId block = order_[i], idom;
      // From the deepest up: where a chain of branches joins, each step then starts where the one before ended.
      for (BlockId pred : std::views::reverse(predecessors_[block.value])) {
        if (idom_[pred.value].valid())
          idom = idom.valid() ? meet(idom, pred) : pred;
      }
      if (idom != idom_[block.value]) {
        idom_[block.value] = idom;
        changed = true;
      }
    }
  }
  idom_[0] = BlockId();
  for (BlockId block : order_) {
    for (InstId id : function_.block(block).insts) {
      BlockId unwind = function_.inst(id).unwind;
      if (unwind.valid() && idom_[unwind.value] == block) {
        limit_[unwind.value] = std::min(limit_[unwind.value], inst_position_[id.value]);
        has_limited_child_[block.value] = true;
      }
    }
  }
}

/// Intervals by sizes: a parent comes before its children in reverse post-order.
void Dominators::number() {
  std::vector<uint32_t> size(function_.numBlocks(), 1), next(function_.numBlocks(), 0);
  for (size_t i = order_.size(); i-- > 1;)
    size[idom_[order_[i].value].value] += size[order_[i].value];
  first_[0] = 0;
  last_[0] = size[0] - 1;
  next[0] = 1;
  for (size_t i = 1; i < order_.size(); ++i) {
    uint32_t block = order_[i].value, parent = idom_[block].value;
    first_[block] = next[parent];
    last_[block] = first_[block] + size[block] - 1;
    next[parent] += size[block];
    next[block] = first_[block] + 1;
  }
}

BlockId Dominators::blockOf(ValueId value) const {
  const Value &v = function_.value(value);
  return v.inst.valid() ? inst_block_[v.inst.value] : v.block;
}

bool Dominators::available(ValueId value, BlockId block, size_t position) const {
  const Value &v = function_.value(value);
  BlockId home = blockOf(value);
  if (!home.valid() || !reachable(home))
    return false;
  if (!v.inst.valid())
    return dominates(home, block);
  size_t defined = inst_position_[v.inst.value];
  if (home == block)
    return defined < position;
  if (!dominates(home, block))
    return false;
  if (!has_limited_child_[home.value])
    return true;
  BlockId child = block;
  while (idom_[child.value] != home)
    child = idom_[child.value];
  return limit_[child.value] == kUnreachable || defined < limit_[child.value];
}

} // namespace naja::ir
