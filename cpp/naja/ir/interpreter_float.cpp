// Floats and complex numbers, in their own width.
#include "naja/ir/interpreter_internal.h"

#include <cmath>

namespace naja::ir::interpret {
namespace {

unsigned componentBits(const Type &type) { return type.kind == TypeKind::Complex ? type.bits / 2U : type.bits; }

/// CPython's float_floor_div and float_rem.
template <class Real> Real floorDivide(Real x, Real y) {
  if (y == 0)
    return x / y;
  Real rest = std::fmod(x, y);
  Real quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0))
    quotient -= 1;
  if (quotient == 0)
    return std::copysign(Real(0), x / y);
  Real floor = std::floor(quotient);
  return quotient - floor > Real(0.5) ? floor + 1 : floor;
}
template <class Real> Real remainder(Real x, Real y) {
  Real rest = std::fmod(x, y);
  if (rest == 0)
    return std::copysign(Real(0), y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}

struct FAdd { template <class R> static R of(R a, R b) { return a + b; } };
struct FSub { template <class R> static R of(R a, R b) { return a - b; } };
struct FMul { template <class R> static R of(R a, R b) { return a * b; } };
struct FDiv { template <class R> static R of(R a, R b) { return a / b; } };
struct FFloorDiv { template <class R> static R of(R a, R b) { return floorDivide(a, b); } };
struct FMod { template <class R> static R of(R a, R b) { return remainder(a, b); } };
struct FNeg { template <class R> static R of(R a, R) { return -a; } };
struct FAbs { template <class R> static R of(R a, R) { return std::fabs(a); } };

template <class Op> void real(Machine &machine, Frame &frame, const Inst &inst) {
  uint64_t a = frame.cell(inst, 0), b = inst.operands.size() > 1 ? frame.cell(inst, 1) : a;
  unsigned bits = frame.type(inst, 0).bits;
  if (bits == 16)
    machine.complain("arithmetic in float16");
  frame.define(inst, Cells{bits == 32 ? cellOf(Op::of(toFloat(a), toFloat(b))) : cellOf(Op::of(toDouble(a), toDouble(b)))});
}

void compare(Machine &, Frame &frame, const Inst &inst) {
  bool narrow = frame.type(inst, 0).bits == 32;
  double a = narrow ? toFloat(frame.cell(inst, 0)) : toDouble(frame.cell(inst, 0));
  double b = narrow ? toFloat(frame.cell(inst, 1)) : toDouble(frame.cell(inst, 1));
  const bool results[] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
  frame.define(inst, Cells{cellOf(results[static_cast<size_t>(inst.predicate())])});
}

// ------------------------------------------------------------------------------------------------------------- complex

template <class R> struct Complex { R re, im; };

struct CAdd { template <class R> static Complex<R> of(Complex<R> x, Complex<R> y) { return {x.re + y.re, x.im + y.im}; } };
struct CSub { template <class R> static Complex<R> of(Complex<R> x, Complex<R> y) { return {x.re - y.re, x.im - y.im}; } };
struct CMul {
  template <class R> static Complex<R> of(Complex<R> x, Complex<R> y) {
    return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
};
/// Smith's method; x / |0| where the divisor is zero.
struct CDiv {
  template <class R> static Complex<R> of(Complex<R> x, Complex<R> y) {
    R abs_re = std::fabs(y.re), abs_im = std::fabs(y.im);
    if (abs_re == 0 && abs_im == 0)
      return {x.re / R(0), x.im / R(0)};
    if (abs_re >= abs_im) {
      R ratio = y.im / y.re, denominator = y.re + y.im * ratio;
      return {(x.re + x.im * ratio) / denominator, (x.im - x.re * ratio) / denominator};
    }
    R ratio = y.re / y.im, denominator = y.im + y.re * ratio;
    return {(x.im + x.re * ratio) / denominator, (x.im * ratio - x.re) / denominator};
  }
};
struct CNeg { template <class R> static Complex<R> of(Complex<R> x, Complex<R>) { return {-x.re, -x.im}; } };

template <class R, class Op> Cells complexCells(const Cells &a, const Cells &b) {
  Complex<R> result = Op::of(Complex<R>{realOf<R>(a[0]), realOf<R>(a[1])}, Complex<R>{realOf<R>(b[0]), realOf<R>(b[1])});
  return {cellOf(result.re), cellOf(result.im)};
}
template <class Op> void complex(Machine &, Frame &frame, const Inst &inst) {
  const Cells &a = frame.cells(inst, 0), &b = inst.operands.size() > 1 ? frame.cells(inst, 1) : a;
  bool narrow = componentBits(frame.type(inst, 0)) == 32;
  frame.define(inst, narrow ? complexCells<float, Op>(a, b) : complexCells<double, Op>(a, b));
}

void make(Machine &, Frame &frame, const Inst &inst) {
  frame.define(inst, Cells{frame.cell(inst, 0), frame.cell(inst, 1)});
}
template <size_t Part> void part(Machine &, Frame &frame, const Inst &inst) {
  frame.define(inst, Cells{frame.cells(inst, 0)[Part]});
}

} // namespace

void addFloats(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::FAdd, real<FAdd>);
  set(Opcode::FSub, real<FSub>);
  set(Opcode::FMul, real<FMul>);
  set(Opcode::FDiv, real<FDiv>);
  set(Opcode::FFloorDiv, real<FFloorDiv>);
  set(Opcode::FMod, real<FMod>);
  set(Opcode::FNeg, real<FNeg>);
  set(Opcode::FAbs, real<FAbs>);
  set(Opcode::FCmp, compare);
  set(Opcode::CAdd, complex<CAdd>);
  set(Opcode::CSub, complex<CSub>);
  set(Opcode::CMul, complex<CMul>);
  set(Opcode::CDiv, complex<CDiv>);
  set(Opcode::CNeg, complex<CNeg>);
  set(Opcode::CMake, make);
  set(Opcode::CReal, part<0>);
  set(Opcode::CImag, part<1>);
}

} // namespace naja::ir::interpret
