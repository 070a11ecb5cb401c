#include "naja/driver/unboxable.h"

namespace naja::driver {
namespace {

Unboxable closure(const Type &) {
  return {"a function made inside of compiled code", "call it there, or return what it captures"};
}
Unboxable iterator(const Type &type) {
  if (type.name == "list") return {"a list", "return a tuple, or an array: np.array([...])"};
  if (type.name == "flags" || type.name == "ctypes")
    return {"the " + type.name + " of an array", "return what you need of them"};
  return {"an iterator (" + (type.name.empty() ? "iter" : type.name) + ")", "loop over it, and return an array or a tuple"};
}
Unboxable boundMethod(const Type &type) {
  return {"a method of " + toString(type.args[0]), "call it, or return the object"};
}
Unboxable exception(const Type &) { return {"an exception", "raise it, or return its class"}; }

struct Row {
  TypeKind kind;
  Unboxable (*describe)(const Type &);
};
constexpr Row kRows[] = {
    {TypeKind::Closure, closure},
    {TypeKind::Iterator, iterator},
    {TypeKind::BoundMethod, boundMethod},
    {TypeKind::ExceptionInstance, exception},
};

} // namespace

std::optional<Unboxable> whyUnboxable(TypeId id) {
  const Type &type = typeOf(id);
  for (const Row &row : kRows)
    if (row.kind == type.kind) return row.describe(type);
  if (type.kind == TypeKind::Tuple || type.kind == TypeKind::Optional)
    for (TypeId part : type.args)
      if (auto reason = whyUnboxable(part)) return reason;
  return {};
}

} // namespace naja::driver
