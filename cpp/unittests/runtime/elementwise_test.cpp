// The loops around row kernels, with kernels written here.
#include "naja/runtime/abi.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace {

int32_t addKernel(char *const *pointers, int64_t n, uint64_t *) {
  for (int64_t i = 0; i < n; ++i)
    reinterpret_cast<double *>(pointers[0])[i] = reinterpret_cast<double *>(pointers[1])[i] + reinterpret_cast<double *>(pointers[2])[i];
  return NAJA_OK;
}
int32_t copyKernel(char *const *pointers, int64_t n, uint64_t *) {
  for (int64_t i = 0; i < n; ++i) reinterpret_cast<double *>(pointers[0])[i] = reinterpret_cast<double *>(pointers[1])[i];
  return NAJA_OK;
}
int32_t sumKernel(char *const *pointers, int64_t n, uint64_t *frame) {
  auto &sum = *reinterpret_cast<double *>(frame);
  for (int64_t i = 0; i < n; ++i) sum += reinterpret_cast<double *>(pointers[0])[i];
  return NAJA_OK;
}

struct Array {
  double *data;
  std::vector<int64_t> extents, strides; // strides in elements; empty: C
};

/// A frame and a plan for some arrays, the first being the output of a map.
struct Call {
  std::vector<uint64_t> frame = std::vector<uint64_t>(2, 0);
  std::vector<naja_elementwise_operand> operands;
  naja_elementwise plan{};

  void add(const Array &array) {
    naja_elementwise_operand operand{};
    operand.position = static_cast<uint32_t>(frame.size());
    operand.item_size = 8;
    operand.ndim = static_cast<uint16_t>(array.extents.size());
    operand.layout = array.strides.empty() ? 0 : 2;
    operands.push_back(operand);
    frame.push_back(reinterpret_cast<uint64_t>(array.data));
    for (int64_t extent : array.extents) frame.push_back(static_cast<uint64_t>(extent));
    for (int64_t stride : array.strides) frame.push_back(static_cast<uint64_t>(stride * 8));
  }
  int32_t run(naja_elementwise_kind kind, naja_row_kernel kernel) {
    plan.kernel = kernel;
    plan.kind = kind;
    plan.operands = static_cast<uint16_t>(operands.size());
    plan.operand = operands.data();
    return naja_rt_elementwise(&plan, frame.data());
  }
};

std::vector<double> iota(size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

std::string pendingText() {
  naja_exception exception{};
  if (!naja_rt_take_exception(&exception)) return "";
  return exception.text;
}

TEST(Elementwise, BroadcastsOuterProduct) {
  auto a = iota(5), b = iota(7);
  Call call;
  call.add({nullptr, {0, 0}, {}});
  call.add({a.data(), {5, 1}, {}});
  call.add({b.data(), {7}, {}});
  ASSERT_EQ(call.run(NAJA_MAP, addKernel), NAJA_OK);
  auto *out = reinterpret_cast<double *>(call.frame[2]);
  EXPECT_EQ(call.frame[3], 5U);
  EXPECT_EQ(call.frame[4], 7U);
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) EXPECT_EQ(out[7 * i + j], i + j);
  naja_rt_decref(reinterpret_cast<naja_owner>(call.frame[1]));
}

TEST(Elementwise, LongStridedRowsGoThroughBuffers) {
  auto a = iota(30000), b = iota(10000);
  Call call;
  call.add({nullptr, {0}, {}});
  call.add({a.data() + 29997, {10000}, {-3}});
  call.add({b.data(), {10000}, {}});
  ASSERT_EQ(call.run(NAJA_MAP, addKernel), NAJA_OK);
  auto *out = reinterpret_cast<double *>(call.frame[2]);
  for (int i = 0; i < 10000; ++i) ASSERT_EQ(out[i], 29997 - 3 * i + i);
  naja_rt_decref(reinterpret_cast<naja_owner>(call.frame[1]));
}

TEST(Elementwise, ShapesThatDiffer) {
  auto a = iota(6);
  Call call;
  call.add({nullptr, {0, 0}, {}});
  call.add({a.data(), {2, 3}, {}});
  call.add({a.data(), {2}, {}});
  EXPECT_EQ(call.run(NAJA_MAP, addKernel), NAJA_RAISED);
  EXPECT_EQ(pendingText(), "operands could not be broadcast together with shapes (2,3) (2,)");
  Call into;
  into.add({a.data(), {3}, {}});
  into.add({a.data(), {2}, {}});
  EXPECT_EQ(into.run(NAJA_MAP_INTO, copyKernel), NAJA_RAISED);
  EXPECT_EQ(pendingText(), "could not broadcast input array from shape (2,) into shape (3,)");
}

TEST(Elementwise, IntoAnOverlappingView) {
  auto a = iota(10000);
  Call call; // a[1:] = a[:-1]
  call.add({a.data() + 1, {9999}, {1}});
  call.add({a.data(), {9999}, {1}});
  ASSERT_EQ(call.run(NAJA_MAP_INTO, copyKernel), NAJA_OK);
  for (int i = 1; i < 10000; ++i) ASSERT_EQ(a[static_cast<size_t>(i)], i - 1);
  auto b = iota(9); // b[...] = b.T
  Call transpose;
  transpose.add({b.data(), {3, 3}, {}});
  transpose.add({b.data(), {3, 3}, {1, 3}});
  ASSERT_EQ(transpose.run(NAJA_MAP_INTO, copyKernel), NAJA_OK);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(b[static_cast<size_t>(3 * i + j)], 3 * j + i);
  EXPECT_EQ(naja_rt_live_allocations(), 0);
}

TEST(Elementwise, IntoAStridedView) {
  std::vector<double> a(64, -1.0);
  auto b = iota(16);
  Call call; // a.reshape(8, 8)[::2, ::2] = b.reshape(4, 4)
  call.add({a.data(), {4, 4}, {16, 2}});
  call.add({b.data(), {4, 4}, {}});
  ASSERT_EQ(call.run(NAJA_MAP_INTO, copyKernel), NAJA_OK);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      const double want = i % 2 || j % 2 ? -1.0 : (i / 2) * 4 + j / 2;
      EXPECT_EQ(a[static_cast<size_t>(8 * i + j)], want);
    }
}

TEST(Elementwise, ReducesAnyGeometry) {
  auto a = iota(24);
  for (int dims = 1; dims <= 3; ++dims) {
    Call call;
    call.frame = {0};
    if (dims == 1) call.add({a.data(), {24}, {}});
    if (dims == 2) call.add({a.data(), {4, 6}, {1, 4}});
    if (dims == 3) call.add({a.data() + 23, {2, 3, 4}, {-12, -4, -1}});
    ASSERT_EQ(call.run(NAJA_REDUCE, sumKernel), NAJA_OK);
    EXPECT_EQ(*reinterpret_cast<double *>(call.frame.data()), 276.0);
  }
}

TEST(Elementwise, EmptyAndZeroDimensional) {
  double x = 3, y = 4;
  Call scalar;
  scalar.add({nullptr, {}, {}});
  scalar.add({&x, {}, {}});
  scalar.add({&y, {}, {}});
  ASSERT_EQ(scalar.run(NAJA_MAP, addKernel), NAJA_OK);
  EXPECT_EQ(*reinterpret_cast<double *>(scalar.frame[2]), 7.0);
  naja_rt_decref(reinterpret_cast<naja_owner>(scalar.frame[1]));
  Call empty;
  empty.add({nullptr, {0, 0}, {}});
  empty.add({&x, {0, 1}, {}});
  empty.add({&y, {1, 5}, {}});
  ASSERT_EQ(empty.run(NAJA_MAP, addKernel), NAJA_OK);
  EXPECT_EQ(empty.frame[3], 0U);
  EXPECT_EQ(empty.frame[4], 5U);
  naja_rt_decref(reinterpret_cast<naja_owner>(empty.frame[1]));
}

TEST(Elementwise, ManyDimensions) {
  auto a = iota(1024);
  Call call;
  call.add({nullptr, std::vector<int64_t>(10), {}});
  std::vector<int64_t> extents(10, 2), strides(10);
  for (size_t i = 0; i < 10; ++i) strides[i] = int64_t{1} << i; // reversed axes
  call.add({a.data(), extents, strides});
  call.add({a.data(), extents, {}});
  ASSERT_EQ(call.run(NAJA_MAP, addKernel), NAJA_OK);
  auto *out = reinterpret_cast<double *>(call.frame[2]);
  for (unsigned i = 0; i < 1024; ++i) {
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < 10; ++bit) reversed |= (i >> bit & 1U) << (9 - bit);
    EXPECT_EQ(out[i], i + reversed);
  }
  naja_rt_decref(reinterpret_cast<naja_owner>(call.frame[1]));
}

} // namespace
