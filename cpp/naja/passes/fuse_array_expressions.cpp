#include "naja/passes/fuse_array_expressions.h"

#include "naja/passes/clone.h"

#include <algorithm>
#include <memory>

namespace naja::passes {
using namespace ir;

namespace {

constexpr size_t kMaxOperands = 24;
constexpr size_t kMaxKernel = 400; // instructions of a composed kernel

bool isConsumer(Opcode op) { return op == Opcode::ArrayMap || op == Opcode::ArrayMapInto || op == Opcode::ArrayReduce; }

/// Operands of a map or reduction that its kernel takes: [first, last).
std::pair<size_t, size_t> kernelOperands(const Inst &inst) {
  return {inst.op == Opcode::ArrayMapInto ? 1U : 0U, inst.operands.size() - (inst.op == Opcode::ArrayReduce ? 1U : 0U)};
}

bool mayWriteOthers(const Inst &inst) {
  if (inst.op == Opcode::ArrayAlloc || inst.op == Opcode::ArrayMap) // new memory only
    return false;
  uint8_t effects = info(inst.op).effects;
  return (effects & static_cast<uint8_t>(Writes | (Calls & ~(Reads | Writes)))) != 0;
}

class Fuser {
public:
  Fuser(Module &module, Function &function) : module_(module), f_(function), uses_(function.numValues(), 0) {
    home_.resize(f_.numInsts());
    dims_.resize(f_.numValues());
    for (uint32_t b = 0; b < f_.numBlocks(); ++b) {
      const auto &insts = f_.block(BlockId(b)).insts;
      for (uint32_t i = 0; i < insts.size(); ++i) {
        home_[insts[i].value] = BlockId(b);
        count(insts[i]);
      }
    }
  }

  void run() {
    auto blocks = static_cast<uint32_t>(f_.numBlocks());
    for (uint32_t b = 0; b < blocks; ++b)
      fuseBlock(BlockId(b));
  }

private:
  void count(InstId id) {
    const Inst &inst = f_.inst(id);
    bool asks_extent = inst.op == Opcode::ArrayDim || inst.op == Opcode::ArraySize;
    for (ValueId operand : inst.operands) {
      if (asks_extent)
        dims_[operand.value].push_back(id);
      else
        ++uses_[operand.value];
    }
    for (const Edge &edge : inst.edges) {
      for (ValueId arg : edge.args)
        ++uses_[arg.value];
    }
  }

  void fuseBlock(BlockId block) {
    const auto &insts = f_.block(block).insts;
    position_.resize(f_.numInsts());
    for (uint32_t i = 0; i < insts.size(); ++i)
      position_[insts[i].value] = i;
    // Barriers: how many instructions up to each position may write memory, or raise.
    writes_.assign(insts.size() + 1, 0);
    raises_.assign(insts.size() + 1, 0);
    for (size_t i = 0; i < insts.size(); ++i) {
      const Inst &inst = f_.inst(insts[i]);
      writes_[i + 1] = writes_[i] + (mayWriteOthers(inst) ? 1U : 0U);
      raises_[i + 1] = raises_[i] + (inst.mayRaise() && inst.op != Opcode::ArrayMap ? 1U : 0U);
    }
    fused_.clear();
    // Last consumer first: it takes in the whole tree above it.
    for (size_t i = insts.size(); i-- > 0;) {
      const Inst &inst = f_.inst(insts[i]);
      if (isConsumer(inst.op) && !isFused(insts[i]))
        consumer(block, insts[i]);
    }
    if (fused_.empty())
      return;
    rewriteExtents();
    std::erase_if(f_.block(block).insts, [&](InstId id) { return isFused(id); });
  }

  bool isFused(InstId id) const { return std::ranges::find(fused_, id) != fused_.end(); }

  /// The map that makes operand `index` of a consumer, where it can go into the consumer's kernel.
  InstId producer(const Inst &inst, InstId at, BlockId block, size_t index, size_t result_ndim, size_t occurrences) const {
    ValueId operand = inst.operands[index];
    InstId id = f_.value(operand).inst;
    if (!id.valid() || f_.inst(id).op != Opcode::ArrayMap || home_[id.value] != block || uses_[operand.value] != occurrences)
      return {};
    const Inst &map = f_.inst(id);
    if (typeOf(map.type).ndim < result_ndim || map.unwind != inst.unwind)
      return {};
    const Function &kernel = module_.get(inst.function());
    size_t param = index - kernelOperands(inst).first;
    if (typeOf(kernel.param_types[param]).kind == TypeKind::Array) // wants the whole array
      return {};
    // Between the place where it is computed and the place where it would be.
    size_t from = position_[id.value] + 1, to = position_[at.value];
    if (writes_[to] != writes_[from])
      return {};
    if (module_.get(map.function()).may_raise && kernelRaises(map.function()) && raises_[to] != raises_[from])
      return {};
    return id;
  }

  bool kernelRaises(FunctionId id) const {
    const Function &kernel = module_.get(id);
    for (uint32_t i = 0; i < kernel.numInsts(); ++i) {
      if (kernel.inst(InstId(i)).mayRaise())
        return true;
    }
    return false;
  }

  static size_t sizeOf(const Function &kernel) { return kernel.numInsts(); }

  // ---- composing

  struct Composition {
    std::vector<ValueId> operands; // of the fused instruction
    std::vector<ValueId> params;   // of the composed kernel, one per operand
    std::vector<TypeId> types;
    std::vector<InstId> producers;
    size_t size = 0;
  };

  void consumer(BlockId block, InstId at) {
    Inst inst = f_.inst(at);
    auto [first, last] = kernelOperands(inst);
    size_t ndim = resultNdim(inst);
    Composition made;
    made.size = sizeOf(module_.get(inst.function()));
    // First see whether there is anything to fuse, and how much.
    plan(inst, at, block, ndim, made);
    if (made.producers.empty())
      return;
    auto kernel = std::make_unique<Function>();
    const Function &outer = module_.get(inst.function());
    kernel->name = outer.name + ".fused" + std::to_string(module_.functions.size());
    kernel->file = outer.file;
    kernel->first_line = outer.first_line;
    kernel->typed = kernel->is_kernel = true;
    kernel->flags = outer.flags;
    kernel->return_type = outer.return_type;
    kernel->may_raise = false;
    kernel->addBlock();
    Composer composer{*this, *kernel, made, at, block, ndim, Inliner(*kernel), kernel->entry(), {}};
    ValueId result = composer.apply(inst);
    Builder builder(*kernel, composer.place);
    builder.ret(result);
    composer.inlineCalls();
    kernel->param_types = made.types;
    kernel->param_names.resize(made.types.size());
    for (const Inst &each : composer.kernels_used)
      kernel->may_raise = kernel->may_raise || module_.get(each.function()).may_raise;
    FunctionId id = module_.add(std::move(kernel));

    std::vector<ValueId> operands(inst.operands.begin(), inst.operands.begin() + static_cast<std::ptrdiff_t>(first));
    operands.insert(operands.end(), made.operands.begin(), made.operands.end());
    operands.insert(operands.end(), inst.operands.begin() + static_cast<std::ptrdiff_t>(last), inst.operands.end());
    f_.inst(at).operands = std::move(operands);
    f_.inst(at).attr = id.value;
    fused_.insert(fused_.end(), made.producers.begin(), made.producers.end());
  }

  size_t resultNdim(const Inst &inst) const {
    if (inst.op == Opcode::ArrayMap)
      return typeOf(inst.type).ndim;
    auto [first, last] = kernelOperands(inst);
    if (inst.op == Opcode::ArrayMapInto)
      return typeOf(f_.typeOf(inst.operands[0])).ndim;
    size_t ndim = 0;
    for (size_t i = first; i < last; ++i) {
      const Type &type = typeOf(f_.typeOf(inst.operands[i]));
      if (type.kind == TypeKind::Array && typeOf(module_.get(inst.function()).param_types[i - first]).kind != TypeKind::Array)
        ndim = std::max<size_t>(ndim, type.ndim);
    }
    return ndim;
  }

  /// Collects the producers of a consumer's tree, as many as the limits allow.
  void plan(const Inst &inst, InstId at, BlockId block, size_t ndim, Composition &made) {
    auto [first, last] = kernelOperands(inst);
    for (size_t i = first; i < last; ++i) {
      size_t occurrences = 0;
      for (ValueId operand : inst.operands)
        occurrences += operand == inst.operands[i] ? 1U : 0U;
      InstId id = producer(inst, at, block, i, ndim, occurrences);
      if (!id.valid() || std::ranges::find(made.producers, id) != made.producers.end())
        continue;
      const Inst &map = f_.inst(id);
      size_t size = made.size + sizeOf(module_.get(map.function()));
      if (size > kMaxKernel || made.producers.size() + inst.operands.size() + map.operands.size() > kMaxOperands * 2)
        continue;
      made.size = size;
      made.producers.push_back(id);
      // Everything above moves down to the same place.
      Inst copy = map;
      plan(copy, at, block, ndim, made);
    }
  }

  struct Composer {
    Fuser &fuser;
    Function &kernel;
    Composition &made;
    InstId at;
    BlockId block;
    size_t ndim;
    Inliner inliner;
    BlockId place;
    std::vector<Inst> kernels_used;
    std::vector<std::pair<InstId, ValueId>> done = {};

    /// Emits a call of the kernel of `inst` on its operands' elements.
    ValueId apply(const Inst &inst) {
      auto [first, last] = kernelOperands(inst);
      const Function &callee = fuser.module_.get(inst.function());
      std::vector<ValueId> args;
      for (size_t i = first; i < last; ++i)
        args.push_back(element(inst.operands[i], callee.param_types[i - first]));
      kernels_used.push_back(inst);
      Builder builder(kernel, place);
      builder.loc = inst.loc;
      return builder.call(inst.function(), callee.return_type, args);
    }

    ValueId element(ValueId operand, TypeId type) {
      InstId id = fuser.f_.value(operand).inst;
      bool whole = typeOf(type).kind == TypeKind::Array;
      if (!whole && id.valid() && std::ranges::find(made.producers, id) != made.producers.end()) {
        for (const auto &[producer, value] : done) {
          if (producer == id)
            return value;
        }
        Inst map = fuser.f_.inst(id);
        ValueId value = apply(map);
        done.emplace_back(id, value);
        return value;
      }
      for (size_t i = 0; i < made.operands.size(); ++i) {
        if (made.operands[i] == operand && made.types[i] == type)
          return made.params[i];
      }
      made.operands.push_back(operand);
      made.types.push_back(type);
      made.params.push_back(kernel.addParam(kernel.entry(), type));
      return made.params.back();
    }

    void inlineCalls() {
      BlockId current = place;
      for (size_t i = 0; i < kernel.block(current).insts.size();) {
        const Inst &inst = kernel.inst(kernel.block(current).insts[i]);
        if (inst.op != Opcode::Call || !fuser.module_.get(inst.function()).is_kernel) {
          ++i;
          continue;
        }
        Inliner::Place next = inliner.inlineAt(current, i, fuser.module_.get(inst.function()));
        current = next.block;
        i = next.position;
      }
      inliner.finish();
    }
  };

  // ---- extents of arrays that are no longer made

  void rewriteExtents() {
    // Dims of dims: a fused operand of a fused map is resolved first, as it comes first.
    std::vector<InstId> ordered = fused_;
    std::ranges::sort(ordered, {}, [&](InstId id) { return position_[id.value]; });
    for (InstId id : ordered) {
      ValueId array = f_.inst(id).result;
      for (InstId asking : dims_[array.value])
        rewriteExtent(asking, f_.inst(id));
    }
  }

  void rewriteExtent(InstId asking, const Inst &map_reference) {
    Inst map = map_reference;
    size_t ndim = typeOf(map.type).ndim;
    BlockId home = home_[asking.value];
    auto &insts = f_.block(home).insts;
    auto at = static_cast<size_t>(std::ranges::find(insts, asking) - insts.begin());
    std::vector<InstId> made;
    Loc loc = f_.inst(asking).loc;
    if (f_.inst(asking).op == Opcode::ArrayDim) {
      ValueId extent = extentOf(map, static_cast<size_t>(f_.inst(asking).attr), loc, made);
      turnInto(asking, extent);
    } else {
      ValueId size = extentOf(map, 0, loc, made);
      for (size_t axis = 1; axis < ndim; ++axis) {
        ValueId extent = extentOf(map, axis, loc, made);
        size = emit(Opcode::IMul, {size, extent}, kNoWrapSigned, loc, made);
      }
      turnInto(asking, size);
    }
    insts.insert(insts.begin() + static_cast<std::ptrdiff_t>(at), made.begin(), made.end());
  }

  /// The instruction becomes a cast to its own type, which simplify removes.
  void turnInto(InstId asking, ValueId value) {
    Inst &inst = f_.inst(asking);
    inst.op = Opcode::Cast;
    inst.attr = 0;
    inst.operands = {value};
  }

  ValueId emit(Opcode op, std::vector<ValueId> operands, int64_t attr, const Loc &loc, std::vector<InstId> &made) {
    Inst inst;
    inst.op = op;
    inst.type = types().int64;
    inst.operands = std::move(operands);
    inst.attr = attr;
    inst.loc = loc;
    made.push_back(f_.makeInst(std::move(inst)));
    return f_.inst(made.back()).result;
  }

  ValueId extentOf(const Inst &map, size_t axis, const Loc &loc, std::vector<InstId> &made) {
    size_t ndim = typeOf(map.type).ndim;
    const Function &kernel = module_.get(map.function());
    std::vector<ValueId> extents;
    for (size_t i = 0; i < map.operands.size(); ++i) {
      const Type &type = typeOf(f_.typeOf(map.operands[i]));
      bool whole = typeOf(kernel.param_types[i]).kind == TypeKind::Array;
      if (type.kind != TypeKind::Array || whole || axis + type.ndim < ndim)
        continue;
      // An operand that is not made either: ask its own operands.
      InstId source = f_.value(map.operands[i]).inst;
      if (source.valid() && isFused(source)) {
        Inst inner = f_.inst(source);
        extents.push_back(extentOf(inner, axis + type.ndim - ndim, loc, made));
      } else {
        extents.push_back(emit(Opcode::ArrayDim, {map.operands[i]}, static_cast<int64_t>(axis + type.ndim - ndim), loc, made));
      }
    }
    if (extents.size() == 1)
      return extents[0];
    ValueId extent = emit(Opcode::ArrayBroadcastDim, std::move(extents), 0, loc, made);
    f_.inst(made.back()).unwind = map.unwind;
    return extent;
  }

  Module &module_;
  Function &f_;
  std::vector<uint32_t> uses_, position_, writes_, raises_;
  std::vector<BlockId> home_;
  std::vector<std::vector<InstId>> dims_;
  std::vector<InstId> fused_;
};

bool anyMaps(const Function &function) {
  size_t count = 0;
  for (uint32_t i = 0; i < function.numInsts(); ++i)
    count += isConsumer(function.inst(InstId(i)).op) ? 1U : 0U;
  return count > 1;
}

} // namespace

void fuseArrayExpressions(Module &module) {
  size_t count = module.functions.size();
  for (size_t i = 0; i < count; ++i) {
    Function &function = *module.functions[i];
    if (!function.external && function.typed && anyMaps(function))
      Fuser(module, function).run();
  }
}

} // namespace naja::passes
