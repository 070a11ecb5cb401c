// Makes a region of a marked loop: its body becomes a function (begin, end, chunk, captured values) that runs the iterations
// of one chunk, and the loop a parallel.for, whose partial results a serial loop combines in the order of the chunks.
#pragma once

#include "naja/passes/parallel_arrays.h"
#include "naja/passes/parallel_carried.h"

#include <memory>

namespace naja::passes {

/// Replaces the loop; invalidates all analyses of the function. `carried` is the classification of all header parameters
/// but the index.
void outlineLoop(ir::Module &module, ir::FunctionId function, const MarkedLoop &loop, const std::vector<Carried> &carried,
                 const std::vector<ArrayReduction> &arrays);

} // namespace naja::passes
