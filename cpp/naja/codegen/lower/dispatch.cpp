#include "naja/codegen/lower/handlers.h"

#include <array>
#include <fmt/format.h>

namespace naja::codegen {
namespace {

constexpr size_t kOpcodes = 0
#define NAJA_INST(Enum, text, operands, result, attr, effects) +1
#define NAJA_TERM(Enum, text, operands, attr, effects) +1
#include "naja/ir/instructions.def"
    ;

/// Untyped instructions do not survive typing; one that did is our error, not the user's.
void lowerGeneric(FunctionLowering &f, const ir::Inst &inst) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = fmt::format("untyped instruction {} in {}", ir::info(inst.op).text, f.nir().name);
  f.module().fail(std::move(diagnostic));
  if (inst.result.valid()) f.define(inst, f.zeros(f.typeOf(inst.result)));
  if (ir::info(inst.op).is_terminator) f.b().CreateUnreachable();
}

constexpr std::array<Handler, kOpcodes> makeTable() {
  std::array<Handler, kOpcodes> table{};
#define NAJA_INST(Enum, text, operands, result, attr, effects) table[static_cast<size_t>(ir::Opcode::Enum)] = lowerGeneric;
#define NAJA_TERM(Enum, text, operands, attr, effects) table[static_cast<size_t>(ir::Opcode::Enum)] = lowerGeneric;
#include "naja/ir/instructions/generic.def"
#undef NAJA_INST
#undef NAJA_TERM
#define NAJA_INST(Enum, text, operands, result, attr, effects) table[static_cast<size_t>(ir::Opcode::Enum)] = lower##Enum;
#define NAJA_TERM(Enum, text, operands, attr, effects) table[static_cast<size_t>(ir::Opcode::Enum)] = lower##Enum;
#include "naja/ir/instructions/control.def"
#include "naja/ir/instructions/scalar.def"
#include "naja/ir/instructions/aggregate.def"
#include "naja/ir/instructions/array.def"
#include "naja/ir/instructions/memory.def"
#include "naja/ir/instructions/cuda.def"
#include "naja/ir/instructions/parallel.def"
#undef NAJA_INST
#undef NAJA_TERM
  return table;
}

constexpr std::array<Handler, kOpcodes> kHandlers = makeTable();

constexpr bool complete() {
  for (Handler handler : kHandlers)
    if (!handler) return false;
  return true;
}
static_assert(complete(), "an instruction family is missing in handlers.h and makeTable");

} // namespace

Handler commonHandler(ir::Opcode op) { return kHandlers[static_cast<size_t>(op)]; }

} // namespace naja::codegen
