// A relocatable ELF64 object as tables: section headers, symbols, relocations. Checked on opening, so that what it hands
// out lies inside of the file. Refers to the bytes it was opened on. (<elf.h> is all it needs: LLVM's reader would map and
// compile far more for the same five tables.)
#pragma once

#include <elf.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace naja::jit {

class ElfObject {
public:
  /// Empty, or what is wrong with it.
  std::string open(std::span<const char> bytes);

  uint16_t machine() const { return machine_; }
  std::span<const Elf64_Shdr> sections() const { return sections_; }
  /// Part of the running program: allocated, not empty, and no note or unwind table.
  bool isLoaded(size_t section) const;
  std::span<const char> content(const Elf64_Shdr &section) const { return bytes_.subspan(section.sh_offset, section.sh_size); }
  std::span<const Elf64_Sym> symbols() const { return symbols_; }
  const Elf64_Sym *symbol(uint32_t index) const { return index < symbols_.size() ? &symbols_[index] : nullptr; }
  std::string_view name(const Elf64_Sym &symbol) const { return text(strings_, symbol.st_name); }
  std::string_view name(const Elf64_Shdr &section) const { return text(section_names_, section.sh_name); }
  std::span<const Elf64_Rela> relocations(const Elf64_Shdr &section) const;

private:
  static std::string_view text(std::string_view table, uint32_t offset);

  std::span<const char> bytes_;
  uint16_t machine_ = 0;
  std::vector<Elf64_Shdr> sections_; // copies: the file need not be aligned
  std::vector<Elf64_Sym> symbols_;
  std::vector<std::vector<Elf64_Rela>> relocations_; // by section
  std::string_view strings_, section_names_;
};

} // namespace naja::jit
