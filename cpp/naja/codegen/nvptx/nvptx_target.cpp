#include "naja/codegen/nvptx/nvptx_target.h"

#include "naja/codegen/lower/handlers.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace naja::codegen {
namespace {

namespace I = llvm::Intrinsic;
constexpr unsigned kSharedSpace = 3;

constexpr I::ID kIndices[] = {
    I::nvvm_read_ptx_sreg_tid_x,    I::nvvm_read_ptx_sreg_tid_y,    I::nvvm_read_ptx_sreg_tid_z,
    I::nvvm_read_ptx_sreg_ctaid_x,  I::nvvm_read_ptx_sreg_ctaid_y,  I::nvvm_read_ptx_sreg_ctaid_z,
    I::nvvm_read_ptx_sreg_ntid_x,   I::nvvm_read_ptx_sreg_ntid_y,   I::nvvm_read_ptx_sreg_ntid_z,
    I::nvvm_read_ptx_sreg_nctaid_x, I::nvvm_read_ptx_sreg_nctaid_y, I::nvvm_read_ptx_sreg_nctaid_z,
    I::nvvm_read_ptx_sreg_laneid,
};

void lowerIndex(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  llvm::Value *index = nullptr;
  if (static_cast<size_t>(inst.attr) < std::size(kIndices)) {
    index = b.CreateIntrinsic(kIndices[inst.attr], {});
  } else {
    auto *type = llvm::FunctionType::get(b.getInt32Ty(), false);
    auto *reader = llvm::InlineAsm::get(type, "mov.u32 $0, %dynamic_smem_size;", "=r", /*hasSideEffects=*/false);
    index = b.CreateCall(reader, {});
  }
  f.define(inst, b.CreateZExtOrTrunc(index, f.typeInfo(inst.type).ssa[0]));
}

void lowerBarrier(FunctionLowering &f, const ir::Inst &) {
  f.b().CreateIntrinsic(I::nvvm_barrier_cta_sync_aligned_all, {f.b().getInt32(0)});
}

class NvptxTarget final : public TargetInfo {
public:
  Handler handler(ir::Opcode op) const override {
    switch (op) {
    case ir::Opcode::CudaIndex: return lowerIndex;
    case ir::Opcode::CudaBarrier: return lowerBarrier;
    default: return commonHandler(op);
    }
  }
  unsigned sharedAddressSpace() const override { return kSharedSpace; }
  llvm::SyncScope::ID fenceScope(llvm::LLVMContext &context, int scope) const override {
    return scope == 2 ? llvm::SyncScope::ID(llvm::SyncScope::System) : context.getOrInsertSyncScopeID(scope == 0 ? "block" : "device");
  }
  std::string mathName(llvm::StringRef name) const override { return "__nv_" + name.str(); }
};

} // namespace

std::unique_ptr<TargetInfo> makeNvptxTarget() { return std::make_unique<NvptxTarget>(); }

} // namespace naja::codegen
