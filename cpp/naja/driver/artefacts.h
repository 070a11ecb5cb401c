// Names of the artefacts of a compilation, what NAJA_DUMP and NAJA_PRINT_AFTER ask for, and where dumps go (stderr).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace naja::driver {

/// The parts of a comma-separated list, without blanks.
std::vector<std::string> splitList(std::string_view text);

/// Which dumps are wanted; read once a compilation.
struct DumpRequests {
  std::vector<std::string> artefacts; // of NAJA_DUMP
  std::vector<std::string> passes;    // of NAJA_PRINT_AFTER
  bool time = false;
  static DumpRequests read();
  bool wantsArtefact(std::string_view name) const;
  bool wantsPass(std::string_view name) const;
};

/// Writes `title` as a comment line and the text to stderr, in one piece.
void dump(std::string_view title, std::string_view text);

} // namespace naja::driver
