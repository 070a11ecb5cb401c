// compile_ptx of `_compiler`.
#include "naja/bindings/compiler/compiler.h"

namespace naja::bindings {

nb::tuple compilePtx(nb::object function, nb::object dispatcher, nb::handle arg_ids, nb::object return_id,
                     nb::handle flags, const std::string &cpu, bool device, const std::string &name,
                     const std::string &libdevice) {
  CompileRequest request{};
  request.function = function;
  request.dispatcher = dispatcher;
  for (nb::handle id : arg_ids) request.arg_types.push_back(TypeId(nb::cast<uint32_t>(id)));
  if (!return_id.is_none()) request.return_type = TypeId(nb::cast<uint32_t>(return_id));
  request.options = optionsFromFlags(flags);
  request.for_texts = true;
  codegen::PtxOptions ptx;
  ptx.cpu = cpu;
  ptx.device = device;
  ptx.name = name;
  ptx.libdevice = libdevice;
  ptx.keep_ir = true;
  request.ptx = ptx;
  std::shared_ptr<driver::CompiledFunction> compiled = compileRequest(request);
  return nb::make_tuple(compiled->artefacts["ptx"], compiled->return_type.value, compiled->artefacts["missing"],
                        compiled->artefacts["symbol"], compiled->artefacts["opt.ll"]);
}

} // namespace naja::bindings
