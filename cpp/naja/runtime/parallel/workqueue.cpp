// naja's own threads. Regions with work for helpers stand in a list; a thread without work takes the newest one, spins for
// a while when there is none, then sleeps.
#include "naja/runtime/parallel/region.h"

#include <csignal>
#include <new>
#include <pthread.h>

namespace naja::runtime::parallel {
namespace {

constexpr size_t kStackBytes = size_t{64} << 20;
constexpr int kSpins = 8000; // some 50 us: a program that starts regions one after the other finds its helpers awake

struct Pool {
  std::mutex lock;
  Region *regions = nullptr; // newest first
  int32_t workers = 0;
  std::atomic<uint32_t> epoch{0};    // counts offers
  std::atomic<uint32_t> sleeping{0};
};

// Never destroyed: threads use it until the process has ended.
alignas(Pool) unsigned char storage[sizeof(Pool)];

// The child of a fork has neither the parent's threads nor the regions that they were in.
void afterForkInChild() { new (storage) Pool; }

Pool &pool() {
  static Pool *const made = [] {
    auto *fresh = new (storage) Pool;
    pthread_atfork(nullptr, nullptr, afterForkInChild);
    return fresh;
  }();
  return *made;
}

Region *findWork(Pool &pool, uint32_t *index) {
  std::lock_guard guard(pool.lock);
  for (Region *region = pool.regions; region; region = region->next_in_layer) {
    if ((*index = region->enter()) != 0) { return region; }
  }
  return nullptr;
}

void waitForOffer(Pool &pool, uint32_t seen) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (pool.epoch.load(std::memory_order_acquire) != seen) { return; }
    relax();
  }
  pool.sleeping.fetch_add(1, std::memory_order_seq_cst);
  while (pool.epoch.load(std::memory_order_seq_cst) == seen) { waitOn(pool.epoch, seen, 0); }
  pool.sleeping.fetch_sub(1, std::memory_order_relaxed);
}

void *work(void *) {
  thisThread().is_worker = true;
  Pool &p = pool();
  for (;;) {
    const uint32_t seen = p.epoch.load(std::memory_order_acquire);
    uint32_t index = 0;
    if (Region *region = findWork(p, &index)) {
      region->participate(index);
      region->leave();
    } else {
      waitForOffer(p, seen);
    }
  }
  return nullptr;
}

bool startWorker() {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) { return false; }
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // Signals are for the threads that the program made.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool started = pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                 pthread_create(&thread, &attributes, work, nullptr) == 0;
  if (!started) { // little address space: the system's default then
    pthread_attr_destroy(&attributes);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    started = pthread_create(&thread, &attributes, work, nullptr) == 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

void offer(Region &region) {
  Pool &p = pool();
  const auto wanted = static_cast<int32_t>(region.threads()) - 1;
  {
    std::lock_guard guard(p.lock);
    // Without the threads that could not be started the others do the work.
    while (p.workers < wanted && startWorker()) { ++p.workers; }
    region.next_in_layer = p.regions;
    p.regions = &region;
  }
  p.epoch.fetch_add(1, std::memory_order_seq_cst);
  if (p.sleeping.load(std::memory_order_seq_cst) > 0) { wake(p.epoch, static_cast<uint32_t>(wanted)); }
}

void withdraw(Region &region) {
  Pool &p = pool();
  {
    std::lock_guard guard(p.lock);
    Region **at = &p.regions;
    while (*at != &region) { at = &(*at)->next_in_layer; }
    *at = region.next_in_layer;
  }
  region.waitForHelpers();
}

int32_t workers() {
  Pool &p = pool();
  std::lock_guard guard(p.lock);
  return p.workers;
}

} // namespace

const ThreadingLayer &workqueue() {
  static constexpr ThreadingLayer kLayer = {"workqueue", offer, withdraw, workers};
  return kLayer;
}

} // namespace naja::runtime::parallel
