// One negative test per rule of the verifier.
#include "naja/ir/function.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace naja::ir {
namespace {

std::string complaints(std::string_view text) {
  auto parsed = parseModule(text);
  if (auto *error = std::get_if<ParseError>(&parsed))
    return "line " + std::to_string(error->line) + ": " + error->message;
  std::string all;
  for (const std::string &error : verify(*std::get<0>(parsed)))
    all += error + "\n";
  return all;
}

/// Complaints about a typed function of (int64, float64, bool, array) that returns none.
std::string body(const std::string &lines, const std::string &rest = "") {
  return complaints("func @f(a: int64, x: float64, c: bool, v: array(float64, 1d, C)) -> none [typed] {\n"
                    "bb0(%a: int64, %x: float64, %c: bool, %v: array(float64, 1d, C)):\n  %n = const None : none\n" +
                    lines + "\n" + rest + "}\n");
}

void expectComplaint(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "wanted: " << part;
}

TEST(Verify, Sound) { EXPECT_EQ(body("  return %n"), ""); }

TEST(Verify, Skeleton) {
  expectComplaint(body("  %1 = iadd %a, %a : int64"), "does not end in a terminator");
  expectComplaint(body("  return %n\n  return %n"), "a terminator in the middle");
  expectComplaint(body("  return %n", "bb1:\n"), "bb1: has no terminator");
  expectComplaint(body("  %1 = iadd %a : int64\n  return %n"), "needs 2 operands, has 1");
  expectComplaint(body("  br bb1, bb1", "bb1:\n  return %n\n"), "needs 1 edges, has 2");
  expectComplaint(body("  br bb1", "bb1(%p: int64):\n  return %n\n"), "0 arguments to a block of 1 parameters");
  expectComplaint(body("  br bb1(%x)", "bb1(%p: int64):\n  return %n\n"), "is float64, the parameter int64");
  expectComplaint(body("  br bb0(%a, %x, %c, %v)"), "an edge to the entry block");
  expectComplaint(body("  %1 = g.binary + %a, %a : int64\n  return %n"), "untyped instruction in typed NIR");
}

TEST(Verify, Unwinds) {
  expectComplaint(body("  %1 = iadd %a, %a : int64 unwind bb1\n  return %n", "bb1:\n  resume\n"), "cannot raise");
  expectComplaint(body("  check_nonzero \"x\" %a unwind bb1\n  br bb1(%a)", "bb1(%p: int64):\n  resume\n"),
                  "unwinds to a block with parameters");
  expectComplaint(body("  check_nonzero \"x\" %a unwind bb1\n  return %n", "bb1:\n  return %n\n"),
                  "does not end in resume, raise or br");
}

TEST(Verify, Dominance) {
  expectComplaint(body("  %1 = iadd %2, %a : int64\n  %2 = iadd %a, %a : int64\n  return %n"),
                  "%5 = iadd: %6 does not dominate this use");
  expectComplaint(body("  cond_br %c, bb1, bb2",
                       "bb1:\n  %1 = ineg %a : int64\n  br bb2\nbb2:\n  %2 = ineg %1 : int64\n  return %n\n"),
                  "does not dominate this use");
  // Defined after the first instruction that unwinds there.
  expectComplaint(body("  check_nonzero \"x\" %a unwind bb1\n  %1 = array.alloc #0 %a : array(float64, 1d, C) unwind bb1\n"
                       "  return %n",
                       "bb1:\n  decref %1\n  resume\n"),
                  "does not dominate this use");
  EXPECT_EQ(body("  %1 = array.alloc #0 %a : array(float64, 1d, C)\n  check_nonzero \"x\" %a unwind bb1\n  return %n",
                 "bb1:\n  decref %1\n  resume\n"),
            "");
  // One level down the tree: the limit is that of the child on the way.
  EXPECT_EQ(body("  %1 = array.alloc #0 %a : array(float64, 1d, C)\n  check_nonzero \"x\" %a unwind bb1\n  return %n",
                 "bb1:\n  br bb2\nbb2:\n  decref %1\n  resume\n"),
            "");
}

TEST(Verify, Types) {
  const std::pair<const char *, const char *> cases[] = {
      {"%1 = iadd %a, %x : int64", "operands must have the result's type"},
      {"%1 = iadd %x, %x : float64", "result must be an integer"},
      {"%1 = iadd %a, %a", "a result without a type"},
      {"%1 = fadd %a, %a : float64", "operands must have the result's type"},
      {"%1 = fadd %a, %a : int64", "result must be a float"},
      {"%1 = cadd %a, %a : int64", "result must be complex"},
      {"%1 = iand %c, %a : bool", "operands must have the result's type"},
      {"%1 = icmp < %a, %a : int64", "result must be bool"},
      {"%1 = icmp < %x, %x : bool", "one integer, bool or pointer type"},
      {"%1 = fcmp < %a, %a : bool", "one float type"},
      {"%1 = cmake %a, %x : complex128", "the result's components"},
      {"%1 = creal %x : float64", "operand must be complex"},
      {"%1 = math sqrt %x, %x : float64", "needs 1 operands"},
      {"%1 = math sqrt %a : float64", "does not suit"},
      {"%1 = math isnan %x : float64", "result must be bool"},
      {"%1 = math powi %x, %x : float64", "second operand must be int64"},
      {"%1 = bitcast %x : int32", "of one size"},
      {"%1 = select %a, %a, %a : int64", "condition must be bool"},
      {"%1 = select %c, %a, %x : int64", "both values"},
      {"check_nonzero \"x\" %v", "must be a scalar"},
      {"check_true <exception ValueError> %a", "operand 0 must be bool"},
      {"%1 = check_bound \"y\" %a : int64", "must be MaybeUnbound"},
      {"%1 = tuple.make %a, %x : UniTuple(int64 x 2)", "operand 1 must have the item's type"},
      {"%1 = tuple.make %a : UniTuple(int64 x 2)", "as many items as operands"},
      {"%1 = tuple.get #0 %a : int64", "a tuple that has the item"},
      {"%1 = tuple.get_dynamic %a, %a : int64", "must be a tuple and an int64"},
      {"%1 = optional.has %a : bool", "must be an optional"},
      {"%1 = optional.value %a : int64", "must be an optional"},
      {"%1 = slice.indices #7 %a, %a, %a, %a : int64", "UniTuple(int64 x 3)"},
      {"%1 = slice.make #7 %a, %a, %x : slice<a:b>", "operand 2 must be int64"},
      {"%1 = slice.part #0 %a : int64", "must be a slice"},
      {"%1 = string.len %a : int64", "must be strings"},
      {"%1 = box %a : int64", "must be pyobject"},
      {"%1 = array.alloc #0 %a, %a : array(float64, 1d, C)", "an extent per axis"},
      {"%1 = array.dim #1 %v : int64", "axis out of range"},
      {"%1 = array.dim #0 %a : int64", "must be an array"},
      {"%1 = array.data %v : int64", "must be a pointer"},
      {"%1 = array.load %v : float64", "one index per axis"},
      {"%1 = array.load %v, %x : float64", "operand 1 must be int64"},
      {"%1 = array.load %v, %a : int64", "the element's type"},
      {"array.store %v, %a, %a", "the element's type"},
      {"%1 = array.view [1] %v, %a : array(float64, 1d, A)", "do not match"},
      {"%1 = array.restride %v, %a : array(float64, 1d, A)", "offset, extents"},
      {"%1 = index.wrap %a, %x : int64", "operand 1 must be int64"},
      {"%1 = array.map @f %v : array(float64, 1d, C)", "not a kernel"},
      {"%1 = array.map @k %v, %v : array(float64, 1d, C)", "takes 1 operands"},
      {"%1 = array.map @k %a : array(float64, 1d, C)", "the kernel's parameter type"},
      {"%1 = array.map @k %v : array(int64, 1d, C)", "the result's element type"},
      {"array.map_into @k %a, %v", "operand 0 must be an array"},
      {"%1 = array.reduce @k [0] %v, %a : float64", "initial value"},
      {"%1 = array.broadcast_dim %x : int64", "must be int64"},
      {"%1 = ptr.load %a : int64", "must be a pointer"},
      {"%1 = ptr.from_int %x : void*", "must be an integer"},
      {"%1 = array.from_ptr %a, %a : array(float64, 1d, C)", "must be a pointer"},
      {"%1 = record.load #0 %a : int64", "must be a record"},
      {"%1 = call @k %a : float64", "callee's parameter type"},
      {"%1 = call @k : float64", "takes 1 arguments"},
      {"%1 = call @k %x : int64", "callee's return type"},
  };
  for (const auto &[line, part] : cases) {
    std::string text = "func @f(a: int64, x: float64, c: bool, v: array(float64, 1d, C)) -> none [typed] {\n"
                       "bb0(%a: int64, %x: float64, %c: bool, %v: array(float64, 1d, C)):\n  %n = const None : none\n  " +
                       std::string(line) + "\n  return %n\n}\nfunc @k(x: float64) -> float64 [typed, kernel] {\n"
                       "bb0(%0: float64):\n  return %0\n}\n";
    expectComplaint(complaints(text), part);
  }
  expectComplaint(body("  cond_br %a, bb1, bb1", "bb1:\n  return %n\n"), "condition must be bool");
  expectComplaint(body("  return %a"), "the function's return type");
}

TEST(Verify, Entry) {
  expectComplaint(complaints("func @f(a: int64) -> int64 [typed] {\nbb0:\n  unreachable\n}\n"), "one parameter per parameter");
  expectComplaint(complaints("func @f(a: int64) -> int64 [typed] {\nbb0(%0: int8):\n  unreachable\n}\n"),
                  "the function's parameter type");
}

TEST(Verify, ReportsAll) {
  std::string text = body("  %1 = iadd %a : int64\n  %2 = ineg : int64\n  return %n");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

} // namespace
} // namespace naja::ir
