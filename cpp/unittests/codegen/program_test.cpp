// Whole functions from NIR to calls: loops, arrays, exceptions, calls, elementwise work.
#include "harness.h"

#include "naja/types/constant.h"

#include <cmath>
#include <numeric>

namespace naja::testing {
namespace {

class Programs : public ::testing::TestWithParam<int> {};

TypeId f64() { return types().float64; }
TypeId i64() { return types().int64; }
TypeId vector() { return types().array(f64(), 1, Layout::C); }
TypeId matrix() { return types().array(f64(), 2, Layout::C); }

/// sum of a[i] for i in range(len(a))
std::unique_ptr<ir::Module> sumLoop() {
  return makeFunction({vector()}, f64(), [](ir::Builder &b, std::vector<ir::ValueId> &args) {
    ir::Function &f = b.function();
    ir::BlockId header = f.addBlock(), body = f.addBlock(), done = f.addBlock();
    ir::ValueId i = f.addParam(header, i64()), s = f.addParam(header, f64());
    f.block(header).is_loop_header = true;
    ir::ValueId n = b.dim(args[0], 0);
    b.br(header, {b.int64(0), b.floatConst(0.0, f64())});
    b.setBlock(header);
    b.condBr(b.icmp(ir::Predicate::Lt, i, n), body, {}, done, {});
    b.setBlock(body);
    ir::ValueId item = b.emit(ir::Opcode::ArrayLoad, f64(), {args[0], i});
    ir::ValueId next_sum = b.emit(ir::Opcode::FAdd, f64(), {s, item});
    b.br(header, {b.iadd(i, b.int64(1), ir::kNoWrapSigned), next_sum});
    b.setBlock(done);
    b.ret(s);
  });
}

TEST_P(Programs, SumOfAnArray) {
  auto module = sumLoop();
  Program program(*module, GetParam());
  std::vector<double> data(1000);
  std::iota(data.begin(), data.end(), 1.0);
  double result = 0;
  ASSERT_EQ(program(&result, static_cast<void *>(nullptr), data.data(), int64_t{1000}), 0);
  EXPECT_EQ(result, 500500.0);
}

TEST_P(Programs, ChecksRaiseWithTheirOperands) {
  auto module = makeFunction({vector(), i64(), i64()}, f64(), [](ir::Builder &b, std::vector<ir::ValueId> &args) {
    b.emit(ir::Opcode::CheckNonZero, {}, {args[2]}, ir::internSymbol("division by zero").value);
    ir::ValueId index = b.emit(ir::Opcode::IFloorDiv, i64(), {args[1], args[2]});
    ir::ValueId n = b.dim(args[0], 0);
    ir::ValueId wrapped = b.emit(ir::Opcode::WrapIndex, i64(), {index, n});
    b.emit(ir::Opcode::CheckIndex, {}, {wrapped, n}, 0);
    b.ret(b.emit(ir::Opcode::ArrayLoad, f64(), {args[0], wrapped}));
  });
  Program program(*module, GetParam());
  double data[] = {1, 2, 3}, result = 0;
  void *owner = nullptr;
  ASSERT_EQ(program(&result, owner, data, int64_t{3}, int64_t{4}, int64_t{2}), 0);
  EXPECT_EQ(result, 3);
  ASSERT_EQ(program(&result, owner, data, int64_t{3}, int64_t{-1}, int64_t{1}), 0);
  EXPECT_EQ(result, 3);
  EXPECT_EQ(program(&result, owner, data, int64_t{3}, int64_t{4}, int64_t{0}), NAJA_RAISED);
  EXPECT_EQ(takeException(), "ZeroDivisionError: division by zero");
  EXPECT_EQ(program(&result, owner, data, int64_t{3}, int64_t{7}, int64_t{1}), NAJA_RAISED);
  EXPECT_EQ(takeException(), "IndexError: index 7 is out of bounds for axis 0 with size 3");
}

TEST_P(Programs, RaiseUnwindsThroughTheBlockThatReleases) {
  const ConstId value_error = ConstantStore::global().intern({ExceptionRef{"ValueError", {}}, types().none, false});
  auto module = makeFunction({i64()}, i64(), [&](ir::Builder &b, std::vector<ir::ValueId> &args) {
    ir::Function &f = b.function();
    ir::BlockId unwind = f.addBlock(), bad = f.addBlock(), good = f.addBlock();
    ir::ValueId array = b.emit(ir::Opcode::ArrayAlloc, vector(), {args[0]});
    b.condBr(b.icmp(ir::Predicate::Gt, args[0], b.int64(5)), bad, {}, good, {});
    b.setBlock(bad);
    b.raise(value_error, std::vector<ir::ValueId>{args[0]});
    b.last().unwind = unwind;
    b.setBlock(good);
    ir::ValueId n = b.dim(array, 0);
    b.emit(ir::Opcode::DecRef, {}, {array});
    b.ret(n);
    b.setBlock(unwind);
    b.emit(ir::Opcode::DecRef, {}, {array});
    b.emit(ir::Opcode::Resume, {}, {});
  });
  Program program(*module, GetParam());
  const int64_t before = naja_rt_live_allocations();
  int64_t result = 0;
  EXPECT_EQ(program(&result, int64_t{3}), 0);
  EXPECT_EQ(result, 3);
  EXPECT_EQ(program(&result, int64_t{8}), NAJA_RAISED);
  EXPECT_NE(takeException().find(": 8"), std::string::npos);
  EXPECT_EQ(program(&result, int64_t{-1}), NAJA_RAISED);
  EXPECT_EQ(takeException(), "ValueError: negative dimensions are not allowed");
  EXPECT_EQ(program(&result, INT64_MAX), NAJA_RAISED);
  EXPECT_EQ(takeException().substr(0, 11), "MemoryError");
  EXPECT_EQ(naja_rt_live_allocations(), before);
}

/// fib(n), with the recursion through the entry of the module.
TEST_P(Programs, RecursionThroughTheRoot) {
  auto module = std::make_unique<ir::Module>();
  auto function = std::make_unique<ir::Function>();
  function->name = "fib";
  function->typed = true;
  function->param_types = {i64()};
  function->return_type = i64();
  ir::Function &f = *function;
  module->root = module->add(std::move(function));
  ir::BlockId entry = f.addBlock(), small = f.addBlock(), large = f.addBlock();
  ir::ValueId n = f.addParam(entry, i64());
  ir::Builder b(f, entry);
  b.emit(ir::Opcode::CheckStack, {}, {});
  b.condBr(b.icmp(ir::Predicate::Lt, n, b.int64(2)), small, {}, large, {});
  b.setBlock(small);
  b.ret(n);
  b.setBlock(large);
  ir::ValueId one = b.call(module->root, i64(), std::vector<ir::ValueId>{b.isub(n, b.int64(1))});
  ir::ValueId two = b.call(module->root, i64(), std::vector<ir::ValueId>{b.isub(n, b.int64(2))});
  b.ret(b.iadd(one, two));
  Program program(*module, GetParam());
  int64_t result = 0;
  ASSERT_EQ(program(&result, int64_t{20}), 0);
  EXPECT_EQ(result, 6765);
}

/// out = a * b + 2 as a map; a kernel function of two floats.
std::unique_ptr<ir::Module> mapModule(TypeId a, TypeId b_type, TypeId result) {
  auto module = makeFunction({a, b_type}, result, [](ir::Builder &, std::vector<ir::ValueId> &) {});
  auto kernel = std::make_unique<ir::Function>();
  kernel->name = "kernel";
  kernel->typed = kernel->is_kernel = true;
  kernel->may_raise = false;
  kernel->param_types = {f64(), f64()};
  kernel->return_type = f64();
  ir::BlockId entry = kernel->addBlock();
  ir::ValueId x = kernel->addParam(entry, f64()), y = kernel->addParam(entry, f64());
  ir::Builder kb(*kernel, entry);
  ir::ValueId product = kb.emit(ir::Opcode::FMul, f64(), {x, y});
  kb.ret(kb.emit(ir::Opcode::FAdd, f64(), {product, kb.floatConst(2.0, f64())}));
  ir::FunctionId id = module->add(std::move(kernel));
  ir::Function &f = module->get(module->root);
  ir::Builder b(f, f.entry());
  const auto &params = f.block(f.entry()).params;
  b.ret(b.emit(ir::Opcode::ArrayMap, result, {params[0], params[1]}, static_cast<int64_t>(id.value)));
  return module;
}

struct Vector { void *owner; double *data; int64_t n; };
struct Matrix { void *owner; double *data; int64_t n, m; };

TEST_P(Programs, MapOfVectors) {
  auto module = mapModule(vector(), vector(), vector());
  Program program(*module, GetParam());
  std::vector<double> a(100), b(100);
  std::iota(a.begin(), a.end(), 0.0);
  std::iota(b.begin(), b.end(), 1.0);
  void *owner = nullptr;
  Vector result{};
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{100}, owner, b.data(), int64_t{100}), 0);
  ASSERT_EQ(result.n, 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(result.data[i], a[i] * b[i] + 2);
  naja_rt_decref(result.owner);
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{100}, owner, b.data(), int64_t{1}), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(result.data[i], a[i] * b[0] + 2);
  naja_rt_decref(result.owner);
  EXPECT_EQ(program(&result, owner, a.data(), int64_t{100}, owner, b.data(), int64_t{99}), NAJA_RAISED);
  EXPECT_EQ(takeException(), "ValueError: operands could not be broadcast together with shapes (100,) (99,)");
}

TEST_P(Programs, MapBroadcastsAndTakesStrides) {
  const TypeId strided = types().array(f64(), 2, Layout::A);
  auto module = mapModule(strided, vector(), matrix());
  Program program(*module, GetParam());
  std::vector<double> a(12), b = {10, 20, 30};
  std::iota(a.begin(), a.end(), 0.0);
  void *owner = nullptr;
  Matrix result{};
  // The transpose of a 3 x 4 matrix.
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{4}, int64_t{3}, int64_t{8}, int64_t{32}, owner, b.data(), int64_t{3}), 0);
  ASSERT_EQ(result.n, 4);
  ASSERT_EQ(result.m, 3);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(result.data[3 * i + j], a[4 * j + i] * b[j] + 2);
  naja_rt_decref(result.owner);
}

std::unique_ptr<ir::Module> reduceModule(TypeId array, ir::ReduceKind kind) {
  auto module = makeFunction({array}, f64(), [](ir::Builder &, std::vector<ir::ValueId> &) {});
  auto kernel = std::make_unique<ir::Function>();
  kernel->name = "identity";
  kernel->typed = kernel->is_kernel = true;
  kernel->may_raise = false;
  kernel->param_types = {f64()};
  kernel->return_type = f64();
  ir::BlockId entry = kernel->addBlock();
  kernel->addParam(entry, f64());
  ir::Builder kb(*kernel, entry);
  kb.ret(kernel->block(entry).params[0]);
  ir::FunctionId id = module->add(std::move(kernel));
  ir::Function &f = module->get(module->root);
  ir::Builder b(f, f.entry());
  const double start = kind == ir::ReduceKind::Min ? INFINITY : kind == ir::ReduceKind::Max ? -INFINITY : 0.0;
  ir::ValueId sum = b.emit(ir::Opcode::ArrayReduce, f64(), {f.block(f.entry()).params[0], b.floatConst(start, f64())},
                           static_cast<int64_t>(id.value));
  b.last().int_list = {static_cast<int64_t>(kind)};
  b.ret(sum);
  return module;
}

TEST_P(Programs, SumsAreAccurate) {
  auto module = reduceModule(vector(), ir::ReduceKind::Sum);
  Program program(*module, GetParam());
  std::vector<double> a(100001);
  long double exact = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = 1.0 / static_cast<double>(i + 1);
    exact += a[i];
  }
  double result = 0;
  void *owner = nullptr;
  ASSERT_EQ(program(&result, owner, a.data(), static_cast<int64_t>(a.size())), 0);
  EXPECT_NEAR(result, static_cast<double>(exact), 1e-14);
  a[5] = INFINITY;
  ASSERT_EQ(program(&result, owner, a.data(), static_cast<int64_t>(a.size())), 0);
  EXPECT_EQ(result, INFINITY);
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{0}), 0);
  EXPECT_EQ(result, 0.0);
}

TEST_P(Programs, MaximumPropagatesNan) {
  auto module = reduceModule(vector(), ir::ReduceKind::Max);
  Program program(*module, GetParam());
  std::vector<double> a(1000, -3.0);
  a[700] = 5.0;
  double result = 0;
  void *owner = nullptr;
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{1000}), 0);
  EXPECT_EQ(result, 5.0);
  a[500] = NAN;
  ASSERT_EQ(program(&result, owner, a.data(), int64_t{1000}), 0);
  EXPECT_TRUE(std::isnan(result));
}

TEST_P(Programs, NanTestsSurviveFastMath) {
  ir::FunctionFlags flags;
  flags.fastmath = ir::kFast;
  auto module = makeFunction({f64()}, types().boolean, [](ir::Builder &b, std::vector<ir::ValueId> &args) {
    ir::ValueId twice = b.emit(ir::Opcode::FAdd, f64(), {args[0], args[0]});
    b.ret(b.math(ir::MathFn::IsNan, types().boolean, {twice}));
  }, flags);
  Program program(*module, GetParam());
  uint8_t result = 0;
  ASSERT_EQ(program(&result, static_cast<double>(NAN)), 0);
  EXPECT_EQ(result, 1);
  ASSERT_EQ(program(&result, 1.0), 0);
  EXPECT_EQ(result, 0);
}

TEST_P(Programs, FloatToIntSaturates) {
  auto module = makeFunction({f64()}, i64(), [](ir::Builder &b, std::vector<ir::ValueId> &args) { b.ret(b.cast(args[0], i64())); });
  Program program(*module, GetParam());
  int64_t result = 0;
  const std::pair<double, int64_t> cases[] = {{9223372036854774784.0, 9223372036854774784}, {1.9, 1}, {-1.9, -1}, {1e30, INT64_MAX}, {-1e30, INT64_MIN}, {NAN, 0}, {INFINITY, INT64_MAX}};
  for (auto [from, want] : cases) {
    ASSERT_EQ(program(&result, from), 0);
    EXPECT_EQ(result, want) << from;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Programs, ::testing::Values(0, 1, 3));

} // namespace
} // namespace naja::testing
