// The register function of every family; Table::global() runs them in this order once. To add a family: declare its
// function here and list it in tables.cpp.
#pragma once

#include "naja/library/rule.h"

namespace naja::library {

void registerScalarOperators(Table &table);
void registerComparisons(Table &table);
void registerConversions(Table &table);
void registerScalarAttributes(Table &table);
void registerDtypes(Table &table);
void registerBuiltins(Table &table);
void registerRounding(Table &table);
void registerMinMax(Table &table);
void registerIntrospection(Table &table);
void registerParallel(Table &table);
void registerRanges(Table &table);
void registerIterators(Table &table);
void registerTuples(Table &table);
void registerTupleOperators(Table &table);
void registerNamedTuples(Table &table);
void registerStrings(Table &table);
void registerSlices(Table &table);
void registerMath(Table &table);
void registerMathTuples(Table &table);
void registerComplexMath(Table &table);
void registerOperatorModule(Table &table);

void registerCudaIndices(Table &table);
void registerCudaMemory(Table &table);

void registerAll(Table &table);

} // namespace naja::library
