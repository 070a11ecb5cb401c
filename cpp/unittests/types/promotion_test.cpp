// Tables read off Numba (unification, conversion, operands of +) and NumPy (result_type).
#include "naja/types/promotion.h"

#include <gtest/gtest.h>

namespace naja {
namespace {

TypeId type(const char *text) { return *parseType(text); }

const char *const kScalars[] = {"bool",   "int8",   "int16",   "int32",   "int64",     "uint8",     "uint16",
                                "uint32", "uint64", "float32", "float64", "complex64", "complex128"};
/// b: bool, 1 2 4 8: int8 to int64, B H I Q: uint8 to uint64, f d F D.
const char *nameOf(char code) {
  const std::string codes = "b1248BHIQfdFD";
  return kScalars[codes.find(code)];
}

void expectTable(const std::string (&rows)[13], TypeId (*rule)(TypeId, TypeId)) {
  for (size_t i = 0; i < 13; ++i) {
    for (size_t j = 0; j < 13; ++j) {
      EXPECT_EQ(toString(rule(type(kScalars[i]), type(kScalars[j]))), nameOf(rows[i][j]))
          << kScalars[i] << " with " << kScalars[j];
    }
  }
}

TEST(Promotion, UnifyAsNumba) {
  const std::string rows[13] = {"b1248BHIQfdFD", "11248248dfdFD", "22248248dfdFD", "44448448dddDD", "88888888dddDD",
                                "B2248BHIQfdFD", "H4448HHIQfdFD", "I8888IIIQddDD", "QddddQQQQddDD", "fffddffddfdFD",
                                "dddddddddddDD", "FFFDDFFDDFDFD", "DDDDDDDDDDDDD"};
  for (size_t i = 0; i < 13; ++i) {
    for (size_t j = 0; j < 13; ++j) {
      auto joined = unify(type(kScalars[i]), type(kScalars[j]));
      ASSERT_TRUE(joined);
      EXPECT_EQ(toString(*joined), nameOf(rows[i][j])) << kScalars[i] << " with " << kScalars[j];
    }
  }
}

TEST(Promotion, UnifyOthers) {
  const char *cases[][3] = {
      {"none", "float64", "OptionalType(float64)"},
      {"OptionalType(float64)", "int64", "OptionalType(float64)"},
      {"OptionalType(float64)", "OptionalType(int64)", "OptionalType(float64)"},
      {"Tuple(int64, float64)", "UniTuple(float64 x 2)", "UniTuple(float64 x 2)"},
      {"array(float64, 1d, C)", "array(float64, 1d, F)", "array(float64, 1d, A)"},
      {"array(float64, 1d, C)", "readonly array(float64, 1d, C)", "readonly array(float64, 1d, C)"},
      {"readonly array(float64, 1d, C)", "array(float64, 1d, F)", "readonly array(float64, 1d, A)"},
      {"array(float64, 1d, C)", "unaligned array(float64, 1d, C)", "unaligned array(float64, 1d, C)"},
      {"none", "array(float64, 1d, C)", "OptionalType(array(float64, 1d, C))"},
      {"unbound", "int64", "MaybeUnbound(int64)"},
      {"MaybeUnbound(int64)", "float64", "MaybeUnbound(float64)"},
  };
  for (const auto &[a, b, expected] : cases) {
    auto joined = unify(type(a), type(b));
    ASSERT_TRUE(joined) << a << " with " << b;
    EXPECT_EQ(toString(*joined), expected);
    EXPECT_EQ(unify(type(b), type(a)), joined);
  }
  EXPECT_FALSE(unify(type("UniTuple(int64 x 2)"), type("UniTuple(int64 x 3)")));
  EXPECT_FALSE(unify(type("array(float64, 1d, C)"), type("array(float32, 1d, C)")));
  EXPECT_FALSE(unify(type("unicode_type"), type("int64")));
}

TEST(Promotion, ConversionAsNumba) {
  // E exact, P promote, S safe, U unsafe, - none
  const std::string rows[13] = {"ESSSSSSSSSSSS", "UEPPPUUUUSSSS", "UUEPPUUUUSSSS", "UUUEPUUUUUSUS", "UUUUEUUUUUSUS",
                                "UUSSSEPPPSSSS", "UUUSSUEPPUSUS", "UUUUSUUEPUSUS", "UUUUUUUUEUSUS", "UUUUUUUUUEPSS",
                                "UUUUUUUUUUEUS", "-----------EP", "-----------UE"};
  for (size_t i = 0; i < 13; ++i) {
    for (size_t j = 0; j < 13; ++j) {
      char rank = "EPSU-"[static_cast<size_t>(conversion(type(kScalars[i]), type(kScalars[j])))];
      EXPECT_EQ(rank, rows[i][j]) << kScalars[i] << " to " << kScalars[j];
    }
  }
  auto is = [](const char *a, const char *b, Conversion c) { EXPECT_EQ(conversion(type(a), type(b)), c) << a << " to " << b; };
  is("array(float64, 1d, C)", "array(float64, 1d, A)", Conversion::Safe);
  is("array(float64, 1d, A)", "array(float64, 1d, C)", Conversion::None);
  is("array(float64, 1d, C)", "readonly array(float64, 1d, C)", Conversion::Safe);
  is("readonly array(float64, 1d, C)", "array(float64, 1d, C)", Conversion::None);
  is("float64", "OptionalType(float64)", Conversion::Promote);
  is("int64", "OptionalType(float64)", Conversion::Safe);
  is("none", "OptionalType(float64)", Conversion::Promote);
  is("Tuple(int64, float64)", "UniTuple(float64 x 2)", Conversion::Safe);
  is("unicode_type", "int64", Conversion::None);
}

TEST(Promotion, DtypesAsNumPy) {
  const std::string rows[13] = {"b1248BHIQfdFD", "11248248dfdFD", "22248248dfdFD", "44448448dddDD", "88888888dddDD",
                                "B2248BHIQfdFD", "H4448HHIQfdFD", "I8888IIIQddDD", "QddddQQQQddDD", "fffddffddfdFD",
                                "dddddddddddDD", "FFFDDFFDDFDFD", "DDDDDDDDDDDDD"};
  for (size_t i = 0; i < 13; ++i) {
    for (size_t j = 0; j < 13; ++j) {
      EXPECT_EQ(toString(promoteDtypes(type(kScalars[i]), type(kScalars[j]))), nameOf(rows[i][j]))
          << kScalars[i] << " with " << kScalars[j];
    }
  }
}

TEST(Promotion, Weak) {
  auto is = [](const char *weak, const char *strong, const char *result) {
    EXPECT_EQ(toString(promoteWeak(type(weak), type(strong))), result) << weak << " with " << strong;
  };
  is("int64", "int8", "int8");
  is("int64", "bool", "int64");
  is("float64", "float32", "float32");
  is("float64", "int8", "float64");
  is("complex128", "float32", "complex64");
  is("complex128", "int64", "complex128");
  is("bool", "uint8", "uint8");
}

TEST(Promotion, Scalars) {
  const std::string rows[13] = {"88888888QfdFD", "888888888fdFD", "888888888fdFD", "888888888ddDD", "88888888dddDD",
                                "88888QQQQfdFD", "88888QQQQddDD", "88888QQQQddDD", "Q888dQQQQddDD", "fffddfdddfdFD",
                                "dddddddddddDD", "FFFDDFDDDFDFD", "DDDDDDDDDDDDD"};
  expectTable(rows, promoteScalars);
}

} // namespace
} // namespace naja
