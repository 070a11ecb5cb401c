#include "naja/typing/messages.h"

#include <algorithm>

namespace naja::typing {

using ir::ValueId;

std::string typeList(std::span<const AbstractValue> values, std::span<const std::string_view> keywords) {
  std::string text = "(";
  size_t positional = values.size() - keywords.size();
  for (size_t i = 0; i < values.size(); ++i) {
    text += i > 0 ? ", " : "";
    if (i >= positional) text += std::string(keywords[i - positional]) + "=";
    text += values[i].type.valid() ? toString(values[i].type) : "?";
  }
  return text + ")";
}

std::string displayName(std::string_view canonical) {
  constexpr std::string_view kBuiltins = "builtins.";
  return std::string(canonical.starts_with(kBuiltins) ? canonical.substr(kBuiltins.size()) : canonical);
}

std::string nearest(std::string_view name, const std::vector<std::string> &candidates) {
  size_t best = (name.size() + 1) / 3 + 1; // less than this many edits
  std::string_view found;
  for (const std::string &candidate : candidates) {
    if (candidate == name || candidate.size() + best < name.size() || name.size() + best < candidate.size()) continue;
    // Levenshtein distance by rows.
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 0; i < name.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i + 1;
      for (size_t j = 0; j < candidate.size(); ++j) {
        size_t replaced = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
      }
    }
    if (row.back() < best) {
      best = row.back();
      found = candidate;
    }
  }
  return found.empty() ? std::string() : "did you mean '" + std::string(found) + "'?";
}

SourceRange rangeIn(const Body &body, Loc loc) { return {body.code().file, body.code().qualname, loc}; }

Loc definitionOf(const Body &body, ValueId value) {
  const ir::Function &f = body.function();
  // Follows the first edge of block parameters; a bound, since loops may lead back.
  for (unsigned steps = 0; steps < 64 && value.valid(); ++steps) {
    const ir::Value &v = f.value(value);
    if (v.inst.valid()) return f.inst(v.inst).loc;
    auto edges = body.inEdges(v.block);
    if (edges.empty()) break;
    value = f.inst(edges.front().inst).edges[edges.front().edge].args[v.index];
  }
  return {};
}

Diagnostic returnConflict(const Specialisation &spec) {
  const ir::Function &f = spec.body.function();
  Diagnostic d;
  std::vector<TypeId> seen;
  std::string list;
  Loc last;
  for (uint32_t item : spec.returns) {
    const ir::Inst &inst = f.inst(spec.body.items()[item].inst);
    const AbstractValue &value = spec.value(inst.operands[0]);
    if (value.isBottom() || !spec.isExecuted(item) || std::find(seen.begin(), seen.end(), value.type) != seen.end())
      continue;
    seen.push_back(value.type);
    list += (list.empty() ? "" : ", ") + toString(value.type);
    last = inst.loc;
    d.notes.push_back({"returns " + toString(value.type), rangeIn(spec.body, inst.loc)});
  }
  d.message = "Can't unify return type from the following types: " + list;
  d.where = rangeIn(spec.body, last);
  d.label = "returns another type";
  d.hint = "all results of a function must have types that convert to one type";
  return d;
}

Diagnostic joinConflict(const Specialisation &spec, ValueId param, const Specialisation::Conflict &conflict) {
  ir::SymbolId name = spec.body.function().value(param).name;
  std::string variable = name.valid() ? "'" + std::string(ir::symbolText(name)) + "'" : "a value";
  std::string first = toString(conflict.first), second = toString(conflict.second);
  Diagnostic d;
  d.message = "Cannot unify " + first + " and " + second + " for " + variable;
  d.where = rangeIn(spec.body, definitionOf(spec.body, conflict.second_value));
  d.label = second;
  d.notes.push_back(
      {variable + " is " + first + " here", rangeIn(spec.body, definitionOf(spec.body, conflict.first_value))});
  d.notes.push_back({variable + " is " + second + " here", d.where});
  d.hint =
      name.valid() ? "use different names for values of different types" : "both branches must give values of one type";
  return d;
}

Diagnostic endlessRecursion(const Specialisation &callee, const Specialisation &caller, Loc loc) {
  Diagnostic d;
  d.message = "Cannot type infer runaway recursion of " + callee.body.signature().name;
  d.where = rangeIn(caller.body, loc);
  d.label = "every way to a result leads through this call";
  d.hint = "a recursive function needs a return that does not depend on a recursive call";
  return d;
}

} // namespace naja::typing
