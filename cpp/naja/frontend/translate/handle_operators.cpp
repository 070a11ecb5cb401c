// Operators, attributes, subscripts, control flow: what maps to one instruction or two.
#include "naja/frontend/translate/translator.h"

namespace naja::frontend {

using ir::Opcode;
using ir::ValueId;

void Translator::getAttr(int32_t arg) {
  ir::SymbolId name = nameSymbol(arg);
  ValueId object = popValue();
  if (!error_) push(emit(Opcode::GGetAttr, {object}, name.value));
}
void Translator::setAttr(int32_t arg) {
  ir::SymbolId name = nameSymbol(arg);
  ValueId object = popValue(), value = popValue();
  if (!error_) emit(Opcode::GSetAttr, {object, value}, name.value);
}

void Translator::binary(int32_t arg) {
  auto operands = popValues(2);
  if (!error_) push(emit(Opcode::GBinary, operands, arg));
}
void Translator::inplace(int32_t arg) {
  auto operands = popValues(2);
  if (!error_) push(emit(Opcode::GInplace, operands, arg));
}
void Translator::unary(int32_t arg) {
  ValueId operand = popValue();
  if (!error_) push(emit(Opcode::GUnary, {operand}, arg));
}
void Translator::compare(int32_t arg) {
  auto operands = popValues(2);
  if (!error_) push(emit(Opcode::GCompare, operands, arg));
}

void Translator::isSame(int32_t arg) {
  auto operands = popValues(2);
  if (error_) return;
  push(emit(Opcode::GIs, operands));
  if (arg != 0) unary(static_cast<int32_t>(ir::UnaryOp::Not));
}
void Translator::contains(int32_t arg) {
  auto operands = popValues(2);
  if (error_) return;
  push(emit(Opcode::GContains, operands));
  if (arg != 0) unary(static_cast<int32_t>(ir::UnaryOp::Not));
}

void Translator::truth(int32_t) {
  ValueId value = popValue();
  if (error_) return;
  Opcode op = opcodeOf(value);
  const bool is_bool = op == Opcode::GTruth || op == Opcode::GIs || op == Opcode::GContains ||
                       op == Opcode::GIterValid ||
                       (op == Opcode::GUnary && function_->def(value)->unaryOp() == ir::UnaryOp::Not);
  push(is_bool ? value : emit(Opcode::GTruth, {value}));
}

// ---- subscripts

void Translator::getItem(int32_t) {
  auto operands = popValues(2);
  if (!error_) push(emit(Opcode::GGetItem, operands));
}
void Translator::setItem(int32_t) {
  auto operands = popValues(3); // value, object, index
  if (!error_) emit(Opcode::GSetItem, {operands[1], operands[2], operands[0]});
}
void Translator::delItem(int32_t) {
  auto operands = popValues(2);
  if (!error_) emit(Opcode::GDelItem, operands);
}
void Translator::buildSlice(int32_t arg) {
  auto parts = popValues(arg);
  if (!error_) push(emit(Opcode::GSlice, parts));
}
void Translator::getSlice(int32_t) {
  buildSlice(2);
  if (!error_) getItem(0);
}
void Translator::setSlice(int32_t) {
  buildSlice(2);
  if (!error_) setItem(0);
}

// ---- control flow

void Translator::jump(int32_t) { leaveBlock(kKeepAll); }

void Translator::jumpIfFalse(int32_t) {
  truth(0);
  ValueId condition = popValue();
  if (!error_) branch(condition);
}
void Translator::jumpIfTrue(int32_t) { jumpIfFalse(0); } // which way is which is in the graph

void Translator::jumpIfNone(int32_t) {
  pushConst(ConstantStore::global().none());
  isSame(0);
  ValueId condition = error_ ? ValueId() : popValue();
  if (!error_) branch(condition);
}
void Translator::jumpIfNotNone(int32_t) { jumpIfNone(0); }

/// `a and b`: the value stays where the jump is taken (3.11; later versions copy it).
void Translator::jumpIfFalseOrPop(int32_t) {
  copy(1);
  truth(0);
  ValueId condition = error_ ? ValueId() : popValue();
  if (error_) return;
  const BasicBlock &block = cfg_->block(block_);
  const bool jumps_if_true = decoded_.ops[block.end - 1].op == Op::JumpIfTrueOrPop;
  branch(condition, jumps_if_true ? 1 : 0);
}
void Translator::jumpIfTrueOrPop(int32_t) { jumpIfFalseOrPop(0); }

void Translator::getIter(int32_t) {
  ValueId iterable = popValue();
  // 3.11 gives the whole statement as the place; what is iterated over is where its last operation is.
  const Loc loc = locAt(unit_);
  const uint32_t unit = loc.end_line > loc.line && op_ > 0 ? decoded_.ops[op_ - 1].unit : unit_;
  if (!error_) stack_.push_back({.kind = Entry::Kind::Iterable, .unit = unit, .value = iterable});
}

/// The head of a loop: goes on to the body (where IterNext comes first) or, without the iterator, behind the loop.
void Translator::forIter(int32_t) {
  Entry *entry = peek(1);
  if (!entry) return;
  readIterator(*entry);
  if (error_) return;
  ValueId condition = emit(Opcode::GIterValid, {entry->value, entry->state});
  branch(condition, 1);
}

void Translator::iterNext(int32_t) {
  Entry *entry = peek(1);
  if (!entry) return;
  readIterator(*entry);
  if (error_) return;
  ValueId value = emit(Opcode::GIterValue, {entry->value, entry->state});
  entry->state = emit(Opcode::GIterNext, {entry->value, entry->state});
  push(value);
}

void Translator::returnValue(int32_t) {
  ValueId value = popValue();
  if (error_) return;
  emit(Opcode::Return, {value});
  block_ended_ = true;
}

void Translator::raise(int32_t arg) {
  if (arg == 0) {
    fail("raise without an exception cannot be compiled", "name the exception: raise ValueError(...)");
    return;
  }
  auto operands = popValues(arg);
  if (error_) return;
  emit(Opcode::GRaise, operands);
  block_ended_ = true;
}

} // namespace naja::frontend
