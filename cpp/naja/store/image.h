// An image: linked, position-independent machine code with one table of named runtime symbols. Made by jit from an ELF
// object; loaded here, without LLVM, by the JIT and by the object store alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace naja::store {

/// Position-independent: `bytes` may be mapped anywhere. [0, code_size) is executable and read-only after loading,
/// [code_size, data_size end) is writable data that begins with the table of imports (one 8-byte slot each).
struct Image {
  struct Export { std::string name; uint32_t offset; };
  struct Fixup { uint32_t offset; uint32_t target; int64_t addend; }; // *(u64 *)(base+offset) = base+target+addend
  struct SymbolFixup { uint32_t offset; uint32_t import; int64_t addend; };
  std::vector<char> bytes;
  uint32_t code_size = 0;          // multiple of the page size
  std::vector<std::string> imports; // slot i at code_size + 8 * i
  std::vector<Export> exports;
  std::vector<Fixup> fixups;
  std::vector<SymbolFixup> symbol_fixups;

  std::string serialize() const;
  static std::unique_ptr<Image> deserialize(std::string_view data, std::string *error);
};

/// Mapped code; unmapped when destroyed.
class LoadedImage {
public:
  ~LoadedImage();
  void *find(std::string_view exported) const;
  const char *base() const { return base_; }
  size_t size() const { return size_; }

private:
  friend class Loader;
  char *base_ = nullptr;
  size_t size_ = 0;
  std::vector<Image::Export> exports_;
};

using SymbolResolver = void *(*)(void *context, const char *name);
/// Maps, fixes up and protects. Null and `error` where a symbol is missing or the mapping fails.
class Loader {
public:
  static std::unique_ptr<LoadedImage> load(const Image &image, SymbolResolver resolve, void *context, std::string *error);
};

} // namespace naja::store
