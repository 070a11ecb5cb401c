// Array arguments that do not overlap. C programs say `restrict`; here nothing is known of two arrays that came in from
// outside. One comparison of whole arrays at the function's entry decides for all its loops: each innermost loop that writes
// one argument and uses another gets a copy in which they are known not to alias (scoped metadata), so that the vectoriser
// needs no checks of its own at every entry of the loop, and takes loops with indirect accesses, whose range no check could
// know. Arrays that do overlap run the plain loop.
#pragma once

#include <llvm/IR/PassManager.h>

namespace naja::codegen {

/// Property of a loop whose accesses are annotated already.
constexpr const char *kDisjoint = "naja.disjoint";

class VersionAliasesPass : public llvm::PassInfoMixin<VersionAliasesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace naja::codegen
