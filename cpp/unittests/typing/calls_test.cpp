// Calls between functions: specialisation, recursion, binding of arguments, closures, questions to Python.
#include "program.h"

#include <gtest/gtest.h>

namespace naja::typing {
namespace {

bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

const char *const kFib = R"(func @fib(n) {
bb0:
  %n.0 = g.arg #0
  %1 = const 2
  %2 = g.compare < %n.0, %1
  cond_br %2, bb1, bb2
bb1:
  return %n.0
bb2:
  %3 = const <function fib>
  %4 = const 1
  %5 = g.binary - %n.0, %4
  %6 = g.call %3, %5
  %7 = const 2
  %8 = g.binary - %n.0, %7
  %9 = g.call %3, %8
  %10 = g.binary + %6, %9
  return %10
}
)";

TEST(Calls, Recursion) {
  Program p(kFib);
  std::string text = p.run("int64");
  EXPECT_EQ(toString(p.return_type), "int64");
  EXPECT_TRUE(contains(text, "call @fib")) << text;
}

TEST(Calls, MutualRecursion) {
  Program p(R"(func @even(n) {
bb0:
  %n.0 = g.arg #0
  %1 = const 0
  %2 = g.compare == %n.0, %1
  cond_br %2, bb1, bb2
bb1:
  %3 = const True
  return %3
bb2:
  %4 = const <function odd>
  %5 = const 1
  %6 = g.binary - %n.0, %5
  %7 = g.call %4, %6
  return %7
}

func @odd(n) {
bb0:
  %n.0 = g.arg #0
  %1 = const 0
  %2 = g.compare == %n.0, %1
  cond_br %2, bb1, bb2
bb1:
  %3 = const False
  return %3
bb2:
  %4 = const <function even>
  %5 = const 1
  %6 = g.binary - %n.0, %5
  %7 = g.call %4, %6
  return %7
}
)");
  EXPECT_EQ(p.result("int64"), "bool");
  EXPECT_EQ(p.module->functions.size(), 3U); // the root by its handle-less name is another function than its callee
}

TEST(Calls, EndlessRecursion) {
  Program p(R"(func @f(n) {
bb0:
  %0 = g.arg #0
  %1 = const <function g>
  %2 = g.call %1, %0 !2:11
  return %2
}

func @g(n) {
bb0:
  %0 = g.arg #0
  %1 = const <function g>
  %2 = g.call %1, %0 !5:11
  return %2
}
)");
  EXPECT_EQ(p.result("int64"), "error: Cannot type infer runaway recursion of g");
}

TEST(Calls, EverNewTypes) {
  Program p(R"(func @f(n) {
bb0:
  %0 = g.arg #0
  %1 = const <function f>
  %2 = g.tuple %0, %0
  %3 = g.call %1, %2
  return %3
}
)");
  EXPECT_TRUE(contains(p.result("int64"), "Recursion of f with ever new argument types"));
}

TEST(Calls, FunctionThatAlwaysRaises) {
  Program p(R"(func @f(n) {
bb0:
  %0 = g.arg #0
  %1 = const <function fail>
  %2 = g.call %1
  return %2
}

func @fail() {
bb0:
  %0 = const <exception ValueError>
  g.raise %0
}
)");
  EXPECT_EQ(p.result("int64"), "none");
}

const char *const kCallee = R"(
func @g(a, b, c) {
bb0:
  %0 = g.arg #0
  %1 = g.arg #1
  %2 = g.arg #2
  %3 = g.tuple %0, %1, %2
  return %3
}
)";
std::string callOfG(const std::string &call) {
  return "func @f(x, y, t) {\nbb0:\n  %x = g.arg #0\n  %y = g.arg #1\n  %t = g.arg #2\n  %g = const <function g>\n  %r "
         "= " +
         call + " !2:4\n  return %r\n}\n" + kCallee;
}
std::string resultOfCall(const std::string &call, std::vector<ConstId> defaults = {}, unsigned keyword_only = 0,
                         bool star = false) {
  Program p(callOfG(call));
  p.functions()["g"].defaults = std::move(defaults);
  p.functions()["g"].keyword_only = keyword_only;
  p.functions()["g"].star = star;
  return p.result("int64, float32, Tuple(bool, int64)");
}

TEST(Calls, Binding) {
  ConstantStore &c = ConstantStore::global();
  EXPECT_EQ(resultOfCall("g.call %g, %x, %y, %x"), "Tuple(int64, float32, int64)");
  EXPECT_EQ(resultOfCall("g.call [\"c\", \"b\"] %g, %x, %y, %x"), "Tuple(int64, int64, float32)");
  EXPECT_EQ(resultOfCall("g.call %g, %x", {c.ofFloat(1.5), c.none()}), "Tuple(int64, float64, none)");
  EXPECT_EQ(resultOfCall("g.call %g, %x, %y, %y, %x", {}, 0, true), "Tuple(int64, float32, Tuple(float32, int64))");
  EXPECT_EQ(resultOfCall("g.call %g, %x, %y", {}, 0, true), "Tuple(int64, float32, Tuple())");
  EXPECT_EQ(resultOfCall("g.call [\"c\"] %g, %x, %y, %y", {}, 1), "Tuple(int64, float32, float32)");
  EXPECT_EQ(resultOfCall("g.call_star %g, %t", {c.ofInt(1)}), "Tuple(bool, int64, int64)");
  EXPECT_EQ(resultOfCall("g.call_star [\"c\"] %g, %t, %y"), "Tuple(bool, int64, float32)");
}

TEST(Calls, BindingErrors) {
  ConstantStore &c = ConstantStore::global();
  EXPECT_EQ(resultOfCall("g.call %g, %x"), "error: g() missing 2 required positional arguments: 'b' and 'c'");
  EXPECT_EQ(resultOfCall("g.call %g"), "error: g() missing 3 required positional arguments: 'a', 'b', and 'c'");
  EXPECT_EQ(resultOfCall("g.call %g, %x, %x, %x, %x"), "error: g() takes 3 positional arguments but 4 were given");
  EXPECT_EQ(resultOfCall("g.call %g, %x, %x, %x, %x", {c.none()}),
            "error: g() takes from 2 to 3 positional arguments but 4 were given");
  EXPECT_EQ(resultOfCall("g.call [\"z\"] %g, %x, %x"), "error: g() got an unexpected keyword argument 'z'");
  EXPECT_EQ(resultOfCall("g.call [\"a\"] %g, %x, %x"), "error: g() got multiple values for argument 'a'");
  EXPECT_EQ(resultOfCall("g.call %g, %x, %x", {}, 1), "error: g() missing 1 required keyword-only argument: 'c'");
  EXPECT_EQ(resultOfCall("g.call_star %g, %x"), "error: f(*args) needs a tuple, not int64");
  EXPECT_EQ(resultOfCall("g.call %x, %x"), "error: A value of type int64 is not callable");
}

TEST(Calls, OmittedDefaultIsALiteral) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  %1 = const <function g>
  %2 = g.call %1, %x.0
  return %2
}

func @g(x, k) {
bb0:
  %x.0 = g.arg #0
  %k.1 = g.arg #1
  %2 = g.binary * %x.0, %k.1
  return %2
}
)");
  p.functions()["g"].defaults = {ConstantStore::global().ofFloat(2.0)};
  std::string text = p.run("float32");
  EXPECT_EQ(toString(p.return_type), "float32"); // weak
  EXPECT_TRUE(contains(text, "omitted(default=2.0)")) << text;
}

TEST(Calls, ErrorsNameTheChain) {
  Program p(R"(func @f(x) {
bb0:
  %0 = g.arg #0
  %1 = const <function g>
  %2 = g.call %1, %0 !2:4
  return %2
}

func @g(x) {
bb0:
  %0 = g.arg #0
  %1 = const <function h>
  %2 = g.call %1, %0 !6:4
  return %2
}

func @h(x) {
bb0:
  %0 = g.arg #0
  %1 = const 1
  %2 = g.binary + %0, %1 !9:4
  return %2
}
)");
  EXPECT_EQ(p.result("unicode_type"), "error: No implementation of operator + for (unicode_type, int64)");
  ASSERT_EQ(p.error.notes.size(), 2U);
  EXPECT_EQ(p.error.where.function, "h");
  EXPECT_EQ(p.error.notes[0].message, "during: call of h(unicode_type)");
  EXPECT_EQ(p.error.notes[0].where.loc.line, 6);
  EXPECT_EQ(p.error.notes[1].message, "during: call of g(unicode_type)");
  EXPECT_EQ(p.error.notes[1].where.loc.line, 2);
}

TEST(Calls, FunctionsAsArguments) {
  Program p(R"(func @f(x) {
bb0:
  %0 = g.arg #0
  %1 = const <function apply>
  %2 = const <function half>
  %3 = g.call %1, %2, %0
  return %3
}

func @apply(g, x) {
bb0:
  %0 = g.arg #0
  %1 = g.arg #1
  %2 = g.call %0, %1
  return %2
}

func @half(x) {
bb0:
  %0 = g.arg #0
  %1 = const 2
  %2 = g.binary / %0, %1
  return %2
}
)");
  EXPECT_EQ(p.result("int64"), "float64");
}

const char *const kClosure = R"(func @f(n, x) {
bb0:
  %n.0 = g.arg #0
  %x.1 = g.arg #1
  %2 = const 2
  %3 = g.make_function #0 [2] %n.0, %2
  %4 = const <function apply>
  %5 = g.call %4, %3, %x.1
  %6 = g.call %3, %x.1
  %7 = g.tuple %5, %6
  return %7
}

func @inner(n, k, x) {
bb0:
  %n.0 = g.arg #0
  %k.1 = g.arg #1
  %x.2 = g.arg #2
  %3 = g.binary * %x.2, %k.1
  %4 = g.binary + %3, %n.0
  return %4
}

func @apply(g, x) {
bb0:
  %0 = g.arg #0
  %1 = g.arg #1
  %2 = g.call %0, %1
  return %2
}
)";

TEST(Calls, Closures) {
  Program p(kClosure);
  p.functions()["f"].inner = {"inner"};
  p.functions()["inner"].captured = 2;
  std::string text = p.run("int64, float64");
  EXPECT_EQ(toString(p.return_type), "UniTuple(float64 x 2)") << text;
  EXPECT_EQ(p.module->functions.size(), 3U) << text; // one specialisation of inner serves both calls
  EXPECT_TRUE(contains(text, "Literal[int](2)")) << text;
}

TEST(Calls, DefaultsOfClosures) {
  // def f(n): def inner(x, k=n, *, s=0.5): return x, k, s, captured n
  const char *const text = R"(func @f(n, x) {
bb0:
  %n.0 = g.arg #0
  %x.1 = g.arg #1
  %2 = const 0.5
  %3 = g.make_function #0 [1, 1, SYMBOL] %n.0, %x.1, %2
  %4 = const 1
  %5 = g.call %3, %4
  %6 = g.call ["s"] %3, %4, %4, %n.0
  %7 = g.tuple %5, %6
  return %7
}

func @inner(n, x, k, s) {
bb0:
  %0 = g.arg #0
  %1 = g.arg #1
  %2 = g.arg #2
  %3 = g.arg #3
  %4 = g.tuple %0, %1, %2, %3
  return %4
}
)";
  Program p(with(text, "SYMBOL", std::to_string(ir::internSymbol("s").value)));
  p.functions()["f"].inner = {"inner"};
  p.functions()["inner"].captured = 1;
  p.functions()["inner"].keyword_only = 1;
  EXPECT_EQ(p.result("bool, float32"), "Tuple(Tuple(bool, int64, float32, float64), Tuple(bool, int64, int64, bool))");
}

TEST(Calls, ListDisplaysAreSequencesOfFixedItems) {
  const char *const text = R"(func @f(n) {
bb0:
  %0 = g.arg #0
  %1 = const <FUNCTION>
  %2 = g.list %0, %0
  %3 = g.call %1, %2
  return %3
}

func @g(x) {
bb0:
  %0 = g.arg #0
  return %0
}
)";
  Program p(with(text, "FUNCTION", "builtin builtins.len"));
  EXPECT_EQ(p.result("int64"), "int64");
  Program q(with(text, "FUNCTION", "function g"));
  EXPECT_EQ(q.result("int64"), "iterator<list>(int64, int64)");
}

TEST(Calls, InlineAlwaysSeesConstants) {
  Program p(R"(func @f(x) {
bb0:
  %x.0 = g.arg #0
  %1 = const <function pick>
  %2 = const True
  %3 = g.call %1, %2, %x.0
  return %3
}

func @pick(c, x) {
bb0:
  %c.0 = g.arg #0
  %x.1 = g.arg #1
  cond_br %c.0, bb1, bb2
bb1:
  return %x.1
bb2:
  %2 = const 'no'
  return %2
}
)");
  EXPECT_TRUE(contains(p.result("int64"), "error: Can't unify return type"));
  p.functions()["pick"].options.inline_always = true;
  std::string text = p.run("int64");
  EXPECT_EQ(toString(p.return_type), "int64");
  EXPECT_TRUE(contains(text, "forceinline")) << text;
}

TEST(Calls, ModuleAttributesAreAskedOfPython) {
  Program p(R"(func @f(n) {
bb0:
  %0 = const <module builtins>
  %1 = g.getattr "range" %0
  %2 = g.arg #0
  %3 = g.call %1, %2
  %4 = const <module builtins>
  %5 = g.getattr "len" %4
  %6 = g.call %5, %3
  return %6
}
)");
  EXPECT_EQ(p.result("int64"), "int64");
  EXPECT_EQ(p.offline->rounds, 1); // all that can be asked at once is
}

TEST(Calls, UnknownAttributes) {
  Program p("func @f(n) {\nbb0:\n  %0 = const <module builtins>\n  %1 = g.getattr \"rnage\" %0\n  return %1\n}\n");
  EXPECT_EQ(p.result("int64"), "error: module 'builtins' has no attribute 'rnage'");
  EXPECT_TRUE(contains(p.error.hint, "range")) << p.error.hint;
  Program q("func @f(n) {\nbb0:\n  %0 = g.arg #0\n  %1 = g.getattr \"foo\" %0\n  return %1\n}\n");
  EXPECT_EQ(q.result("int64"), "error: Unknown attribute 'foo' of type int64");
}

TEST(Calls, ExplicitSignatures) {
  Program p(callOfG("g.call %g, %x, %y, %x"));
  TypeStore &t = types();
  p.functions()["g"].options.signatures = {{{t.float64, t.float64, t.float64}, t.float32},
                                           {{t.int64, t.int64, t.int64}, std::nullopt}};
  p.functions()["g"].options.can_compile = false;
  std::string text = p.run("int64, float32, int64");
  EXPECT_EQ(text, "error: No conversion from UniTuple(float64 x 3) to float32 for the result of g");
  p.functions()["g"].options.signatures[0].result.reset();
  EXPECT_EQ(p.result("int64, float32, int64"), "UniTuple(float64 x 3)");
  EXPECT_EQ(p.result("int64, unicode_type, int64"),
            "error: No matching definition for argument type(s) int64, unicode_type, int64 of g");
}

struct FibIsCompiled : CompiledFunctions {
  std::optional<Entry> find(const FunctionRef &function, std::span<const TypeId>) override {
    return function.name == "fib" ? std::optional(Entry{"fib$1", types().int64, false}) : std::nullopt;
  }
};

TEST(Calls, CompiledFunctionsAreDeclared) {
  Program p("func @f(n) {\nbb0:\n  %0 = g.arg #0\n  %1 = const <function fib>\n  %2 = g.call %1, %0\n  return %2\n}\n" +
            std::string(kFib));
  FibIsCompiled compiled;
  p.compiled = &compiled;
  std::string text = p.run("int64");
  EXPECT_TRUE(contains(text, "extern @fib$1(n: int64) -> int64 [typed, no_raise")) << text;
}

} // namespace
} // namespace naja::typing
