#include "naja/passes/clone.h"

#include "naja/passes/cfg.h"

namespace naja::passes {
using namespace ir;

namespace {

/// Copies a callee's blocks into the caller, values renamed.
class Copy {
public:
  Copy(Function &caller, const Function &callee, const Inst &call)
      : to_(caller), from_(callee), unwind_(call.unwind), call_loc_(call.loc), call_scope_(call.scope), values_(callee.numValues()) {
    same_file_ = caller.file == callee.file;
    if (same_file_)
      name_ = internSymbol(callee.name);
    const auto &params = callee.block(callee.entry()).params;
    for (size_t i = 0; i < params.size(); ++i)
      values_[params[i].value] = call.operands[i];
  }

  /// The instructions of a block, but for a return; its operand is then `returned`.
  std::vector<InstId> straight(BlockId block, ValueId &returned) {
    std::vector<InstId> out;
    for (InstId id : from_.block(block).insts) {
      const Inst &inst = from_.inst(id);
      if (inst.op == Opcode::Return)
        returned = value(inst.operands[0]);
      else
        out.push_back(instruction(id));
    }
    return out;
  }

  /// All reachable blocks; returns branch to `after` with their value. The entry's instructions go to the end of `before`.
  void graph(BlockId before, BlockId after) {
    auto order = from_.reversePostOrder();
    blocks_.resize(from_.numBlocks());
    for (BlockId block : order) {
      if (block == from_.entry()) {
        blocks_[block.value] = before;
        continue;
      }
      BlockId copy = to_.addBlock();
      blocks_[block.value] = copy;
      to_.block(copy).is_loop_header = from_.block(block).is_loop_header;
      for (ValueId param : from_.block(block).params)
        values_[param.value] = to_.addParam(copy, from_.typeOf(param), from_.value(param).name);
    }
    for (BlockId block : order) {
      for (InstId id : from_.block(block).insts) {
        const Inst &inst = from_.inst(id);
        InstId copy = inst.op == Opcode::Return ? goOn(inst, after) : inst.op == Opcode::Resume ? unwinding(inst) : instruction(id);
        to_.block(blocks_[block.value]).insts.push_back(copy);
      }
    }
    // Loops make uses before definitions in the order of copying.
    for (auto [inst, operand, source] : late_)
      to_.inst(inst).operands[operand] = value(source);
    for (auto [inst, edge, arg, source] : late_edges_)
      to_.inst(inst).edges[edge].args[arg] = value(source);
  }

private:
  ValueId value(ValueId old) const { return values_[old.value]; }

  /// Where it says it stands: in the callee, or where the call is if the callee is in another file.
  void place(Inst &copy, const Inst &inst) const {
    copy.loc = same_file_ ? inst.loc : call_loc_;
    copy.scope = !same_file_ ? call_scope_ : inst.scope.valid() ? inst.scope : name_;
  }

  InstId instruction(InstId id) {
    Inst copy = from_.inst(id);
    const Inst &inst = from_.inst(id);
    copy.result = ValueId();
    place(copy, inst);
    for (ValueId &operand : copy.operands)
      operand = value(operand);
    for (Edge &edge : copy.edges) {
      edge.target = blocks_[edge.target.value];
      for (ValueId &arg : edge.args)
        arg = value(arg);
    }
    if (copy.unwind.valid())
      copy.unwind = blocks_[copy.unwind.value];
    else if (copy.mayRaise())
      copy.unwind = unwind_;
    InstId made = to_.makeInst(std::move(copy));
    if (inst.result.valid()) {
      ValueId result = to_.inst(made).result;
      values_[inst.result.value] = result;
      to_.value(result).name = from_.value(inst.result).name;
    }
    noteLate(made, inst);
    return made;
  }

  void noteLate(InstId made, const Inst &inst) {
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (!value(inst.operands[i]).valid())
        late_.push_back({made, i, inst.operands[i]});
    }
    for (size_t e = 0; e < inst.edges.size(); ++e) {
      for (size_t i = 0; i < inst.edges[e].args.size(); ++i) {
        if (!value(inst.edges[e].args[i]).valid())
          late_edges_.push_back({made, e, i, inst.edges[e].args[i]});
      }
    }
  }

  InstId goOn(const Inst &inst, BlockId after) {
    Inst br;
    br.op = Opcode::Br;
    place(br, inst);
    br.edges.push_back({after, {value(inst.operands[0])}});
    InstId made = to_.makeInst(std::move(br));
    if (!value(inst.operands[0]).valid())
      late_edges_.push_back({made, 0, 0, inst.operands[0]});
    return made;
  }

  /// The callee hands its exception to the caller: to the handler around the call.
  InstId unwinding(const Inst &inst) {
    Inst end;
    end.op = unwind_.valid() ? Opcode::Br : Opcode::Resume;
    place(end, inst);
    if (unwind_.valid())
      end.edges.push_back({unwind_, {}});
    return to_.makeInst(std::move(end));
  }

  struct LateOperand { InstId inst; size_t operand; ValueId source; };
  struct LateEdge { InstId inst; size_t edge, arg; ValueId source; };

  Function &to_;
  const Function &from_;
  BlockId unwind_;
  Loc call_loc_;
  SymbolId call_scope_, name_;
  bool same_file_ = false;
  std::vector<ValueId> values_;
  std::vector<BlockId> blocks_;
  std::vector<LateOperand> late_;
  std::vector<LateEdge> late_edges_;
};

bool isStraight(const Function &callee) {
  const auto &insts = callee.block(callee.entry()).insts;
  return callee.inst(insts.back()).op == Opcode::Return;
}

} // namespace

ValueId Inliner::resolve(ValueId value) const {
  while (value.value < map_.size() && map_[value.value].valid() && map_[value.value] != value)
    value = map_[value.value];
  return value;
}

void Inliner::replace(ValueId from, ValueId to) {
  if (map_.size() <= from.value)
    map_.resize(from.value + 1);
  map_[from.value] = to;
}

Inliner::Place Inliner::inlineAt(BlockId block, size_t position, const Function &callee) {
  InstId call_id = f_.block(block).insts[position];
  Inst call = f_.inst(call_id);
  for (ValueId &operand : call.operands)
    operand = resolve(operand);
  Copy copy(f_, callee, call);
  if (isStraight(callee)) {
    ValueId returned;
    std::vector<InstId> body = copy.straight(callee.entry(), returned);
    auto &insts = f_.block(block).insts;
    auto at = insts.erase(insts.begin() + static_cast<std::ptrdiff_t>(position));
    insts.insert(at, body.begin(), body.end());
    replace(call.result, returned);
    return {block, position + body.size()};
  }
  BlockId after = f_.addBlock();
  ValueId result = f_.addParam(after, call.type, f_.value(call.result).name);
  auto &insts = f_.block(block).insts;
  auto rest = insts.begin() + static_cast<std::ptrdiff_t>(position);
  f_.block(after).insts.assign(rest + 1, insts.end());
  insts.erase(rest, insts.end());
  copy.graph(block, after);
  replace(call.result, result);
  return {after, 0};
}

void Inliner::finish() {
  map_.resize(f_.numValues());
  for (uint32_t i = 0; i < map_.size(); ++i) {
    if (!map_[i].valid())
      map_[i] = ValueId(i);
  }
  replaceValues(f_, map_);
  map_.clear();
}

BlockId inlineCall(Function &caller, BlockId block, size_t position, const Function &callee) {
  Inliner inliner(caller);
  BlockId after = inliner.inlineAt(block, position, callee).block;
  inliner.finish();
  return after;
}

} // namespace naja::passes
