#include "naja/runtime/parallel/region.h"

#include "naja/runtime/internal.h"

namespace naja::runtime::parallel {
namespace {

constexpr uint32_t kSleeping = 0x80000000U;
constexpr int kSpins = 4000;             // some 20 us: helpers are about to finish their last chunks
constexpr uint32_t kPollMilliseconds = 50; // Ctrl-C while helpers work

} // namespace

// --------------------------------------------------------------------------------------------------------------- shares

bool Share::take(uint32_t *chunk) {
  uint64_t word = word_.load(std::memory_order_acquire);
  for (;;) {
    const auto next = static_cast<uint32_t>(word), end = static_cast<uint32_t>(word >> 32);
    if (next >= end) { return false; }
    if (word_.compare_exchange_weak(word, pack(next + 1, end), std::memory_order_acq_rel, std::memory_order_acquire)) {
      *chunk = next;
      return true;
    }
  }
}

bool Share::steal(Share &into) {
  uint64_t word = word_.load(std::memory_order_acquire);
  for (;;) {
    const auto next = static_cast<uint32_t>(word), end = static_cast<uint32_t>(word >> 32);
    if (next >= end) { return false; }
    const uint32_t middle = end - (end - next + 1) / 2;
    // No range comes twice, since the first chunk of one is done before its owner gets another: there is no ABA.
    if (word_.compare_exchange_weak(word, pack(next, middle), std::memory_order_acq_rel, std::memory_order_acquire)) {
      into.set(middle, end);
      return true;
    }
  }
}

bool Share::empty() const {
  const uint64_t word = word_.load(std::memory_order_relaxed);
  return static_cast<uint32_t>(word) >= static_cast<uint32_t>(word >> 32);
}

// --------------------------------------------------------------------------------------------------------------- regions

bool ThreadState::isCancelled() const {
  for (const ThreadState *state = this; state && state->region; state = state->outer) {
    if (state->region->isCancelled(state->chunk)) { return true; }
  }
  return false;
}

Region::Region(int64_t count, uint32_t chunks, naja_parallel_body body, void *data, uint32_t threads)
    : count_(count), chunks_(chunks), threads_(threads), body_(body), data_(data),
      thread_limit_(naja_rt_get_num_threads()), chunk_size_(thisThread().chunk_size) {
  if (threads > kInlineShares) {
    more_shares_ = std::make_unique<Share[]>(threads);
    shares_ = more_shares_.get();
  }
  for (uint32_t i = 0; i < threads; ++i) {
    const auto at = [&](uint32_t part) { return static_cast<uint32_t>(uint64_t{chunks} * part / threads); };
    shares_[i].set(at(i), at(i + 1));
  }
}

Region::~Region() { dropFailure(); }

bool Region::hasWork() const {
  for (uint32_t i = 0; i < threads_; ++i) {
    if (!shares_[i].empty()) { return true; }
  }
  return false;
}

void Region::run(uint32_t chunk) {
  if (isCancelled(chunk)) { return; }
  const int64_t size = count_ / chunks_, longer = count_ % chunks_;
  const int64_t begin = chunk * size + (chunk < longer ? chunk : longer);
  const int64_t end = begin + size + (chunk < longer ? 1 : 0);
  thisThread().chunk = chunk;
  const int32_t status = body_(data_, begin, end, chunk);
  // KeyboardInterrupt, above all: it is not of this chunk, and nothing of the others is wanted.
  if (status != NAJA_OK) { fail(status == NAJA_PYTHON_ERROR ? int64_t{-1} : int64_t{chunk}, status); }
}

void Region::participate(uint32_t index) {
  ThreadState &state = thisThread();
  const ThreadState saved = state;
  state.outer = &saved;
  state.region = this;
  state.participant = index;
  state.threads = thread_limit_;
  state.chunk_size = chunk_size_;
  for (;;) {
    uint32_t chunk;
    while (shares_[index].take(&chunk)) {
      run(chunk);
      if (index == 0 && signalPending()) { pollSignals(saved); }
    }
    bool stolen = false;
    for (uint32_t i = 1; i < threads_ && !stolen; ++i) {
      stolen = shares_[(index + i) % threads_].steal(shares_[index]);
    }
    if (!stolen) { break; }
  }
  void *error = state.python_error;
  state = saved;
  state.python_error = error;
}

uint32_t Region::enter() {
  if (entered_ >= threads_ || !hasWork()) { return 0; }
  helpers_.fetch_add(1, std::memory_order_relaxed);
  return entered_++;
}

void Region::leave() {
  // The region may be gone as soon as the starting thread sees 0: only the address is used after that.
  std::atomic<uint32_t> &word = helpers_;
  if (word.fetch_sub(1, std::memory_order_acq_rel) == (kSleeping | 1)) { wake(word, 1); }
}

void Region::waitForHelpers() {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (helpers_.load(std::memory_order_acquire) == 0) { return; }
    relax();
  }
  for (;;) {
    if (signalPending()) { pollSignals(thisThread()); }
    uint32_t inside = helpers_.load(std::memory_order_acquire);
    if ((inside & ~kSleeping) == 0) { return; }
    if ((inside & kSleeping) == 0 &&
        !helpers_.compare_exchange_strong(inside, inside | kSleeping, std::memory_order_acq_rel)) {
      continue;
    }
    waitOn(helpers_, inside | kSleeping, kPollMilliseconds);
  }
}

/// `around`: the state of this thread outside of the region.
void Region::pollSignals(const ThreadState &around) {
  if (isCancelled(INT64_MAX)) { return; } // the flag is up for the helpers: they have to see it
  const int32_t status = around.isCancelled() ? NAJA_RAISED : pollInterpreter();
  if (status != NAJA_OK) { fail(-1, status); }
}

void Region::fail(int64_t chunk, int32_t status) {
  naja_exception exception;
  const bool raised = naja_rt_take_exception(&exception) != 0;
  ThreadState &state = thisThread();
  void *error = state.python_error;
  state.python_error = nullptr;
  const naja_python_services *python = pythonServices();
  if (status == NAJA_PYTHON_ERROR && error == nullptr && python && python->take_error) { error = python->take_error(); }

  std::unique_lock lock(failure_lock_);
  if (chunk < failed_.load(std::memory_order_relaxed)) {
    dropFailure();
    failed_.store(chunk, std::memory_order_relaxed);
    status_ = status;
    has_exception_ = raised;
    if (raised) { exception_ = exception; }
    python_error_ = error;
    lock.unlock();
    setSignalPending(1); // loops of the other threads look up, and find that they are cancelled
    return;
  }
  lock.unlock();
  if (raised) { naja_rt_free_exception(&exception); }
  if (error && python) { python->decref_object(error); }
}

void Region::dropFailure() {
  if (has_exception_) { naja_rt_free_exception(&exception_); }
  has_exception_ = false;
  const naja_python_services *python = pythonServices();
  if (python_error_ && python) { python->decref_object(python_error_); }
  python_error_ = nullptr;
}

int32_t Region::finish() {
  if (failed_.load(std::memory_order_relaxed) == INT64_MAX) { return NAJA_OK; }
  if (has_exception_) { putException(exception_); }
  has_exception_ = false;
  if (python_error_) {
    const naja_python_services *python = pythonServices();
    if (thisThread().is_worker) {
      naja_rt_keep_python_error(python_error_); // a region inside of one: on to the thread that started that
    } else if (python && python->restore_error) {
      python->restore_error(python_error_);
    }
    python_error_ = nullptr;
  }
  return status_;
}

} // namespace naja::runtime::parallel
