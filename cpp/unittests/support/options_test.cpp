#include "naja/support/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace naja {
namespace {

TEST(Options, DefaultEnvironmentOverride) {
  unsetenv("NAJA_OPT");
  unsetenv("NUMBA_OPT");
  EXPECT_EQ(optionInt("OPT"), 3);
  setenv("NUMBA_OPT", "1", 1);
  EXPECT_EQ(optionInt("OPT"), 1);
  setenv("NAJA_OPT", "2", 1);
  EXPECT_EQ(optionInt("OPT"), 2);
  setOption("OPT", "0");
  EXPECT_EQ(optionInt("OPT"), 0);
}

TEST(Options, OnlyAliasesAreReadFromNumbasVariables) {
  setenv("NUMBA_VERIFY", "1", 1);
  EXPECT_FALSE(optionBool("VERIFY"));
  setenv("NAJA_VERIFY", "1", 1);
  EXPECT_TRUE(optionBool("VERIFY"));
}

TEST(Options, Booleans) {
  for (const char *no : {"", "0", "false", "False", "no", "off"}) {
    setOption("TIME", no);
    EXPECT_FALSE(optionBool("TIME")) << no;
  }
  setOption("TIME", "yes");
  EXPECT_TRUE(optionBool("TIME"));
}

TEST(Options, NonsenseIsTheDefault) {
  setOption("NUM_THREADS", "many");
  EXPECT_EQ(optionInt("NUM_THREADS"), 0);
}

TEST(Options, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const OptionInfo &option : allOptions())
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
}

} // namespace
} // namespace naja
