// Floats and complex numbers: IEEE operations, CPython's // and %, CPython's complex product and quotient.
#include "naja/codegen/lower/complex.h"
#include "naja/codegen/lower/handlers.h"

#include <llvm/IR/Intrinsics.h>

namespace naja::codegen {

llvm::Value *floatAbs(llvm::IRBuilder<> &b, llvm::Value *x) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
llvm::Value *copySign(llvm::IRBuilder<> &b, llvm::Value *magnitude, llvm::Value *sign) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, sign);
}

namespace {

llvm::Constant *zeroOf(llvm::Value *x) { return llvm::ConstantFP::get(x->getType(), 0.0); }

/// C's fmod and whether the remainder has to move to the divisor's sign (it is not zero and signs differ).
struct Remainder {
  llvm::Value *value, *is_zero, *moves;
};
Remainder remainderOf(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  llvm::Value *remainder = b.CreateFRem(x, y);
  llvm::Value *is_zero = b.CreateFCmpOEQ(remainder, zeroOf(x));
  llvm::Value *differ = b.CreateXor(b.CreateFCmpOLT(remainder, zeroOf(x)), b.CreateFCmpOLT(y, zeroOf(x)));
  llvm::Value *moves = b.CreateAnd(b.CreateFCmpONE(remainder, zeroOf(x)), differ);
  return {remainder, is_zero, moves};
}

} // namespace

llvm::Value *floatMod(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  Remainder r = remainderOf(b, x, y);
  llvm::Value *moved = b.CreateSelect(r.moves, b.CreateFAdd(r.value, y), r.value);
  return b.CreateSelect(r.is_zero, copySign(b, zeroOf(x), y), moved);
}

llvm::Value *floatFloorDiv(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y) {
  // CPython's float_floor_div: the quotient of what fmod leaves is near an integer; floor and repair the rounding.
  Remainder r = remainderOf(b, x, y);
  llvm::Value *quotient = b.CreateFDiv(b.CreateFSub(x, r.value), y);
  llvm::Value *one = llvm::ConstantFP::get(x->getType(), 1.0), *half = llvm::ConstantFP::get(x->getType(), 0.5);
  quotient = b.CreateSelect(r.moves, b.CreateFSub(quotient, one), quotient);
  llvm::Value *floor = b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, quotient);
  llvm::Value *too_low = b.CreateFCmpOGT(b.CreateFSub(quotient, floor), half);
  floor = b.CreateSelect(too_low, b.CreateFAdd(floor, one), floor);
  llvm::Value *exact = b.CreateFDiv(x, y);
  llvm::Value *signed_zero = copySign(b, zeroOf(x), exact);
  llvm::Value *result = b.CreateSelect(b.CreateFCmpOEQ(quotient, zeroOf(x)), signed_zero, floor);
  // Divisor zero: infinity or nan, as NumPy.
  return b.CreateSelect(b.CreateFCmpOEQ(y, zeroOf(x)), exact, result);
}

Complex complexMul(llvm::IRBuilder<> &b, Complex x, Complex y) {
  return {b.CreateFSub(b.CreateFMul(x.re, y.re), b.CreateFMul(x.im, y.im)),
          b.CreateFAdd(b.CreateFMul(x.re, y.im), b.CreateFMul(x.im, y.re))};
}

Complex complexDiv(llvm::IRBuilder<> &b, Complex x, Complex y) {
  // Smith's method without branches: divide by the larger part of y. Where it is zero, so is y: x / |0|.
  // Not where the other part is NaN: the quotient is NaN then.
  llvm::Value *abs_real = floatAbs(b, y.re), *abs_imaginary = floatAbs(b, y.im);
  llvm::Value *by_real = b.CreateFCmpOGE(abs_real, abs_imaginary);
  llvm::Value *large = b.CreateSelect(by_real, y.re, y.im), *small = b.CreateSelect(by_real, y.im, y.re);
  llvm::Value *zero = zeroOf(x.re);
  llvm::Value *is_zero = b.CreateFCmpOEQ(b.CreateFAdd(abs_real, abs_imaginary), zero);
  llvm::Value *ratio = b.CreateFDiv(small, large);
  llvm::Value *denominator = b.CreateFAdd(large, b.CreateFMul(small, ratio));
  denominator = b.CreateSelect(is_zero, zero, denominator);
  llvm::Value *first = b.CreateSelect(by_real, x.re, x.im), *second = b.CreateSelect(by_real, x.im, x.re);
  llvm::Value *real = b.CreateFAdd(first, b.CreateFMul(second, ratio));
  llvm::Value *scaled = b.CreateFMul(first, ratio);
  llvm::Value *imaginary = b.CreateSelect(by_real, b.CreateFSub(second, scaled), b.CreateFSub(scaled, second));
  real = b.CreateSelect(is_zero, x.re, real);
  imaginary = b.CreateSelect(is_zero, x.im, imaginary);
  return {b.CreateFDiv(real, denominator), b.CreateFDiv(imaginary, denominator)};
}

namespace {

llvm::Value *left(FunctionLowering &f, const ir::Inst &inst) { return floatOperand(f, inst.operands[0]); }
llvm::Value *right(FunctionLowering &f, const ir::Inst &inst) { return floatOperand(f, inst.operands[1]); }

Complex complexOperand(FunctionLowering &f, const ir::Inst &inst, unsigned i) {
  ScalarRef parts = f.value(inst.operands[i]);
  return {parts[0], parts[1]};
}
void defineComplex(FunctionLowering &f, const ir::Inst &inst, Complex value) {
  llvm::Value *parts[] = {value.re, value.im};
  f.define(inst, parts);
}

} // namespace

void lowerFAdd(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, f.b().CreateFAdd(left(f, inst), right(f, inst)));
}
void lowerFSub(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, f.b().CreateFSub(left(f, inst), right(f, inst)));
}
void lowerFMul(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, f.b().CreateFMul(left(f, inst), right(f, inst)));
}
void lowerFDiv(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, f.b().CreateFDiv(left(f, inst), right(f, inst)));
}
void lowerFFloorDiv(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, floatFloorDiv(f.b(), left(f, inst), right(f, inst)));
}
void lowerFMod(FunctionLowering &f, const ir::Inst &inst) {
  defineFloat(f, inst, floatMod(f.b(), left(f, inst), right(f, inst)));
}
void lowerFNeg(FunctionLowering &f, const ir::Inst &inst) { defineFloat(f, inst, f.b().CreateFNeg(left(f, inst))); }
void lowerFAbs(FunctionLowering &f, const ir::Inst &inst) { defineFloat(f, inst, floatAbs(f.b(), left(f, inst))); }

void lowerFCmp(FunctionLowering &f, const ir::Inst &inst) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kPredicates[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  f.define(inst, f.b().CreateFCmp(kPredicates[static_cast<size_t>(inst.predicate())], left(f, inst), right(f, inst)));
}

void lowerCAdd(FunctionLowering &f, const ir::Inst &inst) {
  Complex x = complexOperand(f, inst, 0), y = complexOperand(f, inst, 1);
  defineComplex(f, inst, {f.b().CreateFAdd(x.re, y.re), f.b().CreateFAdd(x.im, y.im)});
}
void lowerCSub(FunctionLowering &f, const ir::Inst &inst) {
  Complex x = complexOperand(f, inst, 0), y = complexOperand(f, inst, 1);
  defineComplex(f, inst, {f.b().CreateFSub(x.re, y.re), f.b().CreateFSub(x.im, y.im)});
}
void lowerCMul(FunctionLowering &f, const ir::Inst &inst) {
  defineComplex(f, inst, complexMul(f.b(), complexOperand(f, inst, 0), complexOperand(f, inst, 1)));
}
void lowerCDiv(FunctionLowering &f, const ir::Inst &inst) {
  defineComplex(f, inst, complexDiv(f.b(), complexOperand(f, inst, 0), complexOperand(f, inst, 1)));
}
void lowerCNeg(FunctionLowering &f, const ir::Inst &inst) {
  Complex x = complexOperand(f, inst, 0);
  defineComplex(f, inst, {f.b().CreateFNeg(x.re), f.b().CreateFNeg(x.im)});
}
void lowerCMake(FunctionLowering &f, const ir::Inst &inst) { defineComplex(f, inst, {left(f, inst), right(f, inst)}); }
void lowerCReal(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, complexOperand(f, inst, 0).re); }
void lowerCImag(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, complexOperand(f, inst, 0).im); }

} // namespace naja::codegen
