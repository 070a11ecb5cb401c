// What differs between targets. A target overrides handlers and names; it never copies lowering.
#pragma once

#include "naja/codegen/lower/lowering.h"

#include <llvm/IR/CallingConv.h>
#include <llvm/IR/LLVMContext.h>

namespace naja::codegen {

/// A vector form of a math function: `name` does `lanes` values at once.
struct VectorForm {
  std::string name;
  unsigned lanes = 0;
  llvm::CallingConv::ID convention = llvm::CallingConv::C;
};

class TargetInfo {
public:
  virtual ~TargetInfo();
  /// How an instruction is lowered: the common handler unless the target has its own.
  virtual Handler handler(ir::Opcode op) const;
  /// Vector forms of the libm function `name`, widest last.
  virtual llvm::ArrayRef<VectorForm> vectorForms(llvm::StringRef name) const;
  /// Has x86-64's float to int64 conversion.
  virtual bool hasTruncatingConversion() const { return false; }
  /// The target's stack register, for inline stack checks; empty where there are none.
  virtual llvm::StringRef stackRegister() const { return {}; }
  /// What the target calls a function of libm ("sinf").
  virtual std::string mathName(llvm::StringRef name) const { return name.str(); }
  /// Of memory shared by a block of threads.
  virtual unsigned sharedAddressSpace() const { return 0; }
  /// Synchronisation scope of a fence over the block (0), the device (1), the system (2).
  virtual llvm::SyncScope::ID fenceScope(llvm::LLVMContext &, int) const { return llvm::SyncScope::System; }
};

/// The host's or another CPU.
std::unique_ptr<TargetInfo> makeCpuTarget(const llvm::Triple &triple, llvm::StringRef features);

} // namespace naja::codegen
