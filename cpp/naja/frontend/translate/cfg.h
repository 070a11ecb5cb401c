// Basic blocks of decoded operations: only what can be reached, numbered in reverse post-order. Exception edges are not
// part of it (see exceptions.h).
#pragma once

#include "naja/frontend/translate/decode.h"

#include <array>
#include <span>

namespace naja::frontend {

struct BasicBlock {
  uint32_t begin = 0, end = 0;          // operations
  std::array<uint32_t, 2> successors{}; // of a branch: taken where the condition is true, where it is false
  uint32_t successor_count = 0;
  bool is_loop_header = false;
};

class Cfg {
public:
  /// Block 0 is the entry and has no predecessors (it is empty where the code begins with a loop).
  explicit Cfg(const std::vector<Operation> &ops);

  size_t size() const { return blocks_.size(); }
  const BasicBlock &block(uint32_t index) const { return blocks_[index]; }

  struct Predecessor {
    uint32_t block;
    uint32_t edge; // which of its successors
  };
  std::span<const Predecessor> predecessors(uint32_t block) const {
    return {predecessors_.data() + pred_begin_[block], pred_begin_[block + 1] - pred_begin_[block]};
  }
  /// True where operations run off the end: not code that CPython makes.
  bool malformed() const { return malformed_; }
  /// Whether an operation can be reached.
  bool reaches(uint32_t op) const { return reached_[op]; }

private:
  void split(const std::vector<Operation> &ops);
  void connect(const std::vector<Operation> &ops);
  void threadJumps(const std::vector<Operation> &ops);
  void number();
  void collectPredecessors();

  std::vector<BasicBlock> blocks_;
  std::vector<uint32_t> block_of_; // by operation, while building
  std::vector<uint32_t> pred_begin_;
  std::vector<Predecessor> predecessors_;
  std::vector<bool> reached_;
  bool malformed_ = false;
};

} // namespace naja::frontend
