// What is refused, by name, with what to write instead. Constructs that later become supported get a handler in ops.def
// and leave this table.
#include "naja/frontend/translate/translator.h"

#include <algorithm>

namespace naja::frontend {
namespace {

struct Refusal {
  std::string_view opcode, message, hint;
};

constexpr Refusal kRefusals[] = {
    {"IMPORT_NAME", "import inside a function cannot be compiled", "import at the top of the module"},
    {"IMPORT_FROM", "import inside a function cannot be compiled", "import at the top of the module"},
    {"IMPORT_STAR", "import inside a function cannot be compiled", "import at the top of the module"},
    {"BEFORE_WITH", "the with statement cannot be compiled", "call the compiled function inside the with block"},
    {"WITH_EXCEPT_START", "the with statement cannot be compiled", "call the compiled function inside the with block"},
    {"LOAD_BUILD_CLASS", "a class inside a function cannot be compiled", "define the class at the top of the module"},
    {"LOAD_SUPER_ATTR", "super() cannot be compiled", "call the method by the name of its class"},
    {"UNPACK_EX", "starred unpacking cannot be compiled", "unpack by index: first, rest = x[0], x[1:]"},
    {"STORE_GLOBAL", "a global variable cannot be assigned",
     "globals are frozen when the function is compiled: return the value"},
    {"DELETE_GLOBAL", "a global variable cannot be deleted", "globals are frozen when the function is compiled"},
    {"DELETE_ATTR", "an attribute cannot be deleted", ""},
    {"YIELD_VALUE", "generator functions cannot be compiled", "write a loop, or fill an array and return it"},
    {"MATCH_SEQUENCE", "match on a sequence pattern cannot be compiled", "match on literals, or compare with if"},
    {"MATCH_MAPPING", "match on a mapping pattern cannot be compiled", "match on literals, or compare with if"},
    {"MATCH_CLASS", "match on a class pattern cannot be compiled", "match on literals, or use isinstance"},
    {"GET_LEN", "match on a sequence pattern cannot be compiled", "match on literals, or compare with if"},
    {"RERAISE", "raise without an exception cannot be compiled", "name the exception: raise ValueError(...)"},
    {"GET_AWAITABLE", "await cannot be compiled", "await outside of the compiled function"},
    {"BEFORE_ASYNC_WITH", "async with cannot be compiled", "use it outside of the compiled function"},
    {"GET_AITER", "async for cannot be compiled", "use it outside of the compiled function"},
};

/// First opcodes of a handler, without prefixes and caches.
std::vector<std::string_view> opcodesFrom(const CodeSnapshot &code, int32_t unit, size_t count) {
  std::vector<std::string_view> names;
  for (size_t i = static_cast<size_t>(std::max(unit, 0)); 2 * i < code.bytecode.size() && names.size() < count; ++i) {
    if (code.bytecode[2 * i] == 0) continue;
    std::string_view name = opcodeName(code.python_minor, code.bytecode[2 * i]);
    if (name != "EXTENDED_ARG" && name != "NOP") names.push_back(name);
  }
  return names;
}

} // namespace

void Translator::unsupported(int32_t arg) {
  std::string_view name = opcodeName(code_.python_minor, arg);
  for (const Refusal &refusal : kRefusals) {
    if (refusal.opcode == name) {
      fail(std::string(refusal.message), std::string(refusal.hint));
      return;
    }
  }
  fail("the operation " + std::string(name) + " cannot be compiled");
}

/// try and with are entries of the exception table whose handler begins with PUSH_EXC_INFO. Others put variables back
/// after a comprehension inlined into the function: a compiled function that raises has no use for them.
bool Translator::refuseHandlers() {
  for (const ExceptionTableEntry &entry : code_.exceptions) {
    auto handler = opcodesFrom(code_, entry.target, 3);
    if (handler.empty() || handler[0] != "PUSH_EXC_INFO") continue;
    const auto &ops = decoded_.ops;
    auto first = std::lower_bound(ops.begin(), ops.end(), entry.start, [](const Operation &op, int32_t unit) {
      return static_cast<int32_t>(op.unit) < unit;
    });
    for (; first != ops.end() && static_cast<int32_t>(first->unit) < entry.end; ++first) {
      if (!cfg_->reaches(static_cast<uint32_t>(first - ops.begin()))) continue;
      // The statement itself stands before what it covers.
      unit_ = static_cast<uint32_t>(entry.start > 0 ? entry.start - 1 : 0);
      if (std::find(handler.begin(), handler.end(), "WITH_EXCEPT_START") != handler.end())
        fail("the with statement cannot be compiled", "call the compiled function inside the with block");
      else
        fail("try cannot be compiled", "check for the error before it is raised, or catch it in the caller");
      return true;
    }
  }
  return false;
}

} // namespace naja::frontend
