#include "naja/library/tables.h"

#include "naja/library/array_families.h"

namespace naja::library {

namespace {
constexpr void (*kFamilies[])(Table &) = {
    registerScalarOperators,
    registerComparisons,
    registerConversions,
    registerScalarAttributes,
    registerDtypes,
    registerBuiltins,
    registerRounding,
    registerMinMax,
    registerIntrospection,
    registerParallel,
    registerRanges,
    registerIterators,
    registerTuples,
    registerTupleOperators,
    registerNamedTuples,
    registerStrings,
    registerSlices,
    registerMath,
    registerMathTuples,
    registerComplexMath,
    registerOperatorModule,
    registerArrayCreate,
    registerArrayRanges,
    registerArrayLiterals,
    registerArrayAttributes,
    registerArrayIndex,
    registerArrayFancyIndex,
    registerArrayRecords,
    registerArrayIterate,
    registerArrayShape,
    registerUfuncs,
    registerArrayOperators,
    registerArrayFunctions,
    registerArrayReductions,
    registerArrayJoin,
    registerBytes,
    registerListDisplays,
    registerArrayIntrinsics,
    registerArrayLibrary,
    registerExternalFunctions,
    registerCudaIndices,
    registerCudaMemory,
};
} // namespace

void registerAll(Table &table) {
  for (auto family : kFamilies)
    family(table);
}

} // namespace naja::library
