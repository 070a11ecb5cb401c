// The register function of every family; Table::global() runs them in this order once. To add a family: declare its
// function here and list it in tables.cpp.
#pragma once

#include "naja/library/rule.h"

namespace naja::library {

void registerScalarOperators(Table &table);
void registerComparisons(Table &table);

void registerAll(Table &table);

} // namespace naja::library
