#include "naja/typing/emitter.h"

#include "naja/library/emit_helpers.h"

#include <fmt/format.h>

namespace naja::typing {

using ir::Opcode;
using ir::ValueId;

ir::FunctionId ModuleBuilder::functionOf(const Specialisation &spec) {
  if (auto found = functions_.find(&spec); found != functions_.end()) return found->second;
  auto function = std::make_unique<ir::Function>();
  const Body &body = spec.body;
  function->name = fmt::format("{}.{}", body.signature().name, module->functions.size());
  function->file = body.code().file;
  function->first_line = body.code().first_line;
  function->typed = true;
  function->flags = spec.flags;
  for (size_t i = 0; i < spec.arg_types.size(); ++i) {
    function->param_types.push_back(storageType(spec.arg_types[i]));
    function->param_names.emplace_back(body.paramName(i));
  }
  function->return_type = storageType(spec.result.type);
  if (!spec.external_symbol.empty()) {
    function->external = true;
    function->name = spec.external_symbol;
    function->may_raise = spec.external_may_raise;
  } else {
    pending_.push_back(&spec);
  }
  ir::FunctionId id = module->add(std::move(function));
  functions_.emplace(&spec, id);
  return id;
}

const Specialisation *ModuleBuilder::next() {
  if (pending_.empty()) return nullptr;
  const Specialisation *spec = pending_.back();
  pending_.pop_back();
  return spec;
}

ValueId FunctionEmitter::undefined(TypeId type) {
  return builder_.emit(Opcode::Undef, storageType(type), std::span<const ValueId>());
}

ValueId FunctionEmitter::item(ValueId tuple, unsigned index) {
  const ir::Inst *definition = out_.def(tuple);
  if (definition != nullptr && definition->op == Opcode::TupleMake) return definition->operands[index];
  return builder_.tupleGet(tuple, index);
}

ValueId FunctionEmitter::convertTuple(ValueId value, TypeId to) {
  std::vector<TypeId> wanted = typeOf(to).args;
  std::vector<ValueId> items;
  items.reserve(wanted.size());
  for (unsigned i = 0; i < wanted.size(); ++i) items.push_back(convert(item(value, i), wanted[i]));
  return builder_.emit(Opcode::TupleMake, to, items);
}

ValueId FunctionEmitter::convert(ValueId value, TypeId wanted) {
  TypeId to = storageType(wanted), from = out_.typeOf(value);
  if (from == to) return value;
  const Type &target = typeOf(to), &source = typeOf(from);
  if (isCompileTime(to)) {
    bool literal = target.kind == TypeKind::Literal || target.kind == TypeKind::Omitted;
    return materialise(literal ? ConstId(target.constant) : ofType(to).constant, to);
  }
  if (source.kind == TypeKind::Literal || source.kind == TypeKind::Omitted) {
    AbstractValue known = ofType(from);
    return convert(materialise(known.constant, known.type), to);
  }
  if (target.kind == TypeKind::MaybeUnbound || target.kind == TypeKind::Optional) {
    bool nothing = from == types().unbound || (target.kind == TypeKind::Optional && source.kind == TypeKind::None);
    bool same_kind = source.kind == target.kind;
    return builder_.cast(nothing || same_kind ? value : convert(value, target.args[0]), to);
  }
  if (source.kind == TypeKind::Optional) return convert(library::emitUnwrap(*this, value), to);
  if (source.isScalar() && target.isScalar()) return library::emitConvert(*this, value, to);
  if (source.kind == TypeKind::Tuple && target.kind == TypeKind::Tuple && source.args.size() == target.args.size())
    return convertTuple(value, to);
  return builder_.cast(value, to);
}

ValueId FunctionEmitter::materialiseSlice(const ConstSlice &slice, TypeId type) {
  std::vector<ValueId> parts;
  int64_t given = 0, bit = ir::kHasStart;
  for (ConstId part : {slice.start, slice.stop, slice.step}) {
    bool present = part.valid() && !std::holds_alternative<Null>(ConstantStore::global().get(part).value);
    parts.push_back(present ? materialise(part, types().int64) : builder_.int64(bit == ir::kHasStep ? 1 : 0));
    given |= present ? bit : 0;
    bit <<= 1;
  }
  return builder_.emit(Opcode::SliceMake, type, parts, given);
}

ValueId FunctionEmitter::materialise(ConstId constant, TypeId wanted) {
  TypeId type = storageType(wanted);
  uint64_t key = (uint64_t(constant.value) << 32U) | type.value;
  Cached &cached = constants_[key];
  if (cached.block == builder_.block() && cached.value.valid()) return cached.value;
  const ConstantValue &value = ConstantStore::global().get(constant).value;
  ValueId made;
  if (const auto *tuple = std::get_if<ConstTuple>(&value); tuple != nullptr && typeOf(type).kind == TypeKind::Tuple) {
    std::vector<TypeId> item_types = typeOf(type).args;
    std::vector<ValueId> items;
    for (size_t i = 0; i < item_types.size(); ++i) items.push_back(materialise(tuple->items[i], item_types[i]));
    made = builder_.emit(Opcode::TupleMake, type, items);
  } else if (const auto *slice = std::get_if<ConstSlice>(&value)) {
    made = materialiseSlice(*slice, type);
  } else {
    TypeId natural = typeOfConstant(constant);
    bool direct = natural == type || isCompileTime(type) || !natural.valid();
    made = direct                                                  ? builder_.constant(constant, type)
           : typeOf(natural).isScalar() && typeOf(type).isScalar() ? library::emitConstant(*this, constant, type)
                                                                   : convert(materialise(constant, natural), type);
  }
  constants_[key] = {builder_.block(), made}; // making it may have grown the map
  return made;
}

ir::FunctionId
FunctionEmitter::kernel(const std::string &key, std::span<const TypeId> params, TypeId result,
                        const std::function<ValueId(library::Emitter &, std::span<const ValueId>)> &body) {
  const ir::FunctionFlags &f = out_.flags;
  std::string full = fmt::format("{}|{}{}{}{}|", key, int(f.cuda), int(f.error_model_numpy), int(f.fastmath), int(f.boundscheck));
  for (TypeId param : params) full += std::to_string(param.value) + ",";
  full += std::to_string(result.value);
  if (auto found = module_.kernels.find(full); found != module_.kernels.end()) return found->second;
  auto function = std::make_unique<ir::Function>();
  ir::Function &kernel = *function;
  kernel.name = fmt::format("kernel.{}", module_.kernels.size());
  kernel.file = out_.file;
  kernel.first_line = out_.first_line;
  kernel.typed = true;
  kernel.is_kernel = true;
  kernel.flags = f;
  kernel.param_types.assign(params.begin(), params.end());
  kernel.return_type = result;
  ir::BlockId entry = kernel.addBlock();
  std::vector<ValueId> values;
  for (size_t i = 0; i < params.size(); ++i) {
    kernel.param_names.push_back("p" + std::to_string(i));
    values.push_back(kernel.addParam(entry, params[i]));
  }
  FunctionEmitter inner(module_, kernel);
  inner.builder().setBlock(entry);
  inner.builder().loc = builder_.loc;
  ValueId made = body(inner, values);
  inner.builder().ret(inner.convert(made, result));
  ir::FunctionId id = module_.module->add(std::move(function));
  module_.kernels.emplace(std::move(full), id);
  return id;
}

} // namespace naja::typing
