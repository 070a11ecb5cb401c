// Constants, cast, bitcast and select.
#include "naja/ir/interpreter_internal.h"
#include "naja/types/layout.h"

#include <cmath>
#include <limits>

namespace naja::ir::interpret {
namespace {

/// A number while it changes its type: exactly one of the three is meant.
struct Number {
  enum class Kind : uint8_t { Signed, Unsigned, Float } kind = Kind::Signed;
  uint64_t bits = 0;
  double real = 0, imag = 0;
};

Number numberOf(std::span<const uint64_t> cells, const Type &type) {
  Number n;
  switch (type.kind) {
  case TypeKind::Float: case TypeKind::Complex: {
    n.kind = Number::Kind::Float;
    bool narrow = type.bits == (type.kind == TypeKind::Float ? 32 : 64);
    n.real = narrow ? toFloat(cells[0]) : toDouble(cells[0]);
    if (type.kind == TypeKind::Complex)
      n.imag = narrow ? toFloat(cells[1]) : toDouble(cells[1]);
    return n;
  }
  case TypeKind::Int:
    n.kind = type.is_signed ? Number::Kind::Signed : Number::Kind::Unsigned;
    n.bits = type.is_signed ? static_cast<uint64_t>(signExtend(cells[0], type.bits)) : cells[0];
    return n;
  default:
    n.kind = Number::Kind::Unsigned;
    n.bits = cells[0];
    return n;
  }
}

/// Truncates toward zero and saturates; NaN gives 0.
uint64_t saturate(double value, unsigned bits, bool is_signed) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  value = std::trunc(value);
  if (is_signed) {
    if (value >= limit)
      return truncate(~uint64_t{0}, bits - 1);
    return truncate(value < -limit ? uint64_t{1} << (bits - 1) : static_cast<uint64_t>(static_cast<int64_t>(value)), bits);
  }
  if (value >= limit)
    return truncate(~uint64_t{0}, bits);
  return value <= 0 ? 0 : static_cast<uint64_t>(value);
}

template <class Real> Real toReal(const Number &n) {
  switch (n.kind) {
  case Number::Kind::Signed: return static_cast<Real>(static_cast<int64_t>(n.bits));
  case Number::Kind::Unsigned: return static_cast<Real>(n.bits);
  default: return static_cast<Real>(n.real);
  }
}
template <class Real> uint64_t realCell(const Number &n) { return cellOf(toReal<Real>(n)); }

Cells convertNumber(const Number &n, const Type &to) {
  bool is_float = n.kind == Number::Kind::Float;
  switch (to.kind) {
  case TypeKind::Bool: return {cellOf(is_float ? n.real != 0 || n.imag != 0 : n.bits != 0)};
  case TypeKind::Int: return {is_float ? saturate(n.real, to.bits, to.is_signed) : truncate(n.bits, to.bits)};
  case TypeKind::Float: return {to.bits == 32 ? realCell<float>(n) : realCell<double>(n)};
  default:
    if (to.bits == 64)
      return {realCell<float>(n), cellOf(static_cast<float>(n.imag))};
    return {realCell<double>(n), cellOf(n.imag)};
  }
}

bool isOptionalLike(const Type &t) { return t.kind == TypeKind::Optional || t.kind == TypeKind::MaybeUnbound; }
bool isHalf(const Type &t) { return t.kind == TypeKind::Float && t.bits == 16; }

Cells toOptional(Machine &machine, std::span<const uint64_t> from, TypeId source_id, TypeId target_id) {
  const Type &source = naja::typeOf(source_id), &target = naja::typeOf(target_id);
  if (target.args.empty())
    return {};
  bool absent = target.kind == TypeKind::Optional ? source.kind == TypeKind::None
                                                  : source.kind == TypeKind::MaybeUnbound && source.args.empty();
  if (absent)
    return Cells(scalarsOf(target_id).size(), 0);
  bool same = source.kind == target.kind;
  Cells result{same ? from[0] : 1};
  Cells payload = same ? convert(machine, from.subspan(1), source.args[0], target.args[0])
                       : convert(machine, from, source_id, target.args[0]);
  result.insert(result.end(), payload.begin(), payload.end());
  return result;
}

Cells itemByItem(Machine &machine, std::span<const uint64_t> from, const Type &source, const Type &target) {
  Cells result;
  for (size_t i = 0, at = 0; i < target.args.size(); ++i) {
    size_t count = scalarsOf(source.args[i]).size();
    Cells item = convert(machine, from.subspan(at, count), source.args[i], target.args[i]);
    result.insert(result.end(), item.begin(), item.end());
    at += count;
  }
  return result;
}

Cells convertArray(std::span<const uint64_t> from, const Type &source, const Type &target) {
  Cells result(from.begin(), from.end());
  if (target.layout != Layout::A || source.layout == Layout::A)
    return result;
  Cells strides(source.ndim);
  uint64_t stride = itemSize(source.args[0]);
  for (unsigned i = 0; i < source.ndim; ++i) {
    unsigned axis = source.layout == Layout::F ? i : source.ndim - 1U - i;
    strides[axis] = stride;
    stride *= from[kArrayDims + axis];
  }
  result.insert(result.end(), strides.begin(), strides.end());
  return result;
}

struct ConstantNumber {
  Number operator()(bool value) const { return {Number::Kind::Unsigned, cellOf(value), 0, 0}; }
  Number operator()(int64_t value) const { return {Number::Kind::Signed, static_cast<uint64_t>(value), 0, 0}; }
  Number operator()(uint64_t value) const { return {Number::Kind::Unsigned, value, 0, 0}; }
  Number operator()(double value) const { return {Number::Kind::Float, 0, value, 0}; }
  Number operator()(const std::complex<double> &value) const { return {Number::Kind::Float, 0, value.real(), value.imag()}; }
  template <class Other> Number operator()(const Other &) const { return {}; }
};

void cast(Machine &machine, Frame &frame, const Inst &inst) {
  frame.define(inst, convert(machine, frame.cells(inst, 0), frame.typeOf(inst, 0), inst.type));
}
void bitcast(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, frame.cells(inst, 0)); }
void select(Machine &, Frame &frame, const Inst &inst) {
  frame.define(inst, frame.cells(inst, frame.cell(inst, 0) != 0 ? 1 : 2));
}

} // namespace

Cells convert(Machine &machine, std::span<const uint64_t> from, TypeId source_id, TypeId target_id) {
  if (source_id == target_id)
    return Cells(from.begin(), from.end());
  const Type &source = naja::typeOf(source_id), &target = naja::typeOf(target_id);
  if (isOptionalLike(target))
    return toOptional(machine, from, source_id, target_id);
  if (isOptionalLike(source) && !source.args.empty())
    return convert(machine, from.subspan(1), source.args[0], target_id);
  if (source.isScalar() && target.isScalar() && !isHalf(source) && !isHalf(target))
    return convertNumber(numberOf(from, source), target);
  if (source.kind == TypeKind::Tuple && target.kind == TypeKind::Tuple && source.args.size() == target.args.size())
    return itemByItem(machine, from, source, target);
  if (source.kind == TypeKind::Array && target.kind == TypeKind::Array)
    return convertArray(from, source, target);
  if (scalarsOf(source_id).size() == scalarsOf(target_id).size() && source.kind == target.kind && !source.isScalar())
    return Cells(from.begin(), from.end());
  if (scalarsOf(target_id).empty())
    return {};
  machine.complain("not interpreted: cast of " + toString(source_id) + " to " + toString(target_id));
  return Cells(scalarsOf(target_id).size(), 0);
}

Cells constantCells(Machine &machine, ConstId id, TypeId type_id) {
  const Constant &constant = ConstantStore::global().get(id);
  const Type &type = naja::typeOf(type_id);
  if (scalarsOf(type_id).empty())
    return {};
  bool is_none = std::holds_alternative<Null>(constant.value);
  if (type.kind == TypeKind::Optional && is_none)
    return Cells(scalarsOf(type_id).size(), 0);
  if (type.kind == TypeKind::Optional) {
    Cells payload = constantCells(machine, id, type.args[0]);
    payload.insert(payload.begin(), 1);
    return payload;
  }
  if (const auto *tuple = std::get_if<ConstTuple>(&constant.value); tuple != nullptr && tuple->items.size() == type.args.size()) {
    Cells result;
    for (size_t i = 0; i < tuple->items.size(); ++i) {
      Cells item = constantCells(machine, tuple->items[i], type.args[i]);
      result.insert(result.end(), item.begin(), item.end());
    }
    return result;
  }
  bool is_number = constant.value.index() >= 1 && constant.value.index() <= 5;
  if (type.isScalar() && !isHalf(type) && is_number)
    return convertNumber(std::visit(ConstantNumber{}, constant.value), type);
  machine.complain("not interpreted: a constant of type " + toString(type_id));
  return Cells(scalarsOf(type_id).size(), 0);
}

void addConversions(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::Cast, cast);
  set(Opcode::Bitcast, bitcast);
  set(Opcode::Select, select);
}

} // namespace naja::ir::interpret
