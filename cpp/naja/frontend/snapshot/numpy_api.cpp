#define NAJA_SNAPSHOT_IMPORTS_NUMPY
#include "naja/frontend/snapshot/python.h"

#include "naja/frontend/snapshot/snapshot.h"

namespace naja::frontend {

bool initializeSnapshot() { return PyArray_API != nullptr || _import_array() >= 0; }

} // namespace naja::frontend
