// A translated function, prepared for the solver: the order in which to visit, uses of values, edges, loop headers.
// Immutable once made; shared by all specialisations of the function.
#pragma once

#include "naja/typing/infer.h"
#include "naja/typing/signature.h"

#include <functional>
#include <memory>
#include <span>

namespace naja::typing {

/// frontend::translate, or what stands for it.
using Translator = std::function<Result<frontend::Translated>(const frontend::FunctionSnapshot &, bool is_inner,
                                                              std::span<const std::string> kept)>;

class Body {
public:
  static constexpr uint32_t kNone = 0xffffffffU;

  /// One step of the solver: the join at the head of a block (no inst), or an instruction. Numbered in program order.
  struct Item {
    ir::BlockId block;
    ir::InstId inst;
  };
  /// An edge into a block: edge `edge` of terminator `inst`; `number` among all edges of the function.
  struct InEdge {
    ir::InstId inst;
    uint32_t edge;
    uint32_t number;
  };

  Body(std::shared_ptr<const frontend::FunctionSnapshot> snapshot, FunctionOptions options,
       frontend::Translated translated, bool is_inner);

  const frontend::FunctionSnapshot &snapshot() const { return *snapshot_; }
  const frontend::CodeSnapshot &code() const { return *snapshot_->code; }
  const ir::Function &function() const { return *function_; }
  const FunctionOptions &options() const { return options_; }
  const CallSignature &signature() const { return signature_; }
  const std::shared_ptr<const frontend::FunctionSnapshot> &inner(size_t index) const { return inner_[index]; }
  /// Leading parameters that are captured values.
  unsigned captured() const { return captured_; }
  size_t numParams() const { return captured_ + signature_.numParams(); }
  /// Name of parameter i, captured ones included.
  std::string_view paramName(size_t i) const;

  std::span<const Item> items() const { return items_; }
  const std::vector<ir::BlockId> &order() const { return order_; }
  /// Items of a block: [first, last); the first is its join.
  uint32_t firstItem(ir::BlockId block) const { return first_item_[block.value]; }
  uint32_t lastItem(ir::BlockId block) const { return last_item_[block.value]; }
  uint32_t itemOf(ir::InstId inst) const { return item_of_[inst.value]; }
  std::span<const uint32_t> uses(ir::ValueId value) const {
    return {uses_.data() + use_begin_[value.value], uses_.data() + use_begin_[value.value + 1]};
  }
  std::span<const InEdge> inEdges(ir::BlockId block) const {
    return {in_edges_.data() + in_edge_begin_[block.value], in_edges_.data() + in_edge_begin_[block.value + 1]};
  }
  uint32_t edgeNumber(ir::BlockId from, size_t edge) const {
    return first_edge_[from.value] + static_cast<uint32_t>(edge);
  }
  size_t numEdges() const { return num_edges_; }
  bool isLoopHeader(ir::BlockId block) const { return loop_header_[block.value] != 0; }
  /// False for a block parameter that no instruction ever reads: it is not typed, so that it cannot fail to unify.
  bool isLive(ir::ValueId value) const { return live_[value.value] != 0; }
  /// The type that the `locals` option forces on a variable; invalid: none.
  TypeId forcedType(ir::SymbolId name) const;
  bool forcesTypes() const { return !forced_.empty(); }

  /// What is certain to be asked of Python if all of the function is reached: attributes of modules, bodies of
  /// functions.
  struct Question {
    ConstId object;    // a module, or the function itself
    ir::SymbolId name; // invalid: the body of a function
  };
  const std::vector<Question> &questions() const { return questions_; }

  uint32_t id = 0; // position in the session's list

private:
  void orderBlocks();
  void numberItems();
  void collectEdges();
  void findLiveParams();
  void collectUses();
  void readSignature(bool is_inner);
  void collectQuestions();
  template <class F> void eachUse(F f) const;

  std::shared_ptr<const frontend::FunctionSnapshot> snapshot_;
  FunctionOptions options_;
  std::unique_ptr<ir::Function> function_;
  std::vector<std::shared_ptr<const frontend::FunctionSnapshot>> inner_;
  CallSignature signature_;
  unsigned captured_ = 0;
  std::vector<ir::BlockId> order_;
  std::vector<Item> items_;
  std::vector<uint32_t> first_item_, last_item_, first_edge_, item_of_;
  std::vector<InEdge> in_edges_;
  std::vector<uint32_t> in_edge_begin_, use_begin_, uses_;
  std::vector<uint8_t> loop_header_, live_;
  std::vector<std::pair<ir::SymbolId, TypeId>> forced_;
  std::vector<Question> questions_;
  size_t num_edges_ = 0;
};

} // namespace naja::typing
