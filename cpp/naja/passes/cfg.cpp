#include "naja/passes/cfg.h"

namespace naja::passes {
using namespace ir;

BlockId splitEdge(Function &function, BlockId block, size_t edge) {
  BlockId middle = function.addBlock();
  Edge &old = function.terminator(block).edges[edge];
  Inst br;
  br.op = Opcode::Br;
  br.loc = function.terminator(block).loc;
  br.edges.push_back(std::move(old));
  old = Edge{middle, {}};
  function.append(middle, std::move(br));
  return middle;
}

bool removeUnreachable(Function &function, const std::vector<BlockId> &order) {
  std::vector<bool> reachable(function.numBlocks(), false);
  for (BlockId block : order)
    reachable[block.value] = true;
  bool changed = false;
  for (uint32_t b = 0; b < function.numBlocks(); ++b) {
    Block &block = function.block(BlockId(b));
    if (reachable[b] || block.dead)
      continue;
    block.dead = true;
    block.insts.clear();
    block.params.clear();
    changed = true;
  }
  return changed;
}

void replaceValues(Function &function, std::vector<ValueId> &map) {
  auto resolve = [&](ValueId value) {
    ValueId root = value;
    while (map[root.value] != root)
      root = map[root.value];
    while (map[value.value] != root) { // path compression
      ValueId next = map[value.value];
      map[value.value] = root;
      value = next;
    }
    return root;
  };
  for (uint32_t b = 0; b < function.numBlocks(); ++b) {
    if (function.block(BlockId(b)).dead)
      continue;
    for (InstId id : function.block(BlockId(b)).insts) {
      Inst &inst = function.inst(id);
      for (ValueId &operand : inst.operands)
        operand = resolve(operand);
      for (Edge &edge : inst.edges) {
        for (ValueId &arg : edge.args)
          arg = resolve(arg);
      }
    }
  }
}

} // namespace naja::passes
