#include "naja/passes/index_ranges.h"

#include "naja/passes/cfg.h"
#include "naja/passes/symbolic_bounds.h"

#include <memory>

namespace naja::passes {
using namespace ir;

namespace {

/// What is to be done with an instruction. Everything is decided before anything is changed, as the ranges look at the
/// instructions.
enum class Action : uint8_t { Keep, Remove, UseOperand, AddExtent, True, False, DivideUnsigned };

class IndexRanges {
public:
  explicit IndexRanges(Function &function) : f_(function), ranges_(function) {}

  void run() {
    actions_.assign(f_.numInsts(), Action::Keep);
    bool any = false;
    for (BlockId block : ranges_.dominators().order()) {
      for (InstId id : f_.block(block).insts) {
        actions_[id.value] = decide(id);
        any = any || actions_[id.value] != Action::Keep;
      }
    }
    for (BlockId block : ranges_.dominators().order()) {
      for (InstId id : f_.block(block).insts)
        markWrap(id);
    }
    if (!any)
      return;
    growMap();
    for (BlockId block : ranges_.dominators().order()) {
      insts_.clear();
      for (InstId id : std::vector<InstId>(std::move(f_.block(block).insts)))
        apply(id);
      f_.block(block).insts = insts_;
    }
    auto &entry = f_.block(f_.entry()).insts;
    entry.insert(entry.begin(), constants_.begin(), constants_.end());
    growMap();
    replaceValues(f_, map_);
  }

private:
  NodeId operand(InstId id, size_t i) const {
    const auto &operands = ranges_.operands(id);
    return i < operands.size() ? operands[i] : kNoNode;
  }
  Interval exact(InstId id, size_t i) const {
    NodeId node = operand(id, i);
    return node == kNoNode ? Interval() : ranges_.node(node).exact;
  }

  Action decide(InstId id) {
    switch (f_.inst(id).op) {
    case Opcode::IFloorDiv: case Opcode::IMod: return divide(id);
    case Opcode::WrapIndex: return wrapIndex(id);
    case Opcode::CheckIndex: return inRange(id) ? Action::Remove : Action::Keep;
    case Opcode::CheckNonZero: return nonZero(id) ? Action::Remove : Action::Keep;
    case Opcode::ICmp: return compare(id);
    default: return Action::Keep;
    }
  }

  void markWrap(InstId id) {
    Opcode op = f_.inst(id).op;
    if (op != Opcode::IAdd && op != Opcode::ISub && op != Opcode::IMul)
      return;
    if (ranges_.cannotWrap(id, false))
      f_.inst(id).attr |= kNoWrapSigned;
    if (ranges_.cannotWrap(id, true))
      f_.inst(id).attr |= kNoWrapUnsigned;
  }

  /// Unsigned division needs no correction for signs.
  Action divide(InstId id) const {
    Interval a = exact(id, 0), b = exact(id, 1);
    bool positive = typeOf(f_.inst(id).type).is_signed && !a.empty() && !b.empty() && a.low >= 0 && b.low >= 0;
    return positive ? Action::DivideUnsigned : Action::Keep;
  }

  Action wrapIndex(InstId id) {
    Interval index = exact(id, 0);
    if (index.empty())
      return Action::Keep;
    if (index.high < 0)
      return Action::AddExtent;
    return index.low >= 0 || idealNotNegative(operand(id, 0)) ? Action::UseOperand : Action::Keep;
  }

  bool idealNotNegative(NodeId node) {
    if (!ideal_solved_) {
      ranges_.solveIdeal();
      ideal_solved_ = true;
    }
    const Interval &ideal = ranges_.node(node).ideal;
    if (ideal.empty())
      return false;
    if (ideal.low >= 0)
      return true;
    if (!ideal_bounds_)
      ideal_bounds_ = std::make_unique<SymbolicBounds>(f_, ranges_, true);
    return ideal_bounds_->low(node) >= 0;
  }

  bool inRange(InstId id) {
    Interval index = exact(id, 0), extent = exact(id, 1);
    if (index.empty() || extent.empty())
      return false;
    if (index.low >= 0 && index.high < extent.low)
      return true;
    if (!exact_bounds_)
      exact_bounds_ = std::make_unique<SymbolicBounds>(f_, ranges_, false);
    return exact_bounds_->low(operand(id, 0)) >= 0 && exact_bounds_->below(operand(id, 0), operand(id, 1));
  }

  bool nonZero(InstId id) const {
    Interval value = exact(id, 0);
    return !value.empty() && !value.contains(0);
  }

  Action compare(InstId id) const {
    NodeId node = ranges_.definition(f_.inst(id).result);
    const Interval &outcome = ranges_.node(node).exact;
    return !outcome.single() ? Action::Keep : outcome.low != 0 ? Action::True : Action::False;
  }

  // ---- changing

  void apply(InstId id) {
    ValueId result = f_.inst(id).result;
    switch (actions_[id.value]) {
    case Action::Keep: insts_.push_back(id); break;
    case Action::Remove: break;
    case Action::UseOperand: map_[result.value] = f_.inst(id).operands[0]; break;
    case Action::AddExtent:
      f_.inst(id).op = Opcode::IAdd;
      f_.inst(id).attr = kNoWrapSigned; // an extent and a negative number
      insts_.push_back(id);
      break;
    case Action::True: map_[result.value] = boolean(true); break;
    case Action::False: map_[result.value] = boolean(false); break;
    case Action::DivideUnsigned: divideUnsigned(id); break;
    }
  }

  ValueId place(Inst inst) {
    InstId id = f_.makeInst(std::move(inst));
    insts_.push_back(id);
    growMap();
    return f_.inst(id).result;
  }

  void divideUnsigned(InstId id) {
    Inst division = f_.inst(id);
    division.type = types().integer(typeOf(division.type).bits, false);
    for (ValueId &value : division.operands) {
      Inst cast;
      cast.op = Opcode::Cast;
      cast.type = division.type;
      cast.loc = division.loc;
      cast.operands = {value};
      value = place(std::move(cast));
    }
    ValueId quotient = place(std::move(division));
    // The old instruction becomes the conversion back, so that its value stays.
    Inst &back = f_.inst(id);
    back.op = Opcode::Cast;
    back.operands = {quotient};
    insts_.push_back(id);
  }

  ValueId boolean(bool value) {
    ValueId &constant = booleans_[value ? 1 : 0];
    if (!constant.valid()) {
      Inst inst;
      inst.op = Opcode::Const;
      inst.type = types().boolean;
      inst.attr = ConstantStore::global().ofBool(value).value;
      InstId id = f_.makeInst(std::move(inst));
      constants_.push_back(id);
      constant = f_.inst(id).result;
      growMap();
    }
    return constant;
  }

  void growMap() {
    while (map_.size() < f_.numValues())
      map_.emplace_back(static_cast<uint32_t>(map_.size()));
  }

  Function &f_;
  ValueRanges ranges_;
  std::unique_ptr<SymbolicBounds> ideal_bounds_, exact_bounds_;
  bool ideal_solved_ = false;
  std::vector<Action> actions_;
  std::vector<InstId> insts_, constants_;
  std::vector<ValueId> map_;
  ValueId booleans_[2];
};

bool anyIntegers(const Function &function) {
  for (uint32_t i = 0; i < function.numInsts(); ++i) {
    const Inst &inst = function.inst(InstId(i));
    if (inst.op == Opcode::IAdd || inst.op == Opcode::ISub || inst.op == Opcode::IMul || inst.op == Opcode::WrapIndex ||
        inst.op == Opcode::CheckIndex || inst.op == Opcode::CheckNonZero || inst.op == Opcode::IFloorDiv ||
        inst.op == Opcode::IMod || inst.op == Opcode::ICmp)
      return true;
  }
  return false;
}

} // namespace

void indexRangesOf(Function &function) {
  if (!function.external && function.typed && anyIntegers(function))
    IndexRanges(function).run();
}

void indexRanges(Module &module) {
  for (const auto &function : module.functions)
    indexRangesOf(*function);
}

} // namespace naja::passes
