#include "naja/bindings/core/fingerprint.h"

#include "naja/bindings/core/dispatcher.h"
#include "naja/bindings/core/objects.h"

namespace naja::bindings {
namespace {

/// NumPy's scalar classes: each says the naja type by itself.
bool isScalarClass(PyTypeObject *type) {
  static PyTypeObject *const kClasses[] = {
      &PyDoubleArrType_Type,    &PyFloatArrType_Type, &PyLongArrType_Type,   &PyIntArrType_Type,
      &PyBoolArrType_Type,      &PyUByteArrType_Type, &PyByteArrType_Type,   &PyShortArrType_Type,
      &PyUShortArrType_Type,    &PyUIntArrType_Type,  &PyULongArrType_Type,  &PyLongLongArrType_Type,
      &PyULongLongArrType_Type, &PyHalfArrType_Type,  &PyCFloatArrType_Type, &PyCDoubleArrType_Type,
  };
  for (PyTypeObject *known : kClasses) {
    if (type == known) { return true; }
  }
  return false;
}

bool isNamedTupleClass(PyTypeObject *type) {
  static PyObject *const name = PyUnicode_InternFromString("_fields");
  PyObject *fields = _PyType_Lookup(type, name);
  return fields != nullptr && PyTuple_Check(fields);
}

void fingerprintItems(PyObject *tuple, Fingerprint &out) {
  const Py_ssize_t length = PyTuple_GET_SIZE(tuple);
  // Once it is too long the rest cannot matter.
  for (Py_ssize_t i = 0; i < length && !out.overflow && !out.failed; ++i) {
    fingerprint(PyTuple_GET_ITEM(tuple, i), out);
  }
}

void fingerprintSlow(PyObject *value, Fingerprint &out) {
  const TypeId type = typeOfObject(value);
  if (type.valid()) {
    out.push(kTypeIdTag | static_cast<uint64_t>(type.value) << 8);
  } else {
    out.failed = true;
  }
}

} // namespace

bool fitsInt64(PyObject *value) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) { return true; }
  if (overflow < 0) { return true; } // below int64: typed int64, refused by unboxing
  return false;
}

void fingerprintOther(PyObject *value, Fingerprint &out) {
  PyTypeObject *type = Py_TYPE(value);
  if (type == &PyTuple_Type) {
    out.push(kTupleTag | static_cast<uint64_t>(PyTuple_GET_SIZE(value)) << 8);
    fingerprintItems(value, out);
  } else if (type == &PyBool_Type || value == Py_None || type == &PyUnicode_Type || type == &PyComplex_Type ||
             isScalarClass(type)) {
    out.push(reinterpret_cast<uint64_t>(type));
  } else if (isDispatcher(value) || PyType_Check(value) || PyArray_DescrCheck(value)) {
    out.push(kObjectTag | reinterpret_cast<uint64_t>(value));
    out.pin(value);
    // Known to typeof or not is not part of the address: ask when nothing is found for it.
  } else if (PyTuple_Check(value) && isNamedTupleClass(type)) {
    out.push(kNamedTag | reinterpret_cast<uint64_t>(type));
    out.push(static_cast<uint64_t>(PyTuple_GET_SIZE(value)));
    out.pin(reinterpret_cast<PyObject *>(type));
    fingerprintItems(value, out);
  } else {
    fingerprintSlow(value, out);
  }
}

} // namespace naja::bindings
