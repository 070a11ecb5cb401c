// Scalar types as NumPy classes.
#pragma once

#include "naja/library/rule.h"

namespace naja::library {

/// True where a scalar type is a kind of the abstract NumPy class ("numpy.integer", "numpy.inexact" ...).
bool isSubclass(const Type &type, std::string_view abstract);

} // namespace naja::library
