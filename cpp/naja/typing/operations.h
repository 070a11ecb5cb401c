// Resolving an operation through the builtin table: the query, the answer, the message where nothing matches. And the
// transfer functions of the files that share them.
#pragma once

#include "naja/typing/engine.h"

namespace naja::typing {

/// Appends the operands of the instruction from `first` on; false: one of them is not known yet.
inline bool collectOperands(Step &step, size_t first, std::vector<AbstractValue> &out) {
  for (size_t i = first; i < step.inst.operands.size(); ++i) {
    if (step.operand(i).isBottom()) return false;
    out.push_back(step.operand(i));
  }
  return true;
}

/// Truth of a value: a bool, with the code that computes it (none: the operand itself, or a constant).
struct Truth {
  AbstractValue value;
  library::EmitFn emit;
};
/// Nothing: an error was recorded.
std::optional<Truth> truthOf(Step &step, const AbstractValue &operand);

/// The value of a constant; the type of an object is asked of Python. Bottom: waiting, or an error was recorded.
AbstractValue valueOfConstant(Step &step, ConstId id);

AbstractValue transferBranch(Step &step);
AbstractValue transferCondBranch(Step &step);
AbstractValue transferReturn(Step &step);
AbstractValue transferStop(Step &step);
AbstractValue transferGenericRaise(Step &step);
AbstractValue transferCheckBound(Step &step);
AbstractValue transferCall(Step &step);
AbstractValue transferCallStar(Step &step);
AbstractValue transferMakeFunction(Step &step);
AbstractValue transferGetAttr(Step &step);

} // namespace naja::typing
