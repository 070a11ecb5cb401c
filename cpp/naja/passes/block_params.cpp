#include "naja/passes/block_params.h"

#include "naja/passes/cfg.h"



namespace naja::passes {
using namespace ir;

void filterParams(Function &function, const std::vector<BlockId> &order, const std::vector<bool> &keep) {
  for (BlockId source : order) {
    for (Edge &edge : function.terminator(source).edges) {
      const auto &params = function.block(edge.target).params;
      size_t kept = 0;
      for (size_t i = 0; i < params.size(); ++i) {
        if (keep[params[i].value])
          edge.args[kept++] = edge.args[i];
      }
      edge.args.resize(kept);
    }
  }
  for (BlockId block : order) {
    if (block == function.entry())
      continue;
    auto &params = function.block(block).params;
    std::erase_if(params, [&](ValueId param) { return !keep[param.value]; });
    for (size_t i = 0; i < params.size(); ++i)
      function.value(params[i]).index = static_cast<uint32_t>(i);
  }
}

namespace {

/// What a parameter gets from all edges seen so far.
struct Incoming {
  ValueId value;
  bool several = false;
};

} // namespace

bool removeTrivialParams(Function &function, const std::vector<BlockId> &order) {
  std::vector<ValueId> map(function.numValues());
  for (uint32_t i = 0; i < map.size(); ++i)
    map[i] = ValueId(i);
  auto resolve = [&](ValueId value) {
    while (map[value.value] != value)
      value = map[value.value];
    return value;
  };
  bool any = false;
  std::vector<Incoming> incoming(function.numValues());
  for (bool changed = true; changed;) {
    changed = false;
    for (BlockId source : order) {
      for (const Edge &edge : function.terminator(source).edges) {
        const auto &params = function.block(edge.target).params;
        for (size_t i = 0; i < params.size(); ++i) {
          if (map[params[i].value] != params[i])
            continue;
          ValueId arg = resolve(edge.args[i]);
          Incoming &in = incoming[params[i].value];
          if (arg != params[i] && arg != in.value) {
            in.several = in.value.valid();
            if (!in.several)
              in.value = arg;
          }
        }
      }
    }
    for (BlockId block : order) {
      if (block == function.entry())
        continue;
      for (ValueId param : function.block(block).params) {
        Incoming &in = incoming[param.value];
        if (map[param.value] == param && in.value.valid() && !in.several) {
          ValueId value = resolve(in.value);
          if (value != param) {
            map[param.value] = value;
            changed = any = true;
          }
        }
        in = Incoming();
      }
    }
  }
  if (!any)
    return false;
  std::vector<bool> keep(function.numValues(), true);
  for (uint32_t i = 0; i < map.size(); ++i)
    keep[i] = map[i] == ValueId(i);
  filterParams(function, order, keep);
  replaceValues(function, map);
  return true;
}

namespace {

bool removable(const Inst &inst) {
  if (info(inst.op).is_terminator || inst.mayRaise())
    return false;
  return (info(inst.op).effects & static_cast<uint8_t>(Writes | (Calls & ~(Reads | Writes)))) == 0;
}

class Marker {
public:
  Marker(const Function &function, const std::vector<BlockId> &order)
      : f_(function), incoming_(function.numValues()), read(function.numValues(), false) {
    for (BlockId source : order) {
      const Inst &end = f_.terminator(source);
      for (const Edge &edge : end.edges) {
        for (size_t i = 0; i < edge.args.size(); ++i)
          incoming_[f_.block(edge.target).params[i].value].push_back(edge.args[i]);
      }
      for (InstId id : f_.block(source).insts) {
        if (!removable(f_.inst(id)))
          mark(f_.inst(id).operands);
      }
    }
    while (!work_.empty()) {
      ValueId value = work_.back();
      work_.pop_back();
      if (const Inst *inst = f_.def(value))
        mark(inst->operands);
      else
        mark(incoming_[value.value]);
    }
  }

private:
  void mark(const std::vector<ValueId> &values) {
    for (ValueId value : values) {
      if (!read[value.value]) {
        read[value.value] = true;
        work_.push_back(value);
      }
    }
  }
  const Function &f_;
  std::vector<std::vector<ValueId>> incoming_;
  std::vector<ValueId> work_;

public:
  std::vector<bool> read;
};

} // namespace

bool removeUnread(Function &function, const std::vector<BlockId> &order) {
  Marker marker(function, order);
  bool changed = false, params = false;
  for (BlockId block : order) {
    auto &insts = function.block(block).insts;
    size_t before = insts.size();
    std::erase_if(insts, [&](InstId id) {
      const Inst &inst = function.inst(id);
      return removable(inst) && !(inst.result.valid() && marker.read[inst.result.value]);
    });
    changed = changed || insts.size() != before;
    if (block == function.entry())
      continue;
    for (ValueId param : function.block(block).params)
      params = params || !marker.read[param.value];
  }
  for (ValueId param : function.block(function.entry()).params)
    marker.read[param.value] = true;
  if (params)
    filterParams(function, order, marker.read);
  return changed || params;
}

} // namespace naja::passes
