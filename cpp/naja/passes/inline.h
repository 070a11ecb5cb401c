// Inlines small functions of the module into their callers, callees first: leaves of a few dozen instructions, and larger
// ones with one call. Recursive functions, declarations and kernels stay; so do functions with other floating-point flags.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

void inlineSmall(ir::Module &module);

/// Removes functions that the root does not reach and renumbers the rest; the root stays first.
void dropUnreachableFunctions(ir::Module &module);

} // namespace naja::passes
