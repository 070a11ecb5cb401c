// Installs what compiled code asks of the interpreter.
#pragma once

namespace naja::bindings {
void installServices();
} // namespace naja::bindings
