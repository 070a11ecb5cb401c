// The module `naja._compiler`.
#include "naja/bindings/compiler/compiler.h"

#include "naja/codegen/codegen.h"
#include "naja/codegen/time_trace.h"
#include "naja/driver/compiled_functions.h"
#include "naja/frontend/snapshot/snapshot.h"
#include "naja/library/rule.h"
#include "naja/runtime/abi.h"
#include "naja/support/options.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace naja::bindings {

const CoreApi *core = nullptr;

namespace {

using CompiledPtr = std::shared_ptr<driver::CompiledFunction>;
constexpr const char *kOwner = "naja.CompiledFunction";

/// Uses the stores of `_core`; run once, when the module is loaded.
void connect() {
  core = importCoreApi();
  if (!core) throw nb::python_error();
  TypeStore::install(core->types);
  ConstantStore::install(core->constants);
  frontend::HandleTable::install(core->handles);
  naja_rt_delegate(core->find_symbol);
  if (!frontend::initializeSnapshot()) throw nb::python_error();
  frontend::setBuiltinNames(library::Table::global().names());
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("before") = nb::cpp_function(beforeFork),
                                                      nb::arg("after_in_parent") = nb::cpp_function(afterForkInParent),
                                                      nb::arg("after_in_child") = nb::cpp_function(afterForkInChild));
  if (std::string path = optionString("TIME_TRACE"); !path.empty()) {
    codegen::startTimeTrace();
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([path] {
      if (std::string error = codegen::writeTimeTrace(path); !error.empty())
        PySys_WriteStderr("naja: %s: %s\n", path.c_str(), error.c_str());
    }));
  }
}

std::vector<TypeId> typesFromIds(nb::handle ids) {
  std::vector<TypeId> types;
  for (nb::handle id : ids) types.push_back(TypeId(nb::cast<uint32_t>(id)));
  return types;
}

nb::object makeOwner(CompiledPtr compiled) {
  return nb::capsule(new CompiledPtr(std::move(compiled)), kOwner,
                     [](void *p) noexcept { delete static_cast<CompiledPtr *>(p); });
}

CompiledPtr compiledOf(nb::handle specialisation) {
  nb::object owner = specialisation.attr("owner");
  return *static_cast<CompiledPtr *>(PyCapsule_GetPointer(owner.ptr(), kOwner));
}

nb::object compile(nb::object function, nb::object dispatcher, nb::handle arg_ids, nb::object return_id,
                   nb::handle flags, bool record) {
  CompileRequest request{function, dispatcher, typesFromIds(arg_ids), std::nullopt, optionsFromFlags(flags)};
  request.record = record;
  if (!return_id.is_none()) request.return_type = TypeId(nb::cast<uint32_t>(return_id));
  CompiledPtr compiled = compileRequest(request);
  uint32_t how = request.options.flags.nogil ? kReleaseGil : 0U;
  void *entry = compiled->entry;
  TypeId result = compiled->return_type;
  nb::object owner = makeOwner(std::move(compiled));
  nb::object specialisation = nb::steal(
      core->new_specialisation(entry, request.arg_types.data(), request.arg_types.size(), result, owner.ptr(), how));
  if (!specialisation.is_valid()) throw nb::python_error();
  return specialisation;
}

std::map<std::string, std::string> texts(nb::object function, nb::object dispatcher, nb::handle specialisation,
                                         nb::handle flags) {
  CompileRequest request{function,
                         dispatcher,
                         typesFromIds(specialisation.attr("args")),
                         TypeId(nb::cast<uint32_t>(specialisation.attr("return_type"))),
                         optionsFromFlags(flags),
                         true};
  return compileRequest(request)->artefacts;
}

std::map<std::string, double> timings(nb::handle specialisation) { return compiledOf(specialisation)->timings; }

nb::list parallelNotes(nb::handle specialisation) {
  constexpr const char *kKinds[] = {"parallel", "serial", "warning"};
  nb::list rows;
  for (const ir::ParallelNote &note : compiledOf(specialisation)->parallel_notes)
    rows.append(nb::make_tuple(kKinds[note.kind], note.where.line, note.other.line, note.text));
  return rows;
}

void forget(nb::handle function) {
  PyHandle handle = frontend::HandleTable::global().find(function.ptr());
  if (handle.valid()) driver::Registry::global().forget(handle);
}

} // namespace
} // namespace naja::bindings

NB_MODULE(_compiler, module) {
  using namespace naja::bindings;
  nanobind::set_leak_warnings(false);
  connect();
  module.doc() = "The compiler of naja, with LLVM inside.";
  module.def("compile", &compile, "A _core.Specialisation for (function, dispatcher, argument ids, return id, flags).",
             nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg("record") = false);
  addCacheRecord(module);
  module.def("compile_ptx", &compilePtx, "(PTX, result type id, missing functions, symbol, LLVM IR) of a function.", nb::arg(),
             nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  module.def("texts", &texts, "All artefacts of a specialisation, by name; compiles it again.", nb::arg(),
             nb::arg().none(), nb::arg(), nb::arg());
  module.def("timings", &timings, "Seconds by stage of a specialisation's compilation.");
  module.def("parallel_notes", &parallelNotes, "(kind, line, other line, text) of what parallel=True came to.");
  module.def("forget", &forget, "Makes later compilations compile a function anew.");
  addUfuncLoops(module);
  module.def("host_cpu", &naja::codegen::hostCpu);
  module.def("host_features", &naja::codegen::hostFeatures);
  module.def("llvm_version", &naja::codegen::llvmVersion);
  module.def("builtin_names", [] { return naja::library::Table::global().names(); });
}
