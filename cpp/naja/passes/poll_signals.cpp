#include "naja/passes/poll_signals.h"

#include "naja/passes/call_graph.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

constexpr uint64_t kFewIterations = 64;

bool isShort(const Function &function, const Loop &loop) {
  auto count = constantTripCount(function, loop);
  return count && *count <= kFewIterations;
}

bool loopsByItself(Opcode op) {
  return op == Opcode::ArrayMap || op == Opcode::ArrayMapInto || op == Opcode::ArrayReduce ||
         op == Opcode::ParallelFor;
}

bool hasLongCall(const Function &function, BlockId block, const std::vector<bool> &brief) {
  for (InstId id : function.block(block).insts) {
    const Inst &inst = function.inst(id);
    if (loopsByItself(inst.op) || (inst.op == Opcode::Call && !brief[inst.function().value]))
      return true;
  }
  return false;
}

/// Per loop: whether it contains a call, or a loop, that may take long.
std::vector<bool> pollingLoops(const Function &function, const Loops &loops, const std::vector<bool> &brief) {
  std::vector<bool> polls(loops.all().size(), false);
  for (size_t i = loops.all().size(); i-- > 0;) { // inner ones first
    const Loop &loop = loops.all()[i];
    for (BlockId block : loop.blocks) {
      if (loops.loopOf(block) == static_cast<int>(i))
        polls[i] = polls[i] || hasLongCall(function, block, brief);
    }
    if (loop.parent >= 0 && (polls[i] || !isShort(function, loop)))
      polls[static_cast<size_t>(loop.parent)] = true;
  }
  return polls;
}

/// Whether a function without recursion ends soon, given its callees.
bool isBrief(const Function &function, const std::vector<bool> &brief) {
  if (function.external || !function.typed)
    return false;
  for (uint32_t b = 0; b < function.numBlocks(); ++b) {
    const Block &block = function.block(BlockId(b));
    if (!block.dead && (block.is_loop_header || hasLongCall(function, BlockId(b), brief)))
      return false;
  }
  return true;
}

void insertPolls(Function &function, const std::vector<bool> &brief) {
  Dominators dominators(function);
  Loops loops(function, dominators);
  if (loops.all().empty())
    return;
  std::vector<bool> polls = pollingLoops(function, loops, brief);
  for (size_t i = 0; i < polls.size(); ++i) {
    const Loop &loop = loops.all()[i];
    BlockId header = loop.header;
    bool there = std::ranges::any_of(loop.blocks, [&](BlockId block) { // strip-mine's: in the header, or on the way back
      return loops.loopOf(block) == static_cast<int>(i) &&
             function.inst(function.block(block).insts[0]).op == Opcode::PollSignals;
    });
    if (!polls[i] || there || isShort(function, loop))
      continue;
    Inst poll;
    poll.op = Opcode::PollSignals;
    poll.loc = function.terminator(header).loc;
    function.insertAt(header, 0, std::move(poll));
  }
}

} // namespace

std::vector<bool> briefFunctions(const Module &module) {
  CallGraph graph(module);
  std::vector<bool> brief(module.functions.size(), false);
  for (const auto &component : graph.components()) // callees first
    for (uint32_t member : component)
      brief[member] = !graph.recursive(member) && isBrief(*module.functions[member], brief);
  return brief;
}

std::vector<LongLoop> loopsThatMayRunLong(const Function &function, const Loops &loops, const std::vector<bool> &brief) {
  std::vector<bool> polls = pollingLoops(function, loops, brief);
  std::vector<LongLoop> result;
  for (size_t i = 0; i < loops.all().size(); ++i) {
    const Loop &loop = loops.all()[i];
    if (!polls[i] && !isShort(function, loop))
      result.push_back({i, loop.parent >= 0});
  }
  return result;
}

void pollSignals(Module &module) {
  CallGraph graph(module);
  std::vector<bool> brief = briefFunctions(module);
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    Function &function = *module.functions[i];
    if (function.external || !function.typed || function.is_kernel)
      continue;
    insertPolls(function, brief);
    if (graph.recursive(i)) {
      Inst check;
      check.op = Opcode::CheckStack;
      check.loc.line = function.first_line;
      function.insertAt(function.entry(), 0, std::move(check));
    }
  }
}

} // namespace naja::passes
