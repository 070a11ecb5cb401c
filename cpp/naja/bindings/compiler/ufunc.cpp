// Loops of ufuncs, as naja.ufunc asks for them.
#include "naja/bindings/compiler/compiler.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

namespace naja::bindings {
namespace {

using CompiledPtr = std::shared_ptr<driver::CompiledFunction>;

/// `core` of a generalised ufunc: per operand the numbers of its core dimensions; None: elementwise.
CompileRequest loopRequest(nb::object function, nb::object dispatcher, nb::handle arg_ids, nb::object return_id,
                           nb::handle flags, unsigned inputs, nb::object core) {
  CompileRequest request{std::move(function), std::move(dispatcher), {}, std::nullopt, optionsFromFlags(flags)};
  for (nb::handle id : arg_ids) request.arg_types.push_back(TypeId(nb::cast<uint32_t>(id)));
  if (!return_id.is_none()) request.return_type = TypeId(nb::cast<uint32_t>(return_id));
  driver::UfuncLoop loop;
  loop.inputs = inputs;
  loop.generalised = !core.is_none();
  if (loop.generalised) loop.core = nb::cast<std::vector<std::vector<unsigned>>>(core);
  request.loop = std::move(loop);
  return request;
}

/// (address of the code, what keeps it alive, id of the kernel's result)
nb::tuple compileLoop(nb::object function, nb::object dispatcher, nb::handle arg_ids, nb::object return_id,
                      nb::handle flags, unsigned inputs, nb::object core, bool record) {
  CompileRequest request = loopRequest(function, dispatcher, arg_ids, return_id, flags, inputs, std::move(core));
  request.record = record;
  CompiledPtr compiled = compileRequest(request);
  auto address = reinterpret_cast<uintptr_t>(compiled->entry);
  uint32_t result = compiled->return_type.value;
  nb::object owner = nb::capsule(new CompiledPtr(std::move(compiled)), "naja.CompiledFunction",
                                 [](void *p) noexcept { delete static_cast<CompiledPtr *>(p); });
  return nb::make_tuple(address, owner, result);
}

std::map<std::string, std::string> loopTexts(nb::object function, nb::object dispatcher, nb::handle arg_ids,
                                             nb::object return_id, nb::handle flags, unsigned inputs, nb::object core) {
  CompileRequest request = loopRequest(function, dispatcher, arg_ids, return_id, flags, inputs, std::move(core));
  request.for_texts = true;
  return compileRequest(request)->artefacts;
}

} // namespace

void addUfuncLoops(nb::module_ &module) {
  module.def("compile_loop", &compileLoop, nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(),
             nb::arg(), nb::arg().none(), nb::arg("record") = false,
             "(address, owner, result id) of the loop of a ufunc for (function, dispatcher, argument ids, return id, "
             "flags, number of inputs, core dimensions or None); record: for the object store.");
  module.def("loop_texts", &loopTexts, nb::arg(), nb::arg().none(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(),
             nb::arg().none(), "All artefacts of such a loop, by name.");
}

} // namespace naja::bindings
