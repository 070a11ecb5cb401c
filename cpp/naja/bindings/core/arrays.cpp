#include "naja/bindings/core/arrays.h"

#include "naja/runtime/abi.h"

#include <cstring>

namespace naja::bindings {
namespace {

// ---- memory handler: arrays that own a MemInfo's payload

void *handlerMalloc(void *, size_t size) {
  void *data = nullptr;
  if (naja_rt_alloc(size, 0, &data) == nullptr) {
    naja_exception ignored; // NumPy raises its own MemoryError
    if (naja_rt_take_exception(&ignored) != 0) { naja_rt_free_exception(&ignored); }
    return nullptr;
  }
  return data;
}
void *handlerCalloc(void *, size_t count, size_t size) {
  size_t bytes = 0;
  void *data = nullptr;
  if (__builtin_mul_overflow(count, size, &bytes)) { return nullptr; }
  if (naja_rt_alloc(bytes, 1, &data) == nullptr) {
    naja_exception ignored;
    if (naja_rt_take_exception(&ignored) != 0) { naja_rt_free_exception(&ignored); }
    return nullptr;
  }
  return data;
}
void handlerFree(void *, void *data, size_t) { naja_rt_decref(naja_rt_owner_of(data)); }
void *handlerRealloc(void *context, void *data, size_t size) {
  void *fresh = handlerMalloc(context, size);
  if (fresh != nullptr) {
    const size_t old = static_cast<naja_meminfo *>(naja_rt_owner_of(data))->size;
    std::memcpy(fresh, data, old < size ? old : size);
    naja_rt_decref(naja_rt_owner_of(data));
  }
  return fresh;
}

PyDataMem_Handler handler = {"naja", 1, {nullptr, handlerMalloc, handlerCalloc, handlerRealloc, handlerFree}};
PyObject *handler_capsule = nullptr;

// ---- base object of views into a MemInfo

struct MemInfoObject {
  PyObject_HEAD void *owner;
};
PyTypeObject *meminfo_type = nullptr;

void deallocMemInfo(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  naja_rt_decref(reinterpret_cast<MemInfoObject *>(self)->owner);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject *refcountOf(PyObject *self, void *) {
  return PyLong_FromLongLong(static_cast<naja_meminfo *>(reinterpret_cast<MemInfoObject *>(self)->owner)->refcount);
}
PyGetSetDef meminfo_getset[] = {
    {"refcount", refcountOf, nullptr, "References to the block, from Python and from compiled code.", nullptr}, {}};
PyType_Slot meminfo_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocMemInfo)},
    {Py_tp_getset, meminfo_getset},
    {Py_tp_doc, const_cast<char *>("Owner of a block of memory that compiled code allocated; the base of its views.")},
    {0, nullptr}};
PyType_Spec meminfo_spec = {"naja._core.MemInfo", sizeof(MemInfoObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, meminfo_slots};

PyObject *newMemInfo(void *owner) {
  PyObject *self = meminfo_type->tp_alloc(meminfo_type, 0);
  if (self == nullptr) {
    naja_rt_decref(owner);
    return nullptr;
  }
  reinterpret_cast<MemInfoObject *>(self)->owner = owner;
  return self;
}

bool sameGeometry(PyArrayObject *array, const BoxStep &step, void *data, const npy_intp *extents,
                  const npy_intp *strides) {
  if (PyArray_DATA(array) != data || PyArray_NDIM(array) != static_cast<int>(step.ndim)) { return false; }
  const npy_intp *dims = PyArray_DIMS(array), *steps = PyArray_STRIDES(array);
  for (unsigned i = 0; i < step.ndim; ++i) {
    if (dims[i] != extents[i] || (steps[i] != strides[i] && extents[i] > 1)) { return false; }
  }
  PyArray_Descr *descr = PyArray_DESCR(array);
  return descr == arrayDescr(step) || PyArray_EquivTypes(descr, arrayDescr(step)) != 0;
}

/// A new array over `data`; the reference `base` is consumed.
PyObject *newView(const BoxStep &step, void *data, npy_intp *extents, npy_intp *strides, PyObject *base) {
  PyArray_Descr *descr = arrayDescr(step);
  Py_INCREF(descr);
  // A record of a read-only array has no such mark in its type.
  const bool locked =
      base != nullptr && PyArray_Check(base) && !PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject *>(base));
  const int flags = (step.writeable && !locked ? NPY_ARRAY_WRITEABLE : 0) | NPY_ARRAY_ALIGNED;
  PyObject *array =
      PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(step.ndim), extents, strides, data, flags, nullptr);
  if (array == nullptr) {
    Py_XDECREF(base);
    return nullptr;
  }
  if (base != nullptr && PyArray_SetBaseObject(reinterpret_cast<PyArrayObject *>(array), base) < 0) {
    Py_DECREF(array);
    return nullptr;
  }
  if (!typeOf(step.type).aligned) { PyArray_UpdateFlags(reinterpret_cast<PyArrayObject *>(array), NPY_ARRAY_ALIGNED); }
  return array;
}

PyObject *fromTagged(const BoxStep &step, PyObject *object, void *data, npy_intp *extents, npy_intp *strides) {
  if (PyArray_Check(object) && sameGeometry(reinterpret_cast<PyArrayObject *>(object), step, data, extents, strides)) {
    return Py_NewRef(object);
  }
  return newView(step, data, extents, strides, Py_NewRef(object));
}

PyObject *fromMemInfo(const BoxStep &step, naja_meminfo *info, void *data, npy_intp *extents, npy_intp *strides) {
  if (info->destroy != nullptr || info->data != data) {
    PyObject *base = newMemInfo(info);
    return base ? newView(step, data, extents, strides, base) : nullptr;
  }
  PyObject *array = newView(step, data, extents, strides, nullptr);
  if (array == nullptr) {
    naja_rt_decref(info);
    return nullptr;
  }
  auto *fields = reinterpret_cast<PyArrayObject_fields *>(array);
  fields->flags |= NPY_ARRAY_OWNDATA;
  fields->mem_handler = Py_NewRef(handler_capsule);
  return array;
}

} // namespace

void contiguousStrides(const npy_intp *extents, npy_intp *strides, unsigned ndim, npy_intp item_size, bool fortran) {
  npy_intp step = item_size;
  for (unsigned k = 0; k < ndim; ++k) {
    const unsigned axis = fortran ? k : ndim - 1 - k;
    strides[axis] = step;
    step *= extents[axis] != 0 ? extents[axis] : 1; // as NumPy does for arrays of no elements
  }
}

PyObject *makeArray(const BoxStep &step, void *owner, void *data, npy_intp *extents, npy_intp *strides) {
  if (owner == nullptr) {
    Ref view = Ref::steal(newView(step, data, extents, strides, nullptr));
    return view ? PyArray_NewCopy(reinterpret_cast<PyArrayObject *>(view.get()), NPY_KEEPORDER) : nullptr;
  }
  if ((reinterpret_cast<uintptr_t>(owner) & 1) != 0) {
    return fromTagged(step, reinterpret_cast<PyObject *>(static_cast<char *>(owner) - 1), data, extents, strides);
  }
  return fromMemInfo(step, static_cast<naja_meminfo *>(owner), data, extents, strides);
}

bool initArrays(PyObject *module) {
  handler_capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
  meminfo_type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&meminfo_spec));
  return handler_capsule != nullptr && meminfo_type != nullptr &&
         PyModule_AddObjectRef(module, "MemInfo", reinterpret_cast<PyObject *>(meminfo_type)) == 0;
}

} // namespace naja::bindings
