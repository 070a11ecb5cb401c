// A hash of what a function means: bytecode and frozen values. It does not depend on lines, files, handles or the order
// in which things were interned, so that it is the same in every process.
#pragma once

#include "naja/frontend/snapshot/code.h"

namespace naja::frontend {

uint64_t contentHash(const FunctionSnapshot &snapshot);

} // namespace naja::frontend
