#include "naja/passes/pipeline.h"

#include "naja/passes/fuse_array_expressions.h"
#include "naja/passes/index_ranges.h"
#include "naja/passes/inline.h"
#include "naja/passes/parallel_loops.h"
#include "naja/passes/poll_signals.h"
#include "naja/passes/raise_analysis.h"
#include "naja/passes/reference_counts.h"
#include "naja/passes/simplify.h"
#include "naja/passes/strip_mine.h"

#include <algorithm>
#include <chrono>

namespace naja::passes {

const std::vector<PassInfo> &allPasses() {
  static const auto *passes = new std::vector<PassInfo>{
      {"simplify", simplify},
      {"fuse-array-expressions", fuseArrayExpressions},
      {"inline", inlineSmall},
      {"drop-unreachable-functions", dropUnreachableFunctions},
      {"index-ranges", indexRanges},
      {"parallel-loops", parallelLoops},
      {"strip-mine", stripMine},
      {"poll-signals", pollSignals},
      {"raise-analysis", raiseAnalysis},
      {"reference-counts", referenceCounts},
  };
  return *passes;
}

const PassInfo *findPass(std::string_view name) {
  for (const PassInfo &pass : allPasses()) {
    if (pass.name == name)
      return &pass;
  }
  return nullptr;
}

namespace {

enum class Need { Optional, Required };

/// Runs passes by name: every one goes through here, to be dumped, timed, verified and bisected.
class Runner {
public:
  Runner(ir::Module &module, const PipelineHooks &hooks) : module_(module), hooks_(hooks) {}

  void run(std::string_view name, Need need = Need::Optional) {
    if (need == Need::Optional && hooks_.bisect >= 0 && optional_++ >= hooks_.bisect)
      return;
    using Clock = std::chrono::steady_clock;
    Clock::time_point begin = hooks_.after ? Clock::now() : Clock::time_point();
    findPass(name)->run(module_);
    if (hooks_.after)
      hooks_.after(name, module_, std::chrono::duration<double>(Clock::now() - begin).count());
    if (hooks_.verify && errors.empty()) { // the pass that broke it is the one to name
      for (const std::string &error : ir::verify(module_))
        errors.push_back("after " + std::string(name) + ": " + error);
    }
  }

  std::vector<std::string> errors;

private:
  ir::Module &module_;
  const PipelineHooks &hooks_;
  int optional_ = 0;
};

bool isParallel(const ir::Module &module) {
  return std::ranges::any_of(module.functions, [](const auto &function) { return function->flags.parallel != 0; });
}

} // namespace

std::vector<std::string> runPipeline(ir::Module &module, const PipelineHooks &hooks) {
  Runner runner(module, hooks);
  runner.run("simplify");
  runner.run("inline");
  runner.run("fuse-array-expressions");
  runner.run("drop-unreachable-functions");
  runner.run("simplify");
  runner.run("index-ranges");
  runner.run("simplify");
  if (isParallel(module)) {
    runner.run("parallel-loops");
    runner.run("simplify");
  }
  if (!module.get(module.root).flags.cuda) { // the launcher polls between blocks
    runner.run("strip-mine");
    runner.run("poll-signals");
  }
  runner.run("raise-analysis");
  runner.run("reference-counts", Need::Required);
  return std::move(runner.errors);
}

} // namespace naja::passes
