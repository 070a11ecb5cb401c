// Emits rules into a function of their own, without typing: operands are the function's parameters or constants.
#pragma once

#include "naja/library/emit_helpers.h"

#include <memory>
#include <string>
#include <vector>

namespace naja::library::testing {

class FakeEmitter final : public Emitter {
public:
  FakeEmitter() : function_(std::make_unique<ir::Function>()), builder_(*function_) {
    function_->name = "f";
    function_->typed = true;
    builder_.setBlock(function_->addBlock());
  }
  ir::Builder &builder() override { return builder_; }
  ir::Module &module() override { return module_; }
  const ir::FunctionFlags &flags() const override { return function_->flags; }
  ir::BlockId newBlock() override { return function_->addBlock(); }
  ir::ValueId convert(ir::ValueId value, TypeId to) override { return builder_.cast(value, to); }
  ir::FunctionId kernel(const std::string &, std::span<const TypeId>, TypeId,
                        const std::function<ir::ValueId(Emitter &, std::span<const ir::ValueId>)> &) override {
    return {};
  }
  ir::ValueId param(TypeId type) {
    function_->param_types.push_back(type);
    function_->param_names.push_back("p" + std::to_string(function_->param_types.size()));
    return function_->addParam(function_->entry(), type);
  }
  ir::Function &function() { return *function_; }

private:
  std::unique_ptr<ir::Function> function_;
  ir::Module module_;
  ir::Builder builder_;
};

inline AbstractValue value(TypeId type) { return {type, {}, false}; }
inline AbstractValue constant(ConstId id) {
  const Constant &c = ConstantStore::global().get(id);
  return {c.type, id, c.weak};
}
inline AbstractValue literal(int64_t v) { return constant(ConstantStore::global().ofInt(v)); }
inline AbstractValue literal(int v) { return literal(static_cast<int64_t>(v)); }
inline AbstractValue literal(double v) { return constant(ConstantStore::global().ofFloat(v)); }
inline AbstractValue literal(bool v) { return constant(ConstantStore::global().ofBool(v)); }
inline AbstractValue literal(const char *v) { return constant(ConstantStore::global().ofString(v)); }

/// What became of a rule: the constant's text, "error: ...", "no match", or the text of the emitted function, verified.
struct Emitted {
  std::string text;
  std::vector<std::string> violations;
  size_t instructions = 0; // without constants and the return
  TypeId type;
};

inline Emitted emitted(Resolution r, std::span<const AbstractValue> operands, ir::FunctionFlags flags = {}) {
  if (r.kind == Resolution::NoMatch) return {"no match", {}, 0, {}};
  if (r.kind == Resolution::Error) return {"error: " + r.message, {}, 0, {}};
  if (r.kind == Resolution::CallFunction) return {"calls " + r.library_function, {}, 0, {}};
  if (r.kind == Resolution::NeedsPython) return {"asks for " + r.request_attribute, {}, 0, {}};
  if (r.result.constant.valid()) return {toString(r.result.constant), {}, 0, r.result.type};
  FakeEmitter e;
  e.function().flags = flags;
  std::vector<ir::ValueId> args;
  for (const AbstractValue &operand : operands)
    args.push_back(operand.constant.valid() ? ir::ValueId{} : e.param(operand.type));
  ir::ValueId result = r.emit(e, args);
  if (!result.valid()) result = e.builder().noneConst();
  e.function().return_type = r.result.type;
  e.builder().ret(result);
  Emitted out{ir::print(e.function()), ir::verify(e.function()), 0, r.result.type};
  for (size_t i = 0; i < e.function().numInsts(); ++i)
    out.instructions += e.function().inst(ir::InstId(static_cast<uint32_t>(i))).op != ir::Opcode::Const;
  --out.instructions;
  return out;
}

} // namespace naja::library::testing
