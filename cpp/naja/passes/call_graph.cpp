#include "naja/passes/call_graph.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

bool namesFunction(Opcode op) { return info(op).attr == AttrKind::Func; }

CallGraph::CallGraph(const Module &module) : callees_(module.functions.size()), recursive_(module.functions.size(), false) {
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    const Function &function = *module.functions[i];
    for (uint32_t b = 0; b < function.numBlocks(); ++b) {
      if (function.block(BlockId(b)).dead)
        continue;
      for (InstId id : function.block(BlockId(b)).insts) {
        const Inst &inst = function.inst(id);
        if (namesFunction(inst.op))
          callees_[i].push_back(inst.function().value);
      }
    }
    auto &list = callees_[i];
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    recursive_[i] = std::binary_search(list.begin(), list.end(), i);
  }
  findComponents();
}

/// Tarjan's algorithm, without recursion.
void CallGraph::findComponents() {
  constexpr uint32_t kUnseen = 0xffffffffU;
  auto count = static_cast<uint32_t>(callees_.size());
  std::vector<uint32_t> index(count, kUnseen), low(count, 0), stack;
  std::vector<bool> on_stack(count, false);
  std::vector<std::pair<uint32_t, size_t>> work;
  uint32_t next = 0;
  for (uint32_t root = 0; root < count; ++root) {
    if (index[root] != kUnseen)
      continue;
    work.emplace_back(root, 0);
    while (!work.empty()) {
      auto &[node, edge] = work.back();
      if (edge == 0) {
        index[node] = low[node] = next++;
        stack.push_back(node);
        on_stack[node] = true;
      } else {
        low[node] = std::min(low[node], low[callees_[node][edge - 1]]);
      }
      while (edge < callees_[node].size() && index[callees_[node][edge]] != kUnseen) {
        if (on_stack[callees_[node][edge]])
          low[node] = std::min(low[node], index[callees_[node][edge]]);
        ++edge;
      }
      if (edge < callees_[node].size()) {
        uint32_t callee = callees_[node][edge++];
        work.emplace_back(callee, 0);
        continue;
      }
      uint32_t done = node;
      work.pop_back();
      if (low[done] != index[done])
        continue;
      auto &component = components_.emplace_back();
      do {
        component.push_back(stack.back());
        on_stack[stack.back()] = false;
        stack.pop_back();
      } while (component.back() != done);
      if (component.size() > 1) {
        for (uint32_t member : component)
          recursive_[member] = true;
      }
    }
  }
}

} // namespace naja::passes
