// Parallel regions: the captured values lie in a struct on the caller's stack, from which a trampoline, which the scheduler
// calls for each chunk, hands them to the body. The body stays a function of its own: what is known of array arguments
// (VersionAliasesPass) is known of the captured arrays too.
#include "naja/codegen/lower/handlers.h"
#include "naja/runtime/abi.h"

#include <algorithm>

namespace naja::codegen {
namespace {

/// i32 trampoline(ptr data, i64 begin, i64 end, i64 chunk), as naja_parallel_body.
llvm::Function *makeTrampoline(FunctionLowering &f, const Callee &body, const ir::Function &nir, TypeId captured) {
  auto &context = f.context();
  auto *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {llvm::PointerType::getUnqual(context), i64, i64, i64}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, nir.name + ".chunk", f.module().module());
  function->setDoesNotThrow();
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  FunctionLowering inside(f.module(), f.nir(), function);
  Callee callee;
  callee.function = function;
  callee.direct = true;
  inside.beginPlain(callee);
  auto &b = inside.b();
  Scalars arguments;
  if (!body.direct) arguments.push_back(inside.stackSlot(1, 1)); // nothing is returned
  for (unsigned i = 1; i <= 3; ++i) arguments.push_back(function->getArg(i));
  Scalars values = inside.loadStruct(function->getArg(0), captured);
  arguments.append(values.begin(), values.end());
  llvm::CallInst *call = b.CreateCall(body.function, arguments);
  b.CreateRet(body.has_status ? static_cast<llvm::Value *>(call) : inside.i32(NAJA_OK));
  return function;
}

} // namespace

/// Marks that no pass has turned into a region: the loop is serial.
void lowerParallelMark(FunctionLowering &, const ir::Inst &) {}

void lowerParallelFor(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  const Callee &body = f.module().callee(inst.function());
  body.function->addFnAttr(llvm::Attribute::NoInline);
  std::vector<TypeId> types;
  Scalars scalars;
  for (ir::ValueId operand : std::span(inst.operands).subspan(2)) {
    types.push_back(f.typeOf(operand));
    ScalarRef part = f.value(operand);
    scalars.append(part.begin(), part.end());
  }
  const TypeId captured = naja::types().tuple(types);
  const StructLayout &layout = structLayoutOf(captured);
  llvm::AllocaInst *data = f.stackSlot(layout.size, std::max(layout.alignment, 1U));
  f.storeStruct(data, captured, scalars);
  llvm::Function *trampoline = makeTrampoline(f, body, f.module().nir().get(inst.function()), captured);
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt64Ty(), b.getInt64Ty(), b.getPtrTy(), b.getPtrTy()}, false);
  llvm::Function *run = f.module().runtime("naja_rt_parallel_run", type, RuntimeEffect::Anything);
  f.checkStatus(inst, b.CreateCall(run, {f.scalar(inst.operands[0]), f.scalar(inst.operands[1]), trampoline, data}));
}

} // namespace naja::codegen
