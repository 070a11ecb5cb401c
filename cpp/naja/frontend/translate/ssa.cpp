#include "naja/frontend/translate/ssa.h"

#include <algorithm>
#include <bit>

namespace naja::frontend {

using ir::BlockId;
using ir::InstId;
using ir::Opcode;
using ir::ValueId;

DefinitionMap::DefinitionMap(size_t expected) : slots_(std::bit_ceil(std::max<size_t>(64, expected * 2))) {}

size_t DefinitionMap::place(uint64_t key) const {
  const size_t mask = slots_.size() - 1;
  size_t i = (key * 0x9e3779b97f4a7c15ULL >> 20U) & mask;
  while (slots_[i].key != key && slots_[i].key != kEmpty) i = (i + 1) & mask;
  return i;
}
ValueId DefinitionMap::find(uint32_t block, uint32_t variable) const {
  return slots_[place(keyOf(block, variable))].value;
}
void DefinitionMap::set(uint32_t block, uint32_t variable, ValueId value) {
  if (2 * (used_ + 1) > slots_.size()) grow();
  const uint64_t key = keyOf(block, variable);
  Slot &slot = slots_[place(key)];
  used_ += slot.key == kEmpty ? 1 : 0;
  slot = {key, value};
}
void DefinitionMap::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot &slot : old) {
    if (slot.key != kEmpty) slots_[place(slot.key)] = slot;
  }
}

SsaBuilder::SsaBuilder(ir::Function &function, const Cfg &cfg, size_t expected_definitions)
    : function_(function), cfg_(cfg), definitions_(expected_definitions) {}

void SsaBuilder::writeOnce(uint32_t variable, ValueId value) {
  if (once_.size() <= variable) once_.resize(variable + 1);
  once_[variable] = value;
}

ValueId SsaBuilder::read(uint32_t block, uint32_t variable) {
  if (variable < once_.size() && once_[variable].valid()) return once_[variable];
  ValueId value;
  uint32_t at = block;
  while (true) {
    value = definitions_.find(at, variable);
    if (value.valid()) break;
    auto predecessors = cfg_.predecessors(at);
    if (predecessors.size() == 1) {
      at = predecessors[0].block;
      continue;
    }
    if (predecessors.empty()) {
      value = unbound();
    } else {
      value = phiId(static_cast<uint32_t>(phis_.size()));
      phis_.push_back({.block = at, .variable = variable, .first_arg = 0, .alias = value});
    }
    definitions_.set(at, variable, value);
    break;
  }
  // Remember it on the way, so that chains of blocks are walked once.
  for (uint32_t b = block; b != at; b = cfg_.predecessors(b)[0].block) definitions_.set(b, variable, value);
  return value;
}

/// Looks arguments up; that may make more parameters, which come later in the list.
void SsaBuilder::fillArguments() {
  for (uint32_t i = 0; i < phis_.size(); ++i) {
    phis_[i].first_arg = static_cast<uint32_t>(args_.size());
    const uint32_t block = phis_[i].block, variable = phis_[i].variable;
    for (const Cfg::Predecessor &pred : cfg_.predecessors(block)) args_.push_back(read(pred.block, variable));
  }
}

void SsaBuilder::collectUsers() {
  user_begin_.assign(phis_.size() + 1, 0);
  for (ValueId arg : args_) {
    if (isPhi(arg)) ++user_begin_[phiIndex(arg) + 1];
  }
  for (size_t i = 1; i < user_begin_.size(); ++i) user_begin_[i] += user_begin_[i - 1];
  users_.resize(user_begin_.back());
  std::vector<uint32_t> next(user_begin_.begin(), user_begin_.end() - 1);
  for (uint32_t i = 0; i < phis_.size(); ++i) {
    for (ValueId arg : argsOf(phis_[i])) {
      if (isPhi(arg)) users_[next[phiIndex(arg)]++] = i;
    }
  }
}

void SsaBuilder::findUnbound() {
  std::vector<uint32_t> work;
  auto mark = [&](uint32_t index) {
    if (phis_[index].may_be_unbound) return;
    phis_[index].may_be_unbound = true;
    work.push_back(index);
  };
  for (uint32_t i = 0; i < phis_.size(); ++i) {
    auto args = argsOf(phis_[i]);
    if (std::find(args.begin(), args.end(), unbound()) != args.end()) mark(i);
  }
  while (!work.empty()) {
    const uint32_t index = work.back();
    work.pop_back();
    for (uint32_t k = user_begin_[index]; k < user_begin_[index + 1]; ++k) mark(users_[k]);
  }
}

void SsaBuilder::dropChecks() {
  if (checks_.empty()) return;
  dropped_.resize(function_.numValues());
  for (InstId id : checks_) {
    const ir::Inst &check = function_.inst(id);
    const ValueId operand = check.operands[0];
    const bool needed = operand == unbound() || (isPhi(operand) && phis_[phiIndex(operand)].may_be_unbound);
    if (!needed) dropped_[check.result.value] = operand;
  }
}

ValueId SsaBuilder::resolve(ValueId value) {
  while (value.valid()) {
    if (isPhi(value)) {
      const ValueId alias = phis_[phiIndex(value)].alias;
      if (alias == value) break;
      value = alias;
    } else if (value.value < dropped_.size() && dropped_[value.value].valid()) {
      value = dropped_[value.value];
    } else {
      break;
    }
  }
  return value;
}

/// A parameter whose arguments are all one value (or itself) is that value.
bool SsaBuilder::tryRemove(uint32_t index, std::vector<uint32_t> &work) {
  const ValueId self = phiId(index);
  ValueId same;
  for (ValueId &arg : std::span(args_.data() + phis_[index].first_arg, cfg_.predecessors(phis_[index].block).size())) {
    arg = resolve(arg);
    if (arg == self || arg == same) continue;
    if (same.valid()) return false;
    same = arg;
  }
  if (!same.valid()) same = unbound();
  phis_[index].alias = same;
  // Users of this one, and of all that were it, may have become trivial now.
  uint32_t last = index;
  for (uint32_t p = index; p != kNo; p = phis_[p].next_same) {
    for (uint32_t k = user_begin_[p]; k < user_begin_[p + 1]; ++k) work.push_back(users_[k]);
    last = p;
  }
  if (isPhi(same)) {
    phis_[last].next_same = phis_[phiIndex(same)].next_same;
    phis_[phiIndex(same)].next_same = index;
  }
  return true;
}

void SsaBuilder::removeTrivial() {
  std::vector<uint32_t> work;
  for (uint32_t i = 0; i < phis_.size(); ++i) tryRemove(i, work);
  while (!work.empty()) {
    const uint32_t index = work.back();
    work.pop_back();
    if (phis_[index].alias == phiId(index)) tryRemove(index, work);
  }
}

void SsaBuilder::markLive() {
  std::vector<uint32_t> work;
  auto mark = [&](ValueId value) {
    value = resolve(value);
    if (!isPhi(value) || phis_[phiIndex(value)].live) return;
    phis_[phiIndex(value)].live = true;
    work.push_back(phiIndex(value));
  };
  for (uint32_t b = 0; b < function_.numBlocks(); ++b) {
    for (InstId id : function_.block(BlockId(b)).insts) {
      const ir::Inst &inst = function_.inst(id);
      if (inst.result.valid() && resolve(inst.result) != inst.result) continue; // a dropped check
      for (ValueId operand : inst.operands) mark(operand);
    }
  }
  while (!work.empty()) {
    const uint32_t index = work.back();
    work.pop_back();
    for (ValueId arg : argsOf(phis_[index])) mark(arg);
  }
}

void SsaBuilder::makeParams(const std::vector<ir::SymbolId> &names) {
  final_.resize(phis_.size());
  for (uint32_t i = 0; i < phis_.size(); ++i) {
    if (!phis_[i].live) continue;
    const ir::SymbolId name = phis_[i].variable < names.size() ? names[phis_[i].variable] : ir::SymbolId();
    final_[i] = function_.addParam(BlockId(phis_[i].block), {}, name);
  }
}

void SsaBuilder::giveNames() {
  for (auto [value, name] : suggested_) {
    value = resolve(value);
    if (isPhi(value)) value = final_[phiIndex(value)];
    if (!value.valid() || value == unbound()) continue;
    ir::SymbolId &known = function_.value(value).name;
    if (!known.valid()) known = name;
  }
}

ValueId SsaBuilder::realUnbound() {
  if (!real_unbound_.valid()) {
    ir::Inst inst;
    inst.op = Opcode::GUnbound;
    real_unbound_ = function_.inst(function_.insertAt(function_.entry(), 0, std::move(inst))).result;
  }
  return real_unbound_;
}

void SsaBuilder::rewrite() {
  auto real = [&](ValueId value) {
    value = resolve(value);
    if (value == unbound()) return realUnbound();
    return isPhi(value) ? final_[phiIndex(value)] : value;
  };
  for (uint32_t i = 0; i < phis_.size(); ++i) {
    if (!phis_[i].live) continue;
    auto args = argsOf(phis_[i]);
    auto predecessors = cfg_.predecessors(phis_[i].block);
    for (size_t k = 0; k < args.size(); ++k) {
      const ValueId arg = real(args[k]);
      function_.terminator(BlockId(predecessors[k].block)).edges[predecessors[k].edge].args.push_back(arg);
    }
  }
  for (uint32_t b = 0; b < function_.numBlocks(); ++b) {
    auto &insts = function_.block(BlockId(b)).insts;
    if (!dropped_.empty())
      std::erase_if(insts, [&](InstId id) {
        const ValueId result = function_.inst(id).result;
        return result.valid() && resolve(result) != result;
      });
    for (size_t k = 0; k < insts.size(); ++k) { // realUnbound may insert at the entry's begin
      const InstId id = insts[k];
      for (size_t o = 0; o < function_.inst(id).operands.size(); ++o) {
        const ValueId operand = real(function_.inst(id).operands[o]);
        function_.inst(id).operands[o] = operand;
      }
    }
  }
}

void SsaBuilder::finish(const std::vector<ir::SymbolId> &names) {
  fillArguments();
  collectUsers();
  findUnbound();
  dropChecks();
  removeTrivial();
  markLive();
  makeParams(names);
  giveNames();
  rewrite();
}

} // namespace naja::frontend
