#include "naja/library/constant_fold.h"

#include "naja/library/emit_helpers.h"

#include <cmath>

namespace naja::library {

namespace {

using Wide = __int128; // holds every sum, difference and product of 64-bit integers

struct Number {
  enum Kind { Integer, Real, Complex } kind = Integer;
  Wide integer = 0;
  std::complex<double> number;

  double real() const { return kind == Integer ? static_cast<double>(integer) : number.real(); }
  std::complex<double> complex() const { return kind == Integer ? std::complex<double>(real()) : number; }
};

std::optional<Number> numberOf(const AbstractValue &value) {
  const Constant *c = constantOf(value);
  if (!c) return {};
  if (auto *b = std::get_if<bool>(&c->value)) return Number{Number::Integer, *b, {}};
  if (auto *i = std::get_if<int64_t>(&c->value)) return Number{Number::Integer, *i, {}};
  if (auto *u = std::get_if<uint64_t>(&c->value)) return Number{Number::Integer, *u, {}};
  if (auto *d = std::get_if<double>(&c->value)) return Number{Number::Real, 0, *d};
  if (auto *z = std::get_if<std::complex<double>>(&c->value)) return Number{Number::Complex, 0, *z};
  return {};
}

bool foldable(const AbstractValue &value) { return value.weak || constantBool(value); }

std::optional<Resolution> weakInt(std::optional<Wide> value) {
  if (value)
    if (auto c = intConstant(*value)) return Resolution::constantValue(*c, true);
  return {};
}

Resolution weakFloat(double value) { return Resolution::constantValue(ConstantStore::global().ofFloat(value), true); }

Resolution weakComplex(std::complex<double> value) {
  return Resolution::constantValue(ConstantStore::global().intern({value, types().complex128, true}), true);
}

Wide floorDiv(Wide a, Wide b) {
  Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

bool fits64(Wide value) { return value >= INT64_MIN && value <= static_cast<Wide>(UINT64_MAX); }

std::optional<Wide> intPower(Wide base, Wide exponent) {
  Wide result = 1;
  if (base == 0 || base == 1 || base == -1) return exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base;
  for (; exponent > 0; --exponent) { // at most 64 steps: |base| >= 2
    result *= base;
    if (!fits64(result)) return {};
  }
  return result;
}

std::optional<Wide> shift(ir::BinaryOp op, Wide a, Wide amount) {
  if (amount < 0) return {};
  if (op == ir::BinaryOp::RShift) return amount > 100 ? (a < 0 ? -1 : 0) : a >> static_cast<int>(amount);
  if (a == 0) return 0;
  if (amount > 63) return {};
  return a * (static_cast<Wide>(1) << static_cast<int>(amount));
}

std::optional<Resolution> foldInts(ir::BinaryOp op, Wide a, Wide b) {
  switch (op) {
  case ir::BinaryOp::Add: return weakInt(a + b);
  case ir::BinaryOp::Sub: return weakInt(a - b);
  case ir::BinaryOp::Mul: {
    Wide product;
    return __builtin_mul_overflow(a, b, &product) ? std::nullopt : weakInt(product);
  }
  case ir::BinaryOp::FloorDiv: return b == 0 ? std::nullopt : weakInt(floorDiv(a, b));
  case ir::BinaryOp::Mod: return b == 0 ? std::nullopt : weakInt(a - floorDiv(a, b) * b);
  case ir::BinaryOp::TrueDiv:
    if (b == 0 || a > (Wide(1) << 53) || -a > (Wide(1) << 53) || b > (Wide(1) << 53) || -b > (Wide(1) << 53)) return {};
    return weakFloat(static_cast<double>(a) / static_cast<double>(b));
  case ir::BinaryOp::Pow:
    if (b >= 0) return weakInt(intPower(a, b));
    return a == 0 ? std::nullopt : std::optional(weakFloat(std::pow(static_cast<double>(a), static_cast<double>(b))));
  case ir::BinaryOp::LShift:
  case ir::BinaryOp::RShift: return weakInt(shift(op, a, b));
  case ir::BinaryOp::And: return weakInt(a & b);
  case ir::BinaryOp::Or: return weakInt(a | b);
  case ir::BinaryOp::Xor: return weakInt(a ^ b);
  default: return {};
  }
}

std::optional<Resolution> foldFloats(ir::BinaryOp op, double a, double b) {
  switch (op) {
  case ir::BinaryOp::Add: return weakFloat(a + b);
  case ir::BinaryOp::Sub: return weakFloat(a - b);
  case ir::BinaryOp::Mul: return weakFloat(a * b);
  case ir::BinaryOp::TrueDiv: return b == 0 ? std::nullopt : std::optional(weakFloat(a / b));
  case ir::BinaryOp::FloorDiv: return b == 0 ? std::nullopt : std::optional(weakFloat(pythonFloorDiv(a, b)));
  case ir::BinaryOp::Mod: return b == 0 ? std::nullopt : std::optional(weakFloat(pythonMod(a, b)));
  case ir::BinaryOp::Pow: {
    double power = std::pow(a, b);
    return std::isfinite(power) ? std::optional(weakFloat(power)) : std::nullopt;
  }
  default: return {};
  }
}

std::optional<Resolution> foldComplexes(ir::BinaryOp op, std::complex<double> a, std::complex<double> b) {
  switch (op) {
  case ir::BinaryOp::Add: return weakComplex(a + b);
  case ir::BinaryOp::Sub: return weakComplex(a - b);
  case ir::BinaryOp::Mul:
    return weakComplex({a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()});
  default: return {};
  }
}

/// True where both are bool constants: & | ^ keep bool.
std::optional<Resolution> foldBools(ir::BinaryOp op, bool a, bool b) {
  switch (op) {
  case ir::BinaryOp::And: return boolResolution(a && b);
  case ir::BinaryOp::Or: return boolResolution(a || b);
  case ir::BinaryOp::Xor: return boolResolution(a != b);
  default: return {};
  }
}

template <class T> bool holds(ir::Predicate p, const T &a, const T &b) {
  switch (p) {
  case ir::Predicate::Eq: return a == b;
  case ir::Predicate::Ne: return a != b;
  case ir::Predicate::Lt: return a < b;
  case ir::Predicate::Le: return a <= b;
  case ir::Predicate::Gt: return a > b;
  case ir::Predicate::Ge: return a >= b;
  }
  return false;
}

/// Exact: an int that a double does not hold is compared with the double as an int.
bool compareIntFloat(ir::Predicate p, Wide i, double f) {
  if (std::isnan(f) || f > 3e19 || f < -3e19) return holds(p, 0.0, f);
  double whole = std::floor(f);
  Wide as_int = static_cast<Wide>(whole);
  if (as_int == i && whole != f) return holds(p, 0, 1);
  return holds(p, i, as_int);
}

} // namespace

double pythonMod(double a, double b) {
  double mod = std::fmod(a, b);
  if (mod == 0) return std::copysign(0.0, b);
  return (b < 0) != (mod < 0) ? mod + b : mod;
}

double pythonFloorDiv(double a, double b) {
  double mod = std::fmod(a, b), div = (a - mod) / b;
  if (mod != 0 && (b < 0) != (mod < 0)) div -= 1.0;
  if (div == 0) return std::copysign(0.0, a / b);
  double floored = std::floor(div);
  return div - floored > 0.5 ? floored + 1.0 : floored;
}

std::optional<ConstId> intConstant(__int128 value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return ConstantStore::global().ofInt(static_cast<int64_t>(value));
  if (value > 0 && value <= static_cast<Wide>(UINT64_MAX))
    return ConstantStore::global().intern({static_cast<uint64_t>(value), types().uint64, true});
  return {};
}

Resolution boolResolution(bool value) { return Resolution::constantValue(ConstantStore::global().ofBool(value), true); }

Resolution intResolution(int64_t value) {
  return Resolution::constantValue(ConstantStore::global().ofInt(value), true);
}

std::optional<Resolution> foldBinary(ir::BinaryOp op, const AbstractValue &a, const AbstractValue &b) {
  if (!foldable(a) || !foldable(b)) return {};
  auto x = numberOf(a), y = numberOf(b);
  if (!x || !y) return {};
  if (auto p = constantBool(a), q = constantBool(b); p && q)
    if (auto bools = foldBools(op, *p, *q)) return bools;
  if (x->kind == Number::Complex || y->kind == Number::Complex) return foldComplexes(op, x->complex(), y->complex());
  if (x->kind == Number::Real || y->kind == Number::Real) return foldFloats(op, x->real(), y->real());
  return foldInts(op, x->integer, y->integer);
}

std::optional<Resolution> foldUnary(ir::UnaryOp op, const AbstractValue &a) {
  auto x = numberOf(a);
  if (!x || !foldable(a)) return {};
  if (op == ir::UnaryOp::Not)
    return foldTruth(a) ? std::optional(boolResolution(x->complex() == std::complex<double>(0, 0))) : std::nullopt;
  if (op == ir::UnaryOp::Invert) {
    if (auto b = constantBool(a)) return boolResolution(!*b);
    return x->kind == Number::Integer ? weakInt(~x->integer) : std::nullopt;
  }
  bool negate = op == ir::UnaryOp::Neg;
  switch (x->kind) {
  case Number::Integer: return weakInt(negate ? -x->integer : x->integer);
  case Number::Real: return weakFloat(negate ? -x->number.real() : x->number.real());
  case Number::Complex: return weakComplex(negate ? -x->number : x->number);
  }
  return {};
}

std::optional<Resolution> foldCompare(ir::Predicate p, const AbstractValue &a, const AbstractValue &b) {
  if (auto s = constantString(a), t = constantString(b); s && t)
    return boolResolution(holds(p, *s, *t)); // UTF-8 compares as code points do
  auto x = numberOf(a), y = numberOf(b);
  if (!x || !y) return {};
  if (x->kind == Number::Complex || y->kind == Number::Complex) {
    bool equality = p == ir::Predicate::Eq || p == ir::Predicate::Ne;
    return equality ? std::optional(boolResolution((x->complex() == y->complex()) == (p == ir::Predicate::Eq)))
                    : std::nullopt;
  }
  if (x->kind == Number::Integer && y->kind == Number::Integer) return boolResolution(holds(p, x->integer, y->integer));
  if (x->kind == Number::Integer) return boolResolution(compareIntFloat(p, x->integer, y->real()));
  if (y->kind == Number::Integer) {
    ir::Predicate swapped = p == ir::Predicate::Lt   ? ir::Predicate::Gt
                            : p == ir::Predicate::Gt ? ir::Predicate::Lt
                            : p == ir::Predicate::Le ? ir::Predicate::Ge
                            : p == ir::Predicate::Ge ? ir::Predicate::Le
                                                     : p;
    return boolResolution(compareIntFloat(swapped, y->integer, x->real()));
  }
  return boolResolution(holds(p, x->real(), y->real()));
}

std::optional<Resolution> foldTruth(const AbstractValue &a) {
  if (auto s = constantString(a)) return boolResolution(!s->empty());
  auto x = numberOf(a);
  if (!x) return {};
  return boolResolution(x->kind == Number::Integer ? x->integer != 0 : x->number != std::complex<double>(0, 0));
}

} // namespace naja::library
