// Constants, calls, branches, exceptions, references.
#include "naja/codegen/lower/float_bounds.h"
#include "naja/codegen/lower/handlers.h"
#include "naja/codegen/target_info.h"
#include "naja/runtime/abi.h"

#include <fmt/format.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace naja::codegen {

void lowerConst(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.constantScalars(inst.constant(), inst.type)); }
void lowerUndef(FunctionLowering &f, const ir::Inst &inst) { f.define(inst, f.zeros(inst.type)); }

// ------------------------------------------------------------------------------------------------------------ calls

namespace {

Scalars argumentScalars(FunctionLowering &f, const ir::Inst &inst, const ir::Function &callee, bool abi) {
  Scalars arguments;
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    const TypeInfo &info = f.typeInfo(callee.param_types[i]);
    ScalarRef scalars = f.value(inst.operands[i]);
    for (size_t k = 0; k < scalars.size(); ++k)
      arguments.push_back(abi ? f.toAbi(scalars[k], info.abi[k]) : scalars[k]);
  }
  return arguments;
}

void callDirect(FunctionLowering &f, const ir::Inst &inst, const Callee &callee, const ir::Function &function) {
  auto &b = f.b();
  Scalars arguments = argumentScalars(f, inst, function, false);
  llvm::CallInst *call = b.CreateCall(callee.function, arguments);
  const size_t results = f.typeInfo(function.return_type).size(), total = results + (callee.has_status ? 1 : 0);
  Scalars parts;
  for (size_t i = 0; i < total; ++i)
    parts.push_back(total == 1 ? static_cast<llvm::Value *>(call) : b.CreateExtractValue(call, static_cast<unsigned>(i)));
  if (callee.has_status && inst.mayRaise() && function.may_raise) f.checkStatus(inst, parts[0]);
  f.define(inst, ScalarRef(parts).take_back(results));
}

void callThroughMemory(FunctionLowering &f, const ir::Inst &inst, const Callee &callee, const ir::Function &function) {
  auto &b = f.b();
  const StructLayout &layout = structLayoutOf(function.return_type);
  llvm::AllocaInst *slot = f.stackSlot(layout.size, std::max(layout.alignment, 1U));
  Scalars arguments = {slot};
  Scalars scalars = argumentScalars(f, inst, function, callee.function->hasExternalLinkage());
  arguments.append(scalars.begin(), scalars.end());
  llvm::Value *status = b.CreateCall(callee.function, arguments);
  if (inst.mayRaise() && function.may_raise) f.checkStatus(inst, status);
  f.define(inst, f.loadStruct(slot, function.return_type));
}

/// Runtime functions that only compute.
bool isPureRuntime(std::string_view name) {
  static constexpr std::string_view kPure[] = {"naja_rt_ipow_i64", "naja_rt_ipow_u64"};
  return std::find(std::begin(kPure), std::end(kPure), name) != std::end(kPure);
}

/// C callers extend integers below 32 bits; clang's callees rely on it.
void extendArguments(llvm::Function &function, const std::vector<bool> &is_signed) {
  for (unsigned i = 0; i < is_signed.size(); ++i)
    if (auto *type = llvm::dyn_cast<llvm::IntegerType>(function.getArg(i)->getType()); type && type->getBitWidth() < 32)
      function.addParamAttr(i, is_signed[i] ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
}

} // namespace

namespace {
void checkStack(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), false);
  auto call = [&] {
    llvm::Function *check = f.module().runtime("naja_rt_check_stack", type, RuntimeEffect::Arguments, true);
    return b.CreateCall(check);
  };
  const llvm::StringRef stack_register = f.module().target().stackRegister();
  if (stack_register.empty()) return f.checkStatus(inst, call());
  // The limit is a thread-local word at a distance from the thread pointer that the symbol stands for (runtime/abi.h).
  llvm::Module &module = f.module().module();
  auto *distance = module.getNamedGlobal("naja_rt_stack_limit");
  if (!distance)
    distance = new llvm::GlobalVariable(module, b.getInt8Ty(), true, llvm::GlobalValue::ExternalLinkage, nullptr, "naja_rt_stack_limit");
  constexpr unsigned kThreadSegment = 257; // fs
  llvm::Value *word = b.CreateIntToPtr(b.CreatePtrToInt(distance, b.getInt64Ty()), llvm::PointerType::get(f.context(), kThreadSegment));
  llvm::Value *limit = b.CreateAlignedLoad(b.getInt64Ty(), word, llvm::Align(8));
  llvm::Metadata *name = llvm::MDNode::get(f.context(), llvm::MDString::get(f.context(), stack_register));
  llvm::Value *stack = b.CreateIntrinsic(llvm::Intrinsic::read_register, {b.getInt64Ty()}, {llvm::MetadataAsValue::get(f.context(), name)});
  llvm::BasicBlock *low = f.newBlock("low_stack"), *go_on = f.newBlock("");
  b.CreateCondBr(b.CreateICmpULT(stack, limit), low, go_on, f.module().unlikely());
  b.SetInsertPoint(low);
  llvm::Value *status = call();
  llvm::BasicBlock *raised = f.newBlock("");
  b.CreateCondBr(b.CreateICmpNE(status, f.i32(NAJA_OK)), raised, go_on);
  b.SetInsertPoint(raised);
  f.leave(inst, status);
  b.SetInsertPoint(go_on);
}
} // namespace

void lowerCall(FunctionLowering &f, const ir::Inst &inst) {
  const ir::Function &function = f.module().nir().get(inst.function());
  if (function.is_kernel && !function.external) {
    llvm::SmallVector<Scalars, 4> arguments;
    for (ir::ValueId operand : inst.operands) {
      ScalarRef scalars = f.value(operand);
      arguments.emplace_back(scalars.begin(), scalars.end());
    }
    f.define(inst, f.inlineCall(function, arguments, inst));
    return;
  }
  // It leaves as the call would, which knows what has to be released by now.
  if (inst.mayRaise() && f.takeStackCheck()) checkStack(f, inst);
  const Callee &callee = f.module().callee(inst.function());
  if (callee.direct) {
    callDirect(f, inst, callee, function);
  } else {
    callThroughMemory(f, inst, callee, function);
  }
}

/// A function of C at an address (`address:140...`, from the library's external functions). Its scalars pass as C's do,
/// narrow ones extended; it cannot raise.
void lowerCallAddress(FunctionLowering &f, const ir::Inst &inst, std::string_view digits) {
  auto &b = f.b();
  uint64_t address = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), address);
  f.module().noteAddress();
  llvm::SmallVector<llvm::Type *, 8> types;
  Scalars arguments;
  for (ir::ValueId operand : inst.operands) {
    const TypeInfo &info = f.typeInfo(f.typeOf(operand));
    types.push_back(info.abi[0]);
    arguments.push_back(f.toAbi(f.value(operand)[0], info.abi[0]));
  }
  const TypeInfo &result = f.typeInfo(inst.type);
  auto *type = llvm::FunctionType::get(result.size() == 0 ? b.getVoidTy() : result.abi[0], types, false);
  llvm::CallInst *call = b.CreateCall(type, b.CreateIntToPtr(b.getInt64(address), b.getPtrTy()), arguments);
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    if (!types[i]->isIntegerTy() || types[i]->getIntegerBitWidth() >= 32) continue;
    const bool is_signed = naja::typeOf(f.typeOf(inst.operands[i])).is_signed;
    call->addParamAttr(i, is_signed ? llvm::Attribute::SExt : llvm::Attribute::ZExt);
  }
  if (result.size() == 1) f.define(inst, f.fromAbi(call, result.ssa[0]));
}

void lowerCallRuntime(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  const std::string_view name = ir::symbolText(inst.symbol());
  if (constexpr std::string_view kAddress = "address:"; name.starts_with(kAddress))
    return lowerCallAddress(f, inst, name.substr(kAddress.size()));
  llvm::SmallVector<llvm::Type *, 8> types;
  Scalars arguments;
  std::vector<bool> is_signed;
  for (ir::ValueId operand : inst.operands) {
    const TypeInfo &info = f.typeInfo(f.typeOf(operand));
    ScalarRef scalars = f.value(operand);
    const Type &type = naja::typeOf(f.typeOf(operand));
    for (size_t i = 0; i < scalars.size(); ++i) {
      types.push_back(info.abi[i]);
      arguments.push_back(f.toAbi(scalars[i], info.abi[i]));
      is_signed.push_back(type.kind == TypeKind::Int && type.is_signed);
    }
  }
  const TypeInfo &result = f.typeInfo(inst.type);
  const bool raises = inst.mayRaise();
  const bool by_pointer = result.size() > 1 || (raises && result.size() > 0);
  llvm::AllocaInst *slot = nullptr;
  if (by_pointer) {
    slot = f.stackSlot(result.layout->size, result.layout->alignment);
    types.push_back(b.getPtrTy());
    arguments.push_back(slot);
    is_signed.push_back(false);
  }
  llvm::Type *return_type = raises ? b.getInt32Ty() : by_pointer || result.size() == 0 ? b.getVoidTy() : result.abi[0];
  const bool known = f.module().module().getFunction(llvm::StringRef(name.data(), name.size())) != nullptr;
  llvm::Function *function =
      f.module().runtime(llvm::StringRef(name.data(), name.size()), llvm::FunctionType::get(return_type, types, false),
                         isPureRuntime(name) ? RuntimeEffect::Pure : RuntimeEffect::Anything);
  if (!known) extendArguments(*function, is_signed);
  llvm::CallInst *call = b.CreateCall(function->getFunctionType()->getNumParams() == arguments.size()
                                          ? function->getFunctionType()
                                          : llvm::FunctionType::get(return_type, types, false),
                                      function, arguments);
  if (raises) f.checkStatus(inst, call);
  if (by_pointer) {
    f.define(inst, f.loadStruct(slot, inst.type));
  } else if (result.size() == 1) {
    f.define(inst, f.fromAbi(call, result.ssa[0]));
  }
}

// ---------------------------------------------------------------------------------------------------------- branches

void lowerBr(FunctionLowering &f, const ir::Inst &inst) { f.branch(inst.edges[0]); }
void lowerCondBr(FunctionLowering &f, const ir::Inst &inst) {
  f.branchIf(f.scalar(inst.operands[0]), inst.edges[0], inst.edges[1]);
}
void lowerReturn(FunctionLowering &f, const ir::Inst &inst) {
  f.returnValue(f.value(inst.operands[0]), f.typeOf(inst.operands[0]));
}
void lowerUnreachable(FunctionLowering &f, const ir::Inst &) { f.b().CreateUnreachable(); }

// -------------------------------------------------------------------------------------------------------- exceptions

void lowerRaise(FunctionLowering &f, const ir::Inst &inst) {
  f.recordException(inst, inst.constant(), inst.operands);
  f.leave(inst, f.i32(NAJA_RAISED));
}
void lowerResume(FunctionLowering &f, const ir::Inst &) { f.resume(); }

void lowerCheckNonZero(FunctionLowering &f, const ir::Inst &inst) {
  if (!inst.mayRaise()) return;
  if (auto bound = lowerBound(f.nir(), inst.operands[0]); bound && *bound > 0) return;
  llvm::Value *is_zero = nullptr;
  ScalarRef parts = f.value(inst.operands[0]);
  const Scalars single{floatOperand(f, inst.operands[0])};
  for (llvm::Value *part : parts.size() == 1 ? ScalarRef(single) : parts) {
    llvm::Value *zero = llvm::Constant::getNullValue(part->getType());
    llvm::Value *test = part->getType()->isFloatingPointTy() ? f.b().CreateFCmpOEQ(part, zero) : f.b().CreateICmpEQ(part, zero);
    is_zero = is_zero ? f.b().CreateAnd(is_zero, test) : test;
  }
  f.raiseTextIf(inst, is_zero, NAJA_ZeroDivisionError, ir::symbolText(inst.symbol()));
}

void lowerCheckTrue(FunctionLowering &f, const ir::Inst &inst) {
  if (!inst.mayRaise()) return;
  f.coldIf(f.b().CreateNot(f.scalar(inst.operands[0])), [&] {
    f.recordException(inst, inst.constant(), std::span(inst.operands).subspan(1));
    f.leave(inst, f.i32(NAJA_RAISED));
  });
}

void lowerCheckBound(FunctionLowering &f, const ir::Inst &inst) {
  ScalarRef variable = f.value(inst.operands[0]);
  const std::string text =
      fmt::format("cannot access local variable '{}' where it is not associated with a value", ir::symbolText(inst.symbol()));
  if (variable.empty()) { // never assigned
    f.raiseTextIf(inst, f.b().getTrue(), NAJA_UnboundLocalError, text);
    f.define(inst, f.zeros(inst.type));
    return;
  }
  if (inst.mayRaise()) f.raiseTextIf(inst, f.b().CreateNot(variable[0]), NAJA_UnboundLocalError, text);
  f.define(inst, variable.drop_front());
}

void lowerPollSignals(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  llvm::Module &module = f.module().module();
  auto *pending = module.getNamedGlobal("naja_rt_signal_pending");
  if (!pending)
    pending = new llvm::GlobalVariable(module, b.getInt32Ty(), false, llvm::GlobalValue::ExternalLinkage, nullptr, "naja_rt_signal_pending");
  llvm::Value *flag = b.CreateAlignedLoad(b.getInt32Ty(), pending, llvm::Align(4), /*isVolatile=*/true);
  llvm::BasicBlock *go_on = f.newBlock("");
  llvm::BasicBlock *poll = f.newBlock("poll");
  b.CreateCondBr(b.CreateICmpNE(flag, f.i32(0)), poll, go_on, f.module().unlikely());
  b.SetInsertPoint(poll);
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), false);
  llvm::Value *status = b.CreateCall(f.module().runtime("naja_rt_poll_signals", type, RuntimeEffect::Anything, true));
  llvm::BasicBlock *raised = f.newBlock("");
  b.CreateCondBr(b.CreateICmpNE(status, f.i32(NAJA_OK)), raised, go_on);
  b.SetInsertPoint(raised);
  f.leave(inst, status);
  b.SetInsertPoint(go_on);
}

/// Waits for the calls: what returns without calling anything needs no stack.
void lowerCheckStack(FunctionLowering &f, const ir::Inst &) { f.deferStackCheck(); }

void lowerPrint(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  std::vector<TypeId> types;
  Scalars scalars;
  for (ir::ValueId operand : inst.operands) {
    types.push_back(f.typeOf(operand));
    ScalarRef part = f.value(operand);
    scalars.append(part.begin(), part.end());
  }
  const TypeId tuple = naja::types().tuple(types);
  const StructLayout &layout = structLayoutOf(tuple);
  llvm::AllocaInst *slot = f.stackSlot(layout.size, std::max(layout.alignment, 1U));
  f.storeStruct(slot, tuple, scalars);
  llvm::AllocaInst *table = f.stackSlot(4 * std::max<size_t>(types.size(), 1), 4);
  for (unsigned i = 0; i < types.size(); ++i)
    b.CreateStore(b.CreateLoad(b.getInt32Ty(), f.module().typeSlot(types[i])),
                  b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), table, i));
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt32Ty(), b.getPtrTy(), b.getPtrTy()}, false);
  f.checkStatus(inst, b.CreateCall(f.module().runtime("naja_rt_print", type, RuntimeEffect::Anything),
                                   {f.i32(static_cast<int64_t>(types.size())), table, slot}));
}

// -------------------------------------------------------------------------------------------------------- references

namespace {

/// Calls `name` for every owner of the value that is neither null nor tagged.
void countReferences(FunctionLowering &f, const ir::Inst &inst, const char *name, const char *object_name, RuntimeEffect effect) {
  auto &b = f.b();
  ScalarRef scalars = f.value(inst.operands[0]);
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  for (const ReferenceSlot &slot : referencesOf(f.typeOf(inst.operands[0]))) {
    llvm::Value *owner = scalars[slot.scalar];
    if (llvm::isa<llvm::ConstantPointerNull>(owner)) continue;
    llvm::Function *count = f.module().runtime(slot.is_object ? object_name : name, type, slot.is_object ? RuntimeEffect::Anything : effect);
    llvm::Value *skip = b.CreateIsNull(owner);
    if (!slot.is_object) {
      llvm::Value *tag = b.CreateAnd(b.CreatePtrToInt(owner, b.getInt64Ty()), f.i64(1));
      skip = b.CreateOr(skip, b.CreateICmpNE(tag, f.i64(0)));
    }
    llvm::BasicBlock *do_count = f.newBlock(""), *go_on = f.newBlock("");
    b.CreateCondBr(skip, go_on, do_count);
    b.SetInsertPoint(do_count);
    b.CreateCall(count, {owner});
    b.CreateBr(go_on);
    b.SetInsertPoint(go_on);
  }
}

} // namespace

void lowerIncRef(FunctionLowering &f, const ir::Inst &inst) {
  countReferences(f, inst, "naja_rt_incref", "naja_rt_incref_object", RuntimeEffect::Arguments);
}
void lowerDecRef(FunctionLowering &f, const ir::Inst &inst) {
  // Freeing ends the life of memory that other pointers lead to.
  countReferences(f, inst, "naja_rt_decref", "naja_rt_decref_object", RuntimeEffect::Anything);
}

} // namespace naja::codegen
