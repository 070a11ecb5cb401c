// What is certain of a float without running anything: enough to drop checks such as the division by 1.0 + abs(x).
#pragma once

#include "naja/ir/function.h"

#include <optional>

namespace naja::codegen {

/// A value that the float is never below (it may be NaN).
std::optional<double> lowerBound(const ir::Function &function, ir::ValueId value, int depth = 8);

} // namespace naja::codegen
