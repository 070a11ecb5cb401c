#define NAJA_CORE_IMPORTS_NUMPY
#include "naja/bindings/core/python.h"

namespace naja::bindings {
bool importNumpy() { return _import_array() >= 0; }
} // namespace naja::bindings
