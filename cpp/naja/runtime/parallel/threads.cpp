// Starting regions, and what each thread has set for its own.
#include "naja/runtime/internal.h"
#include "naja/runtime/parallel/region.h"
#include "naja/support/options.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <sched.h>
#include <thread>

namespace naja::runtime::parallel {
namespace {

// Chunks per thread: enough that an uneven loop ends on all threads at about the same time.
constexpr int64_t kChunksPerThread = 16;
constexpr int64_t kMaxChunks = 1 << 24;

std::atomic<bool> used_layer{false};

int32_t cpuCount() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) { return std::max(1, CPU_COUNT(&set)); }
#endif
  return std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

/// The GIL is free while the region runs, if this thread has it.
class WithoutGil {
public:
  WithoutGil() : python_(pythonServices()) {
    if (python_ && python_->release_gil) { state_ = python_->release_gil(); }
  }
  ~WithoutGil() {
    if (state_) { python_->acquire_gil(state_); }
  }
  WithoutGil(const WithoutGil &) = delete;
  WithoutGil &operator=(const WithoutGil &) = delete;

private:
  const naja_python_services *python_;
  void *state_ = nullptr;
};

int32_t runInPlace(int64_t count, int64_t chunks, naja_parallel_body body, void *data) {
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    const int64_t size = count / chunks, longer = count % chunks;
    const int64_t begin = chunk * size + std::min(chunk, longer);
    const int32_t status = body(data, begin, begin + size + (chunk < longer ? 1 : 0), chunk);
    if (status != NAJA_OK) { return status; }
  }
  return NAJA_OK;
}

} // namespace

ThreadState &thisThread() {
  thread_local ThreadState state;
  return state;
}

const ThreadingLayer &layer() {
  static const ThreadingLayer &chosen = workqueue();
  return chosen;
}

} // namespace naja::runtime::parallel

using namespace naja::runtime;
using namespace naja::runtime::parallel;

extern "C" {

int32_t naja_rt_max_threads(void) {
  static const int32_t threads = [] {
    const int64_t wanted = naja::optionInt("NUM_THREADS");
    return wanted > 0 ? static_cast<int32_t>(std::min<int64_t>(wanted, 4096)) : cpuCount();
  }();
  return threads;
}

int32_t naja_rt_get_num_threads(void) {
  const int32_t threads = thisThread().threads;
  return threads > 0 ? threads : naja_rt_max_threads();
}

int32_t naja_rt_set_num_threads(int64_t threads) {
  if (threads < 1 || threads > naja_rt_max_threads()) {
    char text[80];
    std::snprintf(text, sizeof text, "The number of threads must be between 1 and %d", naja_rt_max_threads());
    naja_rt_raise_text(NAJA_ValueError, text, nullptr, nullptr, 0);
    return NAJA_RAISED;
  }
  thisThread().threads = static_cast<int32_t>(threads);
  return NAJA_OK;
}

int32_t naja_rt_get_thread_id(void) { return static_cast<int32_t>(thisThread().participant); }

int64_t naja_rt_get_parallel_chunksize(void) { return thisThread().chunk_size; }

int64_t naja_rt_set_parallel_chunksize(int64_t size) {
  const int64_t old = thisThread().chunk_size;
  thisThread().chunk_size = std::max<int64_t>(size, 0);
  return old;
}

const char *naja_rt_threading_layer(void) { return used_layer.load(std::memory_order_relaxed) ? layer().name : nullptr; }

int32_t naja_rt_worker_threads(void) { return layer().workers(); }

int32_t naja_rt_is_worker(void) { return thisThread().is_worker ? 1 : 0; }

void naja_rt_keep_python_error(void *exception) {
  ThreadState &state = thisThread();
  const naja_python_services *python = pythonServices();
  if (state.python_error && python) { python->decref_object(state.python_error); }
  state.python_error = exception;
}

int32_t naja_rt_parallel_cancelled(void) { return thisThread().isCancelled() ? 1 : 0; }

int64_t naja_rt_parallel_chunks(int64_t count, int64_t grain, int64_t per_thread) {
  if (count <= 0) { return 0; }
  const ThreadState &state = thisThread();
  if (state.chunk_size > 0) { return std::min((count - 1) / state.chunk_size + 1, kMaxChunks); }
  const int64_t threads = naja_rt_get_num_threads();
  if (threads == 1) { return 1; }
  const int64_t most = threads * (per_thread > 0 ? per_thread : kChunksPerThread);
  return std::clamp<int64_t>(count / std::max<int64_t>(grain, 1), 1, most);
}

int32_t naja_rt_parallel_run(int64_t count, int64_t chunks, naja_parallel_body body, void *data) {
  if (count <= 0 || chunks <= 0) { return NAJA_OK; }
  const auto threads = static_cast<int32_t>(std::min<int64_t>(naja_rt_get_num_threads(), chunks));
  if (threads <= 1) { return runInPlace(count, chunks, body, data); }
  used_layer.store(true, std::memory_order_relaxed);
  const ThreadingLayer &helpers = layer();
  WithoutGil free;
  Region region(count, static_cast<uint32_t>(chunks), body, data, static_cast<uint32_t>(threads));
  helpers.offer(region);
  region.participate(0);
  helpers.withdraw(region);
  return region.finish();
}

int32_t naja_rt_parallel_for(int64_t count, naja_parallel_body body, void *data, int64_t grain) {
  return naja_rt_parallel_run(count, naja_rt_parallel_chunks(count, grain, 0), body, data);
}
}
