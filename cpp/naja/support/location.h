// Source positions. A Loc is small enough to sit on every instruction; what it refers to (file name, function name)
// belongs to the FunctionSnapshot it came from.
#pragma once

#include <cstdint>

namespace naja {

/// A range of source text: 1-based lines, 0-based UTF-8 byte columns (as CPython's co_positions). line 0: unknown.
struct Loc {
  int32_t line = 0;
  int32_t end_line = 0;
  int16_t col = -1;
  int16_t end_col = -1;

  bool known() const { return line > 0; }
  bool operator==(const Loc &) const = default;
};

} // namespace naja
