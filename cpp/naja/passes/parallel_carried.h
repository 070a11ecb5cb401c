// What a marked loop carries from one iteration to the next: each parameter of its header, but the index, is a reduction, a
// value that the last iteration to assign it decides, an induction variable, or a dependence, which forbids to run the
// iterations in any order.
#pragma once

#include "naja/ir/dominators.h"
#include "naja/ir/function.h"
#include "naja/passes/loops.h"

#include <optional>
#include <string>
#include <vector>

namespace naja::passes {

/// A loop `for i in prange(...)`: the index goes from `start` by 1 (or -1) while it is below (above) `stop`.
struct MarkedLoop {
  Loop loop;
  ir::BlockId header;
  ir::InstId compare;
  ir::ValueId index, stop;
  bool up = true;
  std::vector<bool> inside; // by block: of the loop, or left only by raising
  std::vector<ir::BlockId> order; // the same, in reverse post-order
  Loc loc;
};

enum class Role : uint8_t {
  Fold,      // combined by `op`: partial results start from its identity (or from the first value, where it is idempotent)
  Extreme,   // x is taken where it compares so with the value so far
  Last,      // what the last iteration that assigns it leaves
  Induction, // moves by a fixed amount in every iteration
};

struct Carried {
  ir::ValueId param;
  uint32_t position = 0; // among the header's parameters
  Role role = Role::Last;
  std::vector<bool> chain;         // by value: those that carry it
  ir::Opcode op = ir::Opcode::IAdd; // Fold: the combining operation; Extreme: the comparison
  int64_t attr = 0;                // Fold: of Math; Extreme: the predicate
  bool value_first = false;        // Extreme: the comparison's operand 0 is the new value
  bool taken_if = true;            // Extreme: the comparison's outcome where the new value is taken
  int follows = -1;                // Last: assigned together with this Extreme (index into the list)
  bool conditional = false;        // Last: some iterations do not assign it
  ir::ValueId step;                // Induction
};

struct Dependence {
  std::string text;
  Loc where, other;
};

/// Classifies all parameters but the index; the first dependence where there is one.
std::optional<Dependence> classifyCarried(const ir::Function &function, const MarkedLoop &loop, const ir::Dominators &dominators,
                                          std::vector<Carried> &out);

} // namespace naja::passes
