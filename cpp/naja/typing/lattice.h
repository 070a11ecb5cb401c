// The lattice of abstract values: what a constant, an argument type or a join is worth, and how types are held at run
// time. Pure functions over interned types and constants.
#pragma once

#include "naja/library/rule.h"

#include <optional>

namespace naja::typing {

using library::AbstractValue;

/// The type of a constant. Functions, modules, classes and builtins have a type of their own each, made from their id.
TypeId typeOfConstant(ConstId constant);
AbstractValue ofConstant(ConstId constant);

/// What is known of an argument of this type: Omitted and Literal carry a constant, and so do None, functions,
/// modules...
AbstractValue ofType(TypeId type);
/// Completes a result: types of one value get their constant.
AbstractValue canonical(AbstractValue value);

/// True for types whose values exist at compile time only (no scalars): None, functions, modules, classes, literals.
bool isCompileTime(TypeId type);
/// The type under which typed NIR holds a value: closures and exception instances are tuples of what they hold, a bound
/// method is its receiver; everything else is itself.
TypeId storageType(TypeId type);

/// The join of two values that meet; empty: their types do not unify. Equal constants survive; weakness only where both
/// are the same.
std::optional<AbstractValue> join(const AbstractValue &a, const AbstractValue &b);
/// A value that enters a loop: neither constant (but for types of one value) nor weak.
AbstractValue widen(const AbstractValue &value);

/// The argument type under which a callee is specialised for this value. `literal`: constants are kept
/// (inline='always', captured values).
TypeId argumentType(const AbstractValue &value, bool literal);
TypeId omittedType(ConstId default_value);

/// T of Optional(T); the type itself otherwise.
TypeId withoutOptional(TypeId type);
/// True where a value of one type can be turned into the other: as an argument, or (narrowing) as a declared result.
bool convertible(TypeId from, TypeId to);

} // namespace naja::typing
