// print(parse(x)) == x for every kind of instruction, attribute, constant and header.
#include "naja/ir/function.h"

#include <gtest/gtest.h>

namespace naja::ir {
namespace {

std::string roundTrip(std::string_view text) {
  auto parsed = parseModule(text);
  if (auto *error = std::get_if<ParseError>(&parsed))
    return "line " + std::to_string(error->line) + ": " + error->message;
  return print(*std::get<0>(parsed));
}

void expectStable(const std::string &text) { EXPECT_EQ(roundTrip(text), text); }

TEST(Text, Function) {
  expectStable(R"(func @f.1(x: int64, a: array(float64, 1d, C)) -> float64 [typed, no_raise, boundscheck, fastmath=127, file="a b.py":12] {
bb0(%x.0: int64, %a.1: array(float64, 1d, C)):
  %2 = const 0 : int64
  %3 = const 0.5 : float64
  br bb1(%2, %3)
bb1(%4: int64, %s.5: float64): loop
  %6 = icmp < %4, %x.0 : bool
  cond_br %6, bb2, bb3
bb2:
  %7 = array.load %a.1, %4 : float64 !3:8-3:12
  %8 = fadd %s.5, %7 : float64
  %9 = const 1 : int64
  %10 = iadd nsw nuw %4, %9 : int64
  br bb1(%10, %8)
bb3:
  return %s.5
}
)");
}

TEST(Text, UnwindsCallsAndExterns) {
  expectStable(R"(func @"f <g>"(a: array(float64, 1d, C)) -> none [typed] {
bb0(%0: array(float64, 1d, C)):
  %1 = const 3 : int64
  %2 = array.alloc #1 %1 : array(float64, 1d, C) unwind bb1
  %3 = call @g %2 : none unwind bb2 !4:0
  %4 = call.runtime "naja_rt_f" %1 : int64 no_raise
  %5 = array.map @k %0, %2 : array(float64, 1d, C) unwind bb2
  %6 = array.view [1, 0] %0, %1, %1, %1, %1 : array(float64, 1d, C)
  %7 = const 0.0 : float64
  %8 = array.reduce @k [0] %0, %5, %7 : float64 unwind bb2
  decref %2
  return %3
bb1:
  resume
bb2:
  decref %2
  resume
}

extern @g(a: array(float64, 1d, C)) -> none [typed]

root func @k(_: float64, _: float64) -> float64 [typed, kernel] {
bb0(%0: float64, %1: float64):
  %2 = math hypot %0, %1 : float64
  return %2
}
)");
}

TEST(Text, Generic) {
  expectStable(R"(func @f(x, y) {
bb0:
  %x.0 = g.arg #0
  %y.1 = g.arg #1
  %2 = g.binary // %x.0, %y.1
  %3 = g.inplace @ %2, %y.1
  %4 = g.unary not %3
  %5 = g.compare >= %4, %x.0
  %6 = g.getattr "shape" %x.0
  %7 = g.call ["key", "b\"c"] %6, %x.0, %5
  %8 = g.make_function #0 [1] %7
  %9 = const <module numpy>
  %10 = const <builtin numpy.sqrt>
  g.raise %8
}
)");
}

TEST(Text, Constants) {
  for (const char *constant :
       {"None", "True", "False", "0", "-5", "18446744073709551615", "123456789012345678901234567890", "0.5", "-0.0", "1e+20",
        "inf", "-inf", "nan", "(1.0+2.0j)", "(0.0-1.5j)", "'it\\'s \\n \\x01 \xc3\xa9'", "b'ab'", "(1, 2)", "(1,)", "()",
        "((1, 2.0), 'x')", "...", "3!int32", "1.5!float32", "3!weak int8", "<class float64>", "<dtype int8>",
        "<function f.<locals>.g>", "<exception ValueError>", "slice(None, 3, None)", "<array array(int8, 2d, F)>"})
    expectStable(std::string("func @f() {\nbb0:\n  %0 = const ") + constant + "\n  return %0\n}\n");
}

TEST(Text, NumbersCanonically) {
  EXPECT_EQ(roundTrip("; RUN\nfunc @f() {\nbb7:\n  %i.90 = const 1\n  br bb3\n\nbb3:\n  return %i.90\n}"),
            "func @f() {\nbb0:\n  %i.0 = const 1\n  br bb1\nbb1:\n  return %i.0\n}\n");
}

TEST(Text, Errors) {
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  %0 = nonsense\n}"), "line 3: no instruction nonsense");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  br bb1\n}"), "line 3: no block bb1");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  return %1\n}"), "line 3: no value %1");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  %0 = const 1 : nonsense\n}"), "line 3: malformed type");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  %0 = call @g : none\n  return %0\n}"), "line 3: no function @g");
  EXPECT_EQ(roundTrip("nonsense"), "line 1: expected func or extern");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  resume\n"), "line 3: expected }");
  EXPECT_EQ(roundTrip("func @f() {\nbb0:\n  return 3\n}"), "line 3: unexpected: 3");
}

} // namespace
} // namespace naja::ir
