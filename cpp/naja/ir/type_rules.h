// Types of operands and results by opcode, for the verifier: one small rule per family of instructions.
#pragma once

#include "naja/ir/function.h"

#include <string>

namespace naja::ir {

/// The complaint about the types of a typed instruction whose operand count is right; empty: none.
std::string checkTypes(const Function &function, const Inst &inst, const Module *module);

} // namespace naja::ir
