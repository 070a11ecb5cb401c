#include "naja/frontend/snapshot/code_tables.h"

#include <algorithm>
#include <limits>

namespace naja::frontend {
namespace {

/// Bytes with the two variable-length encodings of CPython.
class Reader {
public:
  explicit Reader(std::span<const uint8_t> data) : data_(data) {}
  bool done() const { return position_ >= data_.size(); }
  uint8_t byte() { return done() ? 0 : data_[position_++]; }

  /// Locations: little-endian groups of six bits.
  uint32_t varint() {
    uint32_t value = 0;
    unsigned shift = 0;
    uint8_t b;
    do {
      b = byte();
      value |= static_cast<uint32_t>(b & 63U) << shift;
      shift += 6;
    } while ((b & 64U) != 0 && shift < 32);
    return value;
  }
  int32_t svarint() {
    uint32_t value = varint();
    return (value & 1U) != 0 ? -static_cast<int32_t>(value >> 1U) : static_cast<int32_t>(value >> 1U);
  }
  /// Exception table: big-endian groups of six bits.
  int32_t bigVarint() {
    uint8_t b = byte();
    uint32_t value = b & 63U;
    while ((b & 64U) != 0 && !done()) {
      b = byte();
      value = value << 6U | (b & 63U);
    }
    return static_cast<int32_t>(value);
  }

private:
  std::span<const uint8_t> data_;
  size_t position_ = 0;
};

int16_t column(int64_t value) {
  return value > std::numeric_limits<int16_t>::max() ? int16_t(-1) : static_cast<int16_t>(value);
}

constexpr unsigned kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15;

/// One entry; `line` runs along. Codes below 10 are the short form on the same line, 10 to 12 a line 0 to 2 further.
Loc readEntry(Reader &reader, unsigned code, int &line) {
  Loc loc;
  if (code == kNone) return loc;
  int end_delta = 0;
  if (code < kOneLine) {
    const unsigned second = reader.byte();
    loc.col = column((code << 3U) | (second >> 4U & 7U));
    loc.end_col = column(loc.col + int(second & 15U));
  } else if (code < kNoColumns) {
    line += static_cast<int>(code - kOneLine);
    loc.col = column(reader.byte());
    loc.end_col = column(reader.byte());
  } else {
    line += reader.svarint();
    if (code == kLong) {
      end_delta = static_cast<int>(reader.varint());
      loc.col = column(int64_t(reader.varint()) - 1);
      loc.end_col = column(int64_t(reader.varint()) - 1);
    }
  }
  loc.line = line;
  loc.end_line = line + end_delta;
  return loc;
}

} // namespace

std::vector<Loc> readLocations(std::span<const uint8_t> table, int first_line, size_t units) {
  std::vector<Loc> locations;
  locations.reserve(units);
  Reader reader(table);
  int line = first_line;
  while (!reader.done() && locations.size() < units) {
    const unsigned head = reader.byte();
    const size_t length = (head & 7U) + 1;
    Loc loc = readEntry(reader, head >> 3U & 15U, line);
    locations.insert(locations.end(), std::min(length, units - locations.size()), loc);
  }
  locations.resize(units);
  return locations;
}

std::vector<ExceptionTableEntry> readExceptionTable(std::span<const uint8_t> table) {
  std::vector<ExceptionTableEntry> entries;
  Reader reader(table);
  while (!reader.done()) {
    ExceptionTableEntry entry{};
    entry.start = reader.bigVarint();
    entry.end = entry.start + reader.bigVarint();
    entry.target = reader.bigVarint();
    const int32_t depth = reader.bigVarint();
    entry.depth = depth >> 1;
    entry.lasti = (depth & 1) != 0;
    entries.push_back(entry);
  }
  return entries;
}

} // namespace naja::frontend
