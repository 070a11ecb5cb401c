#include "naja/codegen/lower/lowering.h"
#include "naja/codegen/target_info.h"
#include "naja/codegen/argument_aliases.h"
#include "naja/types/type.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/ConstantFold.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

namespace naja::codegen {
namespace {

/// Results beyond this many go through memory: LLVM returns three integers and four floats in registers.
constexpr size_t kMaxDirectResults = 3;

void addFlags(TypeId id, llvm::SmallVectorImpl<bool> &flags) {
  const Type &type = naja::typeOf(id);
  const size_t before = flags.size(), count = scalarsOf(id).size();
  switch (type.kind) {
  case TypeKind::Bool: flags.push_back(true); break;
  case TypeKind::Optional:
  case TypeKind::MaybeUnbound:
    if (count > 0) flags.push_back(true);
    for (TypeId arg : type.args) addFlags(arg, flags);
    break;
  case TypeKind::Tuple:
  case TypeKind::Iterator:
  case TypeKind::Closure:
  case TypeKind::BoundMethod:
  case TypeKind::ExceptionInstance:
    for (TypeId arg : type.args) addFlags(arg, flags);
    break;
  default: break;
  }
  flags.resize(before + count, false);
}

/// Positions of array extents among the scalars of a type: known not to be negative.
void addExtents(TypeId id, unsigned base, llvm::SmallVectorImpl<unsigned> &out) {
  const Type &type = naja::typeOf(id);
  if (type.kind == TypeKind::Array) {
    for (unsigned axis = 0; axis < type.ndim; ++axis) out.push_back(base + kArrayDims + axis);
  } else if (type.kind == TypeKind::Tuple) {
    for (TypeId arg : type.args) {
      addExtents(arg, base, out);
      base += static_cast<unsigned>(scalarsOf(arg).size());
    }
  }
}

/// Describes array arguments to VersionAliasesPass.
void addArrays(TypeId id, unsigned base, llvm::LLVMContext &context, llvm::SmallVectorImpl<llvm::Metadata *> &out) {
  const Type &type = naja::typeOf(id);
  if (type.kind == TypeKind::Array) {
    auto *i32 = llvm::Type::getInt32Ty(context);
    llvm::SmallVector<llvm::Metadata *, 4> numbers;
    for (unsigned number : {base + kArrayData, unsigned{type.ndim}, itemSize(type.args[0]), static_cast<unsigned>(type.layout)})
      numbers.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32, number)));
    out.push_back(llvm::MDNode::get(context, numbers));
  } else if (type.kind == TypeKind::Tuple) {
    for (TypeId arg : type.args) {
      addArrays(arg, base, context, out);
      base += static_cast<unsigned>(scalarsOf(arg).size());
    }
  }
}

} // namespace

ModuleLowering::ModuleLowering(const ir::Module &nir, llvm::Module &module, const TargetInfo &target, bool debug_info)
    : nir_(nir), module_(module), target_(target), callees_(nir.functions.size()) {
  unlikely_ = llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights();
  if (debug_info) {
    debug_ = std::make_unique<llvm::DIBuilder>(module);
    module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
    module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  }
}

ModuleLowering::~ModuleLowering() = default;

void ModuleLowering::fail(Diagnostic diagnostic) {
  if (!error_) error_ = std::move(diagnostic);
}

llvm::Type *ModuleLowering::machineType(Machine machine) {
  switch (machine) {
  case Machine::I8: return llvm::Type::getInt8Ty(context());
  case Machine::I16: return llvm::Type::getInt16Ty(context());
  case Machine::I32: return llvm::Type::getInt32Ty(context());
  case Machine::I64: return llvm::Type::getInt64Ty(context());
  case Machine::F32: return llvm::Type::getFloatTy(context());
  case Machine::F64: return llvm::Type::getDoubleTy(context());
  case Machine::Ptr: break;
  }
  return llvm::PointerType::getUnqual(context());
}

const TypeInfo &ModuleLowering::typeInfo(TypeId type) {
  const TypeInfo *&slot = info_of_[type.value];
  if (slot) return *slot;
  TypeInfo &info = type_infos_.emplace_back();
  llvm::SmallVector<bool, 8> flags;
  addFlags(type, flags);
  auto scalars = scalarsOf(type);
  for (size_t i = 0; i < scalars.size(); ++i) {
    info.abi.push_back(machineType(scalars[i]));
    info.ssa.push_back(flags[i] ? llvm::Type::getInt1Ty(context()) : info.abi.back());
  }
  info.layout = &structLayoutOf(type);
  slot = &info;
  return info;
}

llvm::Function *ModuleLowering::runtime(llvm::StringRef name, llvm::FunctionType *type, RuntimeEffect effect, bool cold) {
  if (llvm::Function *known = module_.getFunction(name)) return known;
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module_);
  function->setDoesNotThrow();
  // Straight through the import slot instead of a stub.
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  if (effect == RuntimeEffect::Pure) {
    function->setMemoryEffects(llvm::MemoryEffects::none());
    function->setWillReturn();
    function->setSpeculatable();
    function->setNoSync();
    function->addFnAttr(llvm::Attribute::NoFree);
  } else if (effect == RuntimeEffect::Arguments) {
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
    function->setWillReturn();
  }
  if (cold) function->addFnAttr(llvm::Attribute::Cold);
  return function;
}

void ModuleLowering::declareVectorForms(llvm::Function &scalar) {
  const unsigned arguments = static_cast<unsigned>(scalar.arg_size());
  for (const VectorForm &form : target_.vectorForms(scalar.getName())) {
    if (module_.getFunction(form.name)) continue;
    auto *vector = llvm::FixedVectorType::get(scalar.getReturnType(), form.lanes);
    llvm::SmallVector<llvm::Type *, 2> parameters(arguments, vector);
    llvm::Function *function =
        runtime(form.name, llvm::FunctionType::get(vector, parameters, false), RuntimeEffect::Pure);
    function->setCallingConv(form.convention);
  }
}

llvm::CallInst *ModuleLowering::callMath(llvm::IRBuilder<> &builder, llvm::StringRef libm_name, ScalarRef arguments) {
  const std::string target_name = target_.mathName(libm_name);
  const llvm::StringRef name = target_name;
  llvm::SmallVector<llvm::Type *, 3> types;
  for (llvm::Value *argument : arguments) types.push_back(argument->getType());
  auto *type = llvm::FunctionType::get(types.front(), types, false);
  llvm::Function *function = module_.getFunction(name);
  if (!function) {
    function = runtime(name, type, RuntimeEffect::Pure);
    declareVectorForms(*function);
  }
  llvm::CallInst *call = builder.CreateCall(function, llvm::ArrayRef<llvm::Value *>(arguments));
  llvm::ArrayRef<VectorForm> forms = target_.vectorForms(name);
  if (forms.empty()) return call;
  // The loop vectoriser reads the vector forms from the call: no pass has to look them up.
  std::string variants;
  for (const VectorForm &form : forms)
    variants += (variants.empty() ? "" : ",") + std::string("_ZGV_LLVM_N") + std::to_string(form.lanes) +
                std::string(arguments.size(), 'v') + "_" + name.str() + "(" + form.name + ")";
  call->addFnAttr(llvm::Attribute::get(context(), "vector-function-abi-variant", variants));
  return call;
}

llvm::Constant *ModuleLowering::bytes(llvm::StringRef data, unsigned alignment) {
  auto *initial = llvm::ConstantDataArray::getString(context(), data, /*AddNull=*/false);
  auto *global = new llvm::GlobalVariable(module_, initial->getType(), true, llvm::GlobalValue::PrivateLinkage, initial);
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  global->setAlignment(llvm::Align(alignment));
  return global;
}

llvm::Constant *ModuleLowering::text(std::string_view text) {
  if (text.empty()) return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context()));
  llvm::Constant *&slot = texts_[llvm::StringRef(text.data(), text.size())];
  if (!slot) slot = bytes(llvm::StringRef(std::string(text).c_str(), text.size() + 1), 1);
  return slot;
}

llvm::GlobalVariable *ModuleLowering::slot(Slot::Kind kind, uint32_t id, llvm::Type *type) {
  static constexpr const char *kPrefixes[] = {"naja.type.", "naja.constant.", "naja.origin.", "naja.array."};
  const std::string name = kPrefixes[kind] + std::to_string(id);
  if (llvm::GlobalVariable *known = module_.getGlobalVariable(name)) return known;
  slots_.push_back({kind, id, name, {}});
  // Arrays are bound by name; the others are exported words that start with what is right in this process.
  llvm::Constant *initial = nullptr;
  if (kind == Slot::Type || kind == Slot::Constant)
    initial = llvm::ConstantInt::get(type, id);
  else if (kind == Slot::Origin)
    initial = llvm::Constant::getNullValue(type);
  auto *global = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, initial, name);
  if (initial) {
    global->setVisibility(llvm::GlobalValue::HiddenVisibility);
    global->setExternallyInitialized(true);
  }
  return global;
}

llvm::GlobalVariable *ModuleLowering::arrayData(ConstId constant) {
  return slot(Slot::ArrayData, constant.value, llvm::ArrayType::get(llvm::Type::getInt8Ty(context()), 0));
}

llvm::Constant *ModuleLowering::origin(const std::string &file) {
  auto *pointer = llvm::PointerType::getUnqual(context());
  if (file.empty()) return llvm::ConstantPointerNull::get(pointer);
  for (const Slot &known : slots_)
    if (known.kind == Slot::Origin && known.file == file) return module_.getGlobalVariable(known.symbol);
  auto *type = llvm::StructType::get(context(), {pointer, pointer, llvm::Type::getInt64Ty(context())});
  llvm::GlobalVariable *global = slot(Slot::Origin, static_cast<uint32_t>(slots_.size()), type);
  slots_.back().file = file;
  llvm::Constant *none = llvm::Constant::getNullValue(type);
  global->setInitializer(llvm::ConstantFoldInsertValueInstruction(none, text(file), {0}));
  return global;
}

bool ModuleLowering::rootIsCalled() const {
  for (const auto &function : nir_.functions)
    for (size_t block = 0; block < function->numBlocks(); ++block) {
      const ir::Block &data = function->block(ir::BlockId(static_cast<uint32_t>(block)));
      if (data.dead) continue;
      for (ir::InstId inst : data.insts)
        if (function->inst(inst).op == ir::Opcode::Call && function->inst(inst).function() == nir_.root) return true;
    }
  return false;
}

void ModuleLowering::declare(ir::FunctionId id) {
  const ir::Function &function = nir_.get(id);
  Callee &callee = callees_[id.value];
  const TypeInfo &result = typeInfo(function.return_type);
  const bool entry = function.external || (id == nir_.root && !rootIsCalled());
  callee.direct = !entry && result.size() <= kMaxDirectResults;
  callee.has_status = entry || function.may_raise || !callee.direct;
  auto *i32 = llvm::Type::getInt32Ty(context());
  llvm::SmallVector<llvm::Type *, 16> parameters, results;
  if (!callee.direct) parameters.push_back(llvm::PointerType::getUnqual(context()));
  if (callee.has_status) results.push_back(i32);
  if (callee.direct) results.append(result.ssa.begin(), result.ssa.end());
  llvm::SmallVector<unsigned, 16> extents;
  llvm::SmallVector<llvm::Metadata *, 8> arrays;
  for (TypeId type : function.param_types) {
    const TypeInfo &info = typeInfo(type);
    addExtents(type, static_cast<unsigned>(parameters.size()), extents);
    addArrays(type, static_cast<unsigned>(parameters.size()), context(), arrays);
    const auto &types = entry ? info.abi : info.ssa;
    parameters.append(types.begin(), types.end());
  }
  llvm::Type *return_type = results.empty()       ? llvm::Type::getVoidTy(context())
                            : results.size() == 1 ? results[0]
                                                  : llvm::StructType::get(context(), results);
  auto linkage = entry ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  std::string name = function.name + (!entry && id == nir_.root ? ".body" : "");
  auto *llvm_function =
      llvm::Function::Create(llvm::FunctionType::get(return_type, parameters, false), linkage, name, module_);
  callee.function = llvm_function;
  llvm_function->setDoesNotThrow();
  llvm_function->setMustProgress();
  if (function.external) {
    llvm_function->addFnAttr(llvm::Attribute::NonLazyBind);
  } else if (entry) {
    llvm_function->setDSOLocal(true);
  }
  if (function.flags.forceinline && !entry) llvm_function->addFnAttr(llvm::Attribute::AlwaysInline);
  if (!callee.direct) {
    llvm_function->addParamAttr(0, llvm::Attribute::NoAlias);
    llvm_function->addParamAttr(0, llvm::Attribute::getWithCaptureInfo(context(), llvm::CaptureInfo::none()));
    if (result.layout->size > 0) {
      llvm_function->addDereferenceableParamAttr(0, result.layout->size);
      llvm_function->addParamAttr(0, llvm::Attribute::getWithAlignment(context(), llvm::Align(result.layout->alignment)));
    }
  }
  if (arrays.size() > 1 && !function.external) llvm_function->setMetadata(kArrayArguments, llvm::MDNode::get(context(), arrays));
  const llvm::ConstantRange nonnegative(llvm::APInt::getZero(64), llvm::APInt::getSignedMinValue(64));
  for (unsigned i : extents)
    llvm_function->addParamAttr(i, llvm::Attribute::get(context(), llvm::Attribute::Range, nonnegative));
  if (!function.external) pending_.push_back(id);
}

const Callee &ModuleLowering::callee(ir::FunctionId id) {
  if (!callees_[id.value].function) declare(id);
  return callees_[id.value];
}

/// The exported entry of a root that is also called from inside: the native ABI in front of the internal body.
void ModuleLowering::lowerEntry(ir::FunctionId id, llvm::Function *body) {
  const ir::Function &function = nir_.get(id);
  const Callee &inner = callees_[id.value];
  const TypeInfo &result = typeInfo(function.return_type);
  llvm::IRBuilder<> b(context());
  llvm::SmallVector<llvm::Type *, 16> parameters = {llvm::PointerType::getUnqual(context())};
  for (TypeId type : function.param_types) {
    const TypeInfo &info = typeInfo(type);
    parameters.append(info.abi.begin(), info.abi.end());
  }
  auto *entry = llvm::Function::Create(llvm::FunctionType::get(b.getInt32Ty(), parameters, false),
                                       llvm::GlobalValue::ExternalLinkage, function.name, module_);
  entry->setDoesNotThrow();
  entry->setDSOLocal(true);
  b.SetInsertPoint(llvm::BasicBlock::Create(context(), "entry", entry));
  Scalars arguments;
  if (!inner.direct) arguments.push_back(entry->getArg(0));
  for (unsigned i = 1; i < entry->arg_size(); ++i) {
    llvm::Type *wanted = body->getArg(static_cast<unsigned>(arguments.size()))->getType();
    llvm::Value *argument = entry->getArg(i);
    arguments.push_back(wanted == argument->getType() ? argument : b.CreateTrunc(argument, wanted));
  }
  llvm::CallInst *call = b.CreateCall(body, arguments);
  llvm::Value *status = b.getInt32(0);
  if (inner.direct) {
    const unsigned total = static_cast<unsigned>(result.size()) + (inner.has_status ? 1 : 0);
    auto part = [&](unsigned i) -> llvm::Value * { return total == 1 ? call : b.CreateExtractValue(call, i); };
    if (inner.has_status) status = part(0);
    for (unsigned i = 0; i < result.size(); ++i) {
      llvm::Value *scalar = part(i + (inner.has_status ? 1 : 0));
      if (scalar->getType() != result.abi[i]) scalar = b.CreateZExt(scalar, result.abi[i]);
      b.CreateAlignedStore(scalar, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), entry->getArg(0), result.layout->offsets[i]),
                           llvm::Align(sizeOf(scalarsOf(function.return_type)[i])));
    }
  } else {
    status = call;
  }
  b.CreateRet(status);
}

llvm::DISubprogram *ModuleLowering::debugScope(const ir::Function &function) {
  if (!debug_) return nullptr;
  const size_t slash = function.file.rfind('/');
  std::string directory = slash == std::string::npos ? "." : function.file.substr(0, slash);
  std::string base = slash == std::string::npos ? function.file : function.file.substr(slash + 1);
  llvm::DIFile *file = debug_->createFile(base, directory);
  if (!debug_unit_)
    debug_unit_ = debug_->createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), file, "naja", true, "", 0);
  auto *type = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
  const auto line = static_cast<unsigned>(std::max(function.first_line, 0));
  return debug_->createFunction(file, function.name, function.name, file, line, type, line, llvm::DINode::FlagZero,
                                llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
}

std::optional<Diagnostic> ModuleLowering::run() {
  const Callee root = callee(nir_.root);
  while (!pending_.empty() && !error_) {
    ir::FunctionId id = pending_.back();
    pending_.pop_back();
    const Callee callee = callees_[id.value];
    FunctionLowering(*this, nir_.get(id), callee.function).run(callee);
  }
  if (!error_ && root.function->hasInternalLinkage()) lowerEntry(nir_.root, root.function);
  if (debug_) debug_->finalize();
  return std::move(error_);
}

} // namespace naja::codegen
