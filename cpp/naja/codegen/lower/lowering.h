// The state of lowering one module and one function of typed NIR to LLVM IR, and the services that handlers use. A NIR
// value is the list of its machine scalars (types/layout.h) from here to the machine code: nothing is packed into structs.
// bool and presence flags are i1 in SSA, i8 in memory and in the ABI.
//
// FunctionLowering refers to the NIR function, which must outlive it; everything LLVM belongs to the llvm::Module.
#pragma once

#include "naja/codegen/codegen.h"
#include "naja/ir/function.h"
#include "naja/support/diagnostic.h"
#include "naja/types/layout.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace llvm {
class DIBuilder;
class DICompileUnit;
class DIFile;
class DILocalVariable;
class DISubprogram;
} // namespace llvm

namespace naja::codegen {

class FunctionLowering;
class TargetInfo;

using Scalars = llvm::SmallVector<llvm::Value *, 4>;
using ScalarRef = llvm::ArrayRef<llvm::Value *>;
using Handler = void (*)(FunctionLowering &, const ir::Inst &);

/// How the scalars of a type look: in SSA and in memory or the ABI.
struct TypeInfo {
  llvm::SmallVector<llvm::Type *, 4> ssa;
  llvm::SmallVector<llvm::Type *, 4> abi;
  const StructLayout *layout = nullptr;
  size_t size() const { return ssa.size(); }
};

/// How a function of the module is called.
struct Callee {
  llvm::Function *function = nullptr;
  /// Results in registers, as {status, scalars...} (or without the status): internal functions with few results. Otherwise
  /// the native ABI: status returned, scalars stored at the first argument.
  bool direct = false;
  bool has_status = true;
};

/// What a C function does, for the optimiser.
enum class RuntimeEffect : uint8_t {
  Pure,     // a function of its arguments alone
  Arguments, // touches what its pointer arguments point to and the runtime's own state
  Anything,
};

class ModuleLowering {
public:
  ModuleLowering(const ir::Module &nir, llvm::Module &module, const TargetInfo &target, bool debug_info);
  ~ModuleLowering();
  ModuleLowering(const ModuleLowering &) = delete;
  ModuleLowering &operator=(const ModuleLowering &) = delete;

  /// Lowers the root and every function that it reaches. Empty, or the first error.
  std::optional<Diagnostic> run();

  const ir::Module &nir() const { return nir_; }
  llvm::Module &module() { return module_; }
  llvm::LLVMContext &context() { return module_.getContext(); }
  const TargetInfo &target() const { return target_; }

  const TypeInfo &typeInfo(TypeId type);
  llvm::Type *machineType(Machine machine);
  const Callee &callee(ir::FunctionId id);
  /// Declares (once) a C function that compiled code may call.
  llvm::Function *runtime(llvm::StringRef name, llvm::FunctionType *type, RuntimeEffect effect = RuntimeEffect::Arguments,
                          bool cold = false);
  /// A math function of libm, with the vector forms that the target's library has.
  llvm::CallInst *callMath(llvm::IRBuilder<> &builder, llvm::StringRef name, ScalarRef arguments);
  /// Address of a NUL-terminated text, made once per module. Null pointer for an empty one.
  llvm::Constant *text(std::string_view text);
  // ---- what is of a process: read through slots, never part of the code, so that code can be cached
  /// A u32 with the id of a type or constant.
  llvm::GlobalVariable *typeSlot(TypeId type) { return slot(Slot::Type, type.value, llvm::Type::getInt32Ty(context())); }
  llvm::GlobalVariable *constantSlot(ConstId constant) {
    return slot(Slot::Constant, constant.value, llvm::Type::getInt32Ty(context()));
  }
  /// The data of a frozen array: a symbol that the loader binds.
  llvm::GlobalVariable *arrayData(ConstId constant);
  /// The naja_origin of a source file; null for an empty name.
  llvm::Constant *origin(const std::string &file);
  std::vector<Slot> takeSlots() { return std::move(slots_); }
  /// The code holds an address of this process.
  void noteAddress() { holds_address_ = true; }
  bool holdsAddress() const { return holds_address_; }

  /// Private constant bytes.
  llvm::Constant *bytes(llvm::StringRef data, unsigned alignment);
  llvm::MDNode *unlikely() const { return unlikely_; }

  void fail(Diagnostic diagnostic);
  bool failed() const { return error_.has_value(); }

  llvm::DIBuilder *debug() { return debug_.get(); }
  llvm::DISubprogram *debugScope(const ir::Function &function);

private:
  llvm::GlobalVariable *slot(Slot::Kind kind, uint32_t id, llvm::Type *type);
  void declare(ir::FunctionId id);
  void declareVectorForms(llvm::Function &scalar);
  void lowerEntry(ir::FunctionId id, llvm::Function *body);
  bool rootIsCalled() const;

  const ir::Module &nir_;
  llvm::Module &module_;
  const TargetInfo &target_;
  std::deque<TypeInfo> type_infos_;
  llvm::DenseMap<uint32_t, const TypeInfo *> info_of_;
  std::vector<Callee> callees_;
  std::vector<ir::FunctionId> pending_;
  llvm::StringMap<llvm::Constant *> texts_;
  std::vector<Slot> slots_;
  bool holds_address_ = false;
  llvm::MDNode *unlikely_ = nullptr;
  std::optional<Diagnostic> error_;
  std::unique_ptr<llvm::DIBuilder> debug_;
  llvm::DICompileUnit *debug_unit_ = nullptr;
};

class FunctionLowering {
public:
  /// A function with a body of its own.
  FunctionLowering(ModuleLowering &module, const ir::Function &function, llvm::Function *llvm_function);

  /// Lowers a whole function whose LLVM declaration is `callee`.
  void run(const Callee &callee);
  /// For functions that have no NIR of their own (row kernels): sets up an entry block and the ways out, nothing else.
  void beginPlain(const Callee &callee);
  /// Lowers `kernel` in place at this function's insertion point and returns the scalars of its result. What it raises
  /// leaves through `inst` of this function.
  Scalars inlineCall(const ir::Function &kernel, llvm::ArrayRef<Scalars> arguments, const ir::Inst &inst);

  // ---- services
  llvm::IRBuilder<> &b() { return *builder_; }
  ModuleLowering &module() { return module_; }
  llvm::LLVMContext &context() { return module_.context(); }
  const ir::Function &nir() const { return function_; }
  llvm::Function *llvmFunction() { return llvm_function_; }

  /// Does the index of a store come from this value (through integer arithmetic)? Such loops do not vectorise.
  bool feedsStoreIndex(ir::ValueId id);
  /// Has the value been computed outside of the innermost loop around the current block?
  bool isInvariant(ir::ValueId id) const;
  TypeId typeOf(ir::ValueId id) const { return function_.typeOf(id); }
  const TypeInfo &typeInfo(TypeId type) { return module_.typeInfo(type); }
  ScalarRef value(ir::ValueId id);
  llvm::Value *scalar(ir::ValueId id) { return value(id).front(); }
  void define(const ir::Inst &inst, ScalarRef scalars);
  /// With debug information: tells the debugger that the variable of this value has this value from here on.
  void describeVariable(ir::ValueId id);
  void define(const ir::Inst &inst, llvm::Value *scalar) { define(inst, ScalarRef(scalar)); }

  llvm::Value *toAbi(llvm::Value *ssa, llvm::Type *abi);
  llvm::Value *fromAbi(llvm::Value *abi, llvm::Type *ssa);
  /// Stores scalars as the C struct of them, and loads them.
  void storeStruct(llvm::Value *pointer, TypeId type, ScalarRef scalars);
  Scalars loadStruct(llvm::Value *pointer, TypeId type);
  llvm::AllocaInst *stackSlot(uint64_t bytes, unsigned alignment);
  llvm::Constant *i32(int64_t value) { return b().getInt32(static_cast<uint32_t>(value)); }
  llvm::Constant *i64(int64_t value) { return b().getInt64(static_cast<uint64_t>(value)); }
  /// Zeros of every scalar.
  Scalars zeros(TypeId type);
  Scalars constantScalars(ConstId constant, TypeId type);
  Scalars cast(ScalarRef scalars, TypeId from, TypeId to);
  /// An integer of any width as i64, by its sign.
  llvm::Value *asInt64(llvm::Value *value, TypeId type);

  llvm::BasicBlock *newBlock(const char *name);
  llvm::BasicBlock *blockOf(ir::BlockId id) { return blocks_[id.value]; }
  void branch(const ir::Edge &edge);
  void branchIf(llvm::Value *condition, const ir::Edge &then, const ir::Edge &otherwise);
  void returnValue(ScalarRef scalars, TypeId type);

  // ---- exceptions. Each ends at the instruction's unwind block, or out of the function.
  /// Goes on where `status` is 0.
  void checkStatus(const ir::Inst &inst, llvm::Value *status);
  /// Ends the current block by leaving with `status`.
  void leave(const ir::Inst &inst, llvm::Value *status);
  /// Makes a cold block for `condition` true and goes on where it is false; `emit` fills the block and must end it.
  template <class Emit> void coldIf(llvm::Value *condition, Emit emit);
  /// `usual`, or where `condition` holds, which is rare, what `emit` computes in a block of its own.
  template <class Emit> llvm::Value *unlikelyValue(llvm::Value *condition, llvm::Value *usual, Emit emit);
  void raiseTextIf(const ir::Inst &inst, llvm::Value *condition, uint32_t exception, std::string_view text);
  void raiseIndexIf(const ir::Inst &inst, llvm::Value *condition, llvm::Value *index, int64_t axis, llvm::Value *size);
  /// Records an exception of class `exception` with the operands as arguments (no branch).
  void recordException(const ir::Inst &inst, ConstId exception, std::span<const ir::ValueId> arguments);
  void resume();
  /// A check of the stack that is made at the first call of each block instead of at the function's entry.
  void deferStackCheck() { stack_check_ = true; }
  bool takeStackCheck() {
    if (!stack_check_ || stack_checked_ == current_) return false;
    stack_checked_ = current_;
    return true;
  }
  /// For the parameter `origin` of the runtime's functions.
  llvm::Constant *origin() { return module_.origin(function_.file); }
  llvm::Constant *fileText() { return origin(); }
  llvm::Constant *functionText(const ir::Inst &inst) { return module_.text(functionName(inst)); }
  /// The function that the instruction was written in.
  std::string_view functionName(const ir::Inst &inst) const {
    return inst.scope.valid() ? ir::symbolText(inst.scope) : std::string_view(function_.name);
  }

private:
  friend class ModuleLowering;
  struct Exit {
    llvm::BasicBlock *block = nullptr;
    llvm::SmallVector<llvm::PHINode *, 4> operands;
  };
  FunctionLowering(ModuleLowering &module, const ir::Function &kernel, FunctionLowering &outer, const ir::Inst &outer_inst);

  void prepareBlocks();
  void bindEntry(ScalarRef scalars);
  void lowerBlocks();
  void makeLatches(const std::vector<ir::BlockId> &order);
  void findLoops(const std::vector<ir::BlockId> &order);
  const ir::Inst *pollOf(ir::BlockId header) const;
  void lowerLatches();
  llvm::BasicBlock *enter(const ir::Edge &edge, llvm::BasicBlock *from);
  void allocateValues();
  llvm::Value *statusSlot();
  Exit &sharedExit(std::tuple<uint32_t, int64_t, std::string> key, llvm::ArrayRef<llvm::Type *> types,
                   llvm::function_ref<void(Exit &)> fill);
  void jumpToExit(Exit &exit, llvm::Value *condition, ScalarRef operands);

  ModuleLowering &module_;
  const ir::Function &function_;
  llvm::Function *llvm_function_;
  std::unique_ptr<llvm::IRBuilder<>> owned_builder_;
  llvm::IRBuilder<> *builder_;
  std::vector<llvm::Value *> pool_;
  std::vector<uint32_t> offset_;            // value -> position in pool_
  std::vector<uint32_t> block_of_value_;    // where it is defined, once it is
  std::vector<llvm::BasicBlock *> blocks_;
  std::vector<llvm::SmallVector<llvm::PHINode *, 4>> phis_;
  /// Where the back edges of a loop header meet, if there are several (LLVM would take them for loops inside each other) or
  /// if the loop polls for signals.
  struct Latch {
    llvm::BasicBlock *block = nullptr;
    const ir::Inst *poll = nullptr;
    llvm::SmallVector<llvm::PHINode *, 4> phis;
  };
  std::map<uint32_t, Latch> latches_; // by header
  std::vector<bool> feeds_index_;           // by value; made when first asked for
  std::vector<uint32_t> loop_;              // by block: header of the innermost loop around it, or kNoLoop
  std::vector<uint32_t> outer_loop_;        // by header: header of the loop around that loop
  static constexpr uint32_t kNoLoop = 0xffffffffU;
  std::vector<uint32_t> position_;          // of each block in reverse post-order
  ir::BlockId current_;
  bool stack_check_ = false;
  ir::BlockId stack_checked_;               // the block that has checked
  llvm::AllocaInst *status_ = nullptr;      // status in flight while an unwind block runs
  std::map<std::tuple<uint32_t, int64_t, std::string>, Exit> exits_;
  const Callee *callee_ = nullptr;
  Exit propagate_;                          // returns the status
  // Lowered in place of a call.
  FunctionLowering *outer_ = nullptr;
  const ir::Inst *outer_inst_ = nullptr;
  llvm::BasicBlock *inline_exit_ = nullptr;
  llvm::SmallVector<llvm::PHINode *, 4> inline_results_; // several returns
  Scalars inline_values_;                                // one return
  llvm::DISubprogram *scope_ = nullptr;
  std::map<std::pair<uint32_t, uint32_t>, llvm::DILocalVariable *> variables_; // by name and type
};

template <class Emit> llvm::Value *FunctionLowering::unlikelyValue(llvm::Value *condition, llvm::Value *usual, Emit emit) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition)) return constant->isZero() ? usual : emit();
  llvm::BasicBlock *from = b().GetInsertBlock(), *rare = newBlock("rare"), *go_on = newBlock("");
  b().CreateCondBr(condition, rare, go_on, module_.unlikely());
  b().SetInsertPoint(rare);
  llvm::Value *other = emit();
  llvm::BasicBlock *rare_end = b().GetInsertBlock();
  b().CreateBr(go_on);
  b().SetInsertPoint(go_on);
  llvm::PHINode *result = b().CreatePHI(usual->getType(), 2);
  result->addIncoming(usual, from);
  result->addIncoming(other, rare_end);
  return result;
}

template <class Emit> void FunctionLowering::coldIf(llvm::Value *condition, Emit emit) {
  if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(condition); constant && constant->isZero()) return;
  llvm::BasicBlock *cold = newBlock("cold"), *go_on = newBlock("go_on");
  b().CreateCondBr(condition, cold, go_on, module_.unlikely());
  b().SetInsertPoint(cold);
  emit();
  b().SetInsertPoint(go_on);
}

} // namespace naja::codegen
