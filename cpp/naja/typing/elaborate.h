// Rebuilds settled specialisations as typed NIR: only what is executed, constants at their uses, conversions explicit.
#pragma once

#include "naja/typing/engine.h"

namespace naja::typing {

/// The module of the root and all that it calls. The solution must be settled and free of errors.
std::unique_ptr<ir::Module> elaborate(const Specialisation &root);

} // namespace naja::typing
