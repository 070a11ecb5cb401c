// A program of untyped NIR text for the tests of typing.
#pragma once

#include "naja/typing/offline.h"

#include <string>

namespace naja::typing {

struct Program {
  explicit Program(const std::string &text);

  /// Types the first function for these arguments ("int64, array(float64, 1d, C)"): the typed module's text, or
  /// "error: message". The module is verified.
  std::string run(std::string_view args);
  /// The type of the result, or the error.
  std::string result(std::string_view args);

  std::optional<Offline> offline;
  std::map<std::string, Offline::FunctionInfo> &functions() { return offline->functions; }
  CompiledFunctions *compiled = nullptr;
  std::optional<TypeId> declared;

  Diagnostic error;
  TypeId return_type;
  std::unique_ptr<ir::Module> module;
};

/// The text with a place-holder replaced.
std::string with(std::string text, std::string_view place, const std::string &by);

} // namespace naja::typing
