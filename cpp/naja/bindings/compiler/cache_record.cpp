// What naja.cache writes to the object store about a specialisation, as plain Python data.
#include "naja/bindings/compiler/compiler.h"

#include "naja/frontend/snapshot/snapshot.h"

namespace naja::bindings {
namespace {

using Reads = typing::Session::ReadSet;

nb::object objectOr(PyHandle handle) { return handle.valid() ? nb::borrow(frontend::objectOf(handle)) : nb::none(); }

/// The object behind a constant; None for plain values.
nb::object objectOf(ConstId id) {
  if (!id.valid()) return nb::none();
  return std::visit(
      [](const auto &value) -> nb::object {
        if constexpr (requires { value.dispatcher; })
          return objectOr(value.dispatcher.valid() ? value.dispatcher : value.function);
        else if constexpr (requires { value.handle; })
          return objectOr(value.handle);
        else
          return nb::none();
      },
      ConstantStore::global().get(id).value);
}

nb::list functions(const Reads &reads) {
  nb::list rows;
  for (const auto &[function, hash] : reads.functions)
    rows.append(nb::make_tuple(objectOr(function.function), objectOr(function.dispatcher), hash));
  return rows;
}

nb::list attributes(const Reads &reads) {
  nb::list rows;
  for (const auto &attribute : reads.attributes) rows.append(nb::make_tuple(objectOf(attribute.object), attribute.name));
  return rows;
}

nb::list overloads(const Reads &reads) {
  nb::list rows;
  for (const auto &[request, function] : reads.overloads) {
    nb::object receiver = nb::none(), made = nb::none();
    if (!request.object.valid() && !request.arg_types.empty()) receiver = nb::int_(request.arg_types[0].value);
    if (function) made = objectOr(function->function);
    rows.append(nb::make_tuple(objectOf(request.object), request.name, receiver, made));
  }
  return rows;
}

nb::list slots(const std::vector<codegen::Slot> &all) {
  constexpr const char *kKinds[] = {"type", "constant", "origin", "array"};
  nb::list rows;
  for (const codegen::Slot &slot : all) {
    nb::object object = nb::none();
    if (slot.kind == codegen::Slot::Constant || slot.kind == codegen::Slot::ArrayData) object = objectOf(ConstId(slot.id));
    rows.append(nb::make_tuple(kKinds[slot.kind], slot.id, slot.symbol, slot.file, object));
  }
  return rows;
}

} // namespace

void addCacheRecord(nb::module_ &module) {
  module.def(
      "cache_record",
      [](nb::handle specialisation) -> nb::object {
        nb::object owner = specialisation.attr("owner");
        auto *compiled = static_cast<std::shared_ptr<driver::CompiledFunction> *>(
            PyCapsule_GetPointer(owner.ptr(), "naja.CompiledFunction"));
        if (!compiled) throw nb::python_error();
        const auto &record = (*compiled)->record;
        if (!record) return nb::none();
        nb::dict result;
        result["symbol"] = (*compiled)->symbol;
        result["image"] = nb::bytes(record->image.data(), record->image.size());
        result["slots"] = slots(record->slots);
        result["holds_address"] = record->holds_address;
        result["functions"] = functions(record->reads);
        result["attributes"] = attributes(record->reads);
        result["overloads"] = overloads(record->reads);
        result["typed_objects"] = record->reads.typed_objects.size();
        return result;
      },
      "What the object store keeps of a specialisation that was compiled with record=True.");
}

} // namespace naja::bindings
