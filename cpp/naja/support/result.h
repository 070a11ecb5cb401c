// Result<T>: a value or a Diagnostic. No exceptions outside bindings.
#pragma once

#include "naja/support/diagnostic.h"

#include <cassert>
#include <variant>

namespace naja {

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::move(value)) {}
  Result(Diagnostic error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T &value() { assert(ok()); return std::get<0>(state_); }
  const T &value() const { assert(ok()); return std::get<0>(state_); }
  T &operator*() { return value(); }
  T *operator->() { return &value(); }
  Diagnostic &error() { assert(!ok()); return std::get<1>(state_); }
  const Diagnostic &error() const { assert(!ok()); return std::get<1>(state_); }

private:
  std::variant<T, Diagnostic> state_;
};

struct Unit {};
using Status = Result<Unit>;

} // namespace naja
