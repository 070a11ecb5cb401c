#include "naja/typing/lattice.h"

#include <type_traits>

namespace naja::typing {
namespace {

TypeId singleton(TypeKind kind, ConstId constant) {
  Type type;
  type.kind = kind;
  type.constant = constant.value;
  return types().intern(std::move(type));
}

/// Kinds whose type is made from the constant's id, since a constant cannot name a type that names it.
std::optional<TypeKind> singletonKind(const ConstantValue &value) {
  return std::visit(
      [](const auto &v) -> std::optional<TypeKind> {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, ModuleRef>)
          return TypeKind::Module;
        else if constexpr (std::is_same_v<T, BuiltinRef>)
          return TypeKind::Builtin;
        else if constexpr (std::is_same_v<T, FunctionRef>)
          return TypeKind::Function;
        else if constexpr (std::is_same_v<T, ExceptionRef>)
          return TypeKind::ExceptionClass;
        else if constexpr (std::is_same_v<T, NamedTupleClass>)
          return TypeKind::NamedTupleClass;
        else
          return std::nullopt;
      },
      value);
}

TypeId literalType(ConstId constant, TypeId plain) {
  Type type;
  type.kind = TypeKind::Literal;
  type.constant = constant.value;
  type.args.push_back(plain);
  return types().intern(std::move(type));
}

/// The constant of a type of one value; invalid for other types.
ConstId constantOfType(TypeId id) {
  const Type &type = typeOf(id);
  ConstantStore &constants = ConstantStore::global();
  switch (type.kind) {
  case TypeKind::None: return constants.none();
  case TypeKind::Ellipsis: return constants.intern({Ellipsis{}, id, false});
  case TypeKind::Function:
  case TypeKind::Builtin:
  case TypeKind::Module:
  case TypeKind::NamedTupleClass:
  case TypeKind::ExceptionClass:
  case TypeKind::Omitted:
  case TypeKind::Literal: return ConstId(type.constant);
  case TypeKind::NumberClass:
  case TypeKind::TypeRef: return constants.intern({TypeRef{type.args[0], false, {}}, id, false});
  case TypeKind::DType: return constants.intern({TypeRef{type.args[0], true, {}}, id, false});
  default: return {};
  }
}

bool needsStorage(TypeId id) {
  const Type &type = typeOf(id);
  switch (type.kind) {
  case TypeKind::Closure:
  case TypeKind::BoundMethod:
  case TypeKind::ExceptionInstance: return true;
  case TypeKind::Tuple:
  case TypeKind::Optional:
  case TypeKind::MaybeUnbound:
    for (TypeId arg : type.args) {
      if (needsStorage(arg)) return true;
    }
    return false;
  default: return false;
  }
}

/// An object that naja knows nothing of is of type pyobject, which has no operations.
TypeId typeOrObject(ConstId constant) {
  TypeId type = typeOfConstant(constant);
  return type.valid() ? type : types().pyobject;
}

} // namespace

TypeId typeOfConstant(ConstId constant) {
  const Constant &c = ConstantStore::global().get(constant);
  if (auto kind = singletonKind(c.value)) return singleton(*kind, constant);
  if (c.type.valid()) return c.type;
  // Constants of the front end that know only what they denote.
  if (const auto *ref = std::get_if<TypeRef>(&c.value)) {
    if (ref->is_dtype) return types().dtypeOf(ref->type);
    return typeOf(ref->type).isScalar() ? types().numberClass(ref->type) : types().typeRef(ref->type);
  }
  if (const auto *array = std::get_if<ArrayRef>(&c.value)) return array->type;
  if (const auto *slice = std::get_if<ConstSlice>(&c.value))
    return slice->step.valid() ? types().slice3 : types().slice2;
  if (const auto *items = std::get_if<ConstTuple>(&c.value)) {
    std::vector<TypeId> item_types;
    for (ConstId item : items->items) item_types.push_back(typeOrObject(item));
    return types().tuple(item_types);
  }
  return {};
}

AbstractValue ofConstant(ConstId constant) {
  return {typeOrObject(constant), constant, ConstantStore::global().get(constant).weak};
}

AbstractValue ofType(TypeId id) {
  const Type &type = typeOf(id);
  if (type.kind == TypeKind::Omitted) return ofConstant(ConstId(type.constant));
  if (type.kind == TypeKind::Literal)
    return {type.args[0], ConstId(type.constant), ConstantStore::global().get(ConstId(type.constant)).weak};
  return canonical({id, {}, false});
}

AbstractValue canonical(AbstractValue value) {
  if (value.type.valid() && !value.constant.valid()) value.constant = constantOfType(value.type);
  return value;
}

bool isCompileTime(TypeId id) {
  switch (typeOf(id).kind) {
  case TypeKind::None:
  case TypeKind::Ellipsis:
  case TypeKind::Function:
  case TypeKind::Builtin:
  case TypeKind::Module:
  case TypeKind::NumberClass:
  case TypeKind::DType:
  case TypeKind::TypeRef:
  case TypeKind::NamedTupleClass:
  case TypeKind::ExceptionClass:
  case TypeKind::Omitted:
  case TypeKind::Literal: return true;
  default: return false;
  }
}

TypeId storageType(TypeId id) {
  if (!needsStorage(id)) return id;
  Type type = typeOf(id);
  if (type.kind == TypeKind::BoundMethod) return storageType(type.args[0]);
  for (TypeId &arg : type.args) arg = storageType(arg);
  if (type.kind == TypeKind::Closure || type.kind == TypeKind::ExceptionInstance) return types().tuple(type.args);
  return types().intern(std::move(type));
}

std::optional<AbstractValue> join(const AbstractValue &a, const AbstractValue &b) {
  if (a.isBottom() || a == b) return b;
  if (b.isBottom()) return a;
  if (a.type == b.type) {
    if (a.constant.valid() && a.constant == b.constant) return AbstractValue{a.type, a.constant, a.weak && b.weak};
    return canonical({a.type, {}, false});
  }
  auto type = unify(a.type, b.type);
  if (!type) return std::nullopt;
  return canonical({*type, {}, false});
}

AbstractValue widen(const AbstractValue &value) {
  return value.isBottom() ? value : canonical({value.type, {}, false});
}

TypeId argumentType(const AbstractValue &value, bool literal) {
  if (literal && value.constant.valid() && !isCompileTime(value.type)) {
    // A constant that was converted on the way is no literal any more.
    const Constant &constant = ConstantStore::global().get(value.constant);
    if (constant.type == value.type && constant.weak == value.weak) return literalType(value.constant, value.type);
  }
  return value.type;
}

TypeId omittedType(ConstId default_value) { return singleton(TypeKind::Omitted, default_value); }

TypeId withoutOptional(TypeId id) {
  const Type &type = typeOf(id);
  return type.kind == TypeKind::Optional ? type.args[0] : id;
}

bool convertible(TypeId from, TypeId to) {
  if (from == to || conversion(from, to) != Conversion::None) return true;
  return false;
}

} // namespace naja::typing
