// Shared by the runtime's own files.
#pragma once

#include "naja/runtime/abi.h"

namespace naja::runtime {

/// The services that _core installed, or null (C++ tests).
const naja_python_services *pythonServices();

/// dlsym of libm, libc or libmvec; null where there is none.
void *findInLibrary(const char *name);

} // namespace naja::runtime
