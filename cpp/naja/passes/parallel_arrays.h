// Arrays as reduction variables of a parallel loop: `acc += x`, elementwise, on an array from outside of the loop. Each chunk
// adds to an array of its own; the sums are added to the array after the loop.
#pragma once

#include "naja/passes/parallel_carried.h"

namespace naja::passes {

struct ArrayReduction {
  ir::ValueId array;
  ir::Opcode op = ir::Opcode::FAdd; // combines two elements
  int64_t attr = 0;                 // of Math
};

/// Arrays from outside that the loop uses for nothing but updating them by one operation, elementwise.
std::vector<ArrayReduction> findArrayReductions(const ir::Module &module, const ir::Function &function, const MarkedLoop &loop,
                                                const ir::Dominators &dominators);

/// A kernel (a, b) -> a op b, or, for Opcode::Cast, the copy a -> a.
ir::FunctionId makeKernel(ir::Module &module, const ir::Function &like, ir::Opcode op, int64_t attr, TypeId element);

/// The operation that combines partial results of `op`; empty: none does.
std::optional<ir::Opcode> combiningOperation(const ir::Inst &inst);
/// a - b, a / b: only the first operand is the value so far.
bool needsValueFirst(ir::Opcode op);
/// A value may be folded in twice: partial results may start from the value before the loop.
bool isIdempotent(ir::Opcode op);
/// What partial results of another operation start from.
ir::ValueId emitIdentity(ir::Builder &b, ir::Opcode op, TypeId type);

} // namespace naja::passes
