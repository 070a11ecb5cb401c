#include "naja/bindings/core/dispatcher.h"

#include <cstring>

namespace naja::bindings {
namespace {

uint64_t hashWords(const uint64_t *words, unsigned count) {
  uint64_t hash = count;
  for (unsigned i = 0; i < count; ++i) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29U;
  }
  return hash;
}

bool equal(const Entry &entry, const Fingerprint &fingerprint) {
  return entry.word_count == fingerprint.count &&
         std::memcmp(entry.words.get(), fingerprint.words, fingerprint.count * sizeof(uint64_t)) == 0;
}

} // namespace

Entry::~Entry() {
  Py_XDECREF(reinterpret_cast<PyObject *>(specialisation));
  for (PyObject *pin : pins) { Py_DECREF(pin); }
}

Entry *EntryTable::find(const Fingerprint &fingerprint) const {
  if (buckets_.empty()) {
    for (const auto &entry : entries_) {
      if (equal(*entry, fingerprint)) { return entry.get(); }
    }
    return nullptr;
  }
  const uint64_t hash = hashWords(fingerprint.words, fingerprint.count);
  for (size_t i = hash & (buckets_.size() - 1);; i = (i + 1) & (buckets_.size() - 1)) {
    Entry *entry = buckets_[i];
    if (entry == nullptr) { return nullptr; }
    if (entry->hash == hash && equal(*entry, fingerprint)) { return entry; }
  }
}

void EntryTable::insert(std::unique_ptr<Entry> entry) {
  entry->hash = hashWords(entry->words.get(), entry->word_count);
  entries_.push_back(std::move(entry));
  if (entries_.size() > kLinear) {
    size_t size = buckets_.empty() ? 4 * kLinear : buckets_.size();
    while (size < 2 * entries_.size()) { size *= 2; }
    rehash(size);
  }
}

void EntryTable::rehash(size_t wanted) {
  size_t size = 16;
  while (size < wanted) { size *= 2; }
  buckets_.assign(size, nullptr);
  for (const auto &entry : entries_) {
    size_t i = entry->hash & (size - 1);
    while (buckets_[i] != nullptr) { i = (i + 1) & (size - 1); }
    buckets_[i] = entry.get();
  }
}

std::vector<std::unique_ptr<Entry>> EntryTable::takeAll() {
  buckets_.clear();
  return std::move(entries_);
}

} // namespace naja::bindings
