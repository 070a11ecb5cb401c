#include "naja/library/emit_helpers.h"

namespace naja::library {

using namespace ir;

namespace {

struct Power {
  Emitter &e;
  TypeId type, part;
  ValueId a, b, exponent, exponent_im; // base, exponent and its parts

  Builder &build() { return e.builder(); }
  ValueId number(double v) { return build().floatConst(v, part); }
  ValueId op(Opcode code, ValueId x, ValueId y) { return build().emit(code, part, {x, y}); }
  ValueId both(ValueId x, ValueId y) { return build().emit(Opcode::IAnd, types().boolean, {x, y}); }
  ValueId complex(ValueId re, ValueId im) { return build().emit(Opcode::CMake, type, {re, im}); }
};

/// A whole exponent of at most 100: by squaring, 1 / (...) where it is negative.
ValueId emitWhole(Power &p) {
  Builder &b = p.build();
  Emitter &e = p.e;
  TypeId i64 = types().int64;
  Function &f = b.function();
  BlockId header = e.newBlock(), body = e.newBlock(), done = e.newBlock();
  f.block(header).is_loop_header = true;
  ValueId n = f.addParam(header, i64), base = f.addParam(header, p.type), result = f.addParam(header, p.type);
  ValueId one = p.complex(p.number(1.0), p.number(0.0));
  ValueId count = b.emit(Opcode::IAbs, i64, {b.cast(p.exponent, i64)});
  b.br(header, {count, p.a, one});
  b.setBlock(header);
  b.condBr(b.icmp(Predicate::Gt, n, b.int64(0)), body, {}, done, {});
  b.setBlock(body);
  ValueId odd = b.icmp(Predicate::Ne, b.emit(Opcode::IAnd, i64, {n, b.int64(1)}), b.int64(0));
  ValueId multiplied = b.select(odd, b.emit(Opcode::CMul, p.type, {result, base}), result);
  ValueId squared = b.emit(Opcode::CMul, p.type, {base, base});
  b.br(header, {b.emit(Opcode::IShr, i64, {n, b.int64(1)}), squared, multiplied});
  b.setBlock(done);
  ValueId negative = b.fcmp(Predicate::Lt, p.exponent, p.number(0.0));
  return b.select(negative, b.emit(Opcode::CDiv, p.type, {one, result}), result);
}

/// |a| ** re * exp(-arg * im) at the angle arg * re + im * log |a|; 0 to a power that is not negative is 0.
ValueId emitPolar(Power &p) {
  Builder &b = p.build();
  ValueId length = emitMath(p.e, MathFn::Abs, p.type, {p.a}), angle = emitMath(p.e, MathFn::Phase, p.type, {p.a});
  ValueId magnitude = b.math(MathFn::Pow, p.part, {length, p.exponent});
  ValueId phase = p.op(Opcode::FMul, angle, p.exponent);
  ValueId real_exponent = b.fcmp(Predicate::Eq, p.exponent_im, p.number(0.0));
  ValueId damped =
      p.op(Opcode::FMul, magnitude,
           b.math(MathFn::Exp, p.part, {b.emit(Opcode::FNeg, p.part, {p.op(Opcode::FMul, angle, p.exponent_im)})}));
  ValueId turned = p.op(Opcode::FAdd, phase, p.op(Opcode::FMul, p.exponent_im, b.math(MathFn::Log, p.part, {length})));
  magnitude = b.select(real_exponent, magnitude, damped);
  phase = b.select(real_exponent, phase, turned);
  ValueId polar = p.complex(p.op(Opcode::FMul, magnitude, b.math(MathFn::Cos, p.part, {phase})),
                            p.op(Opcode::FMul, magnitude, b.math(MathFn::Sin, p.part, {phase})));
  ValueId nothing = p.both(b.fcmp(Predicate::Eq, length, p.number(0.0)),
                           emitNot(p.e, b.fcmp(Predicate::Lt, p.exponent, p.number(0.0))));
  return b.select(p.both(nothing, real_exponent), p.complex(p.number(0.0), p.number(0.0)), polar);
}

} // namespace

ValueId emitComplexPower(Emitter &e, ValueId a, ValueId b, TypeId type, ZeroDivision zero) {
  Builder &build = e.builder();
  TypeId part = realPart(type), boolean = types().boolean;
  Power p{e, type, part, a, b, build.emit(Opcode::CReal, part, {b}), build.emit(Opcode::CImag, part, {b})};
  ValueId none = p.number(0.0);
  ValueId real_exponent = build.fcmp(Predicate::Eq, p.exponent_im, none);
  if (zeroRaises(e, zero)) {
    ValueId positive = p.both(real_exponent, emitNot(e, build.fcmp(Predicate::Lt, p.exponent, none)));
    ValueId defined = build.emit(Opcode::IOr, boolean, {positive, emitTruth(e, a)});
    emitCheck(e, defined, "ZeroDivisionError", "0.0 to a negative or complex power");
  }
  ValueId whole = build.fcmp(Predicate::Eq, emitMath(e, MathFn::Floor, part, {p.exponent}), p.exponent);
  ValueId small = build.fcmp(Predicate::Le, build.emit(Opcode::FAbs, part, {p.exponent}), p.number(100.0));
  BlockId multiply = e.newBlock(), general = e.newBlock(), done = e.newBlock();
  ValueId result = build.function().addParam(done, type);
  build.condBr(p.both(p.both(whole, small), real_exponent), multiply, {}, general, {});
  build.setBlock(multiply);
  ValueId product = emitWhole(p);
  build.br(done, {product});
  build.setBlock(general);
  ValueId polar = emitPolar(p);
  build.br(done, {polar});
  build.setBlock(done);
  return result;
}

} // namespace naja::library
