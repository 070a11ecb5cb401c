// Hash table of pure instructions by what they compute, for finding repeated ones. Part of simplify.
#pragma once

#include "naja/ir/function.h"

#include <cstdint>
#include <vector>

namespace naja::passes {

class ValueTable {
public:
  explicit ValueTable(const ir::Function &function);
  /// The entry that computes the same as `inst`, to be read and set: an instruction, or invalid where there is none yet.
  ir::InstId &slot(const ir::Inst &inst);

private:
  static size_t hash(const ir::Inst &inst);
  void grow();

  const ir::Function &function_;
  std::vector<ir::InstId> slots_;
  size_t used_ = 0;
};

} // namespace naja::passes
