#include "naja/bindings/core/exceptions.h"

#include "naja/bindings/core/box.h"
#include "naja/bindings/core/objects.h"
#include "naja/runtime/abi.h"

#include <frameobject.h>
#include <iterator>
#include <string>
#include <string_view>

namespace naja::bindings {
namespace {

/// In the order of naja_builtin_exception.
PyObject *builtinException(uint32_t index) {
  PyObject *const classes[] = {
      PyExc_ZeroDivisionError,   PyExc_IndexError,  PyExc_ValueError,        PyExc_TypeError,
      PyExc_OverflowError,       PyExc_MemoryError, PyExc_UnboundLocalError, PyExc_RecursionError,
      PyExc_AssertionError,      PyExc_KeyError,    PyExc_StopIteration,     PyExc_RuntimeError,
      PyExc_NotImplementedError, PyExc_SystemError, PyExc_NameError,         PyExc_AttributeError,
  };
  static_assert(std::size(classes) == NAJA_AttributeError + 1);
  return index < std::size(classes) ? classes[index] : PyExc_SystemError;
}

/// The error that is set, put aside while other code runs.
class SavedError {
public:
#if PY_VERSION_HEX >= 0x030C0000
  SavedError() : error_(PyErr_GetRaisedException()) {}
  void restore() { PyErr_SetRaisedException(error_); }

private:
  PyObject *error_;
#else
  SavedError() { PyErr_Fetch(&type_, &error_, &traceback_); }
  void restore() { PyErr_Restore(type_, error_, traceback_); }

private:
  PyObject *type_ = nullptr, *error_ = nullptr, *traceback_ = nullptr;
#endif
};

/// "f.<locals>.g.12" -> "g": the compiler numbers its functions, and tracebacks show plain names.
std::string plainName(std::string_view name) {
  const auto isNumber = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  size_t dot = name.rfind('.');
  while (dot != std::string_view::npos && isNumber(name.substr(dot + 1))) {
    name = name.substr(0, dot);
    dot = name.rfind('.');
  }
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

/// The line of Python that raised, as an entry of the traceback: code and frame are made for the purpose.
void addTraceback(const char *file, const char *function, int line) {
  if (file == nullptr || line <= 0) { return; }
  SavedError saved;
  PyCodeObject *code = PyCode_NewEmpty(file, function ? plainName(function).c_str() : "<compiled>", line);
  PyObject *globals = code ? PyDict_New() : nullptr;
  PyFrameObject *frame = globals ? PyFrame_New(PyThreadState_Get(), code, globals, nullptr) : nullptr;
  if (frame == nullptr) { PyErr_Clear(); }
  saved.restore();
  if (frame != nullptr) { PyTraceBack_Here(frame); }
  Py_XDECREF(reinterpret_cast<PyObject *>(frame));
  Py_XDECREF(globals);
  Py_XDECREF(reinterpret_cast<PyObject *>(code));
}

PyObject *exceptionClass(const naja_raise_site &site) {
  return site.exception ? objectOfConstant(ConstId(*site.exception)) : PyExc_SystemError;
}

void raiseWithArguments(const naja_raise_site &site, const void *args) {
  PyObject *cls = exceptionClass(site);
  const uint32_t type = site.args_type ? *site.args_type : 0;
  const bool is_tuple = type < types().size() && typeOf(TypeId(type)).kind == TypeKind::Tuple;
  Ref arguments = Ref::steal(args ? boxValue(TypeId(type), args) : is_tuple ? boxValue(TypeId(type), "") : PyTuple_New(0));
  if (cls == nullptr || !arguments) { return; }
  Ref exception = Ref::steal(PyObject_Call(cls, arguments.get(), nullptr));
  if (!exception) { return; }
  if (PyExceptionInstance_Check(exception.get())) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
  } else {
    PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException");
  }
}

} // namespace

PyObject *raiseStatus(int32_t status) {
  naja_exception exception;
  if (status == NAJA_PYTHON_ERROR && PyErr_Occurred()) { return nullptr; }
  if (naja_rt_take_exception(&exception) == 0) {
    PyErr_Format(PyExc_SystemError, "compiled code failed with status %d and no exception", status);
    return nullptr;
  }
  if (exception.site != nullptr) {
    raiseWithArguments(*exception.site, exception.args);
  } else if (exception.text[0] != '\0') {
    PyErr_SetString(builtinException(exception.builtin), exception.text);
  } else {
    PyErr_SetNone(builtinException(exception.builtin));
  }
  naja_rt_free_exception(&exception);
  addTraceback(exception.file, exception.function, exception.line);
  return nullptr;
}

} // namespace naja::bindings
