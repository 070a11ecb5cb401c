// The operator module: every function is the operator it is named after.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {

using namespace ir;

namespace {

std::optional<Resolution> wrongCount(const Query &q, size_t wanted) {
  if (q.operands.size() == wanted && q.keywords.empty()) return {};
  return Resolution::error(
      fmt::format("expected {} argument{}, got {}", wanted, wanted == 1 ? "" : "s", q.operands.size()));
}

template <BinaryOp Op, bool Inplace> Resolution binary(const Query &q) {
  auto wrong = wrongCount(q, 2);
  return wrong ? std::move(*wrong) : Table::global().resolveBinary(Op, Inplace, q);
}
template <UnaryOp Op> Resolution unary(const Query &q) {
  auto wrong = wrongCount(q, 1);
  return wrong ? std::move(*wrong) : Table::global().resolveUnary(Op, q);
}
template <Predicate P> Resolution compare(const Query &q) {
  auto wrong = wrongCount(q, 2);
  return wrong ? std::move(*wrong) : Table::global().resolveCompare(P, q);
}
Resolution truth(const Query &q) {
  auto wrong = wrongCount(q, 1);
  return wrong ? std::move(*wrong) : Table::global().resolveTruth(q);
}

Resolution negated(Resolution r) {
  if (r.kind != Resolution::Resolved) return r;
  if (auto known = constantBool(r.result)) return boolResolution(!*known);
  return Resolution::resolved(types().boolean, [emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
    return emitNot(e, emit(e, args));
  });
}

Resolution notRule(const Query &q) { return negated(truth(q)); }
Resolution isRule(const Query &q) {
  auto wrong = wrongCount(q, 2);
  return wrong ? std::move(*wrong) : Table::global().resolveIs(q);
}
Resolution isNotRule(const Query &q) { return negated(isRule(q)); }
Resolution getItem(const Query &q) {
  auto wrong = wrongCount(q, 2);
  return wrong ? std::move(*wrong) : Table::global().resolveGetItem(q);
}
Resolution setItem(const Query &q) {
  auto wrong = wrongCount(q, 3);
  return wrong ? std::move(*wrong) : Table::global().resolveSetItem(q);
}
/// operator.contains(container, item): the other way round than `in`.
Resolution contains(const Query &q) {
  if (auto wrong = wrongCount(q, 2)) return std::move(*wrong);
  AbstractValue swapped[] = {q.operands[1], q.operands[0]};
  Resolution r = Table::global().resolveContains({swapped, {}, q.flags});
  if (r.kind == Resolution::Resolved && !r.result.constant.valid())
    r.emit = [emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
      ValueId values[] = {args[1], args[0]};
      return emit(e, values);
    };
  return r;
}
Resolution absRule(const Query &q) { return Table::global().resolveCall("builtins.abs", q); }

template <BinaryOp Op> void addBinary(Table &table, std::string_view name, std::string_view inplace) {
  table.call(fmt::format("operator.{}", name), binary<Op, false>);
  table.call(fmt::format("operator.{}", inplace), binary<Op, true>);
}

} // namespace

void registerOperatorModule(Table &table) {
  addBinary<BinaryOp::Add>(table, "add", "iadd");
  addBinary<BinaryOp::Sub>(table, "sub", "isub");
  addBinary<BinaryOp::Mul>(table, "mul", "imul");
  addBinary<BinaryOp::TrueDiv>(table, "truediv", "itruediv");
  addBinary<BinaryOp::FloorDiv>(table, "floordiv", "ifloordiv");
  addBinary<BinaryOp::Mod>(table, "mod", "imod");
  addBinary<BinaryOp::Pow>(table, "pow", "ipow");
  addBinary<BinaryOp::MatMul>(table, "matmul", "imatmul");
  addBinary<BinaryOp::LShift>(table, "lshift", "ilshift");
  addBinary<BinaryOp::RShift>(table, "rshift", "irshift");
  addBinary<BinaryOp::And>(table, "and_", "iand");
  addBinary<BinaryOp::Or>(table, "or_", "ior");
  addBinary<BinaryOp::Xor>(table, "xor", "ixor");
  table.call("operator.neg", unary<UnaryOp::Neg>);
  table.call("operator.pos", unary<UnaryOp::Pos>);
  for (std::string_view name : {"operator.invert", "operator.inv"}) table.call(name, unary<UnaryOp::Invert>);
  table.call("operator.eq", compare<Predicate::Eq>);
  table.call("operator.ne", compare<Predicate::Ne>);
  table.call("operator.lt", compare<Predicate::Lt>);
  table.call("operator.le", compare<Predicate::Le>);
  table.call("operator.gt", compare<Predicate::Gt>);
  table.call("operator.ge", compare<Predicate::Ge>);
  table.call("operator.truth", truth);
  table.call("operator.not_", notRule);
  table.call("operator.is_", isRule);
  table.call("operator.is_not", isNotRule);
  table.call("operator.getitem", getItem);
  table.call("operator.setitem", setItem);
  table.call("operator.contains", contains);
  table.call("operator.concat", binary<BinaryOp::Add, false>);
  table.call("operator.abs", absRule);
}

} // namespace naja::library
