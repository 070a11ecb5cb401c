#include "naja/typing/map_function.h"

#include "naja/library/elementwise.h"
#include "naja/typing/emitter.h"
#include "naja/typing/messages.h"

#include <fmt/format.h>

namespace naja::typing {
namespace {

/// One element: a call of the specialisation, from the kernel.
ir::ValueId emitElement(library::Emitter &e, const Specialisation &target, std::span<const ir::ValueId> args) {
  std::vector<ir::ValueId> converted;
  for (size_t i = 0; i < args.size(); ++i) converted.push_back(e.convert(args[i], target.arg_types[i]));
  ir::FunctionId function = static_cast<FunctionEmitter &>(e).functionOf(target); // every emitter of typing is one
  return e.builder().call(function, e.module().get(function).return_type, converted);
}

Specialisation *specialiseForElements(Step &step, const FunctionRef &function, const Arguments &arguments,
                                      size_t first) {
  const Body *body = bodyOf(step, function);
  if (body == nullptr) return nullptr;
  std::vector<TypeId> elements;
  for (size_t i = first; i < arguments.values.size(); ++i)
    elements.push_back(library::elementOf(arguments.values[i].known.type));
  return step.engine.specialise(step, *body, std::move(elements), body->options().flags, false, &function);
}

} // namespace

AbstractValue mapFunction(Step &step, const Arguments &arguments, bool into) {
  const size_t first = into ? 2 : 1; // of the operands
  std::vector<AbstractValue> known = arguments.known();
  if (known.size() <= first || typeOf(known[first - 1].type).kind != TypeKind::Function)
    return step.fail("map_function needs a compilable function and operands, not " + typeList(known, {}));
  library::Elementwise operation;
  for (size_t i = first; i < known.size(); ++i) {
    if (!library::isElementwiseOperand(known[i].type))
      return step.fail("an operand of a ufunc must be an array or a number, not " + toString(known[i].type));
    operation.operands.push_back({known[i].type, {}, false});
    operation.positions.push_back(i);
  }
  const auto &function = std::get<FunctionRef>(ConstantStore::global().get(known[first - 1].constant).value);
  Specialisation *target = specialiseForElements(step, function, arguments, first);
  if (target == nullptr) return {};
  const auto &slot = step.spec.plans[step.item_inst().value];
  const bool registered = slot && slot->callee == target;
  Plan &plan = step.plan();
  plan.callee = target;
  plan.by_rule = true;
  plan.sources = arguments.values;
  const TypeId element = (registered ? target->result : step.engine.resultOf(step, *target)).type;
  if (!element.valid()) return {};
  if (!typeOf(element).isScalar())
    return step.fail("the function of a ufunc must return a number, not " + toString(element));
  operation.name = fmt::format("map_function.{}", static_cast<const void *>(target));
  operation.result = element;
  operation.body = [target](library::Emitter &e, std::span<const ir::ValueId> args) {
    return emitElement(e, *target, args);
  };
  library::Resolution resolution = into ? library::resolveElementwiseInto(std::move(operation), known[0].type, 0)
                                        : library::resolveElementwise(std::move(operation));
  if (resolution.kind == library::Resolution::Error) return step.fail(resolution.message, {}, resolution.hint);
  step.emit() = std::move(resolution.emit);
  return resolution.result;
}

} // namespace naja::typing
