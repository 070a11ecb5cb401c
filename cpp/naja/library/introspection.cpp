// isinstance, issubclass, type, hasattr, getattr, callable: answered by the types, so that branches on them are pruned.
#include "naja/library/constant_fold.h"
#include "naja/library/dtypes.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

#include <unordered_map>

namespace naja::library {

using namespace ir;

namespace {

bool isIntOrBool(const Type &t) { return t.kind == TypeKind::Int || t.kind == TypeKind::Bool; }
bool isAnyNumber(const Type &t) { return t.isScalar(); }

/// Python's and NumPy's classes by canonical name: which types are instances.
const std::unordered_map<std::string_view, bool (*)(const Type &)> &classTests() {
  static const std::unordered_map<std::string_view, bool (*)(const Type &)> tests = {
      {"builtins.bool", [](const Type &t) { return t.kind == TypeKind::Bool; }},
      // NumPy's narrow and unsigned scalars are no instances of Python's numbers; float64 and complex128 are.
      {"builtins.int",
       [](const Type &t) {
         return t.kind == TypeKind::Bool || (t.kind == TypeKind::Int && t.is_signed && t.bits == 64);
       }},
      {"builtins.float", [](const Type &t) { return t.kind == TypeKind::Float && t.bits == 64; }},
      {"builtins.complex", [](const Type &t) { return t.kind == TypeKind::Complex && t.bits == 128; }},
      {"builtins.str", [](const Type &t) { return t.kind == TypeKind::String; }},
      {"builtins.bytes", [](const Type &t) { return t.kind == TypeKind::Bytes; }},
      {"builtins.tuple", [](const Type &t) { return t.kind == TypeKind::Tuple; }},
      {"builtins.range", [](const Type &t) { return t.kind == TypeKind::Range; }},
      {"builtins.slice", [](const Type &t) { return t.kind == TypeKind::Slice; }},
      {"builtins.list", [](const Type &t) { return t.kind == TypeKind::Opaque && t.name.starts_with("list("); }},
      {"builtins.dict", [](const Type &t) { return t.kind == TypeKind::Opaque && t.name.starts_with("dict("); }},
      {"builtins.set", [](const Type &t) { return t.kind == TypeKind::Opaque && t.name.starts_with("set("); }},
      {"builtins.object", [](const Type &) { return true; }},
      {"builtins.type",
       [](const Type &t) {
         return t.kind == TypeKind::NumberClass || t.kind == TypeKind::TypeRef || t.kind == TypeKind::NamedTupleClass;
       }},
      {"types.NoneType", [](const Type &t) { return t.kind == TypeKind::None; }},
      {"numpy.ndarray", [](const Type &t) { return t.kind == TypeKind::Array; }},
      {"numpy.generic", isAnyNumber},
      {"numbers.Number", isAnyNumber},
      {"numbers.Complex", isAnyNumber},
      {"numbers.Real", [](const Type &t) { return t.isReal(); }},
      {"numbers.Rational", isIntOrBool},
      {"numbers.Integral", isIntOrBool}};
  return tests;
}

/// Whether a value of the type is an instance of the class; empty: the operand is no class.
std::optional<bool> isInstance(TypeId type, const AbstractValue &cls) {
  const Type &t = typeOf(type);
  if (std::string_view name = builtinName(cls); !name.empty()) {
    if (auto it = classTests().find(name); it != classTests().end()) return it->second(t);
    return name.starts_with("numpy.") ? std::optional(t.isScalar() && isSubclass(t, name)) : std::nullopt;
  }
  const Constant *c = identityOf(cls);
  if (const auto *named = c ? std::get_if<NamedTupleClass>(&c->value) : nullptr)
    return t.isNamedTuple() && t.handle == named->handle.value;
  if (isNone(cls.type)) return {};
  if (auto denoted = denotedType(cls)) {
    if (*denoted == type) return true;
    // Python's own classes may come as the type that they stand for.
    return false;
  }
  return {};
}

std::optional<bool> isInstanceOfAny(TypeId type, const AbstractValue &classes) {
  if (!isTuple(classes.type)) return isInstance(type, classes);
  bool any = false;
  for (const AbstractValue &item : itemsOf(classes)) {
    auto one = isInstanceOfAny(type, item);
    if (!one) return {};
    any |= *one;
  }
  return any;
}

Resolution isinstanceRule(const Query &q) {
  if (q.operands.size() != 2 || !q.keywords.empty())
    return Resolution::error(fmt::format("isinstance expected 2 arguments, got {}", q.operands.size()));
  AbstractValue a = q.operands[0];
  const AbstractValue &classes = q.operands[1];
  TypeId type = isOptional(a.type) ? typeOf(a.type).args[0] : a.type;
  auto answer = isInstanceOfAny(type, classes);
  if (!answer) return Resolution::error("isinstance() arg 2 must be a type, a tuple of types, or a union");
  if (!isOptional(a.type)) return boolResolution(*answer);
  bool none_too = isInstanceOfAny(types().none, classes).value_or(false);
  if (*answer == none_too) return boolResolution(*answer);
  return Resolution::resolved(types().boolean, [answer = *answer](Emitter &e, std::span<const ValueId> args) {
    ValueId has = e.builder().emit(Opcode::OptionalHas, types().boolean, {args[0]});
    return answer ? has : emitNot(e, has);
  });
}

Resolution issubclassRule(const Query &q) {
  if (q.operands.size() != 2 || !q.keywords.empty()) return {};
  auto type = denotedType(q.operands[0]);
  auto answer = type ? isInstanceOfAny(*type, q.operands[1]) : std::nullopt;
  return answer ? boolResolution(*answer) : Resolution{};
}

Resolution typeRule(const Query &q) {
  if (q.operands.size() != 1) return Resolution::error("type() of one argument only");
  TypeId type = q.operands[0].type;
  const Type &t = typeOf(type);
  if (t.isNamedTuple()) {
    NamedTupleClass cls{PyHandle(t.handle), t.name, t.fields};
    Type class_type;
    class_type.kind = TypeKind::NamedTupleClass;
    ConstId constant = ConstantStore::global().intern({cls, {}, false});
    class_type.constant = constant.value;
    Resolution r = Resolution::constantValue(constant, false);
    r.result.type = types().intern(std::move(class_type));
    return r;
  }
  return classResolution(type);
}

// ---- attributes by name

Resolution attributeOf(std::string_view name, const Query &q) {
  return Table::global().resolveAttribute(name, {q.operands.first(1), {}, q.flags});
}

bool asksPython(TypeKind kind) {
  return kind == TypeKind::Module || kind == TypeKind::Opaque || kind == TypeKind::Object;
}

Resolution hasattrRule(const Query &q) {
  auto name = q.operands.size() == 2 ? constantString(q.operands[1]) : std::nullopt;
  if (!name) return Resolution::error("hasattr() needs an object and a constant name");
  Resolution r = attributeOf(*name, q);
  if (r.kind == Resolution::NoMatch && asksPython(kindOf(q.operands[0].type))) return {};
  return boolResolution(r.kind != Resolution::NoMatch && r.kind != Resolution::Error);
}

Resolution getattrRule(const Query &q) {
  bool right_count = q.operands.size() == 2 || q.operands.size() == 3;
  auto name = right_count ? constantString(q.operands[1]) : std::nullopt;
  if (!name) return Resolution::error("getattr() needs an object and a constant name");
  Resolution r = attributeOf(*name, q);
  if (r.kind != Resolution::NoMatch && r.kind != Resolution::Error) return r;
  if (r.kind == Resolution::NoMatch && asksPython(kindOf(q.operands[0].type))) {
    r.kind = Resolution::NeedsPython;
    r.request_attribute = std::string(*name);
    return r;
  }
  if (q.operands.size() == 2)
    return Resolution::error(fmt::format("{} has no attribute '{}'", toString(q.operands[0].type), *name));
  AbstractValue fallback = q.operands[2];
  if (fallback.constant.valid()) return Resolution::constantValue(fallback.constant, fallback.weak);
  return Resolution::resolved(fallback.type, [](Emitter &, std::span<const ValueId> args) { return args[2]; });
}

Resolution callableRule(const Query &q) {
  if (q.operands.size() != 1)
    return Resolution::error(fmt::format("callable() takes exactly one argument ({} given)", q.operands.size()));
  switch (kindOf(q.operands[0].type)) {
  case TypeKind::Function:
  case TypeKind::Closure:
  case TypeKind::Builtin:
  case TypeKind::BoundMethod:
  case TypeKind::NumberClass:
  case TypeKind::TypeRef:
  case TypeKind::NamedTupleClass:
  case TypeKind::ExceptionClass: return boolResolution(true);
  case TypeKind::Opaque:
  case TypeKind::Object: return {};
  default: return boolResolution(false);
  }
}

/// Classes that the table knows so that isinstance() can name them; calling them makes nothing here.
Resolution noConstructor(const Query &) { return {}; }

} // namespace

void registerIntrospection(Table &table) {
  table.call("builtins.isinstance", isinstanceRule);
  table.call("builtins.issubclass", issubclassRule);
  table.call("builtins.type", typeRule);
  table.call("builtins.hasattr", hasattrRule);
  table.call("builtins.getattr", getattrRule);
  table.call("builtins.callable", callableRule);
  for (const auto &[name, test] : classTests())
    if (!table.knows(name)) table.call(name, noConstructor);
}

} // namespace naja::library
