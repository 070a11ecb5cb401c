#include "naja/driver/artefacts.h"

#include "naja/support/options.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

namespace naja::driver {

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string part(text.substr(0, comma));
    std::erase(part, ' ');
    if (!part.empty()) parts.push_back(std::move(part));
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
  }
  return parts;
}

DumpRequests DumpRequests::read() {
  return {splitList(optionString("DUMP")), splitList(optionString("PRINT_AFTER")), optionBool("TIME")};
}

static bool lists(const std::vector<std::string> &list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const std::string &s) { return s == name || s == "all"; });
}

bool DumpRequests::wantsArtefact(std::string_view name) const { return lists(artefacts, name); }
bool DumpRequests::wantsPass(std::string_view name) const { return lists(passes, name); }

void dump(std::string_view title, std::string_view text) {
  std::string out = fmt::format("; ---- {}\n{}{}", title, text, text.ends_with('\n') ? "" : "\n");
  std::fwrite(out.data(), 1, out.size(), stderr);
  std::fflush(stderr);
}

} // namespace naja::driver
