#include "naja/passes/inline.h"

#include "int_generator.h"
#include "int_interpreter.h"

#include "naja/passes/simplify.h"

#include <gtest/gtest.h>

#include <random>

namespace naja::passes {
namespace {

using namespace testing;

/// main(a, b, c, d, v) = f(...) then g(f's result, ...), g's exceptions caught and turned into -1.
Module callers(unsigned seed) {
  Module module;
  module.add(std::make_unique<Function>());
  for (unsigned i = 1; i <= 2; ++i) {
    Module one = IntGenerator(seed * 2 + i).make();
    one.functions[0]->name = i == 1 ? "g1" : "g2";
    module.add(std::move(one.functions[0]));
    simplifyFunction(*module.functions[i]);
  }
  Function &main = *module.functions[0];
  const Function &callee = *module.functions[1];
  main.name = "main";
  main.typed = true;
  main.return_type = types().int64;
  main.param_types = callee.param_types;
  BlockId entry = main.addBlock(), handler = main.addBlock(), caught = main.addBlock();
  std::vector<ValueId> args;
  for (TypeId type : main.param_types)
    args.push_back(main.addParam(entry, type));
  Builder b(main, entry);
  args[0] = b.call(FunctionId(1), types().int64, args);
  ValueId second = b.call(FunctionId(2), types().int64, args);
  b.last().unwind = handler;
  b.ret(b.isub(second, args[0]));
  b.setBlock(handler);
  b.br(caught);
  b.setBlock(caught);
  b.ret(b.int64(-1));
  return module;
}

TEST(Inline, RandomCalleesKeepTheirMeaning) {
  int compared = 0, inlined = 0;
  for (unsigned seed = 1; seed <= 2000; ++seed) {
    Module module = callers(seed);
    std::string text = print(module);
    auto original = parseModule(text);
    const Module &reference = *std::get<0>(original);
    ASSERT_TRUE(verify(module).empty()) << verify(module)[0] << text;
    inlineSmall(module);
    dropUnreachableFunctions(module);
    inlined += module.functions.size() < 3 ? 1 : 0;
    auto errors = verify(module);
    std::string after = print(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << text << after;
    simplify(module);
    errors = verify(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << text << print(module);
    std::minstd_rand random(seed);
    for (int run = 0; run < 4; ++run) {
      std::vector<int64_t> memory(random() % 6, 3), args;
      for (int i = 0; i < 4; ++i)
        args.push_back(static_cast<int64_t>(random() % 13) - 6);
      Outcome expected = IntInterpreter(reference, memory).run(FunctionId(0), args);
      Outcome actual = IntInterpreter(module, memory).run(FunctionId(0), args);
      if (expected.kind == Outcome::TooLong || actual.kind == Outcome::TooLong)
        continue;
      ++compared;
      ASSERT_EQ(actual, expected) << "seed " << seed << actual.error << "\n" << text << print(module);
    }
  }
  EXPECT_GT(compared, 4000);
  EXPECT_GT(inlined, 1500);
}

} // namespace
} // namespace naja::passes
