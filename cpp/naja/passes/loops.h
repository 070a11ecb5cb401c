// Natural loops of a function, outer ones first. Valid until the control flow changes.
#pragma once

#include "naja/ir/dominators.h"
#include "naja/ir/function.h"

#include <optional>
#include <vector>

namespace naja::passes {

struct Loop {
  ir::BlockId header;
  std::vector<ir::BlockId> blocks; // the header first; inner loops' blocks included
  int parent = -1;                 // index of the loop around it
  bool innermost = true;
};

class Loops {
public:
  Loops(const ir::Function &function, const ir::Dominators &dominators);
  const std::vector<Loop> &all() const { return loops_; }
  /// Index of the innermost loop that a block is in; -1: none.
  int loopOf(ir::BlockId block) const { return innermost_[block.value]; }

private:
  std::vector<Loop> loops_;
  std::vector<int> innermost_;
};

/// Iterations of a loop whose header compares an index, from one constant up to another by constant steps.
std::optional<uint64_t> constantTripCount(const ir::Function &function, const Loop &loop);

} // namespace naja::passes
