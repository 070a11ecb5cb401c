// The register functions of the array families: one per file, listed in library/tables.cpp.
#pragma once

#include "naja/library/rule.h"

namespace naja::library {

void registerArrayCreate(Table &table);
void registerArrayRanges(Table &table);
void registerArrayLiterals(Table &table);
void registerArrayAttributes(Table &table);
void registerArrayIndex(Table &table);
void registerArrayFancyIndex(Table &table);
void registerArrayRecords(Table &table);
void registerArrayIterate(Table &table);
void registerArrayShape(Table &table);
void registerUfuncs(Table &table);
void registerArrayFunctions(Table &table);
void registerArrayOperators(Table &table);
void registerArrayJoin(Table &table);
void registerArrayReductions(Table &table);
void registerBytes(Table &table);
void registerListDisplays(Table &table);
void registerArrayIntrinsics(Table &table);
void registerArrayLibrary(Table &table);
void registerExternalFunctions(Table &table);

} // namespace naja::library
