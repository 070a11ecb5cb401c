// Copies the body of a function to the place of a call.
#pragma once

#include "naja/ir/function.h"

namespace naja::passes {

/// Replaces the call at `position` of `block` by the callee's body. The rest of the block moves to a block of its own where
/// the callee has more than one; returns the block where the rest is now. What raises in the callee unwinds to where the
/// call did. The call's result is replaced in the whole function. `caller` and `callee` are different functions.
ir::BlockId inlineCall(ir::Function &caller, ir::BlockId block, size_t position, const ir::Function &callee);

/// The same for many calls in one function: inlineAt for each, then finish().
class Inliner {
public:
  explicit Inliner(ir::Function &caller) : f_(caller) {}
  struct Place {
    ir::BlockId block;
    size_t position; // of what followed the call
  };
  Place inlineAt(ir::BlockId block, size_t position, const ir::Function &callee);
  /// Rewrites the uses of the calls' results.
  void finish();

private:
  ir::ValueId resolve(ir::ValueId value) const;
  void replace(ir::ValueId from, ir::ValueId to);

  ir::Function &f_;
  std::vector<ir::ValueId> map_;
};

} // namespace naja::passes
