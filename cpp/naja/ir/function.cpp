#include "naja/ir/function.h"

#include <cassert>

namespace naja::ir {

BlockId Function::addBlock() {
  blocks_.emplace_back();
  return BlockId(static_cast<uint32_t>(blocks_.size() - 1));
}

ValueId Function::addParam(BlockId block, TypeId type, SymbolId name) {
  auto &params = blocks_[block.value].params;
  ValueId id(static_cast<uint32_t>(values_.size()));
  Value value;
  value.type = type;
  value.block = block;
  value.index = static_cast<uint32_t>(params.size());
  value.name = name;
  values_.push_back(value);
  params.push_back(id);
  return id;
}

InstId Function::makeInst(Inst inst) {
  InstId id(static_cast<uint32_t>(insts_.size()));
  if (info(inst.op).has_result) {
    inst.result = ValueId(static_cast<uint32_t>(values_.size()));
    Value value;
    value.type = inst.type;
    value.inst = id;
    values_.push_back(value);
  }
  insts_.push_back(std::move(inst));
  return id;
}

InstId Function::append(BlockId block, Inst inst) {
  InstId id = makeInst(std::move(inst));
  blocks_[block.value].insts.push_back(id);
  return id;
}

InstId Function::insertAt(BlockId block, size_t position, Inst inst) {
  InstId id = makeInst(std::move(inst));
  auto &insts = blocks_[block.value].insts;
  assert(position <= insts.size());
  insts.insert(insts.begin() + static_cast<std::ptrdiff_t>(position), id);
  return id;
}

std::vector<BlockId> Function::successors(BlockId id) const {
  std::vector<BlockId> result;
  const Block &b = block(id);
  if (b.insts.empty())
    return result;
  for (const Edge &edge : inst(b.insts.back()).edges)
    result.push_back(edge.target);
  return result;
}

namespace {

/// Depth-first post-order along normal edges, without recursion (long functions are deep).
void postOrder(const Function &function, BlockId root, std::vector<bool> &visited, std::vector<BlockId> &out) {
  struct Frame {
    BlockId block;
    size_t next;
  };
  if (visited[root.value])
    return;
  std::vector<Frame> stack{{root, 0}};
  visited[root.value] = true;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    const Block &block = function.block(frame.block);
    const auto *edges = block.insts.empty() ? nullptr : &function.inst(block.insts.back()).edges;
    // Last edge first, so that the first successor comes first in the reverse.
    size_t count = edges == nullptr ? 0 : edges->size();
    if (frame.next < count) {
      BlockId target = (*edges)[count - 1 - frame.next++].target;
      if (target.value < visited.size() && !visited[target.value]) {
        visited[target.value] = true;
        stack.push_back({target, 0});
      }
    } else {
      out.push_back(frame.block);
      stack.pop_back();
    }
  }
}

} // namespace

std::vector<BlockId> Function::reversePostOrder() const {
  std::vector<BlockId> order;
  if (blocks_.empty())
    return order;
  std::vector<bool> visited(blocks_.size(), false);
  std::vector<BlockId> post;
  postOrder(*this, entry(), visited, post);
  order.assign(post.rbegin(), post.rend());
  // What only exceptions reach: unwind blocks of what is listed so far are the next roots, until there are no more.
  for (size_t scanned = 0; scanned < order.size();) {
    std::vector<BlockId> roots;
    for (size_t end = order.size(); scanned < end; ++scanned) {
      for (InstId id : block(order[scanned]).insts) {
        BlockId unwind = inst(id).unwind;
        if (unwind.valid() && unwind.value < blocks_.size() && !visited[unwind.value] &&
            (roots.empty() || roots.back() != unwind))
          roots.push_back(unwind);
      }
    }
    post.clear();
    // Each root in turn gets the rest of its region in front of what was found before: last root first.
    for (auto root = roots.rbegin(); root != roots.rend(); ++root)
      postOrder(*this, *root, visited, post);
    order.insert(order.end(), post.rbegin(), post.rend());
  }
  return order;
}

std::vector<std::vector<BlockId>> Function::predecessors() const {
  std::vector<std::vector<BlockId>> result(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block &b = blocks_[i];
    if (b.dead || b.insts.empty())
      continue;
    for (const Edge &edge : inst(b.insts.back()).edges)
      result[edge.target.value].push_back(BlockId(static_cast<uint32_t>(i)));
  }
  return result;
}

void Function::replaceAllUses(ValueId from, ValueId to) {
  for (Inst &i : insts_) {
    for (ValueId &operand : i.operands) {
      if (operand == from)
        operand = to;
    }
    for (Edge &edge : i.edges) {
      for (ValueId &arg : edge.args) {
        if (arg == from)
          arg = to;
      }
    }
  }
}

FunctionId Module::add(std::unique_ptr<Function> function) {
  functions.push_back(std::move(function));
  return FunctionId(static_cast<uint32_t>(functions.size() - 1));
}

} // namespace naja::ir
