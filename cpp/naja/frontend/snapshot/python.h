// Python and NumPy for the files of this layer, and an owned reference.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL naja_snapshot_ARRAY_API
#ifndef NAJA_SNAPSHOT_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <string>
#include <string_view>
#include <utility>

namespace naja::frontend {

/// Owns one reference.
class Ref {
public:
  Ref() = default;
  static Ref steal(PyObject *object) { return Ref(object); }
  static Ref borrow(PyObject *object) { return Ref(Py_XNewRef(object)); }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref(const Ref &) = delete;
  Ref &operator=(const Ref &) = delete;
  Ref &operator=(Ref &&other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject *get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

private:
  explicit Ref(PyObject *object) : object_(object) {}
  PyObject *object_ = nullptr;
};

/// An attribute, or an empty Ref without an error set.
inline Ref attribute(PyObject *object, const char *name) {
  PyObject *value = PyObject_GetAttrString(object, name);
  if (!value) PyErr_Clear();
  return Ref::steal(value);
}

/// UTF-8 of a str (lone surrogates as CPython's surrogatepass writes them); "" for anything else.
std::string textOf(PyObject *object);

} // namespace naja::frontend
