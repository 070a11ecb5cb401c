// naja-run: executes NIR text and compares the results with those that its directives expect.
//   naja-run file [--show]
// Directives are comments of the file:
//   ; run: @f(3, 4) == 7                  the result, bit by bit (all NaNs are equal)
//   ; run: @f(0.5) ~= 1.6487212707001282  within 4 units in the last place
//   ; run: @f(1, 0) raises ZeroDivisionError
//   ; run: @f([1, 2], 3) == None, $0 == [3, 3]   an array argument afterwards
// Each is executed by the interpreter on the NIR as it stands and again after the pass pipeline, as machine code of the NIR
// as it stands at -O0, and as machine code of what the pipeline made of it at -O3. --show prints the results.
#include "naja/codegen/codegen.h"
#include "naja/ir/interpreter.h"
#include "naja/jit/make_image.h"
#include "naja/passes/pipeline.h"
#include "naja/runtime/abi.h"
#include "naja/store/image.h"
#include "naja/types/layout.h"
#include "run_values.h"

#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>

namespace {

using namespace naja;
using ir::Cells;

constexpr uint64_t kUlps = 4;

struct Directive {
  int line = 0;
  std::string text; // after "run:"
};

std::vector<Directive> findDirectives(const std::string &file) {
  std::vector<Directive> found;
  int line = 1;
  for (size_t at = 0; at < file.size(); ++line) {
    size_t end = std::min(file.find('\n', at), file.size());
    std::string text = file.substr(at, end - at);
    if (text.starts_with("; run:"))
      found.push_back({line, text.substr(6)});
    at = end + 1;
  }
  return found;
}

/// What a directive says. Arrays of the expectation live in `expected_memory`, those of the arguments in that of each run.
struct Expectation {
  std::string function;
  std::string_view arguments; // text after "("
  std::string_view outcome;   // text after ")"
};

/// Text up to the parenthesis that closes the arguments, and what follows.
std::optional<Expectation> split(const std::string &text) {
  size_t at = text.find('@'), open = text.find('(', at);
  if (at == std::string::npos || open == std::string::npos)
    return std::nullopt;
  int depth = 0;
  size_t close = open;
  for (; close < text.size(); ++close) {
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0)
      break;
  }
  if (close == text.size())
    return std::nullopt;
  std::string_view all = text;
  return Expectation{text.substr(at + 1, open - at - 1), all.substr(open + 1, close - open - 1), all.substr(close + 1)};
}

bool take(std::string_view &text, std::string_view word) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with(word))
    return false;
  text.remove_prefix(word.size());
  return true;
}

// -------------------------------------------------------------------------------------------------------- machine code

void *resolve(void *, const char *name) { return naja_rt_find_symbol(name); }

/// Calls `i32 entry(ret*, scalars...)` with everything that may be a register's or a stack slot's content.
int32_t enter(void *entry, void *result, std::span<const Machine> types, const Cells &args) {
#if defined(__aarch64__)
  constexpr size_t kIntegers = 7;
#else
  constexpr size_t kIntegers = 5;
#endif
  uint64_t integers[7] = {}, stack[16] = {};
  double floats[8] = {};
  size_t used_integers = 0, used_floats = 0, used_stack = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (isFloat(types[i]) && used_floats < 8)
      std::memcpy(&floats[used_floats++], &args[i], 8);
    else if (!isFloat(types[i]) && used_integers < kIntegers)
      integers[used_integers++] = args[i];
    else if (used_stack < std::size(stack))
      stack[used_stack++] = args[i];
  }
  const auto &n = integers;
  const auto &x = floats;
  const auto &s = stack;
  using U = uint64_t;
  using D = double;
#if defined(__aarch64__)
  using Entry = int32_t (*)(void *, U, U, U, U, U, U, U, D, D, D, D, D, D, D, D, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  return reinterpret_cast<Entry>(entry)(result, n[0], n[1], n[2], n[3], n[4], n[5], n[6], x[0], x[1], x[2], x[3], x[4], x[5],
                                        x[6], x[7], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11],
                                        s[12], s[13], s[14], s[15]);
#else
  using Entry = int32_t (*)(void *, U, U, U, U, U, D, D, D, D, D, D, D, D, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  return reinterpret_cast<Entry>(entry)(result, n[0], n[1], n[2], n[3], n[4], x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
                                        s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13],
                                        s[14], s[15]);
#endif
}

std::string exceptionName(const naja_exception &exception) {
  static constexpr const char *kNames[] = {
      "ZeroDivisionError", "IndexError", "ValueError", "TypeError", "OverflowError", "MemoryError", "UnboundLocalError",
      "RecursionError", "AssertionError", "KeyError", "StopIteration", "RuntimeError", "NotImplementedError", "SystemError",
      "NameError", "AttributeError"};
  if (exception.site == nullptr || exception.site->exception == nullptr)
    return exception.builtin < std::size(kNames) ? kNames[exception.builtin] : "?";
  const ConstantValue &value = ConstantStore::global().get(ConstId(*exception.site->exception)).value;
  const auto *reference = std::get_if<ExceptionRef>(&value);
  return reference != nullptr ? reference->name : "?";
}

/// Compiled code of a module's root.
class Code {
public:
  Code(const ir::Module &module, int opt_level) : function_(module.get(module.root)) {
    codegen::Options options;
    options.opt_level = opt_level;
    options.verify = true;
    auto object = codegen::compile(module, options);
    if (!object) {
      error_ = object.error().message;
      return;
    }
    auto image = jit::makeImage(object->elf);
    if (!image) {
      error_ = image.error().message;
      return;
    }
    image_ = store::Loader::load(*image, resolve, nullptr, &error_);
    entry_ = image_ ? image_->find(object->root_symbol) : nullptr;
    if (entry_ == nullptr && error_.empty())
      error_ = "no symbol " + object->root_symbol;
  }

  ir::Outcome run(const Cells &args) const {
    ir::Outcome outcome;
    outcome.problem = error_;
    if (entry_ == nullptr)
      return outcome;
    std::vector<Machine> types;
    for (TypeId type : function_.param_types)
      types.insert(types.end(), scalarsOf(type).begin(), scalarsOf(type).end());
    const StructLayout &layout = structLayoutOf(function_.return_type);
    std::vector<uint64_t> result(layout.size / 8 + 2);
    int32_t status = enter(entry_, result.data(), types, args);
    naja_exception exception{};
    if (status != NAJA_OK && naja_rt_take_exception(&exception) != 0) {
      outcome.raised = exceptionName(exception);
      naja_rt_free_exception(&exception);
      return outcome;
    }
    if (status != NAJA_OK)
      outcome.problem = fmt::format("status {} without an exception", status);
    auto scalars = scalarsOf(function_.return_type);
    for (size_t i = 0; i < scalars.size(); ++i) {
      uint64_t cell = 0;
      std::memcpy(&cell, reinterpret_cast<const char *>(result.data()) + layout.offsets[i], sizeOf(scalars[i]));
      outcome.result.push_back(cell);
    }
    return outcome;
  }

private:
  const ir::Function &function_;
  std::unique_ptr<store::LoadedImage> image_;
  void *entry_ = nullptr;
  std::string error_;
};

/// Integer functions of the runtime, for the interpreter.
bool callRuntime(std::string_view symbol, std::span<const uint64_t> args, uint64_t *result) {
  void *address = naja_rt_find_symbol(std::string(symbol).c_str());
  if (address == nullptr || args.size() != 2)
    return false;
  *result = reinterpret_cast<uint64_t (*)(uint64_t, uint64_t)>(address)(args[0], args[1]);
  return true;
}

// -------------------------------------------------------------------------------------------------------------- running

/// Makes everything that the root does not reach a declaration, so that it is not compiled with it.
void keepReachable(ir::Module &module) {
  std::vector<bool> reached(module.functions.size(), false);
  std::vector<uint32_t> pending{module.root.value};
  while (!pending.empty()) {
    uint32_t id = pending.back();
    pending.pop_back();
    if (reached[id])
      continue;
    reached[id] = true;
    const ir::Function &function = *module.functions[id];
    for (uint32_t i = 0; i < function.numInsts(); ++i) {
      const ir::Inst &inst = function.inst(ir::InstId(i));
      if (ir::info(inst.op).attr == ir::AttrKind::Func)
        pending.push_back(inst.function().value);
    }
  }
  for (uint32_t id = 0; id < reached.size(); ++id)
    module.functions[id]->external |= !reached[id];
}

/// One function of the file, ready to be run in every way.
struct Subject {
  std::unique_ptr<ir::Module> plain, passed; // as it stands, and after the pipeline
  std::unique_ptr<Code> o0, o3;
  std::unique_ptr<ir::Interpreter> interpreter; // the last one: results may point into its memory
  ir::Function &function() const { return plain->get(plain->root); }
};

class Runner {
public:
  Runner(std::string path, std::string text, bool show) : path_(std::move(path)), text_(std::move(text)), show_(show) {}

  bool run(const Directive &directive) {
    auto expectation = split(directive.text);
    Subject *subject = expectation ? find(expectation->function, directive.line) : nullptr;
    if (subject == nullptr)
      return fail(directive.line, "cannot run:" + directive.text);
    auto interpreted = [&](const ir::Module &module) {
      return [&, subject](run::Memory &memory, const Cells &args) { return interpret(*subject, module, memory, args); };
    };
    auto compiled = [](const Code &code) { return [&code](run::Memory &, const Cells &args) { return code.run(args); }; };
    const ir::Function &function = subject->function();
    bool good = check(directive, *expectation, function, "interpreter", interpreted(*subject->plain));
    good &= check(directive, *expectation, function, "interpreter after the pipeline", interpreted(*subject->passed));
    good &= check(directive, *expectation, function, "-O0", compiled(*subject->o0));
    good &= check(directive, *expectation, function, "-O3", compiled(*subject->o3));
    return good;
  }

private:
  bool fail(int line, const std::string &text) {
    std::cerr << fmt::format("{}:{}: {}\n", path_, line, text);
    return false;
  }

  /// The file's module with `name` as its root; null where there is no such function or the text is malformed.
  std::unique_ptr<ir::Module> parse(const std::string &name) {
    auto parsed = ir::parseModule(text_);
    if (const auto *error = std::get_if<ir::ParseError>(&parsed)) {
      fail(error->line, error->message);
      return nullptr;
    }
    auto module = std::move(std::get<0>(parsed));
    for (uint32_t i = 0; i < module->functions.size(); ++i) {
      if (module->functions[i]->name != name)
        continue;
      module->root = ir::FunctionId(i);
      keepReachable(*module);
      return module;
    }
    return nullptr;
  }

  /// Null where the function does not exist or is not well formed.
  Subject *find(const std::string &name, int line) {
    auto [at, is_new] = subjects_.try_emplace(name);
    if (!is_new)
      return at->second.get();
    auto subject = std::make_unique<Subject>();
    subject->plain = parse(name);
    subject->passed = subject->plain ? parse(name) : nullptr;
    if (!subject->passed)
      return nullptr;
    std::vector<std::string> complaints = ir::verify(subject->function(), subject->plain.get());
    passes::PipelineHooks hooks;
    hooks.verify = true;
    if (complaints.empty())
      complaints = passes::runPipeline(*subject->passed, hooks);
    for (const std::string &complaint : complaints)
      fail(line, complaint);
    if (!complaints.empty())
      return nullptr;
    subject->o0 = std::make_unique<Code>(*subject->plain, 0);
    subject->o3 = std::make_unique<Code>(*subject->passed, 3);
    return (at->second = std::move(subject)).get();
  }

  static ir::Outcome interpret(Subject &subject, const ir::Module &module, const run::Memory &memory, const Cells &args) {
    subject.interpreter = std::make_unique<ir::Interpreter>(module);
    subject.interpreter->setRuntime(callRuntime);
    memory.show(*subject.interpreter);
    return subject.interpreter->run(module.root, args);
  }

  /// Runs a directive in one way, on arguments of its own.
  template <class Execute>
  bool check(const Directive &directive, const Expectation &expectation, const ir::Function &function, const char *how,
             Execute execute) {
    run::Memory memory;
    Cells args;
    std::string_view text = expectation.arguments;
    for (TypeId type : function.param_types) {
      if (!run::parseValue(text, type, memory, args))
        return fail(directive.line, "malformed argument of type " + toString(type) + ":" + directive.text);
      take(text, ",");
    }
    if (!text.empty())
      return fail(directive.line, "too many arguments: " + std::string(text));
    ir::Outcome outcome = execute(memory, args);
    std::string got = !outcome.problem.empty()  ? "problem: " + outcome.problem
                      : !outcome.raised.empty() ? "raises " + outcome.raised
                                                : run::show(function.return_type, outcome.result);
    if (show_)
      std::cout << fmt::format("{:<31} {} -> {}\n", how, directive.text, got);
    if (outcome.problem.empty() && asExpected(expectation.outcome, function, outcome, args))
      return true;
    return fail(directive.line, fmt::format("{}: {}, expected{}", how, got, directive.text));
  }

  static bool asExpected(std::string_view text, const ir::Function &function, const ir::Outcome &outcome, const Cells &args) {
    if (take(text, "raises"))
      return !outcome.raised.empty() && take(text, outcome.raised) && isBlank(text);
    if (!outcome.raised.empty() || !holds(text, function.return_type, outcome.result))
      return false;
    while (take(text, ", $")) {
      auto i = static_cast<size_t>(text.front() - '0');
      text.remove_prefix(1);
      if (i >= function.param_types.size() || !holds(text, function.param_types[i], argument(function, args, i)))
        return false;
    }
    return isBlank(text);
  }

  /// `== value` or `~= value` at the start of the text, which is advanced past it.
  static bool holds(std::string_view &text, TypeId type, const Cells &got) {
    bool nearly = take(text, "~=");
    if (!nearly && !take(text, "=="))
      return false;
    run::Memory memory;
    Cells expected;
    return run::parseValue(text, type, memory, expected) && run::same(type, got, expected, nearly ? kUlps : 0);
  }

  static bool isBlank(std::string_view text) { return text.find_first_not_of(' ') == std::string_view::npos; }

  static Cells argument(const ir::Function &function, const Cells &args, size_t index) {
    size_t at = 0;
    for (size_t i = 0; i < index; ++i)
      at += scalarsOf(function.param_types[i]).size();
    auto first = args.begin() + static_cast<std::ptrdiff_t>(at);
    return Cells(first, first + static_cast<std::ptrdiff_t>(scalarsOf(function.param_types[index]).size()));
  }

  std::string path_, text_;
  bool show_;
  std::map<std::string, std::unique_ptr<Subject>> subjects_;
};

} // namespace

int main(int argc, char **argv) {
  bool show = argc > 2 && std::string_view(argv[2]) == "--show";
  if (argc < 2 || (argc > 2 && !show)) {
    std::cerr << "usage: naja-run file [--show]\n";
    return 2;
  }
  std::ifstream in(argv[1]);
  if (!in) {
    std::cerr << "naja-run: cannot read " << argv[1] << "\n";
    return 2;
  }
  std::string text(std::istreambuf_iterator<char>(in), {});
  auto directives = findDirectives(text);
  Runner runner(argv[1], std::move(text), show);
  if (directives.empty()) {
    std::cerr << argv[1] << ": nothing to run\n";
    return 1;
  }
  int failures = 0;
  for (const Directive &directive : directives)
    failures += runner.run(directive) ? 0 : 1;
  if (failures == 0)
    std::cout << directives.size() << " directives hold\n";
  return failures == 0 ? 0 : 1;
}
