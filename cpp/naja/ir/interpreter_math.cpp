// Functions of the math instruction: the C library's.
#include "naja/ir/interpreter_internal.h"

#include <cmath>
#include <complex>

namespace naja::ir::interpret {
namespace {

/// One row a function: what it computes in double and float, or on a complex number; null where it does not take them.
/// float32 is computed in float by the same C functions that compiled code calls.
struct Row {
  uint64_t (*of_double)(const Cells &args);
  uint64_t (*of_float)(const Cells &args);
  Cells (*of_complex)(std::complex<double> x, std::complex<double> y);
};

double x0(const Cells &c) { return toDouble(c[0]); }
double x1(const Cells &c) { return toDouble(c[1]); }
float y0(const Cells &c) { return toFloat(c[0]); }
float y1(const Cells &c) { return toFloat(c[1]); }
Cells pairOf(std::complex<double> z) { return {cellOf(z.real()), cellOf(z.imag())}; }

#define ONE(function) \
  [](const Cells &c) { return cellOf(static_cast<double>(function(x0(c)))); }, \
      [](const Cells &c) { return cellOf(static_cast<float>(function(y0(c)))); }
#define TWO(function) \
  [](const Cells &c) { return cellOf(static_cast<double>(function(x0(c), x1(c)))); }, \
      [](const Cells &c) { return cellOf(static_cast<float>(function(y0(c), y1(c)))); }
#define TEST(function) \
  [](const Cells &c) { return cellOf(function(x0(c))); }, [](const Cells &c) { return cellOf(function(y0(c))); }
#define COMPLEX(expression) [](std::complex<double> x, [[maybe_unused]] std::complex<double> y) { return pairOf(expression); }

bool isNan(double x) { return std::isnan(x); }
bool isInf(double x) { return std::isinf(x); }
bool isFinite(double x) { return std::isfinite(x); }
bool signBit(double x) { return std::signbit(x); }
/// NaN if either is; -0.0 below 0.0.
template <class R> R minimum(R a, R b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <class R> R maximum(R a, R b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <class R> R power(R base, int64_t exponent) { return std::pow(base, static_cast<R>(exponent)); }
/// By squaring; the library's way loses digits by going through logarithms.
std::complex<double> power(std::complex<double> base, int64_t exponent) {
  std::complex<double> result = 1.0;
  for (uint64_t n = exponent < 0 ? 0 - static_cast<uint64_t>(exponent) : static_cast<uint64_t>(exponent); n != 0; n >>= 1U) {
    result = (n & 1U) != 0 ? result * base : result;
    base *= base;
  }
  return exponent < 0 ? 1.0 / result : result;
}
template <class R> R scaled(R x, uint64_t exponent) { return std::ldexp(x, static_cast<int>(signExtend(exponent, 32))); }

constexpr Row kRows[] = {
    {ONE(std::sqrt), COMPLEX(std::sqrt(x))},
    {ONE(std::cbrt), nullptr},
    {ONE(std::exp), COMPLEX(std::exp(x))},
    {ONE(std::exp2), COMPLEX(std::pow(2.0, x))},
    {ONE(std::expm1), COMPLEX(std::exp(x) - 1.0)},
    {ONE(std::log), COMPLEX(std::log(x))},
    {ONE(std::log2), COMPLEX(std::log(x) / std::log(2.0))},
    {ONE(std::log10), COMPLEX(std::log10(x))},
    {ONE(std::log1p), COMPLEX(std::log(1.0 + x))},
    {ONE(std::sin), COMPLEX(std::sin(x))},
    {ONE(std::cos), COMPLEX(std::cos(x))},
    {ONE(std::tan), COMPLEX(std::tan(x))},
    {ONE(std::asin), COMPLEX(std::asin(x))},
    {ONE(std::acos), COMPLEX(std::acos(x))},
    {ONE(std::atan), COMPLEX(std::atan(x))},
    {ONE(std::sinh), COMPLEX(std::sinh(x))},
    {ONE(std::cosh), COMPLEX(std::cosh(x))},
    {ONE(std::tanh), COMPLEX(std::tanh(x))},
    {ONE(std::asinh), COMPLEX(std::asinh(x))},
    {ONE(std::acosh), COMPLEX(std::acosh(x))},
    {ONE(std::atanh), COMPLEX(std::atanh(x))},
    {ONE(std::erf), nullptr},
    {ONE(std::erfc), nullptr},
    {ONE(std::tgamma), nullptr},
    {ONE(std::lgamma), nullptr},
    {ONE(std::floor), nullptr},
    {ONE(std::ceil), nullptr},
    {ONE(std::trunc), nullptr},
    {ONE(std::rint), nullptr},
    {TWO(std::atan2), nullptr},
    {TWO(std::hypot), nullptr},
    {TWO(std::pow), COMPLEX(std::pow(x, y))},
    {[](const Cells &c) { return cellOf(power(x0(c), static_cast<int64_t>(c[1]))); },
     [](const Cells &c) { return cellOf(power(y0(c), static_cast<int64_t>(c[1]))); }, COMPLEX(power(x, static_cast<int64_t>(y.real())))},
    {TWO(std::copysign), nullptr},
    {TWO(std::nextafter), nullptr},
    {TWO(std::fmod), nullptr},
    {TWO(std::remainder), nullptr},
    {[](const Cells &c) { return cellOf(scaled(x0(c), c[1])); }, [](const Cells &c) { return cellOf(scaled(y0(c), c[1])); },
     nullptr},
    {TWO(minimum), nullptr},
    {TWO(maximum), nullptr},
    {TWO(std::fmin), nullptr},
    {TWO(std::fmax), nullptr},
    {[](const Cells &c) { return cellOf(std::fma(x0(c), x1(c), toDouble(c[2]))); },
     [](const Cells &c) { return cellOf(std::fma(y0(c), y1(c), toFloat(c[2]))); }, nullptr},
    {TEST(isNan), [](std::complex<double> x, std::complex<double>) { return Cells{cellOf(isNan(x.real()) || isNan(x.imag()))}; }},
    {TEST(isInf), [](std::complex<double> x, std::complex<double>) { return Cells{cellOf(isInf(x.real()) || isInf(x.imag()))}; }},
    {TEST(isFinite),
     [](std::complex<double> x, std::complex<double>) { return Cells{cellOf(isFinite(x.real()) && isFinite(x.imag()))}; }},
    {TEST(signBit), nullptr},
    {nullptr, nullptr, [](std::complex<double> x, std::complex<double>) { return Cells{cellOf(std::hypot(x.real(), x.imag()))}; }},
    {nullptr, nullptr, [](std::complex<double> x, std::complex<double>) { return Cells{cellOf(std::atan2(x.imag(), x.real()))}; }},
};
#undef ONE
#undef TWO
#undef TEST
#undef COMPLEX

constexpr size_t kMathFunctions = 0
#define NAJA_MATH(Enum, text, arity, real, complex) +1
#include "naja/ir/math_functions.def"
    ;
static_assert(std::size(kRows) == kMathFunctions, "a row per math function, in the order of math_functions.def");

/// Complex functions compute in double; complex64 is rounded once, as in compiled code.
Cells complexMath(const Row &row, Frame &frame, const Inst &inst, bool narrow) {
  auto part = [&](uint64_t cell) { return narrow ? toFloat(cell) : toDouble(cell); };
  const Cells &a = frame.cells(inst, 0);
  std::complex<double> x(part(a[0]), part(a[1])), y;
  if (inst.mathFn() == MathFn::PowInt)
    y = static_cast<double>(frame.integer(inst, 1));
  else if (inst.operands.size() > 1)
    y = {part(frame.cells(inst, 1)[0]), part(frame.cells(inst, 1)[1])};
  Cells result = row.of_complex(x, y);
  const Type &type = naja::typeOf(inst.type);
  if (narrow && type.kind != TypeKind::Bool) {
    for (uint64_t &cell : result)
      cell = cellOf(static_cast<float>(toDouble(cell)));
  }
  return result;
}

void math(Machine &machine, Frame &frame, const Inst &inst) {
  const Row &row = kRows[static_cast<size_t>(inst.mathFn())];
  const Type &type = frame.type(inst, 0);
  if (type.kind == TypeKind::Complex && row.of_complex != nullptr)
    return frame.define(inst, complexMath(row, frame, inst, type.bits == 64));
  auto *compute = type.bits == 32 ? row.of_float : row.of_double;
  if (type.kind != TypeKind::Float || compute == nullptr)
    return machine.complain("math " + std::string(text(inst.mathFn())) + " does not take its operand");
  Cells args;
  for (size_t i = 0; i < inst.operands.size(); ++i)
    args.push_back(frame.cell(inst, i));
  frame.define(inst, Cells{compute(args)});
}

} // namespace

void addMath(Handlers &handlers) { handlers[static_cast<size_t>(Opcode::Math)] = math; }

} // namespace naja::ir::interpret
