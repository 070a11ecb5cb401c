#include "naja/frontend/snapshot/builtin_names.h"
#include "naja/frontend/snapshot/dtypes.h"
#include "naja/frontend/snapshot/freeze.h"
#include "naja/frontend/snapshot/state.h"

#include <cstring>

namespace naja::frontend {
namespace {

PyHandle handleOf(PyObject *object) { return HandleTable::global().add(object); }
ConstId intern(ConstantValue value, TypeId type = {}) {
  return ConstantStore::global().intern({std::move(value), type, false});
}

std::string qualifiedName(PyObject *object) {
  Ref name = attribute(object, "__qualname__");
  return textOf(name.get());
}

ConstId freezeModule(PyObject *object) {
  const char *name = PyModule_GetName(object);
  if (!name) PyErr_Clear();
  return intern(ModuleRef{name ? name : "?", handleOf(object)});
}

ConstId freezeFunction(PyObject *function, PyObject *dispatcher) {
  std::string name = qualifiedName(function);
  return intern(FunctionRef{handleOf(function), dispatcher ? handleOf(dispatcher) : PyHandle(), std::move(name)});
}

ConstId freezeDtype(PyObject *object) {
  auto type = typeOfDescr(reinterpret_cast<PyArray_Descr *>(object));
  if (!type) return {};
  return intern(TypeRef{*type, true, handleOf(object)}, types().dtypeOf(*type));
}

ConstId typeConstant(TypeId type, PyObject *object) {
  TypeId class_type = typeOf(type).isScalar() ? types().numberClass(type) : types().typeRef(type);
  return intern(TypeRef{type, false, handleOf(object)}, class_type);
}

std::string exceptionName(PyObject *object) {
  std::string name = importableName(object);
  return name.starts_with("builtins.") ? name.substr(9) : name;
}

/// Classes: NumPy's scalar classes denote types; exceptions and named tuples have constants of their own; classes of C
/// code go by their name.
ConstId freezeClass(PyObject *object) {
  auto *type = reinterpret_cast<PyTypeObject *>(object);
  if (auto denoted = typeOfScalarClass(type)) return typeConstant(*denoted, object);
  if (PyExceptionClass_Check(object)) return intern(ExceptionRef{exceptionName(object), handleOf(object)});
  if (auto name = builtinNameOf(object)) return intern(BuiltinRef{std::move(*name), handleOf(object)});
  if (auto fields = namedTupleFields(type); !fields.empty())
    return intern(NamedTupleClass{handleOf(object), textOf(attribute(object, "__name__").get()), std::move(fields)});
  if ((type->tp_flags & Py_TPFLAGS_HEAPTYPE) != 0) return {};
  std::string name = importableName(object);
  return name.empty() ? ConstId() : intern(BuiltinRef{std::move(name), handleOf(object)});
}

/// Callables of C code that the builtin table does not know: by their module and name, for diagnostics.
ConstId freezeCallable(PyObject *object) {
  const char *class_name = Py_TYPE(object)->tp_name;
  if (PyCFunction_Check(object)) {
    PyObject *self = PyCFunction_GET_SELF(object);
    if (self && !PyModule_Check(self)) return {}; // a bound method: its receiver matters
  } else if (std::strcmp(class_name, "numpy.ufunc") != 0 &&
             std::strcmp(class_name, "numpy._ArrayFunctionDispatcher") != 0) {
    return {};
  }
  std::string name = importableName(object);
  if (name.empty() && std::strcmp(class_name, "numpy.ufunc") == 0)
    name = "numpy." + textOf(attribute(object, "__name__").get());
  return name.empty() ? ConstId() : intern(BuiltinRef{std::move(name), handleOf(object)});
}

} // namespace

ConstId freezeEntity(PyObject *object) {
  const SnapshotHooks &hooks = HandleTable::global().state().hooks;
  if (PyModule_Check(object)) return freezeModule(object);
  if (hooks.unwrap_dispatcher) {
    if (PyObject *function = hooks.unwrap_dispatcher(object)) return freezeFunction(function, object);
  }
  if (hooks.name_of_callable) {
    std::string name = hooks.name_of_callable(object);
    if (!name.empty()) return intern(BuiltinRef{std::move(name), handleOf(object)});
  }
  if (hooks.type_of_type_object) {
    if (TypeId type = hooks.type_of_type_object(object); type.valid()) return typeConstant(type, object);
  }
  if (PyArray_DescrCheck(object)) return freezeDtype(object);
  if (PyType_Check(object)) return freezeClass(object);
  if (!PyCallable_Check(object)) return {};
  if (auto name = builtinNameOf(object)) return intern(BuiltinRef{std::move(*name), handleOf(object)});
  if (PyFunction_Check(object)) return freezeFunction(object, nullptr);
  return freezeCallable(object);
}

ConstId freeze(PyObject *object) {
  if (ConstId constant = freezeValue(object); constant.valid()) return constant;
  if (ConstId constant = freezeEntity(object); constant.valid()) return constant;
  PyErr_Clear();
  std::string class_name = importableName(reinterpret_cast<PyObject *>(Py_TYPE(object)));
  if (class_name.starts_with("builtins.")) class_name = class_name.substr(9);
  return intern(ObjectRef{handleOf(object), class_name.empty() ? Py_TYPE(object)->tp_name : class_name});
}

} // namespace naja::frontend
