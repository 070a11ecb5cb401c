#include "naja/bindings/core/objects.h"

#include "naja/bindings/core/box.h"
#include "naja/bindings/core/dispatcher.h"
#include "naja/bindings/core/type_object.h"
#include "naja/frontend/snapshot/snapshot.h"

#include <unordered_map>

namespace naja::bindings {
namespace {

PyObject *typeof_hook = nullptr;

/// Keeps a made object for ever: constants live as long as the process.
PyObject *keep(PyObject *object) {
  if (object == nullptr) { return nullptr; }
  PyObject *kept = frontend::objectOf(frontend::HandleTable::global().add(object));
  Py_DECREF(object);
  return kept;
}

PyObject *handleObject(PyHandle handle, const char *what) {
  PyObject *object = frontend::objectOf(handle);
  if (object == nullptr) { PyErr_Format(PyExc_SystemError, "%s has no object", what); }
  return object;
}

/// A new reference of the object of each kind of constant; null with an error set.
struct MakeObject {
  TypeId type;
  static PyObject *ref(PyObject *object) { return Py_XNewRef(object); }

  PyObject *operator()(Null) const { return ref(Py_None); }
  PyObject *operator()(bool value) const { return PyBool_FromLong(static_cast<long>(value)); }
  PyObject *operator()(int64_t value) const { return PyLong_FromLongLong(value); }
  PyObject *operator()(uint64_t value) const { return PyLong_FromUnsignedLongLong(value); }
  PyObject *operator()(double value) const { return PyFloat_FromDouble(value); }
  PyObject *operator()(const std::complex<double> &value) const {
    return PyComplex_FromDoubles(value.real(), value.imag());
  }
  PyObject *operator()(const std::string &value) const {
    return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogatepass");
  }
  PyObject *operator()(const Bytes &value) const {
    return PyBytes_FromStringAndSize(value.data.data(), static_cast<Py_ssize_t>(value.data.size()));
  }
  PyObject *operator()(const ConstTuple &value) const {
    Ref tuple = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
    for (size_t i = 0; tuple && i < value.items.size(); ++i) {
      PyObject *item = objectOfConstant(value.items[i]);
      if (item == nullptr) { return nullptr; }
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), Py_NewRef(item));
    }
    if (!tuple || !value.named_class.valid()) { return tuple.release(); }
    return PyObject_CallMethod(handleObject(value.named_class, "a named tuple"), "_make", "O", tuple.get());
  }
  PyObject *operator()(Ellipsis) const { return ref(Py_Ellipsis); }
  PyObject *operator()(const BigInt &value) const { return PyLong_FromString(value.decimal.c_str(), nullptr, 10); }
  PyObject *operator()(const ModuleRef &value) const { return ref(handleObject(value.handle, "a module")); }
  PyObject *operator()(const BuiltinRef &value) const { return ref(handleObject(value.handle, "a builtin")); }
  PyObject *operator()(const FunctionRef &value) const {
    return ref(handleObject(value.dispatcher.valid() ? value.dispatcher : value.function, "a function"));
  }
  PyObject *operator()(const ExceptionRef &value) const {
    if (PyObject *object = frontend::objectOf(value.handle)) { return ref(object); }
    PyObject *builtin = PyDict_GetItemString(PyEval_GetBuiltins(), value.name.c_str());
    if (builtin == nullptr) { PyErr_Format(PyExc_SystemError, "no exception class %s", value.name.c_str()); }
    return ref(builtin);
  }
  PyObject *operator()(const TypeRef &value) const {
    if (PyObject *object = frontend::objectOf(value.handle)) { return ref(object); }
    PyArray_Descr *descr = descrOf(value.type);
    if (descr == nullptr) {
      PyErr_Clear();
      return typeObject(value.type);
    }
    return ref(value.is_dtype ? reinterpret_cast<PyObject *>(descr) : reinterpret_cast<PyObject *>(descr->typeobj));
  }
  PyObject *operator()(const NamedTupleClass &value) const { return ref(handleObject(value.handle, "a class")); }
  PyObject *operator()(const ArrayRef &value) const { return ref(handleObject(value.handle, "an array")); }
  PyObject *operator()(const ObjectRef &value) const { return ref(handleObject(value.handle, "an object")); }
  PyObject *operator()(const ConstSlice &value) const {
    auto part = [](ConstId id) { return id.valid() ? objectOfConstant(id) : Py_None; };
    PyObject *start = part(value.start), *stop = part(value.stop), *step = part(value.step);
    return start && stop && step ? PySlice_New(start, stop, step) : nullptr;
  }
};

PyObject *classOf(TypeId scalar) {
  PyArray_Descr *descr = descrOf(scalar);
  return descr ? reinterpret_cast<PyObject *>(descr->typeobj) : nullptr;
}

} // namespace

TypeId typeOfObject(PyObject *value) {
  if (auto type = frontend::typeOfValue(value)) { return *type; }
  if (typeof_hook == nullptr) { return {}; }
  Ref answer = Ref::steal(PyObject_CallOneArg(typeof_hook, value));
  TypeId type;
  if (answer && answer.get() != Py_None && typeIdOf(answer.get(), &type)) { return type; }
  return {};
}

void setTypeofHook(PyObject *hook) { Py_XSETREF(typeof_hook, Py_NewRef(hook)); }

ConstId constantOf(PyObject *object) { return frontend::freeze(object); }

TypeId typeOfOmitted(PyObject *default_value) {
  Type type;
  type.kind = TypeKind::Omitted;
  type.constant = constantOf(default_value).value;
  return types().intern(std::move(type));
}

PyObject *objectOfHandle(uint32_t handle) { return handleObject(PyHandle(handle), "a type"); }

PyObject *objectOfConstant(ConstId id) {
  static auto *const objects = new std::unordered_map<uint32_t, PyObject *>;
  auto found = objects->find(id.value);
  if (found != objects->end()) { return found->second; }
  if (id.value >= ConstantStore::global().size()) {
    PyErr_SetString(PyExc_SystemError, "a constant that does not exist");
    return nullptr;
  }
  const Constant &constant = ConstantStore::global().get(id);
  PyObject *object = keep(std::visit(MakeObject{constant.type}, constant.value));
  if (object != nullptr) { objects->emplace(id.value, object); }
  return object;
}

PyObject *objectOfType(TypeId id) {
  const Type &type = typeOf(id);
  if (type.constant != ConstId::kInvalid) { return objectOfConstant(ConstId(type.constant)); }
  switch (type.kind) {
  case TypeKind::DType: return reinterpret_cast<PyObject *>(descrOf(type.args[0]));
  case TypeKind::NumberClass: return classOf(type.args[0]);
  case TypeKind::TypeRef: return keep(typeObject(type.args[0]));
  default: break;
  }
  PyErr_Format(PyExc_TypeError, "cannot convert native %s to Python object", toString(id).c_str());
  return nullptr;
}

} // namespace naja::bindings
