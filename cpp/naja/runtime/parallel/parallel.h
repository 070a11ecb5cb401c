// Parallel regions: `count` independent iterations, cut into chunks that the threads of the pool and the calling thread take
// and steal from each other. C ABI: called by compiled code, by ufuncs and by the CPU device of CUDA. No Python.h; where a
// Python thread holds the GIL, it is released while the region runs.
//
// Safe under nested regions (threads without work join them), concurrent callers and fork (the child starts a pool of its
// own when it first needs one). Worker threads start when first needed, block all signals and have stacks of 64 MiB.
#pragma once

#include "naja/runtime/abi.h"

extern "C" {

/// Does the iterations [begin, end) of chunk number `chunk`; returns a status (abi.h). Called for each chunk once, unless a
/// chunk before it has failed.
typedef int32_t (*naja_parallel_body)(void *data, int64_t begin, int64_t end, int64_t chunk);

/// How many chunks a region of `count` iterations is cut into where `grain` iterations (at least) are worth a chunk: a
/// function of count, grain, the thread's number of threads and its chunk size alone. 0 where count <= 0; 1: not worth
/// threads, which naja_rt_parallel_run runs in place. `per_thread`: the most chunks per thread (0: the default); for
/// bodies that need memory for each chunk.
int64_t naja_rt_parallel_chunks(int64_t count, int64_t grain, int64_t per_thread);
/// Runs the region in that many chunks. The status of the first chunk (by number) that failed, its exception being the one
/// of the calling thread then; what later chunks raised is dropped. Chunk i does [i * count / chunks, ...), in order.
int32_t naja_rt_parallel_run(int64_t count, int64_t chunks, naja_parallel_body body, void *data);
/// Both.
int32_t naja_rt_parallel_for(int64_t count, naja_parallel_body body, void *data, int64_t grain);

/// Threads that a region of this thread uses, the calling one included; at most naja_rt_max_threads.
int32_t naja_rt_get_num_threads(void);
/// For regions that this thread starts from now on. Out of range: NAJA_RAISED (ValueError).
int32_t naja_rt_set_num_threads(int64_t threads);
/// NAJA_NUM_THREADS, or the CPUs that this process may use.
int32_t naja_rt_max_threads(void);
/// 0 .. get_num_threads() - 1: which thread of the innermost region this is; 0 outside.
int32_t naja_rt_get_thread_id(void);
/// Iterations per chunk in regions that this thread starts; 0: chosen by naja.
int64_t naja_rt_get_parallel_chunksize(void);
/// Sets it and returns the old one.
int64_t naja_rt_set_parallel_chunksize(int64_t size);
/// Name of the threading layer, or null while no region has run on threads.
const char *naja_rt_threading_layer(void);
/// Worker threads that have been started in this process.
int32_t naja_rt_worker_threads(void);

/// 1 in a chunk whose result is not wanted any more (an earlier one has failed, or Ctrl-C was pressed): it should end soon.
int32_t naja_rt_parallel_cancelled(void);
/// For the services of the interpreter: a Python exception raised on this thread, which has no thread state that would
/// keep it, to be handed to the thread that started the region. Takes the reference.
void naja_rt_keep_python_error(void *exception);
/// 1 on the pool's threads.
int32_t naja_rt_is_worker(void);
}
