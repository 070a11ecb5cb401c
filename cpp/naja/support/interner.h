// A thread-safe interner: equal values get equal ids; a value stays where it is for the life of the interner. Looking
// an id up takes no lock (two dependent loads); interning takes one mutex.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace naja {

/// Mixes a value into a hash.
inline void hashCombine(size_t &seed, size_t value) {
  seed ^= value + 0x9e3779b97f4a7c15ULL + (seed << 6U) + (seed >> 2U);
}

/// Values in chunks of doubling size, so that references stay valid and readers need no lock.
template <class T> class StableVector {
public:
  StableVector() = default;
  StableVector(const StableVector &) = delete;
  StableVector &operator=(const StableVector &) = delete;
  ~StableVector() {
    for (auto &chunk : chunks_)
      delete[] chunk.load(std::memory_order_relaxed);
  }
  const T &operator[](uint32_t index) const {
    auto [chunk, offset] = place(index);
    return chunks_[chunk].load(std::memory_order_acquire)[offset];
  }
  size_t size() const { return size_.load(std::memory_order_acquire); }
  /// Callers exclude each other.
  uint32_t push(T value) {
    auto index = static_cast<uint32_t>(size_.load(std::memory_order_relaxed));
    auto [chunk, offset] = place(index);
    T *data = chunks_[chunk].load(std::memory_order_relaxed);
    if (data == nullptr) {
      data = new T[size_t(kFirst) << chunk];
      chunks_[chunk].store(data, std::memory_order_release);
    }
    data[offset] = std::move(value);
    size_.store(index + 1, std::memory_order_release);
    return index;
  }

private:
  static constexpr uint32_t kFirst = 256, kFirstBits = 8;
  static std::pair<uint32_t, uint32_t> place(uint32_t index) {
    uint32_t shifted = index + kFirst;
    auto chunk = static_cast<uint32_t>(std::bit_width(shifted)) - 1 - kFirstBits;
    return {chunk, shifted - (kFirst << chunk)};
  }
  std::array<std::atomic<T *>, 24> chunks_{};
  std::atomic<size_t> size_{0};
};

/// Interner of T by `Hash` and operator==.
template <class T, class Hash> class Interner {
public:
  uint32_t intern(T value) {
    size_t hash = Hash{}(value);
    std::lock_guard lock(mutex_);
    auto [begin, end] = index_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (values_[it->second] == value)
        return it->second;
    }
    uint32_t id = values_.push(std::move(value));
    index_.emplace(hash, id);
    return id;
  }
  const T &get(uint32_t id) const {
    assert(id < values_.size());
    return values_[id];
  }
  size_t size() const { return values_.size(); }

private:
  std::mutex mutex_;
  std::unordered_multimap<size_t, uint32_t> index_;
  StableVector<T> values_;
};

} // namespace naja
