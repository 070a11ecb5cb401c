#include "naja/typing/specialisation.h"

#include <bit>

namespace naja::typing {

void WorkQueue::pushRange(uint32_t first, uint32_t last) {
  for (uint32_t word = first / 64; word * 64 < last; ++word) {
    uint64_t bits = ~uint64_t(0);
    if (word == first / 64) bits &= ~uint64_t(0) << (first % 64);
    if (last - word * 64 < 64) bits &= (uint64_t(1) << (last % 64)) - 1;
    words_[word] |= bits;
  }
  low_ = std::min(low_, first / 64);
}

uint32_t WorkQueue::pop() {
  if (empty()) return Body::kNone;
  auto bit = static_cast<uint32_t>(std::countr_zero(words_[low_]));
  words_[low_] &= words_[low_] - 1;
  return low_ * 64 + bit;
}

bool WorkQueue::empty() {
  while (low_ < words_.size() && words_[low_] == 0) ++low_;
  return low_ >= words_.size();
}

Specialisation::Specialisation(const Body &body, std::vector<TypeId> arg_types, ir::FunctionFlags flags)
    : body(body), arg_types(std::move(arg_types)), flags(flags) {}

bool Specialisation::isExecuted(uint32_t item) const {
  ir::BlockId block = body.items()[item].block;
  return isReached(block) && item <= cuts[block.value];
}

std::string Specialisation::describe() const {
  std::string text = body.signature().name + "(";
  for (size_t i = body.captured(); i < arg_types.size(); ++i)
    text += (i > body.captured() ? ", " : "") + toString(arg_types[i]);
  return text + ")";
}

} // namespace naja::typing
