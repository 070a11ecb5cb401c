#include "naja/passes/parallel_loops.h"

#include "naja/passes/parallel_carried.h"
#include "naja/passes/parallel_dependence.h"
#include "naja/passes/parallel_outline.h"
#include "naja/passes/scalar_constant.h"
#include "naja/types/layout.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

constexpr const char *kExits = "more than one entry to or exit from the loop (break or return)";

/// Finds out whether a loop with a mark can be a region.
class Candidate {
public:
  Candidate(const Function &f, const Loop &loop, const Dominators &dominators) : f_(f), dominators_(dominators) {
    result_.loop = loop;
    result_.header = loop.header;
    result_.loc = f.terminator(loop.header).loc;
  }

  /// Why not; null: it can.
  const char *examine() {
    if (!counts()) return "the loop is not a counted one any more";
    if (!findInside()) return kExits;
    if (usedAfter()) return "a value of the loop's header is used after it";
    return nullptr;
  }
  MarkedLoop &result() { return result_; }

private:
  bool contains(BlockId block) const { return std::ranges::find(result_.loop.blocks, block) != result_.loop.blocks.end(); }

  bool counts() {
    const Inst &end = f_.terminator(result_.header);
    if (end.op != Opcode::CondBr || !contains(end.edges[0].target) || contains(end.edges[1].target)) return false;
    result_.compare = f_.value(end.operands[0]).inst;
    const Inst *compare = f_.def(end.operands[0]);
    if (!compare || compare->op != Opcode::ICmp || dominators_.blockOf(result_.compare) != result_.header) return false;
    Predicate p = compare->predicate();
    if (p != Predicate::Lt && p != Predicate::Gt) return false;
    for (unsigned side : {0U, 1U}) {
      const Value &value = f_.value(compare->operands[side]);
      if (value.inst.valid() || value.block != result_.header) continue;
      result_.index = compare->operands[side];
      result_.stop = compare->operands[1 - side];
      result_.up = (p == Predicate::Lt) == (side == 0);
      BlockId home = dominators_.blockOf(result_.stop);
      return home.valid() && !contains(home) && stepsByOne();
    }
    return false;
  }

  bool stepsByOne() const {
    bool any = false;
    for (BlockId block : result_.loop.blocks) {
      for (const Edge &edge : f_.terminator(block).edges) {
        if (edge.target != result_.header) continue;
        const Inst *next = f_.def(edge.args[f_.value(result_.index).index]);
        if (!next || (next->op != Opcode::IAdd && next->op != Opcode::ISub) || next->operands[0] != result_.index) return false;
        const Inst *amount = f_.def(next->operands[1]);
        auto step = amount ? scalarOf(*amount) : std::nullopt;
        int64_t wanted = result_.up ? 1 : -1;
        if (!step || (next->op == Opcode::IAdd ? step->bits : -step->bits) != wanted) return false;
        any = true;
      }
    }
    return any;
  }

  /// The loop's blocks, and those from where everything ends by raising.
  bool findInside() {
    result_.inside.assign(f_.numBlocks(), false);
    std::vector<BlockId> work;
    for (BlockId block : result_.loop.blocks) result_.inside[block.value] = true;
    auto reach = [&](BlockId block) {
      if (!block.valid() || result_.inside[block.value]) return;
      result_.inside[block.value] = true;
      work.push_back(block);
    };
    for (BlockId block : result_.loop.blocks) {
      for (const Edge &edge : f_.terminator(block).edges) {
        if (block != result_.header) reach(edge.target);
      }
      for (InstId id : f_.block(block).insts) reach(f_.inst(id).unwind);
    }
    while (!work.empty()) {
      BlockId block = work.back();
      work.pop_back();
      const Inst &end = f_.terminator(block);
      if (end.op == Opcode::Return || block == f_.terminator(result_.header).edges[1].target) return false;
      for (const Edge &edge : end.edges) reach(edge.target);
      for (InstId id : f_.block(block).insts) reach(f_.inst(id).unwind);
    }
    for (BlockId block : dominators_.order()) {
      if (result_.inside[block.value]) result_.order.push_back(block);
    }
    return true;
  }

  /// Parameters of the header may be used after the loop; what it computes may not.
  bool usedAfter() const {
    std::vector<bool> computed(f_.numValues(), false);
    for (BlockId block : result_.order) {
      for (InstId id : f_.block(block).insts) {
        if (f_.inst(id).result.valid()) computed[f_.inst(id).result.value] = true;
      }
    }
    auto isComputed = [&](ValueId value) { return computed[value.value]; };
    for (BlockId block : dominators_.order()) {
      bool inside = result_.inside[block.value];
      for (InstId id : f_.block(block).insts) {
        const Inst &inst = f_.inst(id);
        if (!inside && std::ranges::any_of(inst.operands, isComputed)) return true;
        for (const Edge &edge : inst.edges) {
          bool out = !inside || !result_.inside[edge.target.value];
          if (out && std::ranges::any_of(edge.args, isComputed)) return true;
        }
      }
    }
    return false;
  }

  const Function &f_;
  const Dominators &dominators_;
  MarkedLoop result_;
};

class ParallelLoops {
public:
  ParallelLoops(Module &module, FunctionId id) : module_(module), id_(id) {}

  void run() {
    while (step()) {
    }
  }

private:
  Function &f() { return module_.get(id_); }

  /// Deals with one marked loop, an outermost one; false: there is none.
  bool step() {
    Dominators dominators(f());
    Loops loops(f(), dominators);
    for (const Loop &loop : loops.all()) {
      if (!takeMark(loop.header)) continue;
      transform(loop, dominators);
      return true;
    }
    for (BlockId block : dominators.order()) { // of loops that have turned out not to loop
      while (takeMark(block)) {
      }
    }
    return false;
  }

  bool takeMark(BlockId block) {
    auto &insts = f().block(block).insts;
    auto mark = std::ranges::find_if(insts, [&](InstId id) { return f().inst(id).op == Opcode::ParallelMark; });
    if (mark == insts.end()) return false;
    insts.erase(mark);
    return true;
  }

  void transform(const Loop &loop, const Dominators &dominators) {
    Candidate candidate(f(), loop, dominators);
    MarkedLoop &marked = candidate.result();
    if (const char *why = candidate.examine()) return note(ParallelNote::Warning, marked.loc, {}, std::string("due to there being ") + why);
    std::vector<Carried> carried;
    auto dependence = classifyCarried(f(), marked, dominators, carried);
    if (!dependence) dependence = unsuitable(carried);
    std::vector<ArrayReduction> arrays;
    if (!dependence) {
      arrays = findArrayReductions(module_, f(), marked, dominators);
      dependence = arrayDependence(f(), marked, dominators, arrays);
    }
    if (dependence) return note(ParallelNote::Warning, dependence->where, dependence->other, "because " + dependence->text);
    noteNested(marked);
    note(ParallelNote::Parallel, marked.loc, {}, describe(carried, arrays));
    outlineLoop(module_, id_, marked, carried, arrays);
  }

  /// References have no slots.
  std::optional<Dependence> unsuitable(const std::vector<Carried> &carried) {
    for (const Carried &c : carried) {
      TypeId type = f().typeOf(c.param);
      if (!hasReferences(type)) continue;
      Dependence d;
      SymbolId name = f().value(c.param).name;
      d.where = f().terminator(f().value(c.param).block).loc;
      d.text = "variable '" + std::string(name.valid() ? symbolText(name) : "?") + "' (" + toString(type) +
               ") is assigned in the loop and used after it";
      return d;
    }
    return {};
  }

  std::string describe(const std::vector<Carried> &carried, const std::vector<ArrayReduction> &arrays) {
    std::string text, list;
    for (const Carried &c : carried) {
      SymbolId name = f().value(c.param).name;
      const char *role = c.role == Role::Last ? "last value" : c.role == Role::Induction ? "induction" : "reduction";
      list += (list.empty() ? "" : ", ") + std::string(name.valid() ? symbolText(name) : "?") + " (" + role + ")";
    }
    for (const ArrayReduction &array : arrays) {
      SymbolId name = f().value(array.array).name;
      list += (list.empty() ? "" : ", ") + std::string(name.valid() ? symbolText(name) : "?") + " (reduction)";
    }
    return "prange loop" + (list.empty() ? std::string() : ": " + list);
  }

  void noteNested(const MarkedLoop &marked) {
    for (BlockId block : marked.order) {
      while (takeMark(block)) note(ParallelNote::Serial, f().terminator(block).loc, {}, "prange loop inside of a parallel one");
    }
  }

  void note(ParallelNote::Kind kind, Loc where, Loc other, std::string text) {
    module_.parallel_notes.push_back({kind, where, other, std::move(text)});
  }

  Module &module_;
  FunctionId id_;
};

bool hasMark(const Function &function) {
  for (uint32_t i = 0; i < function.numInsts(); ++i) {
    if (function.inst(InstId(i)).op == Opcode::ParallelMark) return true;
  }
  return false;
}

/// Notes the array expressions and reductions that the runtime runs in parallel where they are large.
void noteArrays(Module &module, const Function &function) {
  auto note = [&](const Inst &inst, const char *text) {
    module.parallel_notes.push_back({ParallelNote::Parallel, inst.loc, {}, text});
  };
  for (BlockId block : function.reversePostOrder()) {
    for (InstId id : function.block(block).insts) {
      const Inst &inst = function.inst(id);
      const bool maps = inst.op == Opcode::ArrayMap || inst.op == Opcode::ArrayMapInto;
      if (maps && (function.flags.parallel & kParallelArrays) != 0) note(inst, "array expression, where it is large");
      if (inst.op == Opcode::ArrayReduce && (function.flags.parallel & kParallelReductions) != 0)
        note(inst, "reduction of an array, where it is large");
    }
  }
}

} // namespace

void parallelLoops(Module &module) {
  const auto functions = static_cast<uint32_t>(module.functions.size()); // bodies made here have no marks
  for (uint32_t i = 0; i < functions; ++i) {
    const Function &function = *module.functions[i];
    if (function.external || function.is_kernel || function.flags.parallel == 0) continue;
    if (hasMark(function)) ParallelLoops(module, FunctionId(i)).run();
    noteArrays(module, function);
  }
}

} // namespace naja::passes
