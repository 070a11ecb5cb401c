// Cuts the function of one thread at its barriers: regions, and memory for what lives from one to the next.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace naja::codegen::spmd {

class Uniformity;

/// What threads do from a barrier (or the begin) to the next ones.
struct Region {
  llvm::BasicBlock *start = nullptr;
  llvm::SetVector<llvm::BasicBlock *> blocks; // none of a barrier
  llvm::SmallVector<unsigned, 4> next;        // regions that begin behind the barriers it reaches
  bool returns = false;
  bool agrees = true; // all threads certainly leave the same way
};

/// A value that lives across barriers. `variable` stands for it in the thread's function.
struct Slot {
  llvm::AllocaInst *variable = nullptr;
  llvm::Type *type = nullptr;
  bool uniform = false;
};

struct Regions {
  std::vector<Region> regions; // the first begins at the entry; region i > 0 behind barrier i - 1
  std::vector<Slot> slots;
  llvm::DenseMap<llvm::BasicBlock *, unsigned> barriers; // block of a barrier -> region behind it
  std::vector<uint32_t> lines;                           // of the barrier before each region
};

/// Changes the function: barriers get blocks of their own, cheap values are computed again where they are needed,
/// others go through slots.
Regions cutAtBarriers(llvm::Function &thread);

} // namespace naja::codegen::spmd
