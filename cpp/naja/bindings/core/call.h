// Entering compiled code with Python arguments.
#pragma once

#include "naja/bindings/core/dispatcher.h"

namespace naja::bindings {

/// The vectorcall of dispatchers.
PyObject *callDispatcher(PyObject *callable, PyObject *const *args, size_t nargsf, PyObject *keywords);

} // namespace naja::bindings
