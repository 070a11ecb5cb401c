#include "fake_emitter.h"

#include <gtest/gtest.h>

namespace naja::library::testing {
namespace {

Query queryOf(const std::vector<AbstractValue> &operands, const std::vector<std::string_view> &keywords) {
  return {operands, keywords, nullptr};
}

std::string bound(std::string_view spec, size_t operands, std::vector<std::string_view> keywords = {}) {
  std::vector<AbstractValue> values(operands, value(types().int64));
  BoundArguments b = bindArguments("f", spec, queryOf(values, keywords));
  if (!b.error.empty()) return b.error;
  std::string text;
  for (int i : b.operand) text += (text.empty() ? "" : " ") + std::to_string(i);
  return text;
}

TEST(BindArguments, BindsAsPythonDoes) {
  EXPECT_EQ(bound("a, b=", 1), "0 -1");
  EXPECT_EQ(bound("a, b=", 2), "0 1");
  EXPECT_EQ(bound("a, b=", 2, {"b"}), "0 1");
  EXPECT_EQ(bound("a, b=", 2, {"b", "a"}), "1 0");
  EXPECT_EQ(bound("a, *, k=", 2, {"k"}), "0 1");
}

TEST(BindArguments, SaysWhatIsWrong) {
  EXPECT_EQ(bound("a, b=", 3), "f() takes from 1 to 2 positional arguments but 3 were given");
  EXPECT_EQ(bound("a", 2), "f() takes 1 positional argument but 2 were given");
  EXPECT_EQ(bound("a, *, k=", 2), "f() takes 1 positional argument but 2 were given");
  EXPECT_EQ(bound("a, b=", 1, {"c"}), "f() got an unexpected keyword argument 'c'");
  EXPECT_EQ(bound("a, b=", 2, {"a"}), "f() got multiple values for argument 'a'");
  EXPECT_EQ(bound("a, b", 1), "f() missing required argument 'b' (pos 2)");
}

TEST(Table, FindsByNameAndSuggests) {
  const Table &table = Table::global();
  EXPECT_TRUE(table.knows("math.sin"));
  EXPECT_FALSE(table.knows("math.sinn"));
  auto close = table.similar("math.sinn");
  ASSERT_FALSE(close.empty());
  EXPECT_EQ(close[0], "math.sin");
  EXPECT_TRUE(table.similar("math.nothing_like_it").empty());
  EXPECT_TRUE(table.hasMethod(types().complex128, "conjugate"));
  EXPECT_FALSE(table.hasMethod(types().complex128, "append"));
}

TEST(Table, MethodsAreBoundMethods) {
  std::vector<AbstractValue> operands = {value(types().complex128)};
  Resolution r = Table::global().resolveAttribute("conjugate", queryOf(operands, {}));
  ASSERT_EQ(r.kind, Resolution::Resolved);
  EXPECT_EQ(kindOf(r.result.type), TypeKind::BoundMethod);
}

TEST(Table, OptionalOperandsAreUnwrappedWithACheck) {
  std::vector<AbstractValue> operands = {value(types().optional(types().int64)), literal(1)};
  Resolution r = Table::global().resolveBinary(ir::BinaryOp::Add, false, queryOf(operands, {}));
  Emitted code = emitted(std::move(r), operands);
  EXPECT_TRUE(code.violations.empty()) << code.violations[0] << code.text;
  EXPECT_NE(code.text.find("expected int64, got None"), std::string::npos) << code.text;
  EXPECT_EQ(code.type, types().int64);
}

} // namespace
} // namespace naja::library::testing
