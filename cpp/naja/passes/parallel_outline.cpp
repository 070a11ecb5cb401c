#include "naja/passes/parallel_outline.h"

#include "naja/passes/cfg.h"
#include "naja/types/layout.h"

#include <algorithm>
#include <map>

namespace naja::passes {
using namespace ir;

namespace {

constexpr uint32_t kCacheLine = 64;
constexpr int64_t kChunkCost = 4000; // instructions that are worth a chunk: some 2 us
constexpr int64_t kChunksOfArrays = 2; // per thread, where each chunk needs arrays of its own
constexpr int64_t kLongCost = 4000;  // of a loop or call inside, of which nothing is known

/// Where a chunk leaves a partial result: in a block of memory with a cache line or more for each chunk.
struct Slot {
  TypeId type;
  uint32_t value = 0, flag = 0; // offsets
  bool has_flag = false;
};

bool needsFlag(const Carried &c) { return c.role == Role::Last && (c.conditional || c.follows >= 0); }

/// An array that a chunk has of its own: element `chunk` of `partials`, filled by a kernel.
struct PrivateArray {
  ArrayReduction reduction;
  ValueId partials;
  FunctionId copy, combine; // kernels
};

/// partials[index], an array.
ValueId emitElement(Builder &b, ValueId partials, ValueId index) {
  const Type &type = typeOf(b.function().typeOf(partials));
  TypeId view = types().array(type.args[0], type.ndim - 1U, Layout::C);
  ValueId result = b.emit(Opcode::ArrayView, view, {partials, index});
  b.last().int_list.assign(type.ndim, kViewFull);
  b.last().int_list[0] = kViewIndex;
  return result;
}

/// One loop's body as a function.
class BodyMaker {
public:
  BodyMaker(const Function &f, const MarkedLoop &loop, const std::vector<Carried> &carried, const std::vector<Slot> &slots,
            uint32_t stride)
      : f_(f), loop_(loop), carried_(carried), slots_(slots), stride_(stride), g_(std::make_unique<Function>()),
        values_(f.numValues()), blocks_(f.numBlocks()) {}

  /// `start`, `slot_data` and the values before the loop (by header parameter) are values of the caller to be captured.
  std::unique_ptr<Function> make(ValueId start, ValueId slot_data, const std::vector<ValueId> &before, TypeId slot_type,
                                 const std::vector<PrivateArray> &arrays) {
    describe();
    TypeId i64 = types().int64;
    begin_ = parameter(i64, "begin");
    end_ = parameter(i64, "end");
    chunk_ = parameter(i64, "chunk");
    start_ = capture(start, f_.typeOf(loop_.index));
    if (slot_data.valid()) slot_data_ = capture(slot_data, slot_type);
    for (const Carried &c : carried_) {
      bool from_identity = c.role == Role::Fold && !isIdempotent(c.op);
      before_.push_back(from_identity ? ValueId() : capture(before[c.position], f_.typeOf(c.param)));
    }
    for (const PrivateArray &array : arrays) ownArray(array);
    captureAll();
    makeBlocks();
    enter();
    copyBlocks();
    leaveChunk();
    return std::move(g_);
  }
  const std::vector<ValueId> &captured() const { return captured_; }

private:
  void describe() {
    g_->file = f_.file;
    g_->first_line = loop_.loc.line > 0 ? loop_.loc.line : f_.first_line;
    g_->typed = true;
    g_->flags = f_.flags;
    g_->flags.forceinline = false;
    g_->flags.parallel = 0; // its array expressions are of one iteration
    g_->return_type = types().none;
    entry_ = g_->addBlock();
  }

  ValueId parameter(TypeId type, const char *name, SymbolId symbol = {}) {
    g_->param_names.emplace_back(name);
    g_->param_types.push_back(type);
    return g_->addParam(entry_, type, symbol);
  }
  ValueId capture(ValueId outside, TypeId type) {
    captured_.push_back(outside);
    return parameter(type, "", f_.value(outside).name);
  }

  void ownArray(const PrivateArray &array) {
    Builder b(*g_, entry_);
    b.loc = loop_.loc;
    ValueId own = emitElement(b, capture(array.partials, f_.typeOf(array.partials)), chunk_);
    TypeId element = typeOf(f_.typeOf(array.reduction.array)).args[0];
    ValueId first = isIdempotent(array.reduction.op) ? capture(array.reduction.array, f_.typeOf(array.reduction.array))
                                                     : emitIdentity(b, array.reduction.op, element);
    b.emit(Opcode::ArrayMapInto, {}, {own, first}, array.copy.value);
    values_[array.reduction.array.value] = own;
  }

  bool isInside(ValueId value) const { return inside_values_[value.value]; }

  /// Pure instructions that cost nothing and tell LLVM more where the body is: constants, extents of captured arrays.
  bool isCheap(const Inst &inst) const {
    switch (inst.op) {
    case Opcode::Const: case Opcode::Undef: return true;
    case Opcode::ArrayDim: case Opcode::ArraySize: return true;
    case Opcode::Cast: {
      const Inst *operand = f_.def(inst.operands[0]);
      return operand && (operand->op == Opcode::Const || operand->op == Opcode::Undef);
    }
    default: return false;
    }
  }

  void captureAll() {
    inside_values_.assign(f_.numValues(), false);
    for (uint32_t b = 0; b < f_.numBlocks(); ++b) {
      if (!loop_.inside[b]) continue;
      for (ValueId param : f_.block(BlockId(b)).params) inside_values_[param.value] = true;
      for (InstId id : f_.block(BlockId(b)).insts) {
        if (f_.inst(id).result.valid()) inside_values_[f_.inst(id).result.value] = true;
      }
    }
    for (BlockId block : loop_.order) {
      for (InstId id : f_.block(block).insts) {
        const Inst &inst = f_.inst(id);
        for (ValueId operand : inst.operands) need(operand);
        for (const Edge &edge : inst.edges) {
          if (!loop_.inside[edge.target.value]) continue;
          for (ValueId argument : edge.args) need(argument);
        }
      }
    }
  }

  void need(ValueId value) {
    if (isInside(value) || values_[value.value].valid()) return;
    const Inst *def = f_.def(value);
    if (!def || !isCheap(*def)) {
      values_[value.value] = capture(value, f_.typeOf(value));
      return;
    }
    for (ValueId operand : def->operands) need(operand);
    Inst copy = *def;
    copy.result = ValueId();
    for (ValueId &operand : copy.operands) operand = values_[operand.value];
    InstId made = g_->append(entry_, std::move(copy));
    values_[value.value] = g_->inst(made).result;
  }

  /// Blocks with their parameters, and a flag for each parameter that carries a value that may stay unassigned.
  void makeBlocks() {
    for (BlockId block : loop_.order) {
      BlockId made = g_->addBlock();
      blocks_[block.value] = made;
      g_->block(made).is_loop_header = f_.block(block).is_loop_header;
      for (ValueId param : f_.block(block).params)
        values_[param.value] = g_->addParam(made, f_.typeOf(param), f_.value(param).name);
      eachFlag(block, [&](size_t c, ValueId param) {
        flags_[{c, param.value}] = g_->addParam(made, types().boolean);
      });
    }
    done_ = g_->addBlock();
  }

  template <class Fn> void eachFlag(BlockId block, Fn fn) const {
    for (size_t c = 0; c < carried_.size(); ++c) {
      if (!needsFlag(carried_[c])) continue;
      for (ValueId param : f_.block(block).params) {
        if (carried_[c].chain[param.value]) fn(c, param);
      }
    }
  }

  ValueId moved(Builder &b, ValueId from, ValueId by) {
    TypeId type = f_.typeOf(loop_.index);
    int64_t flags = typeOf(type).is_signed ? kNoWrapSigned : kNoWrapUnsigned;
    ValueId distance = b.cast(by, type);
    return loop_.up ? b.iadd(from, distance, flags) : b.isub(from, distance, flags);
  }

  void enter() {
    Builder b(*g_, entry_);
    b.loc = loop_.loc;
    ValueId first = moved(b, start_, begin_);
    limit_ = moved(b, start_, end_);
    yes_ = b.boolConst(true);
    ValueId no = b.boolConst(false);
    std::vector<ValueId> args(f_.block(loop_.header).params.size());
    args[f_.value(loop_.index).index] = first;
    for (size_t i = 0; i < carried_.size(); ++i) {
      const Carried &c = carried_[i];
      TypeId type = f_.typeOf(c.param);
      ValueId value = before_[i];
      if (!value.valid()) value = emitIdentity(b, c.op, type);
      if (c.role == Role::Induction) {
        const Inst *step = f_.def(c.step);
        ValueId amount = step && step->op == Opcode::Const ? b.constant(step->constant(), step->type) : values_[c.step.value];
        ValueId distance = b.imul(b.cast(begin_, type), amount);
        value = c.op == Opcode::ISub ? b.isub(value, distance) : b.iadd(value, distance);
      }
      args[c.position] = value;
    }
    eachFlag(loop_.header, [&](size_t, ValueId) { args.push_back(no); });
    b.br(blocks_[loop_.header.value], std::move(args));
  }

  void copyBlocks() {
    for (BlockId block : loop_.order) {
      for (InstId id : f_.block(block).insts) {
        if (f_.inst(id).op != Opcode::ParallelMark) copy(block, id);
      }
    }
    for (auto [inst, operand, source] : late_) g_->inst(inst).operands[operand] = values_[source.value];
    for (auto [inst, edge, argument, source] : late_edges_) g_->inst(inst).edges[edge].args[argument] = values_[source.value];
  }

  void copy(BlockId block, InstId id) {
    const Inst &inst = f_.inst(id);
    Inst copy = inst;
    copy.result = ValueId();
    for (ValueId &operand : copy.operands) operand = values_[operand.value];
    if (id == loop_.compare) copy.operands = limited(inst);
    if (inFoldChain(inst)) copy.attr &= ~(kNoWrapSigned | kNoWrapUnsigned);
    for (size_t e = 0; e < copy.edges.size(); ++e) copyEdge(inst.edges[e], copy.edges[e]);
    if (copy.unwind.valid()) copy.unwind = blocks_[copy.unwind.value];
    InstId made = g_->append(blocks_[block.value], std::move(copy));
    if (inst.result.valid()) {
      ValueId result = g_->inst(made).result;
      values_[inst.result.value] = result;
      g_->value(result).name = f_.value(inst.result).name;
    }
    noteLate(made, inst, id);
  }

  /// The comparison that ends the loop, with the end of the chunk.
  std::vector<ValueId> limited(const Inst &compare) const {
    bool first = compare.operands[0] == loop_.index;
    ValueId index = values_[loop_.index.value];
    return first ? std::vector<ValueId>{index, limit_} : std::vector<ValueId>{limit_, index};
  }
  /// Partial sums are others than those of which a pass knew that they do not wrap.
  bool inFoldChain(const Inst &inst) const {
    if (inst.op != Opcode::IAdd && inst.op != Opcode::ISub && inst.op != Opcode::IMul) return false;
    return std::ranges::any_of(carried_, [&](const Carried &c) { return c.role == Role::Fold && c.chain[inst.result.value]; });
  }

  void copyEdge(const Edge &from, Edge &to) {
    if (!loop_.inside[from.target.value]) { // out of the loop, from its header
      to.target = done_;
      to.args.clear();
      return;
    }
    to.target = blocks_[from.target.value];
    for (ValueId &argument : to.args) argument = values_[argument.value];
    const auto &params = f_.block(from.target).params;
    for (size_t c = 0; c < carried_.size(); ++c) {
      if (!needsFlag(carried_[c])) continue;
      for (size_t i = 0; i < params.size(); ++i) {
        if (!carried_[c].chain[params[i].value]) continue;
        to.args.push_back(carried_[c].chain[from.args[i].value] ? flags_.at({c, from.args[i].value}) : yes_);
      }
    }
  }

  void noteLate(InstId made, const Inst &inst, InstId id) {
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      if (id != loop_.compare && !values_[inst.operands[i].value].valid()) late_.push_back({made, i, inst.operands[i]});
    }
    for (size_t e = 0; e < inst.edges.size(); ++e) {
      if (!loop_.inside[inst.edges[e].target.value]) continue;
      for (size_t i = 0; i < inst.edges[e].args.size(); ++i) {
        if (!values_[inst.edges[e].args[i].value].valid()) late_edges_.push_back({made, e, i, inst.edges[e].args[i]});
      }
    }
  }

  /// Stores the partial results and returns.
  void leaveChunk() {
    Builder b(*g_, done_);
    b.loc = loop_.loc;
    if (slot_data_.valid()) {
      ValueId base = b.imul(chunk_, b.int64(stride_), kNoWrapSigned);
      auto store = [&](uint32_t offset, ValueId value) {
        TypeId pointer = types().pointer(g_->typeOf(value));
        ValueId at = b.emit(Opcode::PtrAdd, pointer, {slot_data_, b.iadd(base, b.int64(offset), kNoWrapSigned)});
        b.emit(Opcode::PtrStore, {}, {at, value});
      };
      for (size_t i = 0; i < carried_.size(); ++i) {
        if (!slots_[i].type.valid()) continue;
        store(slots_[i].value, values_[carried_[i].param.value]);
        if (slots_[i].has_flag) store(slots_[i].flag, flags_.at({i, carried_[i].param.value}));
      }
    }
    b.ret(b.noneConst());
  }

  struct LateOperand { InstId inst; size_t operand; ValueId source; };
  struct LateEdge { InstId inst; size_t edge, argument; ValueId source; };

  const Function &f_;
  const MarkedLoop &loop_;
  const std::vector<Carried> &carried_;
  const std::vector<Slot> &slots_;
  uint32_t stride_;
  std::unique_ptr<Function> g_;
  std::vector<ValueId> values_;  // by value of the caller
  std::vector<BlockId> blocks_;
  std::vector<bool> inside_values_;
  std::vector<ValueId> captured_, before_;
  std::map<std::pair<size_t, uint32_t>, ValueId> flags_; // by carried value and parameter
  std::vector<LateOperand> late_;
  std::vector<LateEdge> late_edges_;
  BlockId entry_, done_;
  ValueId begin_, end_, chunk_, start_, slot_data_, limit_, yes_;
};

/// What takes the loop's place.
class Outliner {
public:
  Outliner(Module &module, FunctionId id, const MarkedLoop &loop, const std::vector<Carried> &carried,
           const std::vector<ArrayReduction> &arrays)
      : module_(module), f_(module.get(id)), loop_(loop), carried_(carried) {
    for (const ArrayReduction &reduction : arrays) arrays_.push_back({reduction, {}, {}, {}});
  }

  void run() {
    layOutSlots();
    BlockId before = takeEntries();
    Builder b(f_, before);
    b.loc = loop_.loc;
    TypeId index_type = f_.typeOf(loop_.index);
    ValueId start = first_[f_.value(loop_.index).index];
    count_ = emitCount(b, start);
    ValueId arguments[] = {count_, b.int64(grain()), b.int64(arrays_.empty() ? 0 : kChunksOfArrays)};
    chunks_ = b.callRuntime("naja_rt_parallel_chunks", types().int64, arguments, false);
    TypeId bytes = types().pointer(types().uint8);
    ValueId data;
    if (stride_ > 0) {
      ValueId size = b.imul(chunks_, b.int64(stride_), kNoWrapSigned);
      ValueId memory = b.emit(Opcode::ArrayAlloc, types().array(types().uint8, 1, Layout::C), {size});
      data = b.emit(Opcode::ArrayData, bytes, {memory});
    }
    for (PrivateArray &array : arrays_) allocate(b, array);
    BodyMaker maker(f_, loop_, carried_, slots_, stride_);
    std::unique_ptr<Function> body = maker.make(start, data, first_, bytes, arrays_);
    body->name = f_.name + ".parallel." + std::to_string(module_.functions.size());
    FunctionId body_id = module_.add(std::move(body));
    std::vector<ValueId> operands{count_, chunks_};
    operands.insert(operands.end(), maker.captured().begin(), maker.captured().end());
    b.emit(Opcode::ParallelFor, {}, operands, body_id.value);

    std::vector<ValueId> after(f_.block(loop_.header).params.size());
    ValueId moved = b.cast(count_, index_type);
    after[f_.value(loop_.index).index] = loop_.up ? b.iadd(start, moved) : b.isub(start, moved);
    inductions(b, after);
    if (stride_ > 0 || !arrays_.empty()) combineAll(b, data, after);
    leave(b, after);
  }

private:
  void layOutSlots() {
    uint32_t offset = 0;
    auto place = [&](TypeId type) {
      const StructLayout &layout = structLayoutOf(type);
      uint32_t alignment = std::max(layout.alignment, 1U);
      offset = (offset + alignment - 1) / alignment * alignment;
      uint32_t at = offset;
      offset += layout.size;
      return at;
    };
    for (const Carried &c : carried_) {
      Slot slot;
      if (c.role != Role::Induction) {
        slot.type = f_.typeOf(c.param);
        slot.value = place(slot.type);
        slot.has_flag = needsFlag(c);
        if (slot.has_flag) slot.flag = place(types().boolean);
      }
      slots_.push_back(slot);
    }
    stride_ = (offset + kCacheLine - 1) / kCacheLine * kCacheLine;
  }

  /// A block that everything that enters the loop goes through; its parameters are the header's.
  BlockId takeEntries() {
    std::vector<BlockId> order = f_.reversePostOrder();
    BlockId before = f_.addBlock();
    for (BlockId block : order) {
      if (loop_.inside[block.value]) continue;
      for (Edge &edge : f_.terminator(block).edges) {
        if (edge.target == loop_.header) edge.target = before;
      }
    }
    std::vector<ValueId> params = f_.block(loop_.header).params;
    for (ValueId param : params) first_.push_back(f_.addParam(before, f_.typeOf(param), f_.value(param).name));
    return before;
  }

  ValueId emitCount(Builder &b, ValueId start) {
    TypeId i64 = types().int64;
    ValueId low = loop_.up ? start : loop_.stop, high = loop_.up ? loop_.stop : start;
    ValueId some = b.icmp(Predicate::Lt, low, high);
    ValueId distance = b.isub(b.cast(high, i64), b.cast(low, i64));
    return b.select(some, distance, b.int64(0));
  }

  /// Iterations that are worth a chunk, by what the body looks like.
  int64_t grain() const {
    int64_t cost = 1;
    for (uint32_t block = 0; block < loop_.inside.size(); ++block) {
      if (!loop_.inside[block]) continue;
      if (f_.block(BlockId(block)).is_loop_header && BlockId(block) != loop_.header) cost += kLongCost;
      for (InstId id : f_.block(BlockId(block)).insts) {
        const Inst &inst = f_.inst(id);
        bool is_long = (info(inst.op).effects & Calls) == Calls || inst.op == Opcode::ArrayMap ||
                       inst.op == Opcode::ArrayMapInto || inst.op == Opcode::ArrayReduce;
        cost += is_long ? kLongCost : inst.op == Opcode::Math ? 20 : 1;
      }
    }
    return std::max<int64_t>(kChunkCost / cost, 1);
  }

  void inductions(Builder &b, std::vector<ValueId> &after) {
    for (const Carried &c : carried_) {
      if (c.role != Role::Induction) continue;
      const Inst *step = f_.def(c.step);
      ValueId amount = step && step->op == Opcode::Const ? b.constant(step->constant(), step->type) : c.step;
      ValueId distance = b.imul(b.cast(count_, f_.typeOf(c.param)), amount);
      ValueId first = first_[c.position];
      after[c.position] = c.op == Opcode::ISub ? b.isub(first, distance) : b.iadd(first, distance);
    }
  }

  /// Memory for one array per chunk, and the kernels that fill and combine them.
  void allocate(Builder &b, PrivateArray &array) {
    const Type &type = typeOf(f_.typeOf(array.reduction.array));
    std::vector<ValueId> extents{chunks_};
    for (unsigned axis = 0; axis < type.ndim; ++axis) extents.push_back(b.dim(array.reduction.array, axis));
    array.partials = b.emit(Opcode::ArrayAlloc, types().array(type.args[0], type.ndim + 1U, Layout::C), extents);
    array.copy = makeKernel(module_, f_, Opcode::Cast, 0, type.args[0]);
    array.combine = makeKernel(module_, f_, array.reduction.op, array.reduction.attr, type.args[0]);
  }

  /// for k in range(chunks): fold the partial results of chunk k in.
  void combineAll(Builder &b, ValueId data, std::vector<ValueId> &after) {
    BlockId header = f_.addBlock(), body = f_.addBlock(), done = f_.addBlock();
    f_.block(header).is_loop_header = true;
    ValueId k = f_.addParam(header, types().int64);
    std::vector<ValueId> enter{b.int64(0)}, so_far(carried_.size());
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (!slots_[i].type.valid()) continue;
      enter.push_back(first_[carried_[i].position]);
      so_far[i] = after[carried_[i].position] = f_.addParam(header, slots_[i].type, f_.value(carried_[i].param).name);
    }
    b.br(header, std::move(enter));
    b.setBlock(header);
    b.condBr(b.icmp(Predicate::Lt, k, chunks_), body, {}, done, {});
    b.setBlock(body);
    ValueId base = b.imul(k, b.int64(stride_), kNoWrapSigned);
    auto load = [&](uint32_t offset, TypeId type) {
      ValueId at = b.emit(Opcode::PtrAdd, types().pointer(type), {data, b.iadd(base, b.int64(offset), kNoWrapSigned)});
      return b.emit(Opcode::PtrLoad, type, {at});
    };
    std::vector<ValueId> again{b.iadd(k, b.int64(1), kNoWrapSigned | kNoWrapUnsigned)}, taken(carried_.size());
    std::vector<ValueId> partial(carried_.size());
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (!slots_[i].type.valid()) continue;
      partial[i] = load(slots_[i].value, slots_[i].type);
      if (carried_[i].role == Role::Extreme) taken[i] = emitTaken(b, carried_[i], so_far[i], partial[i]);
    }
    for (size_t i = 0; i < carried_.size(); ++i) {
      if (!slots_[i].type.valid()) continue;
      const Carried &c = carried_[i];
      ValueId flag = slots_[i].has_flag ? load(slots_[i].flag, types().boolean) : ValueId();
      if (c.follows >= 0) flag = b.emit(Opcode::IAnd, types().boolean, {flag, taken[static_cast<size_t>(c.follows)]});
      again.push_back(combined(b, c, so_far[i], partial[i], taken[i].valid() ? taken[i] : flag));
    }
    for (const PrivateArray &array : arrays_) {
      ValueId target = array.reduction.array;
      b.emit(Opcode::ArrayMapInto, {}, {target, target, emitElement(b, array.partials, k)}, array.combine.value);
    }
    b.br(header, std::move(again));
    b.setBlock(done);
  }

  ValueId emitTaken(Builder &b, const Carried &c, ValueId so_far, ValueId partial) {
    ValueId first = c.value_first ? partial : so_far, second = c.value_first ? so_far : partial;
    ValueId outcome = b.emit(c.op, types().boolean, {first, second}, c.attr);
    return c.taken_if ? outcome : b.emit(Opcode::INot, types().boolean, {outcome});
  }

  ValueId combined(Builder &b, const Carried &c, ValueId so_far, ValueId partial, ValueId taken) {
    if (c.role == Role::Fold) return b.emit(c.op, f_.typeOf(so_far), {so_far, partial}, c.op == Opcode::Math ? c.attr : 0);
    return taken.valid() ? b.select(taken, partial, so_far) : partial;
  }

  void leave(Builder &b, const std::vector<ValueId> &after) {
    Edge out = f_.terminator(loop_.header).edges[1];
    const auto &params = f_.block(loop_.header).params;
    std::vector<ValueId> map(f_.numValues());
    for (uint32_t v = 0; v < map.size(); ++v) map[v] = ValueId(v);
    for (size_t i = 0; i < params.size(); ++i) map[params[i].value] = after[i];
    b.br(out.target, out.args);
    removeUnreachable(f_, f_.reversePostOrder());
    replaceValues(f_, map);
  }

  Module &module_;
  Function &f_;
  const MarkedLoop &loop_;
  const std::vector<Carried> &carried_;
  std::vector<Slot> slots_;
  std::vector<PrivateArray> arrays_;
  std::vector<ValueId> first_; // before the loop, by header parameter
  uint32_t stride_ = 0;
  ValueId count_, chunks_;
};

} // namespace

void outlineLoop(Module &module, FunctionId function, const MarkedLoop &loop, const std::vector<Carried> &carried,
                 const std::vector<ArrayReduction> &arrays) {
  Outliner(module, function, loop, carried, arrays).run();
}

} // namespace naja::passes
