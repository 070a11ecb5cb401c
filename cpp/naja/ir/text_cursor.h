// A cursor over one line of NIR text, and the parser of constants on it. Used by parse.cpp alone.
#pragma once

#include "naja/types/constant.h"
#include "naja/types/type.h"

#include <optional>
#include <string>
#include <string_view>

namespace naja::ir {

class TextCursor {
public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  std::string_view rest() const { return text_; }
  void skipSpaces();
  bool atEnd();
  /// Takes `word` after spaces; false and nothing taken where it is not next.
  bool take(std::string_view word);
  bool peek(std::string_view word);
  /// Characters up to a space or one of `stop`.
  std::string_view until(std::string_view stop);
  std::optional<int64_t> integer();
  std::optional<std::string> quoted(); // "..."
  std::optional<TypeId> type();
  /// A function's name after '@', plain or quoted.
  std::optional<std::string> functionName();
  /// What toString(ConstId) and the printer's suffix write; invalid: a syntax error, or `?` (then `*absent` is set).
  ConstId constant(bool *absent = nullptr);

private:
  ConstId literal();
  ConstId number();
  ConstId parenthesised();
  ConstId reference();
  ConstId slice();
  std::optional<std::string> pythonString();

  std::string_view text_;
};

} // namespace naja::ir
