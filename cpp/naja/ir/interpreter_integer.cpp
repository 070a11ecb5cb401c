// Integers and bools: computed in 64 bits and truncated.
#include "naja/ir/interpreter_internal.h"

#include <algorithm>

namespace naja::ir::interpret {
namespace {

struct IntType {
  unsigned bits = 64;
  bool is_signed = false;
};
IntType intType(const Type &type) {
  if (type.kind == TypeKind::Int)
    return {type.bits, type.is_signed};
  return {type.kind == TypeKind::Bool ? 1U : 64U, false};
}

struct Operands {
  IntType type;
  uint64_t a, b; // bits
  int64_t signedA() const { return signExtend(a, type.bits); }
  int64_t signedB() const { return signExtend(b, type.bits); }
};
Operands operands(Frame &frame, const Inst &inst) {
  return {intType(frame.type(inst, 0)), frame.cell(inst, 0), inst.operands.size() > 1 ? frame.cell(inst, 1) : 0};
}
void define(Frame &frame, const Inst &inst, const Operands &o, uint64_t value) {
  frame.define(inst, Cells{truncate(value, o.type.bits)});
}

struct Add {
  static uint64_t of(uint64_t a, uint64_t b) { return a + b; }
  template <class T> static bool overflows(T a, T b, T *out) { return __builtin_add_overflow(a, b, out); }
};
struct Sub {
  static uint64_t of(uint64_t a, uint64_t b) { return a - b; }
  template <class T> static bool overflows(T a, T b, T *out) { return __builtin_sub_overflow(a, b, out); }
};
struct Mul {
  static uint64_t of(uint64_t a, uint64_t b) { return a * b; }
  template <class T> static bool overflows(T a, T b, T *out) { return __builtin_mul_overflow(a, b, out); }
};

template <class Op> void wrapping(Machine &machine, Frame &frame, const Inst &inst) {
  Operands o = operands(frame, inst);
  int64_t exact = 0;
  uint64_t exact_unsigned = 0;
  bool wraps = Op::overflows(o.signedA(), o.signedB(), &exact) ||
               signExtend(truncate(static_cast<uint64_t>(exact), o.type.bits), o.type.bits) != exact;
  bool wraps_unsigned = Op::overflows(o.a, o.b, &exact_unsigned) || truncate(exact_unsigned, o.type.bits) != exact_unsigned;
  if (((inst.attr & kNoWrapSigned) != 0 && wraps) || ((inst.attr & kNoWrapUnsigned) != 0 && wraps_unsigned))
    machine.complain(std::string(info(inst.op).text) + " wraps though it says that it does not");
  define(frame, inst, o, Op::of(o.a, o.b));
}

void floorDiv(Machine &machine, Frame &frame, const Inst &inst) {
  Operands o = operands(frame, inst);
  if (o.b == 0)
    return machine.complain("ifloordiv by 0");
  if (!o.type.is_signed)
    return define(frame, inst, o, o.a / o.b);
  int64_t a = o.signedA(), b = o.signedB();
  if (b == -1)
    return define(frame, inst, o, 0 - o.a); // MIN // -1 wraps to MIN
  int64_t quotient = a / b;
  bool rounded_up = a % b != 0 && (a < 0) != (b < 0);
  define(frame, inst, o, static_cast<uint64_t>(quotient - (rounded_up ? 1 : 0)));
}
void modulo(Machine &machine, Frame &frame, const Inst &inst) {
  Operands o = operands(frame, inst);
  if (o.b == 0)
    return machine.complain("imod by 0");
  if (!o.type.is_signed)
    return define(frame, inst, o, o.a % o.b);
  int64_t b = o.signedB(), rest = b == -1 ? 0 : o.signedA() % b;
  define(frame, inst, o, static_cast<uint64_t>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest));
}

using Bits = uint64_t (*)(const Operands &);
template <Bits Compute> void bits(Machine &, Frame &frame, const Inst &inst) {
  Operands o = operands(frame, inst);
  define(frame, inst, o, Compute(o));
}
uint64_t bitAnd(const Operands &o) { return o.a & o.b; }
uint64_t bitOr(const Operands &o) { return o.a | o.b; }
uint64_t bitXor(const Operands &o) { return o.a ^ o.b; }
uint64_t bitNot(const Operands &o) { return ~o.a; }
uint64_t negate(const Operands &o) { return 0 - o.a; }
uint64_t absolute(const Operands &o) { return o.type.is_signed && o.signedA() < 0 ? 0 - o.a : o.a; }
/// A negative amount is as large as its bits say.
uint64_t shiftLeft(const Operands &o) { return o.b >= o.type.bits ? 0 : o.a << o.b; }
uint64_t shiftRight(const Operands &o) {
  if (!o.type.is_signed)
    return o.b >= o.type.bits ? 0 : o.a >> o.b;
  return static_cast<uint64_t>(o.signedA() >> std::min<uint64_t>(o.b, o.type.bits - 1U));
}
bool less(const Operands &o) { return o.type.is_signed ? o.signedA() < o.signedB() : o.a < o.b; }
uint64_t minimum(const Operands &o) { return less(o) ? o.a : o.b; }
uint64_t maximum(const Operands &o) { return less(o) ? o.b : o.a; }

void compare(Machine &, Frame &frame, const Inst &inst) {
  Operands o = operands(frame, inst);
  bool is_less = less(o), is_equal = o.a == o.b;
  const bool results[] = {is_equal, !is_equal, is_less, is_less || is_equal, !is_less && !is_equal, !is_less};
  frame.define(inst, Cells{cellOf(results[static_cast<size_t>(inst.predicate())])});
}

} // namespace

void addIntegers(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::IAdd, wrapping<Add>);
  set(Opcode::ISub, wrapping<Sub>);
  set(Opcode::IMul, wrapping<Mul>);
  set(Opcode::IFloorDiv, floorDiv);
  set(Opcode::IMod, modulo);
  set(Opcode::IAnd, bits<bitAnd>);
  set(Opcode::IOr, bits<bitOr>);
  set(Opcode::IXor, bits<bitXor>);
  set(Opcode::INot, bits<bitNot>);
  set(Opcode::INeg, bits<negate>);
  set(Opcode::IAbs, bits<absolute>);
  set(Opcode::IShl, bits<shiftLeft>);
  set(Opcode::IShr, bits<shiftRight>);
  set(Opcode::IMin, bits<minimum>);
  set(Opcode::IMax, bits<maximum>);
  set(Opcode::ICmp, compare);
}

} // namespace naja::ir::interpret
