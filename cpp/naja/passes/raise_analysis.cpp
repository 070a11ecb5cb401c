#include "naja/passes/raise_analysis.h"

#include "naja/passes/call_graph.h"
#include "naja/passes/cfg.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

/// Applying a kernel raises only where the kernel does... and where memory or shapes fail: a map allocates and broadcasts,
/// a reduction and a map into an array broadcast where they have several arrays.
bool mayRaiseByItself(const Function &function, const Inst &inst) {
  if (inst.op == Opcode::Call)
    return false;
  if (inst.op != Opcode::ArrayReduce && inst.op != Opcode::ArrayMapInto)
    return true;
  auto is_array = [&](ValueId v) { return typeOf(function.typeOf(v)).kind == TypeKind::Array; };
  return std::count_if(inst.operands.begin(), inst.operands.end(), is_array) > 1;
}

class Analysis {
public:
  explicit Analysis(Module &module) : module_(module), graph_(module) {}

  void run() {
    for (const auto &component : graph_.components()) {
      for (uint32_t member : component) {
        if (!module_.functions[member]->external)
          module_.functions[member]->may_raise = false;
      }
      for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t member : component) {
          Function &function = *module_.functions[member];
          if (!function.external && !function.may_raise && raises(function))
            function.may_raise = changed = true;
        }
      }
      for (uint32_t member : component)
        mark(*module_.functions[member]);
    }
  }

private:
  bool instRaises(const Function &function, const Inst &inst) const {
    if (!inst.mayRaise())
      return false;
    if (!namesFunction(inst.op) || mayRaiseByItself(function, inst))
      return true;
    return module_.get(inst.function()).may_raise;
  }

  /// What raises into a handler of the function stays inside, unless the handler, where something raises into it, resumes.
  bool raises(const Function &function) const {
    std::vector<bool> seen(function.numBlocks(), false);
    std::vector<BlockId> work;
    auto reach = [&](BlockId block) {
      if (!seen[block.value]) {
        seen[block.value] = true;
        work.push_back(block);
      }
    };
    reach(function.entry());
    while (!work.empty()) {
      BlockId block = work.back();
      work.pop_back();
      for (InstId id : function.block(block).insts) {
        const Inst &inst = function.inst(id);
        bool raising = instRaises(function, inst);
        if (inst.op == Opcode::Resume || (raising && !inst.unwind.valid()))
          return true;
        if (raising)
          reach(inst.unwind);
        for (const Edge &edge : inst.edges)
          reach(edge.target);
      }
    }
    return false;
  }

  void mark(Function &function) {
    if (function.external)
      return;
    bool changed = false;
    for (uint32_t b = 0; b < function.numBlocks(); ++b) {
      for (InstId id : function.block(BlockId(b)).insts) {
        Inst &inst = function.inst(id);
        if ((info(inst.op).effects & MayRaise) == 0)
          continue;
        inst.no_raise = !instRaises(function, inst);
        if (inst.no_raise && inst.unwind.valid()) {
          inst.unwind = BlockId();
          changed = true;
        }
      }
    }
    if (changed)
      removeUnreachable(function, function.reversePostOrder());
  }

  Module &module_;
  CallGraph graph_;
};

} // namespace

void raiseAnalysis(Module &module) { Analysis(module).run(); }

} // namespace naja::passes
