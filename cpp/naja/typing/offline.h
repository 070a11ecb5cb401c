// Types functions of untyped NIR text without bytecode and without Python, for naja-opt and tests: the functions of the
// text stand for Python functions of the same name, attributes of modules are rows of the builtin table.
#pragma once

#include "naja/typing/infer.h"

#include <map>

namespace naja::typing {

/// One text. Fill in what the text cannot say, then type; may be used again with other argument types.
class Offline {
public:
  struct FunctionInfo {
    FunctionOptions options;
    std::vector<ConstId> defaults;  // of the last positional parameters
    unsigned captured = 0;          // leading parameters that an inner function captures
    unsigned keyword_only = 0;      // of the last parameters (before *args)
    bool star = false;              // the last parameter is *args
    std::vector<std::string> inner; // inner functions, by the index that g.make_function names
  };

  explicit Offline(std::unique_ptr<ir::Module> untyped) : untyped_(std::move(untyped)) {}

  std::map<std::string, FunctionInfo> functions;
  std::map<std::string, ConstId> attributes; // of objects by "text of the object.name", before the builtin table
  int rounds = 0;                            // how often the last run stopped to ask

  /// Types the first function of the text; the typed module, or the error.
  Result<std::unique_ptr<ir::Module>> type(std::vector<TypeId> args, std::optional<TypeId> result = {},
                                           CompiledFunctions *compiled = nullptr);
  TypeId resultType() const { return result_type_; }

private:
  const ir::Function *find(const std::string &name) const;
  std::shared_ptr<const frontend::FunctionSnapshot> snapshotOf(const std::string &name);
  Result<frontend::Translated> translate(const frontend::FunctionSnapshot &snapshot);
  void answer(Session &session, const PythonRequest &request);

  std::unique_ptr<ir::Module> untyped_;
  std::map<std::string, std::shared_ptr<const frontend::FunctionSnapshot>> snapshots_;
  TypeId result_type_;
};

/// The types of a comma-separated list; empty where one is malformed.
std::optional<std::vector<TypeId>> parseTypeList(std::string_view text);

} // namespace naja::typing
