#include "naja/support/options.h"

#include <cassert>
#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

namespace naja {
namespace {

struct Overrides {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> values;
};
Overrides &overrides() {
  static auto *instance = new Overrides; // never destroyed: compile threads may outlive static destructors
  return *instance;
}

const OptionInfo *findOption(std::string_view name) {
  for (const OptionInfo &option : allOptions()) {
    if (option.name == name)
      return &option;
  }
  return nullptr;
}

} // namespace

const std::vector<OptionInfo> &allOptions() {
  static const auto *options = new std::vector<OptionInfo>{
#define NAJA_OPTION(name, type, default_value, in_key, numba_alias, help)                                              \
  OptionInfo{#name, #type, default_value, help, in_key, numba_alias},
#include "naja/support/options.def"
#undef NAJA_OPTION
  };
  return *options;
}

std::string optionString(std::string_view name) {
  const OptionInfo *option = findOption(name);
  assert(option != nullptr && "option is not in options.def");
  {
    std::lock_guard lock(overrides().mutex);
    auto found = overrides().values.find(name);
    if (found != overrides().values.end())
      return found->second;
  }
  if (const char *value = std::getenv(("NAJA_" + std::string(name)).c_str()))
    return value;
  if (option->numba_alias) {
    if (const char *value = std::getenv(("NUMBA_" + std::string(name)).c_str()))
      return value;
  }
  return std::string(option->default_value);
}

bool optionBool(std::string_view name) {
  std::string value = optionString(name);
  return !value.empty() && value != "0" && value != "false" && value != "False" && value != "no" && value != "off";
}

int64_t optionInt(std::string_view name) {
  auto parse = [](std::string_view text) -> std::optional<int64_t> {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
      return std::nullopt;
    return number;
  };
  if (auto number = parse(optionString(name)))
    return *number;
  return parse(findOption(name)->default_value).value_or(0);
}

void setOption(std::string_view name, std::string_view value) {
  assert(findOption(name) != nullptr && "option is not in options.def");
  std::lock_guard lock(overrides().mutex);
  overrides().values.insert_or_assign(std::string(name), std::string(value));
}

} // namespace naja
