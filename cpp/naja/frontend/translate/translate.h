// Bytecode -> untyped NIR: version-specific opcodes -> one normalised form -> control-flow graph -> SSA with block
// parameters. Never sees Python.h. Typing it is the next step.
#pragma once

#include "naja/frontend/snapshot/code.h"
#include "naja/ir/function.h"
#include "naja/support/result.h"

#include <span>
#include <string>

namespace naja::frontend {

/// An inner function as g.make_function refers to it: the constant's ObjectRef is replaced by an index into
/// Translated::inner (Const attr holds that index, not a ConstId).
struct Translated {
  std::unique_ptr<ir::Function> function; // untyped; entry parameters: none; g.arg reads parameter i
  std::vector<std::shared_ptr<const FunctionSnapshot>> inner;
};

/// Translates one function. Inner functions are listed in `inner` with globals of the outer one; their free variables
/// are the leading parameters of their translation (captured by value: a cell that is assigned after the inner function
/// was made, and `nonlocal`, are refused with a diagnostic). Parameters, in order: captured free variables, then
/// positional, then keyword-only, then *args (as one tuple).
/// `kept`: variables each assignment of which gets a value of its own (g.copy), since typing forces their types.
Result<Translated> translate(const FunctionSnapshot &snapshot, bool is_inner = false,
                             std::span<const std::string> kept = {});

} // namespace naja::frontend
