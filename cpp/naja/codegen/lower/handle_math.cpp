// Functions of the `math` instruction: LLVM intrinsics where the machine or LLVM has the operation, otherwise libm (whose
// vector forms the loop vectoriser takes), and formulas for complex numbers that libm lacks.
#include "naja/codegen/lower/complex.h"
#include "naja/codegen/lower/handlers.h"

#include <llvm/IR/Intrinsics.h>

#include <array>
#include <numbers>

namespace naja::codegen {
namespace {

using Args = Scalars; // the scalars of all operands, in order
using MathHandler = Scalars (*)(FunctionLowering &f, const ir::Inst &inst, const Args &args);

bool isF32(llvm::Value *value) { return value->getType()->isFloatTy(); }

Scalars one(llvm::Value *value) { return Scalars{value}; }

template <llvm::Intrinsic::ID Id> Scalars intrinsic(FunctionLowering &f, const ir::Inst &, const Args &args) {
  return one(f.b().CreateIntrinsic(Id, {args[0]->getType()}, llvm::ArrayRef<llvm::Value *>(args)));
}

template <size_t N> struct Name {
  char text[N];
  constexpr Name(const char (&source)[N]) { std::copy_n(source, N, text); }
};
template <Name Function> Scalars library(FunctionLowering &f, const ir::Inst &, const Args &args) {
  std::string name = Function.text;
  if (isF32(args[0])) name += 'f';
  return one(f.module().callMath(f.b(), name, args));
}

llvm::Value *call(FunctionLowering &f, const char *name, llvm::ArrayRef<llvm::Value *> args) {
  return f.module().callMath(f.b(), std::string(name) + (isF32(args[0]) ? "f" : ""), args);
}
llvm::Constant *number(llvm::Value *like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

/// libm's complex functions, always in double: passing two floats in one register is an ABI of its own, and the result is
/// rounded once.
Complex complexCall(FunctionLowering &f, const char *name, llvm::ArrayRef<Complex> args) {
  auto &b = f.b();
  const bool narrow = isF32(args[0].re);
  auto *f64 = b.getDoubleTy();
  llvm::SmallVector<llvm::Value *, 4> parts;
  for (Complex arg : args)
    for (llvm::Value *part : {arg.re, arg.im}) parts.push_back(narrow ? b.CreateFPExt(part, f64) : part);
  llvm::SmallVector<llvm::Type *, 4> types(parts.size(), f64);
  auto *type = llvm::FunctionType::get(llvm::StructType::get(f64, f64), types, false);
  llvm::Value *result = b.CreateCall(f.module().runtime(name, type, RuntimeEffect::Pure), parts);
  Complex value{b.CreateExtractValue(result, 0), b.CreateExtractValue(result, 1)};
  if (narrow) value = {b.CreateFPTrunc(value.re, b.getFloatTy()), b.CreateFPTrunc(value.im, b.getFloatTy())};
  return value;
}

Scalars pair(Complex value) { return Scalars{value.re, value.im}; }
Complex first(const Args &args) { return {args[0], args[1]}; }

template <Name Function> Scalars complexLibrary(FunctionLowering &f, const ir::Inst &, const Args &args) {
  llvm::SmallVector<Complex, 2> operands;
  for (size_t i = 0; i + 1 < args.size(); i += 2) operands.push_back({args[i], args[i + 1]});
  return pair(complexCall(f, Function.text, operands));
}

Complex scale(FunctionLowering &f, Complex z, double factor) {
  return {f.b().CreateFMul(z.re, number(z.re, factor)), f.b().CreateFMul(z.im, number(z.im, factor))};
}
Scalars complexExp2(FunctionLowering &f, const ir::Inst &, const Args &args) {
  return pair(complexCall(f, "cexp", scale(f, first(args), std::numbers::ln2)));
}
Scalars complexLog2(FunctionLowering &f, const ir::Inst &, const Args &args) {
  return pair(scale(f, complexCall(f, "clog", first(args)), std::numbers::log2e));
}
Scalars complexLog10(FunctionLowering &f, const ir::Inst &, const Args &args) {
  return pair(scale(f, complexCall(f, "clog", first(args)), std::numbers::log10e));
}
Scalars complexLog1p(FunctionLowering &f, const ir::Inst &, const Args &args) {
  llvm::Value *re = f.b().CreateFAdd(args[0], number(args[0], 1.0));
  return pair({call(f, "log", {call(f, "hypot", {re, args[1]})}), call(f, "atan2", {args[1], re})});
}
Scalars complexExpm1(FunctionLowering &f, const ir::Inst &, const Args &args) {
  auto &b = f.b();
  llvm::Value *half_sine = call(f, "sin", {b.CreateFMul(args[1], number(args[1], 0.5))});
  llvm::Value *real = b.CreateFSub(b.CreateFMul(call(f, "expm1", {args[0]}), call(f, "cos", {args[1]})),
                                   b.CreateFMul(number(args[0], 2.0), b.CreateFMul(half_sine, half_sine)));
  return pair({real, b.CreateFMul(call(f, "exp", {args[0]}), call(f, "sin", {args[1]}))});
}

// Exponents up to here multiply out within 4 ulp.
constexpr int64_t kMaxMultipliedOut = 8;

/// The small constant exponent of powi, or nothing.
std::optional<int64_t> smallExponent(llvm::Value *exponent) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(exponent);
  if (!constant || constant->getBitWidth() > 64) return std::nullopt;
  const int64_t value = constant->getSExtValue();
  if (value < -kMaxMultipliedOut || value > kMaxMultipliedOut) return std::nullopt;
  return value;
}

template <class Value, class Mul> Value powerBySquaring(Value base, uint64_t exponent, Value unit, Mul mul) {
  std::optional<Value> result;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result ? mul(*result, base) : base;
    if (exponent > 1) base = mul(base, base);
  }
  return result ? *result : unit;
}

Scalars realPowInt(FunctionLowering &f, const ir::Inst &inst, const Args &args) {
  auto &b = f.b();
  if (auto exponent = smallExponent(args[1])) {
    auto mul = [&](llvm::Value *x, llvm::Value *y) { return b.CreateFMul(x, y); };
    llvm::Value *unit = number(args[0], 1.0);
    llvm::Value *power = powerBySquaring<llvm::Value *>(args[0], static_cast<uint64_t>(std::abs(*exponent)), unit, mul);
    return one(*exponent < 0 ? b.CreateFDiv(unit, power) : power);
  }
  const Type &type = naja::typeOf(f.typeOf(inst.operands[1]));
  llvm::Value *exponent = type.is_signed ? b.CreateSIToFP(args[1], args[0]->getType()) : b.CreateUIToFP(args[1], args[0]->getType());
  return one(call(f, "pow", {args[0], exponent}));
}

Scalars complexPowInt(FunctionLowering &f, const ir::Inst &, const Args &args) {
  auto &b = f.b();
  Complex base{args[0], args[1]};
  Complex unit{number(args[0], 1.0), number(args[0], 0.0)};
  if (auto exponent = smallExponent(args[2])) {
    auto mul = [&](Complex x, Complex y) { return complexMul(b, x, y); };
    Complex power = powerBySquaring<Complex>(base, static_cast<uint64_t>(std::abs(*exponent)), unit, mul);
    return pair(*exponent < 0 ? complexDiv(b, unit, power) : power);
  }
  Complex exponent{b.CreateSIToFP(args[2], args[0]->getType()), number(args[0], 0.0)};
  return pair(complexCall(f, "cpow", {base, exponent}));
}

/// Which numbers a test is true of, decided on the bits: what fast-math assumes of a float does not reach them. `freeze`
/// keeps an operation that assumes no NaN from turning one into poison.
llvm::Value *magnitudeBits(FunctionLowering &f, llvm::Value *x) {
  auto &b = f.b();
  const unsigned bits = x->getType()->getPrimitiveSizeInBits();
  llvm::Value *as_int = b.CreateBitCast(b.CreateFreeze(x), b.getIntNTy(bits));
  return b.CreateAnd(as_int, llvm::ConstantInt::get(as_int->getType(), llvm::APInt::getSignedMaxValue(bits)));
}
llvm::Constant *infinityBits(llvm::Value *bits) {
  const uint64_t infinity = bits->getType()->isIntegerTy(32) ? 0x7f800000ULL : 0x7ff0000000000000ULL;
  return llvm::ConstantInt::get(bits->getType(), infinity);
}
bool assumesFinite(FunctionLowering &f) { return (f.nir().flags.fastmath & (ir::kNNan | ir::kNInf)) != 0; }

llvm::Value *isNan(FunctionLowering &f, llvm::Value *x) {
  if (!assumesFinite(f)) return f.b().CreateFCmpUNO(x, x);
  llvm::Value *bits = magnitudeBits(f, x);
  return f.b().CreateICmpUGT(bits, infinityBits(bits));
}
llvm::Value *isInf(FunctionLowering &f, llvm::Value *x) {
  if (!assumesFinite(f)) return f.b().CreateFCmpOEQ(floatAbs(f.b(), x), llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value *bits = magnitudeBits(f, x);
  return f.b().CreateICmpEQ(bits, infinityBits(bits));
}
llvm::Value *isFinite(FunctionLowering &f, llvm::Value *x) {
  if (!assumesFinite(f)) return f.b().CreateFCmpONE(floatAbs(f.b(), x), llvm::ConstantFP::getInfinity(x->getType()));
  llvm::Value *bits = magnitudeBits(f, x);
  return f.b().CreateICmpULT(bits, infinityBits(bits));
}

using FloatTest = llvm::Value *(*)(FunctionLowering &, llvm::Value *);
template <FloatTest Test> Scalars anyPart(FunctionLowering &f, const ir::Inst &, const Args &args) {
  llvm::Value *result = Test(f, args[0]);
  return one(args.size() == 1 ? result : f.b().CreateOr(result, Test(f, args[1])));
}
template <FloatTest Test> Scalars allParts(FunctionLowering &f, const ir::Inst &, const Args &args) {
  llvm::Value *result = Test(f, args[0]);
  return one(args.size() == 1 ? result : f.b().CreateAnd(result, Test(f, args[1])));
}

Scalars signBit(FunctionLowering &f, const ir::Inst &, const Args &args) {
  auto &b = f.b();
  llvm::Value *bits = b.CreateBitCast(args[0], b.getIntNTy(args[0]->getType()->getPrimitiveSizeInBits()));
  return one(b.CreateICmpSLT(bits, llvm::ConstantInt::get(bits->getType(), 0)));
}
Scalars fmodOf(FunctionLowering &f, const ir::Inst &, const Args &args) { return one(f.b().CreateFRem(args[0], args[1])); }

Scalars ldexpOf(FunctionLowering &f, const ir::Inst &inst, const Args &args) {
  auto &b = f.b();
  llvm::Value *exponent = args[1];
  // An exponent beyond int32 saturates: the result is 0 or infinity all the same.
  if (exponent->getType()->getIntegerBitWidth() > 32) {
    auto *type = exponent->getType();
    exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, exponent, llvm::ConstantInt::get(type, INT32_MAX));
    exponent = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, exponent, llvm::ConstantInt::getSigned(type, INT32_MIN));
  }
  exponent = b.CreateSExtOrTrunc(exponent, b.getInt32Ty());
  auto *type = llvm::FunctionType::get(args[0]->getType(), {args[0]->getType(), b.getInt32Ty()}, false);
  return one(b.CreateCall(f.module().runtime(isF32(args[0]) ? "ldexpf" : "ldexp", type, RuntimeEffect::Pure),
                          {args[0], exponent}));
}

Scalars phase(FunctionLowering &f, const ir::Inst &, const Args &args) { return one(call(f, "atan2", {args[1], args[0]})); }
Scalars modulus(FunctionLowering &f, const ir::Inst &, const Args &args) { return one(call(f, "hypot", {args[0], args[1]})); }

Scalars unsupported(FunctionLowering &f, const ir::Inst &inst, const Args &) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = "math function " + std::string(ir::text(inst.mathFn())) + " does not take this operand type";
  f.module().fail(std::move(diagnostic));
  return f.zeros(inst.type);
}

struct Row {
  ir::MathFn function;
  MathHandler real, complex;
};
using M = ir::MathFn;
namespace I = llvm::Intrinsic;
constexpr Row kRows[] = {
    {M::Sqrt, intrinsic<I::sqrt>, complexLibrary<"csqrt">},
    {M::Cbrt, library<"cbrt">, unsupported},
    {M::Exp, library<"exp">, complexLibrary<"cexp">},
    {M::Exp2, library<"exp2">, complexExp2},
    {M::Expm1, library<"expm1">, complexExpm1},
    {M::Log, library<"log">, complexLibrary<"clog">},
    {M::Log2, library<"log2">, complexLog2},
    {M::Log10, library<"log10">, complexLog10},
    {M::Log1p, library<"log1p">, complexLog1p},
    {M::Sin, library<"sin">, complexLibrary<"csin">},
    {M::Cos, library<"cos">, complexLibrary<"ccos">},
    {M::Tan, library<"tan">, complexLibrary<"ctan">},
    {M::Asin, library<"asin">, complexLibrary<"casin">},
    {M::Acos, library<"acos">, complexLibrary<"cacos">},
    {M::Atan, library<"atan">, complexLibrary<"catan">},
    {M::Sinh, library<"sinh">, complexLibrary<"csinh">},
    {M::Cosh, library<"cosh">, complexLibrary<"ccosh">},
    {M::Tanh, library<"tanh">, complexLibrary<"ctanh">},
    {M::Asinh, library<"asinh">, complexLibrary<"casinh">},
    {M::Acosh, library<"acosh">, complexLibrary<"cacosh">},
    {M::Atanh, library<"atanh">, complexLibrary<"catanh">},
    {M::Erf, library<"erf">, unsupported},
    {M::Erfc, library<"erfc">, unsupported},
    {M::Gamma, library<"tgamma">, unsupported},
    {M::Lgamma, library<"lgamma">, unsupported},
    {M::Floor, intrinsic<I::floor>, unsupported},
    {M::Ceil, intrinsic<I::ceil>, unsupported},
    {M::Trunc, intrinsic<I::trunc>, unsupported},
    {M::Rint, intrinsic<I::rint>, unsupported},
    {M::Atan2, library<"atan2">, unsupported},
    {M::Hypot, library<"hypot">, unsupported},
    {M::Pow, library<"pow">, complexLibrary<"cpow">},
    {M::PowInt, realPowInt, complexPowInt},
    {M::CopySign, intrinsic<I::copysign>, unsupported},
    {M::NextAfter, library<"nextafter">, unsupported},
    {M::Fmod, fmodOf, unsupported},
    {M::Remainder, library<"remainder">, unsupported},
    {M::Ldexp, ldexpOf, unsupported},
    {M::Minimum, intrinsic<I::minimum>, unsupported},
    {M::Maximum, intrinsic<I::maximum>, unsupported},
    {M::Fmin, intrinsic<I::minnum>, unsupported},
    {M::Fmax, intrinsic<I::maxnum>, unsupported},
    {M::Fma, intrinsic<I::fma>, unsupported},
    {M::IsNan, anyPart<isNan>, anyPart<isNan>},
    {M::IsInf, anyPart<isInf>, anyPart<isInf>},
    {M::IsFinite, allParts<isFinite>, allParts<isFinite>},
    {M::SignBit, signBit, unsupported},
    {M::Abs, unsupported, modulus},
    {M::Phase, unsupported, phase},
};

constexpr size_t kMathFunctions = 0
#define NAJA_MATH(Enum, text, arity, real, complex) +1
#include "naja/ir/math_functions.def"
    ;

constexpr bool inOrder() {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<size_t>(kRows[i].function) != i) return false;
  return std::size(kRows) == kMathFunctions;
}
static_assert(inOrder(), "a row per math function, in the order of math_functions.def");

} // namespace

void lowerMath(FunctionLowering &f, const ir::Inst &inst) {
  const Row &row = kRows[static_cast<size_t>(inst.mathFn())];
  Args args;
  for (ir::ValueId operand : inst.operands) {
    ScalarRef scalars = f.value(operand);
    if (scalars.size() == 1)
      args.push_back(floatOperand(f, operand));
    else
      args.append(scalars.begin(), scalars.end());
  }
  const bool is_complex = naja::typeOf(f.typeOf(inst.operands[0])).kind == TypeKind::Complex;
  Scalars result = (is_complex ? row.complex : row.real)(f, inst, args);
  if (result.size() == 1)
    defineFloat(f, inst, result[0]);
  else
    f.define(inst, result);
}

} // namespace naja::codegen
