// The call graph of a module: who calls whom, and its strongly connected components, callees first.
#pragma once

#include "naja/ir/function.h"

#include <vector>

namespace naja::passes {

class CallGraph {
public:
  explicit CallGraph(const ir::Module &module);
  const std::vector<uint32_t> &callees(uint32_t function) const { return callees_[function]; }
  /// Components in bottom-up order.
  const std::vector<std::vector<uint32_t>> &components() const { return components_; }
  /// True where the function may call itself, directly or not.
  bool recursive(uint32_t function) const { return recursive_[function]; }

private:
  void findComponents();
  std::vector<std::vector<uint32_t>> callees_, components_;
  std::vector<bool> recursive_;
};

/// The opcodes whose attribute is a function: calls, and those that apply a kernel.
bool namesFunction(ir::Opcode op);

} // namespace naja::passes
