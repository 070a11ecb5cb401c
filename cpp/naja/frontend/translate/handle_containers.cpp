// Tuples, lists, sets, dicts, unpacking, f-strings.
#include "naja/frontend/translate/translator.h"

namespace naja::frontend {

using ir::Opcode;
using ir::ValueId;

void Translator::buildTuple(int32_t arg) {
  // The closure of an inner function is a tuple of cells.
  bool cells = arg > 0;
  for (int32_t i = 1; i <= arg; ++i) {
    Entry *entry = peek(i);
    if (!entry) return;
    cells = cells && entry->kind == Entry::Kind::Cell;
  }
  if (cells) {
    closures_.emplace_back(stack_.end() - arg, stack_.end());
    stack_.resize(stack_.size() - static_cast<size_t>(arg));
    stack_.push_back({.kind = Entry::Kind::Cells, .index = static_cast<uint32_t>(closures_.size() - 1)});
    return;
  }
  auto items = popValues(arg);
  if (!error_) push(emit(Opcode::GTuple, items));
}

// ---- displays: `[a, *b, c]` is built up by several operations, and may become a tuple at the end (`f(a, *b, c)`)

void Translator::pushDisplay(Opcode op, int32_t count) {
  Display display;
  display.op = op;
  display.block = block_;
  display.run = popValues(count);
  displays_.push_back(std::move(display));
  stack_.push_back({.kind = Entry::Kind::Display, .index = static_cast<uint32_t>(displays_.size() - 1), .unit = unit_});
}

/// Emits what has come together since the last starred item.
void Translator::flush(Display &display) {
  if (!display.current.valid()) {
    display.current = emit(display.op, display.run);
    display.base = function_->value(display.current).inst;
  } else if (!display.run.empty()) {
    ValueId run = emit(Opcode::GTuple, display.run);
    display.current = emit(Opcode::GExtend, {display.current, run});
  }
  display.run.clear();
}

Translator::Display &Translator::ownDisplay(Entry &entry) {
  if (displays_[entry.index].block != block_) {
    Display copy = displays_[entry.index];
    copy.block = block_;
    displays_.push_back(std::move(copy));
    entry.index = static_cast<uint32_t>(displays_.size() - 1);
  }
  return displays_[entry.index];
}

ValueId Translator::finishDisplay(Entry &entry, bool as_tuple) {
  Display &display = ownDisplay(entry);
  flush(display);
  if (as_tuple) function_->inst(display.base).op = Opcode::GTuple;
  return display.current;
}

void Translator::buildList(int32_t arg) { pushDisplay(Opcode::GList, arg); }
void Translator::buildSet(int32_t arg) { pushDisplay(Opcode::GSet, arg); }

/// One more item: of a display, or of a comprehension's list or set.
void Translator::append(int32_t position, Opcode op) {
  ValueId value = popValue();
  Entry *target = error_ ? nullptr : peek(position);
  if (!target) return;
  if (target->kind == Entry::Kind::Display)
    ownDisplay(*target).run.push_back(value);
  else
    emit(op, {valueOf(*target), value});
}
void Translator::listAppend(int32_t arg) { append(arg, Opcode::GListAppend); }
void Translator::setAdd(int32_t arg) { append(arg, Opcode::GSetAdd); }

void Translator::extend(int32_t arg) {
  ValueId items = popValue();
  Entry *target = error_ ? nullptr : peek(arg);
  if (!target) return;
  if (target->kind != Entry::Kind::Display) {
    ValueId whole = valueOf(*target);
    if (!error_) target->value = emit(Opcode::GExtend, {whole, items});
    return;
  }
  Display &display = ownDisplay(*target);
  flush(display);
  display.current = emit(Opcode::GExtend, {display.current, items});
}

void Translator::listToTuple(int32_t) {
  Entry entry = popEntry();
  if (error_) return;
  if (entry.kind == Entry::Kind::Display)
    push(finishDisplay(entry, true));
  else
    push(emit(Opcode::GListToTuple, {valueOf(entry)}));
}

// ---- dicts

void Translator::buildMap(int32_t arg) {
  auto pairs = popValues(2 * arg);
  if (!error_) push(emit(Opcode::GDict, pairs));
}

void Translator::buildConstKeyMap(int32_t arg) {
  Entry keys = popEntry();
  const ConstTuple *names = nullptr;
  if (keys.kind == Entry::Kind::Const)
    names = std::get_if<ConstTuple>(&ConstantStore::global().get(ConstId(keys.index)).value);
  auto values = popValues(arg);
  if (error_) return;
  if (!names || names->items.size() != values.size()) {
    failMalformed();
    return;
  }
  std::vector<ValueId> pairs;
  for (size_t i = 0; i < values.size(); ++i) {
    pairs.push_back(constant(names->items[i]));
    pairs.push_back(values[i]);
  }
  push(emit(Opcode::GDict, pairs));
}

void Translator::mapAdd(int32_t arg) {
  ValueId value = popValue(), key = popValue();
  Entry *target = error_ ? nullptr : peek(arg);
  if (target) emit(Opcode::GDictSet, {valueOf(*target), key, value});
}

/// The display that made a dict, if it is one.
const ir::Inst *Translator::literalDict(ValueId value) const {
  return opcodeOf(value) == Opcode::GDict ? function_->def(value) : nullptr;
}

const std::string *Translator::literalText(ValueId value) const {
  if (opcodeOf(value) != Opcode::Const) return nullptr;
  return std::get_if<std::string>(&ConstantStore::global().get(function_->def(value)->constant()).value);
}

/// Long displays come in parts; `{**d}` is refused.
void Translator::dictUpdate(int32_t arg) {
  ValueId part = popValue();
  Entry *target = error_ ? nullptr : peek(arg);
  if (!target) return;
  const ir::Inst *literal = literalDict(part);
  if (!literal) {
    fail("a dict inside a dict display cannot be compiled",
         "assign its items in a loop: for key in d: result[key] = d[key]");
    return;
  }
  const std::vector<ValueId> pairs = literal->operands;
  ValueId dict = valueOf(*target);
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) emit(Opcode::GDictSet, {dict, pairs[i], pairs[i + 1]});
}

void Translator::dictMerge(int32_t) {
  fail("a call with **keywords cannot be compiled", "write the keyword arguments out: f(a=1, b=2)");
}

// ---- unpacking

void Translator::unpack(int32_t arg) {
  Entry entry = popEntry();
  if (error_ || arg < 0) return;
  const auto count = static_cast<size_t>(arg);
  std::vector<ValueId> items;
  if (entry.kind == Entry::Kind::Display && !displays_[entry.index].current.valid() &&
      displays_[entry.index].run.size() == count) {
    items = displays_[entry.index].run; // `[a, b] = [b, a]`: no list is made
  } else {
    ValueId value = valueOf(entry);
    if (error_) return;
    if (opcodeOf(value) == Opcode::GTuple && function_->def(value)->operands.size() == count) {
      items = function_->def(value)->operands; // `a, b = b, a`
    } else {
      emit(Opcode::GUnpackCheck, {value}, arg);
      for (int32_t i = 0; i < arg; ++i) items.push_back(emit(Opcode::GUnpackItem, {value}, i));
    }
  }
  for (size_t i = items.size(); i > 0; --i) push(items[i - 1]);
}

// ---- f-strings

void Translator::formatValue(int32_t arg) {
  static constexpr int64_t kConversions[] = {0, 's', 'r', 'a'};
  auto operands = popValues((arg & 4) != 0 ? 2 : 1);
  if (!error_) push(emit(Opcode::GFormat, operands, kConversions[arg & 3]));
}
void Translator::buildString(int32_t arg) {
  auto parts = popValues(arg);
  if (!error_) push(emit(Opcode::GJoinStr, parts));
}

} // namespace naja::frontend
