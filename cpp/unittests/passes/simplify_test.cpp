#include "naja/passes/simplify.h"

#include "int_generator.h"
#include "int_interpreter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace naja::passes {
namespace {

using namespace testing;

TEST(Simplify, RandomFunctionsKeepTheirMeaning) {
  size_t before_size = 0, after_size = 0;
  int compared = 0;
  for (unsigned seed = 1; seed <= 4000; ++seed) {
    Module module = IntGenerator(seed).make();
    ASSERT_TRUE(verify(module).empty()) << verify(module)[0] << print(module);
    std::string text = print(module);
    auto original = parseModule(text);
    const Module &reference = *std::get<0>(original);
    simplify(module);
    auto errors = verify(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << text << print(module);
    before_size += static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    std::string after = print(module);
    after_size += static_cast<size_t>(std::count(after.begin(), after.end(), '\n'));
    std::minstd_rand random(seed);
    for (int run = 0; run < 4; ++run) {
      std::vector<int64_t> memory(random() % 6, 3), args;
      for (int i = 0; i < 4; ++i)
        args.push_back(static_cast<int64_t>(random() % 13) - 6);
      Outcome expected = IntInterpreter(reference, memory).run(FunctionId(0), args);
      Outcome actual = IntInterpreter(module, memory).run(FunctionId(0), args);
      ASSERT_NE(expected.kind, Outcome::Error) << expected.error << text;
      if (expected.kind == Outcome::TooLong || actual.kind == Outcome::TooLong)
        continue;
      ++compared;
      ASSERT_EQ(actual.error, "") << "seed " << seed << "\n" << text << after;
      ASSERT_EQ(actual, expected) << "seed " << seed << "\n" << text << after;
    }
  }
  EXPECT_GT(compared, 8000);
  EXPECT_LT(after_size, before_size * 8 / 10);
}

TEST(Simplify, IsStable) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Module module = IntGenerator(seed).make();
    simplify(module);
    std::string once = print(module);
    auto parsed = parseModule(once);
    EXPECT_EQ(print(*std::get<0>(parsed)), once);
  }
}

} // namespace
} // namespace naja::passes
