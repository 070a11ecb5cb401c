// Lets Ctrl-C stop loops that contain nothing that polls by itself, at no cost to their body: a loop over a range runs in
// strips of 65536 iterations, and poll_signals stands between them (in a loop inside of another one, only on the way to
// the next strip: most such loops are done within one; not if it walks an array, which ends soon); any other loop polls at its header. Before poll_signals, which sees
// to all the other loops, and after index_ranges, so that the flags on the index are there.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void stripMine(ir::Module &module);
void stripMineBy(ir::Module &module, int64_t iterations); // for tests

} // namespace naja::passes
