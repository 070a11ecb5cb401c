// CPython copies the end of a block to where it is jumped from (`return -(a if c else b)` has two negations). Values that
// met in the source would not meet in the copies, and their types would depend on the version and on the length of the end.
#pragma once

#include "naja/frontend/translate/decode.h"

namespace naja::frontend {

/// Makes a copy jump to the first of the operations that came from the same place of the source. What ends in another
/// handler of exceptions stays.
void shareCopies(std::vector<Operation> &ops, const CodeSnapshot &code);

} // namespace naja::frontend
