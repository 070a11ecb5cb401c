// Calls, and the making of inner functions.
#include "naja/frontend/translate/translator.h"

namespace naja::frontend {

using ir::Opcode;
using ir::ValueId;

// ---- calls

void Translator::setKeywordNames(ConstId names) {
  const auto *tuple = std::get_if<ConstTuple>(&ConstantStore::global().get(names).value);
  if (!tuple) {
    failMalformed();
    return;
  }
  keyword_names_.clear();
  for (ConstId item : tuple->items) {
    if (const auto *text = std::get_if<std::string>(&ConstantStore::global().get(item).value))
      keyword_names_.push_back(ir::internSymbol(*text));
    else
      failMalformed();
  }
}
void Translator::kwNames(int32_t arg) { setKeywordNames(constantAt(arg)); }
void Translator::popKwNames(int32_t) {
  Entry entry = popEntry();
  if (entry.kind == Entry::Kind::Const)
    setKeywordNames(ConstId(entry.index));
  else
    failMalformed();
}

/// Below the arguments lie a callable and a NULL in either order, or a callable and its first argument (a comprehension
/// or decorator called at once).
Entry Translator::callee(std::vector<ValueId> &args) {
  Entry upper = popEntry(), lower = popEntry();
  if (upper.kind == Entry::Kind::Null) return lower;
  if (lower.kind == Entry::Kind::Null) return upper;
  args.insert(args.begin(), valueOf(upper));
  return lower;
}

void Translator::call(int32_t arg) {
  // The callee is evaluated first: its constant comes first.
  if (Entry *lower = peek(arg + 2); lower && lower->kind == Entry::Kind::Const) valueOf(*lower);
  if (Entry *upper = peek(arg + 1); upper && upper->kind == Entry::Kind::Const) valueOf(*upper);
  if (error_) return;
  auto args = popValues(arg);
  if (error_) return;
  Entry function = callee(args);
  ValueId function_value = error_ ? ValueId() : valueOf(function);
  if (error_) return;
  args.insert(args.begin(), function_value);
  push(emit(Opcode::GCall, args));
  for (ir::SymbolId name : keyword_names_) last().int_list.push_back(name.value);
  keyword_names_.clear();
}

/// f(*args, k=v): keywords are written out in the call, or refused.
void Translator::callStar(int32_t arg) {
  std::vector<ValueId> keywords;
  std::vector<ir::SymbolId> names;
  if (arg != 0) {
    ValueId dict = popValue();
    const ir::Inst *literal = error_ ? nullptr : literalDict(dict);
    if (!literal) {
      dictMerge(0);
      return;
    }
    for (size_t i = 0; i + 1 < literal->operands.size(); i += 2) {
      const std::string *text = literalText(literal->operands[i]);
      if (!text) {
        dictMerge(0);
        return;
      }
      names.push_back(ir::internSymbol(*text));
      keywords.push_back(literal->operands[i + 1]);
    }
  }
  ValueId args = popValue();
  std::vector<ValueId> first;
  Entry function = error_ ? Entry() : callee(first);
  ValueId function_value = error_ ? ValueId() : valueOf(function);
  if (error_) return;
  std::vector<ValueId> operands{function_value, args};
  operands.insert(operands.end(), keywords.begin(), keywords.end());
  push(emit(Opcode::GCallStar, operands));
  for (ir::SymbolId name : names) last().int_list.push_back(name.value);
}

// ---- inner functions

/// Default values: a constant tuple, or a tuple made just before.
void Translator::setDefaults(PendingFunction &pending, Entry entry) {
  if (entry.kind == Entry::Kind::Const) {
    const auto *tuple = std::get_if<ConstTuple>(&ConstantStore::global().get(ConstId(entry.index)).value);
    for (size_t i = 0; tuple && i < tuple->items.size(); ++i) pending.defaults.push_back(constant(tuple->items[i]));
    if (!tuple) failMalformed();
    return;
  }
  ValueId value = valueOf(entry);
  if (error_) return;
  if (opcodeOf(value) == Opcode::GTuple)
    pending.defaults = function_->def(value)->operands;
  else
    fail("default values of an inner function cannot be compiled",
         "compute them before the function and assign them to names");
}

void Translator::setKeywordDefaults(PendingFunction &pending, Entry entry) {
  ValueId value = valueOf(entry);
  const ir::Inst *dict = error_ ? nullptr : literalDict(value);
  if (!dict) {
    fail("default values of an inner function cannot be compiled",
         "compute them before the function and assign them to names");
    return;
  }
  for (size_t i = 0; i + 1 < dict->operands.size(); i += 2) {
    const std::string *text = literalText(dict->operands[i]);
    if (!text) {
      failMalformed();
      return;
    }
    pending.keyword_names.push_back(ir::internSymbol(*text));
    pending.keyword_defaults.push_back(dict->operands[i + 1]);
  }
}

/// Takes what lies on top as that attribute of the function.
void Translator::setAttribute(PendingFunction &pending, int32_t which) {
  Entry entry = popEntry();
  if (error_) return;
  if (which == kHasDefaults) {
    setDefaults(pending, entry);
  } else if (which == kHasKeywordDefaults) {
    setKeywordDefaults(pending, entry);
  } else if (which == kHasClosure) {
    if (entry.kind != Entry::Kind::Cells) {
      failMalformed();
      return;
    }
    for (const Entry &cell : closures_[entry.index]) pending.captured.push_back(static_cast<int32_t>(cell.index));
  } // annotations say nothing to us
}

void Translator::makeFunction(int32_t arg) {
  Entry function = popEntry();
  if (function.kind != Entry::Kind::Function) {
    failMalformed();
    return;
  }
  for (int32_t which : {kHasClosure, kHasAnnotations, kHasKeywordDefaults, kHasDefaults}) {
    if ((arg & which) != 0) setAttribute(pending_functions_[function.index], which);
  }
  stack_.push_back(function);
}

void Translator::setFunctionAttribute(int32_t arg) {
  Entry function = popEntry();
  if (function.kind != Entry::Kind::Function) {
    failMalformed();
    return;
  }
  setAttribute(pending_functions_[function.index], arg);
  stack_.push_back(function);
}

ValueId Translator::emitFunction(PendingFunction &pending) {
  std::vector<ValueId> operands;
  for (int32_t slot : pending.captured) operands.push_back(readCell(slot));
  operands.insert(operands.end(), pending.defaults.begin(), pending.defaults.end());
  operands.insert(operands.end(), pending.keyword_defaults.begin(), pending.keyword_defaults.end());
  if (error_) return {};
  ValueId value = emit(Opcode::GMakeFunction, operands, innerIndex(pending.code));
  ir::Inst &inst = last();
  inst.int_list = {static_cast<int64_t>(pending.captured.size()), static_cast<int64_t>(pending.defaults.size())};
  for (ir::SymbolId name : pending.keyword_names) inst.int_list.push_back(name.value);
  if (!pending.captured.empty()) capture_sites_.push_back({value, pending.captured, pending.code});
  return value;
}

uint32_t Translator::innerIndex(uint32_t code) {
  auto [it, is_new] = inner_index_.try_emplace(code, static_cast<uint32_t>(out_.inner.size()));
  if (is_new) out_.inner.push_back(innerSnapshot(code, it->second));
  return it->second;
}

/// An inner function sees the globals of the outer one. It is told apart by its place in it.
std::shared_ptr<const FunctionSnapshot> Translator::innerSnapshot(uint32_t code, uint32_t index) {
  auto inner = std::make_shared<FunctionSnapshot>();
  inner->code = code_.codes[code];
  inner->module = snapshot_.module;
  inner->globals = snapshot_.globals;
  inner->global_values.resize(inner->code->names.size());
  for (uint32_t name : inner->code->global_names) inner->global_values[name] = globalValue(inner->code->names[name]);
  inner->free_values.resize(inner->code->free_names.size());
  inner->content_hash = snapshot_.content_hash ^ ((index + 1) * 0x9e3779b97f4a7c15ULL);
  return inner;
}

} // namespace naja::frontend
