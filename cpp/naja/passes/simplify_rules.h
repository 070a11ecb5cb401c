// Local rewriting of one instruction: to a value that exists, or in place to a simpler instruction. Part of simplify.
#pragma once

#include "naja/ir/function.h"
#include "naja/passes/scalar_constant.h"

#include <functional>
#include <optional>

namespace naja::passes {

/// What rules may ask and do.
class RuleContext {
public:
  explicit RuleContext(ir::Function &function) : f(function) {}
  virtual ~RuleContext() = default;
  virtual ir::ValueId constant(const ScalarConstant &scalar) = 0;

  const ir::Inst *def(ir::ValueId value) const { return f.def(value); }
  /// The definition where it has this opcode.
  const ir::Inst *def(ir::ValueId value, ir::Opcode op) const {
    const ir::Inst *inst = f.def(value);
    return inst != nullptr && inst->op == op ? inst : nullptr;
  }
  std::optional<ScalarConstant> scalar(ir::ValueId value) const {
    const ir::Inst *inst = f.def(value);
    return inst != nullptr && inst->op == ir::Opcode::Const ? scalarOf(*inst) : std::nullopt;
  }
  ir::ValueId integer(TypeId type, int64_t value) { return constant(ScalarConstant::ofInt(type, value)); }
  ir::ValueId boolean(bool value) { return constant(ScalarConstant::ofBool(value)); }

  ir::Function &f;
};

struct Rewrite {
  enum Kind { None, Value, InPlace, Remove } kind = None;
  ir::ValueId value;
  static Rewrite none() { return {}; }
  static Rewrite to(ir::ValueId value) { return {Value, value}; }
  static Rewrite inPlace() { return {InPlace, {}}; }
  static Rewrite remove() { return {Remove, {}}; } // an instruction without result that does nothing
};

Rewrite rewrite(RuleContext &context, ir::Inst &inst);

} // namespace naja::passes
