// What NVPTX lowers in its own way.
#pragma once

#include "naja/codegen/target_info.h"

namespace naja::codegen {

std::unique_ptr<TargetInfo> makeNvptxTarget();

} // namespace naja::codegen
