#include "naja/frontend/translate/cfg.h"

#include <algorithm>

namespace naja::frontend {
namespace {

/// Whether the jump is taken where the condition is true.
bool jumpsIfTrue(Op op) { return op == Op::JumpIfTrue || op == Op::JumpIfNone || op == Op::JumpIfTrueOrPop; }

} // namespace

Cfg::Cfg(const std::vector<Operation> &ops) {
  split(ops);
  connect(ops);
  if (malformed_) return;
  threadJumps(ops);
  number();
  collectPredecessors();
  reached_.assign(ops.size(), false);
  for (const BasicBlock &block : blocks_) std::fill(reached_.begin() + block.begin, reached_.begin() + block.end, true);
}

void Cfg::split(const std::vector<Operation> &ops) {
  std::vector<bool> leader(ops.size() + 1, false);
  leader[0] = true;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (isJump(ops[i].op)) leader[static_cast<size_t>(ops[i].arg)] = true;
    if (endsBlock(ops[i].op)) leader[i + 1] = true;
  }
  block_of_.resize(ops.size());
  for (uint32_t i = 0; i < ops.size(); ++i) {
    if (leader[i]) blocks_.push_back({.begin = i, .end = i});
    blocks_.back().end = i + 1;
    block_of_[i] = static_cast<uint32_t>(blocks_.size() - 1);
  }
}

void Cfg::connect(const std::vector<Operation> &ops) {
  for (uint32_t index = 0; index < blocks_.size(); ++index) {
    BasicBlock &block = blocks_[index];
    const Operation &last = ops[block.end - 1];
    if (last.op == Op::Return || last.op == Op::Raise || last.op == Op::Unsupported) continue;
    if (last.op == Op::Jump) {
      block.successors[0] = block_of_[static_cast<size_t>(last.arg)];
      block.successor_count = 1;
      continue;
    }
    if (block.end == ops.size()) {
      malformed_ = true;
      return;
    }
    const uint32_t next = block_of_[block.end];
    block.successors[0] = next;
    block.successor_count = 1;
    if (!isJump(last.op)) continue;
    block.successors[1] = block_of_[static_cast<size_t>(last.arg)];
    block.successor_count = 2;
    if (jumpsIfTrue(last.op)) std::swap(block.successors[0], block.successors[1]);
  }
}

/// An edge to a block that only jumps goes where that jumps to.
void Cfg::threadJumps(const std::vector<Operation> &ops) {
  auto forwards = [&](uint32_t index) {
    const BasicBlock &block = blocks_[index];
    return block.end - block.begin == 1 && ops[block.begin].op == Op::Jump;
  };
  constexpr int kMaxHops = 8; // `while True: pass` goes round
  for (BasicBlock &block : blocks_) {
    for (uint32_t edge = 0; edge < block.successor_count; ++edge) {
      for (int hop = 0; hop < kMaxHops && forwards(block.successors[edge]); ++hop)
        block.successors[edge] = blocks_[block.successors[edge]].successors[0];
    }
  }
}

/// Depth-first without recursion. The last successor is finished first, so that a loop's body comes before what follows
/// it.
void Cfg::number() {
  enum State : uint8_t { Fresh, Open, Closed };
  struct Frame {
    uint32_t block, next;
  };
  std::vector<State> state(blocks_.size(), Fresh);
  std::vector<uint32_t> order;
  std::vector<Frame> stack{{0, 0}};
  bool entry_has_predecessors = false;
  state[0] = Open;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    const uint32_t count = blocks_[block].successor_count;
    if (next == count) {
      state[block] = Closed;
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const uint32_t target = blocks_[block].successors[count - 1 - next++];
    entry_has_predecessors = entry_has_predecessors || target == 0;
    if (state[target] == Open) blocks_[target].is_loop_header = true;
    if (state[target] != Fresh) continue;
    state[target] = Open;
    stack.push_back({target, 0});
  }
  std::reverse(order.begin(), order.end());

  const uint32_t shift = entry_has_predecessors ? 1 : 0;
  std::vector<uint32_t> number(blocks_.size());
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i + shift;
  std::vector<BasicBlock> numbered;
  numbered.reserve(order.size() + shift);
  if (entry_has_predecessors) numbered.push_back({.successors = {1, 0}, .successor_count = 1});
  for (uint32_t old : order) {
    numbered.push_back(blocks_[old]);
    for (uint32_t &successor : numbered.back().successors) successor = number[successor];
  }
  blocks_ = std::move(numbered);
}

void Cfg::collectPredecessors() {
  pred_begin_.assign(blocks_.size() + 1, 0);
  for (const BasicBlock &block : blocks_) {
    for (uint32_t edge = 0; edge < block.successor_count; ++edge) ++pred_begin_[block.successors[edge] + 1];
  }
  for (size_t i = 1; i < pred_begin_.size(); ++i) pred_begin_[i] += pred_begin_[i - 1];
  predecessors_.resize(pred_begin_.back());
  std::vector<uint32_t> next(pred_begin_.begin(), pred_begin_.end() - 1);
  for (uint32_t index = 0; index < blocks_.size(); ++index) {
    for (uint32_t edge = 0; edge < blocks_[index].successor_count; ++edge)
      predecessors_[next[blocks_[index].successors[edge]]++] = {index, edge};
  }
}

} // namespace naja::frontend
