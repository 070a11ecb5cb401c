// Names by which lowering tells codegen/spmd what only a kernel has.
#pragma once

namespace naja::codegen::spmd {

/// i32 (i32 which): a number of cuda.index (ir/instructions/cuda.def). Pure.
constexpr const char *kIndex = "naja.cuda.index";
/// void (i32 line): a barrier of the block.
constexpr const char *kBarrier = "naja.cuda.barrier";
/// void (i32 number, i64 value) before a barrier, i64 (i32 number) behind it: the greatest value of all threads.
constexpr const char *kReduceMax = "naja.cuda.reduce_max";
constexpr const char *kReduced = "naja.cuda.reduced";
/// i32 (i64 turns): called in each turn of a loop that waits; a status.
constexpr const char *kWaits = "naja.cuda.waits";
/// Variables that stand for memory of the block.
constexpr const char *kShared = "naja.cuda.shared";
constexpr const char *kDynamicShared = "naja.cuda.dynamic_shared";
constexpr unsigned kSharedAlignment = 64, kLocalAlignment = 16;

} // namespace naja::codegen::spmd
