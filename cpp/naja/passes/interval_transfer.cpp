// Intervals of instructions' results. All arithmetic is in 128 bits; only products can leave them.
#include "naja/passes/value_ranges.h"

#include "naja/passes/scalar_constant.h"

#include <algorithm>
#include <limits>

namespace naja::passes {
using namespace ir;

namespace {

/// NumPy keeps the bytes of an array below 2^63, and memory ends long before: no extent, sum of a few or index of a loop
/// over one comes near the end of int64. (Broadcast views of single bytes could; none of 2^62 is of any use.)
constexpr Wide kMaxExtent = Wide(1) << 62;

bool tracked(TypeId type) {
  TypeKind kind = type.valid() ? typeOf(type).kind : TypeKind::None;
  return kind == TypeKind::Int || kind == TypeKind::Bool;
}

Interval hull(std::initializer_list<Wide> values) { return {std::min(values), std::max(values)}; }

/// A product of two bounds of uint64 may be above 127 bits: any bound beyond 64 says the same.
Wide times(Wide a, Wide b) {
  Wide result = 0;
  if (!__builtin_mul_overflow(a, b, &result))
    return result;
  return (a < 0) == (b < 0) ? Wide(1) << 100 : -(Wide(1) << 100);
}
Interval product(const Interval &a, const Interval &b) {
  return hull({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
}

Wide floorDivide(Wide a, Wide b) {
  Wide q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

Interval divide(const Interval &a, Interval b) {
  // The divisor is not 0.
  if (b.low == 0)
    b.low = 1;
  if (b.high == 0)
    b.high = -1;
  if (b.empty())
    return {};
  if (b.low < 0 && b.high > 0) {
    Wide most = std::max(a.high < 0 ? -a.high : a.high, a.low < 0 ? -a.low : a.low);
    return {-most, most};
  }
  return hull({floorDivide(a.low, b.low), floorDivide(a.low, b.high), floorDivide(a.high, b.low), floorDivide(a.high, b.high)});
}

Interval modulo(const Interval &a, const Interval &b) {
  if (b.low > 0 && a.low >= 0)
    return a.high < b.low ? a : Interval{0, std::min(a.high, b.high - 1)};
  return {std::min<Wide>(0, b.low < 0 ? b.low + 1 : 0), std::max<Wide>(0, b.high > 0 ? b.high - 1 : 0)};
}

/// The least 2^n - 1 that is not below.
Wide allOnes(Wide value) {
  Wide ones = 0;
  while (ones < value)
    ones = ones * 2 + 1;
  return ones;
}

Interval bitwise(const Inst &inst, const Interval &a, const Interval &b, const Interval &all) {
  bool a_positive = a.low >= 0, b_positive = b.low >= 0;
  if (inst.op == Opcode::IAnd) {
    if (a_positive && b_positive)
      return {0, std::min(a.high, b.high)};
    return a_positive ? Interval{0, a.high} : b_positive ? Interval{0, b.high} : all;
  }
  if (!a_positive || !b_positive)
    return all;
  return {inst.op == Opcode::IOr ? std::max(a.low, b.low) : Wide(0), allOnes(std::max(a.high, b.high))};
}

Interval shiftLeft(const Interval &a, const Interval &amount, const Interval &all) {
  if (amount.low < 0 || amount.high > 62)
    return all;
  return product(a, {Wide(1) << static_cast<int>(amount.low), Wide(1) << static_cast<int>(amount.high)});
}

Interval shiftRight(const Interval &a, const Interval &amount) {
  Interval between{std::min<Wide>(a.low, 0), std::max<Wide>(a.high, 0)};
  if (amount.low < 0)
    return {std::min(between.low, a.low < 0 ? Wide(-1) : Wide(0)), between.high};
  auto by = [](Wide value, Wide shift) { return value >> static_cast<int>(std::min<Wide>(shift, 100)); };
  return hull({by(a.low, amount.low), by(a.low, amount.high), by(a.high, amount.low), by(a.high, amount.high)});
}

Interval absolute(const Interval &a) {
  if (a.low >= 0)
    return a;
  return a.high <= 0 ? Interval{-a.high, -a.low} : Interval{0, std::max(-a.low, a.high)};
}

/// What does not fit the type wraps to anywhere in it.
Interval fit(const Interval &value, const Interval &all) { return value.inside(all) ? value : all; }

Interval compare(Predicate p, const Interval &a, const Interval &b) {
  constexpr Interval kTrue{1, 1}, kFalse{0, 0}, kEither{0, 1};
  bool less = a.high < b.low, greater = a.low > b.high;
  bool less_equal = a.high <= b.low, greater_equal = a.low >= b.high;
  bool equal = a.single() && a == b, apart = less || greater;
  auto decide = [&](bool yes, bool no) { return yes ? kTrue : no ? kFalse : kEither; };
  switch (p) {
  case Predicate::Eq: return decide(equal, apart);
  case Predicate::Ne: return decide(apart, equal);
  case Predicate::Lt: return decide(less, greater_equal);
  case Predicate::Le: return decide(less_equal, greater);
  case Predicate::Gt: return decide(greater, less_equal);
  default: return decide(greater_equal, less);
  }
}

Interval wrapIndex(const Interval &index, const Interval &extent) {
  if (index.low >= 0)
    return index;
  Interval negative{index.low + extent.low, std::min<Wide>(index.high, -1) + extent.high};
  return index.high < 0 ? negative : join(negative, {0, index.high});
}

/// Items of slice.indices: first index, count, step.
Interval sliceItem(const Inst &slice, int64_t item, const Interval &all) {
  if (item == 1)
    return {0, kMaxExtent};
  bool forward = (slice.attr & kHasStep) == 0;
  if (item == 2)
    return forward ? Interval{1, 1} : all;
  return {forward ? 0 : -1, kMaxExtent};
}

Interval cast(const Function &f, const Inst &inst, const Interval &operand, const Interval &all) {
  if (!tracked(f.typeOf(inst.operands[0])))
    return all;
  if (inst.type == types().boolean) {
    if (!operand.contains(0))
      return {1, 1};
    return operand.single() ? Interval{0, 0} : all;
  }
  return fit(operand, all);
}

} // namespace

Interval join(const Interval &a, const Interval &b) {
  if (a.empty())
    return b;
  if (b.empty())
    return a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
Interval meet(const Interval &a, const Interval &b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

Interval rangeOfType(TypeId id) {
  const Type &type = typeOf(id);
  if (type.kind == TypeKind::Bool)
    return {0, 1};
  if (type.is_signed)
    return {-(Wide(1) << (type.bits - 1)), (Wide(1) << (type.bits - 1)) - 1};
  return {0, (Wide(1) << type.bits) - 1};
}

Interval constrain(const Interval &value, Predicate p, const Interval &other) {
  if (value.empty() || other.empty())
    return {};
  switch (p) {
  case Predicate::Lt: return {value.low, std::min(value.high, other.high - 1)};
  case Predicate::Le: return {value.low, std::min(value.high, other.high)};
  case Predicate::Gt: return {std::max(value.low, other.low + 1), value.high};
  case Predicate::Ge: return {std::max(value.low, other.low), value.high};
  case Predicate::Eq: return meet(value, other);
  default: break;
  }
  Interval result = value;
  if (other.single() && result.low == other.low)
    ++result.low;
  if (other.single() && result.high == other.low)
    --result.high;
  return result;
}

/// What the hardware allows of threadIdx, blockIdx, blockDim, gridDim, the lane and the bytes of shared memory.
static Interval cudaIndex(int64_t which) {
  constexpr Wide kThreads = 1024, kBlocks = INT32_MAX, kWarp = 32, kShared = 1 << 20;
  switch (which / 3) {
  case 0: return {0, kThreads - 1};
  case 1: return {0, kBlocks - 1};
  case 2: return {1, kThreads};
  case 3: return {1, kBlocks};
  default: return {0, which == 12 ? kWarp - 1 : kShared};
  }
}

Interval transfer(const Function &f, const Inst &inst, const std::vector<Interval> &in, bool ideal) {
  Interval all = rangeOfType(inst.type);
  // An operand that nothing reaches: neither does anything reach the result.
  for (size_t i = 0; i < in.size(); ++i) {
    if (in[i].empty() && tracked(f.typeOf(inst.operands[i])))
      return {};
  }
  // Sums that cannot wrap (or, for indices, must not) end at the bounds of the type.
  auto arithmetic = [&](const Interval &result) {
    bool is_signed = typeOf(inst.type).is_signed;
    bool bounded = ideal || (inst.attr & (is_signed ? kNoWrapSigned : kNoWrapUnsigned)) != 0;
    return bounded ? Interval{std::clamp(result.low, all.low, all.high), std::clamp(result.high, all.low, all.high)}
                   : fit(result, all);
  };
  switch (inst.op) {
  case Opcode::Const: {
    auto scalar = scalarOf(inst);
    if (!scalar)
      return all;
    bool is_unsigned = all.low == 0;
    Wide value = is_unsigned ? static_cast<Wide>(scalar->unsignedInteger()) : static_cast<Wide>(scalar->integer());
    return {value, value};
  }
  case Opcode::IAdd: return arithmetic({in[0].low + in[1].low, in[0].high + in[1].high});
  case Opcode::ISub: return arithmetic({in[0].low - in[1].high, in[0].high - in[1].low});
  case Opcode::IMul:
    if (inst.operands[0] == inst.operands[1]) { // a square
      Interval size = absolute(in[0]);
      return arithmetic({times(size.low, size.low), times(size.high, size.high)});
    }
    return arithmetic(product(in[0], in[1]));
  case Opcode::IFloorDiv: return fit(divide(in[0], in[1]), all);
  case Opcode::IMod: return fit(modulo(in[0], in[1]), all);
  case Opcode::IAnd: case Opcode::IOr: case Opcode::IXor: return fit(bitwise(inst, in[0], in[1], all), all);
  case Opcode::INot:
    if (inst.type == types().boolean)
      return {1 - in[0].high, 1 - in[0].low};
    return all.low == 0 ? Interval{all.high - in[0].high, all.high - in[0].low} : Interval{-1 - in[0].high, -1 - in[0].low};
  case Opcode::INeg: return fit({-in[0].high, -in[0].low}, all);
  case Opcode::IAbs: return fit(absolute(in[0]), all);
  case Opcode::IShl: return fit(shiftLeft(in[0], in[1], all), all);
  case Opcode::IShr: return fit(shiftRight(in[0], in[1]), all);
  case Opcode::IMin: return {std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high)};
  case Opcode::IMax: return {std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high)};
  case Opcode::ICmp: return tracked(f.typeOf(inst.operands[0])) ? compare(inst.predicate(), in[0], in[1]) : all;
  case Opcode::Select: return join(in[1], in[2]);
  case Opcode::Cast: return cast(f, inst, in[0], all);
  case Opcode::WrapIndex: return fit(wrapIndex(in[0], in[1]), all);
  case Opcode::ArrayDim: case Opcode::ArraySize: case Opcode::ArrayBroadcastDim: case Opcode::StringLen:
    return {0, kMaxExtent};
  case Opcode::CudaIndex: return fit(cudaIndex(inst.attr), all);
  case Opcode::TupleGet: {
    const Inst *tuple = f.def(inst.operands[0]);
    return tuple != nullptr && tuple->op == Opcode::SliceIndices ? sliceItem(*tuple, inst.attr, all) : all;
  }
  default: return all;
  }
}

} // namespace naja::passes
