// The LLVM back end of this thread: target machine, analysis managers and pass pipelines, made once and kept, since making
// them costs as much as compiling a small function.
#pragma once

#include "naja/codegen/codegen.h"
#include "naja/codegen/target_info.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace naja::codegen {

/// How much work a module is worth.
enum class Tier : uint8_t {
  None,     // opt_level 0
  Simplify, // kernels, before they are cut at barriers: one function, values in registers
  Straight, // no loop anywhere
  Full,     // loops: vectorisation and all that serves it
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual llvm::TargetMachine &machine() = 0;
  virtual const TargetInfo &target() = 0;
  virtual std::string optimise(llvm::Module &module, Tier tier) = 0;
  virtual void emit(llvm::Module &module, llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type) = 0;
};

/// The back end for a CPU, of the calling thread. Null and `error` where LLVM does not know the CPU.
Backend *backendFor(const std::string &cpu, const std::string &features, int opt_level, std::string *error);

} // namespace naja::codegen
