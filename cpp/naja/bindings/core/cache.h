// The parts of the object store that are C++: hashes, and loading images without a compiler. naja.cache has the rest.
#pragma once

#include "naja/bindings/core/python.h"

namespace naja::bindings {
/// Adds `hash128`, `snapshot_hash`, `value_hash`, `constant_id` and `load_image`.
bool initCache(PyObject *module);
} // namespace naja::bindings
