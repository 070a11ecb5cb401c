// Links a relocatable ELF object (x86-64, AArch64) into an Image: lays out sections, applies relocations, makes import
// slots and stubs. Uses LLVM's object reader only.
#pragma once

#include "naja/store/image.h"
#include "naja/support/result.h"

#include <span>

namespace naja::jit {
Result<store::Image> makeImage(std::span<const char> elf);
} // namespace naja::jit
