// What the library's Python code calls of the runtime: naja.library.intrinsics. Each row checks what it is given while
// typing, so that the library falls back on code of its own where an operand does not suit.
#include "naja/library/array_families.h"
#include "naja/library/array_support.h"

#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using Values = std::span<const ValueId>;

/// naja_dtype of runtime/abi.h; empty: none.
std::optional<int64_t> dtypeCode(TypeId dtype) {
  const Type &type = typeOf(dtype);
  int64_t width = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
  switch (type.kind) {
  case TypeKind::Bool: return 0;
  case TypeKind::Int: return (type.is_signed ? 1 : 5) + width;
  case TypeKind::Float: return type.bits == 32 ? 9 : type.bits == 64 ? std::optional<int64_t>(10) : std::nullopt;
  case TypeKind::Complex: return type.bits == 64 ? 11 : 12;
  default: return std::nullopt;
  }
}

bool isPlainArray(TypeId type, unsigned ndim) {
  return isArray(type) && rankOf(type) == ndim && isContiguous(type) && typeOf(type).aligned &&
         dtypeCode(elementOf(type)).has_value();
}

ValueId dataOf(Builder &b, ValueId array) { return b.emit(Opcode::ArrayData, types().void_pointer, {array}); }
ValueId int32(Builder &b, int64_t value) { return b.intConst(value, types().int32); }

Resolution notPlain(std::string_view function, TypeId type) {
  return Resolution::error(std::string(function) + " is not defined for " + toString(type));
}

/// One axis of a type that can be sorted. That it is contiguous and aligned the caller sees to, where the type does not say it.
bool isSortable(TypeId type) { return isArray(type) && rankOf(type) == 1 && dtypeCode(elementOf(type)).has_value(); }

/// sort(x): sorts a contiguous array of one axis.
Resolution sort(const Query &query) {
  TypeId array = query.operands[0].type;
  if (!isSortable(array) || typeOf(array).readonly)
    return notPlain("sort", array);
  int64_t code = *dtypeCode(elementOf(array));
  return Resolution::resolved(types().none, [code](Emitter &e, Values values) {
    Builder &b = e.builder();
    std::array<ValueId, 3> args{int32(b, code), dataOf(b, values[0]), sizeOf(b, values[0])};
    return b.callRuntime("naja_rt_sort", types().none, args, false);
  });
}

/// argsort(x, order, stable): the order of a contiguous array of one axis, into an array of int64 as long.
Resolution argsort(const Query &query) {
  TypeId array = query.operands[0].type;
  std::optional<bool> stable = boolConstant(query.operands[2]);
  if (!isSortable(array) || !stable)
    return notPlain("argsort", array);
  int64_t code = *dtypeCode(elementOf(array));
  return Resolution::resolved(types().none, [code, stable = *stable](Emitter &e, Values values) {
    Builder &b = e.builder();
    std::array<ValueId, 5> args{int32(b, code), int32(b, stable ? 1 : 0), dataOf(b, values[0]), dataOf(b, values[1]),
                                sizeOf(b, values[0])};
    return b.callRuntime("naja_rt_argsort", types().none, args, false);
  });
}

/// gemm(a, b, out): out = a @ b of contiguous matrices of one float dtype, by BLAS; whether that was done.
Resolution gemm(const Query &query) {
  TypeId a = query.operands[0].type, b_type = query.operands[1].type, out = query.operands[2].type;
  for (TypeId type : {a, b_type, out})
    if (!isPlainArray(type, 2) || elementOf(type) != elementOf(a))
      return Resolution::constantValue(ConstantStore::global().ofBool(false), false);
  TypeId dtype = elementOf(a);
  if ((!isFloat(dtype) && !isComplex(dtype)) || typeOf(out).layout != Layout::C)
    return Resolution::constantValue(ConstantStore::global().ofBool(false), false);
  int64_t code = *dtypeCode(dtype);
  bool a_transposed = typeOf(a).layout == Layout::F, b_transposed = typeOf(b_type).layout == Layout::F;
  return Resolution::resolved(types().boolean, [=](Emitter &e, Values values) {
    Builder &b = e.builder();
    std::array<ValueId, 9> args{int32(b, code),
                                b.dim(values[0], 0),
                                b.dim(values[1], 1),
                                b.dim(values[0], 1),
                                dataOf(b, values[0]),
                                int32(b, a_transposed ? 1 : 0),
                                dataOf(b, values[1]),
                                int32(b, b_transposed ? 1 : 0),
                                dataOf(b, values[2])};
    ValueId done = b.callRuntime("naja_rt_gemm", types().int32, args, false);
    return b.icmp(ir::Predicate::Ne, done, int32(b, 0));
  });
}

/// sum_dtype(a), mean_dtype(a), real_dtype(a): the dtypes of np.sum, np.mean and np.abs of an array or dtype; constants.
Resolution reducedDtype(const Query &query) {
  AbstractValue operand = query.operands[0];
  std::optional<TypeId> dtype = isArray(operand.type) ? elementOf(operand.type) : dtypeOperand(operand);
  if (!dtype || !isScalar(*dtype))
    return notPlain(query.name, operand.type);
  const Type &type = typeOf(*dtype);
  bool inexact = type.kind == TypeKind::Float || type.kind == TypeKind::Complex;
  TypeId result = *dtype;
  if (query.name.ends_with("mean_dtype"))
    result = inexact ? *dtype : types().float64;
  else if (query.name.ends_with("sum_dtype"))
    result = inexact ? *dtype : isUnsigned(*dtype) ? types().uint64 : types().int64;
  else
    result = realPart(*dtype);
  return Resolution::constantValue(dtypeConstant(result), false);
}

/// random_double(which), random_gauss(which), random_uint32(which)
Resolution randomNumber(const Query &query) {
  std::optional<int64_t> which = constantInt(query.operands[0]);
  std::string_view name = query.name.substr(query.name.rfind('_') + 1);
  if (!which)
    return Resolution::error("the generator must be constant");
  bool bits = name == "uint32";
  std::string symbol = "naja_rt_random_" + std::string(bits ? "u32" : name);
  return Resolution::resolved(bits ? types().uint32 : types().float64, [=](Emitter &e, Values) {
    Builder &b = e.builder();
    std::array<ValueId, 1> args{int32(b, *which)};
    return b.callRuntime(symbol, bits ? types().uint32 : types().float64, args, false);
  });
}

Resolution randomSeed(const Query &query) {
  std::optional<int64_t> which = constantInt(query.operands[0]);
  AbstractValue seed = query.operands[1];
  if (!which || !isIndexLike(seed.type))
    return Resolution::error("the seed must be an int");
  return Resolution::resolved(types().none, [=](Emitter &e, Values values) {
    Builder &b = e.builder();
    std::array<ValueId, 2> args{int32(b, *which), operandAs(e, seed, values[1], types().uint32)};
    return b.callRuntime("naja_rt_random_seed", types().none, args, false);
  });
}

/// random_fill(which, out): out is a C-contiguous array of float64.
Resolution randomFill(const Query &query) {
  std::optional<int64_t> which = constantInt(query.operands[0]);
  TypeId out = query.operands[1].type;
  if (!which || !isArray(out) || typeOf(out).layout != Layout::C || elementOf(out) != types().float64)
    return notPlain("random_fill", out);
  return Resolution::resolved(types().none, [=](Emitter &e, Values values) {
    Builder &b = e.builder();
    std::array<ValueId, 3> args{int32(b, *which), dataOf(b, values[1]), sizeOf(b, values[1])};
    return b.callRuntime("naja_rt_random_fill", types().none, args, false);
  });
}

} // namespace

void registerArrayIntrinsics(Table &table) {
  for (std::string_view name : {"sum_dtype", "mean_dtype", "real_dtype"})
    table.call("naja.library.intrinsics." + std::string(name), reducedDtype);
  // Known here by name; typing/map_function.cpp makes of them what no rule can: calls of a function from a kernel.
  for (std::string_view name : {"map_function", "map_function_into"})
    table.call("naja.library.intrinsics." + std::string(name), [](const Query &) { return Resolution{}; });
  for (std::string_view name : {"random_double", "random_gauss", "random_uint32"})
    table.call("naja.library.intrinsics." + std::string(name), randomNumber);
  table.call("naja.library.intrinsics.random_seed", randomSeed);
  table.call("naja.library.intrinsics.random_fill", randomFill);
  table.call("naja.library.intrinsics.sort", sort);
  table.call("naja.library.intrinsics.argsort", argsort);
  table.call("naja.library.intrinsics.gemm", gemm);
}

} // namespace naja::library
