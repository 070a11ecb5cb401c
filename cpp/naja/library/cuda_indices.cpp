// Where a thread is: cuda.threadIdx and its kin, grid, gridsize, laneid; barriers and fences. And the widths of
// operators on target cuda.
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <array>

namespace naja::library {

using namespace ir;

// ---- widths

TypeId narrowResultType(BinaryOp op, const AbstractValue &a, const AbstractValue &b, TypeId wide) {
  auto narrowInt = [](const AbstractValue &v) {
    return isBool(v.type) || (isInt(v.type) && typeOf(v.type).bits <= 32);
  };
  // A literal that 32 bits hold does not widen its neighbour.
  auto fits = [&](const AbstractValue &v) {
    if (!v.weak || !isInt(v.type)) return narrowInt(v);
    auto value = constantInt(v);
    return value && *value >= INT32_MIN && *value <= INT32_MAX;
  };
  auto isFloat32 = [](const AbstractValue &v) { return isFloat(v.type) && typeOf(v.type).bits <= 32; };
  if (wide == types().float64 && op != BinaryOp::TrueDiv)
    return (isFloat32(a) && fits(b)) || (isFloat32(b) && fits(a)) ? types().float32 : wide;
  if (wide == types().float64) return (isFloat32(a) && fits(b)) || (isFloat32(b) && fits(a)) ? types().float32 : wide;
  if (!isInt(wide) || typeOf(wide).bits != 64 || (a.weak && b.weak)) return wide;
  if (op == BinaryOp::LShift || op == BinaryOp::RShift)
    return narrowInt(a) && !a.weak ? types().integer(32, typeOf(wide).is_signed) : wide;
  if (!fits(a) || !fits(b)) return wide;
  auto isUnsigned32 = [](const AbstractValue &v) { return isUnsigned(v.type) && typeOf(v.type).bits == 32; };
  auto isLiteral = [](const AbstractValue &v) { return v.weak && constantInt(v).value_or(-1) >= 0; };
  // C's rules below 64 bits, with int32 against uint32 going to int64, which holds both.
  if (isUnsigned32(a) || isUnsigned32(b)) {
    auto joins = [&](const AbstractValue &v) { return isUnsigned(v.type) || isBool(v.type) || isLiteral(v); };
    return joins(a) && joins(b) ? types().uint32 : wide;
  }
  return isUnsigned(wide) ? types().uint32 : types().int32;
}

namespace {

constexpr int kThread = 0, kBlock = 3, kBlockDim = 6, kGridDim = 9, kLane = 12;

ValueId emitIndex(Emitter &e, int which, TypeId type) {
  return e.builder().emit(Opcode::CudaIndex, type, std::span<const ValueId>{}, which);
}

Resolution indexResolution(int which) {
  return Resolution::resolved(
      types().int32, [which](Emitter &e, std::span<const ValueId>) { return emitIndex(e, which, types().int32); });
}

Resolution notCallable(const Query &q) {
  return Resolution::error(fmt::format("{} is not a function", q.name.substr(q.name.rfind('.') + 1)),
                           "take one of its members x, y and z");
}

/// threadIdx.x and its kin.
Resolution memberRule(std::string_view attribute, const Query &q) {
  static constexpr std::pair<std::string_view, int> kBases[] = {{"naja.cuda.threadIdx", kThread},
                                                                {"naja.cuda.blockIdx", kBlock},
                                                                {"naja.cuda.blockDim", kBlockDim},
                                                                {"naja.cuda.gridDim", kGridDim}};
  std::string_view name = builtinName(q.operands[0]);
  for (auto [base, first] : kBases)
    if (name == base && attribute.size() == 1 && attribute[0] >= 'x' && attribute[0] <= 'z')
      return indexResolution(first + (attribute[0] - 'x'));
  return {};
}

Resolution laneRule(std::string_view attribute, const Query &q) {
  const Constant *object = identityOf(q.operands[0]);
  const auto *module = object ? std::get_if<ModuleRef>(&object->value) : nullptr;
  if (attribute != "laneid" || !module || (module->name != "naja.cuda" && module->name != "numba.cuda")) return {};
  return indexResolution(kLane);
}

/// blockIdx * blockDim + threadIdx of one axis, in int64: the only product of indices that can exceed 31 bits.
ValueId emitPosition(Emitter &e, int axis) {
  Builder &b = e.builder();
  TypeId type = types().int64;
  constexpr int64_t kNoWrap = kNoWrapSigned | kNoWrapUnsigned;
  ValueId block = b.imul(emitIndex(e, kBlock + axis, type), emitIndex(e, kBlockDim + axis, type), kNoWrap);
  return b.iadd(block, emitIndex(e, kThread + axis, type), kNoWrap);
}
ValueId emitExtent(Emitter &e, int axis) {
  constexpr int64_t kNoWrap = kNoWrapSigned | kNoWrapUnsigned;
  return e.builder().imul(emitIndex(e, kBlockDim + axis, types().int64), emitIndex(e, kGridDim + axis, types().int64),
                          kNoWrap);
}

template <ValueId (*Emit)(Emitter &, int)> Resolution perAxis(const Query &q) {
  auto ndim = q.operands.size() == 1 ? constantInt(q.operands[0]) : std::nullopt;
  std::string_view name = q.name.substr(q.name.rfind('.') + 1);
  if (!ndim || *ndim < 1 || *ndim > 3)
    return Resolution::error(fmt::format("cuda.{} takes one constant: 1, 2 or 3", name));
  if (*ndim == 1)
    return Resolution::resolved(types().int64, [](Emitter &e, std::span<const ValueId>) { return Emit(e, 0); });
  auto count = static_cast<unsigned>(*ndim);
  return Resolution::resolved(types().uniTuple(types().int64, count), [count](Emitter &e, std::span<const ValueId>) {
    std::vector<ValueId> items;
    for (unsigned axis = 0; axis < count; ++axis) items.push_back(Emit(e, static_cast<int>(axis)));
    return e.builder().tupleMake(items);
  });
}

Resolution barrier(const Query &q) {
  if (!q.operands.empty()) return Resolution::error("cuda.syncthreads takes no arguments");
  return Resolution::resolved(types().none, [](Emitter &e, std::span<const ValueId>) {
    e.builder().emit(Opcode::CudaBarrier, {}, std::span<const ValueId>{});
    return e.builder().noneConst();
  });
}

template <int Scope> Resolution fence(const Query &) {
  return Resolution::resolved(types().none, [](Emitter &e, std::span<const ValueId>) {
    e.builder().emit(Opcode::CudaFence, {}, std::span<const ValueId>{}, Scope);
    return e.builder().noneConst();
  });
}

} // namespace

void registerCudaIndices(Table &table) {
  for (std::string_view base : {"threadIdx", "blockIdx", "blockDim", "gridDim"})
    table.call(fmt::format("naja.cuda.{}", base), notCallable);
  table.attribute(TypeKind::Builtin, memberRule);
  table.attribute(TypeKind::Module, laneRule);
  table.call("naja.cuda.grid", perAxis<emitPosition>);
  table.call("naja.cuda.gridsize", perAxis<emitExtent>);
  table.call("naja.cuda.syncthreads", barrier);
  table.call("naja.cuda.threadfence_block", fence<0>);
  table.call("naja.cuda.threadfence", fence<1>);
  table.call("naja.cuda.threadfence_system", fence<2>);
}

} // namespace naja::library
