// Instructions of kernels, as the CPU device takes them: markers that codegen/spmd replaces (spmd/markers.h), and
// atomics as LLVM has them. The NVPTX target has its own handlers for the markers.
#include "naja/codegen/lower/elements.h"
#include "naja/codegen/lower/handlers.h"
#include "naja/codegen/spmd/markers.h"
#include "naja/codegen/target_info.h"

namespace naja::codegen {

void lowerCudaIndex(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  auto *type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt32Ty()}, false);
  llvm::Function *marker = f.module().runtime(spmd::kIndex, type, RuntimeEffect::Pure);
  llvm::Value *index = b.CreateCall(marker, {b.getInt32(static_cast<uint32_t>(inst.attr))});
  f.define(inst, b.CreateZExtOrTrunc(index, f.typeInfo(inst.type).ssa[0]));
}

void lowerCudaShared(FunctionLowering &f, const ir::Inst &inst) {
  llvm::Module &module = f.module().module();
  auto *byte = f.b().getInt8Ty();
  auto *known = inst.attr == 0 ? module.getNamedGlobal(spmd::kDynamicShared) : nullptr;
  if (!known) {
    auto *type = llvm::ArrayType::get(byte, static_cast<uint64_t>(inst.attr));
    const unsigned space = f.module().target().sharedAddressSpace();
    const bool external = inst.attr == 0;
    known = new llvm::GlobalVariable(
        module, type, false, external ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage,
        external ? nullptr : llvm::PoisonValue::get(type), external ? spmd::kDynamicShared : spmd::kShared, nullptr,
        llvm::GlobalValue::NotThreadLocal, space);
    known->setAlignment(llvm::Align(spmd::kSharedAlignment));
  }
  f.define(inst, f.b().CreateAddrSpaceCast(known, f.b().getPtrTy()));
}

void lowerCudaLocal(FunctionLowering &f, const ir::Inst &inst) {
  f.define(inst, f.stackSlot(static_cast<uint64_t>(inst.attr), spmd::kLocalAlignment));
}

void lowerCudaBarrier(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getInt32Ty()}, false);
  llvm::Function *marker = f.module().runtime(spmd::kBarrier, type, RuntimeEffect::Anything);
  marker->setConvergent();
  marker->addFnAttr(llvm::Attribute::NoDuplicate);
  marker->setWillReturn();
  b.CreateCall(marker, {f.i32(inst.loc.known() ? inst.loc.line : 0)});
}

void lowerCudaFence(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  b.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                f.module().target().fenceScope(f.context(), static_cast<int>(inst.attr)));
}

namespace {

using Rmw = llvm::AtomicRMWInst;

Rmw::BinOp operationOf(ir::AtomicOp op, bool is_float, bool is_signed) {
  switch (op) {
  case ir::AtomicOp::Add: return is_float ? Rmw::FAdd : Rmw::Add;
  case ir::AtomicOp::Sub: return is_float ? Rmw::FSub : Rmw::Sub;
  case ir::AtomicOp::Max:
  case ir::AtomicOp::NanMax: return is_float ? Rmw::FMax : is_signed ? Rmw::Max : Rmw::UMax;
  case ir::AtomicOp::Min:
  case ir::AtomicOp::NanMin: return is_float ? Rmw::FMin : is_signed ? Rmw::Min : Rmw::UMin;
  case ir::AtomicOp::And: return Rmw::And;
  case ir::AtomicOp::Or: return Rmw::Or;
  case ir::AtomicOp::Xor: return Rmw::Xor;
  case ir::AtomicOp::Inc: return Rmw::UIncWrap;
  case ir::AtomicOp::Dec: return Rmw::UDecWrap;
  case ir::AtomicOp::Exch: break;
  }
  return Rmw::Xchg;
}

} // namespace

void lowerCudaAtomic(FunctionLowering &f, const ir::Inst &inst) {
  const Type &type = naja::typeOf(inst.type);
  const auto op = operationOf(static_cast<ir::AtomicOp>(inst.attr), type.kind == TypeKind::Float, type.is_signed);
  f.define(inst,
           f.b().CreateAtomicRMW(op, f.scalar(inst.operands[0]), f.scalar(inst.operands[1]), llvm::Align(type.bits / 8),
                                 llvm::AtomicOrdering::Monotonic, f.module().target().fenceScope(f.context(), 1)));
}

void lowerCudaCas(FunctionLowering &f, const ir::Inst &inst) {
  auto &b = f.b();
  const unsigned bits = naja::typeOf(inst.type).bits;
  auto *word = b.getIntNTy(bits);
  llvm::Value *expected = b.CreateBitCast(f.scalar(inst.operands[1]), word);
  llvm::Value *desired = b.CreateBitCast(f.scalar(inst.operands[2]), word);
  auto *pair = b.CreateAtomicCmpXchg(f.scalar(inst.operands[0]), expected, desired, llvm::Align(bits / 8),
                                     llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic,
                                     f.module().target().fenceScope(f.context(), 1));
  f.define(inst, b.CreateBitCast(b.CreateExtractValue(pair, 0), f.typeInfo(inst.type).ssa[0]));
}

} // namespace naja::codegen
