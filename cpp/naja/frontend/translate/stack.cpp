// The value stack: entries and the values they stand for.
#include "naja/frontend/translate/translator.h"

namespace naja::frontend {

using ir::Opcode;
using ir::ValueId;

Entry Translator::popEntry() {
  if (stack_.empty()) {
    failMalformed();
    return {};
  }
  Entry entry = stack_.back();
  stack_.pop_back();
  return entry;
}

ValueId Translator::popValue() {
  Entry entry = popEntry();
  return valueOf(entry);
}

std::vector<ValueId> Translator::popValues(int32_t count) {
  std::vector<ValueId> values;
  if (count < 0 || static_cast<size_t>(count) > stack_.size()) {
    failMalformed();
    return values;
  }
  values.reserve(static_cast<size_t>(count));
  const size_t base = stack_.size() - static_cast<size_t>(count);
  for (size_t i = base; i < stack_.size(); ++i) values.push_back(valueOf(stack_[i]));
  stack_.resize(base);
  return values;
}

Entry *Translator::peek(int32_t position) {
  if (position < 1 || static_cast<size_t>(position) > stack_.size()) {
    failMalformed();
    return nullptr;
  }
  return &stack_[stack_.size() - static_cast<size_t>(position)];
}

ValueId Translator::valueOf(Entry &entry) {
  const uint32_t unit = unit_;
  switch (entry.kind) {
  case Entry::Kind::Value: return entry.value;
  case Entry::Kind::Slot: entry.value = ssa_->read(block_, slotVariable(entry.index)); break;
  case Entry::Kind::Iterable: break; // its value is what is iterated over: the argument of a comprehension's function
  case Entry::Kind::Cell: break;     // a variable that only looked like a cell
  case Entry::Kind::Cells: entry.value = valueOfClosure(entry); break;
  case Entry::Kind::Null:
  case Entry::Kind::Iterator: entry.value = ValueId(); break;
  // What was put off has the location of where it stands.
  case Entry::Kind::Const:
    unit_ = entry.unit;
    entry.value = constant(ConstId(entry.index));
    break;
  case Entry::Kind::Function:
    unit_ = entry.unit;
    entry.value = emitFunction(pending_functions_[entry.index]);
    break;
  case Entry::Kind::Display:
    unit_ = entry.unit;
    entry.value = finishDisplay(entry, false);
    break;
  }
  unit_ = unit;
  if (!entry.value.valid() && !error_) failMalformed();
  entry.kind = Entry::Kind::Value;
  return entry.value;
}

/// A tuple of variables whose slots are cells elsewhere in the function (3.13).
ValueId Translator::valueOfClosure(Entry &entry) {
  std::vector<ValueId> items;
  for (Entry cell : closures_[entry.index]) items.push_back(valueOf(cell));
  return error_ ? ValueId() : emit(Opcode::GTuple, items);
}

/// A loop starts here: it and its first state.
void Translator::makeIterator(Entry &entry) {
  const uint32_t unit = unit_;
  unit_ = entry.unit;
  entry.value = emit(Opcode::GIter, {entry.value});
  entry.state = emit(Opcode::GIterState, {entry.value});
  entry.kind = Entry::Kind::Iterator;
  unit_ = unit;
}

void Translator::readIterator(Entry &entry) {
  if (entry.kind == Entry::Kind::Iterable) makeIterator(entry);
  if (entry.kind != Entry::Kind::Iterator) {
    failMalformed();
    return;
  }
  if (entry.value.valid()) return;
  entry.value = ssa_->read(block_, slotVariable(entry.index));
  entry.state = ssa_->read(block_, stateVariable(entry.index));
}

void Translator::pop(int32_t) { popEntry(); }
void Translator::pushNull(int32_t) { stack_.push_back({.kind = Entry::Kind::Null}); }

void Translator::copy(int32_t arg) {
  Entry *entry = peek(arg);
  if (!entry) return;
  // What a copy shares has to be one value.
  if (entry->kind != Entry::Kind::Const && entry->kind != Entry::Kind::Slot && entry->kind != Entry::Kind::Null &&
      entry->kind != Entry::Kind::Iterator)
    valueOf(*entry);
  Entry same = *entry;
  stack_.push_back(same);
}

void Translator::swap(int32_t arg) {
  Entry *entry = peek(arg);
  if (entry) std::swap(*entry, stack_.back());
}

} // namespace naja::frontend
