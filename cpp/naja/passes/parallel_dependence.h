// Dependences through arrays that subscripts prove: iterations of a marked loop that write one element, or of which one reads
// what another writes. What they do not prove is the user's duty (and NAJA_PARALLEL_CHECK's).
#pragma once

#include "naja/passes/parallel_arrays.h"

namespace naja::passes {

std::optional<Dependence> arrayDependence(const ir::Function &function, const MarkedLoop &loop,
                                          const ir::Dominators &dominators, const std::vector<ArrayReduction> &reductions);

} // namespace naja::passes
