#include "naja/store/image.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace naja::store {
namespace {

constexpr uint64_t kMagic = 0x31'47'4d'49'41'4a'41'4eULL; // "NAJAIMG1"

/// FNV-1a over words: a torn or foreign file must not be executed. Not a defence against an adversary, who could as well
/// write a valid file.
uint64_t checksum(std::string_view data) {
  uint64_t hash = 0xcbf29ce484222325ULL ^ data.size();
  while (data.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, data.data(), 8);
    hash = (hash ^ word) * 0x100000001b3ULL;
    hash ^= hash >> 29;
    data.remove_prefix(8);
  }
  for (char c : data) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

class Writer {
public:
  template <class T> void number(T value) { out_.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void text(std::string_view value) {
    number(static_cast<uint32_t>(value.size()));
    out_.append(value);
  }
  std::string take() { return std::move(out_); }

private:
  std::string out_;
};

/// Reads what Writer wrote; after the first read beyond the end everything is zero and `failed` is set.
class Reader {
public:
  explicit Reader(std::string_view data) : data_(data) {}
  template <class T> T number() {
    T value{};
    if (data_.size() < sizeof value) {
      failed_ = true;
      data_ = {};
      return value;
    }
    std::memcpy(&value, data_.data(), sizeof value);
    data_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view bytes(size_t size) {
    if (data_.size() < size) {
      failed_ = true;
      data_ = {};
      return {};
    }
    std::string_view result = data_.substr(0, size);
    data_.remove_prefix(size);
    return result;
  }
  std::string_view text() { return bytes(number<uint32_t>()); }
  /// A count of records of at least `record_size` bytes each: never more than the data can hold.
  uint32_t count(size_t record_size) {
    auto n = number<uint32_t>();
    if (n > data_.size() / record_size) {
      failed_ = true;
      return 0;
    }
    return n;
  }
  bool failed() const { return failed_; }
  bool atEnd() const { return data_.empty(); }

private:
  std::string_view data_;
  bool failed_ = false;
};

void readTables(Reader &reader, Image &image) {
  for (uint32_t n = reader.count(4); n > 0; --n) image.imports.emplace_back(reader.text());
  for (uint32_t n = reader.count(8); n > 0; --n) {
    Image::Export exported;
    exported.offset = reader.number<uint32_t>();
    exported.name = reader.text();
    image.exports.push_back(std::move(exported));
  }
  for (uint32_t n = reader.count(16); n > 0; --n) {
    Image::Fixup fixup;
    fixup.offset = reader.number<uint32_t>();
    fixup.target = reader.number<uint32_t>();
    fixup.addend = reader.number<int64_t>();
    image.fixups.push_back(fixup);
  }
  for (uint32_t n = reader.count(16); n > 0; --n) {
    Image::SymbolFixup fixup;
    fixup.offset = reader.number<uint32_t>();
    fixup.import = reader.number<uint32_t>();
    fixup.addend = reader.number<int64_t>();
    image.symbol_fixups.push_back(fixup);
  }
}

/// Everything that the loader relies on.
const char *inconsistency(const Image &image) {
  const size_t size = image.bytes.size();
  if (size > std::numeric_limits<int32_t>::max()) return "image too large";
  if (image.code_size > size || image.code_size % 4096 != 0) return "bad size of code";
  if (image.imports.size() > (size - image.code_size) / 8) return "import table outside of the data";
  // Writes outside of the data would hit code that the loader has not made writable.
  auto outsideData = [&](uint32_t offset) { return offset < image.code_size || size < 8 || offset > size - 8; };
  for (const auto &fixup : image.fixups)
    if (outsideData(fixup.offset) || fixup.target > size) return "fixup outside of the image";
  for (const auto &fixup : image.symbol_fixups)
    if (outsideData(fixup.offset) || fixup.import >= image.imports.size()) return "symbol fixup outside of the image";
  for (const auto &exported : image.exports)
    if (exported.offset >= size) return "export outside of the image";
  return nullptr;
}

} // namespace

std::string Image::serialize() const {
  Writer body;
  body.number(code_size);
  body.text({bytes.data(), bytes.size()});
  body.number(static_cast<uint32_t>(imports.size()));
  for (const std::string &name : imports) body.text(name);
  body.number(static_cast<uint32_t>(exports.size()));
  for (const Export &exported : exports) {
    body.number(exported.offset);
    body.text(exported.name);
  }
  body.number(static_cast<uint32_t>(fixups.size()));
  for (const Fixup &fixup : fixups) {
    body.number(fixup.offset);
    body.number(fixup.target);
    body.number(fixup.addend);
  }
  body.number(static_cast<uint32_t>(symbol_fixups.size()));
  for (const SymbolFixup &fixup : symbol_fixups) {
    body.number(fixup.offset);
    body.number(fixup.import);
    body.number(fixup.addend);
  }
  std::string payload = body.take();
  Writer out;
  out.number(kMagic);
  out.number(checksum(payload));
  return out.take() + payload;
}

std::unique_ptr<Image> Image::deserialize(std::string_view data, std::string *error) {
  auto fail = [&](const char *why) {
    if (error) *error = why;
    return nullptr;
  };
  Reader header(data);
  if (header.number<uint64_t>() != kMagic) return fail("not an image of this version");
  auto sum = header.number<uint64_t>();
  if (header.failed()) return fail("truncated image");
  std::string_view payload = data.substr(16);
  if (checksum(payload) != sum) return fail("damaged image");
  Reader reader(payload);
  auto image = std::make_unique<Image>();
  image->code_size = reader.number<uint32_t>();
  std::string_view bytes = reader.text();
  image->bytes.assign(bytes.begin(), bytes.end());
  readTables(reader, *image);
  if (reader.failed() || !reader.atEnd()) return fail("truncated image");
  if (const char *why = inconsistency(*image)) return fail(why);
  return image;
}

} // namespace naja::store
