// One handler per typed instruction, declared from the instruction tables: an instruction without handler does not link,
// and a family that dispatch.cpp does not list does not compile.
#pragma once

#include "naja/codegen/lower/lowering.h"

namespace naja::codegen {

#define NAJA_INST(Enum, text, operands, result, attr, effects) void lower##Enum(FunctionLowering &f, const ir::Inst &inst);
#define NAJA_TERM(Enum, text, operands, attr, effects) void lower##Enum(FunctionLowering &f, const ir::Inst &inst);
#include "naja/ir/instructions/control.def"
#include "naja/ir/instructions/scalar.def"
#include "naja/ir/instructions/aggregate.def"
#include "naja/ir/instructions/array.def"
#include "naja/ir/instructions/memory.def"
#undef NAJA_INST
#undef NAJA_TERM

/// The handler that all targets share.
Handler commonHandler(ir::Opcode op);

} // namespace naja::codegen
