// Constants as the scalars of the type they are wanted as.
#include "naja/codegen/lower/lowering.h"

#include "naja/types/constant.h"

#include <cmath>
#include <cstring>

namespace naja::codegen {
namespace {

struct Wanted {
  FunctionLowering &f;
  ConstId constant;
  TypeId type;
  const Type &info;
};

std::optional<std::complex<double>> numberOf(const ConstantValue &value) {
  if (auto *v = std::get_if<bool>(&value)) return *v ? 1.0 : 0.0;
  if (auto *v = std::get_if<int64_t>(&value)) return static_cast<double>(*v);
  if (auto *v = std::get_if<uint64_t>(&value)) return static_cast<double>(*v);
  if (auto *v = std::get_if<double>(&value)) return *v;
  if (auto *v = std::get_if<std::complex<double>>(&value)) return *v;
  return std::nullopt;
}

std::optional<uint64_t> integerOf(const ConstantValue &value) {
  if (auto *v = std::get_if<bool>(&value)) return *v;
  if (auto *v = std::get_if<int64_t>(&value)) return static_cast<uint64_t>(*v);
  if (auto *v = std::get_if<uint64_t>(&value)) return *v;
  if (auto *v = std::get_if<double>(&value)) {
    // As the cast: truncates and saturates.
    if (std::isnan(*v)) return 0;
    if (*v >= 18446744073709551616.0) return UINT64_MAX;
    if (*v >= 9223372036854775808.0) return static_cast<uint64_t>(*v);
    if (*v < -9223372036854775808.0) return static_cast<uint64_t>(INT64_MIN);
    return static_cast<uint64_t>(static_cast<int64_t>(*v));
  }
  return std::nullopt;
}

bool isTrue(const ConstantValue &value) {
  auto number = numberOf(value);
  return number && *number != 0.0;
}

bool addScalar(const Wanted &w, const ConstantValue &value, Scalars &out) {
  const TypeInfo &layout = w.f.typeInfo(w.type);
  switch (w.info.kind) {
  case TypeKind::Bool: out.push_back(w.f.b().getInt1(isTrue(value))); return numberOf(value).has_value();
  case TypeKind::Int: {
    auto integer = integerOf(value);
    if (integer) out.push_back(llvm::ConstantInt::get(layout.ssa[0], llvm::APInt(w.info.bits, *integer, false, true)));
    return integer.has_value();
  }
  case TypeKind::Float: {
    auto number = numberOf(value);
    if (!number) return false;
    if (w.info.bits == 16) {
      llvm::APFloat half(number->real());
      bool inexact = false;
      half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      out.push_back(llvm::ConstantInt::get(layout.ssa[0], half.bitcastToAPInt()));
      return true;
    }
    out.push_back(llvm::ConstantFP::get(layout.ssa[0], number->real()));
    return true;
  }
  case TypeKind::Complex: {
    auto number = numberOf(value);
    if (!number) return false;
    out.push_back(llvm::ConstantFP::get(layout.ssa[0], number->real()));
    out.push_back(llvm::ConstantFP::get(layout.ssa[1], number->imag()));
    return true;
  }
  default: return false;
  }
}

/// Code points of UTF-8 text.
std::vector<uint32_t> decode(const std::string &text) {
  std::vector<uint32_t> points;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const unsigned length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t point = length == 1 ? lead : lead & (0x7fU >> length);
    for (unsigned k = 1; k < length && i + k < text.size(); ++k)
      point = point << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
    points.push_back(point);
    i += length;
  }
  return points;
}

bool addString(const Wanted &w, const ConstantValue &value, Scalars &out) {
  auto *text = std::get_if<std::string>(&value);
  if (!text) return false;
  const std::vector<uint32_t> points = decode(*text);
  uint32_t widest = 0;
  for (uint32_t point : points) widest = std::max(widest, point);
  // As CPython: the narrowest of 1, 2 and 4 bytes a code point, and a terminating zero.
  const unsigned kind = widest < 0x100 ? 1 : widest < 0x10000 ? 2 : 4;
  std::string data((points.size() + 1) * kind, '\0');
  for (size_t i = 0; i < points.size(); ++i) std::memcpy(data.data() + i * kind, &points[i], kind);
  out.push_back(w.f.module().bytes(data, kind));
  out.push_back(w.f.i64(static_cast<int64_t>(points.size())));
  out.push_back(w.f.i32(kind));
  out.push_back(w.f.i32(widest < 0x80));
  out.push_back(w.f.i64(-1)); // hash not computed
  out.push_back(llvm::ConstantPointerNull::get(w.f.b().getPtrTy()));
  return true;
}

bool addBytes(const Wanted &w, const ConstantValue &value, Scalars &out) {
  auto *data = std::get_if<Bytes>(&value);
  if (!data) return false;
  out.push_back(w.f.module().bytes(data->data + '\0', 1));
  out.push_back(w.f.i64(static_cast<int64_t>(data->data.size())));
  out.push_back(llvm::ConstantPointerNull::get(w.f.b().getPtrTy()));
  return true;
}

/// In place: the loader binds the data, which is where the array has it.
bool addArray(const Wanted &w, const ConstantValue &value, Scalars &out) {
  auto *array = std::get_if<ArrayRef>(&value);
  if (!array) return false;
  auto *pointer = w.f.b().getPtrTy();
  out.push_back(llvm::ConstantPointerNull::get(pointer));
  if (w.f.nir().flags.cuda) // kernels are never cached as images
    out.push_back(llvm::ConstantExpr::getIntToPtr(w.f.i64(static_cast<int64_t>(array->data)), pointer));
  else
    out.push_back(w.f.module().arrayData(w.constant));
  for (int64_t extent : array->shape) out.push_back(w.f.i64(extent));
  if (w.info.layout == Layout::A)
    for (int64_t stride : array->strides) out.push_back(w.f.i64(stride));
  return true;
}

bool addSlice(const Wanted &w, const ConstantValue &value, Scalars &out) {
  auto *slice = std::get_if<ConstSlice>(&value);
  if (!slice) return false;
  uint8_t present = 0;
  unsigned bit = 1;
  for (ConstId part : {slice->start, slice->stop, slice->step}) {
    std::optional<uint64_t> integer;
    if (part.valid()) integer = integerOf(ConstantStore::global().get(part).value);
    out.push_back(w.f.i64(static_cast<int64_t>(integer.value_or(0))));
    if (integer) present |= bit;
    bit <<= 1;
  }
  out.push_back(w.f.b().getInt8(present));
  return true;
}

bool addTuple(const Wanted &w, const ConstantValue &value, Scalars &out) {
  auto *tuple = std::get_if<ConstTuple>(&value);
  if (!tuple || tuple->items.size() != w.info.args.size()) return false;
  for (size_t i = 0; i < tuple->items.size(); ++i) {
    Scalars item = w.f.constantScalars(tuple->items[i], w.info.args[i]);
    out.append(item.begin(), item.end());
  }
  return true;
}

bool addValue(const Wanted &w, ConstId constant, const ConstantValue &value, Scalars &out) {
  switch (w.info.kind) {
  case TypeKind::Optional:
    if (std::holds_alternative<Null>(value)) {
      out = w.f.zeros(w.type);
      return true;
    }
    [[fallthrough]];
  case TypeKind::MaybeUnbound: {
    out.push_back(w.f.b().getTrue());
    Scalars inner = w.f.constantScalars(constant, w.info.args[0]);
    out.append(inner.begin(), inner.end());
    return true;
  }
  case TypeKind::String: return addString(w, value, out);
  case TypeKind::Bytes: return addBytes(w, value, out);
  case TypeKind::Array: return addArray(w, value, out);
  case TypeKind::Slice: return addSlice(w, value, out);
  case TypeKind::Tuple: return addTuple(w, value, out);
  case TypeKind::Pointer: {
    auto integer = integerOf(value);
    if (!integer) return false;
    if (*integer != 0) w.f.module().noteAddress();
    out.push_back(llvm::ConstantExpr::getIntToPtr(w.f.i64(static_cast<int64_t>(*integer)), w.f.b().getPtrTy()));
    return true;
  }
  default: return addScalar(w, value, out);
  }
}

} // namespace

Scalars FunctionLowering::constantScalars(ConstId constant, TypeId type) {
  const TypeInfo &info = typeInfo(type);
  if (info.size() == 0) return {}; // none, functions, modules ...
  Wanted wanted{*this, constant, type, naja::typeOf(type)};
  Scalars result;
  if (addValue(wanted, constant, ConstantStore::global().get(constant).value, result) && result.size() == info.size()) return result;
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Lowering;
  diagnostic.message = "the constant " + naja::toString(constant) + " cannot be a value of type " + naja::toString(type);
  diagnostic.where.file = function_.file;
  diagnostic.where.function = function_.name;
  module_.fail(std::move(diagnostic));
  return zeros(type);
}

} // namespace naja::codegen
