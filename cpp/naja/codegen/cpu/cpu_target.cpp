// CPUs: glibc's libmvec as vector math library.
#include "naja/codegen/lower/handlers.h"
#include "naja/codegen/target_info.h"

#include <llvm/TargetParser/Triple.h>

namespace naja::codegen {
namespace {

struct MathRow {
  const char *name;
  unsigned arguments;
};
/// What libmvec of glibc 2.36 exports on x86-64, each for double and float. LLVM's own table has only six of them and none
/// of the AVX-512 forms. AArch64's libmvec exists from glibc 2.38 with four functions.
constexpr MathRow kLibmvecX86[] = {
    {"acos", 1},  {"acosh", 1}, {"asin", 1},  {"asinh", 1}, {"atan", 1},  {"atanh", 1}, {"atan2", 2}, {"cbrt", 1}, {"cos", 1},
    {"cosh", 1},  {"erf", 1},   {"erfc", 1},  {"exp", 1},   {"exp10", 1}, {"exp2", 1},  {"expm1", 1}, {"hypot", 2}, {"log", 1},
    {"log10", 1}, {"log1p", 1}, {"log2", 1},  {"pow", 2},   {"sin", 1},   {"sinh", 1},  {"tan", 1},   {"tanh", 1},
};

struct VectorIsa {
  char letter;
  unsigned bits;
  const char *feature;
};
/// One row per width, the best the CPU has: c (AVX without AVX2) only where there is no d.
constexpr VectorIsa kIsas[] = {{'b', 128, "+sse4.1"}, {'c', 256, "+avx"}, {'d', 256, "+avx2"}, {'e', 512, "+avx512f"}};

class CpuTarget final : public TargetInfo {
public:
  CpuTarget(const llvm::Triple &triple, llvm::StringRef features) {
    is_x86_ = triple.getArch() == llvm::Triple::x86_64;
    if (!is_x86_ || !triple.isOSLinux()) return;
    stack_register_ = "rsp";
    llvm::SmallVector<VectorIsa, 3> isas;
    llvm::SmallVector<llvm::StringRef, 64> list;
    features.split(list, ',');
    for (const VectorIsa &isa : kIsas) {
      if (!llvm::is_contained(list, isa.feature)) continue;
      if (!isas.empty() && isas.back().bits == isa.bits) isas.pop_back();
      isas.push_back(isa);
    }
    for (const MathRow &row : kLibmvecX86)
      for (unsigned bits : {64U, 32U}) addForms(row, bits, isas);
  }

  llvm::ArrayRef<VectorForm> vectorForms(llvm::StringRef name) const override {
    auto found = forms_.find(name);
    return found == forms_.end() ? llvm::ArrayRef<VectorForm>() : llvm::ArrayRef<VectorForm>(found->second);
  }
  llvm::StringRef stackRegister() const override { return stack_register_; }
  bool hasTruncatingConversion() const override { return is_x86_; }

private:
  void addForms(const MathRow &row, unsigned bits, llvm::ArrayRef<VectorIsa> isas) {
    const std::string scalar = std::string(row.name) + (bits == 32 ? "f" : "");
    auto &forms = forms_[scalar];
    for (const VectorIsa &isa : isas) {
      const unsigned lanes = isa.bits / bits;
      forms.push_back({std::string("_ZGV") + isa.letter + "N" + std::to_string(lanes) + std::string(row.arguments, 'v') + "_" + scalar,
                       lanes});
    }
  }

  llvm::StringMap<std::vector<VectorForm>> forms_;
  std::string stack_register_;
  bool is_x86_ = false;
};

} // namespace

TargetInfo::~TargetInfo() = default;
Handler TargetInfo::handler(ir::Opcode op) const { return commonHandler(op); }
llvm::ArrayRef<VectorForm> TargetInfo::vectorForms(llvm::StringRef) const { return {}; }

std::unique_ptr<TargetInfo> makeCpuTarget(const llvm::Triple &triple, llvm::StringRef features) {
  return std::make_unique<CpuTarget>(triple, features);
}

} // namespace naja::codegen
