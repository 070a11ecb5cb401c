// Folding of operators on compile-time constants with Python's semantics: exact ints, so that pruning and shapes see
// them. Empty: not both constant, or the result has no constant (an exception at run time, an int beyond 64 bits).
#pragma once

#include "naja/library/rule.h"

namespace naja::library {

/// Both operands weak (Python literals, frozen ints and floats) or bools.
std::optional<Resolution> foldBinary(ir::BinaryOp op, const AbstractValue &a, const AbstractValue &b);
std::optional<Resolution> foldUnary(ir::UnaryOp op, const AbstractValue &a);
/// Scalars of any strength, and strings.
std::optional<Resolution> foldCompare(ir::Predicate p, const AbstractValue &a, const AbstractValue &b);
std::optional<Resolution> foldTruth(const AbstractValue &a);

/// A weak int, as Python has it: int64, uint64 above, empty beyond.
std::optional<ConstId> intConstant(__int128 value);
Resolution boolResolution(bool value);
Resolution intResolution(int64_t value);

/// Python's round(x), // and % of floats.
double pythonFloorDiv(double a, double b);
double pythonMod(double a, double b);

} // namespace naja::library
