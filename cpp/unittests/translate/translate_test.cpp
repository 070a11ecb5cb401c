// Translation without Python: recorded bytecode of all versions, whichever interpreter the build is for.
#include "naja/frontend/translate/cfg.h"
#include "naja/frontend/translate/decode.h"
#include "naja/frontend/translate/ssa.h"
#include "naja/frontend/translate/translate.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace naja::frontend {
namespace {

ConstId none() { return ConstantStore::global().none(); }
ConstId integer(int64_t value) { return ConstantStore::global().ofInt(value); }
ConstId kw() { return ConstantStore::global().ofTuple({ConstantStore::global().ofString("key")}); }

struct Recorded {
  int minor;
  const char *name;
  int arg_count;
  std::vector<std::string> local_names, names;
  std::string hex;
  std::vector<ConstId> constants;
};

const std::vector<Recorded> &recorded() {
  static const std::vector<Recorded> list = {
#include "bytecode.inc"
  };
  return list;
}

FunctionSnapshot snapshotOf(const Recorded &r) {
  auto code = std::make_shared<CodeSnapshot>();
  code->python_minor = r.minor;
  code->name = code->qualname = r.name;
  code->arg_count = r.arg_count;
  code->local_names = r.local_names;
  code->local_kinds.assign(r.local_names.size(), 0x20);
  code->names = r.names;
  code->constants = r.constants;
  code->codes.resize(r.constants.size());
  for (size_t i = 0; i + 1 < r.hex.size(); i += 2)
    code->bytecode.push_back(static_cast<uint8_t>(std::stoi(r.hex.substr(i, 2), nullptr, 16)));
  FunctionSnapshot snapshot;
  snapshot.global_values.resize(r.names.size());
  snapshot.code = std::move(code);
  return snapshot;
}

TEST(Translate, AllVersionsSayTheSame) {
  std::map<std::string, std::string> texts;
  for (const Recorded &r : recorded()) {
    auto result = translate(snapshotOf(r));
    ASSERT_TRUE(result.ok()) << r.name << " 3." << r.minor << ": " << result.error().message;
    EXPECT_EQ(ir::verify(*result->function), std::vector<std::string>()) << r.name << " 3." << r.minor;
    if (std::string(r.name) == "swap") continue; // later versions return from both arms of `a if c else b`
    auto [it, is_new] = texts.emplace(r.name, ir::print(*result->function));
    EXPECT_EQ(it->second, ir::print(*result->function)) << "3." << r.minor;
  }
  EXPECT_EQ(texts.size(), 3U);
}

TEST(Translate, ChecksOnlyWhatMayBeUnassigned) {
  for (const Recorded &r : recorded()) {
    auto result = translate(snapshotOf(r));
    ASSERT_TRUE(result.ok());
    const bool has_check = ir::print(*result->function).find("g.check_bound") != std::string::npos;
    EXPECT_EQ(has_check, std::string(r.name) == "maybe") << r.name << " 3." << r.minor;
  }
}

TEST(Translate, AnyBytesAreTranslatedOrRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const Recorded &r = recorded()[random() % recorded().size()];
    FunctionSnapshot snapshot = snapshotOf(r);
    auto code = std::make_shared<CodeSnapshot>(*snapshot.code);
    if (round % 4 == 0) code->bytecode.resize(2 * (random() % 40));
    for (auto &byte : code->bytecode) {
      if (round % 4 == 0 || random() % 16 == 0) byte = static_cast<uint8_t>(random());
    }
    snapshot.code = code;
    auto result = translate(snapshot);
    if (result.ok()) { EXPECT_EQ(ir::verify(*result->function), std::vector<std::string>()); }
  }
}

TEST(Translate, UnknownVersionIsRefused) {
  FunctionSnapshot snapshot = snapshotOf(recorded()[0]);
  auto code = std::make_shared<CodeSnapshot>(*snapshot.code);
  code->python_minor = 14;
  snapshot.code = code;
  EXPECT_FALSE(translate(snapshot).ok());
}

TEST(Decode, OpcodeNames) {
  EXPECT_EQ(opcodeName(11, 83), "RETURN_VALUE");
  EXPECT_EQ(opcodeName(12, 121), "RETURN_CONST");
  EXPECT_EQ(opcodeName(13, 40), "TO_BOOL");
  EXPECT_EQ(opcodeName(14, 40), "");
  EXPECT_EQ(opcodeName(11, 3), "");
}

TEST(Cfg, EntryHasNoPredecessors) {
  // 0: truth test back to itself, 1: return
  std::vector<Operation> ops = {
      {Op::LoadValue, 0, 0}, {Op::JumpIfTrue, 0, 1}, {Op::LoadValue, 0, 2}, {Op::Return, 0, 3}};
  Cfg cfg(ops);
  EXPECT_FALSE(cfg.malformed());
  ASSERT_EQ(cfg.size(), 3U);
  EXPECT_TRUE(cfg.predecessors(0).empty());
  EXPECT_EQ(cfg.predecessors(1).size(), 2U);
  EXPECT_TRUE(cfg.block(1).is_loop_header);
}

TEST(Cfg, JumpsToJumpsAreThreaded) {
  std::vector<Operation> ops = {{Op::LoadValue, 0, 0}, {Op::JumpIfFalse, 3, 1}, {Op::Jump, 4, 2},
                                {Op::Jump, 4, 3},      {Op::LoadValue, 0, 4},   {Op::Return, 0, 5}};
  Cfg cfg(ops);
  ASSERT_EQ(cfg.size(), 2U);
  EXPECT_EQ(cfg.predecessors(1).size(), 2U);
  EXPECT_FALSE(cfg.reaches(2));
}

TEST(Cfg, RunningOffTheEndIsMalformed) {
  std::vector<Operation> ops = {{Op::LoadValue, 0, 0}};
  EXPECT_TRUE(Cfg(ops).malformed());
}

TEST(DefinitionMap, Grows) {
  DefinitionMap map(1);
  for (uint32_t i = 0; i < 5000; ++i) map.set(i % 50, i, ir::ValueId(i));
  for (uint32_t i = 0; i < 5000; ++i) EXPECT_EQ(map.find(i % 50, i), ir::ValueId(i));
  EXPECT_FALSE(map.find(51, 0).valid());
}

} // namespace
} // namespace naja::frontend
