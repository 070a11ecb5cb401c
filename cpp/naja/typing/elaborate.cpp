#include "naja/typing/elaborate.h"

#include "naja/library/emit_helpers.h"
#include "naja/typing/emitter.h"

#include <array>

namespace naja::typing {
namespace {

using ir::BlockId;
using ir::Opcode;
using ir::ValueId;

class Elaborator final : public FunctionEmitter {
public:
  Elaborator(ModuleBuilder &module, ir::Function &out, const Specialisation &spec)
      : FunctionEmitter(module, out), spec_(spec), in_(spec.body.function()) {}

  void run() {
    mapped_.resize(in_.numValues());
    blocks_.resize(in_.numBlocks());
    makeBlocks();
    for (BlockId block : spec_.body.order()) {
      if (spec_.isReached(block)) elaborate(block);
    }
    dropUnusedConstants();
  }

private:
  using Handler = void (Elaborator::*)(const ir::Inst &, ir::InstId);
  static Handler handlerOf(Opcode op);

  void makeBlocks();
  void elaborate(BlockId block);
  void elaborate(const ir::Inst &inst, ir::InstId id);
  void dropUnusedConstants();

  bool hasParam(ValueId param) const;
  ValueId use(ValueId value);
  ValueId sourceValue(const Source &source, const std::vector<Source> &packed);
  void define(const ir::Inst &inst, ValueId value);
  void emitCall(const ir::Inst &inst, const Plan &plan);
  std::vector<ValueId> edgeArgs(const ir::Edge &edge);
  ValueId sliceOf(const ir::Inst &inst, size_t part, std::vector<ValueId> &parts, int64_t given);
  void raiseText(std::string_view exception, std::string_view text);

  void resolved(const ir::Inst &inst, ir::InstId id);
  void constant(const ir::Inst &inst, ir::InstId id);
  void argument(const ir::Inst &inst, ir::InstId id);
  void unbound(const ir::Inst &inst, ir::InstId id);
  void checkBound(const ir::Inst &inst, ir::InstId id);
  void tuple(const ir::Inst &inst, ir::InstId id);
  void list(const ir::Inst &inst, ir::InstId id);
  void extend(const ir::Inst &inst, ir::InstId id);
  void slice(const ir::Inst &inst, ir::InstId id);
  void branch(const ir::Inst &inst, ir::InstId id);
  void condBranch(const ir::Inst &inst, ir::InstId id);
  void result(const ir::Inst &inst, ir::InstId id);
  void raise(const ir::Inst &inst, ir::InstId id);
  void copyTerminator(const ir::Inst &inst, ir::InstId id);

  const Specialisation &spec_;
  const ir::Function &in_;
  std::vector<ValueId> mapped_;               // by untyped value
  std::vector<BlockId> blocks_;               // by untyped block: where its code starts
  BlockId current_;                           // the untyped block being elaborated
  std::vector<ValueId> operands_, arguments_; // scratch
};

Elaborator::Handler Elaborator::handlerOf(Opcode op) {
  static const std::array<Handler, 256> table = [] {
    std::array<Handler, 256> t{};
    t.fill(&Elaborator::resolved);
    auto set = [&](Opcode opcode, Handler handler) { t[static_cast<size_t>(opcode)] = handler; };
    set(Opcode::Const, &Elaborator::constant);
    set(Opcode::GArg, &Elaborator::argument);
    set(Opcode::GUnbound, &Elaborator::unbound);
    set(Opcode::GCheckBound, &Elaborator::checkBound);
    set(Opcode::GTuple, &Elaborator::tuple);
    set(Opcode::GList, &Elaborator::list);
    set(Opcode::GExtend, &Elaborator::extend);
    set(Opcode::GSlice, &Elaborator::slice);
    set(Opcode::Br, &Elaborator::branch);
    set(Opcode::CondBr, &Elaborator::condBranch);
    set(Opcode::Return, &Elaborator::result);
    set(Opcode::GRaise, &Elaborator::raise);
    for (Opcode op : {Opcode::Raise, Opcode::Unreachable, Opcode::Resume}) set(op, &Elaborator::copyTerminator);
    return t;
  }();
  return table[static_cast<size_t>(op)];
}

// ---- blocks

bool Elaborator::hasParam(ValueId param) const {
  const AbstractValue &value = spec_.value(param);
  return spec_.body.isLive(param) && !value.isBottom() && !value.constant.valid() &&
         (spec_.conflicts.empty() || !spec_.conflicts.contains(param.value));
}

void Elaborator::makeBlocks() {
  // The function's parameters belong to a block that nothing branches to.
  BlockId entry = out_.addBlock();
  for (size_t i = 0; i < out_.param_types.size(); ++i)
    out_.addParam(entry, out_.param_types[i], ir::internSymbol(out_.param_names[i]));
  for (BlockId block : spec_.body.order()) {
    if (!spec_.isReached(block)) continue;
    bool shares_entry = block == in_.entry() && spec_.body.inEdges(block).empty();
    BlockId made = shares_entry ? entry : out_.addBlock();
    blocks_[block.value] = made;
    out_.block(made).is_loop_header = spec_.body.isLoopHeader(block);
    for (ValueId param : in_.block(block).params) {
      if (hasParam(param))
        mapped_[param.value] = out_.addParam(made, storageType(spec_.value(param).type), in_.value(param).name);
    }
  }
  builder_.setBlock(entry);
  if (BlockId first = blocks_[in_.entry().value]; first != entry) builder_.br(first);
}

void Elaborator::elaborate(BlockId block) {
  current_ = block;
  builder_.setBlock(blocks_[block.value]);
  uint32_t last = spec_.body.lastItem(block);
  for (uint32_t item = spec_.body.firstItem(block) + 1; item < last && spec_.isExecuted(item); ++item) {
    ir::InstId id = spec_.body.items()[item].inst;
    elaborate(in_.inst(id), id);
  }
}

void Elaborator::elaborate(const ir::Inst &inst, ir::InstId id) {
  builder_.loc = inst.loc;
  size_t before = out_.numInsts();
  (this->*handlerOf(inst.op))(inst, id);
  if (!inst.unwind.valid()) return;
  for (size_t i = before; i < out_.numInsts(); ++i) {
    ir::Inst &made = out_.inst(ir::InstId(static_cast<uint32_t>(i)));
    if (made.mayRaise()) made.unwind = blocks_[inst.unwind.value];
  }
}

/// Constants are materialised for every operand, and many rules fold them: what nothing uses goes.
void Elaborator::dropUnusedConstants() {
  std::vector<uint8_t> used(out_.numValues(), 0);
  auto eachBlock = [&](auto f) {
    for (uint32_t b = 0; b < out_.numBlocks(); ++b) f(out_.block(BlockId(b)));
  };
  eachBlock([&](ir::Block &block) {
    for (ir::InstId id : block.insts) {
      for (ValueId operand : out_.inst(id).operands) used[operand.value] = 1;
      for (const ir::Edge &edge : out_.inst(id).edges) {
        for (ValueId arg : edge.args) used[arg.value] = 1;
      }
    }
  });
  eachBlock([&](ir::Block &block) {
    std::erase_if(block.insts, [&](ir::InstId id) {
      const ir::Inst &inst = out_.inst(id);
      return (inst.op == Opcode::Const || inst.op == Opcode::Undef) && used[inst.result.value] == 0;
    });
  });
}

// ---- values

ValueId Elaborator::use(ValueId value) {
  const AbstractValue &known = spec_.value(value);
  if (known.constant.valid()) return materialise(known.constant, known.type);
  if (ValueId mapped = mapped_[value.value]; mapped.valid()) return mapped;
  return undefined(known.isBottom() ? types().none : known.type);
}

ValueId Elaborator::sourceValue(const Source &source, const std::vector<Source> &packed) {
  switch (source.kind) {
  case Source::Value: return use(source.value);
  case Source::Item: return item(use(source.value), source.index);
  case Source::Constant: return materialise(source.known.constant, source.known.type);
  case Source::Pack: break;
  }
  std::vector<ValueId> items;
  for (uint32_t i = source.index; i < source.index + source.count; ++i)
    items.push_back(convert(sourceValue(packed[i], packed), packed[i].known.type));
  return builder_.emit(Opcode::TupleMake, storageType(source.known.type), items);
}

void Elaborator::define(const ir::Inst &inst, ValueId value) {
  if (!inst.result.valid()) return;
  const AbstractValue &known = spec_.value(inst.result);
  if (known.isBottom() || known.constant.valid()) return;
  ValueId made = value.valid() ? convert(value, known.type) : undefined(known.type);
  mapped_[inst.result.value] = made;
  ir::SymbolId name = in_.value(inst.result).name;
  if (name.valid() && !out_.value(made).name.valid()) out_.value(made).name = name;
}

// ---- operations

void Elaborator::emitCall(const ir::Inst &inst, const Plan &plan) {
  const Specialisation &callee = *plan.callee;
  std::vector<ValueId> args;
  args.reserve(plan.sources.size());
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    TypeId type = callee.arg_types[i];
    args.push_back(isCompileTime(type) ? convert(builder_.noneConst(), type)
                                       : convert(sourceValue(plan.sources[i], plan.packed), type));
  }
  ir::FunctionId id = module_.functionOf(callee);
  ValueId value = builder_.call(id, module_.module->get(id).return_type, args);
  define(inst, value);
}

/// The usual case: a call, a rule's code, or (with neither) the first operand itself.
void Elaborator::resolved(const ir::Inst &inst, ir::InstId id) {
  const Plan *plan = spec_.plans[id.value].get();
  if (plan != nullptr && plan->callee != nullptr && !plan->by_rule) {
    emitCall(inst, *plan);
    return;
  }
  const library::EmitFn &emit = spec_.emits[id.value];
  if (!emit) {
    if (inst.result.valid() && !spec_.value(inst.result).constant.valid() && !inst.operands.empty())
      define(inst, use(inst.operands[0]));
    return;
  }
  std::vector<ValueId> operands;
  if (plan != nullptr) {
    for (const Source &source : plan->sources) operands.push_back(sourceValue(source, plan->packed));
  } else {
    for (ValueId operand : inst.operands) operands.push_back(use(operand));
  }
  define(inst, emit(*this, operands));
}

void Elaborator::constant(const ir::Inst &inst, ir::InstId) {
  if (!spec_.value(inst.result).constant.valid()) // its type is forced
    define(inst, materialise(inst.constant(), typeOfConstant(inst.constant())));
}

void Elaborator::argument(const ir::Inst &inst, ir::InstId) {
  if (!spec_.value(inst.result).constant.valid())
    define(inst, out_.block(out_.entry()).params[static_cast<size_t>(inst.attr)]);
}

void Elaborator::unbound(const ir::Inst &inst, ir::InstId) { define(inst, undefined(types().unbound)); }

void Elaborator::raiseText(std::string_view exception, std::string_view text) {
  ConstId message = ConstantStore::global().ofString(text);
  ValueId value = materialise(message, types().unicode);
  builder_.raise(library::builtinException(exception), std::span(&value, 1));
}

void Elaborator::checkBound(const ir::Inst &inst, ir::InstId) {
  const AbstractValue &value = spec_.value(inst.operands[0]);
  if (value.type == types().unbound) {
    raiseText("UnboundLocalError", "cannot access local variable '" + std::string(ir::symbolText(inst.symbol())) +
                                       "' where it is not associated with a value");
    return;
  }
  if (typeOf(value.type).kind != TypeKind::MaybeUnbound) {
    define(inst, value.constant.valid() ? ValueId() : use(inst.operands[0]));
    return;
  }
  ValueId operand = use(inst.operands[0]);
  TypeId payload = typeOf(out_.typeOf(operand)).args[0];
  define(inst, builder_.emit(Opcode::CheckBound, payload, {operand}, inst.attr));
}

void Elaborator::tuple(const ir::Inst &inst, ir::InstId) {
  const AbstractValue &known = spec_.value(inst.result);
  if (known.constant.valid()) return;
  std::vector<ValueId> items;
  for (ValueId operand : inst.operands) items.push_back(use(operand));
  define(inst, builder_.tupleMake(items));
}

/// A list that is only read is a tuple.
void Elaborator::list(const ir::Inst &inst, ir::InstId id) {
  if (spec_.emits[id.value] || spec_.plans[id.value])
    resolved(inst, id);
  else if (!spec_.value(inst.result).isBottom())
    tuple(inst, id);
}

void Elaborator::extend(const ir::Inst &inst, ir::InstId) {
  std::vector<ValueId> items;
  for (ValueId operand : inst.operands) {
    ValueId tuple = use(operand);
    auto count = static_cast<unsigned>(typeOf(out_.typeOf(tuple)).args.size());
    for (unsigned i = 0; i < count; ++i) items.push_back(item(tuple, i));
  }
  define(inst, builder_.tupleMake(items));
}

/// The slice whose parts below `part` are given: an Optional one is present or not at run time.
ValueId Elaborator::sliceOf(const ir::Inst &inst, size_t part, std::vector<ValueId> &parts, int64_t given) {
  if (part == 3) return builder_.emit(Opcode::SliceMake, spec_.value(inst.result).type, parts, given);
  auto with = [&](ValueId value, bool present) {
    parts.push_back(value);
    ValueId slice = sliceOf(inst, part + 1, parts, present ? given | (ir::kHasStart << part) : given);
    parts.pop_back();
    return slice;
  };
  auto absent = [&] { return with(builder_.int64(part == 2 ? 1 : 0), false); };
  if (part >= inst.operands.size()) return absent();
  TypeKind kind = typeOf(spec_.value(inst.operands[part]).type).kind;
  if (kind == TypeKind::None) return absent();
  ValueId value = use(inst.operands[part]);
  if (kind != TypeKind::Optional) return with(convert(value, types().int64), true);
  ValueId has = builder_.emit(Opcode::OptionalHas, types().boolean, {value});
  ValueId payload = builder_.emit(Opcode::OptionalValue, typeOf(out_.typeOf(value)).args[0], {value});
  ValueId present = with(convert(payload, types().int64), true);
  return builder_.select(has, present, absent());
}

void Elaborator::slice(const ir::Inst &inst, ir::InstId) {
  if (spec_.value(inst.result).constant.valid()) return;
  std::vector<ValueId> parts;
  define(inst, sliceOf(inst, 0, parts, 0));
}

// ---- control flow

std::vector<ValueId> Elaborator::edgeArgs(const ir::Edge &edge) {
  std::vector<ValueId> args;
  const auto &params = in_.block(edge.target).params;
  for (size_t i = 0; i < params.size(); ++i) {
    if (!hasParam(params[i])) continue;
    TypeId type = spec_.value(params[i]).type;
    args.push_back(spec_.value(edge.args[i]).isBottom() ? undefined(type) : convert(use(edge.args[i]), type));
  }
  return args;
}

void Elaborator::branch(const ir::Inst &inst, ir::InstId) {
  const ir::Edge &edge = inst.edges[0];
  auto args = edgeArgs(edge); // may emit conversions
  builder_.br(blocks_[edge.target.value], std::move(args));
}

void Elaborator::condBranch(const ir::Inst &inst, ir::InstId id) {
  bool first = spec_.edgeIsExecutable(current_, 0), second = spec_.edgeIsExecutable(current_, 1);
  if (!first || !second) {
    if (!first && !second) {
      builder_.emit(Opcode::Unreachable, {}, std::span<const ValueId>());
      return;
    }
    const ir::Edge &edge = inst.edges[first ? 0 : 1];
    auto args = edgeArgs(edge);
    builder_.br(blocks_[edge.target.value], std::move(args));
    return;
  }
  ValueId condition = use(inst.operands[0]);
  if (const library::EmitFn &truth = spec_.emits[id.value]) condition = truth(*this, std::span(&condition, 1));
  auto then_args = edgeArgs(inst.edges[0]), else_args = edgeArgs(inst.edges[1]);
  builder_.condBr(condition, blocks_[inst.edges[0].target.value], std::move(then_args),
                  blocks_[inst.edges[1].target.value], std::move(else_args));
}

void Elaborator::result(const ir::Inst &inst, ir::InstId) {
  if (spec_.value(inst.operands[0]).isBottom())
    builder_.emit(Opcode::Unreachable, {}, std::span<const ValueId>());
  else if (isCompileTime(out_.return_type))
    builder_.ret(convert(builder_.noneConst(), out_.return_type));
  else
    builder_.ret(convert(use(inst.operands[0]), out_.return_type));
}

void Elaborator::raise(const ir::Inst &inst, ir::InstId) {
  if (inst.operands.empty()) {
    raiseText("RuntimeError", "No active exception to reraise");
    return;
  }
  const AbstractValue &what = spec_.value(inst.operands[0]);
  std::vector<ValueId> args;
  const Type &type = typeOf(what.type);
  if (type.kind == TypeKind::ExceptionInstance) {
    ValueId instance = use(inst.operands[0]);
    for (unsigned i = 0; i < type.args.size(); ++i) args.push_back(item(instance, i));
  }
  builder_.raise(ConstId(type.constant), args);
}

void Elaborator::copyTerminator(const ir::Inst &inst, ir::InstId) {
  std::vector<ValueId> operands;
  for (ValueId operand : inst.operands) operands.push_back(use(operand));
  builder_.emit(inst.op, {}, operands, inst.attr);
}

} // namespace

std::unique_ptr<ir::Module> elaborate(const Specialisation &root) {
  ModuleBuilder builder;
  builder.module->root = builder.functionOf(root);
  while (const Specialisation *spec = builder.next())
    Elaborator(builder, builder.module->get(builder.functionOf(*spec)), *spec).run();
  return std::move(builder.module);
}

} // namespace naja::typing
