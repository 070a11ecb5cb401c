#include "naja/driver/compiled_functions.h"

#include <algorithm>

namespace naja::driver {

size_t SpecialisationKeyHash::operator()(const SpecialisationKey &key) const noexcept {
  uint64_t hash = 0x9e3779b97f4a7c15ULL ^ key.function.value;
  auto mix = [&hash](uint64_t value) {
    hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
  };
  mix(key.dispatcher.value);
  for (TypeId type : key.arg_types) mix(type.value);
  return hash;
}

Registry &Registry::global() {
  static Registry *registry = new Registry;
  return *registry;
}

void Registry::insert(const SpecialisationKey &key, std::shared_ptr<CompiledFunction> function) {
  std::lock_guard lock(mutex_);
  by_symbol_[function->symbol] = function;
  if (key.function.valid()) by_key_[key] = std::move(function);
}

std::shared_ptr<CompiledFunction> Registry::find(const SpecialisationKey &key) const {
  std::lock_guard lock(mutex_);
  auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : it->second;
}

std::shared_ptr<CompiledFunction> Registry::findSymbol(const std::string &symbol) const {
  std::lock_guard lock(mutex_);
  auto it = by_symbol_.find(symbol);
  return it == by_symbol_.end() ? nullptr : it->second;
}

void Registry::forget(PyHandle function) {
  std::lock_guard lock(mutex_);
  std::erase_if(by_key_, [&](const auto &entry) { return entry.first.function == function; });
}

std::optional<typing::CompiledFunctions::Entry> VisibleFunctions::find(const FunctionRef &function,
                                                                       std::span<const TypeId> args) {
  auto compiled = Registry::global().find({function.function, function.dispatcher, {args.begin(), args.end()}});
  if (!compiled || compiled->nir_instructions <= kInlineWorthy) return std::nullopt;
  if (std::find(used_.begin(), used_.end(), compiled) == used_.end()) used_.push_back(compiled);
  return Entry{compiled->symbol, compiled->return_type, compiled->may_raise};
}

} // namespace naja::driver
