#include "naja/ir/function.h"

#include <cassert>

namespace naja::ir {

ValueId Builder::emit(Opcode op, TypeId type, std::span<const ValueId> operands, int64_t attr) {
  Inst inst;
  inst.op = op;
  inst.type = type;
  inst.loc = loc;
  inst.attr = attr;
  inst.operands.assign(operands.begin(), operands.end());
  return function_.inst(function_.append(block_, std::move(inst))).result;
}

ValueId Builder::emit(Opcode op, TypeId type, std::initializer_list<ValueId> operands, int64_t attr) {
  return emit(op, type, std::span<const ValueId>(operands.begin(), operands.size()), attr);
}

Inst &Builder::last() { return function_.inst(function_.block(block_).insts.back()); }

ValueId Builder::constant(ConstId constant, TypeId type) { return emit(Opcode::Const, type, {}, constant.value); }

ValueId Builder::intConst(int64_t value, TypeId type) {
  ConstantStore &store = ConstantStore::global();
  if (value < 0 && type == types().uint64)
    return constant(store.intern({static_cast<uint64_t>(value), types().uint64, true}), type);
  return constant(store.ofInt(value), type);
}
ValueId Builder::int64(int64_t value) { return intConst(value, types().int64); }
ValueId Builder::boolConst(bool value) { return constant(ConstantStore::global().ofBool(value), types().boolean); }
ValueId Builder::floatConst(double value, TypeId type) { return constant(ConstantStore::global().ofFloat(value), type); }
ValueId Builder::noneConst() { return constant(ConstantStore::global().none(), types().none); }

ValueId Builder::iadd(ValueId a, ValueId b, int64_t wrap) {
  return emit(Opcode::IAdd, function_.typeOf(a), {a, b}, wrap);
}
ValueId Builder::isub(ValueId a, ValueId b, int64_t wrap) {
  return emit(Opcode::ISub, function_.typeOf(a), {a, b}, wrap);
}
ValueId Builder::imul(ValueId a, ValueId b, int64_t wrap) {
  return emit(Opcode::IMul, function_.typeOf(a), {a, b}, wrap);
}
ValueId Builder::icmp(Predicate p, ValueId a, ValueId b) {
  return emit(Opcode::ICmp, types().boolean, {a, b}, static_cast<int64_t>(p));
}
ValueId Builder::fcmp(Predicate p, ValueId a, ValueId b) {
  return emit(Opcode::FCmp, types().boolean, {a, b}, static_cast<int64_t>(p));
}
ValueId Builder::cast(ValueId value, TypeId type) {
  return function_.typeOf(value) == type ? value : emit(Opcode::Cast, type, {value});
}
ValueId Builder::select(ValueId condition, ValueId a, ValueId b) {
  return emit(Opcode::Select, function_.typeOf(a), {condition, a, b});
}
ValueId Builder::math(MathFn f, TypeId type, std::initializer_list<ValueId> args) {
  return emit(Opcode::Math, type, args, static_cast<int64_t>(f));
}

ValueId Builder::tupleMake(std::span<const ValueId> items) {
  std::vector<TypeId> item_types;
  item_types.reserve(items.size());
  for (ValueId item : items)
    item_types.push_back(function_.typeOf(item));
  return emit(Opcode::TupleMake, types().tuple(item_types), items);
}
ValueId Builder::tupleGet(ValueId tuple, unsigned index) {
  const Type &type = naja::typeOf(function_.typeOf(tuple));
  assert((type.kind == TypeKind::Tuple || type.kind == TypeKind::Iterator) && index < type.args.size());
  return emit(Opcode::TupleGet, type.args[index], {tuple}, index);
}

ValueId Builder::call(FunctionId callee, TypeId type, std::span<const ValueId> args) {
  return emit(Opcode::Call, type, args, callee.value);
}
ValueId Builder::callRuntime(std::string_view symbol, TypeId type, std::span<const ValueId> args, bool may_raise) {
  ValueId result = emit(Opcode::CallRuntime, type, args, internSymbol(symbol).value);
  last().no_raise = !may_raise;
  return result;
}
ValueId Builder::dim(ValueId array, unsigned axis) { return emit(Opcode::ArrayDim, types().int64, {array}, axis); }

void Builder::br(BlockId target, std::vector<ValueId> args) {
  emit(Opcode::Br, {}, std::span<const ValueId>());
  last().edges.push_back({target, std::move(args)});
}
void Builder::condBr(ValueId condition, BlockId then, std::vector<ValueId> then_args, BlockId otherwise,
                     std::vector<ValueId> else_args) {
  emit(Opcode::CondBr, {}, {condition});
  last().edges.push_back({then, std::move(then_args)});
  last().edges.push_back({otherwise, std::move(else_args)});
}
void Builder::ret(ValueId value) { emit(Opcode::Return, {}, {value}); }
void Builder::raise(ConstId exception_class, std::span<const ValueId> args) {
  emit(Opcode::Raise, {}, args, exception_class.value);
}

} // namespace naja::ir
