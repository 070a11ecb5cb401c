// Python's binding of arguments to parameters for builtins, with the texts of its TypeErrors.
#include "naja/library/rule.h"

#include <fmt/format.h>

#include <algorithm>

namespace naja::library {

namespace {

struct Parameter {
  std::string_view name;
  bool optional;
  bool keyword_only;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<Parameter> parseSpec(std::string_view spec) {
  std::vector<Parameter> parameters;
  bool keyword_only = false;
  while (!spec.empty()) {
    size_t comma = std::min(spec.find(','), spec.size());
    std::string_view item = trim(spec.substr(0, comma));
    spec.remove_prefix(std::min(comma + 1, spec.size()));
    if (item.empty()) continue;
    if (item == "*") {
      keyword_only = true;
      continue;
    }
    bool optional = item.back() == '=';
    if (optional) item.remove_suffix(1);
    parameters.push_back({item, optional, keyword_only});
  }
  return parameters;
}

std::string plural(size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string tooMany(std::string_view function, const std::vector<Parameter> &parameters, size_t most, size_t given) {
  size_t required = 0;
  for (const Parameter &p : parameters) required += !p.optional && !p.keyword_only;
  std::string takes = required == most ? plural(most, "positional argument")
                                       : fmt::format("from {} to {} positional arguments", required, most);
  return fmt::format("{}() takes {} but {} {} given", function, takes, given, given == 1 ? "was" : "were");
}

} // namespace

BoundArguments bindArguments(std::string_view function, std::string_view spec, const Query &query) {
  std::vector<Parameter> parameters = parseSpec(spec);
  BoundArguments bound;
  bound.operand.assign(parameters.size(), -1);
  auto most = static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(), [](const Parameter &p) { return !p.keyword_only; }));
  size_t positional = query.positional();
  if (positional > most) {
    bound.error = tooMany(function, parameters, most, positional);
    return bound;
  }
  for (size_t i = 0; i < positional; ++i) bound.operand[i] = static_cast<int>(i);
  for (size_t k = 0; k < query.keywords.size(); ++k) {
    auto at = std::find_if(parameters.begin(), parameters.end(),
                           [&](const Parameter &p) { return p.name == query.keywords[k]; });
    if (at == parameters.end()) {
      bound.error = fmt::format("{}() got an unexpected keyword argument '{}'", function, query.keywords[k]);
      return bound;
    }
    int &slot = bound.operand[static_cast<size_t>(at - parameters.begin())];
    if (slot >= 0) {
      bound.error = fmt::format("{}() got multiple values for argument '{}'", function, query.keywords[k]);
      return bound;
    }
    slot = static_cast<int>(positional + k);
  }
  for (size_t i = 0; i < parameters.size(); ++i)
    if (bound.operand[i] < 0 && !parameters[i].optional) {
      bound.error = fmt::format("{}() missing required argument '{}' (pos {})", function, parameters[i].name, i + 1);
      return bound;
    }
  return bound;
}

} // namespace naja::library
