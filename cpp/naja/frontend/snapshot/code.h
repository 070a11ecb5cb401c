// What snapshot reads of a Python function, as plain data: nothing below refers to a Python object but by PyHandle.
#pragma once

#include "naja/support/location.h"
#include "naja/types/constant.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace naja::frontend {

struct ExceptionTableEntry {
  int32_t start, end, target, depth;
  bool lasti;
}; // instruction offsets in code units

/// A code object. `bytecode` is the original one (co_code: no adaptive or instrumented opcodes), two bytes a code unit.
struct CodeSnapshot {
  int python_minor = 0; // 11, 12 or 13: which opcodes
  std::string name, qualname, file;
  int first_line = 0;
  int arg_count = 0, positional_only = 0, keyword_only = 0; // co_argcount includes the positional-only ones
  bool has_varargs = false, has_varkw = false, is_generator = false, is_coroutine = false;
  std::vector<uint8_t> bytecode;
  std::vector<ConstId> constants;                         // co_consts; a nested code object: see `codes`
  std::vector<std::shared_ptr<const CodeSnapshot>> codes; // parallel to constants; null but for code objects
  std::vector<std::string> names;                         // co_names
  std::vector<std::string> local_names;                   // fast locals in slot order: parameters, locals, cells, free
  std::vector<uint8_t> local_kinds;                       // co_localspluskinds bits: 0x20 local, 0x40 cell, 0x80 free
  std::vector<std::string> free_names, cell_names;
  std::vector<ExceptionTableEntry> exceptions;
  std::vector<Loc> locations;         // one per code unit
  std::vector<uint32_t> global_names; // indexes into names of those loaded as globals, ascending
  bool uses_assertion_error = false;  // see kAssertionErrorName
};

/// Where FunctionSnapshot::globals has the class that `assert` raises, whatever the name means in the module.
inline constexpr const char *kAssertionErrorName = "builtins.AssertionError";

/// A function: its code and everything frozen with it. Equal contents have equal hashes; handles are not hashed.
struct FunctionSnapshot {
  std::shared_ptr<const CodeSnapshot> code;
  std::string module;
  std::vector<std::optional<ConstId>> free_values;   // closure cells by free_names order; nullopt: empty cell
  std::vector<std::optional<ConstId>> global_values; // by code->names index; nullopt: no such global or builtin (filled
                                                     // for names the code (or an inner code) loads as globals)
  std::vector<std::pair<std::string, ConstId>> globals;          // the same by name, inner functions' included
  std::vector<ConstId> defaults;                                 // of the last positional parameters
  std::vector<std::pair<std::string, ConstId>> keyword_defaults; // of keyword-only parameters
  PyHandle function;
  uint64_t content_hash = 0;
};

} // namespace naja::frontend
