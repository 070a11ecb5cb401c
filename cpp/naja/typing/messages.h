// Texts of typing errors.
#pragma once

#include "naja/typing/specialisation.h"

namespace naja::typing {

/// "(int64, array(float64, 1d, C), axis=int64)"; keywords name the last values.
std::string typeList(std::span<const AbstractValue> values, std::span<const std::string_view> keywords = {});
/// "numpy.sqrt" as users write it: builtins without their module.
std::string displayName(std::string_view canonical);
/// "did you mean 'x'?" for the nearest of the names, or nothing.
std::string nearest(std::string_view name, const std::vector<std::string> &candidates);

SourceRange rangeIn(const Body &body, Loc loc);
/// Where a value gets its definition: its instruction, or the first known one of a block parameter.
Loc definitionOf(const Body &body, ir::ValueId value);

/// The results of a function that do not unify, a note for each return.
Diagnostic returnConflict(const Specialisation &spec);
/// Two definitions of a variable that do not unify, a note for each.
Diagnostic joinConflict(const Specialisation &spec, ir::ValueId param, const Specialisation::Conflict &conflict);
/// A recursion that has no way out, found at a call of `callee` in `caller`.
Diagnostic endlessRecursion(const Specialisation &callee, const Specialisation &caller, Loc loc);

} // namespace naja::typing
