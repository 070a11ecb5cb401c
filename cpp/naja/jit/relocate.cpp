#include "naja/jit/relocate.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <limits>

namespace naja::jit {
namespace {

uint32_t load32(const char *at) {
  uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
void store32(char *at, uint32_t value) { std::memcpy(at, &value, sizeof value); }
void store64(char *at, uint64_t value) { std::memcpy(at, &value, sizeof value); }

constexpr int64_t kPageMask = ~int64_t{0xfff};

/// How a field is filled: `value` is symbol + addend, `place` the field's offset. False: out of range.
using Apply = bool (*)(char *at, int64_t place, int64_t value);

bool relative32(char *at, int64_t place, int64_t value) {
  const int64_t distance = value - place;
  store32(at, static_cast<uint32_t>(distance));
  return distance >= std::numeric_limits<int32_t>::min() && distance <= std::numeric_limits<int32_t>::max();
}
bool relative64(char *at, int64_t place, int64_t value) {
  store64(at, static_cast<uint64_t>(value - place));
  return true;
}
// AArch64. The image starts on a page, so that offsets and addresses agree in their low twelve bits.
bool branch26(char *at, int64_t place, int64_t value) {
  const int64_t distance = value - place;
  store32(at, (load32(at) & 0xfc000000U) | (static_cast<uint32_t>(distance >> 2) & 0x03ffffffU));
  return distance >= -(int64_t{1} << 27) && distance < (int64_t{1} << 27);
}
bool branch19(char *at, int64_t place, int64_t value) {
  const int64_t distance = value - place;
  store32(at, (load32(at) & 0xff00001fU) | ((static_cast<uint32_t>(distance >> 2) & 0x7ffffU) << 5));
  return distance >= -(int64_t{1} << 20) && distance < (int64_t{1} << 20);
}
bool page21(char *at, int64_t place, int64_t value) {
  const int64_t pages = ((value & kPageMask) - (place & kPageMask)) >> 12;
  const auto bits = static_cast<uint32_t>(pages);
  store32(at, (load32(at) & 0x9f00001fU) | ((bits & 3U) << 29) | (((bits >> 2) & 0x7ffffU) << 5));
  return true;
}
template <unsigned Shift> bool low12(char *at, int64_t, int64_t value) {
  store32(at, (load32(at) & 0xffc003ffU) | (((static_cast<uint32_t>(value) & 0xfffU) >> Shift) << 10));
  return true;
}

struct Row {
  uint32_t type;
  RelocationUse use;
  unsigned size;
  Apply apply;
};

constexpr Row kX86[] = {
    {R_X86_64_NONE, RelocationUse::None, 0, nullptr},
    {R_X86_64_64, RelocationUse::Absolute, 8, nullptr},
    {R_X86_64_PC32, RelocationUse::Relative, 4, relative32},
    {R_X86_64_PLT32, RelocationUse::Branch, 4, relative32},
    {R_X86_64_PC64, RelocationUse::Relative, 8, relative64},
    {R_X86_64_GOTPCREL, RelocationUse::Slot, 4, relative32},
    {R_X86_64_GOTPCRELX, RelocationUse::Slot, 4, relative32},
    {R_X86_64_REX_GOTPCRELX, RelocationUse::Slot, 4, relative32},
    {43, RelocationUse::Slot, 4, relative32}, // R_X86_64_CODE_4_GOTPCRELX (APX), not in older <elf.h>
};
constexpr Row kArm[] = {
    {R_AARCH64_NONE, RelocationUse::None, 0, nullptr},
    {R_AARCH64_ABS64, RelocationUse::Absolute, 8, nullptr},
    {R_AARCH64_PREL32, RelocationUse::Relative, 4, relative32},
    {R_AARCH64_PREL64, RelocationUse::Relative, 8, relative64},
    {R_AARCH64_CALL26, RelocationUse::Branch, 4, branch26},
    {R_AARCH64_JUMP26, RelocationUse::Branch, 4, branch26},
    {R_AARCH64_CONDBR19, RelocationUse::Branch, 4, branch19},
    {R_AARCH64_ADR_PREL_PG_HI21, RelocationUse::Relative, 4, page21},
    {R_AARCH64_ADD_ABS_LO12_NC, RelocationUse::Relative, 4, low12<0>},
    {R_AARCH64_LDST8_ABS_LO12_NC, RelocationUse::Relative, 4, low12<0>},
    {R_AARCH64_LDST16_ABS_LO12_NC, RelocationUse::Relative, 4, low12<1>},
    {R_AARCH64_LDST32_ABS_LO12_NC, RelocationUse::Relative, 4, low12<2>},
    {R_AARCH64_LDST64_ABS_LO12_NC, RelocationUse::Relative, 4, low12<3>},
    {R_AARCH64_LDST128_ABS_LO12_NC, RelocationUse::Relative, 4, low12<4>},
    {R_AARCH64_ADR_GOT_PAGE, RelocationUse::Slot, 4, page21},
    {R_AARCH64_LD64_GOT_LO12_NC, RelocationUse::Slot, 4, low12<3>},
};

const Row *find(uint16_t machine, uint32_t type) {
  auto in = [type](const auto &rows) -> const Row * {
    for (const Row &row : rows)
      if (row.type == type) return &row;
    return nullptr;
  };
  return machine == EM_AARCH64 ? in(kArm) : in(kX86);
}

} // namespace

RelocationUse usageOf(uint16_t machine, uint32_t type) {
  const Row *row = find(machine, type);
  return row ? row->use : RelocationUse::Unknown;
}

unsigned relocationSize(uint16_t machine, uint32_t type) {
  const Row *row = find(machine, type);
  return row ? row->size : 0;
}

std::string applyRelocation(uint16_t machine, uint32_t type, char *at, uint32_t place, int64_t symbol, int64_t addend) {
  const Row *row = find(machine, type);
  if (!row || !row->apply) return fmt::format("unknown relocation type {}", type);
  if (!row->apply(at, place, symbol + addend)) return fmt::format("relocation of type {} out of range", type);
  return {};
}

void writeStub(uint16_t machine, char *at, uint32_t place, uint32_t slot) {
  if (machine == EM_AARCH64) {
    store32(at, 0x90000010U);      // adrp x16, slot
    store32(at + 4, 0xf9400210U);  // ldr x16, [x16, :lo12:slot]
    store32(at + 8, 0xd61f0200U);  // br x16
    store32(at + 12, 0xd503201fU); // nop
    page21(at, place, slot);
    low12<3>(at + 4, place + 4, slot);
    return;
  }
  const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0}; // jmp *slot(%rip)
  std::memset(at, 0xcc, kStubSize);
  std::memcpy(at, jump, sizeof jump);
  store32(at + 2, slot - (place + 6));
}

} // namespace naja::jit
