// Typed 32-bit ids: an index into the store that owns the thing, never a pointer.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace naja {

/// An index with a tag type, so that a block id cannot be passed for a value id.
template <class Tag> struct Id {
  static constexpr uint32_t kInvalid = 0xffffffffU;
  uint32_t value = kInvalid;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t index) : value(index) {}
  constexpr bool valid() const { return value != kInvalid; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr auto operator<=>(const Id &) const = default;
};

} // namespace naja

template <class Tag> struct std::hash<naja::Id<Tag>> {
  size_t operator()(naja::Id<Tag> id) const noexcept { return std::hash<uint32_t>{}(id.value); }
};
