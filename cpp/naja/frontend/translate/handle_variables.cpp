// Constants, local variables, cells and globals.
#include "naja/frontend/translate/translator.h"

#include <algorithm>

namespace naja::frontend {

using ir::Opcode;
using ir::ValueId;

namespace {
constexpr uint8_t kCell = 0x40, kFree = 0x80;
}

bool Translator::validSlot(int32_t slot) {
  if (slot >= 0 && static_cast<uint32_t>(slot) < local_count_) return true;
  failMalformed();
  return false;
}
bool Translator::isFree(int32_t slot) const {
  const auto i = static_cast<size_t>(slot);
  return i < code_.local_kinds.size() && (code_.local_kinds[i] & kFree) != 0;
}

// ---- constants and globals

void Translator::loadConst(int32_t arg) {
  ConstId id = constantAt(arg);
  if (error_) return;
  if (code_.codes[static_cast<size_t>(arg)]) { // code of an inner function: the next operation makes it
    PendingFunction pending;
    pending.code = static_cast<uint32_t>(arg);
    pending_functions_.push_back(std::move(pending));
    const auto pending_index = static_cast<uint32_t>(pending_functions_.size() - 1);
    stack_.push_back({.kind = Entry::Kind::Function, .index = pending_index, .unit = unit_});
    return;
  }
  pushConst(id);
}
void Translator::loadValue(int32_t arg) { pushConst(ConstId(static_cast<uint32_t>(arg))); }

std::optional<ConstId> Translator::globalValue(std::string_view name) const {
  if (globals_.empty()) {
    for (const auto &[known, value] : snapshot_.globals) globals_.emplace(known, value);
  }
  auto it = globals_.find(name);
  return it == globals_.end() ? std::nullopt : std::optional(it->second);
}

void Translator::loadAssertionError(int32_t) {
  if (auto id = globalValue(kAssertionErrorName))
    pushConst(*id);
  else
    pushConst(ConstantStore::global().intern({ExceptionRef{"AssertionError", {}}, {}, false}));
}

void Translator::loadGlobal(int32_t arg) {
  ir::SymbolId name = nameSymbol(arg);
  if (error_) return;
  const auto index = static_cast<size_t>(arg);
  if (index < snapshot_.global_values.size() && snapshot_.global_values[index])
    pushConst(*snapshot_.global_values[index]);
  else
    push(emit(Opcode::GUndefinedName, {}, name.value));
}

// ---- local variables

/// The variable's value; where that is not certain to be one, with a check that SsaBuilder drops if it turns out to be.
ValueId Translator::readVariable(int32_t slot) {
  const auto variable = static_cast<uint32_t>(slot);
  ValueId value = ssa_->read(block_, variable);
  if (!SsaBuilder::isProvisional(value)) return value;
  value = emit(Opcode::GCheckBound, {value}, local_symbols_[variable].value);
  ssa_->addCheck(function_->value(value).inst);
  function_->value(value).name = local_symbols_[variable];
  ssa_->write(block_, variable, value); // assigned from here on
  return value;
}

void Translator::writeVariable(int32_t slot, Entry entry) {
  const auto variable = static_cast<uint32_t>(slot);
  ValueId value = valueOf(entry);
  if (error_) return;
  if (std::find(kept_.begin(), kept_.end(), code_.local_names[variable]) != kept_.end())
    value = emit(Opcode::GCopy, {value});
  if (SsaBuilder::isProvisional(value)) {
    ssa_->suggestName(value, local_symbols_[variable]);
  } else {
    ir::SymbolId &name = function_->value(value).name;
    if (!name.valid()) name = local_symbols_[variable];
  }
  ssa_->write(block_, variable, value);
}

void Translator::loadFast(int32_t arg) {
  if (!validSlot(arg)) return;
  const bool is_cell = (code_.local_kinds[static_cast<size_t>(arg)] & (kCell | kFree)) != 0;
  if (is_cell) {
    loadFastBound(arg);
    return;
  }
  ValueId value = readVariable(arg);
  // The parameter of a comprehension's function (3.11) is what it iterates over, and already an iterator in CPython.
  if (code_.local_names[static_cast<size_t>(arg)] == ".0")
    stack_.push_back({.kind = Entry::Kind::Iterable, .unit = unit_, .value = value});
  else
    push(value);
}

void Translator::loadFastBound(int32_t arg) {
  if (!validSlot(arg)) return;
  const auto slot = static_cast<uint32_t>(arg);
  if ((code_.local_kinds[slot] & (kCell | kFree)) != 0) {
    // Either the cell, for an inner function, or a variable of an inlined comprehension that has a cell's name.
    ValueId value = isFree(arg) && !is_inner_ ? ValueId() : ssa_->read(block_, slot);
    stack_.push_back({.kind = Entry::Kind::Cell, .index = slot, .value = value});
    return;
  }
  push(ssa_->read(block_, slot));
}

/// Begin of an inlined comprehension: the variable of the same name outside is kept on the stack, assigned or not.
void Translator::loadFastAndClear(int32_t arg) {
  if (!validSlot(arg)) return;
  const auto variable = static_cast<uint32_t>(arg);
  push(ssa_->read(block_, variable));
  ssa_->write(block_, variable, SsaBuilder::unbound());
}

void Translator::storeFast(int32_t arg) {
  Entry entry = popEntry();
  if (!error_ && validSlot(arg)) writeVariable(arg, entry);
}

void Translator::deleteFast(int32_t arg) {
  if (!validSlot(arg)) return;
  readVariable(arg);
  ssa_->write(block_, static_cast<uint32_t>(arg), SsaBuilder::unbound());
}

// ---- cells: variables that inner functions see. They are captured by value, so to the function they are variables.

void Translator::refuseNonlocal(int32_t slot) {
  fail("'" + code_.local_names[static_cast<size_t>(slot)] + "' of an enclosing function is assigned",
       "nonlocal variables cannot be assigned: return the new value, or keep it in an array");
}

/// A free variable: a parameter of an inner function, a frozen value otherwise.
Entry Translator::readFree(int32_t slot) {
  if (is_inner_) return {.kind = Entry::Kind::Value, .value = readVariable(slot)};
  const size_t index = static_cast<size_t>(slot) + code_.free_names.size() - local_count_;
  if (index < snapshot_.free_values.size() && snapshot_.free_values[index])
    return {.kind = Entry::Kind::Const, .index = snapshot_.free_values[index]->value, .unit = unit_};
  ValueId value = emit(Opcode::GUndefinedName, {}, local_symbols_[static_cast<size_t>(slot)].value);
  return {.kind = Entry::Kind::Value, .value = value};
}

/// What a cell holds now, for an inner function.
ValueId Translator::readCell(int32_t slot) {
  if (!isFree(slot)) return readVariable(slot);
  Entry entry = readFree(slot);
  return valueOf(entry);
}

void Translator::loadDeref(int32_t arg) {
  if (!validSlot(arg)) return;
  if (isFree(arg))
    stack_.push_back(readFree(arg));
  else
    push(readVariable(arg));
}

void Translator::noteCellStore(int32_t slot) {
  cell_stores_.push_back({slot, block_, static_cast<uint32_t>(function_->numInsts()), unit_});
}

void Translator::storeDeref(int32_t arg) {
  Entry entry = popEntry();
  if (error_ || !validSlot(arg)) return;
  if (isFree(arg)) {
    refuseNonlocal(arg);
    return;
  }
  writeVariable(arg, entry);
  noteCellStore(arg);
}

void Translator::deleteDeref(int32_t arg) {
  if (!validSlot(arg)) return;
  if (isFree(arg)) {
    refuseNonlocal(arg);
    return;
  }
  deleteFast(arg);
  noteCellStore(arg);
}

void Translator::loadClosure(int32_t arg) {
  if (validSlot(arg)) stack_.push_back({.kind = Entry::Kind::Cell, .index = static_cast<uint32_t>(arg)});
}

} // namespace naja::frontend
