// Ways out of a function with an exception. Cold blocks are shared: one per unwind target and kind of exception, with what
// differs (index, line ...) in phis, so that a function with a hundred checks has a handful of them.
#include "naja/codegen/lower/lowering.h"
#include "naja/runtime/abi.h"

namespace naja::codegen {

llvm::Value *FunctionLowering::statusSlot() {
  if (!status_) {
    llvm::BasicBlock &entry = llvm_function_->getEntryBlock();
    llvm::IRBuilder<> at(&entry, entry.begin());
    status_ = at.CreateAlloca(at.getInt32Ty());
  }
  return status_;
}

/// The block that hands a status to the caller; for code lowered in place, to the outer function's instruction.
static void emitReturnOfStatus(llvm::IRBuilder<> &at, llvm::Function &function, const Callee &callee, llvm::Value *status) {
  if (!callee.has_status) {
    // A function that cannot raise by analysis has no such path; if one was built it is never taken.
    at.CreateUnreachable();
    return;
  }
  llvm::Type *type = function.getReturnType();
  if (!type->isStructTy()) {
    at.CreateRet(status);
    return;
  }
  at.CreateRet(at.CreateInsertValue(llvm::PoisonValue::get(type), status, 0));
}

void FunctionLowering::leave(const ir::Inst &inst, llvm::Value *status) {
  if (inst.unwind.valid()) {
    b().CreateStore(status, statusSlot());
    b().CreateBr(blockOf(inst.unwind));
    return;
  }
  if (outer_) {
    outer_->leave(*outer_inst_, status);
    return;
  }
  if (!propagate_.block) {
    propagate_.block = newBlock("propagate");
    llvm::IRBuilder<> at(propagate_.block);
    at.SetCurrentDebugLocation(b().getCurrentDebugLocation());
    propagate_.operands.push_back(at.CreatePHI(at.getInt32Ty(), 2));
    emitReturnOfStatus(at, *llvm_function_, *callee_, propagate_.operands[0]);
  }
  propagate_.operands[0]->addIncoming(status, b().GetInsertBlock());
  b().CreateBr(propagate_.block);
}

void FunctionLowering::checkStatus(const ir::Inst &inst, llvm::Value *status) {
  coldIf(b().CreateICmpNE(status, i32(NAJA_OK)), [&] { leave(inst, status); });
}

void FunctionLowering::resume() {
  ir::Inst out; // no unwind block: out of the function
  leave(out, b().CreateLoad(b().getInt32Ty(), statusSlot()));
}

FunctionLowering::Exit &FunctionLowering::sharedExit(std::tuple<uint32_t, int64_t, std::string> key,
                                                     llvm::ArrayRef<llvm::Type *> types,
                                                     llvm::function_ref<void(Exit &)> fill) {
  auto [entry, added] = exits_.try_emplace(std::move(key));
  Exit &exit = entry->second;
  if (!added) return exit;
  exit.block = newBlock("raise");
  llvm::IRBuilder<>::InsertPointGuard guard(b());
  b().SetInsertPoint(exit.block);
  for (llvm::Type *type : types) exit.operands.push_back(b().CreatePHI(type, 2));
  fill(exit);
  return exit;
}

void FunctionLowering::jumpToExit(Exit &exit, llvm::Value *condition, ScalarRef operands) {
  llvm::BasicBlock *go_on = newBlock("");
  for (size_t i = 0; i < operands.size(); ++i) exit.operands[i]->addIncoming(operands[i], b().GetInsertBlock());
  b().CreateCondBr(condition, exit.block, go_on, module_.unlikely());
  b().SetInsertPoint(go_on);
}

namespace {
bool isNever(llvm::Value *condition) {
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition);
  return constant && constant->isZero();
}
} // namespace

void FunctionLowering::raiseTextIf(const ir::Inst &inst, llvm::Value *condition, uint32_t exception, std::string_view text) {
  if (isNever(condition)) return;
  auto fill = [&](Exit &exit) {
    auto *pointer = b().getPtrTy();
    auto *type = llvm::FunctionType::get(
        b().getVoidTy(), {b().getInt32Ty(), pointer, pointer, pointer, b().getInt32Ty()}, false);
    b().CreateCall(module_.runtime("naja_rt_raise_text", type, RuntimeEffect::Arguments, true),
                   {i32(exception), module_.text(text), origin(), functionText(inst), exit.operands[0]});
    leave(inst, i32(NAJA_RAISED));
  };
  Exit &exit = sharedExit({inst.unwind.value, exception, std::string(functionName(inst)) + "\n" + std::string(text)}, {b().getInt32Ty()}, fill);
  jumpToExit(exit, condition, ScalarRef(static_cast<llvm::Value *>(i32(inst.loc.line))));
}

void FunctionLowering::raiseIndexIf(const ir::Inst &inst, llvm::Value *condition, llvm::Value *index, int64_t axis,
                                    llvm::Value *size) {
  if (isNever(condition)) return;
  auto fill = [&](Exit &exit) {
    auto *pointer = b().getPtrTy();
    auto *i64_type = b().getInt64Ty();
    auto *type = llvm::FunctionType::get(b().getVoidTy(), {i64_type, i64_type, i64_type, pointer, pointer, b().getInt32Ty()}, false);
    b().CreateCall(module_.runtime("naja_rt_raise_index", type, RuntimeEffect::Arguments, true),
                   {exit.operands[0], exit.operands[1], exit.operands[2], origin(), functionText(inst), exit.operands[3]});
    leave(inst, i32(NAJA_RAISED));
  };
  auto *i64_type = b().getInt64Ty();
  Exit &exit = sharedExit({inst.unwind.value, -1, std::string(functionName(inst))}, {i64_type, i64_type, i64_type, b().getInt32Ty()}, fill);
  llvm::Value *operands[] = {index, i64(axis), size, i32(inst.loc.line)};
  jumpToExit(exit, condition, operands);
}

void FunctionLowering::recordException(const ir::Inst &inst, ConstId exception, std::span<const ir::ValueId> arguments) {
  std::vector<TypeId> types;
  Scalars scalars;
  for (ir::ValueId argument : arguments) {
    types.push_back(typeOf(argument));
    ScalarRef part = value(argument);
    scalars.append(part.begin(), part.end());
  }
  const TypeId tuple = naja::types().tuple(types);
  const StructLayout &layout = structLayoutOf(tuple);
  auto *pointer = b().getPtrTy();
  auto *i32_type = b().getInt32Ty();
  auto *site_type = llvm::StructType::get(context(), {pointer, pointer, pointer, pointer, i32_type, i32_type});
  llvm::Constant *site = llvm::ConstantStruct::get(
      site_type, {module_.constantSlot(exception), module_.typeSlot(tuple), origin(), functionText(inst), i32(inst.loc.line), i32(layout.size)});
  auto *global = new llvm::GlobalVariable(module_.module(), site_type, true, llvm::GlobalValue::PrivateLinkage, site);
  llvm::Value *slot = llvm::ConstantPointerNull::get(pointer);
  if (layout.size > 0) {
    slot = stackSlot(layout.size, layout.alignment);
    storeStruct(slot, tuple, scalars);
  }
  auto *type = llvm::FunctionType::get(b().getVoidTy(), {pointer, pointer}, false);
  b().CreateCall(module_.runtime("naja_rt_raise", type, RuntimeEffect::Arguments, true), {global, slot});
}

} // namespace naja::codegen
