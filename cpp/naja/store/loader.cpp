// Maps images: anonymous memory, filled and fixed up while writable, then the code made executable and never written again.
#include "naja/store/image.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace naja::store {
namespace {

size_t roundToPages(size_t size) {
  static const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}

void store64(char *at, uint64_t value) { std::memcpy(at, &value, sizeof value); }

uint64_t addressOf(const void *pointer) { return reinterpret_cast<uint64_t>(pointer); }

} // namespace

LoadedImage::~LoadedImage() {
  if (base_) munmap(base_, size_);
}

void *LoadedImage::find(std::string_view exported) const {
  for (const Image::Export &entry : exports_)
    if (entry.name == exported) return base_ + entry.offset;
  return nullptr;
}

std::unique_ptr<LoadedImage> Loader::load(const Image &image, SymbolResolver resolve, void *context, std::string *error) {
  auto fail = [&](std::string why) -> std::unique_ptr<LoadedImage> {
    if (error) *error = std::move(why);
    return nullptr;
  };
  // Symbols first: nothing is mapped for an image that cannot run.
  std::vector<uint64_t> addresses;
  addresses.reserve(image.imports.size());
  for (const std::string &name : image.imports) {
    void *address = resolve(context, name.c_str());
    if (!address) return fail("missing symbol " + name);
    addresses.push_back(addressOf(address));
  }
  const size_t size = roundToPages(image.bytes.size());
  // A page size above the 4 KiB of the format would let code and data share a page.
  if (size == 0 || image.code_size != roundToPages(image.code_size)) return fail("image made for another page size");
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(std::string("cannot map memory for code: ") + std::strerror(errno));
  auto loaded = std::make_unique<LoadedImage>();
  char *base = loaded->base_ = static_cast<char *>(memory);
  loaded->size_ = size;
  loaded->exports_ = image.exports;
  std::memcpy(base, image.bytes.data(), image.bytes.size());
  for (size_t i = 0; i < addresses.size(); ++i) store64(base + image.code_size + 8 * i, addresses[i]);
  for (const Image::Fixup &fixup : image.fixups)
    store64(base + fixup.offset, addressOf(base) + fixup.target + static_cast<uint64_t>(fixup.addend));
  for (const Image::SymbolFixup &fixup : image.symbol_fixups)
    store64(base + fixup.offset, addresses[fixup.import] + static_cast<uint64_t>(fixup.addend));
  if (image.code_size != 0) {
    if (mprotect(base, image.code_size, PROT_READ | PROT_EXEC) != 0)
      return fail(std::string("cannot make code executable: ") + std::strerror(errno));
    __builtin___clear_cache(base, base + image.code_size);
  }
  return loaded;
}

} // namespace naja::store
