// Integers and bools. They wrap; Python's sign rules for // and %; shifts are defined for every amount.
#include "naja/codegen/lower/handlers.h"

#include <llvm/IR/Intrinsics.h>

namespace naja::codegen {
namespace {

bool isSigned(FunctionLowering &f, ir::ValueId id) {
  const Type &type = naja::typeOf(f.typeOf(id));
  return type.kind == TypeKind::Int && type.is_signed;
}

struct Pair {
  llvm::Value *a, *b;
};
Pair operands(FunctionLowering &f, const ir::Inst &inst) { return {f.scalar(inst.operands[0]), f.scalar(inst.operands[1])}; }

llvm::Constant *constantOf(llvm::Type *type, uint64_t value) { return llvm::ConstantInt::get(type, value); }

/// The amount of a shift where it is a constant.
const llvm::ConstantInt *constantInt(llvm::Value *value) { return llvm::dyn_cast<llvm::ConstantInt>(value); }

llvm::Value *signMask(FunctionLowering &f, llvm::Value *value) {
  return f.b().CreateAShr(value, constantOf(value->getType(), value->getType()->getIntegerBitWidth() - 1));
}

/// floor(a / d) for a positive constant: complementing negative dividends turns floor into truncation of a value that is
/// not negative, for which division by a constant is a multiplication and a shift.
llvm::Value *floorDivPositiveConstant(FunctionLowering &f, llvm::Value *a, llvm::Value *d) {
  if (const llvm::APInt &value = constantInt(d)->getValue(); value.isPowerOf2())
    return f.b().CreateAShr(a, constantOf(a->getType(), value.logBase2()));
  llvm::Value *sign = signMask(f, a);
  llvm::Value *quotient = f.b().CreateUDiv(f.b().CreateXor(a, sign), d);
  return f.b().CreateXor(quotient, sign);
}

/// The hardware traps on MIN / -1: divided by 1 instead, which gives the same wrapped quotient and remainder.
llvm::Value *divisorWithoutOverflow(FunctionLowering &f, llvm::Value *a, llvm::Value *d) {
  const unsigned bits = a->getType()->getIntegerBitWidth();
  if (const auto *constant = constantInt(d); constant && !constant->isMinusOne()) return d;
  if (const auto *constant = constantInt(a); constant && !constant->getValue().isMinSignedValue()) return d;
  llvm::Value *is_min = f.b().CreateICmpEQ(a, llvm::ConstantInt::get(a->getType(), llvm::APInt::getSignedMinValue(bits)));
  llvm::Value *is_minus_one = f.b().CreateICmpEQ(d, llvm::Constant::getAllOnesValue(d->getType()));
  return f.b().CreateSelect(f.b().CreateAnd(is_min, is_minus_one), constantOf(d->getType(), 1), d);
}

/// remainder != 0 and its sign differs from the divisor's.
llvm::Value *needsFloorStep(FunctionLowering &f, llvm::Value *remainder, llvm::Value *d) {
  llvm::Value *differs = f.b().CreateICmpSLT(f.b().CreateXor(remainder, d), constantOf(d->getType(), 0));
  return f.b().CreateAnd(f.b().CreateICmpNE(remainder, constantOf(d->getType(), 0)), differs);
}

bool isPositiveConstant(llvm::Value *value) {
  const auto *constant = constantInt(value);
  return constant && constant->getValue().isStrictlyPositive();
}

void lowerMinMax(FunctionLowering &f, const ir::Inst &inst, llvm::Intrinsic::ID of_signed, llvm::Intrinsic::ID of_unsigned) {
  auto [a, b] = operands(f, inst);
  f.define(inst, f.b().CreateBinaryIntrinsic(isSigned(f, inst.operands[0]) ? of_signed : of_unsigned, a, b));
}

/// `a + constant`, one addition where `a` is itself such a sum: addresses that differ by a constant look alike to the passes
/// that find repeated loads, also around a loop's back edge (`a[k - 1]` of this iteration and of the one before).
llvm::Value *addConstant(llvm::IRBuilder<> &b, llvm::Value *a, llvm::APInt constant, bool nuw, bool nsw) {
  auto *inner = llvm::dyn_cast<llvm::BinaryOperator>(a);
  if (inner && inner->getOpcode() == llvm::Instruction::Add) {
    if (const auto *known = constantInt(inner->getOperand(1))) {
      bool signed_overflow = false, unsigned_overflow = false;
      const llvm::APInt sum = known->getValue().sadd_ov(constant, signed_overflow);
      static_cast<void>(known->getValue().uadd_ov(constant, unsigned_overflow));
      nsw = nsw && inner->hasNoSignedWrap() && !signed_overflow && known->isNegative() == constant.isNegative();
      nuw = nuw && inner->hasNoUnsignedWrap() && !unsigned_overflow;
      a = inner->getOperand(0);
      constant = sum;
    }
  }
  return b.CreateAdd(a, llvm::ConstantInt::get(a->getType(), constant), "", nuw, nsw);
}

} // namespace

void lowerIAdd(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  const bool nuw = (inst.attr & ir::kNoWrapUnsigned) != 0, nsw = (inst.attr & ir::kNoWrapSigned) != 0;
  const auto *constant = constantInt(b);
  f.define(inst, constant ? addConstant(f.b(), a, constant->getValue(), nuw, nsw) : f.b().CreateAdd(a, b, "", nuw, nsw));
}
void lowerISub(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  const bool nuw = (inst.attr & ir::kNoWrapUnsigned) != 0, nsw = (inst.attr & ir::kNoWrapSigned) != 0;
  if (const auto *constant = constantInt(b); constant && !constant->getValue().isMinSignedValue())
    f.define(inst, addConstant(f.b(), a, -constant->getValue(), false, nsw));
  else
    f.define(inst, f.b().CreateSub(a, b, "", nuw, nsw));
}
void lowerIMul(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  f.define(inst, f.b().CreateMul(a, b, "", (inst.attr & ir::kNoWrapUnsigned) != 0, (inst.attr & ir::kNoWrapSigned) != 0));
}

void lowerIFloorDiv(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, d] = operands(f, inst);
  if (!isSigned(f, inst.operands[0])) return f.define(inst, f.b().CreateUDiv(a, d));
  if (isPositiveConstant(d)) return f.define(inst, floorDivPositiveConstant(f, a, d));
  llvm::Value *divisor = divisorWithoutOverflow(f, a, d);
  llvm::Value *quotient = f.b().CreateSDiv(a, divisor), *remainder = f.b().CreateSRem(a, divisor);
  llvm::Value *step = f.b().CreateSExt(needsFloorStep(f, remainder, d), a->getType());
  f.define(inst, f.b().CreateAdd(quotient, step));
}

void lowerIMod(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, d] = operands(f, inst);
  if (!isSigned(f, inst.operands[0])) return f.define(inst, f.b().CreateURem(a, d));
  if (isPositiveConstant(d)) {
    const llvm::APInt &value = constantInt(d)->getValue();
    if (value.isPowerOf2()) return f.define(inst, f.b().CreateAnd(a, llvm::ConstantInt::get(a->getType(), value - 1)));
    return f.define(inst, f.b().CreateSub(a, f.b().CreateMul(floorDivPositiveConstant(f, a, d), d)));
  }
  llvm::Value *remainder = f.b().CreateSRem(a, divisorWithoutOverflow(f, a, d));
  llvm::Value *shifted = f.b().CreateAdd(remainder, d);
  f.define(inst, f.b().CreateSelect(needsFloorStep(f, remainder, d), shifted, remainder));
}

void lowerIAnd(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  f.define(inst, f.b().CreateAnd(a, b));
}
void lowerIOr(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  f.define(inst, f.b().CreateOr(a, b));
}
void lowerIXor(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, b] = operands(f, inst);
  f.define(inst, f.b().CreateXor(a, b));
}
void lowerINot(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.b().CreateNot(f.scalar(inst.operands[0]))); }
void lowerINeg(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.b().CreateNeg(f.scalar(inst.operands[0]))); }

void lowerIAbs(FunctionLowering &f, const ir::Inst &inst) {
  llvm::Value *value = f.scalar(inst.operands[0]);
  if (!isSigned(f, inst.operands[0])) return f.define(inst, value);
  f.define(inst, f.b().CreateBinaryIntrinsic(llvm::Intrinsic::abs, value, f.b().getFalse()));
}

void lowerIShl(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, amount] = operands(f, inst);
  const unsigned bits = a->getType()->getIntegerBitWidth();
  if (const auto *constant = constantInt(amount))
    return f.define(inst, constant->getValue().ult(bits) ? f.b().CreateShl(a, amount) : constantOf(a->getType(), 0));
  // As unsigned, a negative amount is a large one. The shift may be poison, the selected value is not.
  llvm::Value *in_range = f.b().CreateICmpULT(amount, constantOf(amount->getType(), bits));
  f.define(inst, f.b().CreateSelect(in_range, f.b().CreateShl(a, amount), constantOf(a->getType(), 0)));
}

void lowerIShr(FunctionLowering &f, const ir::Inst &inst) {
  auto [a, amount] = operands(f, inst);
  const unsigned bits = a->getType()->getIntegerBitWidth();
  if (isSigned(f, inst.operands[0])) {
    llvm::Value *clamped =
        f.b().CreateBinaryIntrinsic(llvm::Intrinsic::umin, amount, constantOf(amount->getType(), bits - 1));
    return f.define(inst, f.b().CreateAShr(a, clamped));
  }
  if (const auto *constant = constantInt(amount))
    return f.define(inst, constant->getValue().ult(bits) ? f.b().CreateLShr(a, amount) : constantOf(a->getType(), 0));
  llvm::Value *in_range = f.b().CreateICmpULT(amount, constantOf(amount->getType(), bits));
  f.define(inst, f.b().CreateSelect(in_range, f.b().CreateLShr(a, amount), constantOf(a->getType(), 0)));
}

void lowerIMin(FunctionLowering &f, const ir::Inst &inst) { lowerMinMax(f, inst, llvm::Intrinsic::smin, llvm::Intrinsic::umin); }
void lowerIMax(FunctionLowering &f, const ir::Inst &inst) { lowerMinMax(f, inst, llvm::Intrinsic::smax, llvm::Intrinsic::umax); }

void lowerICmp(FunctionLowering &f, const ir::Inst &inst) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kSigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P kUnsigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  auto [a, b] = operands(f, inst);
  const auto index = static_cast<size_t>(inst.predicate());
  f.define(inst, f.b().CreateICmp(isSigned(f, inst.operands[0]) ? kSigned[index] : kUnsigned[index], a, b));
}

} // namespace naja::codegen
