// Turns loops over prange (those with a parallel.mark in their header) into parallel regions: the outermost first, loops
// inside of a region stay serial. A loop whose iterations provably depend on each other, or that is left by break or return,
// stays serial with a warning among the module's parallel notes. Every mark is gone afterwards.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void parallelLoops(ir::Module &module);

} // namespace naja::passes
