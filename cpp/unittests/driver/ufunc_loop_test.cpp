#include "naja/driver/ufunc_loop.h"

#include <gtest/gtest.h>

namespace naja::driver {
namespace {

std::unique_ptr<ir::Module> parse(std::string_view text) {
  auto parsed = ir::parseModule(text);
  if (const auto *error = std::get_if<ir::ParseError>(&parsed)) {
    ADD_FAILURE() << error->line << ": " << error->message;
    return nullptr;
  }
  return std::get<std::unique_ptr<ir::Module>>(std::move(parsed));
}

size_t count(const std::string &text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

constexpr std::string_view kAdd = R"(
func @add(a: float64, b: float64) -> float64 [typed] {
bb0(%0: float64, %1: float64):
  %2 = fadd %0, %1 : float64
  return %2
}
)";

std::string wrapped(ir::Module &module, const UfuncLoop &loop) {
  wrapUfuncLoop(module, loop);
  for (const std::string &complaint : ir::verify(module)) ADD_FAILURE() << complaint;
  return ir::print(module.get(module.root), &module);
}

TEST(UfuncLoop, SmallKernelsHaveAPathForEachShapeOfOperands) {
  auto module = parse(kAdd);
  ASSERT_TRUE(module);
  std::string text = wrapped(*module, {2, false, {}});
  EXPECT_EQ(count(text, "call @add"), 6U); // contiguous, two with a fixed operand, two reductions, strided
  EXPECT_TRUE(module->get(ir::FunctionId(0)).flags.forceinline);
  EXPECT_EQ(module->get(module->root).param_types.size(), 3U);
}

TEST(UfuncLoop, KernelsOfOneOperandAreNotReduced) {
  auto module = parse(R"(
func @negate(a: float64) -> float64 [typed] {
bb0(%0: float64):
  %1 = fneg %0 : float64
  return %1
}
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(count(wrapped(*module, {1, false, {}}), "call @negate"), 2U);
}

TEST(UfuncLoop, KernelsWithLoopsAreThereOnce) {
  auto module = parse(R"(
func @count(n: int64) -> int64 [typed] {
bb0(%0: int64):
  %1 = const 0 : int64
  br bb1(%1)
bb1(%2: int64): loop
  %3 = icmp < %2, %0 : bool
  cond_br %3, bb2, bb3
bb2:
  %4 = const 1 : int64
  %5 = iadd %2, %4 : int64
  br bb1(%5)
bb3:
  return %2
}
)");
  ASSERT_TRUE(module);
  EXPECT_EQ(count(wrapped(*module, {1, false, {}}), "call @count"), 1U);
}

TEST(UfuncLoop, GeneralisedLoopsMakeArrays) {
  auto module = parse(R"(
func @scale(x: array(float64, 1d, A), y: float64, out: array(float64, 1d, A)) -> none [typed] {
bb0(%0: array(float64, 1d, A), %1: float64, %2: array(float64, 1d, A)):
  %3 = const None : none
  return %3
}
)");
  ASSERT_TRUE(module);
  std::string text = wrapped(*module, {2, true, {{0}, {}, {0}}});
  EXPECT_EQ(count(text, "call @scale"), 2U); // contiguous core arrays, and any
  EXPECT_EQ(count(text, "array.restride"), 2U);
}

} // namespace
} // namespace naja::driver
