#include "naja/codegen/codegen.h"
#include "naja/codegen/lower/lowering.h"
#include "naja/codegen/machine.h"
#include "naja/codegen/spmd/spmd.h"
#include "naja/codegen/spmd/widen_loops.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <chrono>

namespace naja::codegen {
namespace {

using Clock = std::chrono::steady_clock;

double lap(Clock::time_point &since) {
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - since).count();
  since = now;
  return seconds;
}

Diagnostic internalError(std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = std::move(message);
  return diagnostic;
}

std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

bool verifies(const Options &options) {
#ifdef NDEBUG
  return options.verify;
#else
  static_cast<void>(options);
  return true;
#endif
}

/// A cycle in the control flow of any function, or an elementwise operation.
bool hasLoop(const ir::Module &module) {
  for (const auto &function : module.functions) {
    if (function->external) continue;
    // In reverse post-order a loop has an edge to a block at or before its source.
    const std::vector<ir::BlockId> order = function->reversePostOrder();
    std::vector<size_t> position(function->numBlocks(), 0);
    for (size_t i = 0; i < order.size(); ++i) position[order[i].value] = i;
    for (ir::BlockId block : order) {
      for (ir::InstId inst : function->block(block).insts) {
        const ir::Opcode op = function->inst(inst).op;
        if (op == ir::Opcode::ArrayMap || op == ir::Opcode::ArrayMapInto || op == ir::Opcode::ArrayReduce) return true;
      }
      for (const ir::Edge &edge : function->terminator(block).edges)
        if (position[edge.target.value] <= position[block.value]) return true;
    }
  }
  return false;
}

std::string assemblyOf(Backend &backend, const llvm::Module &module) {
  // Emission rewrites the module.
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream out(buffer);
  backend.emit(*copy, out, llvm::CodeGenFileType::AssemblyFile);
  return buffer.str().str();
}

} // namespace

Result<Object> compile(const ir::Module &nir, const Options &options) {
  std::string error;
  Backend *backend = backendFor(options.cpu, options.features, options.opt_level, &error);
  if (!backend) return internalError(error);
  Object object;
  object.root_symbol = nir.get(nir.root).name;
  auto clock = Clock::now();
  llvm::LLVMContext context;
  context.setDiscardValueNames(!options.keep_ir && !options.keep_opt_ir);
  llvm::Module module(object.root_symbol, context);
  module.setTargetTriple(backend->machine().getTargetTriple());
  module.setDataLayout(backend->machine().createDataLayout());
  bool debug_info = options.debug_info;
  for (const auto &function : nir.functions) debug_info |= function->flags.debug;
  {
    ModuleLowering lowering(nir, module, backend->target(), debug_info);
    if (std::optional<Diagnostic> failure = lowering.run()) return std::move(*failure);
    object.slots = lowering.takeSlots();
    object.holds_address = lowering.holdsAddress();
  }
  for (const llvm::Function &function : module) object.llvm_instructions += function.getInstructionCount();
  object.lower_seconds = lap(clock);
  if (options.keep_ir) object.ir = textOf(module);
  if (verifies(options)) {
    llvm::raw_string_ostream out(error);
    if (llvm::verifyModule(module, &out)) return internalError("invalid LLVM IR: " + error + "\n" + textOf(module));
  }
  clock = Clock::now();
  const bool kernel = nir.get(nir.root).flags.cuda;
  if (kernel) {
    spmd::inlineEverything(module);
    spmd::watchWaiting(module, object.root_symbol);
    if (std::string wrong = backend->optimise(module, Tier::Straight); !wrong.empty()) return internalError(wrong);
    spmd::widenLoops(module, object.root_symbol);
    if (std::string wrong = backend->optimise(module, Tier::Simplify); !wrong.empty()) return internalError(wrong);
    if (std::optional<Diagnostic> failure = spmd::lowerKernel(module, object.root_symbol)) return std::move(*failure);
    if (options.keep_ir) object.ir += "\n; ---- as blocks of threads\n" + textOf(module);
    if (verifies(options)) {
      llvm::raw_string_ostream out(error);
      if (llvm::verifyModule(module, &out)) return internalError("invalid LLVM IR of a kernel: " + error + "\n" + textOf(module));
    }
  }
  const Tier tier = kernel ? Tier::Full : options.opt_level <= 0 ? Tier::None : hasLoop(nir) ? Tier::Full : Tier::Straight;
  if (std::string wrong = backend->optimise(module, tier); !wrong.empty()) return internalError(wrong);
  object.optimise_seconds = lap(clock);
  if (options.keep_opt_ir) object.opt_ir = textOf(module);
  if (options.keep_asm) object.assembly = assemblyOf(*backend, module);
  clock = Clock::now();
  llvm::SmallVector<char, 0> elf;
  llvm::raw_svector_ostream out(elf);
  backend->emit(module, out, llvm::CodeGenFileType::ObjectFile);
  object.elf.assign(elf.begin(), elf.end());
  object.emit_seconds = lap(clock);
  return object;
}

} // namespace naja::codegen
