#include "naja/jit/elf_object.h"

#include <cstring>

namespace naja::jit {
namespace {

bool inside(std::span<const char> bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

template <class T> std::vector<T> copyTable(std::span<const char> bytes, uint64_t offset, uint64_t size) {
  std::vector<T> table(size / sizeof(T));
  if (!table.empty()) std::memcpy(table.data(), bytes.data() + offset, table.size() * sizeof(T));
  return table;
}

} // namespace

std::string_view ElfObject::text(std::string_view table, uint32_t offset) {
  if (offset >= table.size()) return {};
  std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string ElfObject::open(std::span<const char> bytes) {
  bytes_ = bytes;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return "truncated object";
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
    return "not a relocatable 64-bit little-endian ELF object";
  machine_ = header.e_machine;
  if (machine_ != EM_X86_64 && machine_ != EM_AARCH64) return "object of another machine";
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !inside(bytes, header.e_shoff, sizeof(Elf64_Shdr) * uint64_t{header.e_shnum}))
    return "section headers outside of the file";
  sections_ = copyTable<Elf64_Shdr>(bytes, header.e_shoff, sizeof(Elf64_Shdr) * uint64_t{header.e_shnum});
  relocations_.resize(sections_.size());
  auto stringsOf = [&](size_t index) -> std::string_view {
    if (index >= sections_.size() || sections_[index].sh_type != SHT_STRTAB) return {};
    return {bytes.data() + sections_[index].sh_offset, sections_[index].sh_size};
  };
  for (const Elf64_Shdr &section : sections_)
    if (section.sh_type != SHT_NOBITS && !inside(bytes, section.sh_offset, section.sh_size)) return "section outside of the file";
  section_names_ = stringsOf(header.e_shstrndx);
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Elf64_Shdr &section = sections_[i];
    if (section.sh_type == SHT_SYMTAB) {
      symbols_ = copyTable<Elf64_Sym>(bytes, section.sh_offset, section.sh_size);
      strings_ = stringsOf(section.sh_link);
    } else if (section.sh_type == SHT_RELA) {
      if (section.sh_info >= sections_.size()) return "relocations of a section that does not exist";
      relocations_[i] = copyTable<Elf64_Rela>(bytes, section.sh_offset, section.sh_size);
    }
  }
  return {};
}

bool ElfObject::isLoaded(size_t index) const {
  const Elf64_Shdr &section = sections_[index];
  if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) return false;
  return section.sh_type != SHT_NOTE && name(section) != ".eh_frame";
}

std::span<const Elf64_Rela> ElfObject::relocations(const Elf64_Shdr &section) const {
  return relocations_[static_cast<size_t>(&section - sections_.data())];
}

} // namespace naja::jit
