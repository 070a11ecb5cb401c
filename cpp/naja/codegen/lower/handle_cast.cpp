// Conversions between types: cast, bitcast, select.
#include "naja/codegen/lower/handlers.h"
#include "naja/codegen/target_info.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <cmath>

namespace naja::codegen {
namespace {

bool isSignedInt(const Type &type) { return type.kind == TypeKind::Int && type.is_signed; }

llvm::Value *halfToFloat(llvm::IRBuilder<> &b, llvm::Value *bits, llvm::Type *to) {
  return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), to);
}
llvm::Value *floatToHalf(llvm::IRBuilder<> &b, llvm::Value *value) {
  return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
}

/// Truncates toward zero and saturates; NaN gives 0. What is out of range is rare, and repaired out of line: the usual
/// cost is one comparison.
llvm::Value *floatToInt(FunctionLowering &f, llvm::Value *value, llvm::Type *to, bool is_signed) {
  auto &b = f.b();
  llvm::Type *from = value->getType();
  const unsigned bits = to->getIntegerBitWidth();
  llvm::IRBuilder<>::FastMathFlagGuard guard(b);
  b.clearFastMathFlags();
  const double limit = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  llvm::Value *in_range = b.CreateFCmpOLT(is_signed ? b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value) : value,
                                          llvm::ConstantFP::get(from, limit));
  if (!is_signed) in_range = b.CreateAnd(in_range, b.CreateFCmpOGT(value, llvm::ConstantFP::get(from, -1.0)));
  // Poison out of range, where the other value is taken.
  llvm::Value *usual = is_signed ? b.CreateFPToSI(value, to) : b.CreateFPToUI(value, to);
  return f.unlikelyValue(b.CreateNot(in_range), usual, [&] {
    llvm::Value *zero = llvm::ConstantFP::get(from, 0.0);
    llvm::Constant *highest = llvm::ConstantInt::get(to, is_signed ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
    llvm::Constant *lowest = llvm::ConstantInt::get(to, is_signed ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits));
    llvm::Value *low = b.CreateSelect(b.CreateFCmpOLT(value, zero), lowest, llvm::ConstantInt::get(to, 0));
    return b.CreateSelect(b.CreateFCmpOGT(value, zero), highest, low);
  });
}

llvm::Value *toBool(llvm::IRBuilder<> &b, ScalarRef from, const Type &type) {
  auto nonZero = [&](llvm::Value *x) -> llvm::Value * {
    if (x->getType()->isFloatingPointTy()) return b.CreateFCmpUNE(x, llvm::ConstantFP::get(x->getType(), 0.0));
    if (x->getType()->isIntegerTy(1)) return x;
    return b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
  };
  if (isHalf(type))
    return b.CreateICmpNE(b.CreateAnd(from[0], llvm::ConstantInt::get(from[0]->getType(), 0x7fff)),
                          llvm::Constant::getNullValue(from[0]->getType()));
  llvm::Value *result = nonZero(from[0]);
  for (llvm::Value *part : from.drop_front()) result = b.CreateOr(result, nonZero(part));
  return result;
}

/// A real number (bool, int, float; complex gives its real part) as LLVM float of type `to`.
llvm::Value *toFloat(llvm::IRBuilder<> &b, llvm::Value *value, const Type &from, llvm::Type *to) {
  if (isHalf(from)) return halfToFloat(b, value, to);
  if (value->getType()->isFloatingPointTy()) return b.CreateFPCast(value, to);
  return isSignedInt(from) ? b.CreateSIToFP(value, to) : b.CreateUIToFP(value, to);
}

/// The same for the index of a store on x86-64, where the instruction gives the lowest integer for whatever is out of range: one test of
/// the sign, which indexing needs anyway, covers it. Loops that index by it do not vectorise, so that an instruction that
/// only exists for scalars is no loss.
llvm::Value *floatToIndex(FunctionLowering &f, llvm::Value *value) {
  auto &b = f.b();
  llvm::Type *from = value->getType();
  const bool narrow = from->isFloatTy();
  llvm::Value *vector = b.CreateInsertElement(llvm::PoisonValue::get(llvm::FixedVectorType::get(from, narrow ? 4 : 2)), value, uint64_t{0});
  llvm::Value *usual =
      b.CreateIntrinsic(b.getInt64Ty(), narrow ? llvm::Intrinsic::x86_sse_cvttss2si64 : llvm::Intrinsic::x86_sse2_cvttsd2si64, {vector});
  return f.unlikelyValue(b.CreateICmpSLT(usual, f.i64(0)), usual, [&] {
    llvm::IRBuilder<>::FastMathFlagGuard guard(b);
    b.clearFastMathFlags();
    llvm::Value *limit = llvm::ConstantFP::get(from, 0x1p63);
    // The lowest integer is right for what is below, and for nothing else that is not an integer.
    llvm::Value *fixed = b.CreateSelect(b.CreateFCmpOGE(value, limit), f.i64(INT64_MAX), usual);
    return b.CreateSelect(b.CreateFCmpUNO(value, value), f.i64(0), fixed);
  });
}

Scalars castNumber(FunctionLowering &f, ScalarRef from, const Type &source, const Type &target, const TypeInfo &info) {
  auto &b = f.b();
  switch (target.kind) {
  case TypeKind::Bool: return {toBool(b, from, source)};
  case TypeKind::Int: {
    if (source.kind == TypeKind::Float || source.kind == TypeKind::Complex) {
      llvm::Value *value = isHalf(source) ? halfToFloat(b, from[0], b.getFloatTy()) : from[0];
      return {floatToInt(f, value, info.ssa[0], target.is_signed)};
    }
    return {isSignedInt(source) ? b.CreateSExtOrTrunc(from[0], info.ssa[0]) : b.CreateZExtOrTrunc(from[0], info.ssa[0])};
  }
  case TypeKind::Float:
    if (target.bits == 16) {
      llvm::Type *via = source.bits == 64 || source.kind == TypeKind::Complex ? b.getDoubleTy() : b.getFloatTy();
      return {floatToHalf(b, toFloat(b, from[0], source, via))};
    }
    return {toFloat(b, from[0], source, info.ssa[0])};
  default: // complex
    if (source.kind == TypeKind::Complex)
      return {b.CreateFPCast(from[0], info.ssa[0]), b.CreateFPCast(from[1], info.ssa[0])};
    return {toFloat(b, from[0], source, info.ssa[0]), llvm::ConstantFP::get(info.ssa[0], 0.0)};
  }
}

Scalars castArray(FunctionLowering &f, ScalarRef from, const Type &source, const Type &target) {
  Scalars result(from.begin(), from.end());
  if (target.layout != Layout::A || source.layout == Layout::A) {
    result.resize(kArrayDims + target.ndim + (target.layout == Layout::A ? target.ndim : 0U));
    return result;
  }
  llvm::SmallVector<llvm::Value *, 8> strides(source.ndim);
  llvm::Value *stride = f.i64(itemSize(source.args[0]));
  for (unsigned i = 0; i < source.ndim; ++i) {
    const unsigned axis = source.layout == Layout::F ? i : source.ndim - 1U - i;
    strides[axis] = stride;
    if (i + 1U < source.ndim) stride = f.b().CreateMul(stride, from[kArrayDims + axis], "", false, true);
  }
  result.append(strides.begin(), strides.end());
  return result;
}

bool isOptionalLike(const Type &type) { return type.kind == TypeKind::Optional || type.kind == TypeKind::MaybeUnbound; }

Scalars castToOptional(FunctionLowering &f, ScalarRef from, TypeId source_id, TypeId target_id) {
  const Type &source = naja::typeOf(source_id), &target = naja::typeOf(target_id);
  if (target.args.empty()) return {};
  const bool absent = target.kind == TypeKind::Optional ? source.kind == TypeKind::None
                                                        : source.kind == TypeKind::MaybeUnbound && source.args.empty();
  if (absent) return f.zeros(target_id);
  Scalars result;
  ScalarRef payload = from;
  TypeId payload_type = source_id;
  if (source.kind == target.kind) {
    result.push_back(from[0]);
    payload = from.drop_front();
    payload_type = source.args[0];
  } else {
    result.push_back(f.b().getTrue());
  }
  Scalars inner = f.cast(payload, payload_type, target.args[0]);
  result.append(inner.begin(), inner.end());
  return result;
}

Scalars castItems(FunctionLowering &f, ScalarRef from, const Type &source, const Type &target) {
  Scalars result;
  size_t at = 0;
  for (size_t i = 0; i < target.args.size(); ++i) {
    const size_t count = f.typeInfo(source.args[i]).size();
    Scalars item = f.cast(from.slice(at, count), source.args[i], target.args[i]);
    result.append(item.begin(), item.end());
    at += count;
  }
  return result;
}

} // namespace

Scalars FunctionLowering::cast(ScalarRef from, TypeId source_id, TypeId target_id) {
  if (source_id == target_id) return Scalars(from.begin(), from.end());
  const Type &source = naja::typeOf(source_id), &target = naja::typeOf(target_id);
  if (isOptionalLike(target)) return castToOptional(*this, from, source_id, target_id);
  // The payload of one that is known to be there.
  if (isOptionalLike(source) && !source.args.empty()) return cast(from.drop_front(), source.args[0], target_id);
  if (source.constant != 0xffffffffU && (source.kind == TypeKind::Omitted || source.kind == TypeKind::Literal))
    return constantScalars(ConstId(source.constant), target_id);
  if (source.isScalar() && target.isScalar()) return castNumber(*this, from, source, target, typeInfo(target_id));
  if (source.kind == TypeKind::Array && target.kind == TypeKind::Array) return castArray(*this, from, source, target);
  // Bytes as an array of uint8: data, length, owner.
  if (source.kind == TypeKind::Bytes && target.kind == TypeKind::Array) return {from[2], from[0], from[1]};
  if (source.args.size() == target.args.size() && !source.args.empty() && source.kind == target.kind &&
      (source.kind == TypeKind::Tuple || source.kind == TypeKind::Iterator || source.kind == TypeKind::Closure))
    return castItems(*this, from, source, target);
  if (source.kind == TypeKind::Range && target.kind == TypeKind::Range) {
    Scalars result;
    for (llvm::Value *part : from) result.push_back(cast(ScalarRef(part), source.args[0], target.args[0])[0]);
    return result;
  }
  // Same scalars (slices, pointers, functions ...).
  const TypeInfo &info = typeInfo(target_id);
  bool same = from.size() == info.size();
  for (size_t i = 0; same && i < info.size(); ++i) same = from[i]->getType() == info.ssa[i];
  if (same) return Scalars(from.begin(), from.end());
  if (info.size() == 0) return {};
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = "no conversion from " + toString(source_id) + " to " + toString(target_id);
  module_.fail(std::move(diagnostic));
  return zeros(target_id);
}

llvm::Value *floatOperand(FunctionLowering &f, ir::ValueId id) {
  llvm::Value *value = f.scalar(id);
  return isHalf(naja::typeOf(f.typeOf(id))) ? halfToFloat(f.b(), value, f.b().getFloatTy()) : value;
}

void defineFloat(FunctionLowering &f, const ir::Inst &inst, llvm::Value *value) {
  const bool narrow = isHalf(naja::typeOf(inst.type)) && value->getType()->isFloatingPointTy();
  f.define(inst, narrow ? floatToHalf(f.b(), value) : value);
}

void lowerCast(FunctionLowering &f, const ir::Inst &inst) {
  if (inst.type == naja::types().int64 && f.module().target().hasTruncatingConversion() &&
      f.typeInfo(f.typeOf(inst.operands[0])).size() == 1 && f.scalar(inst.operands[0])->getType()->isFloatingPointTy() &&
      f.feedsStoreIndex(inst.result))
    return f.define(inst, floatToIndex(f, f.scalar(inst.operands[0])));
  f.define(inst, f.cast(f.value(inst.operands[0]), f.typeOf(inst.operands[0]), inst.type));
}

void lowerBitcast(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, f.b().CreateBitCast(f.scalar(inst.operands[0]), f.typeInfo(inst.type).ssa[0]));
}

void lowerSelect(FunctionLowering &f, const ir::Inst &inst) {
  llvm::Value *condition = f.scalar(inst.operands[0]);
  ScalarRef then = f.value(inst.operands[1]), otherwise = f.value(inst.operands[2]);
  Scalars result;
  for (size_t i = 0; i < then.size(); ++i) result.push_back(f.b().CreateSelect(condition, then[i], otherwise[i]));
  f.define(inst, result);
}

} // namespace naja::codegen
