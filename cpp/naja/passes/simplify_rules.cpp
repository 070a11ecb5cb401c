#include "naja/passes/simplify_rules.h"

#include <array>

namespace naja::passes {
using namespace ir;

namespace {

using Rule = Rewrite (*)(RuleContext &, Inst &);

bool is(const std::optional<ScalarConstant> &scalar, int64_t value) {
  return scalar && !scalar->isFloat() && scalar->bits == value;
}

Rewrite noRule(RuleContext &, Inst &) { return Rewrite::none(); }

/// A constant operand of a commutative operation goes to the right; equal operands get one order.
bool canonicalOrder(RuleContext &c, Inst &inst) {
  bool left = c.scalar(inst.operands[0]).has_value(), right = c.scalar(inst.operands[1]).has_value();
  if (left && !right) {
    std::swap(inst.operands[0], inst.operands[1]);
    return true;
  }
  return false;
}

// ---- integers

Rewrite iadd(RuleContext &c, Inst &inst) {
  canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  if (is(right, 0))
    return Rewrite::to(inst.operands[0]);
  // (x + a) + b, (x - a) + b with constants
  const Inst *inner = c.def(inst.operands[0]);
  if (!right || inner == nullptr || (inner->op != Opcode::IAdd && inner->op != Opcode::ISub))
    return Rewrite::none();
  auto middle = c.scalar(inner->operands[1]);
  if (!middle)
    return Rewrite::none();
  uint64_t a = middle->unsignedInteger();
  // The sum wraps only where it did before: the flags hold where both steps go the same way.
  bool same_way = (inner->op == Opcode::IAdd) && ((middle->bits >= 0) == (right->bits >= 0));
  __int128 exact = static_cast<__int128>(middle->bits) + right->bits;
  bool fits = exact == static_cast<__int128>(ScalarConstant::ofInt(inst.type, static_cast<int64_t>(exact)).bits);
  inst.attr = same_way && fits ? inst.attr & inner->attr : 0;
  ValueId base = inner->operands[0];
  uint64_t sum = (inner->op == Opcode::IAdd ? a : 0 - a) + right->unsignedInteger();
  inst.operands = {base, c.integer(inst.type, static_cast<int64_t>(sum))};
  return Rewrite::inPlace();
}

Rewrite isub(RuleContext &c, Inst &inst) {
  if (inst.operands[0] == inst.operands[1])
    return Rewrite::to(c.integer(inst.type, 0));
  auto right = c.scalar(inst.operands[1]);
  if (is(right, 0))
    return Rewrite::to(inst.operands[0]);
  // (x + y) - y, (x + y) - x
  if (const Inst *sum = c.def(inst.operands[0], Opcode::IAdd)) {
    if (sum->operands[1] == inst.operands[1])
      return Rewrite::to(sum->operands[0]);
    if (sum->operands[0] == inst.operands[1])
      return Rewrite::to(sum->operands[1]);
  }
  return Rewrite::none();
}

Rewrite imul(RuleContext &c, Inst &inst) {
  canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  if (is(right, 1))
    return Rewrite::to(inst.operands[0]);
  if (is(right, 0))
    return Rewrite::to(inst.operands[1]);
  return Rewrite::none();
}

Rewrite idivide(RuleContext &c, Inst &inst) {
  if (!is(c.scalar(inst.operands[1]), 1))
    return Rewrite::none();
  return Rewrite::to(inst.op == Opcode::IFloorDiv ? inst.operands[0] : c.integer(inst.type, 0));
}

Rewrite iand(RuleContext &c, Inst &inst) {
  canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  if (inst.operands[0] == inst.operands[1] || (right && right->bits == ScalarConstant::ofInt(inst.type, -1).bits))
    return Rewrite::to(inst.operands[0]);
  return is(right, 0) ? Rewrite::to(inst.operands[1]) : Rewrite::none();
}

Rewrite ior(RuleContext &c, Inst &inst) {
  canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  if (inst.operands[0] == inst.operands[1] || is(right, 0))
    return Rewrite::to(inst.operands[0]);
  bool all = right && right->bits == ScalarConstant::ofInt(inst.type, -1).bits;
  return all ? Rewrite::to(inst.operands[1]) : Rewrite::none();
}

Rewrite ixor(RuleContext &c, Inst &inst) {
  canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  if (is(right, 0))
    return Rewrite::to(inst.operands[0]);
  if (inst.operands[0] == inst.operands[1])
    return Rewrite::to(c.integer(inst.type, 0));
  if (inst.type == types().boolean && is(right, 1)) {
    inst.op = Opcode::INot;
    inst.operands.pop_back();
    return Rewrite::inPlace();
  }
  return Rewrite::none();
}

Rewrite shift(RuleContext &c, Inst &inst) {
  return is(c.scalar(inst.operands[1]), 0) ? Rewrite::to(inst.operands[0]) : Rewrite::none();
}

Predicate inverse(Predicate p) {
  constexpr Predicate kInverse[] = {Predicate::Ne, Predicate::Eq, Predicate::Ge, Predicate::Gt, Predicate::Le, Predicate::Lt};
  return kInverse[static_cast<size_t>(p)];
}
Predicate swapped(Predicate p) {
  constexpr Predicate kSwapped[] = {Predicate::Eq, Predicate::Ne, Predicate::Gt, Predicate::Ge, Predicate::Lt, Predicate::Le};
  return kSwapped[static_cast<size_t>(p)];
}

Rewrite inot(RuleContext &c, Inst &inst) {
  if (const Inst *inner = c.def(inst.operands[0], Opcode::INot))
    return Rewrite::to(inner->operands[0]);
  if (inst.type != types().boolean)
    return Rewrite::none();
  const Inst *compare = c.def(inst.operands[0]);
  bool integers = compare != nullptr && compare->op == Opcode::ICmp;
  // Floats: only == and != are each other's inverse where NaN comes in.
  bool floats = compare != nullptr && compare->op == Opcode::FCmp &&
                (compare->predicate() == Predicate::Eq || compare->predicate() == Predicate::Ne);
  if (!integers && !floats)
    return Rewrite::none();
  inst.attr = static_cast<int64_t>(inverse(compare->predicate()));
  inst.op = compare->op;
  std::vector<ValueId> operands = compare->operands;
  inst.operands = std::move(operands);
  return Rewrite::inPlace();
}

Rewrite doubleNegation(RuleContext &c, Inst &inst) {
  const Inst *inner = c.def(inst.operands[0], inst.op);
  return inner != nullptr ? Rewrite::to(inner->operands[0]) : Rewrite::none();
}

Rewrite iminmax(RuleContext &, Inst &inst) {
  return inst.operands[0] == inst.operands[1] ? Rewrite::to(inst.operands[0]) : Rewrite::none();
}

bool widens(const Type &from, const Type &to) {
  if (from.kind == TypeKind::Bool)
    return to.isInteger() || to.kind == TypeKind::Float;
  if (from.isInteger() && to.isInteger())
    return from.is_signed == to.is_signed ? from.bits <= to.bits : to.is_signed && from.bits < to.bits;
  return from.kind == TypeKind::Float && to.kind == TypeKind::Float && from.bits <= to.bits;
}

Rewrite icmp(RuleContext &c, Inst &inst) {
  if (inst.operands[0] == inst.operands[1]) {
    Predicate p = inst.predicate();
    return Rewrite::to(c.boolean(p == Predicate::Eq || p == Predicate::Le || p == Predicate::Ge));
  }
  if (canonicalOrder(c, inst)) {
    inst.attr = static_cast<int64_t>(swapped(inst.predicate()));
    return Rewrite::inPlace();
  }
  auto right = c.scalar(inst.operands[1]);
  if (!right)
    return Rewrite::none();
  // bool != False; a widened bool against 0
  const Inst *cast = c.def(inst.operands[0], Opcode::Cast);
  bool of_bool = c.f.typeOf(inst.operands[0]) == types().boolean;
  bool widened = cast != nullptr && c.f.typeOf(cast->operands[0]) == types().boolean && typeOf(cast->type).isInteger();
  if ((of_bool || widened) && (right->bits == 0 || right->bits == 1) &&
      (inst.predicate() == Predicate::Eq || inst.predicate() == Predicate::Ne)) {
    ValueId value = widened ? cast->operands[0] : inst.operands[0];
    if ((inst.predicate() == Predicate::Ne) == (right->bits == 0))
      return Rewrite::to(value);
    inst.op = Opcode::INot;
    inst.attr = 0;
    inst.operands = {value};
    return Rewrite::inPlace();
  }
  return Rewrite::none();
}

// ---- floats, complex

/// x * 1 and x / 1 are exact; x + 0 is not (-0.0 + 0.0 is 0.0).
Rewrite fmul(RuleContext &c, Inst &inst) {
  if (inst.op == Opcode::FMul)
    canonicalOrder(c, inst);
  auto right = c.scalar(inst.operands[1]);
  return right && right->real() == 1.0 ? Rewrite::to(inst.operands[0]) : Rewrite::none();
}

Rewrite complexPart(RuleContext &c, Inst &inst) {
  const Inst *made = c.def(inst.operands[0], Opcode::CMake);
  return made != nullptr ? Rewrite::to(made->operands[inst.op == Opcode::CReal ? 0 : 1]) : Rewrite::none();
}

// ---- conversions

Rewrite cast(RuleContext &c, Inst &inst) {
  TypeId from = c.f.typeOf(inst.operands[0]);
  if (from == inst.type)
    return Rewrite::to(inst.operands[0]);
  const Inst *inner = c.def(inst.operands[0], Opcode::Cast);
  if (inner == nullptr)
    return Rewrite::none();
  TypeId first = c.f.typeOf(inner->operands[0]);
  const Type &a = typeOf(first), &b = typeOf(from), &d = typeOf(inst.type);
  if (!a.isReal() || !b.isReal() || !d.isReal())
    return Rewrite::none();
  // What was widened can be taken from the source; so can the low bits of what was widened or only changed its sign.
  bool exact = widens(a, b);
  bool low_bits = a.isInteger() && b.isInteger() && d.isInteger() && d.bits <= b.bits && d.bits <= a.bits;
  if (!exact && !low_bits)
    return Rewrite::none();
  if (first == inst.type)
    return Rewrite::to(inner->operands[0]);
  inst.operands = {inner->operands[0]};
  return Rewrite::inPlace();
}

Rewrite select(RuleContext &c, Inst &inst) {
  if (inst.operands[1] == inst.operands[2])
    return Rewrite::to(inst.operands[1]);
  if (auto condition = c.scalar(inst.operands[0]))
    return Rewrite::to(inst.operands[condition->bits != 0 ? 1 : 2]);
  if (const Inst *negated = c.def(inst.operands[0], Opcode::INot)) {
    inst.operands = {negated->operands[0], inst.operands[2], inst.operands[1]};
    return Rewrite::inPlace();
  }
  auto then = c.scalar(inst.operands[1]), otherwise = c.scalar(inst.operands[2]);
  if (inst.type == types().boolean && is(then, 1) && is(otherwise, 0))
    return Rewrite::to(inst.operands[0]);
  return Rewrite::none();
}

// ---- aggregates

Rewrite tupleGet(RuleContext &c, Inst &inst) {
  const Inst *made = c.def(inst.operands[0]);
  if (made == nullptr)
    return Rewrite::none();
  auto item = static_cast<size_t>(inst.attr);
  if (made->op == Opcode::TupleMake)
    return Rewrite::to(made->operands[item]);
  if (made->op != Opcode::Cast || typeOf(c.f.typeOf(made->operands[0])).kind != TypeKind::Tuple)
    return Rewrite::none();
  // An item of a converted tuple: the item, if it was not converted itself.
  if (typeOf(c.f.typeOf(made->operands[0])).args[item] != inst.type)
    return Rewrite::none();
  inst.operands = {made->operands[0]};
  return Rewrite::inPlace();
}

Rewrite tupleGetDynamic(RuleContext &c, Inst &inst) {
  auto index = c.scalar(inst.operands[1]);
  if (!index)
    return Rewrite::none();
  inst.op = Opcode::TupleGet;
  inst.attr = index->integer();
  inst.operands.pop_back();
  return Rewrite::inPlace();
}

/// The value that became an optional by `cast`; or a constant None.
Rewrite optional(RuleContext &c, Inst &inst) {
  const Inst *made = c.def(inst.operands[0], Opcode::Cast);
  if (made == nullptr)
    return Rewrite::none();
  TypeId from = c.f.typeOf(made->operands[0]);
  TypeKind kind = typeOf(from).kind;
  bool absent = kind == TypeKind::None;
  bool passed_on = kind == TypeKind::Optional || kind == TypeKind::MaybeUnbound;
  if (inst.op == Opcode::OptionalHas) {
    if (!passed_on)
      return Rewrite::to(c.boolean(!absent));
    if (kind != typeOf(made->type).kind)
      return Rewrite::none();
    inst.operands = {made->operands[0]};
    return Rewrite::inPlace();
  }
  if (from == inst.type)
    return Rewrite::to(made->operands[0]);
  if (absent || passed_on)
    return Rewrite::none();
  inst.op = Opcode::Cast;
  inst.operands = {made->operands[0]};
  return Rewrite::inPlace();
}

Rewrite checkBound(RuleContext &c, Inst &inst) {
  const Inst *made = c.def(inst.operands[0], Opcode::Cast);
  if (made != nullptr && c.f.typeOf(made->operands[0]) == inst.type)
    return Rewrite::to(made->operands[0]);
  return Rewrite::none();
}

/// x[:], with nothing given: all of it.
Rewrite sliceIndices(RuleContext &c, Inst &inst) {
  if (inst.attr != 0)
    return Rewrite::none();
  ValueId length = inst.operands[3];
  inst.op = Opcode::TupleMake;
  inst.operands = {c.integer(types().int64, 0), length, c.integer(types().int64, 1)};
  return Rewrite::inPlace();
}

// ---- arrays

/// The extent of an axis as what made the array says.
ValueId extentOf(RuleContext &c, const Inst &array, int64_t axis) {
  auto at = static_cast<size_t>(axis);
  switch (array.op) {
  case Opcode::ArrayAlloc: return array.operands[at];
  case Opcode::ArrayFromPtr: return array.operands[1 + at];
  case Opcode::ArrayRestride: return array.operands[2 + at];
  case Opcode::ArrayView: {
    size_t operand = 1;
    for (int64_t code : array.int_list) {
      if (code == kViewIndex) {
        ++operand;
        continue;
      }
      if (at-- > 0) {
        operand += code == kViewSlice ? 3 : 0;
        continue;
      }
      if (code == kViewSlice)
        return array.operands[operand + 1];
      return code == kViewNewAxis ? c.integer(types().int64, 1) : ValueId();
    }
    return {};
  }
  default: return {};
  }
}

/// The axis of the viewed array that an axis of a view is in full; -1: none.
int64_t viewedAxis(const Inst &view, int64_t axis) {
  int64_t source = 0;
  for (int64_t code : view.int_list) {
    if (code != kViewIndex && axis-- == 0)
      return code == kViewFull ? source : -1;
    source += code == kViewNewAxis ? 0 : 1;
  }
  return -1;
}

Rewrite arrayDim(RuleContext &c, Inst &inst) {
  const Inst *array = c.def(inst.operands[0]);
  if (array == nullptr)
    return Rewrite::none();
  if (ValueId extent = extentOf(c, *array, inst.attr); extent.valid())
    return Rewrite::to(extent);
  int64_t axis = array->op == Opcode::ArrayView ? viewedAxis(*array, inst.attr) : inst.attr;
  bool same = array->op == Opcode::ArrayView ||
              (array->op == Opcode::Cast && typeOf(c.f.typeOf(array->operands[0])).kind == TypeKind::Array);
  if (!same || axis < 0)
    return Rewrite::none();
  inst.attr = axis;
  inst.operands = {array->operands[0]};
  return Rewrite::inPlace();
}

Rewrite arraySize(RuleContext &c, Inst &inst) {
  if (typeOf(c.f.typeOf(inst.operands[0])).ndim != 1)
    return Rewrite::none();
  inst.op = Opcode::ArrayDim;
  inst.attr = 0;
  return Rewrite::inPlace();
}

Rewrite wrapIndex(RuleContext &c, Inst &inst) {
  auto index = c.scalar(inst.operands[0]);
  if (!index)
    return Rewrite::none();
  if (index->integer() >= 0)
    return Rewrite::to(inst.operands[0]);
  inst.op = Opcode::IAdd;
  inst.operands = {inst.operands[1], inst.operands[0]};
  inst.attr = kNoWrapSigned; // an extent and a negative number
  return Rewrite::inPlace();
}

Rewrite broadcastDim(RuleContext &c, Inst &inst) {
  // The extents of a common extent count as one's own; equal ones, and ones, do not matter.
  std::vector<ValueId> kept, all;
  for (ValueId extent : inst.operands) {
    const Inst *inner = c.def(extent, Opcode::ArrayBroadcastDim);
    if (inner != nullptr && inst.operands.size() + inner->operands.size() <= 8)
      all.insert(all.end(), inner->operands.begin(), inner->operands.end());
    else
      all.push_back(extent);
  }
  for (ValueId extent : all) {
    bool seen = false;
    for (ValueId other : kept)
      seen = seen || other == extent;
    if (!seen && !is(c.scalar(extent), 1))
      kept.push_back(extent);
  }
  if (kept.empty())
    return Rewrite::to(inst.operands.empty() ? c.integer(types().int64, 1) : inst.operands[0]);
  if (kept.size() == 1)
    return Rewrite::to(kept[0]);
  if (kept == inst.operands)
    return Rewrite::none();
  inst.operands = std::move(kept);
  return Rewrite::inPlace();
}

// ---- checks

Rewrite checkNonZero(RuleContext &c, Inst &inst) {
  auto value = c.scalar(inst.operands[0]);
  bool nonzero = value && (value->isFloat() ? value->real() != 0 : value->bits != 0);
  return nonzero ? Rewrite::remove() : Rewrite::none();
}

Rewrite checkTrue(RuleContext &c, Inst &inst) {
  auto value = c.scalar(inst.operands[0]);
  return value && value->bits != 0 ? Rewrite::remove() : Rewrite::none();
}

Rewrite checkIndex(RuleContext &c, Inst &inst) {
  auto index = c.scalar(inst.operands[0]), extent = c.scalar(inst.operands[1]);
  bool inside = index && extent && index->integer() >= 0 && index->integer() < extent->integer();
  return inside ? Rewrite::remove() : Rewrite::none();
}

std::array<Rule, 256> makeRules() {
  std::array<Rule, 256> rules{};
  rules.fill(noRule);
  auto set = [&](std::initializer_list<Opcode> ops, Rule rule) {
    for (Opcode op : ops)
      rules[static_cast<size_t>(op)] = rule;
  };
  using enum Opcode;
  set({IAdd}, iadd);
  set({ISub}, isub);
  set({IMul}, imul);
  set({IFloorDiv, IMod}, idivide);
  set({IAnd}, iand);
  set({IOr}, ior);
  set({IXor}, ixor);
  set({IShl, IShr}, shift);
  set({INot}, inot);
  set({INeg, FNeg, CNeg}, doubleNegation);
  set({IMin, IMax}, iminmax);
  set({ICmp}, icmp);
  set({FMul, FDiv}, fmul);
  set({CReal, CImag}, complexPart);
  set({Cast}, cast);
  set({Select}, select);
  set({TupleGet}, tupleGet);
  set({TupleGetDynamic}, tupleGetDynamic);
  set({OptionalHas, OptionalValue}, optional);
  set({CheckBound}, checkBound);
  set({SliceIndices}, sliceIndices);
  set({ArrayDim}, arrayDim);
  set({ArraySize}, arraySize);
  set({WrapIndex}, wrapIndex);
  set({ArrayBroadcastDim}, broadcastDim);
  set({CheckNonZero}, checkNonZero);
  set({CheckTrue}, checkTrue);
  set({CheckIndex}, checkIndex);
  return rules;
}

} // namespace

Rewrite rewrite(RuleContext &context, Inst &inst) {
  static const std::array<Rule, 256> rules = makeRules();
  return rules[static_cast<size_t>(inst.op)](context, inst);
}

} // namespace naja::passes
