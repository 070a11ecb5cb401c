// Canonical names of callables, by identity of the object.
#pragma once

#include "naja/frontend/snapshot/python.h"

#include <optional>
#include <string>

namespace naja::frontend {

/// The name the builtin table has for this object.
std::optional<std::string> builtinNameOf(PyObject *object);

/// A name made of module and qualified name, for callables the table does not know; empty where there is none.
std::string importableName(PyObject *object);

} // namespace naja::frontend
