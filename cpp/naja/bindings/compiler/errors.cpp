// Diagnostics as Python exceptions, and Python exceptions of hooks as diagnostics.
#include "naja/bindings/compiler/compiler.h"

#include "naja/support/options.h"

#include <fmt/format.h>

namespace naja::bindings {
namespace {

constexpr const char *exceptionName(DiagnosticKind kind) {
  switch (kind) {
  case DiagnosticKind::Typing: return "TypingError";
  case DiagnosticKind::Unsupported: return "UnsupportedError";
  case DiagnosticKind::UnsupportedBytecode: return "UnsupportedBytecodeError";
  case DiagnosticKind::Lowering: return "LoweringError";
  case DiagnosticKind::Compiler: return "CompilerError";
  case DiagnosticKind::Value: return "NumbaValueError";
  case DiagnosticKind::Deferred: return "TypingError";
  }
  return "CompilerError";
}

/// linecache knows files, interactive input, notebooks and what `exec` registered there.
std::string sourceLine(void *, const std::string &file, int line) {
  try {
    nb::object text = nb::module_::import_("linecache").attr("getline")(file, line);
    return nb::cast<std::string>(nb::str(text.attr("rstrip")("\r\n")));
  } catch (nb::python_error &) {
    return {}; // a diagnostic without its source line is still one
  }
}

// An error raised by a hook of the user (an overload's generator...) travels through the compiler as a diagnostic and
// comes out as itself. One thread compiles one thing at a time, so one slot a thread is enough.
thread_local PyObject *pending_error = nullptr;

constexpr int kShort = 15, kUnlimited = 1000000;

} // namespace

Diagnostic diagnosticOfPythonError(const std::string &what) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Diagnostic diagnostic;
  nb::object text = nb::steal(PyObject_Str(value));
  std::string message = text.is_valid() ? nb::cast<std::string>(text) : std::string();
  PyErr_Clear();
  diagnostic.message = fmt::format("{}: {}: {}", what, Py_TYPE(value)->tp_name, message);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  Py_XSETREF(pending_error, value);
  return diagnostic;
}

void throwDiagnostic(const Diagnostic &diagnostic) {
  nb::object cause = nb::steal(std::exchange(pending_error, nullptr));
  nb::object errors = nb::module_::import_("naja.errors");
  // Errors of the user's hooks that are no typing errors abort the compilation as they are.
  if (cause.is_valid() && !nb::isinstance(cause, errors.attr("TypingError"))) {
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(cause.ptr())), cause.ptr());
    throw nb::python_error();
  }
  int lines = optionBool("FULL_TRACEBACKS") ? kUnlimited : kShort;
  std::string text = renderDiagnostic(diagnostic, sourceLine, nullptr, lines);
  nb::object exception = errors.attr(exceptionName(diagnostic.kind))(text);
  nb::dict parts;
  parts["message"] = diagnostic.message;
  parts["file"] = diagnostic.where.file;
  parts["function"] = diagnostic.where.function;
  parts["line"] = diagnostic.where.loc.line;
  parts["column"] = diagnostic.where.loc.col;
  parts["label"] = diagnostic.label;
  parts["hint"] = diagnostic.hint;
  exception.attr("diagnostic") = parts;
  if (cause.is_valid()) PyException_SetCause(exception.ptr(), cause.release().ptr());
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

} // namespace naja::bindings
