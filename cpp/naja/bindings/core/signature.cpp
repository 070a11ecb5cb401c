#include "naja/bindings/core/signature.h"

#include <algorithm>

namespace naja::bindings {
namespace {

/// Position of a parameter that may be passed by this name, or -1.
Py_ssize_t findParameter(const Signature &signature, PyObject *name) {
  const Py_ssize_t end = signature.positional + signature.keyword_only;
  for (Py_ssize_t i = signature.positional_only; i < end; ++i) {
    if (PyTuple_GET_ITEM(signature.names, i) == name) { return i; } // interned, nearly always
  }
  for (Py_ssize_t i = signature.positional_only; i < end; ++i) {
    if (PyUnicode_Compare(PyTuple_GET_ITEM(signature.names, i), name) == 0) { return i; }
  }
  return -1;
}

} // namespace

PyObject *Signature::defaultOf(uint32_t index) const {
  if (index >= positional) {
    return keyword_defaults && index < positional + keyword_only
               ? PyDict_GetItem(keyword_defaults, PyTuple_GET_ITEM(names, index))
               : nullptr;
  }
  const Py_ssize_t count = defaults ? PyTuple_GET_SIZE(defaults) : 0;
  const Py_ssize_t position = Py_ssize_t{index} - (Py_ssize_t{positional} - count);
  return position >= 0 ? PyTuple_GET_ITEM(defaults, position) : nullptr;
}

bool readSignature(PyObject *function, Signature *out) {
  if (!PyFunction_Check(function)) {
    PyErr_Format(PyExc_TypeError, "a Python function is needed, not %s", Py_TYPE(function)->tp_name);
    return false;
  }
  auto *code = reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(function));
  Signature signature;
  signature.positional = static_cast<uint32_t>(code->co_argcount);
  signature.positional_only = static_cast<uint32_t>(code->co_posonlyargcount);
  signature.keyword_only = static_cast<uint32_t>(code->co_kwonlyargcount);
  signature.varargs = (code->co_flags & CO_VARARGS) != 0;
  signature.varkw = (code->co_flags & CO_VARKEYWORDS) != 0;
  signature.names = PyCode_GetVarnames(code);
  if (signature.names == nullptr) { return false; }
  PyObject *defaults = PyFunction_GET_DEFAULTS(function), *keyword_defaults = PyFunction_GET_KW_DEFAULTS(function);
  signature.defaults = defaults && PyTuple_Check(defaults) ? Py_NewRef(defaults) : nullptr;
  signature.keyword_defaults =
      keyword_defaults && PyDict_Check(keyword_defaults) ? PyDict_Copy(keyword_defaults) : nullptr;
  *out = signature;
  return true;
}

void clearSignature(Signature *signature) {
  Py_CLEAR(signature->names);
  Py_CLEAR(signature->defaults);
  Py_CLEAR(signature->keyword_defaults);
}

bool bindArguments(const Signature &signature, PyObject *const *args, Py_ssize_t count, PyObject *keywords,
                   PyObject **bound, Ref *star) {
  const Py_ssize_t positional = signature.positional;
  if (count > positional && !signature.varargs) { return false; }
  const Py_ssize_t direct = std::min(count, positional);
  std::copy_n(args, direct, bound);
  std::fill(bound + direct, bound + signature.total(), nullptr);
  const Py_ssize_t keyword_count = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < keyword_count; ++k) {
    const Py_ssize_t index = findParameter(signature, PyTuple_GET_ITEM(keywords, k));
    // **keywords cannot be compiled: whatever lands there, the compiler says so with the line of the function.
    if (index < 0 && signature.varkw) { continue; }
    if (index < 0 || bound[index] != nullptr) { return false; }
    bound[index] = args[count + k];
  }
  for (uint32_t i = static_cast<uint32_t>(direct); i < signature.positional + signature.keyword_only; ++i) {
    if (bound[i] == nullptr && signature.defaultOf(i) == nullptr) { return false; }
  }
  if (!signature.varargs) { return true; }
  const Py_ssize_t extra = count - direct;
  *star = Ref::steal(PyTuple_New(extra));
  for (Py_ssize_t i = 0; *star && i < extra; ++i) { PyTuple_SET_ITEM(star->get(), i, Py_NewRef(args[direct + i])); }
  bound[signature.total() - 1] = star->get();
  return static_cast<bool>(*star);
}

} // namespace naja::bindings
