#include "naja/frontend/translate/decode.h"

#include "naja/ir/inst.h"

#include <array>

namespace naja::frontend {
namespace {

/// The instruction being decoded and what was decoded so far.
struct Decoder {
  const CodeSnapshot &code;
  Decoded out;
  uint32_t unit = 0; // of the instruction
  int64_t next = 0;  // unit after it and its inline caches: jumps count from there
  int32_t opcode = 0;

  void emit(Op op, int64_t arg = 0) { out.ops.push_back({op, static_cast<int32_t>(arg), unit}); }
};

using DecodeFn = void (*)(Decoder &, int32_t arg);

void skip(Decoder &, int32_t) {}
void unsupported(Decoder &d, int32_t) { d.emit(Op::Unsupported, d.opcode); }

template <Op kOp> void plain(Decoder &d, int32_t arg) { d.emit(kOp, arg); }

/// Two instructions in one, over slots below 16.
template <Op kFirst, Op kSecond> void pair(Decoder &d, int32_t arg) {
  d.emit(kFirst, arg >> 4);
  d.emit(kSecond, arg & 15);
}

/// Jumps hold the unit they go to until all is decoded.
template <Op kOp, int kDirection> void jump(Decoder &d, int32_t arg) {
  d.emit(kOp, d.next + kDirection * int64_t(arg));
}

/// Where the loop is over, the interpreter skips END_FOR and (3.13) POP_TOP: kSkipped units.
template <int kSkipped> void forIter(Decoder &d, int32_t arg) {
  d.emit(Op::ForIter, d.next + arg + kSkipped);
  d.emit(Op::IterNext);
}

// A callable goes with a NULL: below it until 3.12, above it from 3.13 on. Methods are bound when they are loaded, so
// their NULL may stand above in every version (Translator::call takes either).
void loadGlobal311(Decoder &d, int32_t arg) {
  if ((arg & 1) != 0) d.emit(Op::PushNull);
  d.emit(Op::LoadGlobal, arg >> 1);
}
void loadGlobal313(Decoder &d, int32_t arg) {
  d.emit(Op::LoadGlobal, arg >> 1);
  if ((arg & 1) != 0) d.emit(Op::PushNull);
}
void loadMethod(Decoder &d, int32_t arg) {
  d.emit(Op::GetAttr, arg);
  d.emit(Op::PushNull);
}
void loadAttr(Decoder &d, int32_t arg) {
  d.emit(Op::GetAttr, arg >> 1);
  if ((arg & 1) != 0) d.emit(Op::PushNull);
}

/// dis.cmp_op: < <= == != > >=
void emitCompare(Decoder &d, int32_t which) {
  using enum ir::Predicate;
  static constexpr std::array kPredicates = {Lt, Le, Eq, Ne, Gt, Ge};
  if (which < 0 || which >= static_cast<int32_t>(kPredicates.size()))
    d.out.malformed = true;
  else
    d.emit(Op::Compare, static_cast<int64_t>(kPredicates[static_cast<size_t>(which)]));
}
void compare311(Decoder &d, int32_t arg) { emitCompare(d, arg); }
void compare312(Decoder &d, int32_t arg) { emitCompare(d, arg >> 4); }
void compare313(Decoder &d, int32_t arg) {
  emitCompare(d, arg >> 5);
  if ((arg & 16) != 0) d.emit(Op::Truth);
}

/// The order of NB_ADD, NB_AND ... in opcode.h; in-place forms follow.
void binaryOp(Decoder &d, int32_t arg) {
  using enum ir::BinaryOp;
  static constexpr std::array kOps = {Add, And, FloorDiv, LShift, MatMul, Mul, Mod, Or, Pow, RShift, Sub, TrueDiv, Xor};
  constexpr auto kCount = static_cast<int32_t>(kOps.size());
  if (arg < 0 || arg >= 2 * kCount)
    d.out.malformed = true;
  else
    d.emit(arg < kCount ? Op::Binary : Op::Inplace, static_cast<int64_t>(kOps[static_cast<size_t>(arg % kCount)]));
}

template <ir::UnaryOp kOp> void unary(Decoder &d, int32_t) {
  if (kOp == ir::UnaryOp::Not) d.emit(Op::Truth);
  d.emit(Op::Unary, static_cast<int64_t>(kOp));
}

/// `[1, 2, 3]` and `{1, 2, 3}` are made of a constant tuple: its items are the display's.
void extend(Decoder &d, int32_t arg) {
  auto &ops = d.out.ops;
  size_t n = ops.size();
  bool constant = arg == 1 && n >= 2 && ops[n - 1].op == Op::LoadConst && ops[n - 2].arg == 0 &&
                  (ops[n - 2].op == Op::BuildList || ops[n - 2].op == Op::BuildSet);
  auto index = constant ? static_cast<size_t>(ops[n - 1].arg) : 0;
  const ConstTuple *items = nullptr;
  if (constant && index < d.code.constants.size())
    items = std::get_if<ConstTuple>(&ConstantStore::global().get(d.code.constants[index]).value);
  if (!items) {
    d.emit(Op::Extend, arg);
    return;
  }
  Op build = ops[n - 2].op;
  ops.resize(n - 2);
  for (ConstId item : items->items) d.emit(Op::LoadValue, item.value);
  d.emit(build, static_cast<int64_t>(items->items.size()));
}

void callStar(Decoder &d, int32_t arg) { d.emit(Op::CallStar, arg & 1); }
void callKw(Decoder &d, int32_t arg) {
  d.emit(Op::PopKwNames);
  d.emit(Op::Call, arg);
}
void returnConst(Decoder &d, int32_t arg) {
  d.emit(Op::LoadConst, arg);
  d.emit(Op::Return);
}

void callIntrinsic(Decoder &d, int32_t arg) {
  constexpr int32_t kUnaryPositive = 5, kListToTuple = 6;
  if (arg == kUnaryPositive)
    d.emit(Op::Unary, static_cast<int64_t>(ir::UnaryOp::Pos));
  else if (arg == kListToTuple)
    d.emit(Op::ListToTuple);
  else
    d.emit(Op::Unsupported, d.opcode);
}

// 3.13 splits FORMAT_VALUE in two: put together again.
constexpr int32_t kFormatHasSpec = 4;
void convertValue(Decoder &d, int32_t arg) { d.emit(Op::FormatValue, arg & 3); }
void formatSimple(Decoder &d, int32_t) {
  auto &ops = d.out.ops;
  bool converted = !ops.empty() && ops.back().op == Op::FormatValue && ops.back().unit + 1 == d.unit;
  if (!converted) d.emit(Op::FormatValue, 0);
}
void formatWithSpec(Decoder &d, int32_t) {
  auto &ops = d.out.ops;
  size_t n = ops.size();
  int32_t conversion = 0;
  if (n >= 2 && ops[n - 1].op == Op::LoadConst && ops[n - 2].op == Op::FormatValue && (ops[n - 2].arg & 3) != 0 &&
      (ops[n - 2].arg & kFormatHasSpec) == 0 && ops[n - 2].unit + 2 == d.unit) {
    conversion = ops[n - 2].arg;
    ops.erase(ops.end() - 2);
  }
  d.emit(Op::FormatValue, conversion | kFormatHasSpec);
}

struct OpcodeRow {
  std::string_view name;
  DecodeFn decode = nullptr;
};
using OpcodeTable = std::array<OpcodeRow, 256>;

#define NAJA_OPCODE(number, NAME, decoder) table[number] = {#NAME, decoder};
OpcodeTable make311() {
  OpcodeTable table{};
#include "naja/frontend/translate/opcodes_311.def"
  return table;
}
#define NAJA_OPCODE(number, NAME, decoder) table[number] = {#NAME, decoder};
OpcodeTable make312() {
  OpcodeTable table{};
#include "naja/frontend/translate/opcodes_312.def"
  return table;
}
#define NAJA_OPCODE(number, NAME, decoder) table[number] = {#NAME, decoder};
OpcodeTable make313() {
  OpcodeTable table{};
#include "naja/frontend/translate/opcodes_313.def"
  return table;
}

/// Null for versions that are not known.
const OpcodeTable *tableOf(int python_minor) {
  static const OpcodeTable tables[] = {make311(), make312(), make313()};
  return python_minor >= 11 && python_minor <= 13 ? &tables[python_minor - 11] : nullptr;
}

/// Units of jumps -> operations.
void resolveJumps(Decoded &out, const std::vector<uint32_t> &op_at_unit) {
  for (Operation &op : out.ops) {
    if (!isJump(op.op)) continue;
    bool valid = op.arg >= 0 && static_cast<size_t>(op.arg) < op_at_unit.size();
    uint32_t target = valid ? op_at_unit[static_cast<size_t>(op.arg)] : UINT32_MAX;
    if (target >= out.ops.size())
      out.malformed = true;
    else
      op.arg = static_cast<int32_t>(target);
  }
}

} // namespace

Decoded decode(const CodeSnapshot &code) {
  constexpr std::string_view kExtended = "EXTENDED_ARG";
  Decoder d{.code = code, .out = {}};
  const OpcodeTable *table = tableOf(code.python_minor);
  const size_t units = code.bytecode.size() / 2;
  std::vector<uint32_t> op_at_unit(units);
  d.out.ops.reserve(units);
  d.out.malformed = table == nullptr;
  uint32_t extended = 0;
  for (size_t unit = 0; unit < units && !d.out.malformed; ++unit) {
    op_at_unit[unit] = static_cast<uint32_t>(d.out.ops.size());
    d.opcode = code.bytecode[2 * unit];
    const OpcodeRow &row = (*table)[static_cast<size_t>(d.opcode)];
    const uint32_t arg = extended << 8U | code.bytecode[2 * unit + 1];
    extended = row.name == kExtended ? arg : 0;
    if (d.opcode == 0) continue; // CACHE
    d.unit = static_cast<uint32_t>(unit);
    d.next = static_cast<int64_t>(unit) + 1;
    while (static_cast<size_t>(d.next) < units && code.bytecode[static_cast<size_t>(2 * d.next)] == 0) ++d.next;
    if (row.decode == nullptr)
      d.out.malformed = true;
    else
      row.decode(d, static_cast<int32_t>(arg));
  }
  if (!d.out.malformed) resolveJumps(d.out, op_at_unit);
  if (d.out.ops.empty()) d.out.malformed = true;
  return std::move(d.out);
}

std::string_view opcodeName(int python_minor, int opcode) {
  const OpcodeTable *table = tableOf(python_minor);
  return table && opcode >= 0 && opcode < 256 ? (*table)[static_cast<size_t>(opcode)].name : std::string_view();
}

} // namespace naja::frontend
