// Calls of C functions by address. Their type is opaque, made by Python (naja.external): `ExternalFunction[...]`, with the
// result's and the parameters' types as arguments and the address as the only offset.
#include "naja/library/array_families.h"
#include "naja/library/emit_helpers.h"

#include <fmt/format.h>

namespace naja::library {

using ir::Builder;
using ir::Opcode;
using ir::ValueId;

namespace {

bool isExternalFunction(const Type &type) { return type.name.starts_with("ExternalFunction["); }
bool isPointer(TypeId type) { return typeOf(type).kind == TypeKind::Pointer; }
/// `a.ctypes` of an array: stands for the address of its data.
bool isArrayAddress(TypeId type) { return typeOf(type).name == "ctypes" && typeOf(type).args.size() == 1; }

/// Whether a value may be passed where C expects `param`. Pointers take addresses: integers, None, `a.ctypes`.
bool accepts(TypeId param, TypeId argument) {
  if (!isPointer(param)) return conversion(argument, param) != Conversion::None;
  return isPointer(argument) || isInt(argument) || argument == types().none || isArrayAddress(argument);
}

ValueId addressOfArray(Emitter &e, ValueId facet, TypeId array) {
  Builder &b = e.builder();
  ValueId whole = b.emit(Opcode::TupleGet, array, {facet}, 0);
  return b.emit(Opcode::ArrayData, types().pointer(typeOf(array).args[0]), {whole});
}

/// An argument as C gets it; addresses travel as they are, in an integer register either way.
ValueId emitArgument(Emitter &e, const AbstractValue &a, ValueId value, TypeId param) {
  if (!isPointer(param)) return emitConvert(e, emitOperand(e, a, value), param);
  if (a.type == types().none) return e.builder().intConst(0, types().uint64);
  if (isArrayAddress(a.type)) return addressOfArray(e, value, typeOf(a.type).args[0]);
  ValueId address = emitOperand(e, a, value);
  return isPointer(a.type) ? address : emitConvert(e, address, types().uint64);
}

Resolution callExternal(const Query &q) {
  const Type &type = typeOf(q.operands[0].type);
  if (!isExternalFunction(type)) return {};
  size_t wanted = type.args.size() - 1, given = q.operands.size() - 1;
  if (!q.keywords.empty()) return Resolution::error("functions of C take no keyword arguments");
  if (wanted != given)
    return Resolution::error(fmt::format("this function of C takes {} argument{} ({} given)", wanted,
                                         wanted == 1 ? "" : "s", given));
  for (size_t i = 0; i < wanted; ++i)
    if (!accepts(type.args[i + 1], q.operands[i + 1].type))
      return Resolution::error(fmt::format("argument {} of this function of C is {}, not {}", i,
                                           toString(type.args[i + 1]), toString(q.operands[i + 1].type)));
  std::vector<AbstractValue> operands(q.operands.begin(), q.operands.end());
  std::string symbol = fmt::format("address:{}", static_cast<uint64_t>(type.offsets.at(0)));
  return Resolution::resolved(
      type.args[0],
      [operands = std::move(operands), params = type.args, symbol](Emitter &e, std::span<const ValueId> values) {
        std::vector<ValueId> arguments;
        for (size_t i = 1; i < params.size(); ++i)
          arguments.push_back(emitArgument(e, operands[i], values[i], params[i]));
        return e.builder().callRuntime(symbol, params[0], arguments, /*may_raise=*/false);
      });
}

} // namespace

void registerExternalFunctions(Table &table) { table.callValue(TypeKind::Opaque, callExternal); }

} // namespace naja::library
