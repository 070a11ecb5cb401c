// A hash of what a function means: bytecode and frozen values. It does not depend on lines, files, handles or the order
// in which things were interned, so that it is the same in every process.
#pragma once

#include "naja/frontend/snapshot/code.h"

namespace naja::frontend {

uint64_t contentHash(const FunctionSnapshot &snapshot);

/// Of one frozen value; functions and classes by name. Empty for what has an identity and no value.
std::optional<uint64_t> valueHash(ConstId value);

/// Where instructions are, relative to the function's first line, inner functions included; and its last line.
struct LineLayout {
  uint64_t hash = 0;
  int last_line = 0;
};
LineLayout lineLayout(const CodeSnapshot &code);

} // namespace naja::frontend
