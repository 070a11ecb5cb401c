// Types of scalars, loops, branches, variables that may be unassigned: what the solver finds.
#include "program.h"

#include <gtest/gtest.h>

namespace naja::typing {
namespace {

bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Inference, StraightLine) {
  Program p(R"(func @f(a, b) {
bb0:
  %a.0 = g.arg #0
  %b.1 = g.arg #1
  %2 = g.binary + %a.0, %b.1
  return %2
}
)");
  EXPECT_EQ(p.result("int64, int64"), "int64");
  EXPECT_EQ(p.result("int64, float64"), "float64");
  EXPECT_EQ(p.result("float32, float32"), "float32");
  EXPECT_EQ(p.result("OptionalType(int64), int64"), "int64");
  EXPECT_EQ(p.result("int64, none"), "error: No implementation of operator + for (int64, none)");
}

const char *const kSum = R"(func @f(n) {
bb0:
  %n.0 = g.arg #0
  %1 = const <builtin builtins.range>
  %s.2 = const 0
  %3 = g.call %1, %n.0
  %4 = g.iter %3
  %5 = g.iter_state %4
  br bb1(%5, %s.2)
bb1(%6, %s.7):
  %8 = g.iter_valid %4, %6
  cond_br %8, bb2, bb3
bb2:
  %i.9 = g.iter_value %4, %6
  %10 = g.iter_next %4, %6
  %11 = const 0.5
  %12 = g.binary * %i.9, %11
  %s.13 = g.inplace + %s.7, %12
  br bb1(%10, %s.13)
bb3:
  return %s.7
}
)";

TEST(Inference, LoopVariableRises) {
  Program p(kSum);
  std::string text = p.run("int64");
  EXPECT_EQ(toString(p.return_type), "float64");
  EXPECT_TRUE(contains(text, "const 0.0 : float64")) << text; // the literal that enters the loop, exactly converted
}

TEST(Inference, LoopVariableIsNeitherConstantNorWeak) {
  // s = 0; while s < n: s += 1; with a float32 operand a weak 0 would stay float32.
  Program p(R"(func @f(x, n) {
bb0:
  %x.0 = g.arg #0
  %n.1 = g.arg #1
  %s.2 = const 0.0
  br bb1(%s.2)
bb1(%s.3):
  %4 = g.compare < %s.3, %n.1
  cond_br %4, bb2, bb3
bb2:
  %s.5 = g.inplace + %s.3, %x.0
  br bb1(%s.5)
bb3:
  return %s.3
}
)");
  EXPECT_EQ(p.result("float32, int64"), "float64");
}

TEST(Inference, WeakLiteralTakesTheOtherType) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  %1 = const 0.5
  %2 = g.binary * %x.0, %1
  return %2
}
)");
  EXPECT_EQ(p.result("float32"), "float32");
  EXPECT_EQ(p.result("int64"), "float64");
}

const char *const kIsNone = R"(func @f(x, y) {
bb0:
  %x.0 = g.arg #0
  %y.1 = g.arg #1
  %2 = const None
  %3 = g.is %x.0, %2
  cond_br %3, bb1, bb2
bb1:
  br bb3(%y.1)
bb2:
  br bb3(%x.0)
bb3(%r.4):
  return %r.4
}
)";

TEST(Inference, DeadBranchesArePruned) {
  Program p(kIsNone);
  EXPECT_EQ(p.result("none, array(float64, 1d, C)"), "array(float64, 1d, C)");
  EXPECT_EQ(p.result("int64, array(float64, 1d, C)"), "int64");
  EXPECT_EQ(p.result("int64, unicode_type"), "int64");
  EXPECT_EQ(p.result("OptionalType(int64), float64"), "OptionalType(float64)");
  EXPECT_EQ(p.result("OptionalType(int64), unicode_type"),
            "error: Cannot unify unicode_type and OptionalType(int64) for 'r'");
}

TEST(Inference, JoinConflictNamesBothDefinitions) {
  Program p(R"(func @f(c) {
bb0:
  %c.0 = g.arg #0
  %1 = g.truth %c.0
  cond_br %1, bb1, bb2
bb1:
  %x.2 = const 1 !3:8
  br bb3(%x.2)
bb2:
  %x.3 = const 'a' !5:8
  br bb3(%x.3)
bb3(%x.4):
  %5 = g.binary + %x.4, %x.4 !6:4
  return %5
}
)");
  EXPECT_EQ(p.result("bool"), "error: Cannot unify int64 and unicode_type for 'x'");
  ASSERT_EQ(p.error.notes.size(), 2U);
  EXPECT_EQ(p.error.notes[0].message, "'x' is int64 here");
  EXPECT_EQ(p.error.notes[0].where.loc.line, 3);
  EXPECT_EQ(p.error.notes[1].where.loc.line, 5);
}

TEST(Inference, ConflictsOfDeadVariablesDoNotMatter) {
  Program p(R"(func @f(c) {
bb0:
  %c.0 = g.arg #0
  %1 = g.truth %c.0
  %2 = const 1
  %3 = const 'a'
  cond_br %1, bb1, bb2
bb1:
  br bb3(%2)
bb2:
  br bb3(%3)
bb3(%x.4):
  br bb4(%x.4)
bb4(%x.5):
  %6 = const False
  cond_br %6, bb5, bb6
bb5:
  return %x.5
bb6:
  return %c.0
}
)");
  EXPECT_EQ(p.result("bool"), "bool");
}

TEST(Inference, ConstantsSurviveEqualJoins) {
  Program p(R"(func @f(c) {
bb0:
  %c.0 = g.arg #0
  %1 = g.truth %c.0
  cond_br %1, bb1, bb2
bb1:
  %2 = const 3
  br bb3(%2)
bb2:
  %3 = const 3
  br bb3(%3)
bb3(%x.4):
  %5 = const 3
  %6 = g.compare == %x.4, %5
  cond_br %6, bb4, bb5
bb4:
  return %x.4
bb5:
  %7 = const 'never'
  return %7
}
)");
  EXPECT_EQ(p.result("bool"), "int64");
}

const char *const kUnbound = R"(func @f(c) {
bb0:
  %c.0 = g.arg #0
  %1 = g.truth %c.0
  %2 = g.unbound
  cond_br %1, bb1, bb2
bb1:
  %x.3 = const 1.5
  br bb3(%x.3)
bb2:
  br bb3(%2)
bb3(%x.4):
  %x.5 = g.check_bound "x" %x.4
  return %x.5
}
)";

TEST(Inference, MaybeUnbound) {
  Program p(kUnbound);
  std::string text = p.run("bool");
  EXPECT_EQ(toString(p.return_type), "float64");
  EXPECT_TRUE(contains(text, "check_bound \"x\"")) << text;
  EXPECT_TRUE(contains(text, "MaybeUnbound(float64)")) << text;
}

TEST(Inference, AlwaysUnboundRaises) {
  Program p(R"(func @f() {
bb0:
  %0 = g.unbound
  %x.1 = g.check_bound "x" %0
  %2 = const 1
  %3 = g.binary + %x.1, %2
  return %3
}
)");
  std::string text = p.run("");
  EXPECT_EQ(toString(p.return_type), "none");
  EXPECT_TRUE(contains(text, "raise <exception UnboundLocalError>")) << text;
  EXPECT_FALSE(contains(text, "iadd")) << text;
}

TEST(Inference, ErrorsOfPassingTypesAreNotReported) {
  // The first visit of the loop sees x as none; `x + 1` fails then, but the loop gives x a float.
  Program p(R"(func @f(n) {
bb0:
  %n.0 = g.arg #0
  %x.1 = const None
  br bb1(%x.1)
bb1(%x.2):
  %3 = const 0.5
  %4 = const None
  %5 = g.is %x.2, %4
  cond_br %5, bb2, bb3
bb2:
  br bb4(%3)
bb3:
  %6 = g.binary + %x.2, %3
  br bb4(%6)
bb4(%x.7):
  %8 = g.compare < %x.7, %n.0
  cond_br %8, bb1(%x.7), bb5
bb5:
  return %x.7
}
)");
  EXPECT_EQ(p.result("int64"), "float64");
}

TEST(Inference, ReturnsUnify) {
  Program p(R"(func @f(c, x) {
bb0:
  %c.0 = g.arg #0
  %x.1 = g.arg #1
  cond_br %c.0, bb1, bb2
bb1:
  %2 = const 1 !2:4
  return %2 !2:4
bb2:
  return %x.1 !3:4
}
)");
  EXPECT_EQ(p.result("bool, float64"), "float64");
  EXPECT_EQ(p.result("bool, none"), "OptionalType(int64)");
  EXPECT_EQ(p.result("bool, unicode_type"),
            "error: Can't unify return type from the following types: int64, unicode_type");
  EXPECT_EQ(p.error.notes.size(), 2U);
  EXPECT_EQ(p.result("float64, float64"), "float64"); // a condition that is no bool
}

TEST(Inference, DeclaredResultConverts) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  return %x.0
}
)");
  p.declared = types().int32;
  EXPECT_TRUE(contains(p.run("int64"), "cast %x.0 : int32"));
  EXPECT_EQ(p.result("unicode_type"), "error: No conversion from unicode_type to int32 for the result of f");
}

TEST(Inference, ForcedLocals) {
  Program p(R"(func @f(a) {
bb0:
  %a.0 = g.arg #0
  %x.1 = const 1
  %y.2 = g.binary + %x.1, %a.0
  return %y.2
}
)");
  p.functions()["f"].options.locals = {{"x", types().float32}, {"y", types().int16}};
  std::string text = p.run("int64");
  EXPECT_EQ(toString(p.return_type), "int16");
  EXPECT_TRUE(contains(text, "const 1.0 : float")) << text;
  p.functions()["f"].options.locals = {{"x", types().unicode}};
  EXPECT_EQ(p.result("int64"), "error: Cannot convert int64 to unicode_type, which `locals` demands of 'x'");
}

TEST(Inference, UndefinedNameSuggests) {
  Program p(R"(func @f(value) {
bb0:
  %0 = g.undefined_name "valeu" !2:11
  return %0
}
)");
  EXPECT_EQ(p.result("int64"), "error: name 'valeu' is not defined");
  EXPECT_EQ(p.error.hint, "did you mean 'value'?");
  EXPECT_EQ(p.error.where.loc.line, 2);
}

TEST(Inference, Slices) {
  Program p(R"(func @f(a, n) {
bb0:
  %a.0 = g.arg #0
  %n.1 = g.arg #1
  %2 = const None
  %3 = g.slice %2, %n.1
  return %3
}
)");
  EXPECT_TRUE(contains(p.run("int64, int64"), "slice.make #2"));
  EXPECT_TRUE(contains(p.run("int64, OptionalType(int64)"), "select"));
  EXPECT_EQ(p.result("int64, float64"), "error: slice indices must be integers or None, not float64");
}

TEST(Inference, RaisesAndAssertions) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  %1 = g.truth %x.0
  cond_br %1, bb1, bb2
bb1:
  return %x.0
bb2:
  %2 = const <exception ValueError>
  %3 = const 'bad'
  %4 = g.call %2, %3, %x.0
  g.raise %4
}
)");
  std::string text = p.run("int64");
  EXPECT_TRUE(contains(text, "raise <exception ValueError> %")) << text;
}

TEST(Inference, RaisingAValueIsAnError) {
  Program p("func @f(x) {\nbb0:\n  %0 = g.arg #0\n  g.raise %0\n}\n");
  EXPECT_EQ(p.result("int64"), "error: exceptions must derive from BaseException, not int64");
}

TEST(Inference, TuplesAndStars) {
  Program p(R"(func @f(a, b) {
bb0:
  %a.0 = g.arg #0
  %b.1 = g.arg #1
  %2 = g.tuple %a.0, %b.1
  g.unpack_check #2 %2
  %x.3 = g.unpack_item #0 %2
  %y.4 = g.unpack_item #1 %2
  %5 = g.tuple %y.4, %x.3
  return %5
}
)");
  EXPECT_EQ(p.result("int64, float64"), "Tuple(float64, int64)");
}

TEST(Inference, HandlersAreReachedByWhatUnwindsToThem) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  %1 = const 7
  %2 = g.binary // %1, %x.0 unwind bb1
  return %2
bb1:
  br bb2
bb2:
  %3 = const -0.5
  return %3
}
)");
  std::string text = p.run("int64");
  EXPECT_EQ(toString(p.return_type), "float64") << text;
  EXPECT_TRUE(contains(text, "unwind bb")) << text;
}

TEST(Inference, TypeTestsInLoopsSeeTheRisenType) {
  // x is int64 when the loop is first seen, float64 from then on; a branch on its type may stay, but must type.
  Program p(R"(func @f(n) {
bb0:
  %n.0 = g.arg #0
  %x.1 = const 0
  br bb1(%x.1)
bb1(%x.2):
  %3 = const <builtin builtins.isinstance>
  %4 = const <builtin builtins.float>
  %5 = g.call %3, %x.2, %4
  cond_br %5, bb2, bb3
bb2:
  %6 = const 0.5
  %x.7 = g.binary + %x.2, %6
  br bb4(%x.7)
bb3:
  %8 = const 1.5
  br bb4(%8)
bb4(%x.9):
  %10 = g.compare < %x.9, %n.0
  cond_br %10, bb1(%x.9), bb5
bb5:
  return %x.9
}
)");
  EXPECT_EQ(p.result("int64"), "float64");
}

} // namespace
} // namespace naja::typing
