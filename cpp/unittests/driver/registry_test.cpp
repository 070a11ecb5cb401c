#include "naja/driver/artefacts.h"
#include "naja/driver/compiled_functions.h"
#include "naja/driver/reproducer.h"
#include "naja/support/options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace naja::driver {
namespace {

std::shared_ptr<CompiledFunction> compiled(const std::string &symbol, size_t instructions) {
  auto function = std::make_shared<CompiledFunction>();
  function->symbol = symbol;
  function->return_type = types().int64;
  function->nir_instructions = instructions;
  return function;
}

std::string read(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Registry, FindsByKeyAndSymbol) {
  Registry registry;
  SpecialisationKey key{PyHandle(1), PyHandle(2), {types().int64}};
  auto function = compiled("f.1", 10);
  registry.insert(key, function);
  EXPECT_EQ(registry.find(key), function);
  EXPECT_EQ(registry.findSymbol("f.1"), function);
  EXPECT_EQ(registry.find({PyHandle(1), PyHandle(2), {types().float64}}), nullptr);
  EXPECT_EQ(registry.find({PyHandle(1), PyHandle(), {types().int64}}), nullptr);
}

TEST(Registry, ForgetsAFunctionButNotItsCode) {
  Registry registry;
  SpecialisationKey key{PyHandle(7), PyHandle(), {types().int64}};
  registry.insert(key, compiled("g.1", 10));
  registry.forget(PyHandle(7));
  EXPECT_EQ(registry.find(key), nullptr);
  EXPECT_NE(registry.findSymbol("g.1"), nullptr); // others may be bound to it
}

TEST(Registry, NumbersAreUnique) {
  Registry registry;
  uint64_t first = registry.nextNumber();
  EXPECT_NE(first, registry.nextNumber());
}

TEST(VisibleFunctions, OffersLargeCalleesAndRemembersThem) {
  FunctionRef small{PyHandle(101), PyHandle(102), "small"}, large{PyHandle(103), PyHandle(104), "large"};
  TypeId arg = types().float64;
  Registry::global().insert({small.function, small.dispatcher, {arg}}, compiled("small.1", kInlineWorthy));
  Registry::global().insert({large.function, large.dispatcher, {arg}}, compiled("large.1", kInlineWorthy + 1));
  VisibleFunctions visible;
  EXPECT_FALSE(visible.find(small, {&arg, 1}));
  auto entry = visible.find(large, {&arg, 1});
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->symbol, "large.1");
  EXPECT_EQ(entry->return_type, types().int64);
  visible.find(large, {&arg, 1});
  EXPECT_EQ(visible.takeUsed().size(), 1U);
}

TEST(Dumps, ListsAreSplitWithoutBlanks) {
  EXPECT_EQ(splitList("nir, ll,,s"), (std::vector<std::string>{"nir", "ll", "s"}));
  EXPECT_TRUE(splitList("").empty());
  DumpRequests requests{{"ll"}, {"all"}, false};
  EXPECT_TRUE(requests.wantsArtefact("ll"));
  EXPECT_FALSE(requests.wantsArtefact("opt.ll"));
  EXPECT_TRUE(requests.wantsPass("anything"));
}

TEST(Reproducer, HoldsWhatIsNeeded) {
  std::filesystem::path root = std::filesystem::temp_directory_path() / "naja-reproducer-test";
  std::filesystem::remove_all(root);
  setOption("REPRODUCER_DIR", root.string());
  ir::Module module;
  ReproducerContext context;
  context.module = &module;
  context.typed_text = "func @f() {}\n";
  context.signature = "f(int64)";
  context.stage = "passes";
  std::filesystem::path folder = writeReproducer(context, "something broke");
  setOption("REPRODUCER_DIR", "");
  ASSERT_TRUE(std::filesystem::exists(folder / "error.txt"));
  EXPECT_EQ(read(folder / "error.txt"), "f(int64)\nstage: passes\nsomething broke\n");
  EXPECT_EQ(read(folder / "input.typed.nir"), "func @f() {}\n");
  EXPECT_NE(read(folder / "options.txt").find("NAJA_OPT="), std::string::npos);
  std::filesystem::remove_all(root);
}

TEST(ReproducerDeathTest, AFatalSignalWhileCompilingIsReported) {
  setOption("REPRODUCER_DIR", (std::filesystem::temp_directory_path() / "naja-reproducer-death").string());
  ReproducerContext context;
  context.signature = "g(float64)";
  context.stage = "typing";
  EXPECT_DEATH(
      {
        CrashGuard guard(context);
        std::abort();
      },
      "the compiler crashed while compiling g\\(float64\\) \\(typing\\); reproducer:");
  setOption("REPRODUCER_DIR", "");
}

} // namespace
} // namespace naja::driver
