// `_core.DUFunc`: docs/architecture/ufuncs.md.
#include "naja/bindings/core/ufunc.h"

#include "naja/bindings/core/arrays.h"

#define NO_IMPORT_UFUNC
#include <numpy/ufuncobject.h>
#include <structmember.h>

#include <cstddef>

namespace naja::bindings {
namespace {

constexpr Py_ssize_t kMaxShortOperands = 8;
/// Longer calls let NumPy do it, which gives up the GIL.
constexpr npy_intp kMaxShortCall = 8192;

struct DUFunc {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject *ufunc;
  PyObject *dict;
  PyObject *weakrefs;
  const UfuncBlock *block; // of the ufunc; null where calls must not take the short way
  bool can_compile;
};

PyTypeObject *dufunc_class = nullptr;

DUFunc *cast(PyObject *object) { return reinterpret_cast<DUFunc *>(object); }

// ---- short calls

inline bool isPlain(PyObject *object) {
  if (!PyArray_CheckExact(object)) { return false; }
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  constexpr int kNeeded = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
  return (PyArray_FLAGS(array) & kNeeded) == kNeeded && PyArray_NDIM(array) > 0 &&
         PyArray_ISNBO(PyArray_DESCR(array)->byteorder);
}

inline bool sameShape(PyArrayObject *a, PyArrayObject *b) {
  const int ndim = PyArray_NDIM(a);
  if (ndim != PyArray_NDIM(b)) { return false; }
  for (int i = 0; i < ndim; ++i) {
    if (PyArray_DIM(a, i) != PyArray_DIM(b, i)) { return false; }
  }
  return true;
}

const UfuncLoop *loopOf(const UfuncBlock &block, PyObject *const *args, Py_ssize_t count) {
  for (const auto &loop : block.loops) {
    if (loop->inputs != count || loop->elements.size() != static_cast<size_t>(count) + 1 || !loop->core.empty()) {
      continue;
    }
    Py_ssize_t i = 0;
    while (i < count &&
           PyArray_TYPE(reinterpret_cast<PyArrayObject *>(args[i])) == loop->numbers[static_cast<size_t>(i)]) {
      ++i;
    }
    if (i == count) { return loop->numbers[static_cast<size_t>(count)] == NPY_VOID ? nullptr : loop.get(); }
  }
  return nullptr;
}

/// Contiguous arrays of one shape and of exactly the types of a loop: the result, or null; with no error set the call
/// has to go NumPy's way.
PyObject *callShort(const UfuncBlock &block, PyObject *const *args, Py_ssize_t count) {
  if (count < 1 || count > kMaxShortOperands || !isPlain(args[0])) { return nullptr; }
  auto *first = reinterpret_cast<PyArrayObject *>(args[0]);
  npy_intp size = 1;
  for (int i = 0; i < PyArray_NDIM(first); ++i) { size *= PyArray_DIM(first, i); }
  if (size > kMaxShortCall) { return nullptr; }
  for (Py_ssize_t i = 1; i < count; ++i) {
    if (!isPlain(args[i]) || !sameShape(first, reinterpret_cast<PyArrayObject *>(args[i]))) { return nullptr; }
  }
  const UfuncLoop *loop = loopOf(block, args, count);
  if (loop == nullptr) { return nullptr; }
  auto *descr = reinterpret_cast<PyArray_Descr *>(Py_NewRef(loop->dtypes[static_cast<size_t>(count)].get()));
  Ref result = Ref::steal(PyArray_NewFromDescr(&PyArray_Type, descr, PyArray_NDIM(first), PyArray_DIMS(first), nullptr,
                                               nullptr, 0, nullptr));
  if (!result) { return nullptr; }
  char *data[kMaxShortOperands + 1];
  npy_intp steps[kMaxShortOperands + 1];
  for (Py_ssize_t i = 0; i < count; ++i) {
    data[i] = PyArray_BYTES(reinterpret_cast<PyArrayObject *>(args[i]));
    steps[i] = PyArray_ITEMSIZE(reinterpret_cast<PyArrayObject *>(args[i]));
  }
  data[count] = PyArray_BYTES(reinterpret_cast<PyArrayObject *>(result.get()));
  steps[count] = PyArray_ITEMSIZE(reinterpret_cast<PyArrayObject *>(result.get()));
  int flags = 0;
  if (!runUfuncLoop(*loop, data, &size, steps, &flags)) { return nullptr; }
  // Warnings and np.errstate are NumPy's business: it does the call again and reports them.
  return flags == 0 ? result.release() : nullptr;
}

// ---- calls

/// Calls a method of the Python class with the arguments of a call as a tuple and a dict.
Ref callMethod(PyObject *object, const char *name, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  Ref tuple = Ref::steal(PyTuple_New(count)), named = Ref::steal(PyDict_New());
  if (!tuple || !named) { return {}; }
  for (Py_ssize_t i = 0; i < count; ++i) { PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(args[i])); }
  for (Py_ssize_t i = 0; keywords != nullptr && i < PyTuple_GET_SIZE(keywords); ++i) {
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(keywords, i), args[count + i]) < 0) { return {}; }
  }
  return Ref::steal(PyObject_CallMethod(object, name, "OO", tuple.get(), named.get()));
}

/// Asks Python for a loop that NumPy has not found: 1 compiled, 0 there is none, -1 error.
int compileFor(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  Ref answer = callMethod(object, "_compile_for_call", args, nargsf, keywords);
  return answer ? PyObject_IsTrue(answer.get()) : -1;
}

/// Whether a class other than NumPy's takes calls of ufuncs into its own hands.
bool overrides(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  if (type == &PyArray_Type || type == &PyFloat_Type || type == &PyLong_Type || type == &PyTuple_Type ||
      type == &PyList_Type || value == Py_None || PyArray_IsScalar(value, Generic)) {
    return false;
  }
  static PyObject *name = PyUnicode_InternFromString("__array_ufunc__");
  static PyObject *plain = PyObject_GetAttr(reinterpret_cast<PyObject *>(&PyArray_Type), name);
  Ref own = Ref::steal(PyObject_GetAttr(reinterpret_cast<PyObject *>(type), name));
  if (!own) { PyErr_Clear(); }
  return own && own.get() != plain;
}

bool isOverridden(PyObject *const *args, size_t nargsf, PyObject *keywords) {
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf) + (keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyTuple_CheckExact(args[i])) { // of outputs
      for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(args[i]); ++k) {
        if (i >= PyVectorcall_NARGS(nargsf) && overrides(PyTuple_GET_ITEM(args[i], k))) { return true; }
      }
    } else if (overrides(args[i])) {
      return true;
    }
  }
  return false;
}

PyObject *callUninitialised(PyObject *, PyObject *const *, size_t, PyObject *) {
  PyErr_SetString(PyExc_RuntimeError, "DUFunc has no ufunc");
  return nullptr;
}

PyObject *callThroughNumpy(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  // NumPy would hand its own object over: this one can be pickled, and learns loops.
  if (isOverridden(args, nargsf, keywords)) {
    return callMethod(object, "_call_overridden", args, nargsf, keywords).release();
  }
  Ref ufunc = Ref::borrow(cast(object)->ufunc);
  PyObject *result = PyObject_Vectorcall(ufunc.get(), args, nargsf, keywords);
  if (__builtin_expect(result != nullptr, 1) || !cast(object)->can_compile ||
      !PyErr_ExceptionMatches(PyExc_TypeError)) {
    return result;
  }
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const int compiled = compileFor(object, args, nargsf, keywords);
  if (compiled == 0) {
    PyErr_Restore(type, value, traceback);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  if (compiled < 0) { return nullptr; }
  ufunc = Ref::borrow(cast(object)->ufunc);
  return PyObject_Vectorcall(ufunc.get(), args, nargsf, keywords);
}

PyObject *call(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *keywords) {
  DUFunc *self = cast(object);
  if (__builtin_expect(keywords == nullptr && self->block != nullptr, 1)) {
    Ref ufunc = Ref::borrow(self->ufunc); // keeps the loops
    PyObject *result = callShort(*self->block, args, PyVectorcall_NARGS(nargsf));
    if (result != nullptr || PyErr_Occurred()) { return result; }
  }
  return callThroughNumpy(object, args, nargsf, keywords);
}

// ---- the type

PyObject *create(PyTypeObject *cls, PyObject *, PyObject *) {
  // Before Python 3.12 classes written in Python do not inherit these, and would be called through a tuple.
  if (cls->tp_call == PyVectorcall_Call && (cls->tp_flags & Py_TPFLAGS_HAVE_VECTORCALL) == 0) {
    cls->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    PyType_Modified(cls);
  }
  PyObject *object = cls->tp_alloc(cls, 0);
  if (object != nullptr) { cast(object)->vectorcall = callUninitialised; }
  return object;
}

PyObject *setUfunc(PyObject *object, PyObject *ufunc) {
  DUFunc *self = cast(object);
  Ref old = Ref::steal(self->ufunc);
  self->ufunc = Py_NewRef(ufunc);
  self->block = blockOf(ufunc);
  self->vectorcall = call;
  Py_RETURN_NONE;
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(cast(object)->ufunc);
  Py_VISIT(cast(object)->dict);
  return 0;
}

int clear(PyObject *object) {
  DUFunc *self = cast(object);
  self->vectorcall = callUninitialised;
  self->block = nullptr;
  Py_CLEAR(self->ufunc);
  Py_CLEAR(self->dict);
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

PyMethodDef methods[] = {{"_set_ufunc", setUfunc, METH_O, "Calls go to this numpy.ufunc from now on."}, {}};
PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET, offsetof(DUFunc, vectorcall), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(DUFunc, dict), READONLY, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(DUFunc, weakrefs), READONLY, nullptr},
                         {"ufunc", T_OBJECT, offsetof(DUFunc, ufunc), READONLY, "The numpy.ufunc of the loops so far."},
                         {"_can_compile", T_BOOL, offsetof(DUFunc, can_compile), 0, "May calls compile loops?"},
                         {}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(create)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
                       {Py_tp_clear, reinterpret_cast<void *>(clear)},
                       {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                       {Py_tp_methods, methods},
                       {Py_tp_members, members},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char *>("A ufunc of compiled loops.")},
                       {0, nullptr}};
PyType_Spec spec = {"naja._core.DUFunc", sizeof(DUFunc), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

} // namespace

bool initDUFuncType(PyObject *module) {
  dufunc_class = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return dufunc_class != nullptr &&
         PyModule_AddObjectRef(module, "DUFunc", reinterpret_cast<PyObject *>(dufunc_class)) == 0;
}

std::string nameOfUfunc(PyObject *object) {
  const bool is_method = PyMethod_Check(object);
  PyObject *ufunc = is_method ? PyMethod_GET_SELF(object) : object;
  if (dufunc_class == nullptr || !PyObject_TypeCheck(ufunc, dufunc_class) || cast(ufunc)->ufunc == nullptr) {
    return {};
  }
  std::string name = std::string("ufunc ") + reinterpret_cast<PyUFuncObject *>(cast(ufunc)->ufunc)->name;
  if (!is_method) { return name; }
  Ref method = Ref::steal(PyObject_GetAttrString(PyMethod_GET_FUNCTION(object), "__name__"));
  const char *text = method ? PyUnicode_AsUTF8(method.get()) : nullptr;
  PyErr_Clear();
  return name + "." + (text != nullptr ? text : "?");
}

} // namespace naja::bindings
