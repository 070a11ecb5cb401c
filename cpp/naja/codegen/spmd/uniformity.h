// Which values are the same for all threads of a block, and which blocks all of them execute alike.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/Function.h>

namespace naja::codegen::spmd {

/// Conservative: loads, calls and atomics differ from thread to thread; so does everything in blocks that depend on a
/// condition that does, up to where the paths meet again.
class Uniformity {
public:
  explicit Uniformity(llvm::Function &function);
  bool isUniform(const llvm::Value *value) const { return !divergent_.contains(value); }
  bool isUniform(const llvm::BasicBlock *block) const { return !divergent_blocks_.contains(block); }

private:
  llvm::DenseSet<const llvm::Value *> divergent_;
  llvm::DenseSet<const llvm::BasicBlock *> divergent_blocks_;
};

} // namespace naja::codegen::spmd
