// Results that Python cannot have. The counterpart of bindings/core/box.cpp, asked before anything is compiled, so that the
// user's line can be named.
#pragma once

#include "naja/types/type.h"

#include <optional>
#include <string>

namespace naja::driver {

struct Unboxable {
  std::string what; // "a list", "a method of array(float64, 1d, C)"
  std::string hint;
};

/// Why a value of this type, or a part of it, has no form in Python. Empty: it has one.
std::optional<Unboxable> whyUnboxable(TypeId type);

} // namespace naja::driver
