// naja-opt: reads NIR text, types it, runs passes, prints NIR text.
//   naja-opt [file|-] [--type=int64,...] [--passes=a,b,c] [--pipeline] [--verify] [--list-passes] [--no-print]
// --type: the text is untyped NIR; types its first function for these argument types (typing/offline.h).
#include "naja/ir/function.h"
#include "naja/passes/pipeline.h"
#include "naja/typing/offline.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Arguments {
  std::string file = "-";
  std::vector<std::string> passes;
  std::optional<std::vector<naja::TypeId>> types; // --type
  bool pipeline = false, verify = false, list = false, print = true;
};

bool parseArguments(int argc, char **argv, Arguments &out) {
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg.starts_with("--passes=")) {
      std::string_view names = arg.substr(9);
      while (!names.empty()) {
        size_t end = std::min(names.find(','), names.size());
        out.passes.emplace_back(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    } else if (arg.starts_with("--type=")) {
      out.types = naja::typing::parseTypeList(arg.substr(7));
      if (!out.types) {
        std::cerr << "naja-opt: malformed types: " << arg << "\n";
        return false;
      }
    } else if (arg == "--pipeline") {
      out.pipeline = true;
    } else if (arg == "--verify") {
      out.verify = true;
    } else if (arg == "--list-passes") {
      out.list = true;
    } else if (arg == "--no-print") {
      out.print = false;
    } else if (arg.starts_with("--")) {
      std::cerr << "naja-opt: unknown option " << arg << "\n";
      return false;
    } else {
      out.file = arg;
    }
  }
  return true;
}

int report(const std::vector<std::string> &errors, std::string_view after) {
  for (const std::string &error : errors)
    std::cerr << "naja-opt: " << after << ": " << error << "\n";
  return errors.empty() ? 0 : 1;
}

/// The typed module, or null: the diagnostic went to standard error.
std::unique_ptr<naja::ir::Module> type(const Arguments &arguments, std::unique_ptr<naja::ir::Module> untyped) {
  auto typed = naja::typing::Offline(std::move(untyped)).type(*arguments.types);
  if (typed)
    return std::move(*typed);
  auto no_source = [](void *, const std::string &, int) { return std::string(); };
  std::cerr << naja::renderDiagnostic(typed.error(), no_source, nullptr) << "\n";
  return nullptr;
}

int run(const Arguments &arguments, naja::ir::Module &module) {
  if (arguments.verify && report(naja::ir::verify(module), "input") != 0)
    return 1;
  for (const std::string &name : arguments.passes) {
    const naja::passes::PassInfo *pass = naja::passes::findPass(name);
    if (pass == nullptr) {
      std::cerr << "naja-opt: no pass " << name << "\n";
      return 1;
    }
    pass->run(module);
    if (arguments.verify && report(naja::ir::verify(module), name) != 0)
      return 1;
  }
  if (arguments.pipeline) {
    naja::passes::PipelineHooks hooks;
    hooks.verify = arguments.verify;
    if (report(naja::passes::runPipeline(module, hooks), "pipeline") != 0)
      return 1;
  }
  if (arguments.print)
    std::cout << naja::ir::print(module);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parseArguments(argc, argv, arguments))
    return 2;
  if (arguments.list) {
    for (const auto &pass : naja::passes::allPasses())
      std::cout << pass.name << "\n";
    return 0;
  }
  std::string text;
  if (arguments.file == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream in(arguments.file);
    if (!in) {
      std::cerr << "naja-opt: cannot read " << arguments.file << "\n";
      return 2;
    }
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  auto parsed = naja::ir::parseModule(text);
  if (const auto *error = std::get_if<naja::ir::ParseError>(&parsed)) {
    std::cerr << arguments.file << ":" << error->line << ": " << error->message << "\n";
    return 1;
  }
  std::unique_ptr<naja::ir::Module> module = std::move(std::get<0>(parsed));
  if (arguments.types)
    module = type(arguments, std::move(module));
  return module ? run(arguments, *module) : 1;
}
