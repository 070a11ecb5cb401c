// Pass pipelines over LLVM IR. They are ours, not LLVM's defaults: what reaches them is typed, simplified and small, and each
// pass has to pay for its time (docs/architecture/codegen.md has the measurements).
#pragma once

#include "naja/codegen/machine.h"

namespace naja::codegen {

/// Options of LLVM that have no API; once per process.
void tuneLlvm();

class Optimiser {
public:
  Optimiser(llvm::TargetMachine &machine, const TargetInfo &target);
  ~Optimiser();
  /// Empty, or what is wrong with the passes that the user asked for (NAJA_LLVM_PASSES).
  std::string run(llvm::Module &module, Tier tier);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace naja::codegen
