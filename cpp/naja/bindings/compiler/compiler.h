// Shared by the files of `_compiler`: the extension module that holds LLVM. Loaded by the first compilation; calls into
// it hold the GIL and give it up while the compiler works.
#pragma once

#include "naja/bindings/core/core_api.h"
#include "naja/driver/compile.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <vector>

namespace naja::bindings {

namespace nb = nanobind;

/// The table of `_core`; set when the module is initialised.
extern const CoreApi *core;

/// What to compile, as the dispatcher says it.
struct CompileRequest {
  nb::object function;   // the plain Python function
  nb::object dispatcher; // its dispatcher, or None
  std::vector<TypeId> arg_types;
  std::optional<TypeId> return_type;
  typing::FunctionOptions options;
  bool for_texts = false; // keep the texts, load nothing
  bool record = false;    // for the object store
  std::optional<driver::UfuncLoop> loop = std::nullopt; // the loop of a ufunc around the function
  std::optional<codegen::PtxOptions> ptx = std::nullopt; // compile to PTX
};

/// Compiles; throws the Python exception that the user's error becomes. Equal requests of several threads are compiled
/// once (those that only want texts aside).
std::shared_ptr<driver::CompiledFunction> compileRequest(const CompileRequest &request);

/// Adds `cache_record`, which naja.cache calls.
void addCacheRecord(nb::module_ &module);

/// Adds `compile_loop` and `loop_texts`, which naja.ufunc calls.
void addUfuncLoops(nb::module_ &module);

/// (PTX, id of the result's type, missing functions of libdevice, symbol, LLVM IR) of a kernel or device function.
nb::tuple compilePtx(nb::object function, nb::object dispatcher, nb::handle arg_ids, nb::object return_id, nb::handle flags,
                     const std::string &cpu, bool device, const std::string &name, const std::string &libdevice);

/// Handlers of os.register_at_fork.
void beforeFork();
void afterForkInParent();
void afterForkInChild();

/// FunctionOptions from the tuple naja.options.CompilerFlags.
typing::FunctionOptions optionsFromFlags(nb::handle flags);
/// The same from a dispatcher, with its explicit signatures.
typing::FunctionOptions optionsOfDispatcher(nb::handle dispatcher);

/// Answers what typing has asked. The GIL is held.
void answerRequests(typing::Session &session);

/// Throws the exception of naja.errors that a diagnostic becomes; the cause is the Python error that led to it, if any.
[[noreturn]] void throwDiagnostic(const Diagnostic &diagnostic);
/// The Python error that is set now as a diagnostic which throwDiagnostic raises again as it is.
Diagnostic diagnosticOfPythonError(const std::string &what);

} // namespace naja::bindings
