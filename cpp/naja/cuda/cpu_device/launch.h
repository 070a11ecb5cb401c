// The CPU device: what a compiled kernel calls, and how the launch of a thread is configured. C ABI. A kernel's entry
// packs its arguments and calls naja_cuda_launch, which runs the blocks on the pool of threads and returns when all are
// done.
#pragma once

#include <cstdint>

extern "C" {

/// Read by compiled kernels: the order of the members is codegen/spmd's.
struct naja_cuda_launch_config {
  uint32_t grid[3], block[3];
  uint32_t dynamic_shared; // bytes
};
struct naja_cuda_kernel_info {
  const char *name;
  uint32_t static_shared; // bytes
  uint32_t reserved;
};
/// Runs blocks [first, last) of the grid, numbered with x fastest.
typedef int32_t (*naja_cuda_blocks)(const void *arguments, const naja_cuda_launch_config *config, int64_t first,
                                    int64_t last);

/// For the next launch of this thread. Checked by the caller: 1 to 1024 threads, extents of 1 or more.
void naja_cuda_configure(const naja_cuda_launch_config *config);
/// Runs a kernel as this thread's configuration says; a status of runtime/abi.h.
int32_t naja_cuda_launch(naja_cuda_blocks blocks, const void *arguments, const naja_cuda_kernel_info *info);
/// Adds to the text of the exception in flight which thread of which block raised it (numbered with x fastest).
void naja_cuda_raised(const naja_cuda_kernel_info *info, const naja_cuda_launch_config *config, int64_t block,
                      int32_t thread);
/// Called by loops that wait for memory to change: records an error after a time without end; a status.
int32_t naja_cuda_waits(const naja_cuda_kernel_info *info, int64_t turns);
/// Records that threads of a block wait at two barriers, of these lines; a status.
int32_t naja_cuda_divergent_barrier(const naja_cuda_kernel_info *info, int64_t block, int32_t line_a, int32_t line_b);
}
