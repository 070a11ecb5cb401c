// Copies of innermost loops that may assume more, with one test before the loop and the plain loop where it fails.
// - Array arguments that do not overlap. C programs say `restrict`; here nothing is known of two arrays that came in from
//   outside. One comparison of whole arrays at the function's entry decides for all loops that write one argument and use
//   another: in the copy they are known not to alias (scoped metadata), so that the vectoriser needs no checks of its own at
//   every entry of the loop, and takes loops with indirect accesses, whose range no check could know.
// - Indices that are not negative. In `for k in range(begin, end)` every `a[k]` asks whether `k` wraps around, where `begin`
//   alone decides: in the copy `begin` is not negative and nothing is asked.
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
