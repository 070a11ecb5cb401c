// The rules were read off the behaviour of Numba and NumPy: unittests/types/promotion_test.cpp holds the full tables.
#include "naja/types/promotion.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace naja {
namespace {

/// bool below all integers: it fits each of them.
bool isBool(const Type &type) { return type.kind == TypeKind::Bool; }

/// True where every value of integer `from` is a value of `to`.
bool integerFits(const Type &from, const Type &to) {
  if (from.is_signed == to.is_signed)
    return from.bits <= to.bits;
  return to.is_signed && from.bits < to.bits;
}

/// Bits of the float that Numba holds safe for an integer: 32 up to 16 bits signed and 8 unsigned, else 64.
unsigned floatBitsFor(const Type &type) {
  if (isBool(type) || type.bits <= 8 || (type.is_signed && type.bits <= 16))
    return 32;
  return 64;
}

unsigned componentBits(const Type &type) {
  if (type.kind == TypeKind::Complex)
    return type.bits / 2U;
  return type.kind == TypeKind::Float ? type.bits : 0U;
}

Conversion integerConversion(const Type &from, const Type &to) {
  if (from.is_signed == to.is_signed)
    return from.bits < to.bits ? Conversion::Promote : Conversion::Unsafe;
  return integerFits(from, to) ? Conversion::Safe : Conversion::Unsafe;
}

Conversion scalarConversion(const Type &from, const Type &to) {
  if (from.kind == TypeKind::Complex) {
    if (to.kind != TypeKind::Complex)
      return Conversion::None;
    return from.bits < to.bits ? Conversion::Promote : Conversion::Unsafe;
  }
  if (isBool(from))
    return Conversion::Safe;
  if (isBool(to))
    return Conversion::Unsafe;
  if (from.isInteger() && to.isInteger())
    return integerConversion(from, to);
  if (from.isInteger())
    return componentBits(to) >= floatBitsFor(from) ? Conversion::Safe : Conversion::Unsafe;
  if (to.isInteger())
    return Conversion::Unsafe;
  if (to.kind == TypeKind::Float)
    return from.bits < to.bits ? Conversion::Promote : Conversion::Unsafe;
  return componentBits(to) >= from.bits ? Conversion::Safe : Conversion::Unsafe;
}

Conversion arrayConversion(const Type &from, const Type &to) {
  bool fits = from.args[0] == to.args[0] && from.ndim == to.ndim && (to.layout == from.layout || to.layout == Layout::A) &&
              (to.readonly || !from.readonly) && (from.aligned || !to.aligned);
  return fits ? Conversion::Safe : Conversion::None;
}

Conversion worst(Conversion a, Conversion b) { return std::max(a, b); }

Conversion tupleConversion(const Type &from, const Type &to) {
  if (from.args.size() != to.args.size() || (to.isNamedTuple() && from.name != to.name))
    return Conversion::None;
  Conversion rank = Conversion::Safe;
  for (size_t i = 0; i < from.args.size(); ++i)
    rank = worst(rank, conversion(from.args[i], to.args[i]));
  return rank;
}

Conversion toOptional(TypeId from, const Type &to) {
  const Type &type = typeOf(from);
  if (type.kind == TypeKind::None)
    return Conversion::Promote;
  if (type.kind == TypeKind::Optional)
    return worst(Conversion::Safe, conversion(type.args[0], to.args[0]));
  return worst(Conversion::Promote, conversion(from, to.args[0]));
}

TypeId unifyNumbers(const Type &a, const Type &b) {
  TypeStore &s = types();
  if (a.kind == TypeKind::Complex || b.kind == TypeKind::Complex || a.kind == TypeKind::Float ||
      b.kind == TypeKind::Float) {
    bool complex_result = a.kind == TypeKind::Complex || b.kind == TypeKind::Complex;
    auto bits = [](const Type &type) {
      if (!type.isInteger())
        return isBool(type) ? 32U : std::max(32U, componentBits(type));
      return type.bits <= 16 ? 32U : 64U; // looser than an operand's: uint16 joins float32 as float32
    };
    unsigned width = std::max(bits(a), bits(b));
    if (!complex_result && a.kind == b.kind)
      return s.floating(std::max(a.bits, b.bits));
    return complex_result ? s.complexOf(width * 2) : s.floating(width);
  }
  if (isBool(a) || isBool(b))
    return isBool(a) ? (isBool(b) ? s.boolean : s.integer(b.bits, b.is_signed)) : s.integer(a.bits, a.is_signed);
  if (integerFits(a, b))
    return s.integer(b.bits, b.is_signed);
  if (integerFits(b, a))
    return s.integer(a.bits, a.is_signed);
  unsigned unsigned_bits = a.is_signed ? b.bits : a.bits;
  return unsigned_bits == 64 ? s.float64 : s.integer(unsigned_bits * 2, true);
}

std::optional<TypeId> unifyTuples(const Type &a, const Type &b) {
  if (a.args.size() != b.args.size() || a.name != b.name || a.handle != b.handle)
    return std::nullopt;
  Type joined = a;
  for (size_t i = 0; i < a.args.size(); ++i) {
    auto item = unify(a.args[i], b.args[i]);
    if (!item)
      return std::nullopt;
    joined.args[i] = *item;
  }
  return types().intern(std::move(joined));
}

std::optional<TypeId> unifyArrays(const Type &a, const Type &b) {
  if (a.args[0] != b.args[0] || a.ndim != b.ndim)
    return std::nullopt;
  return types().array(a.args[0], a.ndim, a.layout == b.layout ? a.layout : Layout::A, a.readonly || b.readonly,
                       a.aligned && b.aligned);
}

std::optional<TypeId> unifyOptional(TypeId a, TypeId b) {
  auto inner = [](TypeId id) { return typeOf(id).kind == TypeKind::Optional ? typeOf(id).args[0] : id; };
  if (typeOf(a).kind == TypeKind::None)
    return types().optional(b);
  if (typeOf(b).kind == TypeKind::None)
    return types().optional(a);
  auto joined = unify(inner(a), inner(b));
  return joined ? std::optional(types().optional(*joined)) : std::nullopt;
}

/// A literal or omitted argument stands for its plain type.
TypeId plain(TypeId id) {
  const Type &type = typeOf(id);
  return type.kind == TypeKind::Literal && !type.args.empty() ? type.args[0] : id;
}

std::optional<TypeId> unifyUnbound(TypeId a, TypeId b) {
  auto inner = [](TypeId id) { return typeOf(id).kind == TypeKind::MaybeUnbound ? typeOf(id).args[0] : id; };
  if (a == types().unbound)
    return types().maybeUnbound(b);
  if (b == types().unbound)
    return types().maybeUnbound(a);
  auto joined = unify(inner(a), inner(b));
  return joined ? std::optional(types().maybeUnbound(*joined)) : std::nullopt;
}

} // namespace

Conversion conversion(TypeId from_id, TypeId to_id) {
  if (from_id == to_id)
    return Conversion::Exact;
  const Type &from = typeOf(from_id), &to = typeOf(to_id);
  if (to.kind == TypeKind::Optional)
    return toOptional(from_id, to);
  if (from.kind == TypeKind::Optional) {
    // Numba allows it and raises where the value is absent.
    return worst(Conversion::Safe, conversion(from.args[0], to_id));
  }
  if (from.kind == TypeKind::Literal && !from.args.empty())
    return worst(Conversion::Promote, conversion(from.args[0], to_id));
  if (from.isScalar() && to.isScalar())
    return scalarConversion(from, to);
  if (from.kind == TypeKind::Array && to.kind == TypeKind::Array)
    return arrayConversion(from, to);
  if (from.kind == TypeKind::Tuple && to.kind == TypeKind::Tuple)
    return tupleConversion(from, to);
  if (from.kind == TypeKind::Slice && to.kind == TypeKind::Slice)
    return from.ndim < to.ndim ? Conversion::Safe : Conversion::None;
  if (from.kind == TypeKind::Range && to.kind == TypeKind::Range)
    return from.args == to.args && to.offsets.empty() ? Conversion::Safe : Conversion::None;
  if (from.kind == TypeKind::Pointer && to.kind == TypeKind::Pointer && (from.args.empty() || to.args.empty()))
    return Conversion::Safe;
  return Conversion::None;
}

std::optional<TypeId> unify(TypeId a_id, TypeId b_id) {
  a_id = plain(a_id);
  b_id = plain(b_id);
  if (a_id == b_id)
    return a_id;
  const Type &a = typeOf(a_id), &b = typeOf(b_id);
  if (a.kind == TypeKind::MaybeUnbound || b.kind == TypeKind::MaybeUnbound)
    return unifyUnbound(a_id, b_id);
  if (a.kind == TypeKind::None || b.kind == TypeKind::None || a.kind == TypeKind::Optional ||
      b.kind == TypeKind::Optional)
    return unifyOptional(a_id, b_id);
  if (a.isScalar() && b.isScalar())
    return unifyNumbers(a, b);
  if (a.kind == TypeKind::Tuple && b.kind == TypeKind::Tuple)
    return unifyTuples(a, b);
  if (a.kind == TypeKind::Array && b.kind == TypeKind::Array)
    return unifyArrays(a, b);
  if (a.kind == TypeKind::Slice && b.kind == TypeKind::Slice)
    return types().slice3;
  if (a.kind == TypeKind::Range && b.kind == TypeKind::Range) {
    auto item = unify(a.args[0], b.args[0]);
    return item && typeOf(*item).isInteger() ? std::optional(types().range(*item)) : std::nullopt;
  }
  return std::nullopt;
}

TypeId promoteScalars(TypeId a_id, TypeId b_id) {
  const Type &a = typeOf(a_id), &b = typeOf(b_id);
  assert(a.isScalar() && b.isScalar());
  TypeStore &s = types();
  bool inexact = !(isBool(a) || a.isInteger()) || !(isBool(b) || b.isInteger());
  if (inexact) {
    auto bits = [](const Type &type) {
      return isBool(type) || type.isInteger() ? floatBitsFor(type) : std::max(32U, componentBits(type));
    };
    unsigned width = std::max(bits(a), bits(b));
    bool complex_result = a.kind == TypeKind::Complex || b.kind == TypeKind::Complex;
    return complex_result ? s.complexOf(width * 2) : s.floating(width);
  }
  if (a.isUnsigned() && b.isUnsigned())
    return s.uint64;
  // A bool has a value of either sign; it does not take the top bit from a uint64.
  if ((a_id == s.uint64 && isBool(b)) || (b_id == s.uint64 && isBool(a)))
    return s.uint64;
  // The design's table of semantics: the one pair of 64-bit types with no common integer meets in float64.
  if ((a_id == s.uint64 && b_id == s.int64) || (a_id == s.int64 && b_id == s.uint64))
    return s.float64;
  return s.int64;
}

TypeId promoteDtypes(TypeId a_id, TypeId b_id) {
  if (a_id == b_id)
    return a_id;
  const Type &a = typeOf(a_id), &b = typeOf(b_id);
  assert(a.isScalar() && b.isScalar());
  TypeStore &s = types();
  if (isBool(a))
    return b_id;
  if (isBool(b))
    return a_id;
  if (a.isInteger() && b.isInteger())
    return unifyNumbers(a, b);
  // The float that holds an integer type in NumPy: 16 bits for 8, 32 for 16, 64 for more.
  auto bits = [](const Type &type) {
    if (!type.isInteger())
      return componentBits(type);
    return type.bits == 8 ? 16U : type.bits == 16 ? 32U : 64U;
  };
  unsigned width = std::max(bits(a), bits(b));
  if (a.kind == TypeKind::Complex || b.kind == TypeKind::Complex)
    return s.complexOf(std::max(32U, width) * 2);
  return s.floating(width);
}

TypeId promoteWeak(TypeId weak_id, TypeId strong_id) {
  const Type &weak = typeOf(weak_id), &strong = typeOf(strong_id);
  assert(weak.isScalar() && strong.isScalar());
  TypeStore &s = types();
  if (isBool(weak))
    return strong_id;
  if (weak.isInteger())
    return isBool(strong) ? weak_id : strong_id;
  if (weak.kind == TypeKind::Float)
    return strong.kind == TypeKind::Float || strong.kind == TypeKind::Complex ? strong_id : s.float64;
  if (strong.kind == TypeKind::Complex)
    return strong_id;
  return strong.kind == TypeKind::Float && strong.bits <= 32 ? s.complex64 : s.complex128;
}

} // namespace naja
