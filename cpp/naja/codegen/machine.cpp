#include "naja/codegen/machine.h"

#include "naja/codegen/optimise.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <map>
#include <mutex>
#include <tuple>

namespace naja::codegen {
namespace {

void initialiseLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    tuneLlvm();
  });
}

class CpuBackend final : public Backend {
public:
  CpuBackend(std::unique_ptr<llvm::TargetMachine> machine, const std::string &features)
      : machine_(std::move(machine)), target_(makeCpuTarget(machine_->getTargetTriple(), features)), optimiser_(*machine_, *target_) {}

  llvm::TargetMachine &machine() override { return *machine_; }
  const TargetInfo &target() override { return *target_; }
  std::string optimise(llvm::Module &module, Tier tier) override { return optimiser_.run(module, tier); }

  void emit(llvm::Module &module, llvm::raw_pwrite_stream &out, llvm::CodeGenFileType type) override {
    llvm::legacy::PassManager passes;
    machine_->addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true);
    passes.run(module);
  }

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<TargetInfo> target_;
  Optimiser optimiser_;
};

/// What LLVM's scheduling model of a CPU leaves out. Since Ice Lake and Zen 4 (which brought these two features together) a
/// division of 64 bits costs about what one of 32 bits does; the test for small operands, which LLVM puts before each, costs
/// more where their signs or sizes vary.
std::string tuned(const std::string &features) {
  const bool divides_fast = features.find("+gfni") != std::string::npos && features.find("+vaes") != std::string::npos;
  return divides_fast ? features + ",-idivq-to-divl" : features;
}

std::unique_ptr<llvm::TargetMachine> makeMachine(const std::string &cpu, const std::string &features, int opt_level, std::string *error) {
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, *error);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.UseInitArray = true;
  auto level = opt_level <= 0   ? llvm::CodeGenOptLevel::None
               : opt_level == 1 ? llvm::CodeGenOptLevel::Less
                                : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, tuned(features), options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level, /*JIT=*/false));
  if (!machine) *error = "no code generator for CPU " + cpu;
  return machine;
}

} // namespace

std::string hostCpu() {
  static const std::string name = llvm::sys::getHostCPUName().str();
  return name;
}

std::string hostFeatures() {
  static const std::string text = [] {
    std::map<std::string, bool> sorted;
    for (const auto &feature : llvm::sys::getHostCPUFeatures()) sorted[feature.getKey().str()] = feature.getValue();
    std::string list;
    for (const auto &[name, enabled] : sorted) list += (list.empty() ? "" : ",") + std::string(enabled ? "+" : "-") + name;
    return list;
  }();
  return text;
}

Backend *backendFor(const std::string &cpu, const std::string &features, int opt_level, std::string *error) {
  using Key = std::tuple<std::string, std::string, int>;
  thread_local std::map<Key, std::unique_ptr<Backend>> backends;
  const bool host = cpu.empty() || cpu == hostCpu();
  // Features left out mean the host's for the host's CPU, and what LLVM knows of any other.
  Key key{cpu.empty() ? hostCpu() : cpu, features.empty() && host ? hostFeatures() : features, opt_level};
  std::unique_ptr<Backend> &backend = backends[key];
  if (!backend) {
    initialiseLlvm();
    auto machine = makeMachine(std::get<0>(key), std::get<1>(key), opt_level, error);
    if (!machine) return nullptr;
    backend = std::make_unique<CpuBackend>(std::move(machine), std::get<1>(key));
  }
  return backend.get();
}

} // namespace naja::codegen
