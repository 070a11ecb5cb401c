// Elementwise calls of a compilable function: naja.library.intrinsics.map_function(f, operands...), which makes an
// array (or a scalar, of scalars alone), and map_function_into(out, f, operands...). They become an array.map whose
// kernel calls the specialisation of f for the operands' elements, so that calls of ufuncs fuse with the expression
// around them.
#pragma once

#include "naja/typing/calls.h"

namespace naja::typing {

constexpr std::string_view kMapFunction = "naja.library.intrinsics.map_function";
constexpr std::string_view kMapFunctionInto = "naja.library.intrinsics.map_function_into";

AbstractValue mapFunction(Step &step, const Arguments &arguments, bool into);

} // namespace naja::typing
