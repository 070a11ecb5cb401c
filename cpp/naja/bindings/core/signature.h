// The parameters of a Python function, and binding the arguments of a call to them.
#pragma once

#include "naja/bindings/core/python.h"

namespace naja::bindings {

struct Signature {
  uint32_t positional = 0, positional_only = 0, keyword_only = 0;
  bool varargs = false, varkw = false;
  PyObject *names = nullptr;    // str of every parameter, in this order
  PyObject *defaults = nullptr; // tuple of the last positional ones, or null
  PyObject *keyword_defaults = nullptr;

  /// Parameters of the compiled function: positional, keyword-only, then *args as one tuple.
  uint32_t total() const { return positional + keyword_only + (varargs ? 1U : 0U); }
  /// Calls with so many positional arguments and nothing else need no binding; none do: -1.
  Py_ssize_t simpleCount() const { return keyword_only == 0 && !varargs && !varkw ? Py_ssize_t{positional} : -1; }
  /// The default of a parameter by its position, or null.
  PyObject *defaultOf(uint32_t index) const;
};

/// Reads it from a Python function; strong references. False with an error set.
bool readSignature(PyObject *function, Signature *out);
void clearSignature(Signature *signature);

/// Fills bound[total()] with borrowed references, null for an omitted default; *star keeps the tuple of *args alive.
/// False (without an error) where the arguments do not fit: CPython words that error best.
bool bindArguments(const Signature &signature, PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                   PyObject **bound, Ref *star);

} // namespace naja::bindings
