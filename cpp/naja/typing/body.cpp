#include "naja/typing/body.h"

#include <algorithm>

namespace naja::typing {

using ir::BlockId;
using ir::InstId;
using ir::ValueId;

Body::Body(std::shared_ptr<const frontend::FunctionSnapshot> snapshot, FunctionOptions options,
           frontend::Translated translated, bool is_inner)
    : snapshot_(std::move(snapshot)), options_(std::move(options)), function_(std::move(translated.function)),
      inner_(std::move(translated.inner)) {
  for (const auto &[name, type] : options_.locals) forced_.emplace_back(ir::internSymbol(name), type);
  readSignature(is_inner);
  orderBlocks();
  numberItems();
  collectEdges();
  findLiveParams();
  collectUses();
  collectQuestions();
}

std::string_view Body::paramName(size_t i) const {
  return i < captured_ ? std::string_view(code().free_names[i]) : signature_.paramName(i - captured_);
}

TypeId Body::forcedType(ir::SymbolId name) const {
  for (const auto &[forced, type] : forced_) {
    if (forced == name) return type;
  }
  return {};
}

void Body::readSignature(bool is_inner) {
  const frontend::CodeSnapshot &c = code();
  if (is_inner) captured_ = static_cast<unsigned>(c.free_names.size());
  CallSignature &s = signature_;
  s.name = c.qualname.empty() ? c.name : c.qualname;
  auto name = c.local_names.begin();
  s.positional.assign(name, name + c.arg_count);
  s.keyword_only.assign(name + c.arg_count, name + c.arg_count + c.keyword_only);
  s.positional_only = static_cast<unsigned>(c.positional_only);
  if (c.has_varargs) s.star = *(name + c.arg_count + c.keyword_only);
  s.accepts_keywords = c.has_varkw;
  s.defaults.resize(s.positional.size());
  const auto &defaults = snapshot_->defaults;
  size_t count = std::min(defaults.size(), s.defaults.size());
  std::copy(defaults.end() - static_cast<ptrdiff_t>(count), defaults.end(),
            s.defaults.end() - static_cast<ptrdiff_t>(count));
  s.keyword_defaults.resize(s.keyword_only.size());
  for (const auto &[keyword, value] : snapshot_->keyword_defaults) {
    auto it = std::find(s.keyword_only.begin(), s.keyword_only.end(), keyword);
    if (it != s.keyword_only.end()) s.keyword_defaults[static_cast<size_t>(it - s.keyword_only.begin())] = value;
  }
}

void Body::collectQuestions() {
  const ir::Function &f = *function_;
  const ConstantStore &constants = ConstantStore::global();
  for (const Item &item : items_) {
    if (!item.inst.valid()) continue;
    const ir::Inst &inst = f.inst(item.inst);
    if (inst.op != ir::Opcode::GGetAttr && inst.op != ir::Opcode::GCall) continue;
    const ir::Inst *definition = f.def(inst.operands[0]);
    if (definition == nullptr || definition->op != ir::Opcode::Const) continue;
    const ConstantValue &value = constants.get(definition->constant()).value;
    if (inst.op == ir::Opcode::GGetAttr && std::holds_alternative<ModuleRef>(value))
      questions_.push_back({definition->constant(), inst.symbol()});
    else if (inst.op == ir::Opcode::GCall && std::holds_alternative<FunctionRef>(value))
      questions_.push_back({definition->constant(), {}});
  }
}

namespace {

/// Successors by normal edges, then the unwind targets of instructions.
void successorsOf(const ir::Function &f, BlockId block, std::vector<BlockId> &out) {
  out.clear();
  for (InstId id : f.block(block).insts) {
    if (f.inst(id).unwind.valid()) out.push_back(f.inst(id).unwind);
  }
  for (const ir::Edge &edge : f.terminator(block).edges) out.push_back(edge.target);
}

} // namespace

/// Reverse post-order. The last successor is finished first, so that with `cond_br c, body, exit` the body of a loop
/// comes before what follows the loop: a loop has settled before its exit is looked at.
void Body::orderBlocks() {
  const ir::Function &f = *function_;
  struct Frame {
    BlockId block;
    std::vector<BlockId> successors;
  };
  enum : uint8_t { Fresh, Open, Closed };
  std::vector<uint8_t> state(f.numBlocks(), Fresh);
  loop_header_.assign(f.numBlocks(), 0);
  std::vector<Frame> stack;
  auto enter = [&](BlockId block) {
    state[block.value] = Open;
    stack.push_back({block, {}});
    successorsOf(f, block, stack.back().successors);
  };
  enter(f.entry());
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.successors.empty()) {
      state[frame.block.value] = Closed;
      order_.push_back(frame.block);
      stack.pop_back();
      continue;
    }
    BlockId next = frame.successors.back();
    frame.successors.pop_back();
    if (state[next.value] == Open)
      loop_header_[next.value] = 1;
    else if (state[next.value] == Fresh)
      enter(next);
  }
  std::reverse(order_.begin(), order_.end());
}

void Body::numberItems() {
  first_item_.assign(function_->numBlocks(), kNone);
  last_item_.assign(function_->numBlocks(), kNone);
  item_of_.assign(function_->numInsts(), kNone);
  items_.reserve(function_->numInsts() + order_.size());
  for (BlockId block : order_) {
    first_item_[block.value] = static_cast<uint32_t>(items_.size());
    items_.push_back({block, {}});
    for (InstId inst : function_->block(block).insts) {
      item_of_[inst.value] = static_cast<uint32_t>(items_.size());
      items_.push_back({block, inst});
    }
    last_item_[block.value] = static_cast<uint32_t>(items_.size());
  }
}

void Body::collectEdges() {
  const ir::Function &f = *function_;
  first_edge_.assign(f.numBlocks(), 0);
  in_edge_begin_.assign(f.numBlocks() + 1, 0);
  for (BlockId block : order_) {
    first_edge_[block.value] = static_cast<uint32_t>(num_edges_);
    for (const ir::Edge &edge : f.terminator(block).edges) {
      ++num_edges_;
      ++in_edge_begin_[edge.target.value + 1];
    }
  }
  for (size_t i = 1; i < in_edge_begin_.size(); ++i) in_edge_begin_[i] += in_edge_begin_[i - 1];
  in_edges_.resize(num_edges_);
  std::vector<uint32_t> next(in_edge_begin_.begin(), in_edge_begin_.end() - 1);
  for (BlockId block : order_) {
    InstId terminator = f.block(block).insts.back();
    const auto &edges = f.inst(terminator).edges;
    for (uint32_t i = 0; i < edges.size(); ++i)
      in_edges_[next[edges[i].target.value]++] = {terminator, i, edgeNumber(block, i)};
  }
}

void Body::findLiveParams() {
  const ir::Function &f = *function_;
  live_.assign(f.numValues(), 0);
  std::vector<ValueId> work;
  auto mark = [&](ValueId value) {
    if (live_[value.value] != 0) return;
    live_[value.value] = 1;
    if (!f.value(value).inst.valid()) work.push_back(value);
  };
  for (const Item &item : items_) {
    if (!item.inst.valid()) continue;
    const ir::Inst &inst = f.inst(item.inst);
    if (inst.result.valid()) mark(inst.result);
    for (ValueId operand : inst.operands) mark(operand);
  }
  while (!work.empty()) {
    const ir::Value &param = f.value(work.back());
    work.pop_back();
    for (const InEdge &edge : inEdges(param.block)) mark(f.inst(edge.inst).edges[edge.edge].args[param.index]);
  }
}

template <class F> void Body::eachUse(F f) const {
  const ir::Function &fn = *function_;
  for (uint32_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].inst.valid()) continue;
    const ir::Inst &inst = fn.inst(items_[i].inst);
    for (ValueId operand : inst.operands) f(operand, i);
    for (const ir::Edge &edge : inst.edges) {
      const auto &params = fn.block(edge.target).params;
      for (size_t k = 0; k < edge.args.size(); ++k) {
        if (live_[params[k].value] != 0) f(edge.args[k], first_item_[edge.target.value]);
      }
    }
  }
}

void Body::collectUses() {
  use_begin_.assign(function_->numValues() + 1, 0);
  eachUse([&](ValueId value, uint32_t) { ++use_begin_[value.value + 1]; });
  for (size_t i = 1; i < use_begin_.size(); ++i) use_begin_[i] += use_begin_[i - 1];
  uses_.resize(use_begin_.back());
  std::vector<uint32_t> next(use_begin_.begin(), use_begin_.end() - 1);
  eachUse([&](ValueId value, uint32_t item) { uses_[next[value.value]++] = item; });
}

} // namespace naja::typing
