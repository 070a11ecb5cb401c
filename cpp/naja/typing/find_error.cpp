// Which error of a settled solution is reported: the first in program order on a walk from the root through its calls.
#include "naja/typing/engine.h"
#include "naja/typing/messages.h"

#include <unordered_set>

namespace naja::typing {
namespace {

using ir::ValueId;

class ErrorFinder {
public:
  std::optional<Diagnostic> find(const Specialisation &spec) {
    if (!spec.external_symbol.empty() || !visited_.insert(&spec).second) return std::nullopt;
    order_.push_back(&spec);
    const Body &body = spec.body;
    auto items = body.items();
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (!spec.isExecuted(i)) continue;
      auto found = items[i].inst.valid() ? atInst(spec, i, items[i].inst) : atJoin(spec, items[i].block);
      if (found) return found;
    }
    return std::nullopt;
  }

  /// An endless recursion: a call that never gets a result though nothing is wrong with it.
  std::optional<Diagnostic> findEndless() const {
    for (const Specialisation *spec : order_) {
      auto items = spec->body.items();
      for (uint32_t i = 0; i < items.size(); ++i) {
        if (!items[i].inst.valid() || !spec->isExecuted(i)) continue;
        const auto &plan = spec->plans[items[i].inst.value];
        if (plan && plan->callee != nullptr && plan->callee->result.isBottom())
          return endlessRecursion(*plan->callee, *spec, spec->body.function().inst(items[i].inst).loc);
      }
    }
    return std::nullopt;
  }

private:
  std::optional<Diagnostic> atInst(const Specialisation &spec, uint32_t item, ir::InstId id) {
    if (auto error = spec.errors.find(item); error != spec.errors.end()) return error->second;
    const auto &plan = spec.plans[id.value];
    if (!plan || plan->callee == nullptr) return std::nullopt;
    auto found = find(*plan->callee);
    if (found) {
      Loc loc = spec.body.function().inst(id).loc;
      found->notes.push_back({"during: call of " + plan->callee->describe(), rangeIn(spec.body, loc)});
    }
    return found;
  }

  std::optional<Diagnostic> atJoin(const Specialisation &spec, ir::BlockId block) {
    if (spec.conflicts.empty()) return std::nullopt;
    for (ValueId param : spec.body.function().block(block).params) {
      auto conflict = spec.conflicts.find(param.value);
      if (conflict != spec.conflicts.end() && isRead(spec, param)) return joinConflict(spec, param, conflict->second);
    }
    return std::nullopt;
  }

  /// True where executed code reads the value, if only through other block parameters.
  static bool isRead(const Specialisation &spec, ValueId value) {
    const ir::Function &f = spec.body.function();
    std::unordered_set<uint32_t> seen{value.value};
    std::vector<ValueId> work{value};
    while (!work.empty()) {
      ValueId next = work.back();
      work.pop_back();
      for (uint32_t item : spec.body.uses(next)) {
        if (!spec.isExecuted(item)) continue;
        const Body::Item &use = spec.body.items()[item];
        if (use.inst.valid()) return true;
        for (const Body::InEdge &edge : spec.body.inEdges(use.block)) {
          const auto &args = f.inst(edge.inst).edges[edge.edge].args;
          for (size_t i = 0; i < args.size() && spec.edges[edge.number] != 0; ++i) {
            ValueId param = f.block(use.block).params[i];
            if (args[i] == next && seen.insert(param.value).second) work.push_back(param);
          }
        }
      }
    }
    return false;
  }

  std::unordered_set<const Specialisation *> visited_;
  std::vector<const Specialisation *> order_;
};

} // namespace

std::optional<Diagnostic> Engine::findError() const {
  ErrorFinder finder;
  auto error = finder.find(*root_);
  return error ? error : finder.findEndless();
}

} // namespace naja::typing
