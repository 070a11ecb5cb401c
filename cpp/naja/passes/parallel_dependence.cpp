#include "naja/passes/parallel_dependence.h"

#include "naja/passes/scalar_constant.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

/// A subscript as factor * index + offset, plus a value that all iterations have in common (invalid: none).
struct Subscript {
  int64_t factor = 0, offset = 0;
  ValueId base;
};

struct Access {
  InstId inst;
  ValueId array;
  std::vector<Subscript> subscripts;
  bool writes = false, affine = true, always = false;
};

class Dependences {
public:
  Dependences(const Function &f, const MarkedLoop &loop, const Dominators &dominators,
              const std::vector<ArrayReduction> &reductions)
      : f_(f), loop_(loop), dominators_(dominators), reductions_(reductions) {
    for (BlockId block : loop.order) {
      for (InstId id : f.block(block).insts) collect(block, id);
    }
  }

  std::optional<Dependence> find() const {
    for (const Access &write : accesses_) {
      if (!write.writes || !write.affine) continue;
      if (isCommon(write) && write.always && !storesCommonValue(write)) return report(write, write);
      for (const Access &other : accesses_) {
        if (&other != &write && other.array == write.array && other.affine && other.always && write.always &&
            neighbours(write, other))
          return report(other, write);
      }
    }
    return {};
  }

private:
  bool isOutside(ValueId value) const {
    BlockId home = dominators_.blockOf(value);
    return home.valid() && !loop_.inside[home.value];
  }

  /// Runs in every iteration: dominates all back edges, or stands in an inner loop of which the header does.
  bool runsAlways(BlockId block) const {
    return std::ranges::all_of(loop_.loop.blocks, [&](BlockId from) {
      const auto &edges = f_.terminator(from).edges;
      bool back = std::ranges::any_of(edges, [&](const Edge &edge) { return edge.target == loop_.header; });
      return !back || dominators_.dominates(block, from);
    });
  }

  void collect(BlockId block, InstId id) {
    const Inst &inst = f_.inst(id);
    if (inst.op == Opcode::ArrayMapInto) return collectAssignment(block, id);
    if (inst.op != Opcode::ArrayLoad && inst.op != Opcode::ArrayStore) return;
    if (!isOutside(inst.operands[0])) return;
    Access access;
    access.inst = id;
    access.array = inst.operands[0];
    access.writes = inst.op == Opcode::ArrayStore;
    access.always = runsAlways(block);
    for (size_t i = 1; i <= typeOf(f_.typeOf(access.array)).ndim; ++i) {
      auto subscript = affine(inst.operands[i], 0);
      access.affine = access.affine && subscript.has_value();
      access.subscripts.push_back(subscript.value_or(Subscript{}));
    }
    accesses_.push_back(std::move(access));
  }

  /// An array, or a part of one that is the same in all iterations, is assigned as a whole.
  void collectAssignment(BlockId block, InstId id) {
    const Inst &inst = f_.inst(id);
    ValueId array = inst.operands[0];
    for (const Inst *def = f_.def(array); def && def->op == Opcode::ArrayView; def = f_.def(array)) {
      if (!std::all_of(def->operands.begin() + 1, def->operands.end(), [&](ValueId v) { return isCommonValue(v); })) return;
      array = def->operands[0];
    }
    bool reduced = std::ranges::any_of(reductions_, [&](const ArrayReduction &r) { return r.array == inst.operands[0]; });
    if (reduced || !isOutside(array)) return;
    Access access;
    access.inst = id;
    access.array = array;
    access.writes = true;
    access.always = runsAlways(block);
    accesses_.push_back(std::move(access));
  }
  bool isCommonValue(ValueId value) const {
    const Inst *def = f_.def(value);
    return isOutside(value) || (def && def->op == Opcode::Const);
  }

  std::optional<Subscript> affine(ValueId value, int depth) const {
    if (value == loop_.index) return Subscript{1, 0, {}};
    const Inst *def = f_.def(value);
    if (auto constant = def ? scalarOf(*def) : std::nullopt) return Subscript{0, constant->bits, {}};
    if (isOutside(value)) return Subscript{0, 0, value};
    if (!def || depth > 8) return {};
    if (def->op == Opcode::Cast && typeOf(def->type).kind == TypeKind::Int) return affine(def->operands[0], depth + 1);
    if (def->op == Opcode::WrapIndex) {
      auto inner = affine(def->operands[0], depth + 1);
      // Where a constant or an index that never goes below zero is wrapped it stays what it is; others may not.
      return inner && inner->factor == 0 ? std::optional(Subscript{0, 0, value}) : inner;
    }
    if (def->op != Opcode::IAdd && def->op != Opcode::ISub && def->op != Opcode::IMul) return {};
    auto a = affine(def->operands[0], depth + 1), b = affine(def->operands[1], depth + 1);
    if (!a || !b) return {};
    if (def->op == Opcode::IMul) {
      if (a->factor != 0 || a->base.valid()) std::swap(a, b);
      if (a->factor != 0 || a->base.valid() || b->base.valid()) return {};
      return Subscript{b->factor * a->offset, b->offset * a->offset, {}};
    }
    if (b->base.valid() && (a->base.valid() || def->op == Opcode::ISub)) return {};
    int64_t sign = def->op == Opcode::IAdd ? 1 : -1;
    return Subscript{a->factor + sign * b->factor, a->offset + sign * b->offset, a->base.valid() ? a->base : b->base};
  }

  /// Every iteration writes the same element.
  static bool isCommon(const Access &access) {
    return std::ranges::all_of(access.subscripts, [](const Subscript &s) { return s.factor == 0; });
  }
  /// All of them the same value: no matter in which order.
  bool storesCommonValue(const Access &access) const {
    const auto &operands = f_.inst(access.inst).operands;
    if (f_.inst(access.inst).op == Opcode::ArrayStore) return isCommonValue(operands.back());
    return std::all_of(operands.begin() + 1, operands.end(),
                       [&](ValueId v) { return isCommonValue(v) && v != operands[0]; });
  }

  /// Subscripts that meet in different iterations: i + 1 and i, with all else the same.
  static bool neighbours(const Access &a, const Access &b) {
    bool apart = false;
    for (size_t i = 0; i < a.subscripts.size(); ++i) {
      const Subscript &x = a.subscripts[i], &y = b.subscripts[i];
      if (x.factor != y.factor || x.base != y.base) return false;
      if (x.offset == y.offset) continue;
      if (x.factor == 0 || apart || (x.offset - y.offset) % x.factor != 0) return false;
      apart = true;
    }
    return apart;
  }

  std::optional<Dependence> report(const Access &first, const Access &second) const {
    Dependence d;
    d.where = f_.inst(first.inst).loc;
    d.other = f_.inst(second.inst).loc;
    SymbolId name = f_.value(first.array).name;
    std::string array = name.valid() ? "'" + std::string(symbolText(name)) + "'" : "an array";
    d.text = &first == &second ? "all iterations write the same element of " + array
                               : "iterations read and write the same elements of " + array;
    return d;
  }

  const Function &f_;
  const MarkedLoop &loop_;
  const Dominators &dominators_;
  const std::vector<ArrayReduction> &reductions_;
  std::vector<Access> accesses_;
};

} // namespace

std::optional<Dependence> arrayDependence(const Function &function, const MarkedLoop &loop, const Dominators &dominators,
                                          const std::vector<ArrayReduction> &reductions) {
  return Dependences(function, loop, dominators, reductions).find();
}

} // namespace naja::passes
