#include "naja/passes/scalar_constant.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace naja::passes {
using namespace ir;

namespace {

bool foldable(TypeId id) {
  const Type &type = typeOf(id);
  return type.kind == TypeKind::Bool || type.kind == TypeKind::Int || (type.kind == TypeKind::Float && type.bits >= 32);
}

unsigned widthOf(TypeId id) { return typeOf(id).kind == TypeKind::Bool ? 1U : typeOf(id).bits; }
bool isSigned(TypeId id) { return typeOf(id).kind == TypeKind::Int && typeOf(id).is_signed; }

int64_t minOf(TypeId id) { return isSigned(id) ? std::numeric_limits<int64_t>::min() >> (64 - widthOf(id)) : 0; }

using Operands = std::span<const ScalarConstant>;
using Folded = std::optional<ScalarConstant>;

uint64_t u(const ScalarConstant &s) { return s.unsignedInteger(); }

Folded wrapped(const Inst &inst, uint64_t value) { return ScalarConstant::ofInt(inst.type, static_cast<int64_t>(value)); }

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

Folded divide(const Inst &inst, Operands o) {
  bool modulo = inst.op == Opcode::IMod;
  if (o[1].bits == 0)
    return {};
  if (!isSigned(inst.type))
    return wrapped(inst, modulo ? u(o[0]) % u(o[1]) : u(o[0]) / u(o[1]));
  int64_t a = o[0].integer(), b = o[1].integer();
  if (b == -1)
    return wrapped(inst, modulo ? 0 : 0 - u(o[0]));
  const auto q = static_cast<uint64_t>(floorDiv(a, b)); // q * b may be below the least int64
  return wrapped(inst, modulo ? u(o[0]) - q * u(o[1]) : q);
}

Folded shift(const Inst &inst, Operands o) {
  unsigned width = widthOf(inst.type);
  bool all = u(o[1]) >= width; // negative amounts too
  if (inst.op == Opcode::IShl)
    return wrapped(inst, all ? 0 : u(o[0]) << u(o[1]));
  if (isSigned(inst.type))
    return wrapped(inst, static_cast<uint64_t>(o[0].integer() >> (all ? 63 : u(o[1]))));
  return wrapped(inst, all ? 0 : u(o[0]) >> u(o[1]));
}

bool less(const ScalarConstant &a, const ScalarConstant &b) {
  return isSigned(a.type) ? a.integer() < b.integer() : u(a) < u(b);
}

Folded integer(const Inst &inst, Operands o) {
  switch (inst.op) {
  case Opcode::IAdd: return wrapped(inst, u(o[0]) + u(o[1]));
  case Opcode::ISub: return wrapped(inst, u(o[0]) - u(o[1]));
  case Opcode::IMul: return wrapped(inst, u(o[0]) * u(o[1]));
  case Opcode::IFloorDiv: case Opcode::IMod: return divide(inst, o);
  case Opcode::IAnd: return wrapped(inst, u(o[0]) & u(o[1]));
  case Opcode::IOr: return wrapped(inst, u(o[0]) | u(o[1]));
  case Opcode::IXor: return wrapped(inst, u(o[0]) ^ u(o[1]));
  case Opcode::INot: return wrapped(inst, ~u(o[0]));
  case Opcode::INeg: return wrapped(inst, 0 - u(o[0]));
  case Opcode::IAbs: return isSigned(inst.type) && o[0].bits < 0 ? wrapped(inst, 0 - u(o[0])) : Folded(o[0]);
  case Opcode::IShl: case Opcode::IShr: return shift(inst, o);
  case Opcode::IMin: return less(o[1], o[0]) ? o[1] : o[0];
  case Opcode::IMax: return less(o[0], o[1]) ? o[1] : o[0];
  default: return {};
  }
}

template <class T> bool compare(Predicate p, T a, T b) {
  switch (p) {
  case Predicate::Eq: return a == b;
  case Predicate::Ne: return a != b;
  case Predicate::Lt: return a < b;
  case Predicate::Le: return a <= b;
  case Predicate::Gt: return a > b;
  default: return a >= b;
  }
}

Folded floating(const Inst &inst, Operands o) {
  auto make = [&](double value) { return Folded(ScalarConstant::ofFloat(inst.type, value)); };
  switch (inst.op) {
  case Opcode::FAdd: return make(o[0].real() + o[1].real());
  case Opcode::FSub: return make(o[0].real() - o[1].real());
  case Opcode::FMul: return make(o[0].real() * o[1].real());
  case Opcode::FDiv: return make(o[0].real() / o[1].real());
  case Opcode::FNeg: return make(-o[0].real());
  case Opcode::FAbs: return make(std::fabs(o[0].real()));
  case Opcode::FCmp: return ScalarConstant::ofBool(compare(inst.predicate(), o[0].real(), o[1].real()));
  default: return {};
  }
}

/// Float to int truncates and saturates; NaN gives 0.
ScalarConstant saturate(TypeId type, double value) {
  if (value != value)
    return ScalarConstant::ofInt(type, 0);
  double low = isSigned(type) ? std::ldexp(-1.0, static_cast<int>(widthOf(type)) - 1) : 0.0;
  double high = std::ldexp(1.0, static_cast<int>(widthOf(type)) - (isSigned(type) ? 1 : 0));
  if (value <= low)
    return ScalarConstant::ofInt(type, minOf(type));
  if (value >= high)
    return ScalarConstant::ofInt(type, static_cast<int64_t>(isSigned(type) ? static_cast<uint64_t>(~minOf(type)) : ~uint64_t(0)));
  return ScalarConstant::ofInt(type, isSigned(type) ? static_cast<int64_t>(value)
                                                    : static_cast<int64_t>(static_cast<uint64_t>(value)));
}

Folded cast(const Inst &inst, Operands o) {
  if (!foldable(inst.type))
    return {};
  bool to_float = typeOf(inst.type).kind == TypeKind::Float;
  if (inst.type == types().boolean)
    return ScalarConstant::ofBool(o[0].isFloat() ? o[0].real() != 0 : o[0].bits != 0);
  if (o[0].isFloat())
    return to_float ? ScalarConstant::ofFloat(inst.type, o[0].real()) : saturate(inst.type, o[0].real());
  if (!to_float)
    return ScalarConstant::ofInt(inst.type, o[0].bits);
  // One rounding, straight to the target.
  bool single = typeOf(inst.type).bits == 32;
  if (isSigned(o[0].type))
    return ScalarConstant::ofFloat(inst.type, single ? static_cast<double>(static_cast<float>(o[0].integer()))
                                                     : static_cast<double>(o[0].integer()));
  return ScalarConstant::ofFloat(inst.type, single ? static_cast<double>(static_cast<float>(u(o[0])))
                                                   : static_cast<double>(u(o[0])));
}

} // namespace

ScalarConstant ScalarConstant::ofInt(TypeId type, int64_t value) {
  unsigned width = widthOf(type);
  if (width < 64) {
    auto shifted = static_cast<uint64_t>(value) << (64 - width);
    value = isSigned(type) ? static_cast<int64_t>(shifted) >> (64 - width)
                           : static_cast<int64_t>(shifted >> (64 - width));
  }
  return {type, value};
}
ScalarConstant ScalarConstant::ofFloat(TypeId type, double value) {
  if (typeOf(type).bits == 32)
    value = static_cast<double>(static_cast<float>(value));
  return {type, std::bit_cast<int64_t>(value)};
}
ScalarConstant ScalarConstant::ofBool(bool value) { return {types().boolean, value ? 1 : 0}; }
double ScalarConstant::real() const { return std::bit_cast<double>(bits); }

std::optional<ScalarConstant> scalarOf(const Inst &inst) {
  if (inst.op != Opcode::Const || !foldable(inst.type))
    return {};
  const ConstantValue &value = ConstantStore::global().get(inst.constant()).value;
  ScalarConstant natural;
  if (const auto *b = std::get_if<bool>(&value))
    natural = ScalarConstant::ofBool(*b);
  else if (const auto *i = std::get_if<int64_t>(&value))
    natural = {types().int64, *i};
  else if (const auto *n = std::get_if<uint64_t>(&value))
    natural = {types().uint64, static_cast<int64_t>(*n)};
  else if (const auto *d = std::get_if<double>(&value))
    natural = {types().float64, std::bit_cast<int64_t>(*d)};
  else
    return {};
  Inst conversion;
  conversion.op = Opcode::Cast;
  conversion.type = inst.type;
  return cast(conversion, {&natural, 1});
}

ConstId constantOf(const ScalarConstant &scalar) {
  ConstantStore &store = ConstantStore::global();
  if (scalar.isFloat())
    return store.ofFloat(scalar.real());
  if (scalar.type == types().boolean)
    return store.ofBool(scalar.bits != 0);
  if (scalar.type == types().uint64 && scalar.bits < 0)
    return store.intern({scalar.unsignedInteger(), types().uint64, true});
  return store.ofInt(scalar.bits);
}

std::optional<ScalarConstant> fold(const Inst &inst, Operands operands) {
  if (operands.empty())
    return {};
  switch (inst.op) {
  case Opcode::Cast: return cast(inst, operands);
  case Opcode::ICmp:
    return ScalarConstant::ofBool(isSigned(operands[0].type)
                                      ? compare(inst.predicate(), operands[0].integer(), operands[1].integer())
                                      : compare(inst.predicate(), u(operands[0]), u(operands[1])));
  default: break;
  }
  if (!foldable(inst.type))
    return {};
  return operands[0].isFloat() ? floating(inst, operands) : integer(inst, operands);
}

} // namespace naja::passes
