// The one registry of environment options: name, type, default, help, whether it is part of the store key. No getenv
// elsewhere. Every option is read as NAJA_<NAME>, and as NUMBA_<NAME> where `numba_alias` says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace naja {

struct OptionInfo {
  std::string_view name;       // "DUMP"
  std::string_view type;       // "bool", "int", "string"
  std::string_view default_value;
  std::string_view help;
  bool in_key;
  bool numba_alias;
};
const std::vector<OptionInfo> &allOptions();

/// Value of an option: the environment's, or one set by setOption (naja.config), or the default. Names not in the
/// registry assert.
std::string optionString(std::string_view name);
bool optionBool(std::string_view name);
int64_t optionInt(std::string_view name);
void setOption(std::string_view name, std::string_view value);

} // namespace naja
