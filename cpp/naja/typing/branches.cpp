// Transfer functions of control flow: which edges are executable, results, raises, variables that may be unassigned.
#include "naja/typing/messages.h"
#include "naja/typing/operations.h"

#include <algorithm>

namespace naja::typing {

AbstractValue transferBranch(Step &step) {
  step.engine.reach(step.spec, step.spec.body.items()[step.item].block, 0);
  return {};
}

AbstractValue transferCondBranch(Step &step) {
  const AbstractValue &condition = step.operand(0);
  if (condition.isBottom()) return {};
  auto truth = truthOf(step, condition);
  if (!truth) return {};
  ir::BlockId block = step.spec.body.items()[step.item].block;
  if (truth->value.constant.valid()) {
    bool taken = std::get<bool>(ConstantStore::global().get(truth->value.constant).value);
    step.engine.reach(step.spec, block, taken ? 0 : 1);
    return {};
  }
  step.emit() = std::move(truth->emit);
  step.engine.reach(step.spec, block, 0);
  step.engine.reach(step.spec, block, 1);
  return {};
}

AbstractValue transferReturn(Step &step) {
  Specialisation &spec = step.spec;
  auto place = std::lower_bound(spec.returns.begin(), spec.returns.end(), step.item);
  if (place == spec.returns.end() || *place != step.item) spec.returns.insert(place, step.item);
  const AbstractValue &value = step.operand(0);
  if (value.isBottom()) return {};
  if (spec.declared_return) {
    if (!convertible(value.type, *spec.declared_return))
      return step.fail("No conversion from " + toString(value.type) + " to " + toString(*spec.declared_return) +
                           " for the result of " + spec.body.signature().name,
                       toString(value.type), "the signature declares " + toString(*spec.declared_return));
    return {};
  }
  if (spec.result_is_default || !spec.errors.empty() || spec.result != (spec.literal ? value : widen(value)))
    step.engine.updateResult(spec);
  return {};
}

AbstractValue transferStop(Step &) { return {}; }

AbstractValue transferGenericRaise(Step &step) {
  if (step.inst.operands.empty()) return {}; // outside of a handler: RuntimeError when reached
  const AbstractValue &what = step.operand(0);
  if (what.isBottom()) return {};
  TypeKind kind = typeOf(what.type).kind;
  if (kind != TypeKind::ExceptionClass && kind != TypeKind::ExceptionInstance)
    return step.fail("exceptions must derive from BaseException, not " + toString(what.type));
  return {};
}

AbstractValue transferCheckBound(Step &step) {
  const AbstractValue &value = step.operand(0);
  if (value.isBottom()) return {};
  ir::BlockId block = step.spec.body.items()[step.item].block;
  if (value.type == types().unbound) {
    step.engine.cutAfter(step.spec, step.item); // always raises
    return {};
  }
  step.engine.uncut(step.spec, block, step.item);
  const Type &type = typeOf(value.type);
  return type.kind == TypeKind::MaybeUnbound ? canonical({type.args[0], {}, false}) : value;
}

} // namespace naja::typing
