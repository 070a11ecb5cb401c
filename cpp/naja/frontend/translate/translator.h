// One run of translate(): an abstract interpreter of the value stack that emits untyped NIR block by block, in reverse
// post-order. Handlers of operations are grouped in handle_*.cpp.
#pragma once

#include "naja/frontend/translate/cfg.h"
#include "naja/frontend/translate/decode.h"
#include "naja/frontend/translate/ssa.h"
#include "naja/frontend/translate/translate.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace naja::frontend {

/// An entry of the value stack. Besides values there are things that only the translation knows: they cost no
/// instruction until (if ever) they are used as a value.
struct Entry {
  enum class Kind : uint8_t {
    Value,
    Slot,     // what was at position `index` when the block began; read when used
    Null,     // the NULL that goes with a callable
    Const,    // constant `index`, loaded at `unit`
    Iterable, // result of GET_ITER before it is known whether a loop runs here: `value` is what is iterated over
    Iterator, // `value`: the iterator, `state`: its state; or those of position `index` when the block began
    Cell,     // the cell of slot `index`; `value`: what it held (3.13 loads cells and variables with one opcode)
    Cells,    // tuple of cells: closures_[index]
    Function, // pending_functions_[index], whose attributes are not all known yet
    Display,  // displays_[index]: a list or set under construction
  };
  Kind kind = Kind::Null;
  uint32_t index = 0;
  uint32_t unit = 0;
  ir::ValueId value = {}, state = {};
};

class Translator {
public:
  Translator(const FunctionSnapshot &snapshot, bool is_inner, std::span<const std::string> kept = {});
  Result<Translated> run();

private:
  using Handler = void (Translator::*)(int32_t arg);
  static const std::vector<Handler> &handlers();

  // ---- set-up and blocks (translator.cpp)
  bool refuseWholeFunction();
  void createFunction();
  void emitParameters();
  void countStores(std::vector<uint32_t> &stores) const;
  void translateBlock(uint32_t block);
  void beginStack(uint32_t block);
  static constexpr uint32_t kKeepAll = 2;
  /// `popping_edge`: the successor that gets the stack without its top entry.
  void leaveBlock(uint32_t popping_edge);
  bool isComplete(size_t position) const;
  void passStack(std::vector<Entry> shape, uint32_t popping_edge);
  Diagnostic &fail(std::string message, std::string hint = {});
  void failMalformed();

  // ---- emission
  ir::ValueId emit(ir::Opcode op, std::span<const ir::ValueId> operands, int64_t attr = 0);
  ir::ValueId emit(ir::Opcode op, std::initializer_list<ir::ValueId> operands, int64_t attr = 0) {
    return emit(op, std::span(operands.begin(), operands.size()), attr);
  }
  ir::Inst &last() { return function_->inst(function_->block(ir::BlockId(block_)).insts.back()); }
  ir::ValueId constant(ConstId id) { return emit(ir::Opcode::Const, {}, id.value); }
  ir::Opcode opcodeOf(ir::ValueId value) const;
  ir::SymbolId nameSymbol(int32_t index);
  ConstId constantAt(int32_t index);
  Loc locAt(uint32_t unit) const;
  void branch(ir::ValueId condition, uint32_t popping_edge = kKeepAll);

  // ---- the stack (stack.cpp)
  void push(ir::ValueId value) { stack_.push_back({.kind = Entry::Kind::Value, .value = value}); }
  void pushConst(ConstId id) { stack_.push_back({.kind = Entry::Kind::Const, .index = id.value, .unit = unit_}); }
  Entry popEntry();
  ir::ValueId popValue();
  std::vector<ir::ValueId> popValues(int32_t count);
  /// The entry at a position from the top, 1 = the top; null (and failed) where there is none.
  Entry *peek(int32_t position);
  /// The entry as a value, emitting what that needs; the entry is one afterwards.
  ir::ValueId valueOf(Entry &entry);
  ir::ValueId valueOfClosure(Entry &entry);
  void makeIterator(Entry &entry);
  void readIterator(Entry &entry);
  uint32_t slotVariable(uint32_t position) const { return local_count_ + 2 * position; }
  uint32_t stateVariable(uint32_t position) const { return local_count_ + 2 * position + 1; }

  // ---- variables (handle_variables.cpp)
  bool validSlot(int32_t slot);
  bool isFree(int32_t slot) const;
  ir::ValueId readVariable(int32_t slot);
  void writeVariable(int32_t slot, Entry entry);
  Entry readFree(int32_t slot);
  ir::ValueId readCell(int32_t slot);
  void refuseNonlocal(int32_t slot);
  void noteCellStore(int32_t slot);
  std::optional<ConstId> globalValue(std::string_view name) const;

  // ---- lists, sets, calls, functions
  struct Display {
    ir::Opcode op = ir::Opcode::GList;
    uint32_t block = 0;  // where it may be changed; elsewhere a copy is made (CPython duplicates tails of blocks)
    ir::InstId base;     // the first instruction: makes a tuple of it where a tuple is wanted
    ir::ValueId current; // valid once there is a starred item
    std::vector<ir::ValueId> run; // items since
  };
  void flush(Display &display);
  Display &ownDisplay(Entry &entry);
  ir::ValueId finishDisplay(Entry &entry, bool as_tuple);
  void pushDisplay(ir::Opcode op, int32_t count);
  void append(int32_t position, ir::Opcode op);

  struct PendingFunction {
    uint32_t code = 0;             // index into the code's constants
    std::vector<int32_t> captured; // slots
    std::vector<ir::ValueId> defaults, keyword_defaults;
    std::vector<ir::SymbolId> keyword_names;
  };
  void setAttribute(PendingFunction &pending, int32_t which);
  void setDefaults(PendingFunction &pending, Entry entry);
  void setKeywordDefaults(PendingFunction &pending, Entry entry);
  ir::ValueId emitFunction(PendingFunction &pending);
  uint32_t innerIndex(uint32_t code);
  std::shared_ptr<const FunctionSnapshot> innerSnapshot(uint32_t code, uint32_t index);
  Entry callee(std::vector<ir::ValueId> &args);
  void setKeywordNames(ConstId names);
  const ir::Inst *literalDict(ir::ValueId value) const;
  const std::string *literalText(ir::ValueId value) const;

  // ---- exceptions and captures
  bool refuseHandlers();
  void checkCaptures();

  // ---- one handler an operation
#define NAJA_OP(Enum, handler) void handler(int32_t arg);
#include "naja/frontend/translate/ops.def"

  const FunctionSnapshot &snapshot_;
  const CodeSnapshot &code_;
  const bool is_inner_;
  const std::span<const std::string> kept_;
  const uint32_t local_count_;
  Decoded decoded_;
  std::optional<Cfg> cfg_;
  Translated out_;
  ir::Function *function_ = nullptr;
  std::optional<SsaBuilder> ssa_;

  uint32_t block_ = 0;
  uint32_t op_ = 0;   // the operation being translated
  uint32_t unit_ = 0; // and its code unit
  bool block_ended_ = false;
  std::vector<Entry> stack_;
  std::vector<std::vector<Entry>> shapes_; // by block: its stack at the begin; only kinds and indexes count
  std::vector<uint8_t> has_shape_;
  std::vector<Display> displays_;
  std::vector<PendingFunction> pending_functions_;
  std::vector<std::vector<Entry>> closures_;
  std::vector<ir::SymbolId> keyword_names_; // for the next call
  std::vector<ir::SymbolId> local_symbols_, name_symbols_;
  std::unordered_map<uint32_t, uint32_t> inner_index_; // code constant -> Translated::inner
  mutable std::unordered_map<std::string_view, ConstId> globals_;
  std::optional<Diagnostic> error_;

  /// An inner function was made here, capturing these slots.
  struct CaptureSite {
    ir::ValueId function;
    std::vector<int32_t> slots;
    uint32_t code;
  };
  std::vector<CaptureSite> capture_sites_;
  /// A cell was assigned in this block, before all instructions with ids from `next_inst` on.
  struct CellStore {
    int32_t slot;
    uint32_t block, next_inst, unit;
  };
  std::vector<CellStore> cell_stores_;
};

} // namespace naja::frontend
