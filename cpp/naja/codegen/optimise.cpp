#include "naja/codegen/optimise.h"

#include "naja/codegen/math_tails.h"
#include "naja/codegen/speculate_checks.h"
#include "naja/codegen/spmd/trim_threads.h"
#include "naja/codegen/version_aliases.h"
#include "naja/support/options.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/LoopAccessAnalysis.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/CorrelatedValuePropagation.h>
#include <llvm/Transforms/Scalar/DeadStoreElimination.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopDeletion.h>
#include <llvm/Transforms/Scalar/LoopIdiomRecognize.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Vectorize/LoopVectorize.h>

namespace naja::codegen {

namespace {
void setOption(llvm::StringRef name, llvm::StringRef value) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto found = options.find(name);
  if (found != options.end()) found->second->addOccurrence(0, name, value);
}
} // namespace

void tuneLlvm() {
  // Five arrays of one loop are ten pairs; a check is a handful of instructions per entry of the loop.
  llvm::VectorizerParams::RuntimeMemoryCheckThreshold = 32;
  // Checks for a whole outer loop fail where rows of one array follow each other; different arrays need none
  // (VersionAliasesPass).
  llvm::VectorizerParams::HoistRuntimeChecks = false;
  setOption("x86-cmov-converter", "false");
  setOption("disable-lsr", "true");
  setOption("disable-post-ra", "true");
  llvm::SmallVector<llvm::StringRef, 4> given;
  const std::string arguments = optionString("LLVM_ARGS");
  llvm::SplitString(arguments, given);
  for (llvm::StringRef argument : given) {
    auto [name, value] = argument.split('=');
    setOption(name, value);
  }
}

struct Optimiser::Impl {
  Impl(llvm::TargetMachine &machine, const TargetInfo &target);
  llvm::FunctionPassManager straight();
  llvm::FunctionPassManager beforeVectorisation();
  llvm::FunctionPassManager vectorisation();

  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::TargetLibraryInfoImpl library;
  llvm::FunctionPassManager straight_pipeline, simplify_pipeline, vectorise_pipeline;
  llvm::ModulePassManager inliner;
};

Optimiser::Impl::Impl(llvm::TargetMachine &machine, const TargetInfo &)
    : builder(&machine), library(machine.getTargetTriple()) {
  functions.registerPass([this] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  straight_pipeline = straight();
  simplify_pipeline = beforeVectorisation();
  vectorise_pipeline = vectorisation();
  inliner = builder.buildModuleInlinerPipeline(llvm::OptimizationLevel::O2, llvm::ThinOrFullLTOPhase::None);
}

llvm::FunctionPassManager Optimiser::Impl::straight() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(true)));
  return passes;
}

llvm::FunctionPassManager Optimiser::Impl::beforeVectorisation() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass()); // before InstCombine splits addresses, which hides loads of the iteration before
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  llvm::LoopPassManager first;
  first.addPass(llvm::LoopRotatePass(/*EnableHeaderDuplication=*/true));
  first.addPass(llvm::LICMPass(llvm::LICMOptions()));
  first.addPass(llvm::SimpleLoopUnswitchPass(/*NonTrivial=*/false));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager second;
  second.addPass(llvm::LoopIdiomRecognizePass());
  second.addPass(llvm::IndVarSimplifyPass());
  second.addPass(llvm::LoopDeletionPass());
  second.addPass(llvm::LoopFullUnrollPass(3));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(second), /*UseMemorySSA=*/false));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  // Threading more than a few instructions copies loads into the rare path of an index that wraps, which vectorises badly.
  passes.addPass(llvm::JumpThreadingPass(3));
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::DSEPass());
  llvm::LoopPassManager third;
  third.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(third), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true).hoistCommonInsts(true).sinkCommonInsts(true)));
  passes.addPass(llvm::InstCombinePass());
  return passes;
}

llvm::FunctionPassManager Optimiser::Impl::vectorisation() {
  llvm::FunctionPassManager passes;
  llvm::LoopPassManager rotate;
  rotate.addPass(llvm::LoopRotatePass(true));
  rotate.addPass(llvm::LoopDeletionPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(rotate), false));
  passes.addPass(SpeculateChecksPass());
  passes.addPass(spmd::TrimThreadsPass());
  passes.addPass(VersionAliasesPass());
  passes.addPass(FoldMathTailsPass());
  passes.addPass(llvm::LoopVectorizePass());
  passes.addPass(UnifyMathCallsPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                           .forwardSwitchCondToPhi(true)
                                           .convertSwitchRangeToICmp(true)
                                           .convertSwitchToLookupTable(true)
                                           .needCanonicalLoops(false)
                                           .hoistCommonInsts(true)
                                           .sinkCommonInsts(true)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(3)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager last;
  last.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(last), true));
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().convertSwitchRangeToICmp(true)));
  return passes;
}

Optimiser::Optimiser(llvm::TargetMachine &machine, const TargetInfo &target) : impl_(std::make_unique<Impl>(machine, target)) {}
Optimiser::~Optimiser() = default;

namespace {

bool hasInternalFunction(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && function.hasInternalLinkage() && !function.hasAddressTaken()) return true;
  return false;
}

void runOn(llvm::Module &module, llvm::FunctionPassManager &passes, llvm::FunctionAnalysisManager &analyses) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration()) {
      llvm::PreservedAnalyses preserved = passes.run(function, analyses);
      analyses.invalidate(function, preserved);
    }
}

} // namespace

std::string Optimiser::run(llvm::Module &module, Tier tier) {
  Impl &impl = *impl_;
  const std::string given = tier == Tier::None ? "" : optionString("LLVM_PASSES");
  if (!given.empty()) {
    llvm::ModulePassManager passes;
    if (llvm::Error error = impl.builder.parsePassPipeline(passes, given)) return "NAJA_LLVM_PASSES: " + llvm::toString(std::move(error));
    passes.run(module, impl.modules);
  } else if (tier != Tier::None) {
    if (hasInternalFunction(module)) impl.inliner.run(module, impl.modules);
    if (tier == Tier::Simplify) {
      runOn(module, impl.simplify_pipeline, impl.functions);
    } else if (tier == Tier::Straight) {
      runOn(module, impl.straight_pipeline, impl.functions);
    } else {
      runOn(module, impl.simplify_pipeline, impl.functions);
      runOn(module, impl.vectorise_pipeline, impl.functions);
    }
  }
  impl.loops.clear();
  impl.functions.clear();
  impl.graph.clear();
  impl.modules.clear();
  return {};
}

} // namespace naja::codegen
