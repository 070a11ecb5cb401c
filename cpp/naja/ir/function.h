// Function and Module of NIR, and the Builder that appends to them. A Function owns its values, instructions and blocks.
#pragma once

#include "naja/ir/inst.h"

#include <memory>
#include <span>
#include <string>

namespace naja::ir {

/// What the user asked of a function; part of the store key.
struct FunctionFlags {
  bool error_model_numpy = false;
  uint8_t fastmath = 0; // bits of FastMath
  bool boundscheck = false;
  bool nogil = false;
  bool debug = false;
  bool forceinline = false;
  bool no_wrap_checks = false;
  bool cuda = false; // a kernel or device function: 32-bit operands stay narrow, cuda.* instructions
  uint8_t parallel = 0; // bits of Parallel: what parallel=True may do in it
  bool operator==(const FunctionFlags &) const = default;
};
enum Parallel : uint8_t { kParallelPrange = 1, kParallelArrays = 2, kParallelReductions = 4, kParallelAll = 7 };
enum FastMath : uint8_t { kNNan = 1, kNInf = 2, kNSZ = 4, kARcp = 8, kContract = 16, kAFn = 32, kReassoc = 64, kFast = 127 };

class Function {
public:
  std::string name;       // unique in its module: qualified Python name and a number
  std::string file;       // for diagnostics and debug info
  int first_line = 0;
  bool typed = false;
  bool is_kernel = false; // elementwise kernel: scalars to a scalar, always inlined
  bool may_raise = true;  // inferred by passes/raise_analysis
  bool external = false;  // a declaration: code compiled earlier, bound by symbol `name` at load
  FunctionFlags flags;
  std::vector<std::string> param_names;
  std::vector<TypeId> param_types; // typed: types of the entry block's parameters (none-typed ones included)
  TypeId return_type;              // typed

  // The entry block is block 0; its parameters are the function's.
  BlockId entry() const { return BlockId(0); }
  size_t numBlocks() const { return blocks_.size(); }
  size_t numInsts() const { return insts_.size(); }
  size_t numValues() const { return values_.size(); }

  Block &block(BlockId id) { return blocks_[id.value]; }
  const Block &block(BlockId id) const { return blocks_[id.value]; }
  Inst &inst(InstId id) { return insts_[id.value]; }
  const Inst &inst(InstId id) const { return insts_[id.value]; }
  Value &value(ValueId id) { return values_[id.value]; }
  const Value &value(ValueId id) const { return values_[id.value]; }
  TypeId typeOf(ValueId id) const { return values_[id.value].type; }
  /// The defining instruction, or null for a block parameter.
  const Inst *def(ValueId id) const { auto i = values_[id.value].inst; return i.valid() ? &insts_[i.value] : nullptr; }
  Inst *def(ValueId id) { auto i = values_[id.value].inst; return i.valid() ? &insts_[i.value] : nullptr; }
  const Inst &terminator(BlockId id) const { return insts_[blocks_[id.value].insts.back().value]; }
  Inst &terminator(BlockId id) { return insts_[blocks_[id.value].insts.back().value]; }

  BlockId addBlock();
  ValueId addParam(BlockId block, TypeId type = {}, SymbolId name = {});
  /// Makes an instruction (and its result value where the opcode has one) without placing it in a block.
  InstId makeInst(Inst inst);
  /// Appends to the block.
  InstId append(BlockId block, Inst inst);
  InstId insertAt(BlockId block, size_t position, Inst inst);

  /// Successors of a block: its terminator's edges (unwind edges not included).
  std::vector<BlockId> successors(BlockId id) const;
  /// Live blocks in reverse post-order from the entry, unwind blocks (and what they reach) last.
  std::vector<BlockId> reversePostOrder() const;
  /// Predecessors by block index, along normal edges (a block that branches twice to one target is listed twice).
  std::vector<std::vector<BlockId>> predecessors() const;
  /// Replaces every use of `from` (operands and edge arguments).
  void replaceAllUses(ValueId from, ValueId to);

private:
  std::vector<Block> blocks_;
  std::vector<Inst> insts_;
  std::vector<Value> values_;
};

/// The unit handed to passes and codegen: a root and the functions that it needs and that are not compiled yet.
/// What became of a loop or array expression under parallel=True.
struct ParallelNote {
  enum Kind : uint8_t { Parallel, Serial, Warning } kind = Parallel; // Warning: serial, and the user expects otherwise
  Loc where;
  Loc other;        // a second position, of a dependence; may be unknown
  std::string text; // one line
};

class Module {
public:
  std::vector<std::unique_ptr<Function>> functions;
  FunctionId root{0};
  std::vector<ParallelNote> parallel_notes; // filled in by passes

  FunctionId add(std::unique_ptr<Function> function);
  Function &get(FunctionId id) { return *functions[id.value]; }
  const Function &get(FunctionId id) const { return *functions[id.value]; }
};

/// Appends instructions at the end of one block. `loc` is put on all of them.
class Builder {
public:
  explicit Builder(Function &function, BlockId block = {}) : function_(function), block_(block) {}
  Function &function() { return function_; }
  BlockId block() const { return block_; }
  void setBlock(BlockId block) { block_ = block; }
  Loc loc;

  /// The general form; the result (or an invalid id).
  ValueId emit(Opcode op, TypeId type, std::span<const ValueId> operands, int64_t attr = 0);
  ValueId emit(Opcode op, TypeId type, std::initializer_list<ValueId> operands, int64_t attr = 0);
  Inst &last(); // the instruction just appended, to set int_list or unwind

  ValueId constant(ConstId constant, TypeId type);
  ValueId intConst(int64_t value, TypeId type);
  ValueId int64(int64_t value);
  ValueId boolConst(bool value);
  ValueId floatConst(double value, TypeId type);
  ValueId noneConst();

  ValueId iadd(ValueId a, ValueId b, int64_t wrap = 0);
  ValueId isub(ValueId a, ValueId b, int64_t wrap = 0);
  ValueId imul(ValueId a, ValueId b, int64_t wrap = 0);
  ValueId icmp(Predicate p, ValueId a, ValueId b);
  ValueId fcmp(Predicate p, ValueId a, ValueId b);
  ValueId cast(ValueId value, TypeId type); // the value itself where it has that type
  ValueId select(ValueId condition, ValueId a, ValueId b);
  ValueId math(MathFn f, TypeId type, std::initializer_list<ValueId> args);
  ValueId tupleMake(std::span<const ValueId> items);
  ValueId tupleGet(ValueId tuple, unsigned index);
  ValueId call(FunctionId callee, TypeId type, std::span<const ValueId> args);
  ValueId callRuntime(std::string_view symbol, TypeId type, std::span<const ValueId> args, bool may_raise);
  ValueId dim(ValueId array, unsigned axis);

  void br(BlockId target, std::vector<ValueId> args = {});
  void condBr(ValueId condition, BlockId then, std::vector<ValueId> then_args, BlockId otherwise,
              std::vector<ValueId> else_args);
  void ret(ValueId value);
  void raise(ConstId exception_class, std::span<const ValueId> args);

private:
  Function &function_;
  BlockId block_;
};

/// Text form. Values print as %0 (or %name.0), blocks as bb0, types after a colon; locations as `!line:col` where known.
std::string print(const Function &function, const Module *module = nullptr);
std::string print(const Module &module);

/// Parses what print writes; the text of the first error otherwise (naja-opt and tests).
struct ParseError { std::string message; int line = 0; };
std::variant<std::unique_ptr<Module>, ParseError> parseModule(std::string_view text);

/// All violations of the written invariants (docs/architecture/ir.md), one line each; empty: well formed.
std::vector<std::string> verify(const Function &function, const Module *module = nullptr);
std::vector<std::string> verify(const Module &module);

} // namespace naja::ir
