// Every scalar rule over every combination of operand types emits well-formed NIR; chosen rules emit no more than they
// need.
#include "fake_emitter.h"

#include <gtest/gtest.h>

namespace naja::library::testing {
namespace {

std::vector<TypeId> scalarTypes() {
  TypeStore &t = types();
  return {t.boolean, t.int8,    t.int32,   t.int64,     t.uint8,     t.uint32,
          t.uint64,  t.float32, t.float64, t.complex64, t.complex128};
}

std::vector<AbstractValue> scalarValues() {
  std::vector<AbstractValue> values;
  for (TypeId type : scalarTypes()) values.push_back(value(type));
  for (AbstractValue v : {literal(0), literal(3), literal(-2), literal(2.5), literal(true)}) values.push_back(v);
  values.push_back(value(types().optional(types().int64)));
  return values;
}

void expectWellFormed(const std::string &what, Resolution r, std::span<const AbstractValue> operands) {
  std::string label = what;
  for (const AbstractValue &v : operands) label += " " + (v.constant.valid() ? toString(v.constant) : toString(v.type));
  for (bool numpy : {false, true}) {
    ir::FunctionFlags flags;
    flags.error_model_numpy = numpy;
    Emitted code = emitted(r, operands, flags);
    EXPECT_TRUE(code.violations.empty()) << label << "\n" << code.violations[0] << "\n" << code.text;
  }
}

TEST(Emission, BinaryOperators) {
  for (int op = 0; op <= static_cast<int>(ir::BinaryOp::Xor); ++op)
    for (const AbstractValue &a : scalarValues())
      for (const AbstractValue &b : scalarValues()) {
        AbstractValue operands[] = {a, b};
        auto binary = static_cast<ir::BinaryOp>(op);
        expectWellFormed(std::string(ir::text(binary)),
                         Table::global().resolveBinary(binary, false, {operands, {}, nullptr}), operands);
      }
}

TEST(Emission, Comparisons) {
  for (int p = 0; p <= static_cast<int>(ir::Predicate::Ge); ++p)
    for (const AbstractValue &a : scalarValues())
      for (const AbstractValue &b : scalarValues()) {
        AbstractValue operands[] = {a, b};
        auto predicate = static_cast<ir::Predicate>(p);
        expectWellFormed(std::string(ir::text(predicate)),
                         Table::global().resolveCompare(predicate, {operands, {}, nullptr}), operands);
        expectWellFormed("is", Table::global().resolveIs({operands, {}, nullptr}), operands);
      }
}

TEST(Emission, UnaryOperatorsTruthAttributes) {
  for (const AbstractValue &a : scalarValues()) {
    AbstractValue operands[] = {a};
    Query q{operands, {}, nullptr};
    for (int op = 0; op <= static_cast<int>(ir::UnaryOp::Not); ++op)
      expectWellFormed("unary", Table::global().resolveUnary(static_cast<ir::UnaryOp>(op), q), operands);
    expectWellFormed("truth", Table::global().resolveTruth(q), operands);
    for (std::string_view name : {"real", "imag", "dtype", "itemsize", "T", "numerator"})
      expectWellFormed(std::string(name), Table::global().resolveAttribute(name, q), operands);
    for (std::string_view name : {"conjugate", "item", "bit_length", "bit_count", "is_integer"})
      expectWellFormed(std::string(name), Table::global().resolveMethod(a.type, name, q), operands);
  }
}

bool ofScalarModule(std::string_view name) {
  static const std::string_view kBuiltins[] = {"abs", "round", "pow",     "divmod", "min",   "max",
                                               "int", "float", "complex", "bool",   "range", "print"};
  for (std::string_view b : kBuiltins)
    if (name == "builtins." + std::string(b)) return true;
  return name.starts_with("math.") || name.starts_with("cmath.") || name.starts_with("operator.");
}

TEST(Emission, FunctionsOfScalars) {
  for (const std::string &name : Table::global().names()) {
    if (!ofScalarModule(name)) continue;
    for (const AbstractValue &a : scalarValues()) {
      AbstractValue one[] = {a};
      expectWellFormed(name, Table::global().resolveCall(name, {one, {}, nullptr}), one);
      for (const AbstractValue &b : scalarValues()) {
        AbstractValue two[] = {a, b}, three[] = {a, b, b};
        expectWellFormed(name, Table::global().resolveCall(name, {two, {}, nullptr}), two);
        expectWellFormed(name, Table::global().resolveCall(name, {three, {}, nullptr}), three);
      }
    }
  }
}

// ---- tuples, ranges, iterators

std::vector<AbstractValue> tuples() {
  TypeStore &t = types();
  TypeId mixed[] = {t.int64, t.float64, t.boolean}, nested[] = {t.uniTuple(t.int64, 2), t.optional(t.float64)};
  return {
      value(t.uniTuple(t.int64, 3)),
      value(t.uniTuple(t.float32, 2)),
      value(t.tuple(mixed)),
      value(t.tuple(nested)),
      constant(ConstantStore::global().ofTuple({ConstantStore::global().ofInt(1), ConstantStore::global().ofFloat(2)})),
      constant(ConstantStore::global().ofTuple({}))};
}

TEST(Emission, Tuples) {
  Table &table = Table::global();
  for (const AbstractValue &a : tuples()) {
    AbstractValue one[] = {a};
    for (std::string_view name : {"len", "sum", "min", "max", "any", "all", "tuple"})
      expectWellFormed(std::string(name), table.resolveCall("builtins." + std::string(name), {one, {}, nullptr}), one);
    for (std::string_view name : {"hypot", "prod", "fsum"})
      expectWellFormed(std::string(name), table.resolveCall("math." + std::string(name), {one, {}, nullptr}), one);
    for (const AbstractValue &i : {literal(0), literal(-1), literal(7), value(types().int64), value(types().uint8)}) {
      AbstractValue two[] = {a, i}, swapped[] = {i, a};
      expectWellFormed("getitem", table.resolveGetItem({two, {}, nullptr}), two);
      expectWellFormed("in", table.resolveContains({swapped, {}, nullptr}), swapped);
      expectWellFormed("index", table.resolveMethod(a.type, "index", {two, {}, nullptr}), two);
      expectWellFormed("count", table.resolveMethod(a.type, "count", {two, {}, nullptr}), two);
      expectWellFormed("*", table.resolveBinary(ir::BinaryOp::Mul, false, {two, {}, nullptr}), two);
    }
    for (const AbstractValue &b : tuples()) {
      AbstractValue two[] = {a, b};
      expectWellFormed("+", table.resolveBinary(ir::BinaryOp::Add, false, {two, {}, nullptr}), two);
      expectWellFormed("dist", table.resolveCall("math.dist", {two, {}, nullptr}), two);
      for (int p = 0; p <= static_cast<int>(ir::Predicate::Ge); ++p)
        expectWellFormed("compare", table.resolveCompare(static_cast<ir::Predicate>(p), {two, {}, nullptr}), two);
    }
  }
}

/// Runs the five operations of a loop over an iterable through the table.
void expectIterates(const AbstractValue &iterable) {
  Table &table = Table::global();
  AbstractValue source[] = {iterable};
  Resolution iter = table.resolveIterate(ir::Opcode::GIter, {source, {}, nullptr});
  ASSERT_EQ(iter.kind, Resolution::Resolved) << toString(iterable.type);
  expectWellFormed("iter", iter, source);
  AbstractValue it[] = {value(iter.result.type)};
  Resolution state = table.resolveIterate(ir::Opcode::GIterState, {it, {}, nullptr});
  ASSERT_EQ(state.kind, Resolution::Resolved);
  expectWellFormed("state", state, it);
  AbstractValue both[] = {it[0], value(state.result.type)};
  for (ir::Opcode op : {ir::Opcode::GIterValid, ir::Opcode::GIterValue, ir::Opcode::GIterNext}) {
    Resolution r = table.resolveIterate(op, {both, {}, nullptr});
    ASSERT_EQ(r.kind, Resolution::Resolved);
    expectWellFormed(std::string(ir::info(op).text), r, both);
    if (op == ir::Opcode::GIterNext) {
      EXPECT_EQ(r.result.type, state.result.type);
    }
  }
}

AbstractValue called(std::string_view name, std::vector<AbstractValue> operands) {
  return Table::global().resolveCall(name, {operands, {}, nullptr}).result;
}

TEST(Emission, Iteration) {
  TypeStore &t = types();
  AbstractValue pair = value(t.uniTuple(t.float64, 2));
  AbstractValue up = called("builtins.range", {value(t.int64)});
  AbstractValue down = called("builtins.range", {value(t.int64), literal(0), literal(-1)});
  AbstractValue any = called("builtins.range", {value(t.int32), value(t.int32), value(t.int32)});
  AbstractValue wide = called("builtins.range", {value(t.uint64), value(t.uint64), value(t.uint64)});
  for (const AbstractValue &v :
       {pair, up, down, any, wide, called("builtins.zip", {pair, up, down}), called("builtins.enumerate", {up}),
        called("builtins.enumerate", {pair, value(t.int32)}),
        called("builtins.enumerate", {called("builtins.zip", {up, pair})}), called("builtins.reversed", {up}),
        called("builtins.reversed", {wide})})
    expectIterates(v);
}

TEST(Emission, Ranges) {
  TypeStore &t = types();
  EXPECT_EQ(toString(called("builtins.range", {value(t.int32)}).type), "range_state_int32");
  EXPECT_EQ(toString(called("builtins.range", {literal(0), value(t.int32)}).type), "range_state_int64");
  EXPECT_EQ(toString(called("builtins.range", {literal(0), value(t.uint64)}).type), "range_state_uint64");
  EXPECT_EQ(toString(called("builtins.range", {value(t.uint8)}).type), "range_state_int64");
  for (TypeId item : {t.int32, t.int64, t.uint64})
    for (std::optional<int64_t> step :
         {std::optional<int64_t>(), std::optional<int64_t>(1), std::optional<int64_t>(3)}) {
      AbstractValue r = value(t.range(item, step));
      for (const AbstractValue &x : {value(t.int64), value(t.float64), literal(3), value(t.uint64)}) {
        AbstractValue in[] = {x, r}, at[] = {r, x};
        expectWellFormed("in", Table::global().resolveContains({in, {}, nullptr}), in);
        expectWellFormed("getitem", Table::global().resolveGetItem({at, {}, nullptr}), at);
      }
      AbstractValue one[] = {r};
      expectWellFormed("len", Table::global().resolveCall("builtins.len", {one, {}, nullptr}), one);
    }
}

// ---- small code

size_t instructions(ir::BinaryOp op, const AbstractValue &a, const AbstractValue &b) {
  AbstractValue operands[] = {a, b};
  return emitted(Table::global().resolveBinary(op, false, {operands, {}, nullptr}), operands).instructions;
}

TEST(SmallCode, NoCastsOrChecksForConstants) {
  TypeStore &t = types();
  EXPECT_EQ(instructions(ir::BinaryOp::Mul, value(t.float32), literal(2)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::Mul, value(t.float64), literal(2)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::FloorDiv, value(t.int64), literal(2)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::Mod, value(t.int64), literal(10)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::TrueDiv, value(t.float64), literal(2)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::TrueDiv, value(t.float64), value(t.float64)), 2U);
  EXPECT_EQ(instructions(ir::BinaryOp::Pow, value(t.float64), literal(2)), 1U);
  EXPECT_EQ(instructions(ir::BinaryOp::Pow, value(t.float64), literal(4)), 2U);
  EXPECT_EQ(instructions(ir::BinaryOp::Pow, value(t.int64), literal(3)), 2U);
  EXPECT_EQ(instructions(ir::BinaryOp::Pow, value(t.float64), literal(0.5)), 1U);
}

size_t comparison(const AbstractValue &a, const AbstractValue &b) {
  AbstractValue operands[] = {a, b};
  return emitted(Table::global().resolveCompare(ir::Predicate::Lt, {operands, {}, nullptr}), operands).instructions;
}

TEST(SmallCode, Comparisons) {
  TypeStore &t = types();
  EXPECT_EQ(comparison(value(t.int64), literal(0)), 1U);
  EXPECT_EQ(comparison(value(t.int64), literal(2.5)), 1U);
  EXPECT_EQ(comparison(value(t.float64), literal(3)), 1U);
  EXPECT_EQ(comparison(value(t.float32), literal(3)), 1U);
  EXPECT_EQ(comparison(value(t.uint64), literal(3)), 1U);
  EXPECT_EQ(comparison(value(t.uint8), literal(3)), 2U); // widened to int64
  EXPECT_EQ(comparison(value(t.int32), value(t.float64)), 2U);
  EXPECT_EQ(comparison(value(t.int64), value(t.uint64)), 4U);
}

} // namespace
} // namespace naja::library::testing
