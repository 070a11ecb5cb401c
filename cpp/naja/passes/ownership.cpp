#include "naja/passes/ownership.h"

#include "naja/types/layout.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

bool makesOwned(Opcode op) {
  return op == Opcode::ArrayAlloc || op == Opcode::ArrayMap || op == Opcode::Call || op == Opcode::CallRuntime ||
         op == Opcode::Box;
}

/// Pointers are borrowed from the array that they point into, though they have no references of their own.
bool isTracked(TypeId type) { return type.valid() && (hasReferences(type) || typeOf(type).kind == TypeKind::Pointer); }

} // namespace

Ownership::Ownership(const Function &function, const std::vector<BlockId> &order)
    : function_(function), facts_(function.numValues()) {
  for (BlockId block : order) {
    if (block == function.entry()) {
      for (ValueId param : function.block(block).params)
        facts_[param.value].null = !hasReferences(function.typeOf(param));
    } else {
      for (ValueId param : function.block(block).params) {
        if (hasReferences(function.typeOf(param)))
          define(param);
      }
    }
    for (InstId id : function.block(block).insts)
      instruction(function.inst(id));
  }
}

std::span<const uint32_t> Ownership::keeps(ValueId value) const {
  const Facts &facts = facts_[value.value];
  return std::span<const uint32_t>(pool_).subspan(facts.keeps_begin, facts.keeps_size);
}

void Ownership::setKeeps(Facts &facts, std::vector<uint32_t> roots) {
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  facts.keeps_begin = static_cast<uint32_t>(pool_.size());
  facts.keeps_size = static_cast<uint32_t>(roots.size());
  pool_.insert(pool_.end(), roots.begin(), roots.end());
}

void Ownership::define(ValueId value) {
  Facts &facts = facts_[value.value];
  facts.root = facts.owner = static_cast<int>(roots_.size());
  facts.null = false;
  roots_.push_back(value);
  setKeeps(facts, {static_cast<uint32_t>(facts.root)});
}

/// The same references under another name.
void Ownership::alias(ValueId value, ValueId of) {
  Facts &facts = facts_[value.value];
  facts = facts_[of.value];
  facts.root = -1;
  facts.is_tuple = false;
}

void Ownership::instruction(const Inst &inst) {
  if (!inst.result.valid() || (!isTracked(inst.type) && inst.op != Opcode::PtrToInt))
    return;
  if (makesOwned(inst.op)) {
    if (hasReferences(inst.type))
      define(inst.result);
    return;
  }
  Facts &facts = facts_[inst.result.value];
  switch (inst.op) {
  case Opcode::Undef: facts.null = true; break;
  case Opcode::Const: {
    // Frozen arrays and strings have no owner; a Python object has.
    auto references = referencesOf(inst.type);
    facts.null = std::none_of(references.begin(), references.end(), [](const ReferenceSlot &r) { return r.is_object; });
    break;
  }
  case Opcode::TupleGet: {
    const Inst *tuple = function_.def(inst.operands[0]);
    if (tuple != nullptr && tuple->op == Opcode::TupleMake)
      alias(inst.result, tuple->operands[static_cast<size_t>(inst.attr)]);
    else
      view(inst, inst.operands);
    break;
  }
  case Opcode::Select: view(inst, std::span<const ValueId>(inst.operands).subspan(1)); break;
  case Opcode::TupleMake:
    view(inst, inst.operands);
    facts.is_tuple = true;
    break;
  default: view(inst, inst.operands); break;
  }
}

void Ownership::view(const Inst &inst, std::span<const ValueId> bases) {
  Facts &facts = facts_[inst.result.value];
  std::vector<uint32_t> roots;
  bool null = true, any_base = false;
  for (ValueId base : bases) {
    auto kept = keeps(base);
    roots.insert(roots.end(), kept.begin(), kept.end());
    any_base = any_base || hasReferences(function_.typeOf(base));
    null = null && (facts_[base.value].null || !hasReferences(function_.typeOf(base)));
  }
  // A view has the references of its base; what is loaded from memory is borrowed from nobody that we know.
  bool whole = bases.size() >= 1 && inst.op != Opcode::Select && inst.op != Opcode::TupleMake &&
               inst.op != Opcode::TupleGet && inst.op != Opcode::TupleGetDynamic &&
               referencesOf(inst.type).size() == referencesOf(function_.typeOf(bases[0])).size();
  facts.owner = whole ? facts_[bases[0].value].owner : -1;
  bool reads_memory = (info(inst.op).effects & Reads) != 0;
  facts.null = null && (any_base || !reads_memory);
  setKeeps(facts, std::move(roots));
}

} // namespace naja::passes
