#include "naja/passes/inline.h"

#include "naja/passes/call_graph.h"
#include "naja/passes/clone.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

constexpr size_t kSmall = 40;        // instructions of a callee that is always inlined
constexpr size_t kSingleCall = 150;  // of one with a single call
constexpr size_t kCallerLimit = 4000; // a caller does not grow beyond this

size_t sizeOf(const Function &function) {
  size_t size = 0;
  for (uint32_t b = 0; b < function.numBlocks(); ++b) {
    if (!function.block(BlockId(b)).dead)
      size += function.block(BlockId(b)).insts.size();
  }
  return size;
}

class InlinePass {
public:
  explicit InlinePass(Module &module) : module_(module), graph_(module), calls_(module.functions.size(), 0) {
    for (const auto &function : module.functions) {
      sizes_.push_back(sizeOf(*function));
      for (uint32_t b = 0; b < function->numBlocks(); ++b) {
        for (InstId id : function->block(BlockId(b)).insts) {
          if (function->inst(id).op == Opcode::Call)
            ++calls_[function->inst(id).function().value];
        }
      }
    }
  }

  void run() {
    for (const auto &component : graph_.components()) {
      for (uint32_t index : component) {
        Function &caller = *module_.functions[index];
        if (!caller.external && caller.typed)
          inlineInto(caller, index);
      }
    }
  }

private:
  bool wanted(const Function &caller, uint32_t callee_index) const {
    const Function &callee = *module_.functions[callee_index];
    if (callee.external || !callee.typed || &callee == &caller || graph_.recursive(callee_index))
      return false;
    if (callee.flags.fastmath != caller.flags.fastmath || callee.flags.debug || caller.flags.debug)
      return false;
    if ((callee.flags.parallel & ~caller.flags.parallel) != 0)
      return false; // its loops and array expressions would be serial
    size_t size = sizes_[callee_index];
    return callee.flags.forceinline || size <= kSmall || (calls_[callee_index] == 1 && size <= kSingleCall);
  }

  void inlineInto(Function &caller, uint32_t index) {
    Inliner inliner(caller);
    bool any = false;
    size_t size = sizes_[index];
    for (uint32_t b = 0; b < caller.numBlocks(); ++b) {
      BlockId block(b);
      if (caller.block(block).dead)
        continue;
      for (size_t i = 0; i < caller.block(block).insts.size();) {
        const Inst &inst = caller.inst(caller.block(block).insts[i]);
        uint32_t callee = inst.op == Opcode::Call ? inst.function().value : 0;
        if (inst.op != Opcode::Call || size > kCallerLimit || !wanted(caller, callee)) {
          ++i;
          continue;
        }
        // Instructions of the callee have had their turn: they are not looked at again.
        Inliner::Place place = inliner.inlineAt(block, i, *module_.functions[callee]);
        size += sizes_[callee];
        any = true;
        block = place.block;
        i = place.position;
      }
    }
    if (any)
      inliner.finish();
    sizes_[index] = size;
  }

  Module &module_;
  CallGraph graph_;
  std::vector<size_t> sizes_;
  std::vector<uint32_t> calls_;
};

} // namespace

void inlineSmall(Module &module) { InlinePass(module).run(); }

void dropUnreachableFunctions(Module &module) {
  CallGraph graph(module);
  std::vector<uint32_t> number(module.functions.size(), 0xffffffffU), work{module.root.value};
  std::vector<std::unique_ptr<Function>> kept;
  std::vector<bool> reached(module.functions.size(), false);
  reached[module.root.value] = true;
  while (!work.empty()) {
    uint32_t function = work.back();
    work.pop_back();
    for (uint32_t callee : graph.callees(function)) {
      if (!reached[callee]) {
        reached[callee] = true;
        work.push_back(callee);
      }
    }
  }
  if (std::ranges::all_of(reached, [](bool r) { return r; }))
    return;
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    if (!reached[i])
      continue;
    number[i] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(module.functions[i]));
  }
  module.functions = std::move(kept);
  module.root = FunctionId(number[module.root.value]);
  for (const auto &function : module.functions) {
    for (uint32_t i = 0; i < function->numInsts(); ++i) {
      Inst &inst = function->inst(InstId(i));
      if (namesFunction(inst.op) && inst.function().value < number.size() && number[inst.function().value] != 0xffffffffU)
        inst.attr = number[inst.function().value];
    }
  }
}

} // namespace naja::passes
