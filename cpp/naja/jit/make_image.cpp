#include "naja/jit/make_image.h"

#include "naja/jit/elf_object.h"
#include "naja/jit/relocate.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <unordered_map>

namespace naja::jit {
namespace {

constexpr uint32_t kPage = 4096;

Diagnostic failure(std::string message) {
  Diagnostic diagnostic;
  diagnostic.kind = DiagnosticKind::Compiler;
  diagnostic.message = "image: " + std::move(message);
  return diagnostic;
}

uint32_t alignTo(uint32_t value, uint32_t alignment) { return (value + alignment - 1) / alignment * alignment; }

/// One link: places sections, hands out import slots and stubs, applies relocations.
class Linker {
public:
  explicit Linker(const ElfObject &object) : object_(object) {}
  Result<store::Image> run();

private:
  std::string collectImports();
  void placeSections();
  std::string place(const Elf64_Shdr &header, size_t index, uint32_t &offset);
  void writeStubs();
  std::string relocateSection(const Elf64_Shdr &relocations);
  std::string applyOne(const Elf64_Shdr &target, size_t target_index, const Elf64_Rela &relocation);
  void exportSymbols();
  uint32_t slotOf(uint32_t import) const { return image_.code_size + 8 * import; }
  bool isCode(const Elf64_Shdr &header) const { return (header.sh_flags & SHF_WRITE) == 0; }

  const ElfObject &object_;
  store::Image image_;
  std::vector<uint32_t> section_offset_;        // by section index; kUnplaced where it is not loaded
  std::unordered_map<uint32_t, uint32_t> import_of_; // symbol index -> import
  std::vector<uint32_t> got_symbols_;           // locals that code reaches through a slot: symbol indices
  std::unordered_map<uint32_t, uint32_t> got_slot_; // symbol index -> index in got_symbols_
  std::unordered_map<uint32_t, uint32_t> stub_; // import -> offset of its stub
  std::vector<uint32_t> stub_order_;
  uint32_t stubs_offset_ = 0, got_offset_ = 0;
  std::string error_;
  static constexpr uint32_t kUnplaced = 0xffffffffU;
};

/// Which symbols are undefined (imports), which need a stub, and which defined ones are reached through a slot.
std::string Linker::collectImports() {
  for (const Elf64_Shdr &section : object_.sections()) {
    if (section.sh_type != SHT_RELA || !object_.isLoaded(section.sh_info)) continue;
    for (const Elf64_Rela &relocation : object_.relocations(section)) {
      const uint32_t symbol_index = ELF64_R_SYM(relocation.r_info);
      const Elf64_Sym *symbol = object_.symbol(symbol_index);
      if (!symbol) return "relocation names a symbol that does not exist";
      const RelocationUse use = usageOf(object_.machine(), ELF64_R_TYPE(relocation.r_info));
      if (symbol->st_shndx == SHN_UNDEF && symbol_index != 0) {
        auto [entry, added] = import_of_.try_emplace(symbol_index, static_cast<uint32_t>(image_.imports.size()));
        if (added) image_.imports.emplace_back(object_.name(*symbol));
        if (use == RelocationUse::Branch && !stub_.count(entry->second)) {
          stub_.emplace(entry->second, 0);
          stub_order_.push_back(entry->second);
        }
      } else if (use == RelocationUse::Slot) {
        if (got_slot_.try_emplace(symbol_index, static_cast<uint32_t>(got_symbols_.size())).second)
          got_symbols_.push_back(symbol_index);
      }
    }
  }
  return {};
}

std::string Linker::place(const Elf64_Shdr &header, size_t index, uint32_t &offset) {
  const uint64_t alignment = std::max<uint64_t>(header.sh_addralign, 1);
  if (alignment > kPage || header.sh_size > (1U << 30)) return "section too large or too much aligned";
  offset = alignTo(offset, static_cast<uint32_t>(alignment));
  section_offset_[index] = offset;
  offset += static_cast<uint32_t>(header.sh_size);
  return offset > (1U << 30) ? "image too large" : std::string();
}

void Linker::placeSections() {
  const auto sections = object_.sections();
  section_offset_.assign(sections.size(), kUnplaced);
  uint32_t offset = 0;
  // Executable sections first, then constants, then stubs; imports head the writable data.
  for (bool executable : {true, false})
    for (size_t i = 0; i < sections.size(); ++i)
      if (object_.isLoaded(i) && isCode(sections[i]) && ((sections[i].sh_flags & SHF_EXECINSTR) != 0) == executable)
        if (std::string error = place(sections[i], i, offset); !error.empty()) error_ = std::move(error);
  stubs_offset_ = offset = alignTo(offset, 16);
  for (uint32_t import : stub_order_) {
    stub_[import] = offset;
    offset += kStubSize;
  }
  image_.code_size = alignTo(offset, kPage);
  got_offset_ = image_.code_size + 8 * static_cast<uint32_t>(image_.imports.size());
  offset = got_offset_ + 8 * static_cast<uint32_t>(got_symbols_.size());
  for (size_t i = 0; i < sections.size(); ++i)
    if (object_.isLoaded(i) && !isCode(sections[i]))
      if (std::string error = place(sections[i], i, offset); !error.empty()) error_ = std::move(error);
  image_.bytes.assign(std::max(offset, image_.code_size), 0);
  for (size_t i = 0; i < sections.size(); ++i)
    if (section_offset_[i] != kUnplaced && sections[i].sh_type != SHT_NOBITS) {
      std::span<const char> content = object_.content(sections[i]);
      std::memcpy(image_.bytes.data() + section_offset_[i], content.data(), content.size());
    }
}

void Linker::writeStubs() {
  for (uint32_t import : stub_order_)
    writeStub(object_.machine(), image_.bytes.data() + stub_[import], stub_[import], slotOf(import));
}

std::string Linker::applyOne(const Elf64_Shdr &target, size_t target_index, const Elf64_Rela &relocation) {
  const uint32_t type = ELF64_R_TYPE(relocation.r_info), symbol_index = ELF64_R_SYM(relocation.r_info);
  const Elf64_Sym &symbol = *object_.symbol(symbol_index);
  const RelocationUse use = usageOf(object_.machine(), type);
  if (use == RelocationUse::None) return {};
  if (relocation.r_offset + relocationSize(object_.machine(), type) > target.sh_size) return "relocation outside of its section";
  const uint32_t place = section_offset_[target_index] + static_cast<uint32_t>(relocation.r_offset);
  const bool imported = symbol.st_shndx == SHN_UNDEF && symbol_index != 0;
  if (use == RelocationUse::Absolute) {
    if (isCode(target)) return fmt::format("absolute address of {} in constant data", object_.name(symbol));
    if (imported) {
      image_.symbol_fixups.push_back({place, import_of_.at(symbol_index), relocation.r_addend});
      return {};
    }
  }
  uint32_t symbol_offset = 0;
  if (use == RelocationUse::Slot) {
    symbol_offset = imported ? slotOf(import_of_.at(symbol_index)) : got_offset_ + 8 * got_slot_.at(symbol_index);
  } else if (imported) {
    auto stub = stub_.find(import_of_.at(symbol_index));
    if (use != RelocationUse::Branch || stub == stub_.end())
      return fmt::format("relocation {} against the imported symbol {}", type, object_.name(symbol));
    symbol_offset = stub->second;
  } else {
    if (symbol.st_shndx >= section_offset_.size() || section_offset_[symbol.st_shndx] == kUnplaced)
      return fmt::format("relocation against {}, which is not loaded", object_.name(symbol));
    symbol_offset = section_offset_[symbol.st_shndx] + static_cast<uint32_t>(symbol.st_value);
  }
  if (use == RelocationUse::Absolute) {
    image_.fixups.push_back({place, symbol_offset, relocation.r_addend});
    return {};
  }
  return applyRelocation(object_.machine(), type, image_.bytes.data() + place, place,
                         static_cast<int64_t>(symbol_offset), relocation.r_addend);
}

std::string Linker::relocateSection(const Elf64_Shdr &section) {
  const Elf64_Shdr &target = object_.sections()[section.sh_info];
  for (const Elf64_Rela &relocation : object_.relocations(section))
    if (std::string error = applyOne(target, section.sh_info, relocation); !error.empty()) return error;
  return {};
}

void Linker::exportSymbols() {
  for (const Elf64_Sym &symbol : object_.symbols()) {
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_shndx >= section_offset_.size() || section_offset_[symbol.st_shndx] == kUnplaced) continue;
    image_.exports.push_back(
        {std::string(object_.name(symbol)), section_offset_[symbol.st_shndx] + static_cast<uint32_t>(symbol.st_value)});
  }
}

Result<store::Image> Linker::run() {
  if (std::string error = collectImports(); !error.empty()) return failure(std::move(error));
  placeSections();
  if (!error_.empty()) return failure(error_);
  writeStubs();
  for (uint32_t symbol_index : got_symbols_) {
    const Elf64_Sym &symbol = *object_.symbol(symbol_index);
    if (symbol.st_shndx >= section_offset_.size() || section_offset_[symbol.st_shndx] == kUnplaced)
      return failure(fmt::format("address of {}, which is not loaded", object_.name(symbol)));
    image_.fixups.push_back({got_offset_ + 8 * got_slot_.at(symbol_index),
                             section_offset_[symbol.st_shndx] + static_cast<uint32_t>(symbol.st_value), 0});
  }
  for (const Elf64_Shdr &section : object_.sections())
    if (section.sh_type == SHT_RELA && object_.isLoaded(section.sh_info))
      if (std::string error = relocateSection(section); !error.empty()) return failure(std::move(error));
  exportSymbols();
  return std::move(image_);
}

} // namespace

Result<store::Image> makeImage(std::span<const char> elf) {
  ElfObject object;
  if (std::string error = object.open(elf); !error.empty()) return failure(std::move(error));
  return Linker(object).run();
}

} // namespace naja::jit
