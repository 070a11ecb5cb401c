// Types of frozen constants and of argument values.
#include "naja/frontend/snapshot/dtypes.h"
#include "naja/frontend/snapshot/freeze.h"
#include "naja/frontend/snapshot/snapshot.h"

#include <type_traits>

namespace naja::frontend {
namespace {

/// The kind of the type that is made from a constant's own id.
std::optional<TypeKind> entityKind(const ConstantValue &value) {
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

using MaybeType = std::optional<TypeId>;

MaybeType typeOfInt(PyObject *object) {
  TypeId type = ConstantStore::global().get(freezeInt(object)).type;
  if (!type.valid()) return std::nullopt; // beyond uint64
  return type;
}

MaybeType typeOfTuple(PyObject *object) {
  Nesting nesting;
  if (nesting.tooDeep()) return std::nullopt;
  std::vector<TypeId> items;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
    auto item = typeOfValue(PyTuple_GET_ITEM(object, i));
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  PyTypeObject *type = Py_TYPE(object);
  if (type == &PyTuple_Type) return types().tuple(items);
  auto fields = namedTupleFields(type);
  if (fields.empty() || fields.size() != items.size()) return std::nullopt;
  auto *class_object = reinterpret_cast<PyObject *>(type);
  return types().namedTuple(textOf(attribute(class_object, "__name__").get()), fields, items,
                            HandleTable::global().add(class_object).value);
}

/// A step of 1 is as good as none.
MaybeType typeOfSlice(PyObject *object) {
  PyObject *step = reinterpret_cast<PySliceObject *>(object)->step;
  int overflow = 0;
  const bool plain = step == Py_None || (PyLong_CheckExact(step) && PyLong_AsLongLongAndOverflow(step, &overflow) == 1);
  return plain ? types().slice2 : types().slice3;
}

MaybeType typeOfNdarray(PyObject *object) { return typeOfArray(reinterpret_cast<PyArrayObject *>(object)); }

MaybeType typeOfNumpyScalar(PyObject *object) {
  Ref descr = Ref::steal(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(object)));
  if (!descr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return typeOfDescr(reinterpret_cast<PyArray_Descr *>(descr.get()));
}

/// Masked arrays: their data alone would be something else.
bool isMasked(PyTypeObject *type) {
  for (; type; type = type->tp_base) {
    if (std::string_view(type->tp_name) == "MaskedArray") return true;
  }
  return false;
}

MaybeType typeOfSubclass(PyObject *object) {
  if (PyArray_CheckScalar(object)) return typeOfNumpyScalar(object);
  if (PyArray_Check(object)) return isMasked(Py_TYPE(object)) ? std::nullopt : typeOfNdarray(object);
  if (PyTuple_Check(object)) return typeOfTuple(object);
  TypeId type = typeOfFrozen(freeze(object));
  if (type.valid()) return type;
  // A subclass of a number or of str (an IntEnum, say) counts as what it derives from.
  if (PyLong_Check(object)) return typeOfInt(object);
  if (PyFloat_Check(object) && !PyArray_CheckScalar(object)) return types().float64;
  if (PyComplex_Check(object) && !PyArray_CheckScalar(object)) return types().complex128;
  if (PyUnicode_Check(object)) return types().unicode;
  return std::nullopt;
}

} // namespace

TypeId typeOfFrozen(ConstId constant) {
  const Constant &c = ConstantStore::global().get(constant);
  auto kind = entityKind(c.value);
  if (!kind) return c.type;
  Type type;
  type.kind = *kind;
  type.constant = constant.value;
  return types().intern(std::move(type));
}

std::optional<TypeId> typeOfValue(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  if (type == &PyArray_Type) return typeOfNdarray(value);
  if (type == &PyLong_Type) return typeOfInt(value);
  if (type == &PyFloat_Type) return types().float64;
  if (type == &PyBool_Type) return types().boolean;
  if (type == &PyComplex_Type) return types().complex128;
  if (type == &PyTuple_Type) return typeOfTuple(value);
  if (type == &PyUnicode_Type) return types().unicode;
  if (type == &PyBytes_Type) return types().bytes;
  if (type == &PySlice_Type) return typeOfSlice(value);
  if (value == Py_None) return types().none;
  return typeOfSubclass(value);
}

std::optional<TypeId> typeOfDtype(PyObject *dtype) {
  if (!PyArray_DescrCheck(dtype)) return std::nullopt;
  return typeOfDescr(reinterpret_cast<PyArray_Descr *>(dtype));
}

} // namespace naja::frontend
