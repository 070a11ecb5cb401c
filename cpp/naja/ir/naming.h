// Numbers of values and blocks as the text form shows them: consecutive in order of printing, so that a text does not
// depend on how the function came about.
#pragma once

#include "naja/ir/function.h"

#include <string>
#include <vector>

namespace naja::ir {

class Naming {
public:
  explicit Naming(const Function &function);
  /// Live blocks in printing order: reverse post-order, unreachable ones last.
  const std::vector<BlockId> &order() const { return order_; }
  std::string value(ValueId id) const; // "%3" or "%name.3"; "%?" where it is defined nowhere
  std::string block(BlockId id) const; // "bb2"

private:
  const Function &function_;
  std::vector<BlockId> order_;
  std::vector<uint32_t> values_, blocks_;
};

/// `@name`, quoted where it has unusual characters.
std::string functionName(std::string_view name);
/// "text" with escapes, as symbols and file names are written.
std::string quote(std::string_view text);

} // namespace naja::ir
