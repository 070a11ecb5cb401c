// Elementwise work in parallel: chunks of a map share the frame, those of a reduction have copies of it with an accumulator
// of their own, which are combined in order.
#pragma once

#include "naja/runtime/abi.h"

namespace naja::runtime {

/// Whether `elements` are worth threads and the plan allows them.
bool wantsThreads(const naja_elementwise &plan, int64_t elements);

/// Runs fn(context, begin, end, frame) over [0, count) in chunks; `elements` is the number of elements in all.
int32_t runInChunks(const naja_elementwise &plan, uint64_t *frame, int64_t count, int64_t elements,
                    int32_t (*fn)(const void *context, int64_t begin, int64_t end, uint64_t *frame), const void *context);

} // namespace naja::runtime
