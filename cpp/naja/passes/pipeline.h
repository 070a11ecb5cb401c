// Order of the passes over typed NIR. One pass, one file pair; every pass runs through runPass, which dumps, times,
// verifies, bisects and can switch it off.
#pragma once

#include "naja/ir/function.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace naja::passes {

struct PassInfo {
  std::string_view name;    // "reference-counts", as NAJA_PRINT_AFTER and naja-opt name it
  void (*run)(ir::Module &module);
};
/// All passes that naja-opt can name.
const std::vector<PassInfo> &allPasses();
const PassInfo *findPass(std::string_view name);

/// Called after each pass with its name and time; set by driver for NAJA_DUMP, NAJA_PRINT_AFTER, NAJA_TIME.
struct PipelineHooks {
  std::function<void(std::string_view pass, const ir::Module &module, double seconds)> after;
  int bisect = -1; // stop optional passes after this many (NAJA_BISECT)
  bool verify = false;
};
/// The whole pipeline, in order. Returns the verifier's complaints (with hooks.verify), naming the pass; empty: fine.
std::vector<std::string> runPipeline(ir::Module &module, const PipelineHooks &hooks = {});

} // namespace naja::passes
