#include "naja/store/image.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>

namespace naja::store {
namespace {

/// A page of code that returns 42, and data: one import slot, a pointer to the code, a pointer past the import.
Image sample() {
  Image image;
  image.code_size = 4096;
  image.bytes.resize(4096 + 24);
#if defined(__aarch64__)
  const uint32_t code[] = {0x52800540U, 0xd65f03c0U}; // mov w0, #42; ret
#else
  const unsigned char code[] = {0xb8, 42, 0, 0, 0, 0xc3}; // mov eax, 42; ret
#endif
  std::memcpy(image.bytes.data() + 16, code, sizeof code);
  image.imports = {"imported"};
  image.exports = {{"answer", 16}, {"data", 4096}};
  image.fixups = {{4096 + 8, 16, 0}};
  image.symbol_fixups = {{4096 + 16, 0, 4}};
  return image;
}

int imported_object[4];
void *resolve(void *, const char *name) { return std::strcmp(name, "imported") == 0 ? imported_object : nullptr; }

TEST(Image, SerialisesAndBack) {
  std::string error;
  std::string data = sample().serialize();
  auto copy = Image::deserialize(data, &error);
  ASSERT_TRUE(copy) << error;
  EXPECT_EQ(copy->serialize(), data);
  EXPECT_EQ(copy->exports[0].name, "answer");
}

TEST(Image, RefusesEveryTruncationAndEveryFlippedByte) {
  std::string data = sample().serialize();
  std::string error;
  for (size_t size = 0; size < data.size(); size += size < 200 ? 1 : 97) EXPECT_FALSE(Image::deserialize(data.substr(0, size), &error));
  for (size_t i = 0; i < data.size(); i += 13) {
    std::string damaged = data;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_FALSE(Image::deserialize(damaged, &error)) << i;
  }
}

TEST(Image, RefusesFixupsOutsideOfTheData) {
  std::string error;
  Image image = sample();
  image.fixups[0].offset = 8; // in the code
  EXPECT_FALSE(Image::deserialize(image.serialize(), &error));
  EXPECT_EQ(error, "fixup outside of the image");
  image = sample();
  image.symbol_fixups[0].import = 1;
  EXPECT_FALSE(Image::deserialize(image.serialize(), &error));
  image = sample();
  image.fixups[0].offset = static_cast<uint32_t>(image.bytes.size() - 7);
  EXPECT_FALSE(Image::deserialize(image.serialize(), &error));
}

TEST(Loader, MapsFixesUpAndRuns) {
  std::string error;
  auto loaded = Loader::load(sample(), resolve, nullptr, &error);
  ASSERT_TRUE(loaded) << error;
  auto *answer = reinterpret_cast<int (*)()>(loaded->find("answer"));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer(), 42);
  auto *data = static_cast<void **>(loaded->find("data"));
  EXPECT_EQ(data[0], imported_object);
  EXPECT_EQ(data[1], reinterpret_cast<void *>(answer));
  EXPECT_EQ(data[2], imported_object + 1);
  EXPECT_EQ(loaded->find("nothing"), nullptr);
}

TEST(Loader, NamesTheMissingSymbol) {
  Image image = sample();
  image.imports[0] = "other";
  std::string error;
  EXPECT_FALSE(Loader::load(image, resolve, nullptr, &error));
  EXPECT_EQ(error, "missing symbol other");
}

TEST(Loader, UnmapsWithTheImage) {
  std::string error;
  auto loaded = Loader::load(sample(), resolve, nullptr, &error);
  ASSERT_TRUE(loaded);
  auto *page = const_cast<char *>(loaded->base());
  unsigned char resident = 0;
  EXPECT_EQ(mincore(page, 1, &resident), 0);
  loaded.reset();
  EXPECT_NE(mincore(page, 1, &resident), 0);
}

} // namespace
} // namespace naja::store
