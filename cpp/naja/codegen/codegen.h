// Typed NIR -> llvm::Module -> optimised -> relocatable object. The LLVM headers stay behind this wall.
#pragma once

#include "naja/ir/function.h"
#include "naja/support/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace naja::codegen {

/// How a type is passed and held: the scalars it is flattened to, in order. The one definition of naja's native ABI
/// (docs/architecture/abi.md): codegen, bindings and the CUDA launcher all use it.
///   none, functions, modules, classes: nothing    bool: i8 (0, 1)    intN, floatN: themselves    complex: re, im
///   Optional(T): i8 present, T...    MaybeUnbound(T): as Optional    Tuple: its items'
///   array: owner ptr, data ptr, extents..., and for layout A strides...
///   slice: i64 start, stop, step, i8 presence bits     unicode_type: data ptr, i64 length, i32 kind, ... (runtime/abi.h)
///   range: start, stop, step of its item type    record: owner ptr, data ptr    pointer: ptr    pyobject: ptr
/// types/layout.h implements it.
///
/// A compiled function is `i32 f(ret*, scalars...)`: 0, or a status of runtime/abi.h with the exception recorded; the
/// result's scalars are stored at ret in order, each at its natural alignment (as a C struct of them).
struct Options {
  int opt_level = 3;
  std::string cpu, features;  // empty: the host's
  bool keep_ir = false, keep_opt_ir = false, keep_asm = false; // texts wanted in the result
  bool debug_info = false;
  bool verify = false;        // llvm::verifyModule after lowering (always on in debug builds)
};

/// What is of a process, not of the code. The code reads it from symbols of its own: the id of a type or constant (u32), the
/// naja_origin of a file; or it imports it: the data of a frozen array. Right as emitted in this process; in another one
/// the store's loader fills it in.
struct Slot {
  enum Kind : uint8_t { Type, Constant, Origin, ArrayData } kind;
  uint32_t id;        // TypeId or ConstId
  std::string symbol;
  std::string file;   // of an Origin
};

/// Before the id in the symbol of an ArrayData slot.
inline constexpr std::string_view kArrayPrefix = "naja.array.";

struct Object {
  std::vector<char> elf;      // relocatable object
  std::string ir, opt_ir, assembly;
  std::string root_symbol;
  std::vector<Slot> slots;
  bool holds_address = false; // code with an address of this process in it, which no other can run
  double lower_seconds = 0, optimise_seconds = 0, emit_seconds = 0;
  size_t llvm_instructions = 0;
};

Result<Object> compile(const ir::Module &module, const Options &options);
std::string hostCpu();
std::string hostFeatures();
std::string llvmVersion();

} // namespace naja::codegen
