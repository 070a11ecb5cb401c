// One parallel region in flight: its chunks, who works on them, and the first failure. Lives on the stack of the thread that
// started it, which does not leave before every helper has.
#pragma once

#include "naja/runtime/parallel/parallel.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace naja::runtime::parallel {

/// Chunks [next, end) of one participant, packed into a word: its owner takes from the front, thieves half from the back.
class alignas(64) Share {
public:
  void set(uint32_t next, uint32_t end) { word_.store(pack(next, end), std::memory_order_release); }
  bool take(uint32_t *chunk);
  /// Moves half of what is left (at least one) to `into`, which is empty and only written by the caller.
  bool steal(Share &into);
  bool empty() const;

private:
  static uint64_t pack(uint32_t next, uint32_t end) { return uint64_t{end} << 32 | next; }
  std::atomic<uint64_t> word_{0};
};

class Region {
public:
  /// `count` >= `chunks` >= 1; `threads` is the most that take part, the starting thread (participant 0) included.
  Region(int64_t count, uint32_t chunks, naja_parallel_body body, void *data, uint32_t threads);
  ~Region();
  Region(const Region &) = delete;
  Region &operator=(const Region &) = delete;

  uint32_t threads() const { return threads_; }
  bool hasWork() const;

  /// Works on chunks until none are left. Called once by each participant.
  void participate(uint32_t index);
  /// Under the layer's lock: a place for one more helper, or 0.
  uint32_t enter();
  /// The last thing that a helper does with the region.
  void leave();
  /// Waits until all helpers have left; the layer lets no more enter.
  void waitForHelpers();

  /// Records that `chunk` (-1: none in particular) failed on this thread.
  void fail(int64_t chunk, int32_t status);
  bool isCancelled(int64_t chunk) const { return failed_.load(std::memory_order_relaxed) < chunk; }
  /// The status for the starting thread, whose exception the first failure becomes.
  int32_t finish();

  Region *next_in_layer = nullptr; // owned by the layer

private:
  void run(uint32_t chunk);
  void pollSignals(const struct ThreadState &around);
  void dropFailure();

  const int64_t count_;
  const uint32_t chunks_, threads_;
  const naja_parallel_body body_;
  void *const data_;
  const int32_t thread_limit_;  // of the starting thread: its helpers' nested regions use as many
  const int64_t chunk_size_;
  static constexpr uint32_t kInlineShares = 8;
  Share inline_shares_[kInlineShares];
  std::unique_ptr<Share[]> more_shares_;
  Share *shares_ = inline_shares_;
  uint32_t entered_ = 1;             // under the layer's lock
  std::atomic<uint32_t> helpers_{0}; // inside; with kSleeping where the starting thread sleeps on it

  std::atomic<int64_t> failed_{INT64_MAX}; // number of the first chunk that failed
  std::mutex failure_lock_;
  int32_t status_ = NAJA_OK;
  bool has_exception_ = false;
  void *python_error_ = nullptr;
  naja_exception exception_;
};

/// A way to get helpers: naja's own pool, or another library's. `offer` returns at once; helpers call Region::enter (while no
/// other thread does), participate and leave. `withdraw` returns when no helper is inside and none will enter.
struct ThreadingLayer {
  const char *name;
  void (*offer)(Region &region);
  void (*withdraw)(Region &region);
  int32_t (*workers)();
};
const ThreadingLayer &workqueue();
/// The layer in use.
const ThreadingLayer &layer();

/// What a thread knows of the regions that it is in.
struct ThreadState {
  int32_t threads = 0;       // set_num_threads; 0: never set
  int64_t chunk_size = 0;
  Region *region = nullptr;  // the innermost one
  int64_t chunk = 0;         // of it
  uint32_t participant = 0;
  const ThreadState *outer = nullptr; // saved state of the region around
  bool is_worker = false;
  void *python_error = nullptr; // naja_rt_keep_python_error

  /// Whether the result of this thread's chunk, of any region around it, is not wanted any more.
  bool isCancelled() const;
};
ThreadState &thisThread();

/// Sleeping on a word, and waking those who do. waitOn returns when woken, when *word is not `expected`, after the timeout
/// (0: none) or for no reason.
void waitOn(std::atomic<uint32_t> &word, uint32_t expected, uint32_t milliseconds);
void wake(std::atomic<uint32_t> &word, uint32_t threads);
/// A moment for the other hyper-thread.
void relax();

} // namespace naja::runtime::parallel
