#include "naja/frontend/translate/translator.h"

#include "naja/frontend/translate/share_copies.h"

#include <algorithm>

namespace naja::frontend {

using ir::BlockId;
using ir::Opcode;
using ir::ValueId;

const std::vector<Translator::Handler> &Translator::handlers() {
  static const std::vector<Handler> table = {
#define NAJA_OP(Enum, handler) &Translator::handler,
#include "naja/frontend/translate/ops.def"
  };
  return table;
}

Translator::Translator(const FunctionSnapshot &snapshot, bool is_inner, std::span<const std::string> kept)
    : snapshot_(snapshot), code_(*snapshot.code), is_inner_(is_inner), kept_(kept),
      local_count_(static_cast<uint32_t>(snapshot.code->local_names.size())) {}

Result<Translated> Translator::run() {
  if (refuseWholeFunction()) return std::move(*error_);
  decoded_ = decode(code_);
  if (!decoded_.malformed) {
    shareCopies(decoded_.ops, code_);
    cfg_.emplace(decoded_.ops);
  }
  if (decoded_.malformed || cfg_->malformed()) {
    failMalformed();
    return std::move(*error_);
  }
  if (refuseHandlers()) return std::move(*error_);
  createFunction();
  for (uint32_t block = 0; block < cfg_->size() && !error_; ++block) translateBlock(block);
  if (error_) return std::move(*error_);
  ssa_->finish(local_symbols_);
  checkCaptures();
  if (error_) return std::move(*error_);
  return std::move(out_);
}

bool Translator::refuseWholeFunction() {
  if (code_.is_coroutine)
    fail("async functions cannot be compiled", "call compiled functions from the async function instead");
  else if (code_.is_generator)
    fail(code_.name == "<genexpr>" ? "generator expressions cannot be compiled"
                                   : "generator functions cannot be compiled",
         "write a loop, or fill an array and return it");
  else if (code_.has_varkw)
    fail("a compiled function cannot take **" +
             code_.local_names[static_cast<size_t>(code_.arg_count + code_.keyword_only + (code_.has_varargs ? 1 : 0))],
         "name the parameters, with defaults where they may be left out");
  return error_.has_value();
}

void Translator::createFunction() {
  out_.function = std::make_unique<ir::Function>();
  function_ = out_.function.get();
  function_->name = code_.qualname;
  function_->file = code_.file;
  function_->first_line = code_.first_line;
  for (uint32_t b = 0; b < cfg_->size(); ++b) {
    function_->addBlock();
    function_->block(BlockId(b)).is_loop_header = cfg_->block(b).is_loop_header;
  }
  local_symbols_.reserve(local_count_);
  for (const std::string &name : code_.local_names) local_symbols_.push_back(ir::internSymbol(name));
  name_symbols_.resize(code_.names.size());
  shapes_.resize(cfg_->size());
  has_shape_.assign(cfg_->size(), 0);
  has_shape_[0] = 1;
  ssa_.emplace(*function_, *cfg_, decoded_.ops.size());
  emitParameters();
}

void Translator::countStores(std::vector<uint32_t> &stores) const {
  for (const Operation &op : decoded_.ops) {
    const bool writes = op.op == Op::StoreFast || op.op == Op::DeleteFast || op.op == Op::LoadFastAndClear ||
                        op.op == Op::StoreDeref || op.op == Op::DeleteDeref;
    if (writes && op.arg >= 0 && static_cast<uint32_t>(op.arg) < local_count_) ++stores[static_cast<size_t>(op.arg)];
  }
}

/// Parameters: captured variables first, then those of the code, which are the first local slots.
void Translator::emitParameters() {
  block_ = 0;
  std::vector<uint32_t> stores(local_count_, 0);
  countStores(stores);
  int64_t index = 0;
  auto parameter = [&](uint32_t slot) {
    function_->param_names.push_back(code_.local_names[slot]);
    ValueId value = emit(Opcode::GArg, {}, index++);
    function_->value(value).name = local_symbols_[slot];
    if (stores[slot] == 0)
      ssa_->writeOnce(slot, value);
    else
      ssa_->write(0, slot, value);
  };
  const auto free_count = static_cast<uint32_t>(code_.free_names.size());
  for (uint32_t i = 0; is_inner_ && i < free_count; ++i) parameter(local_count_ - free_count + i);
  const int count = code_.arg_count + code_.keyword_only + (code_.has_varargs ? 1 : 0);
  for (int i = 0; i < count; ++i) parameter(static_cast<uint32_t>(i));
}

void Translator::translateBlock(uint32_t block) {
  block_ = block;
  block_ended_ = false;
  beginStack(block);
  const BasicBlock &range = cfg_->block(block);
  for (uint32_t i = range.begin; i < range.end && !error_; ++i) {
    const Operation &op = decoded_.ops[i];
    op_ = i;
    unit_ = op.unit;
    (this->*handlers()[static_cast<size_t>(op.op)])(op.arg);
  }
  if (!error_ && !block_ended_) leaveBlock(kKeepAll);
}

void Translator::beginStack(uint32_t block) {
  stack_.clear();
  if (!has_shape_[block]) { // reached from nowhere that was translated
    failMalformed();
    return;
  }
  stack_ = shapes_[block];
}

/// A display in the middle of the stack is under construction, unless a loop appends to it (a comprehension); one on
/// top is where the block goes on in one way only: an arm of a conditional expression.
bool Translator::isComplete(size_t position) const {
  if (position + 1 == stack_.size()) return cfg_->block(block_).successor_count == 1;
  const Entry::Kind above = stack_[position + 1].kind;
  return above == Entry::Kind::Iterable || above == Entry::Kind::Iterator;
}

/// Ends a block that falls through or jumps: hands the stack on and branches.
void Translator::leaveBlock(uint32_t popping_edge) {
  const BasicBlock &block = cfg_->block(block_);
  for (size_t i = 0; i < stack_.size(); ++i) {
    Entry &entry = stack_[i];
    if (entry.kind == Entry::Kind::Iterable)
      makeIterator(entry);
    else if (entry.kind == Entry::Kind::Cell && entry.value.valid())
      entry.kind = Entry::Kind::Value; // closures are made at once: this is a variable
    else if (entry.kind == Entry::Kind::Const || entry.kind == Entry::Kind::Function ||
             (entry.kind == Entry::Kind::Display && isComplete(i)))
      valueOf(entry);
    else if (entry.kind == Entry::Kind::Slot && entry.index != i)
      valueOf(entry);
    else if (entry.kind == Entry::Kind::Iterator && !entry.value.valid() && entry.index != i)
      readIterator(entry);
  }
  // All positions are read before any is written.
  std::vector<Entry> shape = stack_;
  for (uint32_t i = 0; i < shape.size(); ++i) {
    Entry &entry = shape[i];
    if (entry.value.valid() && (entry.kind == Entry::Kind::Value || entry.kind == Entry::Kind::Iterator)) {
      ssa_->write(block_, slotVariable(i), entry.value);
      if (entry.kind == Entry::Kind::Iterator) ssa_->write(block_, stateVariable(i), entry.state);
    }
    if (entry.kind == Entry::Kind::Value) entry.kind = Entry::Kind::Slot;
    if (entry.kind == Entry::Kind::Slot || entry.kind == Entry::Kind::Iterator) entry.index = i;
    entry.value = entry.state = ValueId();
  }
  if (!block_ended_) {
    unit_ = block.end > block.begin ? decoded_.ops[block.end - 1].unit : 0;
    emit(Opcode::Br, {});
    last().edges.push_back({BlockId(block.successors[0]), {}});
    block_ended_ = true;
  }
  passStack(std::move(shape), popping_edge);
}

void Translator::passStack(std::vector<Entry> shape, uint32_t popping_edge) {
  const BasicBlock &block = cfg_->block(block_);
  std::vector<Entry> popped;
  if (popping_edge != kKeepAll) popped.assign(shape.begin(), shape.end() - 1);
  for (uint32_t edge = 0; edge < block.successor_count; ++edge) {
    const uint32_t target = block.successors[edge];
    const auto &passed = edge == popping_edge ? popped : shape;
    if (!has_shape_[target]) {
      shapes_[target] = passed;
      has_shape_[target] = 1;
      continue;
    }
    const auto &known = shapes_[target];
    const bool same = known.size() == passed.size() &&
                      std::equal(known.begin(), known.end(), passed.begin(),
                                 [](const Entry &a, const Entry &b) { return a.kind == b.kind && a.index == b.index; });
    if (!same) failMalformed();
  }
}

Diagnostic &Translator::fail(std::string message, std::string hint) {
  if (!error_) {
    Diagnostic diagnostic;
    diagnostic.kind = DiagnosticKind::UnsupportedBytecode;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    diagnostic.where = {code_.file, code_.qualname, decoded_.ops.empty() ? Loc() : locAt(unit_)};
    if (!diagnostic.where.loc.known()) diagnostic.where.loc.line = diagnostic.where.loc.end_line = code_.first_line;
    error_ = std::move(diagnostic);
  }
  return *error_;
}

void Translator::failMalformed() {
  fail("the bytecode of this function is not what CPython 3." + std::to_string(code_.python_minor) + " makes",
       "code objects changed by other tools cannot be compiled");
}

Loc Translator::locAt(uint32_t unit) const { return unit < code_.locations.size() ? code_.locations[unit] : Loc(); }

ValueId Translator::emit(Opcode op, std::span<const ValueId> operands, int64_t attr) {
  ir::Inst inst;
  inst.op = op;
  inst.loc = locAt(unit_);
  inst.attr = attr;
  inst.operands.assign(operands.begin(), operands.end());
  return function_->inst(function_->append(BlockId(block_), std::move(inst))).result;
}

Opcode Translator::opcodeOf(ValueId value) const {
  if (!value.valid() || SsaBuilder::isProvisional(value)) return Opcode::Undef;
  const ir::Inst *inst = function_->def(value);
  return inst ? inst->op : Opcode::Undef;
}

ir::SymbolId Translator::nameSymbol(int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= name_symbols_.size()) {
    failMalformed();
    return {};
  }
  ir::SymbolId &symbol = name_symbols_[static_cast<size_t>(index)];
  if (!symbol.valid()) symbol = ir::internSymbol(code_.names[static_cast<size_t>(index)]);
  return symbol;
}

ConstId Translator::constantAt(int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= code_.constants.size()) {
    failMalformed();
    return ConstantStore::global().none();
  }
  return code_.constants[static_cast<size_t>(index)];
}

/// Ends the block with a branch to its two successors. The stack is handed on first.
void Translator::branch(ValueId condition, uint32_t popping_edge) {
  const BasicBlock &block = cfg_->block(block_);
  block_ended_ = true;
  const uint32_t unit = unit_;
  leaveBlock(popping_edge);
  unit_ = unit;
  emit(Opcode::CondBr, {condition});
  for (uint32_t successor : block.successors) last().edges.push_back({BlockId(successor), {}});
}

Result<Translated> translate(const FunctionSnapshot &snapshot, bool is_inner, std::span<const std::string> kept) {
  return Translator(snapshot, is_inner, kept).run();
}

} // namespace naja::frontend
