#include "naja/passes/tuple_params.h"

#include "naja/passes/block_params.h"
#include "naja/passes/cfg.h"

#include <algorithm>

namespace naja::passes {
using namespace ir;

namespace {

constexpr size_t kMaxItems = 32;

bool splits(TypeId id) {
  if (!id.valid())
    return false;
  const Type &type = typeOf(id);
  bool of_items = type.kind == TypeKind::Tuple || type.kind == TypeKind::Iterator || type.kind == TypeKind::Range;
  return of_items && type.args.size() <= kMaxItems;
}

InstId make(Function &function, Opcode op, TypeId type, std::vector<ValueId> operands, int64_t attr) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.operands = std::move(operands);
  inst.attr = attr;
  return function.makeInst(std::move(inst));
}

/// The items of an edge's argument, made before the branch; those of a tuple made there are at hand.
void passItems(Function &function, BlockId source, size_t edge, size_t position, const Type &type) {
  ValueId tuple = function.terminator(source).edges[edge].args[position];
  const Inst *made = function.def(tuple);
  std::vector<ValueId> items;
  if (made != nullptr && made->op == Opcode::TupleMake) {
    items = made->operands;
  } else {
    auto &insts = function.block(source).insts;
    for (size_t i = 0; i < type.args.size(); ++i) {
      InstId get = make(function, Opcode::TupleGet, type.args[i], {tuple}, static_cast<int64_t>(i));
      insts.insert(insts.end() - 1, get);
      items.push_back(function.inst(get).result);
    }
  }
  auto &args = function.terminator(source).edges[edge].args;
  args.insert(args.end(), items.begin(), items.end());
}

struct Incoming {
  BlockId source;
  size_t edge;
};

std::vector<std::vector<Incoming>> incomingEdges(const Function &function, const std::vector<BlockId> &order) {
  std::vector<std::vector<Incoming>> incoming(function.numBlocks());
  for (BlockId source : order) {
    const auto &edges = function.terminator(source).edges;
    for (size_t e = 0; e < edges.size(); ++e)
      incoming[edges[e].target.value].push_back({source, e});
  }
  return incoming;
}

} // namespace

bool splitTupleParams(Function &function, const std::vector<BlockId> &order) {
  bool wanted = false;
  for (BlockId block : order) {
    if (block != function.entry())
      wanted = wanted || std::ranges::any_of(function.block(block).params, [&](ValueId p) { return splits(function.typeOf(p)); });
  }
  if (!wanted)
    return false;
  auto incoming = incomingEdges(function, order);
  std::vector<std::pair<ValueId, ValueId>> replaced;
  for (BlockId block : order) {
    if (block == function.entry())
      continue;
    std::vector<InstId> rebuilt;
    size_t params = function.block(block).params.size();
    for (size_t p = 0; p < params; ++p) {
      ValueId param = function.block(block).params[p];
      if (!splits(function.typeOf(param)))
        continue;
      TypeId type_id = function.typeOf(param);
      const Type &type = typeOf(type_id);
      for (const Incoming &in : incoming[block.value])
        passItems(function, in.source, in.edge, p, type);
      std::vector<ValueId> items;
      for (TypeId item : type.args)
        items.push_back(function.addParam(block, item, function.value(param).name));
      rebuilt.push_back(make(function, Opcode::TupleMake, type_id, std::move(items), 0));
      replaced.emplace_back(param, function.inst(rebuilt.back()).result);
    }
    auto &insts = function.block(block).insts;
    insts.insert(insts.begin(), rebuilt.begin(), rebuilt.end());
  }
  std::vector<bool> keep(function.numValues(), true);
  std::vector<ValueId> map;
  for (uint32_t i = 0; i < function.numValues(); ++i)
    map.emplace_back(i);
  for (auto [param, tuple] : replaced) {
    keep[param.value] = false;
    map[param.value] = tuple;
  }
  filterParams(function, order, keep);
  replaceValues(function, map);
  return true;
}

bool mergeEqualParams(Function &function, const std::vector<BlockId> &order) {
  std::vector<std::vector<Incoming>> incoming;
  std::vector<ValueId> map;
  std::vector<bool> keep;
  // `a` and `b` are parameters of one block: what goes into them is the same, or the same step from each.
  auto same = [&](ValueId a, ValueId b, ValueId into_a, ValueId into_b) {
    if (into_a == into_b)
      return true;
    const Inst *x = function.def(into_a), *y = function.def(into_b);
    bool steps = x != nullptr && y != nullptr && x->op == y->op && (x->op == Opcode::IAdd || x->op == Opcode::ISub);
    return steps && x->operands[0] == a && y->operands[0] == b && x->operands[1] == y->operands[1];
  };
  for (BlockId block : order) {
    const auto &params = function.block(block).params;
    if (block == function.entry() || params.size() < 2 || params.size() > kMaxItems) // pairs are compared
      continue;
    if (incoming.empty())
      incoming = incomingEdges(function, order);
    const auto &edges = incoming[block.value];
    for (size_t j = 1; j < params.size(); ++j) {
      TypeId type = function.typeOf(params[j]);
      if (typeOf(type).kind != TypeKind::Int)
        continue;
      for (size_t i = 0; i < j; ++i) {
        if (function.typeOf(params[i]) != type || (!keep.empty() && !keep[params[i].value]))
          continue;
        bool equal = std::ranges::all_of(edges, [&](const Incoming &in) {
          const auto &args = function.terminator(in.source).edges[in.edge].args;
          return same(params[i], params[j], args[i], args[j]);
        });
        if (!equal)
          continue;
        if (map.empty()) {
          keep.assign(function.numValues(), true);
          for (uint32_t v = 0; v < function.numValues(); ++v)
            map.emplace_back(v);
        }
        map[params[j].value] = params[i];
        keep[params[j].value] = false;
        break;
      }
    }
  }
  if (map.empty())
    return false;
  filterParams(function, order, keep);
  replaceValues(function, map);
  return true;
}

} // namespace naja::passes
