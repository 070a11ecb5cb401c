// Promotion of operand types, unification at joins, and conversions: Numba's rules for scalars on the CPU, NumPy 2's for
// array elements.
#pragma once

#include "naja/types/type.h"

namespace naja {

/// How well a value of one type serves where another is wanted, best first (Numba's ranking of overloads).
enum class Conversion : uint8_t { Exact, Promote, Safe, Unsafe, None };

/// Rank of converting an argument. Arrays: C or F to A, mutable to read-only, aligned to not: Safe; never C to F.
/// T to Optional(T): Promote/Safe; none to Optional: Promote.
Conversion conversion(TypeId from, TypeId to);

/// The type of a variable whose definitions have these two types: Numba's unification (int64 with float64: float64; int64
/// with uint64: float64; int32 with int64: int64; none with T: Optional(T); tuples item by item; arrays of the same dtype
/// and ndim: layout A where they differ, read-only where one is). Empty: they do not unify.
std::optional<TypeId> unify(TypeId a, TypeId b);

/// Operand type of + - * and & | ^ on machine scalars of the cpu target: both below 64 bits: int64, or uint64 where both
/// are unsigned (bool counts as int64... see differences.md); int64 with uint64: float64 for arithmetic. float32 with an
/// integer above 16 bits... as Numba: float64.
TypeId promoteScalars(TypeId a, TypeId b);

/// NumPy's result_type of two strong dtypes (NEP 50: no value-based casting): int8+uint8 -> int16, int64+uint64 ->
/// float64, int32+float32 -> float64, bool+int8 -> int8, float32+complex64 -> complex64.
TypeId promoteDtypes(TypeId a, TypeId b);

/// dtype of a weak Python bool/int/float/complex (`weak`) against a strong dtype: int against any number: that dtype;
/// float against int: float64, against float32: float32; complex against float32: complex64.
TypeId promoteWeak(TypeId weak, TypeId strong);

} // namespace naja
