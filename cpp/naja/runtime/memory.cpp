// Reference-counted memory of compiled code. One malloc a block: header and payload together.
#include "naja/runtime/internal.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace naja::runtime {
namespace {

std::atomic<int64_t> allocated{0}, released{0};
constexpr size_t kAlignment = 64;
// glibc aligns to 16: at most this much is lost to get to 64.
constexpr size_t kSlack = kAlignment - 16;
constexpr uint64_t kMaxBytes = static_cast<uint64_t>(PTRDIFF_MAX) - 4096;
// Where pages are touched one by one, big pages save most of the faults (as NumPy does).
constexpr uint64_t kHugePageBytes = uint64_t{1} << 22;

/// Lies right in front of the payload.
struct Block {
  naja_meminfo info;
  void *raw; // what malloc returned
  void *unused[2];
};
static_assert(sizeof(Block) == kAlignment && sizeof(Block) == NAJA_PAYLOAD_OFFSET);

void freeBlock(naja_meminfo *info) { std::free(reinterpret_cast<Block *>(info)->raw); }

void destroy(naja_meminfo *info) {
  released.fetch_add(1, std::memory_order_relaxed);
  if (info->destroy) {
    info->destroy(info);
  } else {
    freeBlock(info);
  }
}

void freeReference(naja_meminfo *info) {
  if (const naja_python_services *python = pythonServices()) { python->decref_object(info->context); }
  std::free(info);
}

[[gnu::cold]] naja_owner outOfMemory(uint64_t bytes) {
  static const char *const kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes);
  unsigned unit = 0;
  while (amount >= 1024 && unit < 6) {
    amount /= 1024;
    ++unit;
  }
  char text[96];
  std::snprintf(text, sizeof text, "Unable to allocate %.3g %s for an array", amount, kUnits[unit]);
  naja_rt_raise_text(NAJA_MemoryError, text, nullptr, nullptr, 0);
  return nullptr;
}

void adviseHugePages(void *data, uint64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPage = 4096;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + kPage - 1) & ~(kPage - 1);
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) & ~(kPage - 1);
  if (end > begin) { madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE); }
#else
  static_cast<void>(data);
  static_cast<void>(bytes);
#endif
}

bool isTagged(naja_owner owner) { return (reinterpret_cast<uintptr_t>(owner) & 1) != 0; }

} // namespace
} // namespace naja::runtime

using namespace naja::runtime;

extern "C" {

naja_owner naja_rt_alloc(uint64_t bytes, int32_t zeroed, void **data) {
  if (__builtin_expect(bytes > kMaxBytes, 0)) { return outOfMemory(bytes); }
  const size_t total = bytes + sizeof(Block) + kSlack;
  // calloc knows which pages are fresh from the kernel and need no clearing.
  void *raw = zeroed ? std::calloc(1, total) : std::malloc(total);
  if (__builtin_expect(raw == nullptr, 0)) { return outOfMemory(bytes); }
  const uintptr_t payload = (reinterpret_cast<uintptr_t>(raw) + sizeof(Block) + kSlack) & ~(kAlignment - 1);
  auto *block = reinterpret_cast<Block *>(payload - sizeof(Block));
  block->info = {1, nullptr, reinterpret_cast<void *>(payload), bytes, nullptr};
  block->raw = raw;
  if (bytes >= kHugePageBytes) { adviseHugePages(block->info.data, bytes); }
  allocated.fetch_add(1, std::memory_order_relaxed);
  *data = block->info.data;
  return &block->info;
}

void naja_rt_incref(naja_owner owner) {
  if (owner == nullptr || isTagged(owner)) { return; }
  __atomic_fetch_add(&static_cast<naja_meminfo *>(owner)->refcount, 1, __ATOMIC_RELAXED);
}

void naja_rt_decref(naja_owner owner) {
  if (owner == nullptr || isTagged(owner)) { return; }
  auto *info = static_cast<naja_meminfo *>(owner);
  // Nobody else can hold a reference when the count is one, so that the usual case needs no locked instruction.
  if (__atomic_load_n(&info->refcount, __ATOMIC_ACQUIRE) == 1 ||
      __atomic_fetch_sub(&info->refcount, 1, __ATOMIC_ACQ_REL) == 1) {
    destroy(info);
  }
}

naja_owner naja_rt_escape(naja_owner owner) {
  if (!isTagged(owner)) {
    naja_rt_incref(owner);
    return owner;
  }
  void *object = static_cast<char *>(owner) - 1;
  auto *info = static_cast<naja_meminfo *>(std::malloc(sizeof(naja_meminfo)));
  if (info == nullptr) { return outOfMemory(sizeof(naja_meminfo)); }
  *info = {1, freeReference, nullptr, 0, object};
  if (const naja_python_services *python = pythonServices()) { python->incref_object(object); }
  allocated.fetch_add(1, std::memory_order_relaxed);
  return info;
}

naja_owner naja_rt_owner_of(void *data) { return static_cast<char *>(data) - sizeof(Block); }

int64_t naja_rt_live_allocations(void) {
  // Read in this order a concurrent free is never seen before its allocation.
  const int64_t gone = released.load(std::memory_order_acquire);
  return allocated.load(std::memory_order_acquire) - gone;
}

int64_t naja_rt_total_allocations(void) { return allocated.load(std::memory_order_relaxed); }
}
