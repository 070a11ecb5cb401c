#include "naja/typing/signature.h"

#include <algorithm>

namespace naja::typing {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// 'a', 'b', and 'c' as Python lists missing arguments.
std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    text += quoted(names[i]);
  }
  return text;
}

std::string missing(const CallSignature &s, const char *what, const std::vector<std::string> &names) {
  return s.name + "() missing " + std::to_string(names.size()) + " required " + what + " argument" +
         (names.size() == 1 ? "" : "s") + ": " + listed(names);
}

std::string tooMany(const CallSignature &s, size_t given, size_t defaults) {
  size_t most = s.positional.size(), least = most - defaults;
  std::string takes =
      least == most ? std::to_string(most) : "from " + std::to_string(least) + " to " + std::to_string(most);
  return s.name + "() takes " + takes + " positional argument" + (most == 1 && least == most ? "" : "s") + " but " +
         std::to_string(given) + (given == 1 ? " was given" : " were given");
}

struct Binder {
  const CallSignature &s;
  Binding out;
  size_t positional;

  bool fail(std::string text) {
    out.error = std::move(text);
    return false;
  }

  bool bindPositional() {
    size_t n = std::min(positional, s.positional.size());
    for (size_t i = 0; i < n; ++i) out.params[i] = {BoundParam::Argument, static_cast<uint32_t>(i), 1};
    if (s.star) {
      out.params.back() = {BoundParam::Rest, static_cast<uint32_t>(n), static_cast<uint32_t>(positional - n)};
    } else if (positional > n) {
      size_t defaults = 0;
      for (size_t i = 0; i < s.positional.size(); ++i) defaults += s.defaults[i] ? 1 : 0;
      return fail(tooMany(s, positional, defaults));
    }
    return true;
  }

  bool bindKeyword(std::string_view keyword, uint32_t argument) {
    size_t total = s.positional.size() + s.keyword_only.size();
    for (size_t i = 0; i < total; ++i) {
      if (s.paramName(i) != keyword) continue;
      if (i < s.positional_only)
        return fail(s.name + "() got some positional-only arguments passed as keyword arguments: " + quoted(keyword));
      if (out.params[i].kind != BoundParam::Missing)
        return fail(s.name + "() got multiple values for argument " + quoted(keyword));
      out.params[i] = {BoundParam::Argument, argument, 1};
      return true;
    }
    return fail(s.name + "() got an unexpected keyword argument " + quoted(keyword));
  }

  bool fillDefaults() {
    std::vector<std::string> absent, absent_keywords;
    for (size_t i = 0; i < s.positional.size(); ++i) {
      if (out.params[i].kind != BoundParam::Missing) continue;
      if (s.defaults[i])
        out.params[i].kind = BoundParam::Default;
      else
        absent.push_back(s.positional[i]);
    }
    for (size_t i = 0; i < s.keyword_only.size(); ++i) {
      BoundParam &param = out.params[s.positional.size() + i];
      if (param.kind != BoundParam::Missing) continue;
      if (s.keyword_defaults[i])
        param.kind = BoundParam::Default;
      else
        absent_keywords.push_back(s.keyword_only[i]);
    }
    if (!absent.empty()) return fail(missing(s, "positional", absent));
    if (!absent_keywords.empty()) return fail(missing(s, "keyword-only", absent_keywords));
    return true;
  }
};

} // namespace

std::string_view CallSignature::paramName(size_t i) const {
  if (i < positional.size()) return positional[i];
  i -= positional.size();
  return i < keyword_only.size() ? std::string_view(keyword_only[i]) : std::string_view(*star);
}

Binding bindCall(const CallSignature &signature, size_t positional, std::span<const std::string_view> keywords) {
  Binder binder{signature, {}, positional};
  binder.out.params.resize(signature.numParams());
  if (!binder.bindPositional()) return std::move(binder.out);
  for (size_t i = 0; i < keywords.size(); ++i) {
    if (!binder.bindKeyword(keywords[i], static_cast<uint32_t>(positional + i))) return std::move(binder.out);
  }
  binder.fillDefaults();
  return std::move(binder.out);
}

} // namespace naja::typing
