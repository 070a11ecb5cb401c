// What each relocation type of the two machines asks for, and how it is written into the image.
#pragma once

#include <cstdint>
#include <string>

namespace naja::jit {

enum class RelocationUse : uint8_t {
  None,     // nothing to do
  Relative, // distance to the symbol, which must be in the image
  Branch,   // as Relative, but an imported symbol is reached through a stub
  Slot,     // distance to an 8-byte slot that holds the symbol's address
  Absolute, // 64-bit address: a fixup of the loader
  Unknown,
};

RelocationUse usageOf(uint16_t machine, uint32_t type);
/// Bytes that the relocation writes.
unsigned relocationSize(uint16_t machine, uint32_t type);
/// Writes one; `place` and `symbol` are offsets in the image. Empty, or what is wrong.
std::string applyRelocation(uint16_t machine, uint32_t type, char *at, uint32_t place, int64_t symbol, int64_t addend);

constexpr uint32_t kStubSize = 16;
/// A jump through the slot.
void writeStub(uint16_t machine, char *at, uint32_t place, uint32_t slot);

} // namespace naja::jit
