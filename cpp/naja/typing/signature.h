// Binding of a call's arguments to the parameters of a Python function, with Python's errors.
#pragma once

#include "naja/types/constant.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace naja::typing {

/// Parameters of a function as its code object has them: positional, then keyword-only, then *args.
struct CallSignature {
  std::string name; // as error texts call it
  std::vector<std::string> positional, keyword_only;
  unsigned positional_only = 0;
  std::optional<std::string> star; // name of *args
  bool accepts_keywords = false;   // **kwargs
  /// Defaults of the positional and of the keyword-only parameters: nullopt where the argument is required, an invalid
  /// id where the value is not known here (an inner function holds it).
  std::vector<std::optional<ConstId>> defaults, keyword_defaults;
  size_t numParams() const { return positional.size() + keyword_only.size() + (star ? 1 : 0); }
  std::string_view paramName(size_t i) const;
};

/// What a parameter gets: argument `index` of the call, its default, or (for *args) arguments [index, index + count).
struct BoundParam {
  enum Kind : uint8_t { Missing, Argument, Default, Rest } kind = Missing;
  uint32_t index = 0, count = 0;
};

struct Binding {
  std::vector<BoundParam> params; // numParams() of them
  std::string error;              // Python's text of the TypeError; empty: bound
};

/// `positional` arguments come first, then one for each of `keywords`.
Binding bindCall(const CallSignature &signature, size_t positional, std::span<const std::string_view> keywords);

} // namespace naja::typing
