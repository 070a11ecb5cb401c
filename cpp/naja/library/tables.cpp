#include "naja/library/tables.h"

namespace naja::library {

namespace {
constexpr void (*kFamilies[])(Table &) = {
    registerScalarOperators,
    registerComparisons,
};
} // namespace

void registerAll(Table &table) {
  for (auto family : kFamilies)
    family(table);
}

} // namespace naja::library
