// What is known, or can be asked at run time, of the array arguments of a function: which accesses belong to which array, a
// test at the entry that given pairs of arrays do not overlap, and scoped metadata for a loop that runs where it holds.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/MDBuilder.h>

#include <map>
#include <set>

namespace naja::codegen {

/// Function metadata, one node per array argument: index of the argument with the data pointer (extents and strides follow it),
/// dimensions, item size, layout (types/type.h).
constexpr const char *kArrayArguments = "naja.arrays";

/// For one function; the tests that it has made stay in the entry block and are used again.
class ArgumentAliases {
public:
  using Pair = std::pair<unsigned, unsigned>; // written array, other array
  explicit ArgumentAliases(llvm::Function &function);

  /// The array argument that a load or store belongs to; -1 for none.
  int arrayOf(llvm::Instruction &access) const;
  /// The pairs that an innermost loop wants to be disjoint; empty where there is nothing to gain.
  std::set<Pair> pairsOf(const llvm::Loop &loop) const;
  /// Whether all pairs are disjoint: computed at the function's entry.
  llvm::Value *disjoint(const std::set<Pair> &pairs);
  /// Says of a load or store that runs where the pairs are disjoint what it does not alias.
  void annotate(llvm::Instruction &access, const std::set<Pair> &pairs);
  size_t size() const { return arrays_.size(); }

private:
  struct Array {
    llvm::Argument *data = nullptr;
    unsigned dimensions = 0;
    uint64_t item_size = 0;
    bool strided = false;
    llvm::MDNode *scope = nullptr;
    llvm::Value *low = nullptr, *high = nullptr; // addresses, computed at the entry when first needed
  };
  void computeBounds(Array &array);

  llvm::Function &function_;
  llvm::MDBuilder metadata_;
  llvm::MDNode *domain_ = nullptr;
  llvm::SmallVector<Array, 8> arrays_;
  std::map<Pair, llvm::Value *> pair_disjoint_;
  std::map<std::set<Pair>, llvm::Value *> all_disjoint_;
};

} // namespace naja::codegen
