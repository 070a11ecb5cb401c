// Ranges as three integers (start, stop, step), shared by the families that use them.
#pragma once

#include "naja/library/emit_helpers.h"

namespace naja::library {

struct RangeParts {
  ir::ValueId start, stop, step;
};
RangeParts emitRangeParts(Emitter &e, ir::ValueId range);
/// How many items, in the unsigned type of the items' width.
ir::ValueId emitRangeCount(Emitter &e, const RangeParts &parts);

} // namespace naja::library
