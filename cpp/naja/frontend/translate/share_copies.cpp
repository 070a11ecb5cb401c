#include "naja/frontend/translate/share_copies.h"

#include <unordered_map>

namespace naja::frontend {
namespace {

constexpr uint32_t kLeastShared = 2; // a return alone need not be shared: its operands meet in the result

class Sharing {
public:
  Sharing(std::vector<Operation> &ops, const CodeSnapshot &code) : ops_(ops), code_(code) {}

  void run() {
    for (uint32_t end = 0; end < ops_.size(); ++end) {
      const Op op = ops_[end].op;
      if (op != Op::Return && op != Op::Raise && op != Op::Jump) continue;
      const Loc loc = location(ops_[end]);
      if (loc.line <= 0 || loc.col < 0) continue;
      const uint64_t key = static_cast<uint64_t>(loc.line) << 32U | static_cast<uint32_t>(loc.col);
      std::vector<uint32_t> &ends = ends_[key];
      if (!shareWithOneOf(ends, end)) ends.push_back(end);
    }
  }

private:
  const Loc &location(const Operation &op) const { return code_.locations[op.unit]; }

  bool same(const Operation &a, const Operation &b) const {
    return a.op == b.op && a.arg == b.arg && location(a) == location(b);
  }

  const ExceptionTableEntry *handler(const Operation &op) const {
    const auto unit = static_cast<int32_t>(op.unit);
    for (const ExceptionTableEntry &entry : code_.exceptions)
      if (unit >= entry.start && unit < entry.end) return &entry;
    return nullptr;
  }

  /// Operations up to and including those at `a` and `b` that are the same.
  uint32_t commonLength(uint32_t a, uint32_t b) const {
    if (!same(ops_[a], ops_[b]) || handler(ops_[a]) != handler(ops_[b])) return 0;
    uint32_t length = 1;
    while (length <= a && a + length < b) {
      const Operation &x = ops_[a - length], &y = ops_[b - length];
      if (endsBlock(x.op) || endsBlock(y.op) || x.op == Op::IterNext || !same(x, y) || handler(x) != handler(y)) break;
      ++length;
    }
    // A call and the names of its arguments belong together.
    while (length > 0 && b >= length && ops_[b - length].op == Op::KwNames) --length;
    return length;
  }

  bool shareWithOneOf(const std::vector<uint32_t> &ends, uint32_t end) {
    constexpr size_t kMostTried = 8;
    uint32_t longest = 0, first = 0;
    for (size_t i = 0; i < ends.size() && i < kMostTried; ++i) {
      const uint32_t length = commonLength(ends[i], end);
      if (length <= longest) continue;
      longest = length;
      first = ends[i] + 1 - length;
    }
    if (longest < kLeastShared) return false;
    Operation &start = ops_[end + 1 - longest];
    start = {.op = Op::Jump, .arg = static_cast<int32_t>(first), .unit = start.unit};
    return true;
  }

  std::vector<Operation> &ops_;
  const CodeSnapshot &code_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> ends_; // of code that has not been shared, by line and column
};

} // namespace

void shareCopies(std::vector<Operation> &ops, const CodeSnapshot &code) {
  if (code.locations.size() == code.bytecode.size() / 2) Sharing(ops, code).run(); // else nothing says what is a copy
}

} // namespace naja::frontend
