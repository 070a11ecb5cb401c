// Typed NIR of a kernel or device function -> PTX. The same lowering as for CPUs, with the target's own handlers for
// what only a GPU has, libdevice for math, and the C ABI of CUDA in front.
#pragma once

#include "naja/ir/function.h"
#include "naja/support/result.h"

#include <string>

namespace naja::codegen {

struct PtxOptions {
  std::string cpu = "sm_75";
  bool device = false;   // a device function, not a kernel
  std::string name;      // of a device function with the C ABI; empty: naja's native ABI under the function's own name
  std::string libdevice; // path of libdevice.10.bc; empty: none was found
  int opt_level = 3;
  bool keep_ir = false;
};

struct Ptx {
  std::string text;
  std::string symbol;
  std::string opt_ir;
  std::string missing; // functions of libdevice that are needed where no libdevice was given
};

/// A kernel is `.entry symbol(scalars of the arguments)`, as types/layout.h lists them.
Result<Ptx> compilePtx(const ir::Module &module, const PtxOptions &options);

} // namespace naja::codegen
