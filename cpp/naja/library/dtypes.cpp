// dtype objects and classes as values: numpy.dtype(x), its attributes, dtype.type, numpy.iinfo and numpy.finfo.
// Everything here is a compile-time constant.
#include "naja/library/dtypes.h"
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <cfloat>
#include <cmath>
#include <unordered_map>

namespace naja::library {

using namespace ir;

namespace {

char kindLetter(const Type &t) {
  switch (t.kind) {
  case TypeKind::Bool: return 'b';
  case TypeKind::Int: return t.is_signed ? 'i' : 'u';
  case TypeKind::Float: return 'f';
  case TypeKind::Complex: return 'c';
  default: return 'V';
  }
}

std::string_view charCode(const Type &t) {
  switch (kindLetter(t)) {
  case 'b': return "?";
  case 'i': return t.bits == 8 ? "b" : t.bits == 16 ? "h" : t.bits == 32 ? "i" : "l";
  case 'u': return t.bits == 8 ? "B" : t.bits == 16 ? "H" : t.bits == 32 ? "I" : "L";
  case 'f': return t.bits == 16 ? "e" : t.bits == 32 ? "f" : "d";
  case 'c': return t.bits == 64 ? "F" : "D";
  default: return "V";
  }
}

std::string typeString(TypeId type) {
  const Type &t = typeOf(type);
  unsigned size = itemSize(type);
  return fmt::format("{}{}{}", size > 1 ? '<' : '|', kindLetter(t), size);
}

Resolution dtypeAttribute(std::string_view name, const Query &q) {
  TypeId item = typeOf(q.operands[0].type).args[0];
  const Type &t = typeOf(item);
  if (name == "type") return classResolution(item);
  if (name == "kind") return stringResolution(std::string(1, kindLetter(t)));
  if (name == "itemsize") return intResolution(itemSize(item));
  if (name == "alignment") return intResolution(itemAlignment(item));
  if (name == "name") return stringResolution(toString(item));
  if (name == "char") return stringResolution(charCode(t));
  if (name == "str") return stringResolution(typeString(item));
  if (name == "ndim") return intResolution(0);
  if (name == "shape") return Resolution::constantValue(ConstantStore::global().ofTuple({}), false);
  return {};
}

Resolution numpyDtype(const Query &q) {
  if (q.operands.size() != 1) return {};
  if (auto type = denotedType(q.operands[0])) return dtypeResolution(*type);
  return {};
}

// ---- numpy.iinfo, numpy.finfo: an opaque type named after the function, args[0] = the number type

Resolution infoOf(std::string_view name, TypeId of) {
  Type type;
  type.kind = TypeKind::Opaque;
  type.name = fmt::format("{}({})", name, toString(of));
  type.args = {of};
  TypeId id = types().intern(std::move(type));
  return Resolution::resolved(
      id, [id](Emitter &e, std::span<const ValueId>) { return e.builder().emit(Opcode::Undef, id, {}); });
}

std::optional<TypeId> numberDenoted(const Query &q) {
  if (q.operands.size() != 1) return {};
  if (auto type = denotedType(q.operands[0]); type && isScalar(*type)) return type;
  return isScalar(q.operands[0].type) ? std::optional(q.operands[0].type) : std::nullopt;
}

Resolution iinfo(const Query &q) {
  auto type = numberDenoted(q);
  if (!type) return {};
  return isInt(*type) ? infoOf("iinfo", *type)
                      : Resolution::error(fmt::format("Invalid integer data type '{}'.", kindLetter(typeOf(*type))));
}

Resolution finfo(const Query &q) {
  auto type = numberDenoted(q);
  if (!type) return {};
  return isFloat(*type) || isComplex(*type)
             ? infoOf("finfo", realPart(*type))
             : Resolution::error(fmt::format("data type {} not inexact", toString(*type)));
}

Resolution iinfoAttribute(std::string_view name, const Type &t) {
  if (name == "bits") return intResolution(t.bits);
  if (name == "min") return intResolution(t.is_signed ? -(int64_t(1) << (t.bits - 2)) * 2 : 0);
  if (name == "max") {
    __int128 one = 1;
    return Resolution::constantValue(*intConstant((one << (t.is_signed ? t.bits - 1 : t.bits)) - 1), true);
  }
  if (name == "dtype") return dtypeResolution(types().integer(t.bits, t.is_signed));
  return {};
}

Resolution finfoAttribute(std::string_view name, const Type &t) {
  bool wide = t.bits == 64;
  TypeId type = types().floating(t.bits);
  const std::unordered_map<std::string_view, double> numbers = {
      {"eps", wide ? DBL_EPSILON : FLT_EPSILON},
      {"epsneg", (wide ? DBL_EPSILON : FLT_EPSILON) / 2},
      {"max", wide ? DBL_MAX : FLT_MAX},
      {"min", wide ? -DBL_MAX : -FLT_MAX},
      {"tiny", wide ? DBL_MIN : FLT_MIN},
      {"smallest_normal", wide ? DBL_MIN : FLT_MIN},
      {"smallest_subnormal", wide ? 0x1p-1074 : 0x1p-149},
      {"resolution", wide ? 1e-15 : static_cast<double>(1e-6F)}};
  if (auto it = numbers.find(name); it != numbers.end())
    return Resolution::constantValue(ConstantStore::global().intern({it->second, type, false}), false);
  const std::unordered_map<std::string_view, int64_t> integers = {{"bits", t.bits},
                                                                  {"precision", wide ? 15 : 6},
                                                                  {"nmant", wide ? 52 : 23},
                                                                  {"nexp", wide ? 11 : 8},
                                                                  {"maxexp", wide ? 1024 : 128},
                                                                  {"minexp", wide ? -1022 : -126},
                                                                  {"machep", wide ? -52 : -23},
                                                                  {"negep", wide ? -53 : -24},
                                                                  {"iexp", wide ? 11 : 8}};
  if (auto it = integers.find(name); it != integers.end()) return intResolution(it->second);
  if (name == "dtype") return dtypeResolution(type);
  return {};
}

Resolution infoAttribute(std::string_view name, const Query &q) {
  const Type &info = typeOf(q.operands[0].type);
  if (info.args.empty()) return {};
  if (info.name.starts_with("iinfo(")) return iinfoAttribute(name, typeOf(info.args[0]));
  if (info.name.starts_with("finfo(")) return finfoAttribute(name, typeOf(info.args[0]));
  return {};
}

/// Attributes of a class: float64.dtype does not exist, but __name__ does.
Resolution classAttribute(std::string_view name, const Query &q) {
  if (name == "__name__") return stringResolution(toString(typeOf(q.operands[0].type).args[0]));
  return {};
}

/// numpy.issubdtype(a, b) of two types, b possibly abstract ("numpy.integer" and the like, builtins of the table).
Resolution abstractClass(const Query &) { return Resolution::error("an abstract NumPy scalar class makes no values"); }

/// numpy.can_cast, numpy.promote_types on types.
Resolution promoteTypes(const Query &q) {
  if (q.operands.size() != 2) return {};
  auto a = denotedType(q.operands[0]), b = denotedType(q.operands[1]);
  if (!a || !b || !isScalar(*a) || !isScalar(*b)) return {};
  return dtypeResolution(promoteDtypes(*a, *b));
}

Resolution isSubDtype(const Query &q) {
  if (q.operands.size() != 2) return {};
  auto a = denotedType(q.operands[0]);
  if (!a) return {};
  if (auto b = denotedType(q.operands[1])) return boolResolution(*a == *b);
  std::string_view name = builtinName(q.operands[1]);
  return name.empty() ? Resolution{} : boolResolution(isSubclass(typeOf(*a), name));
}

} // namespace

bool isSubclass(const Type &t, std::string_view abstract) {
  char kind = kindLetter(t);
  if (abstract == "numpy.generic") return true;
  if (abstract == "numpy.number") return kind != 'b' && kind != 'V';
  if (abstract == "numpy.integer") return kind == 'i' || kind == 'u';
  if (abstract == "numpy.signedinteger") return kind == 'i';
  if (abstract == "numpy.unsignedinteger") return kind == 'u';
  if (abstract == "numpy.inexact") return kind == 'f' || kind == 'c';
  if (abstract == "numpy.floating") return kind == 'f';
  if (abstract == "numpy.complexfloating") return kind == 'c';
  return false;
}

void registerDtypes(Table &table) {
  table.attribute(TypeKind::DType, dtypeAttribute);
  table.attribute(TypeKind::Opaque, infoAttribute);
  table.attribute(TypeKind::NumberClass, classAttribute);
  table.call("numpy.dtype", numpyDtype);
  table.call("numpy.iinfo", iinfo);
  table.call("numpy.finfo", finfo);
  table.call("numpy.promote_types", promoteTypes);
  table.call("numpy.issubdtype", isSubDtype);
  for (std::string_view name : {"numpy.generic", "numpy.number", "numpy.integer", "numpy.signedinteger",
                                "numpy.unsignedinteger", "numpy.inexact", "numpy.floating", "numpy.complexfloating"})
    table.call(name, abstractClass);
}

} // namespace naja::library
