#include "naja/passes/index_ranges.h"

#include "int_generator.h"
#include "int_interpreter.h"

#include "naja/passes/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace naja::passes {
namespace {

using namespace testing;

/// Flags hold in every run, and the outcome is the same where no index arithmetic wrapped.
TEST(IndexRanges, RandomFunctionsKeepTheirMeaning) {
  int compared = 0;
  size_t wraps = 0, wraps_left = 0;
  auto count = [](const std::string &text, const char *word) {
    size_t n = 0;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      ++n;
    return n;
  };
  for (unsigned seed = 1; seed <= 6000; ++seed) {
    Module module = IntGenerator(seed).make();
    if (seed % 2 == 0)
      simplify(module);
    std::string text = print(module);
    auto original = parseModule(text);
    const Module &reference = *std::get<0>(original);
    indexRanges(module);
    auto errors = verify(module);
    std::string after = print(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << text << after;
    wraps += count(text, "index.wrap");
    wraps_left += count(after, "index.wrap");
    std::minstd_rand random(seed);
    for (int run = 0; run < 6; ++run) {
      std::vector<int64_t> memory(random() % 6, 3), args;
      for (int i = 0; i < 4; ++i)
        args.push_back(run == 5 ? static_cast<int64_t>(uint64_t{random()} * random() * 8) // anywhere
                                : static_cast<int64_t>(random() % 13) - 6);
      IntInterpreter first(reference, memory), second(module, memory);
      Outcome expected = first.run(FunctionId(0), args), actual = second.run(FunctionId(0), args);
      ASSERT_NE(expected.kind, Outcome::Error) << expected.error << text;
      ASSERT_EQ(actual.error.find("does not hold"), std::string::npos) << "seed " << seed << actual.error << "\n" << text << after;
      if (first.wrapped() || expected.kind == Outcome::TooLong || actual.kind == Outcome::TooLong)
        continue;
      ++compared;
      ASSERT_EQ(actual.error, "") << "seed " << seed << "\n" << text << after;
      ASSERT_EQ(actual, expected) << "seed " << seed << "\n" << text << after;
    }
  }
  EXPECT_GT(compared, 15000);
  EXPECT_LT(wraps_left, wraps * 9 / 10);
}

std::string ranged(const std::string &body, const char *attributes = "typed") {
  std::string text = "func @f(n: int64, k: int64, v: array(float64, 1d, C), m: array(float64, 2d, C)) -> none [" +
                     std::string(attributes) + "] {\n" +
                     "bb0(%n: int64, %k: int64, %v: array(float64, 1d, C), %m: array(float64, 2d, C)):\n"
                     "  %zero = const 0 : int64\n  %one = const 1 : int64\n  %two = const 2 : int64\n"
                     "  %none = const None : none\n  %d = array.dim #0 %v : int64\n" +
                     body + "}\n";
  auto parsed = parseModule(text);
  if (auto *error = std::get_if<ParseError>(&parsed))
    return std::to_string(error->line) + ": " + error->message;
  Module &module = *std::get<0>(parsed);
  auto errors = verify(module);
  if (!errors.empty())
    return errors[0];
  simplify(module);
  indexRanges(module);
  simplify(module);
  return print(module);
}

/// for i in range(start, stop): body with %i
std::string loop(const std::string &start, const std::string &stop, const std::string &body) {
  return "  br bb1(%" + start + ")\nbb1(%i: int64):\n  %c = icmp < %i, %" + stop +
         " : bool\n  cond_br %c, bb2, bb3\nbb2:\n" + body +
         "  %next = iadd nsw %i, %one : int64\n  br bb1(%next)\nbb3:\n  return %none\n";
}
const std::string kUse = "  %w = index.wrap %x, %d : int64\n  %e = array.load %v, %w : float64\n"
                         "  array.store %v, %w, %e\n";

void expectNoWrap(const std::string &text) { EXPECT_EQ(text.find("index.wrap"), std::string::npos) << text; }

TEST(IndexRanges, RangeFromZero) { expectNoWrap(ranged(loop("zero", "n", "  %x = iadd %i, %zero : int64\n" + kUse))); }

TEST(IndexRanges, PlusAndMinusOne) {
  expectNoWrap(ranged(loop("one", "n", "  %x = isub %i, %one : int64\n" + kUse)));
  expectNoWrap(ranged(loop("zero", "n", "  %x = iadd %i, %one : int64\n" + kUse)));
  std::string text = ranged(loop("zero", "n", "  %x = isub %i, %one : int64\n" + kUse));
  EXPECT_NE(text.find("index.wrap"), std::string::npos) << text;
}

TEST(IndexRanges, WindowAroundTheIndex) {
  // half = k // 2; for i in range(half, n): for j in range(k): v[i - half + j]
  std::string half = "  %half = ifloordiv %k, %two : int64\n";
  std::string inner = "  %s = isub %i, %half : int64\n  br bb4(%zero)\nbb4(%j: int64):\n  %cj = icmp < %j, %k : bool\n"
                      "  cond_br %cj, bb5, bb6\nbb5:\n  %x = iadd %s, %j : int64\n" +
                      kUse + "  %nj = iadd nsw %j, %one : int64\n  br bb4(%nj)\nbb6:\n";
  expectNoWrap(ranged(half + loop("half", "n", inner)));
}

TEST(IndexRanges, SymmetricWindow) {
  // for i in range(k, n): for j in range(-k, k + 1): v[i + j]
  std::string inner = "  %nk = ineg %k : int64\n  %k1 = iadd %k, %one : int64\n  br bb4(%nk)\nbb4(%j: int64):\n"
                      "  %cj = icmp < %j, %k1 : bool\n  cond_br %cj, bb5, bb6\nbb5:\n  %x = iadd %i, %j : int64\n" +
                      kUse + "  %nj = iadd nsw %j, %one : int64\n  br bb4(%nj)\nbb6:\n";
  expectNoWrap(ranged(loop("k", "n", inner)));
}

TEST(IndexRanges, InnerRangeFromShiftedIndex) {
  // for i in range(k, n): for j in range(i - k, i): v[j]
  std::string inner = "  %s = isub %i, %k : int64\n  br bb4(%s)\nbb4(%j: int64):\n"
                      "  %cj = icmp < %j, %i : bool\n  cond_br %cj, bb5, bb6\nbb5:\n  %x = iadd %j, %zero : int64\n" +
                      kUse + "  %nj = iadd nsw %j, %one : int64\n  br bb4(%nj)\nbb6:\n";
  expectNoWrap(ranged(loop("k", "n", inner)));
}

TEST(IndexRanges, FlatIndexAndSquares) {
  expectNoWrap(ranged(loop("zero", "n", "  %r = imul %i, %d : int64\n  %x = iadd %r, %i : int64\n" + kUse)));
  expectNoWrap(ranged(loop("zero", "n", "  %x = imul %i, %i : int64\n" + kUse)));
}

TEST(IndexRanges, Modulo) {
  expectNoWrap(ranged("  check_nonzero \"x\" %d\n  %x = imod %n, %d : int64\n" + kUse + "  return %none\n"));
}

TEST(IndexRanges, Clamped) {
  expectNoWrap(ranged("  %m1 = isub %k, %one : int64\n  %x = imax %m1, %zero : int64\n" + kUse + "  return %none\n"));
  expectNoWrap(ranged("  %p = icmp > %k, %zero : bool\n  %x = select %p, %k, %zero : int64\n" + kUse + "  return %none\n"));
}

TEST(IndexRanges, DescendingWhile) {
  // i = n - 1; while i >= 0: v[i]; i -= 1
  expectNoWrap(ranged("  %last = isub %d, %one : int64\n  br bb1(%last)\nbb1(%i: int64):\n"
                      "  %c = icmp >= %i, %zero : bool\n  cond_br %c, bb2, bb3\nbb2:\n"
                      "  %x = iadd %i, %zero : int64\n" +
                      kUse + "  %next = isub %i, %one : int64\n  br bb1(%next)\nbb3:\n  return %none\n"));
}

TEST(IndexRanges, ChecksInRange) {
  std::string check = "  index.check #0 %x, %d\n  %e = array.load %v, %x : float64\n  array.store %v, %x, %e\n";
  auto none = [](const std::string &text) { EXPECT_EQ(text.find("index.check"), std::string::npos) << text; };
  none(ranged(loop("zero", "d", "  %x = iadd %i, %zero : int64\n" + check)));
  // for i in range(len(v) - 1): v[i + 1]
  none(ranged("  %d1 = isub %d, %one : int64\n" + loop("zero", "d1", "  %x = iadd %i, %one : int64\n" + check)));
  none(ranged("  check_nonzero \"x\" %d\n  %x = imod %n, %d : int64\n" + check + "  return %none\n"));
  std::string text = ranged(loop("zero", "n", "  %x = iadd %i, %zero : int64\n" + check));
  EXPECT_NE(text.find("index.check"), std::string::npos) << text;
}

TEST(IndexRanges, FlagsOfInductionVariables) {
  std::string text = ranged(loop("zero", "n", "  %x = iadd %i, %one : int64\n" + kUse));
  EXPECT_NE(text.find("iadd nsw nuw"), std::string::npos) << text;
}

TEST(IndexRanges, DivisorsThatAreNotZero) {
  std::string text = ranged(loop("one", "n", "  check_nonzero \"x\" %i\n  %x = ifloordiv %d, %i : int64\n" + kUse));
  EXPECT_EQ(text.find("check_nonzero"), std::string::npos) << text;
  EXPECT_NE(text.find("ifloordiv"), std::string::npos) << text;
  EXPECT_NE(text.find(": uint64"), std::string::npos) << text;
}

} // namespace
} // namespace naja::passes
