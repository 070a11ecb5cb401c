// Instructions, values and blocks of NIR: plain data in the stores of a Function, referred to by ids.
#pragma once

#include "naja/support/ids.h"
#include "naja/support/location.h"
#include "naja/types/constant.h"
#include "naja/types/type.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace naja::ir {

struct ValueTag;
struct InstTag;
struct BlockTag;
struct FunctionTag;
struct SymbolTag;
using ValueId = Id<ValueTag>;
using InstId = Id<InstTag>;
using BlockId = Id<BlockTag>;
using FunctionId = Id<FunctionTag>; // index into Module
using SymbolId = Id<SymbolTag>;     // index into the process-wide symbol table (internSymbol)

SymbolId internSymbol(std::string_view text);
std::string_view symbolText(SymbolId id);

enum class Opcode : uint8_t {
#define NAJA_INST(Enum, text, operands, result, attr, effects) Enum,
#define NAJA_TERM(Enum, text, operands, attr, effects) Enum,
#include "naja/ir/instructions.def"
};

enum class BinaryOp : uint8_t { Add, Sub, Mul, TrueDiv, FloorDiv, Mod, Pow, MatMul, LShift, RShift, And, Or, Xor };
enum class UnaryOp : uint8_t { Neg, Pos, Invert, Not };
enum class Predicate : uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
enum class MathFn : uint8_t {
#define NAJA_MATH(Enum, text, arity, real, complex) Enum,
#include "naja/ir/math_functions.def"
};
enum class AtomicOp : uint8_t { Add, Sub, Max, Min, NanMax, NanMin, And, Or, Xor, Exch, Inc, Dec };
enum class ReduceKind : uint8_t { Sum, Prod, Min, Max, Any, All, And, Or, Xor };

std::string_view text(BinaryOp op);  // "+"
std::string_view text(UnaryOp op);   // "-"
std::string_view text(Predicate p);  // "<"
std::string_view text(MathFn f);     // "sqrt"
std::string_view text(ReduceKind k); // "sum"

/// What `Inst::attr` and `int_list` hold; says how the printer, the parser and the verifier treat them.
enum class AttrKind : uint8_t { None, Int, Const, Symbol, SymbolList, IntList, Func, BinaryOp, UnaryOp, Predicate, MathFn };

enum Effects : uint8_t { Pure = 0, Reads = 1, Writes = 2, Calls = 4 | Reads | Writes, MayRaise = 8 };

constexpr int kAny = -1;
struct OpcodeInfo {
  std::string_view text;
  int operands; // kAny: any number
  bool has_result;
  bool is_terminator;
  bool is_generic; // untyped: gone after typing
  AttrKind attr;
  uint8_t effects;
};
const OpcodeInfo &info(Opcode op);

// attr bits of iadd, isub, imul
constexpr int64_t kNoWrapSigned = 1, kNoWrapUnsigned = 2;
// attr bits of slice.indices and slice.make
constexpr int64_t kHasStart = 1, kHasStop = 2, kHasStep = 4;
// codes of array.view
constexpr int64_t kViewIndex = 0, kViewSlice = 1, kViewFull = 2, kViewNewAxis = 3;

/// An edge to a block with the arguments for its parameters.
struct Edge {
  BlockId target;
  std::vector<ValueId> args;
};

struct Inst {
  Opcode op = Opcode::Unreachable;
  /// Proved not to raise (by a pass), though the opcode may.
  bool no_raise = false;
  TypeId type;    // of the result; invalid in untyped NIR
  ValueId result; // invalid: none
  Loc loc;
  SymbolId scope;   // name of the function that it was inlined from; invalid: the function that it is in
  int64_t attr = 0; // by AttrKind: the int, ConstId, SymbolId, FunctionId, enum value (see the accessors)
  std::vector<ValueId> operands;
  std::vector<int64_t> int_list;  // IntList: the list; SymbolList: symbol ids
  std::vector<Edge> edges;        // terminators
  /// Where an exception raised here goes: a block without parameters that ends in `resume` (or a handler). Invalid: out of
  /// the function with nothing to release. See docs/adr: side exits instead of split blocks.
  BlockId unwind;

  ConstId constant() const { return ConstId(static_cast<uint32_t>(attr)); }
  SymbolId symbol() const { return SymbolId(static_cast<uint32_t>(attr)); }
  FunctionId function() const { return FunctionId(static_cast<uint32_t>(attr)); }
  BinaryOp binaryOp() const { return static_cast<BinaryOp>(attr); }
  UnaryOp unaryOp() const { return static_cast<UnaryOp>(attr); }
  Predicate predicate() const { return static_cast<Predicate>(attr); }
  MathFn mathFn() const { return static_cast<MathFn>(attr); }
  bool mayRaise() const { return !no_raise && (info(op).effects & MayRaise) != 0; }
};

/// A value: result of an instruction or parameter of a block.
struct Value {
  TypeId type;    // invalid in untyped NIR
  InstId inst;    // defining instruction; invalid: a block parameter
  BlockId block;  // of a block parameter: its block
  uint32_t index = 0; // of a block parameter: its position
  SymbolId name;  // the variable it was assigned to, for dumps, DWARF and messages; may be invalid
};

struct Block {
  std::vector<ValueId> params;
  std::vector<InstId> insts; // the last one is a terminator
  bool is_loop_header = false;
  bool dead = false;         // removed; ids stay stable
};

} // namespace naja::ir
