#include "naja/bindings/core/dispatcher.h"

#include "naja/bindings/core/call.h"
#include "naja/bindings/core/objects.h"
#include "naja/bindings/core/type_object.h"

#include <structmember.h>

#include <cstddef>

namespace naja::bindings {
namespace {

PyTypeObject *dispatcher_class = nullptr;

Dispatcher *cast(PyObject *object) { return reinterpret_cast<Dispatcher *>(object); }

PyObject *callUninitialised(PyObject *, PyObject *const *, size_t, PyObject *) {
  PyErr_SetString(PyExc_RuntimeError, "Dispatcher.__init__ was not called");
  return nullptr;
}

PyObject *create(PyTypeObject *cls, PyObject *, PyObject *) {
  // Before Python 3.12 classes written in Python do not inherit these, and would be called through a tuple.
  if (cls->tp_call == PyVectorcall_Call && (cls->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) == 0) {
    cls->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
    PyType_Modified(cls);
  }
  PyObject *object = cls->tp_alloc(cls, 0);
  if (object != nullptr) {
    cast(object)->vectorcall = callUninitialised;
    cast(object)->simple_count = -1;
    cast(object)->can_compile = true;
  }
  return object;
}

int init(PyObject *object, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"py_func", nullptr};
  Dispatcher *self = cast(object);
  PyObject *function = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "O", const_cast<char **>(names), &function) == 0) { return -1; }
  if (self->data != nullptr) {
    PyErr_SetString(PyExc_RuntimeError, "a Dispatcher is initialised once");
    return -1;
  }
  auto data = std::make_unique<Dispatcher::Data>();
  if (!readSignature(function, &data->signature)) { return -1; }
  self->py_func = Py_NewRef(function);
  self->simple_count = data->signature.simpleCount();
  self->data = data.release();
  self->vectorcall = callDispatcher;
  return 0;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  Dispatcher *self = cast(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->py_func);
  Py_VISIT(self->dict);
  if (self->data != nullptr) {
    Py_VISIT(self->data->signature.defaults);
    Py_VISIT(self->data->signature.keyword_defaults);
    for (const auto &entry : self->data->table.entries()) {
      for (PyObject *pin : entry->pins) { Py_VISIT(pin); }
    }
    for (Specialisation *code : self->data->specialisations) { Py_VISIT(code); }
  }
  return 0;
}

int clear(PyObject *object) {
  Dispatcher *self = cast(object);
  self->vectorcall = callUninitialised;
  Py_CLEAR(self->py_func);
  Py_CLEAR(self->dict);
  if (Dispatcher::Data *data = std::exchange(self->data, nullptr)) {
    self->last = nullptr;
    clearSignature(&data->signature);
    for (Specialisation *code : data->specialisations) { Py_DECREF(reinterpret_cast<PyObject *>(code)); }
    delete data;
  }
  return 0;
}

void dealloc(PyObject *object) {
  PyTypeObject *cls = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  if (cast(object)->weakrefs != nullptr) { PyObject_ClearWeakRefs(object); }
  clear(object);
  cls->tp_free(object);
  Py_DECREF(cls);
}

PyObject *bind(PyObject *object, PyObject *instance, PyObject *) {
  return instance == nullptr || instance == Py_None ? Py_NewRef(object) : PyMethod_New(object, instance);
}

PyObject *repr(PyObject *object) {
  PyObject *name = reinterpret_cast<PyHeapTypeObject *>(Py_TYPE(object))->ht_name;
  return PyUnicode_FromFormat("%U(%R)", name, cast(object)->py_func ? cast(object)->py_func : Py_None);
}

bool isReady(PyObject *object) {
  if (cast(object)->data != nullptr) { return true; }
  callUninitialised(nullptr, nullptr, 0, nullptr);
  return false;
}

PyObject *add(PyObject *object, PyObject *argument) {
  if (!isReady(object)) { return nullptr; }
  if (!isSpecialisation(argument)) {
    PyErr_SetString(PyExc_TypeError, "a Specialisation is needed");
    return nullptr;
  }
  addSpecialisation(cast(object), reinterpret_cast<Specialisation *>(argument));
  Py_RETURN_NONE;
}

PyObject *forget(PyObject *object, PyObject *) {
  if (!isReady(object)) { return nullptr; }
  retireEntries(cast(object));
  auto all = std::exchange(cast(object)->data->specialisations, {});
  for (Specialisation *code : all) { Py_DECREF(reinterpret_cast<PyObject *>(code)); }
  Py_RETURN_NONE;
}

PyObject *list(PyObject *object, PyObject *) {
  if (!isReady(object)) { return nullptr; }
  const auto &all = cast(object)->data->specialisations;
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(all.size()));
  for (size_t i = 0; tuple != nullptr && i < all.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), Py_NewRef(reinterpret_cast<PyObject *>(all[i])));
  }
  return tuple;
}

PyObject *find(PyObject *object, PyObject *argument) {
  if (!isReady(object)) { return nullptr; }
  Ref items = Ref::steal(PySequence_Tuple(argument));
  std::vector<TypeId> ids;
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(items.get()); ++i) {
    TypeId id;
    if (!typeIdOf(PyTuple_GET_ITEM(items.get(), i), &id)) { return nullptr; }
    ids.push_back(id);
  }
  if (!items) { return nullptr; }
  Specialisation *found = findSpecialisation(cast(object), ids);
  if (found == nullptr && PyErr_Occurred()) { return nullptr; }
  return Py_NewRef(found ? reinterpret_cast<PyObject *>(found) : Py_None);
}

PyObject *defaultTypes(PyObject *object, PyObject *) {
  if (!isReady(object)) { return nullptr; }
  const Signature &signature = cast(object)->data->signature;
  PyObject *tuple = PyTuple_New(signature.total());
  for (uint32_t i = 0; tuple != nullptr && i < signature.total(); ++i) {
    PyObject *value = signature.defaultOf(i);
    PyTuple_SET_ITEM(tuple, i, value ? PyLong_FromUnsignedLong(typeOfOmitted(value).value) : Py_NewRef(Py_None));
  }
  return tuple;
}

/// What a call with these arguments would be compiled for: ids, omitted defaults included; None where there is no type.
PyObject *typesOfArguments(PyObject *object, PyObject *args, PyObject *kwargs) {
  if (!isReady(object)) { return nullptr; }
  const Signature &signature = cast(object)->data->signature;
  std::vector<PyObject *> values(&PyTuple_GET_ITEM(args, 0), &PyTuple_GET_ITEM(args, 0) + PyTuple_GET_SIZE(args));
  Ref names = Ref::steal(PyTuple_New(kwargs ? PyDict_GET_SIZE(kwargs) : 0));
  PyObject *key, *value;
  for (Py_ssize_t position = 0, i = 0; kwargs && PyDict_Next(kwargs, &position, &key, &value) != 0; ++i) {
    PyTuple_SET_ITEM(names.get(), i, Py_NewRef(key));
    values.push_back(value);
  }
  std::vector<PyObject *> bound(signature.total());
  Ref star;
  if (!bindArguments(signature, values.data(), PyTuple_GET_SIZE(args), names.get(), bound.data(), &star)) {
    if (!PyErr_Occurred()) {
      PyErr_SetString(PyExc_TypeError, "the arguments do not fit the parameters of the function");
    }
    return nullptr;
  }
  PyObject *tuple = PyTuple_New(signature.total());
  for (uint32_t i = 0; tuple != nullptr && i < signature.total(); ++i) {
    const TypeId id = bound[i] ? typeOfObject(bound[i]) : typeOfOmitted(signature.defaultOf(i));
    PyErr_Clear();
    PyTuple_SET_ITEM(tuple, i, id.valid() ? PyLong_FromUnsignedLong(id.value) : Py_NewRef(Py_None));
  }
  return tuple;
}

PyMethodDef methods[] = {
    {"_add", add, METH_O, "Adds a Specialisation to those that calls may use."},
    {"_clear", forget, METH_NOARGS, "Forgets all specialisations."},
    {"_specialisations", list, METH_NOARGS, "The specialisations in order of addition."},
    {"_find", find, METH_O, "The specialisation for argument types (ids), or None where it has to be compiled."},
    {"_default_types", defaultTypes, METH_NOARGS, "Per parameter: the id of its omitted type, or None."},
    {"_types_of", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(typesOfArguments)),
     METH_VARARGS | METH_KEYWORDS, "Ids of the argument types of such a call."},
    {}};
PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatcher, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Dispatcher, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Dispatcher, weakrefs), READONLY, nullptr},
    {"py_func", T_OBJECT, offsetof(Dispatcher, py_func), READONLY, "The Python function."},
    {"_can_compile", T_BOOL, offsetof(Dispatcher, can_compile), 0, "May calls compile for new types?"},
    {}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                       {Py_tp_init, reinterpret_cast<void *>(init)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
                       {Py_tp_repr, reinterpret_cast<void *>(repr)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char *>("A function that is compiled for the types it is called with.")},
                       {0, nullptr}};
PyType_Spec spec = {"naja._core.Dispatcher", sizeof(Dispatcher), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                        Py_TPFLAGS_METHOD_DESCRIPTOR,
                    slots};

} // namespace

bool isDispatcher(PyObject *object) { return PyObject_TypeCheck(object, dispatcher_class); }

bool initDispatcherType(PyObject *module) {
  dispatcher_class = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return dispatcher_class != nullptr &&
         PyModule_AddObjectRef(module, "Dispatcher", reinterpret_cast<PyObject *>(dispatcher_class)) == 0;
}

} // namespace naja::bindings
