// Scalars known at compile time, as the type they are materialised in; folding of scalar instructions on them.
#pragma once

#include "naja/ir/function.h"

#include <compare>
#include <optional>
#include <span>

namespace naja::passes {

/// A bool, integer or float. Integers are kept sign- or zero-extended to 64 bits as their type says.
struct ScalarConstant {
  TypeId type;
  int64_t bits = 0; // the integer, or the bits of the double (float32 values are doubles that float32 holds)

  static ScalarConstant ofInt(TypeId type, int64_t value);   // wraps to the type's width
  static ScalarConstant ofFloat(TypeId type, double value);  // rounds to the type
  static ScalarConstant ofBool(bool value);
  bool isFloat() const { return typeOf(type).kind == TypeKind::Float; }
  int64_t integer() const { return bits; }
  uint64_t unsignedInteger() const { return static_cast<uint64_t>(bits); }
  double real() const;
  bool operator==(const ScalarConstant &) const = default;
};

/// The scalar that a `const` instruction materialises; empty for other instructions, types and float16.
std::optional<ScalarConstant> scalarOf(const ir::Inst &inst);
/// The ConstId from which a `const` of this type materialises the scalar.
ConstId constantOf(const ScalarConstant &scalar);
/// The result of a pure scalar instruction on constants; empty where it has none at compile time.
std::optional<ScalarConstant> fold(const ir::Inst &inst, std::span<const ScalarConstant> operands);

} // namespace naja::passes
