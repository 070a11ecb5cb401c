// Result types of scalar operators: the design's table of semantics.
#include "fake_emitter.h"

#include <gtest/gtest.h>

namespace naja::library::testing {
namespace {

using ir::BinaryOp;

std::string typeOf(BinaryOp op, const AbstractValue &a, const AbstractValue &b) {
  TypeId type = binaryResultType(op, a, b);
  return type.valid() ? toString(type) : "none";
}
std::string typeOf(BinaryOp op, TypeId a, TypeId b) { return typeOf(op, value(a), value(b)); }

TEST(ScalarTypes, Arithmetic) {
  TypeStore &t = types();
  EXPECT_EQ(typeOf(BinaryOp::Add, t.boolean, t.boolean), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.int8, t.int8), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.int32, t.int32), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.uint8, t.uint8), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.uint8, t.int64), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.int64, t.uint64), "float64");
  EXPECT_EQ(typeOf(BinaryOp::Add, t.float32, t.float32), "float32");
  EXPECT_EQ(typeOf(BinaryOp::Mul, t.float32, t.int64), "float64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, t.float32, t.float64), "float64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, t.complex64, t.float32), "complex64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, t.complex64, t.float64), "complex128");
}

TEST(ScalarTypes, WeakLiteralsAdapt) {
  TypeStore &t = types();
  EXPECT_EQ(typeOf(BinaryOp::Xor, value(t.uint64), literal(5)), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, value(t.uint64), literal(5)), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::Sub, value(t.uint64), literal(-5)), "float64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, value(t.float32), literal(0.5)), "float32");
  EXPECT_EQ(typeOf(BinaryOp::Mul, literal(2), value(t.float32)), "float32");
  EXPECT_EQ(typeOf(BinaryOp::Add, value(t.int32), literal(1)), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Sub, value(t.uint8), literal(1)), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, value(t.int64), literal(0.5)), "float64");
  AbstractValue imaginary = constant(ConstantStore::global().intern({std::complex<double>(0, 1), t.complex128, true}));
  EXPECT_EQ(typeOf(BinaryOp::Mul, imaginary, value(t.float32)), "complex64");
  EXPECT_EQ(typeOf(BinaryOp::Mul, imaginary, value(t.int64)), "complex128");
}

TEST(ScalarTypes, DivisionAndPower) {
  TypeStore &t = types();
  EXPECT_EQ(typeOf(BinaryOp::TrueDiv, t.int64, t.int64), "float64");
  EXPECT_EQ(typeOf(BinaryOp::TrueDiv, t.float32, t.float32), "float32");
  EXPECT_EQ(typeOf(BinaryOp::FloorDiv, t.uint8, t.uint8), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::Mod, t.complex128, t.int64), "none");
  EXPECT_EQ(typeOf(BinaryOp::Pow, value(t.int64), literal(2)), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Pow, value(t.int64), literal(-2)), "float64");
  EXPECT_EQ(typeOf(BinaryOp::Pow, t.float32, t.int64), "float32");
  EXPECT_EQ(typeOf(BinaryOp::Pow, t.int64, t.float64), "float64");
}

TEST(ScalarTypes, Bits) {
  TypeStore &t = types();
  EXPECT_EQ(typeOf(BinaryOp::And, t.boolean, t.boolean), "bool");
  EXPECT_EQ(typeOf(BinaryOp::And, t.uint8, t.uint32), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::And, t.int64, t.uint64), "int64");
  EXPECT_EQ(typeOf(BinaryOp::Or, t.float64, t.int64), "none");
  EXPECT_EQ(typeOf(BinaryOp::LShift, t.uint8, t.int64), "uint64");
  EXPECT_EQ(typeOf(BinaryOp::RShift, t.int32, t.uint64), "int64");
  EXPECT_EQ(toString(unaryResultType(ir::UnaryOp::Invert, t.boolean)), "bool");
  EXPECT_EQ(toString(unaryResultType(ir::UnaryOp::Neg, t.boolean)), "int64");
  EXPECT_EQ(toString(unaryResultType(ir::UnaryOp::Neg, t.uint8)), "uint64");
}

// ---- folding

std::string folded(BinaryOp op, const AbstractValue &a, const AbstractValue &b) {
  AbstractValue operands[] = {a, b};
  Resolution r = Table::global().resolveBinary(op, false, {operands, {}, nullptr});
  return r.result.constant.valid() ? toString(r.result.constant) : "not folded";
}

TEST(Folding, PythonsIntegers) {
  EXPECT_EQ(folded(BinaryOp::FloorDiv, literal(-7), literal(2)), "-4");
  EXPECT_EQ(folded(BinaryOp::Mod, literal(-7), literal(2)), "1");
  EXPECT_EQ(folded(BinaryOp::Mod, literal(7), literal(-2)), "-1");
  EXPECT_EQ(folded(BinaryOp::Pow, literal(2), literal(62)), "4611686018427387904");
  EXPECT_EQ(folded(BinaryOp::Pow, literal(2), literal(63)), "9223372036854775808");
  EXPECT_EQ(folded(BinaryOp::Pow, literal(2), literal(64)), "not folded");
  EXPECT_EQ(folded(BinaryOp::Pow, literal(2), literal(-1)), "0.5");
  EXPECT_EQ(folded(BinaryOp::LShift, literal(1), literal(40)), "1099511627776");
  EXPECT_EQ(folded(BinaryOp::LShift, literal(1), literal(100)), "not folded");
  EXPECT_EQ(folded(BinaryOp::RShift, literal(-1), literal(100)), "-1");
  EXPECT_EQ(folded(BinaryOp::TrueDiv, literal(1), literal(4)), "0.25");
  EXPECT_EQ(folded(BinaryOp::FloorDiv, literal(1), literal(0)), "not folded");
  EXPECT_EQ(folded(BinaryOp::Add, literal(true), literal(true)), "2");
  EXPECT_EQ(folded(BinaryOp::Xor, literal(true), literal(true)), "False");
  EXPECT_EQ(folded(BinaryOp::Mod, literal(-1.0), literal(3)), "2.0");
  EXPECT_EQ(folded(BinaryOp::FloorDiv, literal(-1.0), literal(3)), "-1.0");
  EXPECT_EQ(folded(BinaryOp::Add, literal("a"), literal("b")), "'ab'");
}

TEST(Folding, StrongConstantsAreNotFolded) {
  AbstractValue strong = constant(ConstantStore::global().intern({int64_t(3), types().int32, false}));
  EXPECT_EQ(folded(BinaryOp::Add, strong, literal(1)), "not folded");
}

std::string compared(ir::Predicate p, const AbstractValue &a, const AbstractValue &b) {
  AbstractValue operands[] = {a, b};
  Resolution r = Table::global().resolveCompare(p, {operands, {}, nullptr});
  return r.result.constant.valid() ? toString(r.result.constant) : "not folded";
}

TEST(Folding, Comparisons) {
  EXPECT_EQ(compared(ir::Predicate::Lt, literal(1), literal(1.5)), "True");
  EXPECT_EQ(compared(ir::Predicate::Eq, literal(int64_t(9007199254740993)), literal(9007199254740992.0)), "False");
  EXPECT_EQ(compared(ir::Predicate::Gt, literal(int64_t(9007199254740993)), literal(9007199254740992.0)), "True");
  EXPECT_EQ(compared(ir::Predicate::Eq, literal("a"), literal("a")), "True");
  EXPECT_EQ(compared(ir::Predicate::Eq, value(types().int64), constant(ConstantStore::global().none())), "False");
  EXPECT_EQ(
      compared(ir::Predicate::Eq, value(types().optional(types().int64)), constant(ConstantStore::global().none())),
      "not folded");
}

} // namespace
} // namespace naja::library::testing
