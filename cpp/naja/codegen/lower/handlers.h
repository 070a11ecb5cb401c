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
#include "naja/ir/instructions/cuda.def"
#include "naja/ir/instructions/parallel.def"
#undef NAJA_INST
#undef NAJA_TERM

/// float16, which lives in i16.
inline bool isHalf(const Type &type) { return type.kind == TypeKind::Float && type.bits == 16; }

/// Operand and result of floating-point operations: those on float16 are done in float32 and rounded once, which gives the
/// correctly rounded result of + - * / and sqrt.
llvm::Value *floatOperand(FunctionLowering &f, ir::ValueId id);
void defineFloat(FunctionLowering &f, const ir::Inst &inst, llvm::Value *value);

/// The handler that all targets share.
Handler commonHandler(ir::Opcode op);

} // namespace naja::codegen
