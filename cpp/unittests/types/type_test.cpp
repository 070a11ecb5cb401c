#include "naja/types/type.h"

#include "naja/types/constant.h"
#include "naja/types/layout.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace naja {
namespace {

TEST(TypeStore, InternsByContent) {
  TypeStore &s = types();
  EXPECT_EQ(s.array(s.float64, 2, Layout::C), s.array(s.float64, 2, Layout::C));
  EXPECT_NE(s.array(s.float64, 2, Layout::C), s.array(s.float64, 2, Layout::C, true));
  EXPECT_EQ(s.optional(s.optional(s.int8)), s.optional(s.int8));
  EXPECT_EQ(s.optional(s.none), s.none);
  EXPECT_EQ(s.uniTuple(s.int64, 2), s.tuple(std::vector<TypeId>{s.int64, s.int64}));
}

TEST(TypeStore, CommonTypesHaveTheSameIdsInEveryStore) {
  TypeStore one, two;
  EXPECT_EQ(one.int64, two.int64);
  EXPECT_EQ(one.unbound, two.unbound);
  EXPECT_EQ(one.none.value, 0U);
}

TEST(TypeStore, ReferencesStayValidWhileOthersIntern) {
  TypeStore &s = types();
  const Type &first = s.get(s.int64);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&s, t] {
      for (unsigned i = 0; i < 3000; ++i) {
        TypeId id = s.uniTuple(t % 2 == 0 ? s.int64 : s.float32, i + 2);
        ASSERT_EQ(s.get(id).args.size(), i + 2);
      }
    });
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(&first, &s.get(s.int64));
  EXPECT_EQ(s.uniTuple(s.int64, 2999), s.uniTuple(s.int64, 2999));
}

/// The text that Numba prints, and the type again from it.
TEST(TypeText, IsNumbasAndParses) {
  for (const char *text :
       {"none", "bool", "int8", "uint64", "float16", "float32", "complex64", "complex128", "unicode_type", "...",
        "readonly bytes(uint8, 1d, C)", "slice<a:b>", "slice<a:b:c>", "pyobject", "void*", "float64*", "int8**",
        "OptionalType(float64)", "Tuple()", "UniTuple(int64 x 3)", "UniTuple(int64 x 1)", "Tuple(int64, float64)",
        "Tuple(int64, Tuple(int64, float64))", "UniTuple(array(float64, 1d, C) x 2)", "array(float64, 0d, C)",
        "array(int8, 3d, F)", "readonly array(float64, 1d, C)", "unaligned array(float64, 1d, C)",
        "unaligned readonly array(float64, 1d, A)", "range_state_int64", "range_state_uint64", "class(float64)",
        "dtype(float64)", "P(int64 x 2)", "P(int64, float64)", "unbound", "MaybeUnbound(int64)",
        "iterator<zip>(array(float64, 1d, C), int64)", "iterator<ndindex:2>(UniTuple(int64 x 2))",
        "Record(a[type=int32;offset=0],b[type=float64;offset=4];12;False)",
        "dtype(Record(a[type=int32;offset=0],b[type=nestedarray(float64, (2, 3));offset=4];52;False))"}) {
    auto type = parseType(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(toString(*type), text);
  }
  EXPECT_EQ(toString(*parseType("Optional(float64)")), "OptionalType(float64)");
}

TEST(TypeText, RefusesWhatIsNoType) {
  for (const char *text : {"", "int", "int65", "array(float64, 1d)", "array(float64, 1d, C", "Tuple(int64", "Tuple(int64,)",
                           "UniTuple(int64 x 0)", "float64 ", "slice<a>", "array(float64, 99d, C)", "readonly int64"})
    EXPECT_FALSE(parseType(text)) << text;
}

using M = Machine;
std::vector<Machine> scalars(const char *text) {
  auto found = scalarsOf(*parseType(text));
  return {found.begin(), found.end()};
}

TEST(Layout, Scalars) {
  EXPECT_EQ(scalars("none"), (std::vector<M>{}));
  EXPECT_EQ(scalars("class(float64)"), (std::vector<M>{}));
  EXPECT_EQ(scalars("bool"), (std::vector<M>{M::I8}));
  EXPECT_EQ(scalars("float16"), (std::vector<M>{M::I16}));
  EXPECT_EQ(scalars("complex64"), (std::vector<M>{M::F32, M::F32}));
  EXPECT_EQ(scalars("OptionalType(int32)"), (std::vector<M>{M::I8, M::I32}));
  EXPECT_EQ(scalars("Tuple(int8, Tuple(float32, none))"), (std::vector<M>{M::I8, M::F32}));
  EXPECT_EQ(scalars("array(int8, 2d, C)"), (std::vector<M>{M::Ptr, M::Ptr, M::I64, M::I64}));
  EXPECT_EQ(scalars("array(int8, 1d, A)"), (std::vector<M>{M::Ptr, M::Ptr, M::I64, M::I64}));
  EXPECT_EQ(scalars("slice<a:b>"), (std::vector<M>{M::I64, M::I64, M::I64, M::I8}));
  EXPECT_EQ(scalars("unicode_type"), (std::vector<M>{M::Ptr, M::I64, M::I32, M::I32, M::I64, M::Ptr}));
  EXPECT_EQ(scalars("range_state_int32"), (std::vector<M>{M::I32, M::I32, M::I32}));
}

TEST(Layout, StructsAreCStructs) {
  const StructLayout &layout = structLayoutOf(*parseType("Tuple(int8, float64, int16, int8)"));
  EXPECT_EQ(layout.offsets, (std::vector<uint32_t>{0, 8, 16, 18}));
  EXPECT_EQ(layout.size, 24U);
  EXPECT_EQ(layout.alignment, 8U);
  EXPECT_EQ(structLayoutOf(types().none).size, 0U);
}

TEST(Layout, References) {
  auto slots = referencesOf(*parseType("Tuple(int8, OptionalType(array(int8, 1d, C)), unicode_type, pyobject)"));
  ASSERT_EQ(slots.size(), 3U);
  EXPECT_EQ(slots[0].scalar, 2U);
  EXPECT_EQ(slots[1].scalar, 5U + kStringOwner);
  EXPECT_TRUE(slots[2].is_object);
  EXPECT_FALSE(hasReferences(*parseType("Tuple(int64, complex128)")));
}

TEST(Layout, Items) {
  EXPECT_EQ(itemSize(*parseType("complex128")), 16U);
  EXPECT_EQ(itemAlignment(*parseType("complex128")), 8U);
  EXPECT_EQ(itemSize(*parseType("nestedarray(float32, (2, 3))")), 24U);
  EXPECT_EQ(itemSize(*parseType("unicode_type")), 0U);
  EXPECT_EQ(itemAlignment(*parseType("Record(a[type=int32;offset=0];12;False)")), 1U);
}

TEST(Constants, OneConstantOneId) {
  ConstantStore &s = ConstantStore::global();
  EXPECT_EQ(s.ofInt(3), s.ofInt(3));
  EXPECT_NE(s.ofInt(1), s.ofBool(true));
  EXPECT_NE(s.ofInt(1), s.ofFloat(1.0));
  EXPECT_NE(s.ofFloat(0.0), s.ofFloat(-0.0));
  EXPECT_EQ(s.ofFloat(__builtin_nan("")), s.ofFloat(__builtin_nan("")));
  EXPECT_NE(s.ofFloat(__builtin_nan("")), s.ofFloat(__builtin_nan("1")));
  EXPECT_EQ(s.ofTuple({s.ofInt(1), s.ofInt(2)}), s.ofTuple({s.ofInt(1), s.ofInt(2)}));
  EXPECT_NE(s.ofInt(3), s.intern({int64_t(3), types().int32, false}));
}

TEST(Constants, Text) {
  ConstantStore &s = ConstantStore::global();
  EXPECT_EQ(toString(s.ofFloat(2)), "2.0");
  EXPECT_EQ(toString(s.ofFloat(1e300)), "1e+300");
  EXPECT_EQ(toString(s.ofString("it's\n")), "'it\\'s\\n'");
  EXPECT_EQ(toString(s.ofTuple({s.ofInt(1)})), "(1,)");
}

} // namespace
} // namespace naja
