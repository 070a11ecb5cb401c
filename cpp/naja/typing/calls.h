// Calls: what is called, how arguments meet parameters, which specialisation it becomes.
#pragma once

#include "naja/typing/engine.h"

namespace naja::typing {

/// Arguments of a call: positional ones, then one for each keyword.
struct Arguments {
  std::vector<Source> values;
  std::vector<std::string_view> keywords;
  std::vector<AbstractValue> known() const;
};

/// A call of a compilable function, whose snapshot is asked for where it is not known. `library`: the callee belongs to
/// naja's own library or to an @overload, and inherits error_model and fastmath.
AbstractValue callFunction(Step &step, const FunctionRef &function, const Arguments &arguments, bool library);
/// The body of a compilable function; null while its snapshot is asked for.
const Body *bodyOf(Step &step, const FunctionRef &function);
/// What a rule has turned into a call of a function.
AbstractValue callResolved(Step &step, library::Resolution &resolution, std::span<const AbstractValue> operands,
                           const std::vector<Source> *sources);
/// getattr of a compile-time object, asked of Python.
AbstractValue attributeOfObject(Step &step, ConstId object, std::string_view name);

/// Adapts argument types to an explicit signature of the function where it has some; the error where none fits.
std::optional<Diagnostic> chooseSignature(const Body &body, std::vector<TypeId> &args, std::optional<TypeId> &result);

} // namespace naja::typing
