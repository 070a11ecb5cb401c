#include "naja/passes/parallel_arrays.h"

#include "naja/passes/scalar_constant.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

std::optional<Opcode> combiningOperation(const Inst &inst) {
  switch (inst.op) {
  case Opcode::IAdd: case Opcode::ISub: return Opcode::IAdd;
  case Opcode::FAdd: case Opcode::FSub: return Opcode::FAdd;
  case Opcode::FMul: case Opcode::FDiv: return Opcode::FMul;
  case Opcode::CAdd: case Opcode::CSub: return Opcode::CAdd;
  case Opcode::CMul: case Opcode::CDiv: return Opcode::CMul;
  case Opcode::IMul: case Opcode::IAnd: case Opcode::IOr: case Opcode::IXor: case Opcode::IMin: case Opcode::IMax: return inst.op;
  case Opcode::Math: {
    MathFn fn = inst.mathFn();
    bool extreme = fn == MathFn::Minimum || fn == MathFn::Maximum || fn == MathFn::Fmin || fn == MathFn::Fmax;
    return extreme ? std::optional(inst.op) : std::nullopt;
  }
  default: return {};
  }
}

bool needsValueFirst(Opcode op) {
  return op == Opcode::ISub || op == Opcode::FSub || op == Opcode::CSub || op == Opcode::FDiv || op == Opcode::CDiv;
}

bool isIdempotent(Opcode op) {
  return op == Opcode::IMin || op == Opcode::IMax || op == Opcode::IAnd || op == Opcode::IOr || op == Opcode::Math;
}

ValueId emitIdentity(Builder &b, Opcode op, TypeId type) {
  const bool product = op == Opcode::IMul || op == Opcode::FMul || op == Opcode::CMul;
  switch (typeOf(type).kind) {
  case TypeKind::Complex: {
    TypeId part = types().floating(typeOf(type).bits / 2U);
    ValueId real = b.floatConst(product ? 1.0 : -0.0, part);
    return b.emit(Opcode::CMake, type, {real, b.floatConst(product ? 0.0 : -0.0, part)});
  }
  case TypeKind::Float: return b.constant(constantOf(ScalarConstant::ofFloat(type, product ? 1.0 : -0.0)), type);
  case TypeKind::Bool: return b.constant(constantOf(ScalarConstant::ofBool(product)), type);
  default: return b.constant(constantOf(ScalarConstant::ofInt(type, product ? 1 : 0)), type);
  }
}

FunctionId makeKernel(Module &module, const Function &like, Opcode op, int64_t attr, TypeId element) {
  auto kernel = std::make_unique<Function>();
  kernel->name = "parallel.kernel." + std::to_string(module.functions.size());
  kernel->file = like.file;
  kernel->first_line = like.first_line;
  kernel->typed = kernel->is_kernel = true;
  kernel->flags = like.flags;
  kernel->return_type = element;
  BlockId entry = kernel->addBlock();
  std::vector<ValueId> operands;
  for (int i = 0; i < (op == Opcode::Cast ? 1 : 2); ++i) {
    kernel->param_names.push_back("p" + std::to_string(i));
    kernel->param_types.push_back(element);
    operands.push_back(kernel->addParam(entry, element));
  }
  Builder b(*kernel, entry);
  b.ret(op == Opcode::Cast ? operands[0] : b.emit(op, element, operands, attr));
  return module.add(std::move(kernel));
}

namespace {

/// The operation by which a kernel updates its parameter number `index`, if its result is an update of it.
std::optional<ArrayReduction> updateOf(const Function &kernel, size_t index) {
  if (kernel.numBlocks() == 0 || index >= kernel.param_types.size()) return {};
  const Block &block = kernel.block(kernel.entry());
  if (kernel.inst(block.insts.back()).op != Opcode::Return) return {};
  ArrayReduction result;
  bool any = false;
  ValueId value = block.params[index];
  while (true) {
    const Inst *use = nullptr;
    size_t position = 0, uses = 0;
    for (InstId id : block.insts) {
      const Inst &inst = kernel.inst(id);
      for (size_t i = 0; i < inst.operands.size(); ++i) {
        if (inst.operands[i] != value) continue;
        use = &inst;
        position = i;
        ++uses;
      }
    }
    if (uses != 1) return {};
    if (use->op == Opcode::Return) return any ? std::optional(result) : std::nullopt;
    auto op = combiningOperation(*use);
    int64_t attr = use->op == Opcode::Math ? use->attr : 0;
    if (!op || (needsValueFirst(use->op) && position != 0) || (any && (result.op != *op || result.attr != attr))) return {};
    result.op = *op;
    result.attr = attr;
    any = true;
    value = use->result;
  }
}

class Finder {
public:
  Finder(const Module &module, const Function &f, const MarkedLoop &loop, const Dominators &dominators)
      : module_(module), f_(f), loop_(loop), dominators_(dominators) {}

  std::vector<ArrayReduction> run() {
    for (BlockId block : loop_.order) {
      for (InstId id : f_.block(block).insts) look(f_.inst(id));
    }
    std::erase_if(found_, [&](const ArrayReduction &r) { return isSpoilt(r.array); });
    return std::move(found_);
  }

private:
  bool isOutside(ValueId value) const {
    BlockId home = dominators_.blockOf(value);
    return home.valid() && !loop_.inside[home.value];
  }
  bool isSpoilt(ValueId array) const { return std::ranges::find(spoilt_, array) != spoilt_.end(); }

  /// Every other use of an array than an update spoils it.
  void look(const Inst &inst) {
    bool updates = inst.op == Opcode::ArrayMapInto && update(inst);
    if (updates || inst.op == Opcode::ArrayDim || inst.op == Opcode::ArraySize) return;
    for (ValueId operand : inst.operands) spoil(operand);
    for (const Edge &edge : inst.edges) {
      for (ValueId argument : edge.args) spoil(argument);
    }
  }
  void spoil(ValueId value) {
    if (typeOf(f_.typeOf(value)).kind == TypeKind::Array) spoilt_.push_back(value);
  }

  bool update(const Inst &inst) {
    ValueId array = inst.operands[0];
    const Type &type = typeOf(f_.typeOf(array));
    if (!isOutside(array) || !typeOf(type.args[0]).isScalar() || type.ndim == 0) return false;
    std::optional<size_t> position;
    for (size_t i = 1; i < inst.operands.size(); ++i) {
      if (inst.operands[i] == array) {
        if (position) return false;
        position = i;
      } else {
        spoil(inst.operands[i]);
      }
    }
    if (!position) return false;
    auto update = updateOf(module_.get(inst.function()), *position - 1);
    if (!update) return false;
    update->array = array;
    for (const ArrayReduction &known : found_) {
      if (known.array == array) return known.op == update->op && known.attr == update->attr;
    }
    found_.push_back(*update);
    return true;
  }

  const Module &module_;
  const Function &f_;
  const MarkedLoop &loop_;
  const Dominators &dominators_;
  std::vector<ArrayReduction> found_;
  std::vector<ValueId> spoilt_;
};

} // namespace

std::vector<ArrayReduction> findArrayReductions(const Module &module, const Function &function, const MarkedLoop &loop,
                                                const Dominators &dominators) {
  return Finder(module, function, loop, dominators).run();
}

} // namespace naja::passes
