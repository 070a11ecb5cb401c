// Complex arithmetic on pairs of LLVM floats, for the handlers of complex operations and functions.
#pragma once

#include <llvm/IR/IRBuilder.h>

namespace naja::codegen {

struct Complex {
  llvm::Value *re, *im;
};

Complex complexMul(llvm::IRBuilder<> &b, Complex x, Complex y);
Complex complexDiv(llvm::IRBuilder<> &b, Complex x, Complex y);
/// Floats: Python's // and %.
llvm::Value *floatMod(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y);
llvm::Value *floatFloorDiv(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y);
llvm::Value *floatAbs(llvm::IRBuilder<> &b, llvm::Value *x);
llvm::Value *copySign(llvm::IRBuilder<> &b, llvm::Value *magnitude, llvm::Value *sign);

} // namespace naja::codegen
