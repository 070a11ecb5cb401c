// The native ABI of values: every type is a list of machine scalars. One definition for codegen, bindings and launchers.
#pragma once

#include "naja/types/type.h"

#include <cstdint>
#include <span>
#include <vector>

namespace naja {

enum class Machine : uint8_t { I8, I16, I32, I64, F32, F64, Ptr };
constexpr unsigned sizeOf(Machine m) {
  switch (m) {
  case Machine::I8: return 1;
  case Machine::I16: return 2;
  case Machine::I32: case Machine::F32: return 4;
  default: return 8;
  }
}
constexpr bool isFloat(Machine m) { return m == Machine::F32 || m == Machine::F64; }

/// The scalars of a type, in order (codegen/codegen.h describes them). Cached per type; thread-safe; the span stays valid.
std::span<const Machine> scalarsOf(TypeId type);
/// Offsets of those scalars in the C struct of them (a returned value, a closure or an exception's arguments).
struct StructLayout { std::vector<uint32_t> offsets; uint32_t size = 0, alignment = 1; };
const StructLayout &structLayoutOf(TypeId type);

/// A scalar of a type that counts references: an owner (runtime/abi.h), or a PyObject*. Owners of an absent Optional, of
/// MaybeUnbound without a value and of `undef` are null, so that counting needs no test of presence.
struct ReferenceSlot { uint32_t scalar = 0; bool is_object = false; };
std::span<const ReferenceSlot> referencesOf(TypeId type);

// Positions in an array's scalars.
constexpr unsigned kStringData = 0, kStringLength = 1, kStringKind = 2, kStringIsAscii = 3, kStringHash = 4, kStringOwner = 5;
constexpr unsigned kArrayOwner = 0, kArrayData = 1, kArrayDims = 2; // strides follow the extents where layout is A

} // namespace naja
