// Exceptions of compiled code -> Python.
#pragma once

#include "naja/bindings/core/python.h"

#include <cstdint>

namespace naja::bindings {

/// Sets the Python error that belongs to a status of compiled code (not NAJA_OK). Always returns null.
PyObject *raiseStatus(int32_t status);

} // namespace naja::bindings
