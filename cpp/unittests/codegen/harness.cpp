#include "harness.h"

#include "naja/types/constant.h"

#include <fmt/format.h>

namespace naja::testing {

static void *resolve(void *, const char *name) { return naja_rt_find_symbol(name); }

Program::Program(const ir::Module &module, int opt_level, bool keep_texts) {
  for (const std::string &complaint : ir::verify(module)) ADD_FAILURE() << complaint << "\n" << ir::print(module);
  codegen::Options options;
  options.opt_level = opt_level;
  options.verify = true;
  options.keep_ir = options.keep_opt_ir = options.keep_asm = keep_texts;
  auto object = codegen::compile(module, options);
  if (!object) {
    ADD_FAILURE() << object.error().message;
    return;
  }
  object_ = std::move(*object);
  auto image = jit::makeImage(object_.elf);
  if (!image) {
    ADD_FAILURE() << image.error().message;
    return;
  }
  std::string error;
  auto copy = store::Image::deserialize(image->serialize(), &error);
  if (!copy) {
    ADD_FAILURE() << error;
    return;
  }
  image_ = store::Loader::load(*copy, resolve, nullptr, &error);
  if (!image_) {
    ADD_FAILURE() << error;
    return;
  }
  entry_ = image_->find(object_.root_symbol);
  EXPECT_NE(entry_, nullptr);
}

std::string takeException() {
  naja_exception exception{};
  if (!naja_rt_take_exception(&exception)) return "";
  std::string text;
  if (exception.site) {
    text = toString(ConstId(*exception.site->exception));
    if (exception.site->args_size == 8) text += fmt::format(": {}", *static_cast<int64_t *>(exception.args));
  } else {
    static constexpr const char *kNames[] = {"ZeroDivisionError", "IndexError", "ValueError", "TypeError", "OverflowError", "MemoryError",
                                             "UnboundLocalError"};
    text = fmt::format("{}: {}", exception.builtin < std::size(kNames) ? kNames[exception.builtin] : "?", exception.text);
  }
  naja_rt_free_exception(&exception);
  return text;
}

} // namespace naja::testing
