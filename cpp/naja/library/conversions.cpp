// Calls of number classes: int float complex bool, numpy.float32 ..., and of any other class(T) value.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace naja::library {

using namespace ir;

namespace {

Resolution convertTo(TypeId to, const AbstractValue &a, unsigned position, bool weak) {
  if (auto folded = convertConstant(a, to, weak)) return Resolution::constantValue(*folded, weak || isBool(to));
  return Resolution::resolved(to, [to, a, position](Emitter &e, std::span<const ValueId> args) {
    return emitConvert(e, emitOperand(e, a, args[position]), to);
  });
}

Resolution zeroOf(TypeId to, bool weak) {
  AbstractValue zero{types().int64, ConstantStore::global().ofInt(0), true};
  return convertTo(to, zero, 0, weak);
}

bool tooMany(const Query &q, size_t most) { return q.operands.size() > most || !q.keywords.empty(); }

/// A rule for an array of no dimensions in place of its item, as NumPy has it: int(a) is int(a.item()).
Resolution ofItem(const Query &q, size_t position, CallRule rule) {
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  Resolution item = Table::global().resolveMethod(operands[position].type, "item",
                                                  Query{std::span(&operands[position], 1), {}, q.flags});
  if (item.kind != Resolution::Resolved) return {};
  operands[position] = item.result;
  Resolution r = rule(Query{operands, q.keywords, q.flags, q.name});
  if (r.kind != Resolution::Resolved) return r;
  return Resolution::resolved(r.result.type, [position, item = std::move(item.emit), emit = std::move(r.emit)](
                                                 Emitter &e, std::span<const ValueId> args) {
    std::vector<ValueId> values(args.begin(), args.end());
    values[position] = item(e, std::span(&args[position], 1));
    return emit(e, values);
  });
}

bool isZeroDimensional(const AbstractValue &a) {
  const Type &type = typeOf(a.type);
  return type.kind == TypeKind::Array && type.ndim == 0;
}

// ---- int

std::string_view stripped(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  size_t first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Resolution intOfText(std::string_view literal) {
  std::string_view text = stripped(literal);
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty())
    return Resolution::error(fmt::format("invalid literal for int() with base 10: '{}'", literal));
  return intResolution(value);
}

Resolution intRule(const Query &q) {
  if (q.operands.empty()) return intResolution(0);
  const AbstractValue &a = q.operands[0];
  if (tooMany(q, 1))
    return kindOf(a.type) == TypeKind::String ? Resolution{}
                                              : Resolution::error("int() can't convert non-string with explicit base");
  if (auto text = constantString(a)) return intOfText(*text);
  if (isZeroDimensional(a)) return ofItem(q, 0, intRule);
  if (!isReal(a.type))
    return isComplex(a.type) ? Resolution::error("int() argument must be a string or a real number, not complex")
                             : Resolution{};
  TypeId to = isInt(a.type) ? a.type : types().int64;
  if (auto d = constantFloat(a); d && isFloat(a.type) && !(std::fabs(*d) < 9.2e18))
    return Resolution::resolved(to, [a, to](Emitter &e, std::span<const ValueId> args) {
      return emitConvert(e, emitOperand(e, a, args[0]), to); // saturates; not a literal
    });
  return convertTo(to, a, 0, a.weak || isBool(a.type));
}

// ---- float

Resolution floatOfText(std::string_view literal) {
  std::string text(stripped(literal));
  char *end = nullptr;
  bool hex = text.find_first_of("xX") != std::string::npos;
  double value = text.empty() || hex ? 0 : std::strtod(text.c_str(), &end);
  if (text.empty() || hex || end != text.c_str() + text.size())
    return Resolution::error(fmt::format("could not convert string to float: '{}'", literal));
  return Resolution::constantValue(ConstantStore::global().ofFloat(value), true);
}

Resolution floatRule(const Query &q) {
  if (q.operands.empty()) return Resolution::constantValue(ConstantStore::global().ofFloat(0.0), true);
  if (tooMany(q, 1))
    return Resolution::error(fmt::format("float expected at most 1 argument, got {}", q.operands.size()));
  const AbstractValue &a = q.operands[0];
  if (auto text = constantString(a)) return floatOfText(*text);
  if (isZeroDimensional(a)) return ofItem(q, 0, floatRule);
  if (!isReal(a.type))
    return isComplex(a.type) ? Resolution::error("float() argument must be a string or a real number, not complex")
                             : Resolution{};
  return convertTo(mathType(a.type), a, 0, a.weak || isBool(a.type));
}

// ---- complex

/// complex(re, im); where a part is complex itself: re + im * 1j.
ValueId emitComplex(Emitter &e, TypeId type, ValueId re, ValueId im) {
  Builder &b = e.builder();
  TypeId part = realPart(type);
  if (!isComplex(valueType(e, re)) && !isComplex(valueType(e, im)))
    return b.emit(Opcode::CMake, type, {emitConvert(e, re, part), emitConvert(e, im, part)});
  re = emitConvert(e, re, type);
  im = emitConvert(e, im, type);
  auto get = [&](Opcode op, ValueId v) { return b.emit(op, part, {v}); };
  ValueId real = b.emit(Opcode::FSub, part, {get(Opcode::CReal, re), get(Opcode::CImag, im)});
  ValueId imaginary = b.emit(Opcode::FAdd, part, {get(Opcode::CImag, re), get(Opcode::CReal, im)});
  return b.emit(Opcode::CMake, type, {real, imaginary});
}

Resolution complexRule(const Query &q) {
  BoundArguments bound = bindArguments("complex", "real=, imag=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  int re = bound.operand[0], im = bound.operand[1];
  for (int i : {re, im})
    if (i >= 0 && isZeroDimensional(q.operands[static_cast<size_t>(i)]))
      return ofItem(q, static_cast<size_t>(i), complexRule);
  for (int i : {re, im})
    if (i >= 0 && !isScalar(q.operands[static_cast<size_t>(i)].type)) return {};
  if (re < 0 && im < 0) return zeroOf(types().complex128, true);
  const AbstractValue &first = q.operands[static_cast<size_t>(re < 0 ? im : re)];
  if (im < 0)
    return convertTo(isComplex(first.type) ? types().complex128 : complexFor(first.type), first,
                     static_cast<unsigned>(re), first.weak || isBool(first.type));
  AbstractValue zero{types().int64, ConstantStore::global().ofInt(0), true};
  AbstractValue a = re < 0 ? zero : q.operands[static_cast<size_t>(re)], b = q.operands[static_cast<size_t>(im)];
  TypeId common = arithmeticType(a, b), type = complexFor(common);
  if (auto x = constantFloat(a), y = constantFloat(b); x && y && a.weak && b.weak)
    return Resolution::constantValue(
        ConstantStore::global().intern({std::complex<double>(*x, *y), types().complex128, true}), true);
  return Resolution::resolved(type, [a, b, re, im, type](Emitter &e, std::span<const ValueId> args) {
    ValueId x = emitOperand(e, a, re < 0 ? ValueId{} : args[static_cast<size_t>(re)]);
    return emitComplex(e, type, x, emitOperand(e, b, args[static_cast<size_t>(im)]));
  });
}

// ---- bool

Resolution boolRule(const Query &q) {
  if (q.operands.empty()) return boolResolution(false);
  if (tooMany(q, 1))
    return Resolution::error(fmt::format("bool expected at most 1 argument, got {}", q.operands.size()));
  return Table::global().resolveTruth(q);
}

/// Calling a number class; operand 0 is the class.
Resolution callNumberClass(const Query &q) {
  TypeId to = typeOf(q.operands[0].type).args[0];
  if (q.operands.size() == 1) return zeroOf(to, false);
  const AbstractValue &a = q.operands[1];
  if (tooMany(q, 2)) return Resolution::error(fmt::format("{} takes one argument", toString(q.operands[0].type)));
  if (isZeroDimensional(a)) return ofItem(q, 1, callNumberClass);
  if (isBool(to)) {
    if (auto folded = isScalar(a.type) ? foldTruth(a) : std::nullopt) return std::move(*folded);
    if (!isScalar(a.type)) return {};
    return convertTo(to, a, 1, false);
  }
  if (auto text = constantString(a)) {
    Resolution number = isFloat(to) ? floatOfText(*text) : isInt(to) ? intOfText(*text) : Resolution{};
    return number.kind == Resolution::Resolved ? convertTo(to, number.result, 1, false) : number;
  }
  if (!isScalar(a.type)) return {};
  if (isComplex(a.type) && !isComplex(to))
    return Resolution::error(fmt::format("a complex number does not convert to {}", toString(to)),
                             "take its real part first: x.real");
  return convertTo(to, a, 1, false);
}

} // namespace

void registerConversions(Table &table) {
  table.call("builtins.int", intRule);
  table.call("builtins.float", floatRule);
  table.call("builtins.complex", complexRule);
  table.call("builtins.bool", boolRule);
  table.callValue(TypeKind::NumberClass, callNumberClass);
}

} // namespace naja::library
