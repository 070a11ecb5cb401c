#include "naja/support/diagnostic.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace naja {
namespace {

std::string line(void *, const std::string &, int number) {
  return number == 3 ? "    return a + \"\xc3\xa9\" + missing\n" : "";
}

Diagnostic sample() {
  Diagnostic d;
  d.message = "name 'missing' is not defined";
  d.where = {"a.py", "f", {3, 3, 22, 29}};
  d.hint = "import it first";
  return d;
}

TEST(Diagnostic, ShowsTheExpression) {
  // The accented letter is two bytes and one column.
  EXPECT_EQ(renderDiagnostic(sample(), line, nullptr), "name 'missing' is not defined\n"
                                                       "  at a.py:3:23 in f\n"
                                                       "    return a + \"\xc3\xa9\" + missing\n"
                                                       "                     ^^^^^^^\n"
                                                       "  hint: import it first");
}

TEST(Diagnostic, WithoutSourceTheLabelRemains) {
  Diagnostic d = sample().withLabel("int64 here");
  d.where.loc.line = 7;
  EXPECT_EQ(renderDiagnostic(d, line, nullptr), "name 'missing' is not defined\n  at a.py:7:23 in f\n    int64 here\n"
                                                "  hint: import it first");
}

TEST(Diagnostic, KeepsToTheLimit) {
  Diagnostic d = sample();
  for (int i = 0; i < 40; ++i)
    d.notes.push_back({"during: call of g" + std::to_string(i), {"a.py", "", {i + 1, 0, 0, 0}}});
  for (int limit = 6; limit < 30; ++limit) {
    std::string text = renderDiagnostic(d, line, nullptr, limit);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1, limit) << text;
    EXPECT_NE(text.find("hint"), std::string::npos);
  }
  std::string text = renderDiagnostic(d, line, nullptr, 0);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n') + 1, 45);
}

} // namespace
} // namespace naja
