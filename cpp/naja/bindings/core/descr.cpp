// Element types -> NumPy dtypes.
#include "naja/bindings/core/box.h"

#include <unordered_map>

namespace naja::bindings {
namespace {

int typeNumber(const Type &type) {
  switch (type.kind) {
  case TypeKind::Bool: return NPY_BOOL;
  case TypeKind::Int:
    switch (type.bits) {
    case 8: return type.is_signed ? NPY_INT8 : NPY_UINT8;
    case 16: return type.is_signed ? NPY_INT16 : NPY_UINT16;
    case 32: return type.is_signed ? NPY_INT32 : NPY_UINT32;
    default: return type.is_signed ? NPY_INT64 : NPY_UINT64;
    }
  case TypeKind::Float: return type.bits == 16 ? NPY_HALF : type.bits == 32 ? NPY_FLOAT : NPY_DOUBLE;
  case TypeKind::Complex: return type.bits == 64 ? NPY_CFLOAT : NPY_CDOUBLE;
  default: return -1;
  }
}

PyObject *makeDescr(PyObject *specification) {
  PyArray_Descr *descr = nullptr;
  if (PyArray_DescrConverter(specification, &descr) == 0) { return nullptr; }
  return reinterpret_cast<PyObject *>(descr);
}

bool put(PyObject *dict, const char *key, PyObject *value) {
  Ref owned = Ref::steal(value);
  return owned && PyDict_SetItemString(dict, key, owned.get()) == 0;
}

PyObject *recordDescr(const Type &type) {
  Ref names = Ref::steal(PyList_New(0)), formats = Ref::steal(PyList_New(0)), offsets = Ref::steal(PyList_New(0));
  if (!names || !formats || !offsets) { return nullptr; }
  for (size_t i = 0; i < type.args.size(); ++i) {
    Ref name = Ref::steal(PyUnicode_FromString(type.fields[i].c_str()));
    Ref offset = Ref::steal(PyLong_FromLongLong(type.offsets[i]));
    PyArray_Descr *format = descrOf(type.args[i]);
    if (!name || !offset || format == nullptr || PyList_Append(names.get(), name.get()) < 0 ||
        PyList_Append(formats.get(), reinterpret_cast<PyObject *>(format)) < 0 ||
        PyList_Append(offsets.get(), offset.get()) < 0) {
      return nullptr;
    }
  }
  Ref specification = Ref::steal(PyDict_New());
  if (!specification || PyDict_SetItemString(specification.get(), "names", names.get()) < 0 ||
      PyDict_SetItemString(specification.get(), "formats", formats.get()) < 0 ||
      PyDict_SetItemString(specification.get(), "offsets", offsets.get()) < 0 ||
      !put(specification.get(), "itemsize", PyLong_FromLong(type.bits)) ||
      !put(specification.get(), "aligned", PyBool_FromLong(static_cast<long>(type.aligned)))) {
    return nullptr;
  }
  return makeDescr(specification.get());
}

PyObject *nestedDescr(const Type &type) {
  PyArray_Descr *item = descrOf(type.args[0]);
  Ref shape = Ref::steal(PyTuple_New(static_cast<Py_ssize_t>(type.offsets.size())));
  if (item == nullptr || !shape) { return nullptr; }
  for (size_t i = 0; i < type.offsets.size(); ++i) {
    PyTuple_SET_ITEM(shape.get(), static_cast<Py_ssize_t>(i), PyLong_FromLongLong(type.offsets[i]));
  }
  Ref specification = Ref::steal(PyTuple_Pack(2, reinterpret_cast<PyObject *>(item), shape.get()));
  return specification ? makeDescr(specification.get()) : nullptr;
}

PyObject *newDescr(TypeId id) {
  const Type &type = typeOf(id);
  const int number = typeNumber(type);
  if (number >= 0) { return reinterpret_cast<PyObject *>(PyArray_DescrFromType(number)); }
  if (type.kind == TypeKind::Record) { return recordDescr(type); }
  if (type.kind == TypeKind::NestedArray) { return nestedDescr(type); }
  PyErr_Format(PyExc_TypeError, "%s cannot be represented as a NumPy dtype", toString(id).c_str());
  return nullptr;
}

} // namespace

PyArray_Descr *descrOf(TypeId type) {
  static auto *const descrs = new std::unordered_map<uint32_t, PyObject *>;
  auto found = descrs->find(type.value);
  if (found == descrs->end()) {
    PyObject *descr = newDescr(type);
    if (descr == nullptr) { return nullptr; }
    found = descrs->emplace(type.value, descr).first;
  }
  return reinterpret_cast<PyArray_Descr *>(found->second);
}

} // namespace naja::bindings
