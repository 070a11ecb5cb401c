// CPython's compressed tables of a code object (3.11 to 3.13), read in one pass.
#pragma once

#include "naja/frontend/snapshot/code.h"

#include <span>

namespace naja::frontend {

/// co_linetable -> one Loc per code unit.
std::vector<Loc> readLocations(std::span<const uint8_t> table, int first_line, size_t units);

/// co_exceptiontable.
std::vector<ExceptionTableEntry> readExceptionTable(std::span<const uint8_t> table);

} // namespace naja::frontend
