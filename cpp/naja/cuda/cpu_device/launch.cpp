#include "naja/cuda/cpu_device/launch.h"

#include "naja/runtime/abi.h"
#include "naja/runtime/parallel/parallel.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

thread_local naja_cuda_launch_config current_config = {{1, 1, 1}, {1, 1, 1}, 0};

/// Static and dynamic shared memory of a block, as of GPUs that let a kernel have it all.
constexpr uint64_t kMaxShared = 227 * 1024;
/// Threads that are worth a chunk of work of their own.
constexpr int64_t kThreadsPerChunk = 4096;

struct Launch {
  naja_cuda_blocks blocks;
  const void *arguments;
  naja_cuda_launch_config config;
};

int32_t runChunk(void *data, int64_t begin, int64_t end, int64_t) {
  const auto &launch = *static_cast<const Launch *>(data);
  // A few blocks at a time, so that Ctrl-C and failures elsewhere end a long launch.
  const int64_t threads = int64_t{launch.config.block[0]} * launch.config.block[1] * launch.config.block[2];
  const int64_t step = std::max<int64_t>(1, (int64_t{1} << 20) / threads);
  for (int64_t first = begin; first < end; first += step) {
    if (naja_rt_parallel_cancelled() != 0) return NAJA_OK;
    if (int32_t status = launch.blocks(launch.arguments, &launch.config, first, std::min(first + step, end));
        status != NAJA_OK)
      return status;
    if (naja_rt_is_worker() == 0 && naja_rt_signal_pending != 0)
      if (int32_t status = naja_rt_poll_signals(); status != NAJA_OK) return status;
  }
  return NAJA_OK;
}

} // namespace

extern "C" {

void naja_cuda_configure(const naja_cuda_launch_config *config) { current_config = *config; }

int32_t naja_cuda_launch(naja_cuda_blocks blocks, const void *arguments, const naja_cuda_kernel_info *info) {
  Launch launch{blocks, arguments, current_config};
  const naja_cuda_launch_config &config = launch.config;
  if (uint64_t{info->static_shared} + config.dynamic_shared > kMaxShared) {
    char text[400];
    std::snprintf(text, sizeof text,
                  "kernel %.200s needs %u + %u bytes of shared memory (static + dynamic); a block has at most %llu",
                  info->name, info->static_shared, config.dynamic_shared, static_cast<unsigned long long>(kMaxShared));
    naja_rt_raise_text(NAJA_RuntimeError, text, nullptr, nullptr, 0);
    return NAJA_RAISED;
  }
  const int64_t count = int64_t{config.grid[0]} * config.grid[1] * config.grid[2];
  const int64_t threads = int64_t{config.block[0]} * config.block[1] * config.block[2];
  return naja_rt_parallel_for(count, runChunk, &launch, std::max<int64_t>(1, kThreadsPerChunk / threads));
}

void naja_cuda_raised(const naja_cuda_kernel_info *info, const naja_cuda_launch_config *config, int64_t block,
                      int32_t thread) {
  naja_exception raised;
  if (naja_rt_take_exception(&raised) == 0) return;
  if (raised.site != nullptr) {
    naja_rt_raise(raised.site, raised.args);
    return;
  }
  char text[640];
  const auto t = static_cast<uint32_t>(thread);
  const uint64_t b = static_cast<uint64_t>(block);
  std::snprintf(text, sizeof text, "%.300s (kernel %.100s, block (%llu, %llu, %llu), thread (%u, %u, %u))", raised.text,
                info->name, static_cast<unsigned long long>(b % config->grid[0]),
                static_cast<unsigned long long>(b / config->grid[0] % config->grid[1]),
                static_cast<unsigned long long>(b / config->grid[0] / config->grid[1]), t % config->block[0],
                t / config->block[0] % config->block[1], t / config->block[0] / config->block[1]);
  const naja_origin origin{raised.file, nullptr, 0};
  naja_rt_raise_text(raised.builtin, text, raised.file ? &origin : nullptr, raised.function, raised.line);
}

int32_t naja_cuda_waits(const naja_cuda_kernel_info *info, int64_t turns) {
  constexpr int64_t kTurnsPerLook = 1 << 16;
  constexpr auto kPatience = std::chrono::seconds(5);
  thread_local std::chrono::steady_clock::time_point since;
  if (turns == 0) return NAJA_OK;
  if (turns % kTurnsPerLook != 0) return NAJA_OK;
  const auto now = std::chrono::steady_clock::now();
  if (turns == kTurnsPerLook) since = now;
  if (naja_rt_parallel_cancelled() != 0) return NAJA_RAISED;
  if (naja_rt_is_worker() == 0 && naja_rt_signal_pending != 0)
    if (int32_t status = naja_rt_poll_signals(); status != NAJA_OK) return status;
  if (now - since < kPatience) return NAJA_OK;
  char text[480];
  std::snprintf(
      text, sizeof text,
      "a thread of kernel %.200s waits in a loop for memory that does not change: threads of a block run one after the "
      "other between barriers, so waiting for another thread needs syncthreads()",
      info->name);
  naja_rt_raise_text(NAJA_RuntimeError, text, nullptr, nullptr, 0);
  return NAJA_RAISED;
}

int32_t naja_cuda_divergent_barrier(const naja_cuda_kernel_info *info, int64_t block, int32_t line_a, int32_t line_b) {
  char text[480];
  std::snprintf(text, sizeof text,
                "syncthreads() in divergent code: threads of block %lld of kernel %.200s wait at the barriers of line "
                "%d and line %d; all "
                "threads of a block must come to the same barrier",
                static_cast<long long>(block), info->name, line_a, line_b);
  naja_rt_raise_text(NAJA_RuntimeError, text, nullptr, nullptr, 0);
  return NAJA_RAISED;
}
}
