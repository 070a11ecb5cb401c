// Tables of opcodes and of the enumerations, from the .def files; the symbol table.
#include "naja/ir/inst.h"
#include "naja/support/interner.h"

#include <array>

namespace naja::ir {
namespace {

constexpr bool Yes = true, No = false;

constexpr std::array kOpcodes = {
#define NAJA_INST(Enum, text, operands, result, attr, effects)                                                         \
  OpcodeInfo{text, operands, result, false, std::string_view(text).starts_with("g."), AttrKind::attr,                  \
             static_cast<uint8_t>(effects)},
#define NAJA_TERM(Enum, text, operands, attr, effects)                                                                 \
  OpcodeInfo{text, operands, false, true, std::string_view(text).starts_with("g."), AttrKind::attr,                    \
             static_cast<uint8_t>(effects)},
#include "naja/ir/instructions.def"
};

constexpr std::array<std::string_view, 13> kBinary = {"+", "-", "*", "/", "//", "%", "**",
                                                      "@", "<<", ">>", "&", "|", "^"};
constexpr std::array<std::string_view, 4> kUnary = {"-", "+", "~", "not"};
constexpr std::array<std::string_view, 6> kPredicates = {"==", "!=", "<", "<=", ">", ">="};
constexpr std::array kMath = {
#define NAJA_MATH(Enum, text, arity, real, complex) std::string_view(text),
#include "naja/ir/math_functions.def"
};
constexpr std::array<std::string_view, 9> kReduce = {"sum", "prod", "min", "max", "any", "all", "and", "or", "xor"};

Interner<std::string, std::hash<std::string>> &symbols() {
  static auto *instance = new Interner<std::string, std::hash<std::string>>;
  return *instance;
}

} // namespace

const OpcodeInfo &info(Opcode op) { return kOpcodes[static_cast<size_t>(op)]; }

std::string_view text(BinaryOp op) { return kBinary[static_cast<size_t>(op)]; }
std::string_view text(UnaryOp op) { return kUnary[static_cast<size_t>(op)]; }
std::string_view text(Predicate p) { return kPredicates[static_cast<size_t>(p)]; }
std::string_view text(MathFn f) { return kMath[static_cast<size_t>(f)]; }
std::string_view text(ReduceKind k) { return kReduce[static_cast<size_t>(k)]; }

SymbolId internSymbol(std::string_view text) { return SymbolId(symbols().intern(std::string(text))); }
std::string_view symbolText(SymbolId id) { return symbols().get(id.value); }

} // namespace naja::ir
