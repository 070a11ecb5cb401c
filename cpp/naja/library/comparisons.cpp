// Comparisons and identity of scalars, strings, None, Optional and classes; truth of None and Optional.
#include "naja/library/constant_fold.h"
#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

namespace naja::library {

using namespace ir;

namespace {

bool isEquality(Predicate p) { return p == Predicate::Eq || p == Predicate::Ne; }

Resolution compareScalars(Predicate p, const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  if (!isScalar(a.type) || !isScalar(b.type)) return {};
  if (auto folded = foldCompare(p, a, b)) return std::move(*folded);
  if ((isComplex(a.type) || isComplex(b.type)) && !isEquality(p))
    return Resolution::error("complex numbers have no order: '" + std::string(text(p)) + "' of " + toString(a.type) +
                             " and " + toString(b.type));
  return Resolution::resolved(types().boolean, [p, a, b](Emitter &e, std::span<const ValueId> args) {
    return emitCompare(e, p, emitOperand(e, a, args[0]), emitOperand(e, b, args[1]));
  });
}

Resolution compareStrings(Predicate p, const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  bool first = kindOf(a.type) == TypeKind::String, second = kindOf(b.type) == TypeKind::String;
  if (first && second) {
    if (auto folded = foldCompare(p, a, b)) return std::move(*folded);
    if (!isEquality(p)) return {};
    return Resolution::resolved(types().boolean, [p, a, b](Emitter &e, std::span<const ValueId> args) {
      ValueId equal =
          e.builder().emit(Opcode::StringEq, types().boolean, {emitOperand(e, a, args[0]), emitOperand(e, b, args[1])});
      return p == Predicate::Eq ? equal : emitNot(e, equal);
    });
  }
  // A string equals nothing but strings.
  const AbstractValue &other = first ? b : a;
  if ((first || second) && isEquality(p) && (isScalar(other.type) || isTuple(other.type)))
    return boolResolution(p == Predicate::Ne);
  return {};
}

EmitFn emitPresence(const AbstractValue &optional, unsigned position, bool wanted_absent) {
  return [optional, position, wanted_absent](Emitter &e, std::span<const ValueId> args) {
    ValueId has = e.builder().emit(Opcode::OptionalHas, types().boolean, {emitOperand(e, optional, args[position])});
    return wanted_absent ? emitNot(e, has) : has;
  };
}

/// x == None, x is None: decided by the type unless it is Optional.
Resolution compareWithNone(bool equal_wanted, const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  bool a_none = isNone(a.type), b_none = isNone(b.type);
  if (!a_none && !b_none) return {};
  if (a_none && b_none) return boolResolution(equal_wanted);
  unsigned position = a_none ? 1 : 0;
  const AbstractValue &other = q.operands[position];
  if (isOptional(other.type)) return Resolution::resolved(types().boolean, emitPresence(other, position, equal_wanted));
  return boolResolution(!equal_wanted);
}

Resolution compareNone(Predicate p, const Query &q) {
  return isEquality(p) ? compareWithNone(p == Predicate::Eq, q) : Resolution{};
}

/// An Optional value opened: whether it is there, and the value, to be looked at only where it is.
struct Opened {
  ValueId has; // invalid: it always is
  ValueId value;
};

Opened openOptional(Emitter &e, ValueId value) {
  Builder &b = e.builder();
  TypeId type = b.function().typeOf(value);
  if (!isOptional(type)) return {{}, value};
  return {b.emit(Opcode::OptionalHas, types().boolean, {value}),
          b.emit(Opcode::OptionalValue, typeOf(type).args[0], {value})};
}

TypeId withoutOptional(TypeId type) { return isOptional(type) ? typeOf(type).args[0] : type; }

/// == and != of an Optional: equal where both are None or both are there and equal. Order raises where one is None,
/// which is the table's general rule for Optional operands.
Resolution compareOptionals(Predicate p, const Query &q) {
  AbstractValue a = q.operands[0], b = q.operands[1];
  if (!isEquality(p) || (!isOptional(a.type) && !isOptional(b.type))) return {};
  AbstractValue inner[] = {{withoutOptional(a.type), isOptional(a.type) ? ConstId{} : a.constant, a.weak},
                           {withoutOptional(b.type), isOptional(b.type) ? ConstId{} : b.constant, b.weak}};
  Query inner_query{inner, {}, q.flags};
  Resolution r = Table::global().resolveCompare(Predicate::Eq, inner_query);
  if (r.kind != Resolution::Resolved) return r;
  return Resolution::resolved(
      types().boolean, [p, a, b, emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
        Builder &build = e.builder();
        Opened x = openOptional(e, emitOperand(e, a, args[0])), y = openOptional(e, emitOperand(e, b, args[1]));
        ValueId operands[] = {x.value, y.value};
        ValueId equal = emit(e, operands);
        ValueId result;
        // The payload of an absent value is looked at in the arm of a select that is not taken.
        if (x.has.valid() && y.has.valid()) {
          ValueId both = build.emit(Opcode::IAnd, types().boolean, {x.has, y.has});
          ValueId same = build.icmp(Predicate::Eq, x.has, y.has);
          result = build.select(both, equal, same);
        } else {
          result = build.select(x.has.valid() ? x.has : y.has, equal, build.boolConst(false));
        }
        return p == Predicate::Eq ? result : emitNot(e, result);
      });
}

bool isCompileTimeOnly(TypeKind kind) {
  switch (kind) {
  case TypeKind::Function:
  case TypeKind::Builtin:
  case TypeKind::Module:
  case TypeKind::NumberClass:
  case TypeKind::DType:
  case TypeKind::TypeRef:
  case TypeKind::NamedTupleClass:
  case TypeKind::ExceptionClass:
  case TypeKind::Ellipsis: return true;
  default: return false;
  }
}

bool isTypeLike(const AbstractValue &v) {
  TypeKind kind = kindOf(v.type);
  return kind == TypeKind::NumberClass || kind == TypeKind::DType || kind == TypeKind::TypeRef ||
         (kind == TypeKind::Builtin && denotedType(v)) || kind == TypeKind::String;
}

/// Classes, dtypes, functions, modules: equal where they are the same; a dtype also equals a class that denotes it.
std::optional<bool> sameEntity(const AbstractValue &a, const AbstractValue &b) {
  TypeKind ka = kindOf(a.type), kb = kindOf(b.type);
  bool has_dtype = ka == TypeKind::DType || kb == TypeKind::DType;
  if (has_dtype || (isTypeLike(a) && isTypeLike(b) && ka != TypeKind::String && kb != TypeKind::String)) {
    if (isTypeLike(a) && isTypeLike(b)) return denotedType(a) == denotedType(b);
    return false;
  }
  if (isCompileTimeOnly(ka) || isCompileTimeOnly(kb)) return a.type == b.type;
  return {};
}

Resolution compareEntities(Predicate p, const Query &q) {
  if (!isEquality(p)) return {};
  if (auto same = sameEntity(q.operands[0], q.operands[1])) return boolResolution(*same == (p == Predicate::Eq));
  return {};
}

Resolution samePointers(const AbstractValue &a, const AbstractValue &b) {
  return Resolution::resolved(types().boolean, [a, b](Emitter &e, std::span<const ValueId> args) {
    auto address = [&](const AbstractValue &v, ValueId id) {
      return e.builder().emit(Opcode::PtrToInt, types().uint64, {emitOperand(e, v, id)});
    };
    return emitCompare(e, Predicate::Eq, address(a, args[0]), address(b, args[1]));
  });
}

Resolution isRule(const Query &q) {
  const AbstractValue &a = q.operands[0], &b = q.operands[1];
  if (Resolution r = compareWithNone(true, q); r.kind != Resolution::NoMatch) return r;
  if (auto same = sameEntity(a, b)) return boolResolution(*same);
  // Scalars have no identity here: `is` holds where type and value are the same, as Numba has it for bools.
  if (isScalar(a.type) && isScalar(b.type)) {
    if (a.type != b.type) return boolResolution(false);
    return compareScalars(Predicate::Eq, q);
  }
  if (kindOf(a.type) == TypeKind::String && kindOf(b.type) == TypeKind::String) return compareStrings(Predicate::Eq, q);
  if (isOptional(a.type) || isOptional(b.type)) return compareOptionals(Predicate::Eq, q);
  if (kindOf(a.type) == TypeKind::Array && kindOf(b.type) == TypeKind::Array) return {};
  if (a.type != b.type) return boolResolution(false);
  if (kindOf(a.type) == TypeKind::Pointer) return samePointers(a, b);
  return {};
}

Resolution truthOfNone(const Query &) { return boolResolution(false); }
Resolution truthOfEntity(const Query &) { return boolResolution(true); }

Resolution truthOfOptional(const Query &q) {
  AbstractValue a = q.operands[0];
  AbstractValue inner[] = {{withoutOptional(a.type), {}, false}};
  Resolution r = Table::global().resolveTruth({inner, {}, q.flags});
  if (r.kind != Resolution::Resolved) return r;
  return Resolution::resolved(types().boolean,
                              [a, emit = std::move(r.emit)](Emitter &e, std::span<const ValueId> args) {
                                Opened x = openOptional(e, emitOperand(e, a, args[0]));
                                ValueId truth = emit(e, std::span(&x.value, 1));
                                return e.builder().select(x.has, truth, e.builder().boolConst(false));
                              });
}

} // namespace

void registerComparisons(Table &table) {
  for (CompareRule rule : {compareScalars, compareNone, compareStrings, compareOptionals, compareEntities})
    table.compare(rule);
  table.identity(isRule);
  table.truth(TypeKind::None, truthOfNone);
  table.truth(TypeKind::Optional, truthOfOptional);
  for (TypeKind kind : {TypeKind::Function, TypeKind::Builtin, TypeKind::Module, TypeKind::NumberClass, TypeKind::DType,
                        TypeKind::TypeRef, TypeKind::NamedTupleClass, TypeKind::ExceptionClass, TypeKind::Ellipsis,
                        TypeKind::Slice, TypeKind::BoundMethod, TypeKind::Closure})
    table.truth(kind, truthOfEntity);
}

} // namespace naja::library
