#include "naja/library/emit_helpers.h"

#include <cmath>
#include <unordered_map>

namespace naja::library {

using namespace ir;

bool isUniTuple(TypeId t) {
  const Type &type = typeOf(t);
  if (type.kind != TypeKind::Tuple || type.args.empty()) return false;
  for (TypeId item : type.args)
    if (item != type.args[0]) return false;
  return true;
}

const Constant *constantOf(const AbstractValue &value) {
  if (value.constant.valid()) return &ConstantStore::global().get(value.constant);
  if (value.type.valid()) {
    const Type &type = typeOf(value.type);
    if ((type.kind == TypeKind::Literal || type.kind == TypeKind::Omitted) && type.constant != ConstId::kInvalid)
      return &ConstantStore::global().get(ConstId(type.constant));
  }
  return nullptr;
}

const Constant *identityOf(const AbstractValue &value) {
  if (const Constant *c = constantOf(value)) return c;
  uint32_t id = value.type.valid() ? typeOf(value.type).constant : ConstId::kInvalid;
  return id == ConstId::kInvalid ? nullptr : &ConstantStore::global().get(ConstId(id));
}

std::string_view builtinName(const AbstractValue &value) {
  const Constant *c = identityOf(value);
  const auto *builtin = c ? std::get_if<BuiltinRef>(&c->value) : nullptr;
  return builtin ? std::string_view(builtin->name) : std::string_view{};
}

std::vector<AbstractValue> itemsOf(const AbstractValue &tuple) {
  const ConstantStore &store = ConstantStore::global();
  const Constant *c = tuple.parts.valid() ? &store.get(tuple.parts) : constantOf(tuple);
  const auto *constants = c ? std::get_if<ConstTuple>(&c->value) : nullptr;
  std::vector<AbstractValue> items;
  for (TypeId type : typeOf(tuple.type).args) {
    ConstId constant = constants ? constants->items[items.size()] : ConstId{};
    items.push_back({type, constant, constant.valid() && store.get(constant).weak});
  }
  return items;
}

Resolution tupleResolution(TypeId type, std::span<const AbstractValue> items, bool weak, EmitFn emit) {
  std::vector<ConstId> constants;
  size_t known = 0;
  for (const AbstractValue &item : items) {
    bool natural = item.constant.valid() && ConstantStore::global().get(item.constant).type == item.type;
    constants.push_back(natural ? item.constant : ConstId{});
    known += natural;
  }
  bool plain = !typeOf(type).isNamedTuple();
  if (known == items.size() && plain)
    return Resolution::constantValue(ConstantStore::global().ofTuple(constants), weak);
  Resolution r = Resolution::resolved(type, std::move(emit));
  if (known > 0) r.result.parts = ConstantStore::global().intern({ConstTuple{std::move(constants), {}}, type, false});
  return r;
}

std::optional<int64_t> constantInt(const AbstractValue &value) {
  const Constant *c = constantOf(value);
  if (!c) return {};
  if (auto *i = std::get_if<int64_t>(&c->value)) return *i;
  if (auto *b = std::get_if<bool>(&c->value)) return *b;
  if (auto *u = std::get_if<uint64_t>(&c->value); u && *u <= uint64_t(INT64_MAX)) return static_cast<int64_t>(*u);
  return {};
}

std::optional<double> constantFloat(const AbstractValue &value) {
  const Constant *c = constantOf(value);
  if (!c) return {};
  if (auto *d = std::get_if<double>(&c->value)) return *d;
  if (auto *i = std::get_if<int64_t>(&c->value)) return static_cast<double>(*i);
  if (auto *u = std::get_if<uint64_t>(&c->value)) return static_cast<double>(*u);
  if (auto *b = std::get_if<bool>(&c->value)) return *b ? 1.0 : 0.0;
  return {};
}

std::optional<bool> constantBool(const AbstractValue &value) {
  const Constant *c = constantOf(value);
  if (c)
    if (auto *b = std::get_if<bool>(&c->value)) return *b;
  return {};
}

std::optional<std::string_view> constantString(const AbstractValue &value) {
  const Constant *c = constantOf(value);
  if (c)
    if (auto *s = std::get_if<std::string>(&c->value)) return std::string_view(*s);
  return {};
}

namespace {

/// "float32", "f4", "<f8", "?" and the names of Python's classes; empty: no such scalar type.
std::optional<TypeId> scalarByName(std::string_view name) {
  static const std::unordered_map<std::string_view, TypeId> names = {
      {"bool", types().boolean},    {"bool_", types().boolean},   {"?", types().boolean},
      {"b1", types().boolean},      {"int8", types().int8},       {"i1", types().int8},
      {"b", types().int8},          {"byte", types().int8},       {"int16", types().int16},
      {"i2", types().int16},        {"h", types().int16},         {"short", types().int16},
      {"int32", types().int32},     {"i4", types().int32},        {"i", types().int32},
      {"intc", types().int32},      {"int64", types().int64},     {"i8", types().int64},
      {"q", types().int64},         {"l", types().int64},         {"int", types().int64},
      {"intp", types().int64},      {"int_", types().int64},      {"uint8", types().uint8},
      {"u1", types().uint8},        {"B", types().uint8},         {"ubyte", types().uint8},
      {"uint16", types().uint16},   {"u2", types().uint16},       {"H", types().uint16},
      {"uint32", types().uint32},   {"u4", types().uint32},       {"I", types().uint32},
      {"uintc", types().uint32},    {"uint64", types().uint64},   {"u8", types().uint64},
      {"Q", types().uint64},        {"L", types().uint64},        {"uint", types().uint64},
      {"uintp", types().uint64},    {"float16", types().float16}, {"f2", types().float16},
      {"e", types().float16},       {"half", types().float16},    {"float32", types().float32},
      {"f4", types().float32},      {"f", types().float32},       {"single", types().float32},
      {"float64", types().float64}, {"f8", types().float64},      {"d", types().float64},
      {"double", types().float64},  {"float", types().float64},   {"complex64", types().complex64},
      {"c8", types().complex64},    {"F", types().complex64},     {"complex128", types().complex128},
      {"c16", types().complex128},  {"D", types().complex128},    {"complex", types().complex128},
  };
  if (!name.empty() && (name[0] == '<' || name[0] == '=' || name[0] == '|')) name.remove_prefix(1);
  auto it = names.find(name);
  return it == names.end() ? std::nullopt : std::optional(it->second);
}

} // namespace

std::optional<TypeId> denotedType(const AbstractValue &value) {
  if (!value.type.valid()) return {};
  const Type &type = typeOf(value.type);
  if (type.kind == TypeKind::NumberClass || type.kind == TypeKind::DType || type.kind == TypeKind::TypeRef)
    return type.args.empty() ? std::nullopt : std::optional(type.args[0]);
  const Constant *c = identityOf(value);
  if (!c) return {};
  if (auto *ref = std::get_if<TypeRef>(&c->value)) return ref->type;
  if (auto *text = std::get_if<std::string>(&c->value)) return scalarByName(*text);
  if (auto *builtin = std::get_if<BuiltinRef>(&c->value))
    if (std::string_view name = builtin->name; name.starts_with("builtins.")) return scalarByName(name.substr(9));
  return {};
}

// ---- result types

TypeId realPart(TypeId type) {
  const Type &t = typeOf(type);
  return t.kind == TypeKind::Complex ? types().floating(t.bits / 2) : type;
}

TypeId complexFor(TypeId type) {
  const Type &t = typeOf(type);
  bool narrow = (t.kind == TypeKind::Float && t.bits <= 32) || (t.kind == TypeKind::Complex && t.bits == 64);
  return narrow ? types().complex64 : types().complex128;
}

TypeId mathType(TypeId operand) {
  const Type &t = typeOf(operand);
  return t.kind == TypeKind::Float || t.kind == TypeKind::Complex ? operand : types().float64;
}

TypeId mathResultType(MathFn fn, TypeId type) {
  switch (fn) {
  case MathFn::IsNan:
  case MathFn::IsInf:
  case MathFn::IsFinite:
  case MathFn::SignBit: return types().boolean;
  case MathFn::Abs:
  case MathFn::Phase: return realPart(type);
  default: return type;
  }
}

namespace {

/// True where the weak int literal can be a uint64 operand.
bool fitsUnsigned(const AbstractValue &literal) {
  const Constant *c = constantOf(literal);
  if (!c) return false;
  if (auto *i = std::get_if<int64_t>(&c->value)) return *i >= 0;
  return std::holds_alternative<uint64_t>(c->value);
}

/// The type of a weak literal next to a strong operand: float32 * 0.5, uint64 ^ 5.
TypeId adaptWeak(const AbstractValue &literal, TypeId strong) {
  const Type &s = typeOf(strong);
  const Type &w = typeOf(literal.type);
  bool narrow_float = (s.kind == TypeKind::Float && s.bits == 32) || (s.kind == TypeKind::Complex && s.bits == 64);
  if (narrow_float && (w.kind == TypeKind::Int || w.kind == TypeKind::Float)) return types().float32;
  if (narrow_float && w.kind == TypeKind::Complex) return types().complex64;
  if (s.kind == TypeKind::Int && !s.is_signed && s.bits == 64 && w.kind == TypeKind::Int && fitsUnsigned(literal))
    return types().uint64;
  return literal.type;
}

} // namespace

TypeId adaptedType(const AbstractValue &operand, const AbstractValue &neighbour) {
  return operand.weak && !neighbour.weak ? adaptWeak(operand, neighbour.type) : operand.type;
}

std::optional<TypeId> commonType(std::span<const AbstractValue> values) {
  const AbstractValue *strong = nullptr;
  for (const AbstractValue &v : values)
    if (!v.weak) strong = &v;
  std::optional<TypeId> common;
  for (const AbstractValue &v : values) {
    TypeId type = strong && isScalar(v.type) && isScalar(strong->type) ? adaptedType(v, *strong) : v.type;
    common = common ? unify(*common, type) : type;
    if (!common) return {};
  }
  return common;
}

TypeId arithmeticType(const AbstractValue &a, const AbstractValue &b) {
  TypeId ta = adaptedType(a, b), tb = adaptedType(b, a);
  if (isBool(ta) && isBool(tb)) return types().int64;
  return promoteScalars(ta, tb);
}

namespace {

bool bitwise(BinaryOp op) { return op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor; }

TypeId powType(const AbstractValue &a, const AbstractValue &b, TypeId arithmetic) {
  if (isInt(arithmetic)) {
    auto exponent = constantInt(b);
    return exponent && *exponent < 0 ? types().float64 : arithmetic;
  }
  // An integer exponent does not widen the base.
  if (isFloat(a.type) && !isFloat(b.type) && !isComplex(b.type)) return a.type;
  return arithmetic;
}

} // namespace

TypeId binaryResultType(BinaryOp op, const AbstractValue &a, const AbstractValue &b) {
  if (!isScalar(a.type) || !isScalar(b.type) || op == BinaryOp::MatMul) return {};
  bool floating = isFloat(a.type) || isFloat(b.type), complex = isComplex(a.type) || isComplex(b.type);
  if (bitwise(op)) {
    if (floating || complex) return {};
    if (isBool(a.type) && isBool(b.type)) return types().boolean;
    TypeId type = arithmeticType(a, b);
    return isInt(type) ? type : types().int64;
  }
  if (op == BinaryOp::LShift || op == BinaryOp::RShift) {
    if (floating || complex) return {};
    return isUnsigned(a.type) ? types().uint64 : types().int64;
  }
  TypeId type = arithmeticType(a, b);
  switch (op) {
  case BinaryOp::TrueDiv: return isInt(type) ? types().float64 : type;
  case BinaryOp::FloorDiv:
  case BinaryOp::Mod: return complex ? TypeId{} : type;
  case BinaryOp::Pow: return powType(a, b, type);
  default: return type;
  }
}

TypeId unaryResultType(UnaryOp op, TypeId a) {
  const Type &t = typeOf(a);
  switch (op) {
  case UnaryOp::Not: return types().boolean;
  case UnaryOp::Invert:
    if (t.kind == TypeKind::Bool) return a;
    if (t.kind != TypeKind::Int) return {};
    return t.is_signed ? types().int64 : types().uint64;
  default:
    if (t.kind == TypeKind::Bool) return types().int64;
    if (t.kind == TypeKind::Int) return t.is_signed ? types().int64 : types().uint64;
    return t.isNumber() ? a : TypeId{};
  }
}

// ---- constants

const Constant *definedConstant(Emitter &e, ValueId value) {
  const Inst *inst = e.builder().function().def(value);
  return inst && inst->op == Opcode::Const ? &ConstantStore::global().get(inst->constant()) : nullptr;
}

namespace {

int64_t saturate(double d) {
  if (std::isnan(d)) return 0;
  if (d >= 9223372036854775808.0) return INT64_MAX;
  if (d < -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(d);
}

uint64_t saturateUnsigned(double d) {
  if (!(d > 0)) return 0;
  return d >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(d);
}

/// A scalar constant on its way from type to type; one of the members counts, by the type it has now.
struct Folded {
  enum { Integer, Real, Complex } kind;
  uint64_t bits = 0; // Integer: sign-extended value
  bool is_signed = true;
  std::complex<double> number; // Real, Complex
};

std::optional<Folded> foldedOf(const ConstantValue &value) {
  if (auto *b = std::get_if<bool>(&value)) return Folded{Folded::Integer, *b, true, {}};
  if (auto *i = std::get_if<int64_t>(&value)) return Folded{Folded::Integer, static_cast<uint64_t>(*i), true, {}};
  if (auto *u = std::get_if<uint64_t>(&value)) return Folded{Folded::Integer, *u, false, {}};
  if (auto *d = std::get_if<double>(&value)) return Folded{Folded::Real, 0, true, *d};
  if (auto *c = std::get_if<std::complex<double>>(&value)) return Folded{Folded::Complex, 0, true, *c};
  return {};
}

uint64_t wrapTo(uint64_t bits, unsigned width, bool is_signed) {
  if (width >= 64) return bits;
  uint64_t mask = (uint64_t(1) << width) - 1, low = bits & mask;
  return is_signed && (low >> (width - 1)) ? low | ~mask : low;
}

int64_t saturateWidth(double d, unsigned width) {
  int64_t i = saturate(d), max = (int64_t(1) << (width - 1)) - 1;
  return i > max ? max : i < -max - 1 ? -max - 1 : i;
}

/// The `cast` instruction on a constant.
std::optional<Folded> foldCast(Folded v, const Type &to) {
  double real = v.kind != Folded::Integer ? v.number.real()
                : v.is_signed             ? static_cast<double>(static_cast<int64_t>(v.bits))
                                          : static_cast<double>(v.bits);
  switch (to.kind) {
  case TypeKind::Bool: {
    bool truth = v.kind == Folded::Integer ? v.bits != 0 : v.number != std::complex<double>(0, 0);
    return Folded{Folded::Integer, truth, true, {}};
  }
  case TypeKind::Int:
    if (v.kind == Folded::Complex) return {};
    if (v.kind == Folded::Integer)
      v.bits = wrapTo(v.bits, to.bits, to.is_signed);
    else if (to.is_signed)
      v.bits = static_cast<uint64_t>(to.bits < 64 ? saturateWidth(real, to.bits) : saturate(real));
    else
      v.bits = to.bits < 64 ? std::min(saturateUnsigned(real), (uint64_t(1) << to.bits) - 1) : saturateUnsigned(real);
    return Folded{Folded::Integer, v.bits, to.is_signed, {}};
  case TypeKind::Float:
    if (v.kind == Folded::Complex) return {};
    if (to.bits == 32 && v.kind == Folded::Integer) // one rounding
      real = v.is_signed ? static_cast<float>(static_cast<int64_t>(v.bits)) : static_cast<float>(v.bits);
    return Folded{Folded::Real, 0, true, to.bits == 32 ? static_cast<float>(real) : real};
  case TypeKind::Complex: {
    double imaginary = v.kind == Folded::Complex ? v.number.imag() : 0.0;
    if (to.bits == 64)
      return Folded{Folded::Complex, 0, true, {static_cast<float>(real), static_cast<float>(imaginary)}};
    return Folded{Folded::Complex, 0, true, {real, imaginary}};
  }
  default: return {};
  }
}

ConstantValue valueOf(const Folded &v, const Type &type) {
  switch (type.kind) {
  case TypeKind::Bool: return v.bits != 0;
  case TypeKind::Int:
    // As the store of constants has it: uint64 only above int64.
    if (!type.is_signed && v.bits > uint64_t(INT64_MAX)) return v.bits;
    return static_cast<int64_t>(v.bits);
  case TypeKind::Float: return v.number.real();
  default: return v.number;
  }
}

ValueId emitFolded(Emitter &e, const Folded &v, TypeId type) {
  Builder &b = e.builder();
  switch (kindOf(type)) {
  case TypeKind::Bool: return b.boolConst(v.bits != 0);
  case TypeKind::Int: return b.intConst(static_cast<int64_t>(v.bits), type);
  case TypeKind::Float: return b.floatConst(v.number.real(), type);
  default: return b.constant(ConstantStore::global().intern({v.number, type, false}), type);
  }
}

std::optional<Folded> foldedValue(Emitter &e, ValueId value) {
  const Constant *c = definedConstant(e, value);
  if (!c) return {};
  auto folded = foldedOf(c->value);
  return folded ? foldCast(*folded, typeOf(e.builder().function().typeOf(value))) : std::nullopt;
}

} // namespace

std::optional<int64_t> definedInt(Emitter &e, ValueId value) {
  auto folded = foldedValue(e, value);
  if (!folded || folded->kind != Folded::Integer || (!folded->is_signed && folded->bits > uint64_t(INT64_MAX)))
    return {};
  return static_cast<int64_t>(folded->bits);
}

std::optional<ConstId> convertConstant(const AbstractValue &value, TypeId to, bool weak) {
  const Constant *c = constantOf(value);
  auto folded = c ? foldedOf(c->value) : std::nullopt;
  auto cast = folded ? foldCast(*folded, typeOf(to)) : std::nullopt;
  if (!cast) return {};
  return ConstantStore::global().intern({valueOf(*cast, typeOf(to)), to, weak || isBool(to)}); // as ofBool has it
}

Resolution classResolution(TypeId type) {
  return Resolution::constantValue(ConstantStore::global().ofType(type), false);
}

Resolution dtypeResolution(TypeId type) {
  return Resolution::constantValue(
      ConstantStore::global().intern({TypeRef{type, true, {}}, types().dtypeOf(type), false}), false);
}

Resolution stringResolution(std::string_view text) {
  return Resolution::constantValue(ConstantStore::global().ofString(text), false);
}

Resolution noneResolution() { return Resolution::constantValue(ConstantStore::global().none(), false); }

ValueId emitConstant(Emitter &e, ConstId constant, TypeId type) {
  if (auto folded = foldedOf(ConstantStore::global().get(constant).value))
    if (auto cast = foldCast(*folded, typeOf(type))) return emitFolded(e, *cast, type);
  return e.builder().constant(constant, type);
}

ValueId emitOperand(Emitter &e, const AbstractValue &operand, ValueId value) {
  return value.valid() || !operand.constant.valid() ? value : emitConstant(e, operand.constant, operand.type);
}

ValueId emitConvert(Emitter &e, ValueId value, TypeId to) {
  TypeId from = e.builder().function().typeOf(value);
  if (from == to) return value;
  if (!isScalar(from) || !isScalar(to)) return e.convert(value, to);
  if (auto folded = foldedValue(e, value))
    if (auto cast = foldCast(*folded, typeOf(to))) return emitFolded(e, *cast, to);
  if (isBool(to)) return emitTruth(e, value);
  return e.builder().cast(value, to);
}

// ---- checks

ConstId builtinException(std::string_view name) {
  return ConstantStore::global().intern({ExceptionRef{std::string(name), {}}, {}, false});
}

void emitCheck(Emitter &e, ValueId condition, std::string_view exception, std::string_view message) {
  Builder &b = e.builder();
  if (const Constant *c = definedConstant(e, condition); c && c->value == ConstantValue(true)) return;
  ValueId text = b.constant(ConstantStore::global().ofString(message), types().unicode);
  b.emit(Opcode::CheckTrue, {}, {condition, text}, builtinException(exception).value);
}

ValueId emitTupleGet(Emitter &e, ValueId tuple, unsigned index) {
  const Inst *made = e.builder().function().def(tuple);
  if (made && made->op == Opcode::TupleMake) return made->operands[index];
  TypeId item = typeOf(valueType(e, tuple)).args[index];
  if (const Constant *c = definedConstant(e, tuple))
    if (auto *items = std::get_if<ConstTuple>(&c->value)) return emitConstant(e, items->items[index], item);
  return e.builder().emit(Opcode::TupleGet, item, {tuple}, index);
}

ValueId emitTupleMake(Emitter &e, TypeId type, std::span<const ValueId> items) {
  return e.builder().emit(Opcode::TupleMake, type, items);
}

ValueId emitUnwrap(Emitter &e, ValueId optional) {
  Builder &b = e.builder();
  TypeId type = typeOf(b.function().typeOf(optional)).args[0];
  ValueId has = b.emit(Opcode::OptionalHas, types().boolean, {optional});
  emitCheck(e, has, "TypeError", "expected " + toString(type) + ", got None");
  return b.emit(Opcode::OptionalValue, type, {optional});
}

} // namespace naja::library
