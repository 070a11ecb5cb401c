// Every integer operation on every width and sign against reference arithmetic, with variable and with constant operands.
#include "harness.h"

#include <vector>

namespace naja::testing {
namespace {

using Wide = __int128;

/// Python's integers wrapped to a width.
struct Width {
  unsigned bits;
  bool is_signed;
  Wide wrap(Wide value) const {
    const auto masked = static_cast<unsigned __int128>(value) & ((static_cast<unsigned __int128>(1) << bits) - 1);
    auto result = static_cast<Wide>(masked);
    if (is_signed && (result >> (bits - 1)) != 0) result -= static_cast<Wide>(1) << bits;
    return result;
  }
};

Wide floorDiv(Wide a, Wide b) {
  Wide q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

struct Operation {
  ir::Opcode op;
  bool division;
  Wide (*reference)(const Width &, Wide, Wide);
};

const Operation kOperations[] = {
    {ir::Opcode::IAdd, false, [](const Width &, Wide a, Wide b) { return a + b; }},
    {ir::Opcode::ISub, false, [](const Width &, Wide a, Wide b) { return a - b; }},
    {ir::Opcode::IMul, false, [](const Width &, Wide a, Wide b) { return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)); }},
    {ir::Opcode::IFloorDiv, true, [](const Width &, Wide a, Wide b) { return floorDiv(a, b); }},
    {ir::Opcode::IMod, true, [](const Width &, Wide a, Wide b) { return a - floorDiv(a, b) * b; }},
    {ir::Opcode::IAnd, false, [](const Width &, Wide a, Wide b) { return a & b; }},
    {ir::Opcode::IOr, false, [](const Width &, Wide a, Wide b) { return a | b; }},
    {ir::Opcode::IXor, false, [](const Width &, Wide a, Wide b) { return a ^ b; }},
    {ir::Opcode::IShl, false, [](const Width &w, Wide a, Wide b) { return b < 0 || b >= w.bits ? Wide(0) : static_cast<Wide>(static_cast<unsigned __int128>(a) << b); }},
    {ir::Opcode::IShr, false, [](const Width &w, Wide a, Wide b) { return b < 0 || b >= w.bits ? Wide(a < 0 ? -1 : 0) : a >> b; }},
    {ir::Opcode::IMin, false, [](const Width &, Wide a, Wide b) { return a < b ? a : b; }},
    {ir::Opcode::IMax, false, [](const Width &, Wide a, Wide b) { return a > b ? a : b; }},
};

std::vector<Wide> interesting(const Width &w) {
  const Wide one = 1;
  const Wide low = w.is_signed ? -(one << (w.bits - 1)) : 0, high = (one << (w.bits - (w.is_signed ? 1 : 0))) - 1;
  std::vector<Wide> values = {low, low + 1, high, high - 1, 0, 1, 2, 3, 5, 7, 8, 10, 31, 63, 64, 100};
  if (w.is_signed)
    for (Wide v : {1, 2, 3, 7, 8, 10, 64, 100}) values.push_back(-v);
  std::vector<Wide> result;
  for (Wide v : values)
    if (w.wrap(v) == v) result.push_back(v);
  return result;
}

Wide asWide(uint64_t bits, const Width &w) { return w.wrap(static_cast<Wide>(bits)); }

class Integers : public ::testing::TestWithParam<int> {};

TEST_P(Integers, BinaryOperations) {
  for (unsigned bits : {8U, 16U, 32U, 64U})
    for (bool is_signed : {false, true}) {
      const Width w{bits, is_signed};
      const TypeId type = types().integer(bits, is_signed);
      // One function computes all operations at once: the result is a tuple.
      std::vector<TypeId> items(std::size(kOperations), type);
      const TypeId tuple = types().tuple(items);
      auto module = makeFunction({type, type}, tuple, [&](ir::Builder &b, std::vector<ir::ValueId> &args) {
        std::vector<ir::ValueId> results;
        for (const Operation &operation : kOperations) results.push_back(b.emit(operation.op, type, {args[0], args[1]}));
        b.ret(b.tupleMake(results));
      });
      Program program(*module, GetParam());
      ASSERT_TRUE(program.ok());
      const unsigned size = bits / 8;
      for (Wide a : interesting(w))
        for (Wide b : interesting(w)) {
          if (b == 0) continue; // division by zero is checked before
          unsigned char result[16 * 8] = {};
          EXPECT_EQ(program(static_cast<void *>(result), static_cast<uint64_t>(a), static_cast<uint64_t>(b)), 0);
          for (size_t i = 0; i < std::size(kOperations); ++i) {
            uint64_t raw = 0;
            memcpy(&raw, result + i * size, size);
            const Wide want = w.wrap(kOperations[i].reference(w, a, b));
            EXPECT_TRUE(asWide(raw, w) == want) << ir::info(kOperations[i].op).text << (is_signed ? " int" : " uint") << bits << " "
                                                << static_cast<int64_t>(a) << ", " << static_cast<int64_t>(b);
          }
        }
    }
}

TEST_P(Integers, ConstantDivisorsAndAmounts) {
  for (unsigned bits : {8U, 32U, 64U})
    for (bool is_signed : {false, true}) {
      const Width w{bits, is_signed};
      const TypeId type = types().integer(bits, is_signed);
      const std::vector<Wide> constants = interesting(w);
      const Operation *chosen[] = {&kOperations[3], &kOperations[4], &kOperations[8], &kOperations[9]};
      std::vector<std::pair<const Operation *, Wide>> cases;
      for (const Operation *operation : chosen)
        for (Wide c : constants)
          if (c != 0 || !operation->division) cases.emplace_back(operation, c);
      const TypeId tuple = types().tuple(std::vector<TypeId>(cases.size(), type));
      auto module = makeFunction({type}, tuple, [&](ir::Builder &b, std::vector<ir::ValueId> &args) {
        std::vector<ir::ValueId> results;
        for (auto &[operation, c] : cases)
          results.push_back(b.emit(operation->op, type, {args[0], b.intConst(static_cast<int64_t>(c), type)}));
        b.ret(b.tupleMake(results));
      });
      Program program(*module, GetParam());
      ASSERT_TRUE(program.ok());
      std::vector<unsigned char> result(cases.size() * 8 + 8);
      for (Wide a : constants) {
        EXPECT_EQ(program(static_cast<void *>(result.data()), static_cast<uint64_t>(a)), 0);
        for (size_t i = 0; i < cases.size(); ++i) {
          uint64_t raw = 0;
          memcpy(&raw, result.data() + i * (bits / 8), bits / 8);
          auto &[operation, c] = cases[i];
          EXPECT_TRUE(asWide(raw, w) == w.wrap(operation->reference(w, a, c)))
              << ir::info(operation->op).text << bits << " " << static_cast<int64_t>(a) << ", " << static_cast<int64_t>(c);
        }
      }
    }
}

TEST_P(Integers, UnaryAndComparisons) {
  const TypeId i64 = types().int64;
  auto module = makeFunction({i64, i64}, types().tuple(std::vector<TypeId>{i64, i64, i64, types().boolean, types().boolean}),
                             [&](ir::Builder &b, std::vector<ir::ValueId> &args) {
                               std::vector<ir::ValueId> results = {
                                   b.emit(ir::Opcode::INeg, i64, {args[0]}), b.emit(ir::Opcode::IAbs, i64, {args[0]}),
                                   b.emit(ir::Opcode::INot, i64, {args[0]}), b.icmp(ir::Predicate::Lt, args[0], args[1]),
                                   b.icmp(ir::Predicate::Eq, args[0], args[1])};
                               b.ret(b.tupleMake(results));
                             });
  Program program(*module, GetParam());
  struct { int64_t neg, abs, inverted; uint8_t less, equal; } result;
  for (int64_t a : {int64_t{0}, int64_t{-5}, int64_t{5}, INT64_MIN})
    for (int64_t b : {int64_t{0}, int64_t{-5}, int64_t{7}}) {
      ASSERT_EQ(program(&result, a, b), 0);
      EXPECT_EQ(result.neg, static_cast<int64_t>(0 - static_cast<uint64_t>(a)));
      EXPECT_EQ(result.abs, a < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a);
      EXPECT_EQ(result.inverted, ~a);
      EXPECT_EQ(result.less, a < b);
      EXPECT_EQ(result.equal, a == b);
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, Integers, ::testing::Values(0, 3));

} // namespace
} // namespace naja::testing
