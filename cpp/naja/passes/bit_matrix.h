// Rows of bits for dataflow: one row per block, all of one width.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace naja::passes {

using Word = uint64_t;

inline bool testBit(std::span<const Word> row, uint32_t bit) { return ((row[bit / 64] >> (bit % 64)) & 1U) != 0; }
inline void setBit(std::span<Word> row, uint32_t bit) { row[bit / 64] |= Word(1) << (bit % 64); }
inline void clearBit(std::span<Word> row, uint32_t bit) { row[bit / 64] &= ~(Word(1) << (bit % 64)); }
inline void uniteWith(std::span<Word> row, std::span<const Word> other) {
  for (size_t i = 0; i < row.size(); ++i)
    row[i] |= other[i];
}
template <class Fn> void forEachBit(std::span<const Word> row, Fn &&fn) {
  for (size_t i = 0; i < row.size(); ++i) {
    for (Word rest = row[i]; rest != 0; rest &= rest - 1)
      fn(static_cast<uint32_t>(i * 64 + static_cast<size_t>(std::countr_zero(rest))));
  }
}

class BitMatrix {
public:
  BitMatrix(size_t rows, size_t bits) : words_((bits + 63) / 64), data_(rows * words_, 0) {}
  size_t words() const { return words_; }
  std::span<Word> row(size_t index) { return {data_.data() + index * words_, words_}; }
  std::span<const Word> row(size_t index) const { return {data_.data() + index * words_, words_}; }

private:
  size_t words_;
  std::vector<Word> data_;
};

} // namespace naja::passes
