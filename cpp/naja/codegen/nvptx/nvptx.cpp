#include "naja/codegen/nvptx/nvptx.h"

#include "naja/codegen/lower/lowering.h"
#include "naja/codegen/nvptx/nvptx_target.h"
#include "naja/codegen/spmd/spmd.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <map>
#include <mutex>

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace naja::codegen {
namespace {

Diagnostic complaint(std::string message, DiagnosticKind kind = DiagnosticKind::Compiler) {
  Diagnostic diagnostic;
  diagnostic.kind = kind;
  diagnostic.message = std::move(message);
  return diagnostic;
}

llvm::TargetMachine *machineFor(const std::string &cpu, std::string *error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  std::unique_ptr<llvm::TargetMachine> &machine = machines[cpu];
  if (machine) return machine.get();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, *error);
  if (!target) return nullptr;
  machine.reset(target->createTargetMachine(triple, cpu, "", {}, llvm::Reloc::PIC_, std::nullopt,
                                            llvm::CodeGenOptLevel::Default));
  if (!machine) *error = "no code generator for " + cpu;
  return machine.get();
}

/// PTX has letters, digits, _ and $.
std::string ptxName(llvm::StringRef name) {
  std::string out;
  for (char c : name) out += llvm::isAlnum(c) || c == '_' || c == '$' ? c : '_';
  return !out.empty() && llvm::isDigit(out[0]) ? "_" + out : out;
}

/// `.entry name(scalars)`, or `name(scalars) -> scalar` of the C ABI: calls the native function, which is inlined.
llvm::Function *wrap(llvm::Module &module, llvm::Function &native, llvm::Type *result, const std::string &name,
                     bool kernel) {
  llvm::IRBuilder<> b(module.getContext());
  llvm::SmallVector<llvm::Type *, 16> types(llvm::drop_begin(native.getFunctionType()->params()));
  llvm::Type *returned = kernel || !result ? b.getVoidTy() : result;
  native.setName(name + ".native");
  native.setLinkage(llvm::GlobalValue::InternalLinkage);
  native.addFnAttr(llvm::Attribute::AlwaysInline);
  auto *outer = llvm::Function::Create(llvm::FunctionType::get(returned, types, false),
                                       llvm::GlobalValue::ExternalLinkage, name, module);
  if (kernel) outer->setCallingConv(llvm::CallingConv::PTX_Kernel);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "entry", outer));
  llvm::Value *slot = llvm::PoisonValue::get(b.getPtrTy());
  if (result) slot = b.CreateAlloca(result);
  llvm::SmallVector<llvm::Value *, 16> arguments = {slot};
  for (llvm::Argument &argument : outer->args()) arguments.push_back(&argument);
  b.CreateCall(&native, arguments);
  if (returned->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(b.CreateLoad(result, slot));
  return outer;
}

/// Exceptions end the thread: there is nobody to record them.
void defineRaising(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!function.isDeclaration() || !function.getName().starts_with("naja_rt_raise")) continue;
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "", &function));
    b.CreateRetVoid();
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  // What describes places in the source for exceptions goes with them.
  for (llvm::GlobalVariable &global : module.globals())
    if (global.hasInitializer()) global.setLinkage(llvm::GlobalValue::InternalLinkage);
}

std::string undefinedFunctions(const llvm::Module &module) {
  std::string names;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        function.getName() != "__nvvm_reflect")
      names += (names.empty() ? "" : ", ") + function.getName().str();
  return names;
}

std::string linkLibdevice(llvm::Module &module, const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) return "cannot read " + path;
  auto library = llvm::parseBitcodeFile(**buffer, module.getContext());
  if (!library) return path + ": " + llvm::toString(library.takeError());
  (*library)->setTargetTriple(module.getTargetTriple());
  (*library)->setDataLayout(module.getDataLayout());
  llvm::StringSet<> own;
  for (const llvm::Function &function : module)
    if (!function.isDeclaration()) own.insert(function.getName());
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded))
    return "libdevice does not link";
  for (llvm::Function &function : module)
    if (!function.isDeclaration() && !own.contains(function.getName()))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  return {};
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine, int level) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  if (level <= 0)
    builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0).run(module, modules);
  else
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

} // namespace

Result<Ptx> compilePtx(const ir::Module &nir, const PtxOptions &options) {
  std::string error;
  llvm::TargetMachine *machine = machineFor(options.cpu, &error);
  if (!machine) return complaint(error);
  const ir::Function &root = nir.get(nir.root);
  llvm::LLVMContext context;
  llvm::Module module(root.name, context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  const std::unique_ptr<TargetInfo> target = makeNvptxTarget();
  llvm::Type *result = nullptr;
  {
    ModuleLowering lowering(nir, module, *target, /*debug_info=*/false);
    if (std::optional<Diagnostic> failure = lowering.run()) return std::move(*failure);
    const TypeInfo &info = lowering.typeInfo(root.return_type);
    if (info.size() == 1) result = info.abi[0];
    if (info.size() > 1 && options.device && !options.name.empty())
      return complaint("a device function with the C ABI returns one number, not " + toString(root.return_type),
                       DiagnosticKind::Unsupported);
  }
  Ptx ptx;
  llvm::Function *native = module.getFunction(root.name);
  spmd::inlineEverything(module);
  if (!options.device || !options.name.empty()) {
    ptx.symbol = ptxName(options.name.empty() ? root.name : options.name);
    wrap(module, *native, result, ptx.symbol, !options.device);
  } else {
    ptx.symbol = ptxName(root.name);
    native->setName(ptx.symbol);
  }
  defineRaising(module);
  llvm::raw_string_ostream out(error);
  if (llvm::verifyModule(module, &out)) return complaint("invalid LLVM IR: " + error);
  if (std::string names = undefinedFunctions(module); !names.empty()) {
    if (options.libdevice.empty()) {
      ptx.missing = names;
      return ptx;
    }
    if (std::string wrong = linkLibdevice(module, options.libdevice); !wrong.empty()) return complaint(wrong);
    if (names = undefinedFunctions(module); !names.empty())
      return complaint("not available on a GPU: " + names, DiagnosticKind::Unsupported);
  }
  optimise(module, *machine, options.opt_level);
  if (options.keep_ir) {
    llvm::raw_string_ostream text(ptx.opt_ir);
    module.print(text, nullptr);
  }
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return complaint("PTX cannot be written");
  passes.run(module);
  ptx.text = buffer.str().str();
  return ptx;
}

} // namespace naja::codegen
