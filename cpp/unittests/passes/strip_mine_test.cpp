#include "naja/passes/strip_mine.h"

#include "int_generator.h"
#include "int_interpreter.h"

#include "naja/passes/index_ranges.h"
#include "naja/passes/poll_signals.h"
#include "naja/passes/simplify.h"

#include <gtest/gtest.h>

#include <random>

namespace naja::passes {
namespace {

using namespace testing;

/// With strips of two iterations.
TEST(StripMine, RandomFunctionsKeepTheirMeaning) {
  int compared = 0, strips = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Module module = IntGenerator(seed).make();
    simplify(module);
    std::string text = print(module);
    auto original = parseModule(text);
    const Module &reference = *std::get<0>(original);
    stripMineBy(module, 2);
    pollSignals(module);
    auto errors = verify(module);
    std::string after = print(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << text << after;
    strips += after.find("poll_signals") != std::string::npos ? 1 : 0;
    std::minstd_rand random(seed);
    for (int run = 0; run < 4; ++run) {
      std::vector<int64_t> memory(random() % 6, 3), args;
      for (int i = 0; i < 4; ++i)
        args.push_back(static_cast<int64_t>(random() % 13) - 6);
      Outcome expected = IntInterpreter(reference, memory).run(FunctionId(0), args);
      Outcome actual = IntInterpreter(module, memory, 100000).run(FunctionId(0), args);
      if (expected.kind == Outcome::TooLong || actual.kind == Outcome::TooLong)
        continue;
      ++compared;
      ASSERT_EQ(actual, expected) << "seed " << seed << actual.error << "\n" << text << after;
    }
  }
  EXPECT_GT(compared, 6000);
  EXPECT_GT(strips, 500);
}

/// for (i = start; i < stop; i += step) count += 1, near the ends of the type as well.
int64_t iterations(TypeId type, int64_t start, int64_t stop, int64_t step) {
  std::string t = toString(type), p = step > 0 ? "<" : ">";
  std::string text = "func @f(a: " + t + ", b: " + t + ") -> int64 [typed] {\nbb0(%a: " + t + ", %b: " + t +
                     "):\n  %zero = const 0 : int64\n  %one = const 1 : int64\n  %step = const " + std::to_string(step) + " : " + t +
                     "\n  br bb1(%a, %zero)\nbb1(%i: " + t + ", %n: int64): loop\n  %c = icmp " + p +
                     " %i, %b : bool\n  cond_br %c, bb2, bb3\nbb2:\n  %next = iadd %i, %step : " + t +
                     "\n  %m = iadd %n, %one : int64\n  br bb1(%next, %m)\nbb3:\n  return %n\n}\n";
  auto parsed = parseModule(text);
  Module &module = *std::get<0>(parsed);
  stripMineBy(module, 3);
  EXPECT_TRUE(verify(module).empty()) << print(module);
  EXPECT_NE(print(module).find("select"), std::string::npos) << print(module);
  Outcome outcome = IntInterpreter(module, {}, 100000).run(FunctionId(0), {start, stop});
  EXPECT_EQ(outcome.kind, Outcome::Returned) << outcome.error << print(module);
  return outcome.value;
}

TEST(StripMine, EndsOfTheType) {
  TypeStore &s = types();
  EXPECT_EQ(iterations(s.int64, INT64_MAX - 10, INT64_MAX, 1), 10);
  EXPECT_EQ(iterations(s.int64, INT64_MIN, INT64_MIN + 10, 1), 10);
  EXPECT_EQ(iterations(s.int64, INT64_MIN, INT64_MIN, 1), 0);
  EXPECT_EQ(iterations(s.int64, INT64_MAX, INT64_MIN, 1), 0);
  EXPECT_EQ(iterations(s.int64, INT64_MIN + 10, INT64_MIN, -1), 10);
  EXPECT_EQ(iterations(s.int64, INT64_MAX, INT64_MAX - 10, -1), 10);
  EXPECT_EQ(iterations(s.int64, -5, 5, 3), 4);
  EXPECT_EQ(iterations(s.int64, 5, -5, -3), 4);
  EXPECT_EQ(iterations(s.uint64, 0, 10, 1), 10);
  EXPECT_EQ(iterations(s.uint64, -10, -1, 1), 9);
  EXPECT_EQ(iterations(s.int32, INT32_MAX - 10, INT32_MAX, 1), 10);
  EXPECT_EQ(iterations(s.int32, INT32_MIN + 10, INT32_MIN, -1), 10);
}

} // namespace
} // namespace naja::passes
