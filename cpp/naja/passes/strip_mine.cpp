#include "naja/passes/strip_mine.h"

#include "naja/passes/poll_signals.h"
#include "naja/passes/scalar_constant.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace naja::passes {
using namespace ir;

namespace {

constexpr int64_t kMaxStep = 65536;

/// while i < stop (or i > stop) with i stepping by a constant: the header compares, and nothing but the compare leaves.
struct Counted {
  InstId compare;
  bool up = true;
  int64_t step = 1; // its size
};

class StripMine {
public:
  StripMine(Function &function, const Dominators &dominators, int64_t strip)
      : f_(function), dominators_(dominators), strip_(strip) {}

  void apply(const Loop &loop, bool nested) {
    nested_ = nested;
    inside_.assign(f_.numBlocks(), false);
    for (BlockId block : loop.blocks)
      inside_[block.value] = true;
    Loc loc = f_.terminator(loop.header).loc;
    if (auto counted = recognise(loop)) {
      if (nested && walksAnArray(loop, f_.inst(counted->compare).operands[0]))
        return;
      split(loop, *counted, loc);
      return;
    }
    Inst poll;
    poll.op = Opcode::PollSignals;
    poll.loc = loc;
    f_.insertAt(loop.header, 0, std::move(poll));
  }

private:
  bool isInside(BlockId block) const { return block.value < inside_.size() && inside_[block.value]; }

  bool definedOutside(ValueId value) const {
    BlockId home = dominators_.blockOf(value);
    return home.valid() && !inside_[home.value];
  }

  /// Whether the loop does not change the value: it is from outside, or the extent of an array from outside, which a loop
  /// over an array asks for in its header.
  bool isInvariant(ValueId value) const {
    const Inst *def = f_.def(value);
    return definedOutside(value) || (def != nullptr && def->op == Opcode::ArrayDim && definedOutside(def->operands[0]));
  }

  std::optional<Counted> recognise(const Loop &loop) const {
    const Inst &end = f_.terminator(loop.header);
    if (end.op != Opcode::CondBr)
      return {};
    InstId compare_id = f_.value(end.operands[0]).inst;
    const Inst *compare = f_.def(end.operands[0]);
    if (compare == nullptr || compare->op != Opcode::ICmp || dominators_.blockOf(compare_id) != loop.header)
      return {};
    Predicate p = compare->predicate();
    bool stays = inside_[end.edges[0].target.value], leaves = !inside_[end.edges[1].target.value];
    if (!stays || !leaves || (p != Predicate::Lt && p != Predicate::Gt) || !isInvariant(compare->operands[1]))
      return {};
    ValueId index = compare->operands[0];
    const Value &value = f_.value(index);
    const Type &type = typeOf(value.type);
    if (value.inst.valid() || value.block != loop.header || type.kind != TypeKind::Int || type.bits < 32)
      return {};
    auto step = stepOf(loop, index);
    bool up = p == Predicate::Lt;
    if (!step || *step == 0 || (*step > 0) != up || std::abs(*step) > (type.bits == 32 ? 1024 : kMaxStep))
      return {};
    return Counted{compare_id, up, std::abs(*step)};
  }

  /// The constant that all back edges add to the index.
  std::optional<int64_t> stepOf(const Loop &loop, ValueId index) const {
    std::optional<int64_t> step;
    for (BlockId block : loop.blocks) {
      for (const Edge &edge : f_.terminator(block).edges) {
        if (edge.target != loop.header)
          continue;
        const Inst *next = f_.def(edge.args[f_.value(index).index]);
        if (next == nullptr || (next->op != Opcode::IAdd && next->op != Opcode::ISub) || next->operands[0] != index)
          return {};
        const Inst *amount = f_.def(next->operands[1]);
        auto constant = amount != nullptr ? scalarOf(*amount) : std::nullopt;
        if (!constant || constant->bits > kMaxStep || constant->bits < -kMaxStep)
          return {};
        int64_t here = next->op == Opcode::IAdd ? constant->bits : -constant->bits;
        if (step && *step != here)
          return {};
        step = here;
      }
    }
    return step;
  }

  /// Whether an array is accessed at the loop's index, or a sum or product with it. Such a loop ends where memory does,
  /// which takes no longer than a strip is worth: as part of a nest it stays as LLVM knows it from C.
  bool walksAnArray(const Loop &loop, ValueId index) const {
    std::vector<bool> derived(f_.numValues(), false);
    derived[index.value] = true;
    auto isDerived = [&](ValueId value) { return derived[value.value]; };
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId block : loop.blocks) {
        for (InstId id : f_.block(block).insts) {
          const Inst &inst = f_.inst(id);
          if (accessesArray(inst.op) && std::any_of(inst.operands.begin() + 1, inst.operands.end(), isDerived))
            return true;
          if (!movesAlong(inst.op) || isDerived(inst.result) || std::ranges::none_of(inst.operands, isDerived))
            continue;
          derived[inst.result.value] = changed = true;
        }
      }
    }
    return false;
  }

  static bool accessesArray(Opcode op) {
    return op == Opcode::ArrayLoad || op == Opcode::ArrayStore || op == Opcode::ArrayItemPtr || op == Opcode::ArrayView;
  }
  static bool movesAlong(Opcode op) {
    return op == Opcode::IAdd || op == Opcode::ISub || op == Opcode::IMul || op == Opcode::Cast || op == Opcode::WrapIndex;
  }

  void split(const Loop &loop, const Counted &counted, const Loc &loc) {
    BlockId header = loop.header;
    ValueId index = f_.inst(counted.compare).operands[0], stop = f_.inst(counted.compare).operands[1];
    BlockId strips = f_.addBlock(), done = f_.addBlock();
    f_.block(strips).is_loop_header = true;
    for (uint32_t i = 0; i < f_.numBlocks(); ++i) { // strips of loops before this one are blocks that dominators_ lacks
      BlockId block(i);
      if (isInside(block) || f_.block(block).dead || f_.block(block).insts.empty())
        continue;
      for (Edge &edge : f_.terminator(block).edges) {
        if (edge.target == header)
          edge.target = strips;
      }
    }
    std::vector<ValueId> outer, params = f_.block(header).params;
    for (ValueId param : params)
      outer.push_back(f_.addParam(strips, f_.typeOf(param), f_.value(param).name));

    Builder b(f_, strips);
    b.loc = loc;
    if (!nested_)
      b.emit(Opcode::PollSignals, {}, {});
    if (!definedOutside(stop)) {
      Inst extent = *f_.def(stop);
      stop = b.emit(extent.op, extent.type, {extent.operands[0]}, extent.attr);
    }
    ValueId limit = limitOf(b, counted, outer[f_.value(index).index], stop);
    b.br(header, outer);

    // The strip is done: on to the next, or out. The comparison is made anew: others may read the old one.
    Inst compare = f_.inst(counted.compare);
    compare.operands[1] = limit;
    size_t end = f_.block(header).insts.size() - 1;
    InstId at_limit = f_.insertAt(header, end, std::move(compare));
    f_.terminator(header).operands[0] = f_.inst(at_limit).result;
    Edge leave = f_.terminator(header).edges[1];
    f_.terminator(header).edges[1] = Edge{done, {}};
    b.setBlock(done);
    ValueId more = b.icmp(counted.up ? Predicate::Lt : Predicate::Gt, index, stop);
    if (!nested_) {
      b.condBr(more, strips, params, leave.target, leave.args);
      return;
    }
    // The loop around polls, too: a loop that is done within one strip, as most are, does not.
    BlockId again = f_.addBlock();
    b.condBr(more, again, {}, leave.target, leave.args);
    b.setBlock(again);
    b.emit(Opcode::PollSignals, {}, {});
    b.br(strips, params);
  }

  /// min(stop, i + strip) going up, max(stop, i - strip) going down, without wrapping.
  ValueId limitOf(Builder &b, const Counted &counted, ValueId index, ValueId stop) {
    TypeId type = f_.typeOf(index);
    const Type &t = typeOf(type);
    int64_t strip = strip_ * counted.step;
    int64_t lowest = t.is_signed ? INT64_MIN >> (64 - t.bits) : 0;
    int64_t highest = t.is_signed ? ~lowest : static_cast<int64_t>(~uint64_t(0) >> (64 - t.bits));
    ValueId size = b.intConst(strip, type);
    int64_t flags = t.is_signed ? kNoWrapSigned : kNoWrapUnsigned;
    if (counted.up) {
      ValueId near = b.isub(b.emit(Opcode::IMax, type, {stop, b.intConst(lowest + strip, type)}), size, flags);
      ValueId far = b.icmp(Predicate::Lt, index, near);
      return b.select(far, b.iadd(index, size), stop);
    }
    ValueId near = b.iadd(b.emit(Opcode::IMin, type, {stop, b.intConst(highest - strip, type)}), size, flags);
    ValueId far = b.icmp(Predicate::Gt, index, near);
    return b.select(far, b.isub(index, size), stop);
  }

  Function &f_;
  const Dominators &dominators_;
  int64_t strip_;
  std::vector<bool> inside_;
  bool nested_ = false;
};

} // namespace

void stripMine(Module &module) { stripMineBy(module, 65536); }

void stripMineBy(Module &module, int64_t iterations) {
  std::vector<bool> brief = briefFunctions(module);
  for (const auto &function : module.functions) {
    if (function->external || !function->typed || function->is_kernel)
      continue;
    Dominators dominators(*function);
    Loops loops(*function, dominators);
    if (loops.all().empty())
      continue;
    StripMine pass(*function, dominators, iterations);
    for (LongLoop loop : loopsThatMayRunLong(*function, loops, brief))
      pass.apply(loops.all()[loop.index], loop.nested);
  }
}

} // namespace naja::passes
