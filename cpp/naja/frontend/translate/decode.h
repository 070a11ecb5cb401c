// Bytecode of one version -> normalised operations. One table per version (opcodes_*.def) says how each opcode is
// decoded; what comes after knows no versions.
#pragma once

#include "naja/frontend/snapshot/code.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace naja::frontend {

enum class Op : uint8_t {
#define NAJA_OP(Enum, handler) Enum,
#include "naja/frontend/translate/ops.def"
};
constexpr bool endsBlock(Op op) { return op >= Op::Unsupported; }
constexpr bool isJump(Op op) { return op >= Op::ForIter && op <= Op::JumpIfTrueOrPop; }

/// What lies below the code of MakeFunction.
constexpr int32_t kHasDefaults = 1, kHasKeywordDefaults = 2, kHasAnnotations = 4, kHasClosure = 8;

struct Operation {
  Op op;
  int32_t arg;   // see ops.def; of a jump: index of the operation it goes to
  uint32_t unit; // code unit it came from: the key of its location
};

struct Decoded {
  std::vector<Operation> ops;
  bool malformed = false; // a jump into nowhere or an opcode that the version does not have
};
Decoded decode(const CodeSnapshot &code);

/// Name of an opcode of that version ("IMPORT_NAME"); empty where it has none.
std::string_view opcodeName(int python_minor, int opcode);

} // namespace naja::frontend
