#include "naja/passes/value_table.h"

#include "naja/support/interner.h"

namespace naja::passes {
using namespace ir;

namespace {

/// The attribute without wrap flags, which say only what is known of the operands.
int64_t identity(const Inst &inst) {
  bool flags = inst.op == Opcode::IAdd || inst.op == Opcode::ISub || inst.op == Opcode::IMul;
  return flags ? 0 : inst.attr;
}

bool same(const Inst &a, const Inst &b) {
  return a.op == b.op && a.type == b.type && identity(a) == identity(b) && a.operands == b.operands &&
         a.int_list == b.int_list;
}

} // namespace

ValueTable::ValueTable(const Function &function) : function_(function), slots_(64) {}

size_t ValueTable::hash(const Inst &inst) {
  size_t seed = static_cast<size_t>(inst.op);
  hashCombine(seed, inst.type.value);
  hashCombine(seed, static_cast<size_t>(identity(inst)));
  for (ValueId operand : inst.operands)
    hashCombine(seed, operand.value);
  for (int64_t item : inst.int_list)
    hashCombine(seed, static_cast<size_t>(item));
  return seed * 0x9e3779b97f4a7c15ULL;
}

InstId &ValueTable::slot(const Inst &inst) {
  if (used_ * 2 > slots_.size())
    grow();
  size_t mask = slots_.size() - 1, at = (hash(inst) >> 20U) & mask;
  while (slots_[at].valid() && !same(function_.inst(slots_[at]), inst))
    at = (at + 1) & mask;
  if (!slots_[at].valid())
    ++used_; // the caller fills it
  return slots_[at];
}

void ValueTable::grow() {
  std::vector<InstId> old(slots_.size() * 2);
  old.swap(slots_);
  size_t mask = slots_.size() - 1;
  for (InstId id : old) {
    if (!id.valid())
      continue;
    size_t at = (hash(function_.inst(id)) >> 20U) & mask;
    while (slots_[at].valid())
      at = (at + 1) & mask;
    slots_[at] = id;
  }
}

} // namespace naja::passes
