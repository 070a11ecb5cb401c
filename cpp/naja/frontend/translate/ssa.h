// SSA construction on the fly (after Braun et al. 2013): variables are read and written while instructions are emitted;
// where control flow meets, a read makes a provisional parameter whose arguments are looked up once all is emitted.
// finish() then drops the trivial ones, drops the checks of variables that are certainly assigned, and makes the rest
// real. Nothing recurses, and everything is linear in instructions and provisional parameters.
#pragma once

#include "naja/frontend/translate/cfg.h"
#include "naja/ir/function.h"

#include <vector>

namespace naja::frontend {

/// (block, variable) -> value at the end of the block. Open addressing.
class DefinitionMap {
public:
  explicit DefinitionMap(size_t expected);
  ir::ValueId find(uint32_t block, uint32_t variable) const;
  void set(uint32_t block, uint32_t variable, ir::ValueId value);

private:
  struct Slot {
    uint64_t key = kEmpty;
    ir::ValueId value;
  };
  static constexpr uint64_t kEmpty = ~0ULL;
  static uint64_t keyOf(uint32_t block, uint32_t variable) { return uint64_t(block) << 32U | variable; }
  size_t place(uint64_t key) const;
  void grow();

  std::vector<Slot> slots_;
  size_t used_ = 0;
};

class SsaBuilder {
public:
  /// Blocks of the function are those of the graph, by number. Variables are any numbers.
  SsaBuilder(ir::Function &function, const Cfg &cfg, size_t expected_definitions);

  /// The value now (in the block being filled) or at the end (of one filled before). May be provisional.
  ir::ValueId read(uint32_t block, uint32_t variable);
  void write(uint32_t block, uint32_t variable, ir::ValueId value) { definitions_.set(block, variable, value); }
  /// A variable that is written here and nowhere else, before everything: reads need no look-up.
  void writeOnce(uint32_t variable, ir::ValueId value);

  /// What a variable holds that was never assigned, or deleted.
  static constexpr ir::ValueId unbound() { return ir::ValueId(kUnbound); }
  static bool isProvisional(ir::ValueId value) { return (value.value & kPhiBit) != 0 && value.valid(); }
  /// A variable that a provisional value is assigned to: a name for what it turns out to be.
  void suggestName(ir::ValueId value, ir::SymbolId name) {
    if (isPhi(value)) suggested_.push_back({value, name});
  }
  /// An instruction g.check_bound of a provisional value, to be dropped where the value turns out to be assigned.
  void addCheck(ir::InstId check) { checks_.push_back(check); }

  /// Rewrites all instructions to real values and gives blocks their parameters and edges their arguments. Variables
  /// below names.size() give their names to parameters.
  void finish(const std::vector<ir::SymbolId> &names);

private:
  static constexpr uint32_t kPhiBit = 0x80000000U, kUnbound = 0xfffffffeU;
  struct Phi {
    uint32_t block, variable, first_arg;
    ir::ValueId alias;        // what it turned out to be; itself: a real parameter
    uint32_t next_same = kNo; // others that turned out to be this one
    bool may_be_unbound = false, live = false;
  };
  static constexpr uint32_t kNo = 0xffffffffU;

  static ir::ValueId phiId(uint32_t index) { return ir::ValueId(index | kPhiBit); }
  static bool isPhi(ir::ValueId value) { return isProvisional(value) && value.value != kUnbound; }
  static uint32_t phiIndex(ir::ValueId value) { return value.value & ~kPhiBit; }
  std::span<const ir::ValueId> argsOf(const Phi &phi) const {
    return {args_.data() + phi.first_arg, cfg_.predecessors(phi.block).size()};
  }
  ir::ValueId resolve(ir::ValueId value);
  void fillArguments();
  void collectUsers();
  void findUnbound();
  void dropChecks();
  void removeTrivial();
  bool tryRemove(uint32_t index, std::vector<uint32_t> &work);
  void markLive();
  void makeParams(const std::vector<ir::SymbolId> &names);
  void giveNames();
  void rewrite();
  ir::ValueId realUnbound();

  ir::Function &function_;
  const Cfg &cfg_;
  DefinitionMap definitions_;
  std::vector<ir::ValueId> once_; // by variable
  std::vector<Phi> phis_;
  std::vector<ir::ValueId> args_;            // of all phis
  std::vector<uint32_t> user_begin_, users_; // phi -> phis that take it as an argument
  std::vector<std::pair<ir::ValueId, ir::SymbolId>> suggested_;
  std::vector<ir::InstId> checks_;
  std::vector<ir::ValueId> dropped_; // by value: the operand of its dropped check
  std::vector<ir::ValueId> final_;   // by phi
  ir::ValueId real_unbound_;
};

} // namespace naja::frontend
