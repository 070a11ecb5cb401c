// Code objects as plain data.
#pragma once

#include "naja/frontend/snapshot/code.h"
#include "naja/frontend/snapshot/python.h"

namespace naja::frontend {

/// The snapshot of a code object. Code objects do not change, so it is made once and kept with the code object.
std::shared_ptr<const CodeSnapshot> readCode(PyCodeObject *code);

} // namespace naja::frontend
