// Proves what integers can be and drops what that makes unnecessary: index.wrap of what is not negative, index.check of
// what is in range, check_nonzero of what is not 0, comparisons with one outcome; marks iadd, isub and imul that cannot
// wrap, and turns // and % of what is not negative into unsigned ones. Loops then look to LLVM as clang's do.
// Where boundscheck is off, an index computed by iadd, isub and imul counts as mathematical: one that wraps around is out
// of bounds in Python.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void indexRangesOf(ir::Function &function);
void indexRanges(ir::Module &module);

} // namespace naja::passes
