// Strings: constants, +, *, truth, len, bool and comparison of known ones (see comparisons.cpp for ==).
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

namespace naja::library {

using namespace ir;

namespace {

Resolution binary(BinaryOp op, bool, const Query &q) {
  auto a = constantString(q.operands[0]), b = constantString(q.operands[1]);
  if (op == BinaryOp::Add && a && b) return stringResolution(std::string(*a) + std::string(*b));
  constexpr int64_t kLongest = 1 << 20;
  auto times = a ? constantInt(q.operands[1]) : constantInt(q.operands[0]);
  if (op != BinaryOp::Mul || !(a || b) || !times) return {};
  std::string_view text = a ? *a : *b;
  if (*times > 0 && static_cast<int64_t>(text.size()) > kLongest / *times) return {};
  std::string repeated;
  for (int64_t i = 0; i < *times; ++i) repeated += text;
  return stringResolution(repeated);
}

Resolution truth(const Query &q) {
  if (auto text = constantString(q.operands[0])) return boolResolution(!text->empty());
  return Resolution::resolved(types().boolean, [](Emitter &e, std::span<const ValueId> args) {
    return emitTruth(e, e.builder().emit(Opcode::StringLen, types().int64, {args[0]}));
  });
}

/// 'a' in 'abc' of constants.
Resolution contains(const Query &q) {
  auto item = constantString(q.operands[0]), text = constantString(q.operands[1]);
  return item && text ? boolResolution(text->find(*item) != std::string_view::npos) : Resolution{};
}

/// str(s) of a string is itself.
Resolution strRule(const Query &q) {
  if (q.operands.empty()) return stringResolution("");
  if (q.operands.size() != 1 || kindOf(q.operands[0].type) != TypeKind::String) return {};
  if (auto text = constantString(q.operands[0])) return stringResolution(*text);
  return Resolution::resolved(types().unicode, [](Emitter &, std::span<const ValueId> args) { return args[0]; });
}

} // namespace

void registerStrings(Table &table) {
  table.binary(binary);
  table.truth(TypeKind::String, truth);
  table.contains(TypeKind::String, contains);
  table.call("builtins.str", strRule);
}

} // namespace naja::library
