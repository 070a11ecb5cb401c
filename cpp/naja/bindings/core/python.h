// Python, NumPy and a reference that counts itself, for the files of _core. The NumPy table is filled by importNumpy.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL naja_core_ARRAY_API
#ifndef NAJA_CORE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <cstdint>
#include <utility>

namespace naja::bindings {

/// Owns one reference.
class Ref {
public:
  Ref() = default;
  static Ref steal(PyObject *object) { return Ref(object); }
  static Ref borrow(PyObject *object) { return Ref(Py_XNewRef(object)); }
  Ref(Ref &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref(const Ref &other) : object_(Py_XNewRef(other.object_)) {}
  Ref &operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject *get() const { return object_; }
  PyObject *release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

private:
  explicit Ref(PyObject *object) : object_(object) {}
  PyObject *object_ = nullptr;
};

/// False with an error set.
bool importNumpy();

/// The value of an int of at most two digits (60 bits): what almost every int is.
inline bool smallInt(PyObject *value, int64_t *out) {
  static_assert(PYLONG_BITS_IN_DIGIT == 30);
#if PY_VERSION_HEX >= 0x030C0000
  const uintptr_t tag = reinterpret_cast<PyLongObject *>(value)->long_value.lv_tag;
  const uintptr_t digits = tag >> _PyLong_NON_SIZE_BITS;
  const digit *d = reinterpret_cast<PyLongObject *>(value)->long_value.ob_digit;
  const bool negative = (tag & 2) != 0;
#else
  const Py_ssize_t size = Py_SIZE(value);
  const bool negative = size < 0;
  const auto digits = static_cast<size_t>(negative ? -size : size);
  const digit *d = reinterpret_cast<PyLongObject *>(value)->ob_digit;
#endif
  if (digits > 2) { return false; }
  uint64_t magnitude = 0;
  if (digits != 0) {
    magnitude = d[0];
    if (digits == 2) { magnitude |= static_cast<uint64_t>(d[1]) << 30; }
  }
  *out = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

} // namespace naja::bindings
