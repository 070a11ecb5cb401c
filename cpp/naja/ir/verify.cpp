// The invariants are listed in docs/architecture/ir.md.
#include "naja/ir/dominators.h"
#include "naja/ir/naming.h"
#include "naja/ir/type_rules.h"

#include <memory>
#include <optional>

namespace naja::ir {
namespace {

class Verifier {
public:
  Verifier(const Function &function, const Module *module) : f_(function), module_(module) {}

  std::vector<std::string> run() {
    if (f_.external)
      return errors_;
    if (f_.numBlocks() == 0) {
      errors_.push_back(f_.name + ": has no entry block");
      return errors_;
    }
    entry();
    for (uint32_t b = 0; b < f_.numBlocks(); ++b) {
      if (!f_.block(BlockId(b)).dead)
        block(BlockId(b));
    }
    // Dominance and types make sense only on a sound skeleton.
    if (!errors_.empty())
      return errors_;
    dominance();
    if (f_.typed)
      typing();
    return errors_;
  }

private:
  void complain(BlockId block, const Inst *inst, const std::string &text) {
    if (!naming_)
      naming_.emplace(f_);
    std::string where = f_.name + ": " + naming_->block(block) + ": ";
    if (inst != nullptr)
      where += (inst->result.valid() ? naming_->value(inst->result) + " = " : "") + std::string(info(inst->op).text) + ": ";
    errors_.push_back(where + text);
  }

  void entry() {
    if (f_.block(f_.entry()).dead)
      complain(f_.entry(), nullptr, "the entry block is dead");
    if (!f_.typed)
      return;
    const auto &params = f_.block(f_.entry()).params;
    if (params.size() != f_.param_types.size()) {
      complain(f_.entry(), nullptr, "the entry block has not one parameter per parameter of the function");
      return;
    }
    for (size_t i = 0; i < params.size(); ++i) {
      if (f_.typeOf(params[i]) != f_.param_types[i])
        complain(f_.entry(), nullptr, "parameter " + std::to_string(i) + " has not the function's parameter type");
    }
  }

  void block(BlockId id) {
    const Block &b = f_.block(id);
    if (b.insts.empty()) {
      complain(id, nullptr, "has no terminator");
      return;
    }
    for (size_t i = 0; i < b.params.size(); ++i) {
      const Value &param = f_.value(b.params[i]);
      if (param.inst.valid() || param.block != id || param.index != i)
        complain(id, nullptr, "parameter " + std::to_string(i) + " does not belong to the block");
    }
    for (size_t i = 0; i < b.insts.size(); ++i) {
      const Inst &inst = f_.inst(b.insts[i]);
      bool last = i + 1 == b.insts.size();
      if (info(inst.op).is_terminator != last)
        complain(id, &inst, last ? "the block does not end in a terminator" : "a terminator in the middle of a block");
      instruction(id, b.insts[i], inst);
    }
  }

  void instruction(BlockId id, InstId inst_id, const Inst &inst) {
    const OpcodeInfo &opcode = info(inst.op);
    if (opcode.operands != kAny && inst.operands.size() != static_cast<size_t>(opcode.operands))
      complain(id, &inst, "needs " + std::to_string(opcode.operands) + " operands, has " + std::to_string(inst.operands.size()));
    if (opcode.has_result != inst.result.valid())
      complain(id, &inst, opcode.has_result ? "has no result" : "has a result");
    else if (opcode.has_result && f_.value(inst.result).inst != inst_id)
      complain(id, &inst, "its result names another instruction");
    for (ValueId operand : inst.operands)
      exists(id, inst, operand);
    size_t wanted_edges = inst.op == Opcode::Br ? 1U : inst.op == Opcode::CondBr ? 2U : 0U;
    if (inst.edges.size() != wanted_edges)
      complain(id, &inst, "needs " + std::to_string(wanted_edges) + " edges, has " + std::to_string(inst.edges.size()));
    for (const Edge &edge : inst.edges)
      this->edge(id, inst, edge);
    if (inst.unwind.valid())
      unwind(id, inst);
    if (f_.typed && opcode.is_generic)
      complain(id, &inst, "an untyped instruction in typed NIR");
  }

  bool exists(BlockId id, const Inst &inst, ValueId value) {
    if (value.valid() && value.value < f_.numValues())
      return true;
    complain(id, &inst, "an operand does not exist");
    return false;
  }

  bool liveBlock(BlockId id) const { return id.valid() && id.value < f_.numBlocks() && !f_.block(id).dead; }

  void edge(BlockId id, const Inst &inst, const Edge &edge) {
    if (!liveBlock(edge.target)) {
      complain(id, &inst, "an edge to a block that does not exist");
      return;
    }
    if (edge.target == f_.entry())
      complain(id, &inst, "an edge to the entry block");
    const auto &params = f_.block(edge.target).params;
    if (params.size() != edge.args.size()) {
      complain(id, &inst, "an edge with " + std::to_string(edge.args.size()) + " arguments to a block of " +
                              std::to_string(params.size()) + " parameters");
      return;
    }
    for (size_t i = 0; i < params.size(); ++i) {
      if (exists(id, inst, edge.args[i]) && f_.typed && f_.typeOf(edge.args[i]) != f_.typeOf(params[i]))
        complain(id, &inst, "edge argument " + std::to_string(i) + " is " + toString(f_.typeOf(edge.args[i])) +
                                ", the parameter " + toString(f_.typeOf(params[i])));
    }
  }

  void unwind(BlockId id, const Inst &inst) {
    if ((info(inst.op).effects & MayRaise) == 0)
      complain(id, &inst, "cannot raise, but has an unwind block");
    if (!liveBlock(inst.unwind)) {
      complain(id, &inst, "unwinds to a block that does not exist");
      return;
    }
    const Block &target = f_.block(inst.unwind);
    if (!target.params.empty() || inst.unwind == f_.entry())
      complain(id, &inst, "unwinds to a block with parameters");
    if (!target.insts.empty() && f_.typed) {
      Opcode last = f_.inst(target.insts.back()).op;
      if (last != Opcode::Resume && last != Opcode::Raise && last != Opcode::Br)
        complain(inst.unwind, nullptr, "an unwind block that does not end in resume, raise or br");
    }
  }

  void dominance() {
    Dominators dominators(f_);
    for (BlockId id : dominators.order()) {
      const Block &b = f_.block(id);
      for (size_t i = 0; i < b.insts.size(); ++i) {
        const Inst &inst = f_.inst(b.insts[i]);
        for (ValueId operand : inst.operands)
          dominated(dominators, id, i, inst, operand);
        for (const Edge &edge : inst.edges) {
          for (ValueId arg : edge.args)
            dominated(dominators, id, i, inst, arg);
        }
      }
    }
  }

  void dominated(const Dominators &dominators, BlockId id, size_t position, const Inst &inst, ValueId value) {
    if (dominators.available(value, id, position))
      return;
    if (!naming_)
      naming_.emplace(f_);
    complain(id, &inst, naming_->value(value) + " does not dominate this use");
  }

  void typing() {
    for (uint32_t b = 0; b < f_.numBlocks(); ++b) {
      BlockId id(b);
      const Block &block = f_.block(id);
      if (block.dead)
        continue;
      for (ValueId param : block.params) {
        if (!f_.typeOf(param).valid())
          complain(id, nullptr, "a parameter without a type");
      }
      for (InstId inst_id : block.insts) {
        const Inst &inst = f_.inst(inst_id);
        if (inst.result.valid() && (!inst.type.valid() || f_.typeOf(inst.result) != inst.type))
          complain(id, &inst, "a result without a type, or with another one than the instruction says");
        else if (!operandsTyped(inst))
          complain(id, &inst, "an operand without a type");
        else if (std::string error = checkTypes(f_, inst, module_); !error.empty())
          complain(id, &inst, error);
      }
    }
  }

  bool operandsTyped(const Inst &inst) const {
    for (ValueId operand : inst.operands) {
      if (!f_.typeOf(operand).valid())
        return false;
    }
    return true;
  }

  const Function &f_;
  const Module *module_;
  std::optional<Naming> naming_;
  std::vector<std::string> errors_;
};

} // namespace

std::vector<std::string> verify(const Function &function, const Module *module) {
  return Verifier(function, module).run();
}

std::vector<std::string> verify(const Module &module) {
  std::vector<std::string> errors;
  if (module.root.value >= module.functions.size())
    errors.emplace_back("the module has no root");
  for (const auto &function : module.functions) {
    auto found = verify(*function, &module);
    errors.insert(errors.end(), found.begin(), found.end());
  }
  return errors;
}

} // namespace naja::ir
