// A program of untyped NIR text, typed without bytecode and without Python: functions are found by name, attributes of
// modules are the rows of the builtin table.
#pragma once

#include "naja/typing/elaborate.h"
#include "naja/typing/engine.h"

#include <map>
#include <string>

namespace naja::typing {

struct Program {
  explicit Program(std::string text);

  /// Options and defaults of functions, by name; set before run().
  std::map<std::string, FunctionOptions> options;
  std::map<std::string, std::vector<ConstId>> defaults;
  std::map<std::string, std::vector<std::string>> inner; // names of the inner functions of a function, by index
  std::map<std::string, unsigned> captured;              // leading parameters of an inner function that are captured
  std::map<std::string, unsigned> keyword_only;          // last parameters that are keyword-only
  std::map<std::string, bool> star;                      // the last parameter is *args
  std::map<std::string, ConstId> attributes;             // "module.name"
  CompiledFunctions *compiled = nullptr;
  std::optional<TypeId> declared;
  int rounds = 0; // how often Python was asked

  /// Replaces a place-holder of the text.
  void replace(std::string_view place, const std::string &by) { text_.replace(text_.find(place), place.size(), by); }

  /// Types the first function for these arguments ("int64, array(float64, 1d, C)"): the typed module's text, or
  /// "error: message". The module is verified.
  std::string run(std::string_view args);
  std::string run(std::vector<TypeId> args);
  /// The type of the result, or the error.
  std::string result(std::string_view args);

  Diagnostic error;
  TypeId return_type;
  std::unique_ptr<ir::Module> module;

private:
  std::shared_ptr<const frontend::FunctionSnapshot> snapshotOf(const std::string &name);
  Result<frontend::Translated> translate(const frontend::FunctionSnapshot &snapshot);
  void answer(Engine &engine, const PythonRequest &request);

  std::string text_, root_;
  std::map<std::string, std::shared_ptr<const frontend::FunctionSnapshot>> snapshots_;
};

/// The types of a comma-separated list.
std::vector<TypeId> parseTypes(std::string_view text);

} // namespace naja::typing
