// The registry of specialisations that this process has compiled, so that nothing is compiled twice: a later
// compilation that calls one binds to its symbol instead of compiling its body again. Thread-safe; entries are never
// mutated.
#pragma once

#include "naja/driver/compile.h"

#include <atomic>
#include <mutex>
#include <unordered_map>

namespace naja::driver {

/// Identity of a specialisation: which function (with which dispatcher, hence options) for which argument types.
struct SpecialisationKey {
  PyHandle function, dispatcher;
  std::vector<TypeId> arg_types;
  bool operator==(const SpecialisationKey &) const = default;
};
struct SpecialisationKeyHash {
  size_t operator()(const SpecialisationKey &key) const noexcept;
};

/// Owned by the process (never destroyed: compiled code may run during interpreter shutdown).
class Registry {
public:
  static Registry &global();

  void insert(const SpecialisationKey &key, std::shared_ptr<CompiledFunction> function);
  std::shared_ptr<CompiledFunction> find(const SpecialisationKey &key) const;
  /// By the symbol that compiled code names; null where there is none.
  std::shared_ptr<CompiledFunction> findSymbol(const std::string &symbol) const;
  /// Forgets every specialisation of a function (it is being recompiled); code that runs stays alive through its users.
  void forget(PyHandle function);
  /// A number that no other compilation of this process has, for unique symbols.
  uint64_t nextNumber() { return next_++; }

private:
  mutable std::mutex mutex_;
  std::atomic<uint64_t> next_{1};
  std::unordered_map<SpecialisationKey, std::shared_ptr<CompiledFunction>, SpecialisationKeyHash> by_key_;
  std::unordered_map<std::string, std::shared_ptr<CompiledFunction>> by_symbol_;
};

/// What one typing session sees of the registry. Small callees are not offered: their bodies are worth more inlined.
/// Remembers what it handed out, so that the code that is bound to it keeps it alive.
class VisibleFunctions : public typing::CompiledFunctions {
public:
  std::optional<Entry> find(const FunctionRef &function, std::span<const TypeId> args) override;
  std::vector<std::shared_ptr<CompiledFunction>> takeUsed() { return std::move(used_); }

private:
  std::vector<std::shared_ptr<CompiledFunction>> used_;
};

/// Callees of at most this many NIR instructions (after passes) are inlined into later compilations rather than called.
constexpr size_t kInlineWorthy = 80;

} // namespace naja::driver
