#include "naja/passes/poll_signals.h"

#include "naja/passes/call_graph.h"

namespace naja::passes {
using namespace ir;

namespace {

constexpr uint64_t kFewIterations = 64;

bool isShort(const Function &function, const Loop &loop) {
  auto count = constantTripCount(function, loop);
  return count && *count <= kFewIterations;
}

bool hasCall(const Function &function, BlockId block) {
  for (InstId id : function.block(block).insts) {
    const Inst &inst = function.inst(id);
    bool library_loop = inst.op == Opcode::ArrayMap || inst.op == Opcode::ArrayMapInto || inst.op == Opcode::ArrayReduce;
    if (inst.op == Opcode::Call || library_loop)
      return true;
  }
  return false;
}

/// Per loop: whether it contains a call, or a loop that may take long.
std::vector<bool> pollingLoops(const Function &function, const Loops &loops) {
  std::vector<bool> polls(loops.all().size(), false);
  for (size_t i = loops.all().size(); i-- > 0;) { // inner ones first
    const Loop &loop = loops.all()[i];
    for (BlockId block : loop.blocks) {
      if (loops.loopOf(block) == static_cast<int>(i))
        polls[i] = polls[i] || hasCall(function, block);
    }
    if (loop.parent >= 0 && (polls[i] || !isShort(function, loop)))
      polls[static_cast<size_t>(loop.parent)] = true;
  }
  return polls;
}

void insertPolls(Function &function) {
  Dominators dominators(function);
  Loops loops(function, dominators);
  if (loops.all().empty())
    return;
  std::vector<bool> polls = pollingLoops(function, loops);
  for (size_t i = 0; i < polls.size(); ++i) {
    BlockId header = loops.all()[i].header;
    bool there = function.inst(function.block(header).insts[0]).op == Opcode::PollSignals;
    if (!polls[i] || there || isShort(function, loops.all()[i]))
      continue;
    Inst poll;
    poll.op = Opcode::PollSignals;
    poll.loc = function.terminator(header).loc;
    function.insertAt(header, 0, std::move(poll));
  }
}

} // namespace

std::vector<size_t> loopsThatMayRunLong(const Function &function, const Loops &loops) {
  std::vector<bool> polls = pollingLoops(function, loops);
  std::vector<size_t> result;
  for (size_t i = 0; i < loops.all().size(); ++i) {
    bool covered = !loops.all()[i].innermost || isShort(function, loops.all()[i]);
    for (int around = static_cast<int>(i); around >= 0; around = loops.all()[static_cast<size_t>(around)].parent)
      covered = covered || polls[static_cast<size_t>(around)];
    if (!covered)
      result.push_back(i);
  }
  return result;
}

void pollSignals(Module &module) {
  CallGraph graph(module);
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    Function &function = *module.functions[i];
    if (function.external || !function.typed || function.is_kernel)
      continue;
    insertPolls(function);
    if (graph.recursive(i)) {
      Inst check;
      check.op = Opcode::CheckStack;
      check.loc.line = function.first_line;
      function.insertAt(function.entry(), 0, std::move(check));
    }
  }
}

} // namespace naja::passes
