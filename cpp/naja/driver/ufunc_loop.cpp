#include "naja/driver/ufunc_loop.h"

#include <functional>

namespace naja::driver {
namespace {

using ir::BlockId;
using ir::Builder;
using ir::Opcode;
using ir::Predicate;
using ir::ValueId;

/// Kernels of at most so many instructions get all paths; up to the second limit the contiguous one and the general
/// one.
constexpr size_t kEveryPath = 80;
constexpr size_t kContiguousPath = 400;

/// How a path reaches the elements of an operand.
enum class Access { Strided, Contiguous, Invariant };

class LoopWriter {
public:
  LoopWriter(ir::Module &module, const UfuncLoop &loop)
      : module_(module), loop_(loop), kernel_(module.root), function_(std::make_unique<ir::Function>()),
        b_(*function_) {}

  void write();

private:
  const ir::Function &kernel() const { return module_.get(kernel_); }
  ir::Function &out() { return *function_; }
  void declare();
  ValueId word(ValueId table, size_t index);
  ValueId pointer(ValueId address, TypeId to) { return b_.emit(Opcode::PtrFromInt, types().pointer(to), {address}); }
  ValueId advance(ValueId pointer, ValueId bytes) {
    return b_.emit(Opcode::PtrAdd, out().typeOf(pointer), {pointer, bytes});
  }
  ValueId load(ValueId pointer, TypeId type) { return b_.emit(Opcode::PtrLoad, type, {pointer}); }
  void store(ValueId pointer, ValueId value) { b_.emit(Opcode::PtrStore, {}, {pointer, value}); }
  ValueId both(ValueId a, ValueId b) { return a.valid() ? b_.emit(Opcode::IAnd, types().boolean, {a, b}) : b; }
  void count(const std::function<void(ValueId)> &body);
  void branch(ValueId condition, const std::function<void()> &then);
  void finish() { b_.ret(b_.noneConst()); }

  void elementwise();
  void addPath(const std::vector<Access> &path);
  void emitPath(const std::vector<Access> &path);
  void addReduction();
  void reduce(Access access);
  ValueId address(size_t operand, Access access, ValueId index);
  std::vector<std::vector<Access>> paths() const;
  bool hasLoops() const;

  void generalised();
  void coreLoop(bool contiguous);
  ValueId coreArray(size_t operand, ValueId data, bool contiguous);
  ValueId coreIsContiguous();
  TypeId arrayOf(size_t operand) const { return kernel().param_types[operand]; }
  bool isArray(size_t operand) const { return typeOf(arrayOf(operand)).kind == TypeKind::Array; }

  ir::Module &module_;
  const UfuncLoop &loop_;
  ir::FunctionId kernel_;
  std::unique_ptr<ir::Function> function_;
  Builder b_;
  ValueId args_, dimensions_, steps_, n_;
  std::vector<TypeId> elements_;           // in memory, by operand
  std::vector<ValueId> pointers_;          // to the first element of each operand
  std::vector<ValueId> outer_;             // bytes from one iteration to the next
  std::vector<ValueId> extents_;           // of the core dimensions
  std::vector<std::vector<ValueId>> core_; // core strides by operand
};

void LoopWriter::write() {
  declare();
  if (loop_.generalised)
    generalised();
  else
    elementwise();
  module_.root = module_.add(std::move(function_));
}

void LoopWriter::declare() {
  const ir::Function &inner = kernel();
  out().name = inner.name + ".loop";
  out().file = inner.file;
  out().first_line = inner.first_line;
  out().typed = true;
  out().flags = inner.flags;
  out().flags.forceinline = false;
  const TypeId table = types().pointer(types().int64);
  out().param_types = {table, table, table};
  out().param_names = {"args", "dimensions", "steps"};
  out().return_type = types().none;
  BlockId entry = out().addBlock();
  args_ = out().addParam(entry, table);
  dimensions_ = out().addParam(entry, table);
  steps_ = out().addParam(entry, table);
  b_.setBlock(entry);
  b_.loc = Loc{inner.first_line, inner.first_line, -1, -1};

  for (TypeId type : inner.param_types)
    elements_.push_back(typeOf(type).kind == TypeKind::Array ? typeOf(type).args[0] : type);
  if (!loop_.generalised) elements_.push_back(inner.return_type);
  n_ = word(dimensions_, 0);
  for (size_t i = 0; i < elements_.size(); ++i) {
    pointers_.push_back(pointer(word(args_, i), elements_[i]));
    outer_.push_back(word(steps_, i));
  }
}

ValueId LoopWriter::word(ValueId table, size_t index) {
  return load(index == 0 ? table : advance(table, b_.int64(static_cast<int64_t>(8 * index))), types().int64);
}

/// for i in range(n): body(i); the builder stands behind the loop afterwards.
void LoopWriter::count(const std::function<void(ValueId)> &body) {
  BlockId header = out().addBlock(), inside = out().addBlock(), after = out().addBlock();
  out().block(header).is_loop_header = true;
  ValueId index = out().addParam(header, types().int64);
  b_.br(header, {b_.int64(0)});
  b_.setBlock(header);
  b_.condBr(b_.icmp(Predicate::Lt, index, n_), inside, {}, after, {});
  b_.setBlock(inside);
  body(index);
  b_.br(header, {b_.iadd(index, b_.int64(1), ir::kNoWrapSigned)});
  b_.setBlock(after);
}

/// if condition: then(), which returns from the loop function; goes on where it does not hold.
void LoopWriter::branch(ValueId condition, const std::function<void()> &then) {
  BlockId taken = out().addBlock(), next = out().addBlock();
  b_.condBr(condition, taken, {}, next, {});
  b_.setBlock(taken);
  then();
  b_.setBlock(next);
}

// ---- elementwise

/// Whether the kernel, or what it calls, has a loop: then there is nothing to vectorise across elements.
bool LoopWriter::hasLoops() const {
  std::vector<ir::FunctionId> work{kernel_};
  std::vector<bool> seen(module_.functions.size(), false);
  while (!work.empty()) {
    const ir::Function &function = module_.get(work.back());
    work.pop_back();
    for (uint32_t i = 0; i < function.numBlocks(); ++i) {
      const ir::Block &block = function.block(BlockId(i));
      if (block.is_loop_header) return true;
      for (ir::InstId id : block.insts) {
        const ir::Inst &inst = function.inst(id);
        if (inst.op != Opcode::Call || seen[inst.function().value]) continue;
        seen[inst.function().value] = true;
        work.push_back(inst.function());
      }
    }
  }
  return false;
}

std::vector<std::vector<Access>> LoopWriter::paths() const {
  const size_t size = kernel().numInsts(), operands = elements_.size();
  std::vector<std::vector<Access>> result;
  if (size > kContiguousPath || hasLoops()) return result;
  result.emplace_back(operands, Access::Contiguous);
  if (size > kEveryPath || loop_.inputs < 2 || loop_.inputs > 3) return result;
  for (unsigned i = 0; i < loop_.inputs; ++i) {
    result.emplace_back(operands, Access::Contiguous);
    result.back()[i] = Access::Invariant;
  }
  return result;
}

void LoopWriter::elementwise() {
  std::vector<std::vector<Access>> fast = paths();
  for (const std::vector<Access> &path : fast) addPath(path);
  addReduction();
  emitPath(std::vector<Access>(elements_.size(), Access::Strided));
  finish();
  if (!fast.empty()) module_.get(kernel_).flags.forceinline = true;
}

void LoopWriter::addPath(const std::vector<Access> &path) {
  ValueId fits;
  for (size_t i = 0; i < path.size(); ++i) {
    int64_t bytes = path[i] == Access::Contiguous ? itemSize(elements_[i]) : 0;
    fits = both(fits, b_.icmp(Predicate::Eq, outer_[i], b_.int64(bytes)));
  }
  branch(fits, [&] {
    emitPath(path);
    finish();
  });
}

ValueId LoopWriter::address(size_t operand, Access access, ValueId index) {
  ValueId step = access == Access::Strided ? outer_[operand] : b_.int64(itemSize(elements_[operand]));
  return advance(pointers_[operand], b_.imul(index, step, ir::kNoWrapSigned));
}

void LoopWriter::emitPath(const std::vector<Access> &path) {
  // What does not change is loaded before the loop, for which there must be an element. An output in its place is
  // another path: NumPy makes reductions of such.
  std::vector<ValueId> fixed(path.size());
  BlockId after = out().addBlock();
  bool guarded = false;
  for (size_t i = 0; i < loop_.inputs; ++i) {
    if (path[i] != Access::Invariant) continue;
    if (!guarded) {
      BlockId some = out().addBlock();
      b_.condBr(b_.icmp(Predicate::Gt, n_, b_.int64(0)), some, {}, after, {});
      b_.setBlock(some);
      guarded = true;
    }
    fixed[i] = load(pointers_[i], elements_[i]);
  }
  count([&](ValueId index) {
    std::vector<ValueId> values;
    for (size_t i = 0; i < loop_.inputs; ++i)
      values.push_back(fixed[i].valid() ? fixed[i] : load(address(i, path[i], index), elements_[i]));
    ValueId value = b_.call(kernel_, kernel().return_type, values);
    store(address(loop_.inputs, path[loop_.inputs], index), value);
  });
  b_.br(after);
  b_.setBlock(after);
}

/// NumPy reduces by a loop whose output is its first input and stays in place: the value so far is kept in a register.
void LoopWriter::addReduction() {
  if (loop_.inputs != 2 || elements_[0] != elements_[2]) return;
  auto same = [&](ValueId a, ValueId b) { return b_.icmp(Predicate::Eq, a, b); };
  ValueId zero = b_.int64(0);
  ValueId first = b_.emit(Opcode::PtrToInt, types().int64, {pointers_[0]});
  ValueId last = b_.emit(Opcode::PtrToInt, types().int64, {pointers_[2]});
  ValueId fits = both(both(same(outer_[0], zero), same(outer_[2], zero)), same(first, last));
  branch(fits, [&] {
    if (kernel().numInsts() <= kEveryPath && !hasLoops()) // integers add up in vectors
      branch(same(outer_[1], b_.int64(itemSize(elements_[1]))), [&] { reduce(Access::Contiguous); });
    reduce(Access::Strided);
  });
}

void LoopWriter::reduce(Access access) {
  BlockId header = out().addBlock(), inside = out().addBlock(), after = out().addBlock();
  out().block(header).is_loop_header = true;
  ValueId index = out().addParam(header, types().int64), value = out().addParam(header, elements_[0]);
  b_.br(header, {b_.int64(0), load(pointers_[0], elements_[0])});
  b_.setBlock(header);
  b_.condBr(b_.icmp(Predicate::Lt, index, n_), inside, {}, after, {});
  b_.setBlock(inside);
  std::vector<ValueId> operands{value, load(address(1, access, index), elements_[1])};
  ValueId next = b_.call(kernel_, kernel().return_type, operands);
  b_.br(header, {b_.iadd(index, b_.int64(1), ir::kNoWrapSigned), next});
  b_.setBlock(after);
  store(pointers_[2], value);
  finish();
}

// ---- generalised

void LoopWriter::generalised() {
  unsigned dimensions = 0;
  size_t step = elements_.size();
  for (const std::vector<unsigned> &axes : loop_.core) {
    core_.emplace_back();
    for (unsigned axis : axes) {
      dimensions = std::max(dimensions, axis + 1);
      core_.back().push_back(word(steps_, step++));
    }
  }
  for (unsigned i = 0; i < dimensions; ++i) extents_.push_back(word(dimensions_, 1 + i));
  if (kernel().numInsts() <= kContiguousPath && dimensions > 0) {
    branch(coreIsContiguous(), [&] {
      coreLoop(true);
      finish();
    });
    module_.get(kernel_).flags.forceinline = true;
  }
  coreLoop(false);
  finish();
}

ValueId LoopWriter::coreIsContiguous() {
  ValueId all;
  for (size_t i = 0; i < elements_.size(); ++i) {
    if (!isArray(i)) continue;
    ValueId expected = b_.int64(itemSize(elements_[i]));
    for (size_t axis = core_[i].size(); axis-- > 0;) {
      all = both(all, b_.icmp(Predicate::Eq, core_[i][axis], expected));
      if (axis > 0) expected = b_.imul(expected, extents_[loop_.core[i][axis]], ir::kNoWrapSigned);
    }
  }
  return all.valid() ? all : b_.boolConst(true);
}

void LoopWriter::coreLoop(bool contiguous) {
  count([&](ValueId index) {
    std::vector<ValueId> values;
    for (size_t i = 0; i < elements_.size(); ++i) {
      ValueId data = advance(pointers_[i], b_.imul(index, outer_[i], ir::kNoWrapSigned));
      values.push_back(isArray(i) ? coreArray(i, data, contiguous) : load(data, elements_[i]));
    }
    b_.call(kernel_, kernel().return_type, values);
  });
}

/// The core array of an operand; one with no core dimension is an array of one element.
ValueId LoopWriter::coreArray(size_t operand, ValueId data, bool contiguous) {
  const std::vector<unsigned> &axes = loop_.core[operand];
  const Type type = typeOf(arrayOf(operand));
  std::vector<ValueId> values{data};
  for (unsigned axis : axes) values.push_back(extents_[axis]);
  for (size_t i = axes.size(); i < type.ndim; ++i) values.push_back(b_.int64(1));
  TypeId plain = types().array(type.args[0], type.ndim, Layout::C, type.readonly, type.aligned);
  ValueId array = b_.emit(Opcode::ArrayFromPtr, plain, values);
  if (contiguous || axes.empty() || type.layout != Layout::A) return b_.cast(array, arrayOf(operand));
  std::vector<ValueId> geometry{array, b_.int64(0)};
  geometry.insert(geometry.end(), values.begin() + 1, values.end());
  geometry.insert(geometry.end(), core_[operand].begin(), core_[operand].end());
  return b_.emit(Opcode::ArrayRestride, arrayOf(operand), geometry);
}

} // namespace

void wrapUfuncLoop(ir::Module &module, const UfuncLoop &loop) { LoopWriter(module, loop).write(); }

} // namespace naja::driver
