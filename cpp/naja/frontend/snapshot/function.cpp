// Functions: code, closure, defaults and the globals that the code refers to.
#include "naja/frontend/snapshot/content_hash.h"
#include "naja/frontend/snapshot/read_code.h"
#include "naja/frontend/snapshot/state.h"

#include <unordered_set>

namespace naja::frontend {
namespace {

/// A global as LOAD_GLOBAL finds it: the module's, then the builtins'. Borrowed; null: there is none.
PyObject *lookUp(PyFunctionObject *function, PyObject *name) {
  PyObject *value = PyDict_GetItemWithError(function->func_globals, name);
  if (!value && !PyErr_Occurred() && PyDict_Check(function->func_builtins))
    value = PyDict_GetItemWithError(function->func_builtins, name);
  if (!value) PyErr_Clear();
  return value;
}

class FunctionReader {
public:
  explicit FunctionReader(PyFunctionObject *function)
      : function_(function), snapshot_(std::make_shared<FunctionSnapshot>()) {}

  std::shared_ptr<FunctionSnapshot> read() {
    snapshot_->code = readCode(reinterpret_cast<PyCodeObject *>(function_->func_code));
    snapshot_->module = textOf(function_->func_module);
    snapshot_->function = HandleTable::global().add(reinterpret_cast<PyObject *>(function_));
    readClosure();
    readDefaults();
    snapshot_->global_values.resize(snapshot_->code->names.size());
    for (uint32_t index : snapshot_->code->global_names)
      snapshot_->global_values[index] = readGlobal(snapshot_->code->names[index]);
    readInnerGlobals(*snapshot_->code);
    return std::move(snapshot_);
  }

private:
  std::optional<ConstId> readGlobal(const std::string &name) {
    if (!seen_.insert(name).second) {
      for (const auto &[known, value] : snapshot_->globals) {
        if (known == name) return value;
      }
      return std::nullopt;
    }
    Ref key = Ref::steal(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
    PyObject *value = key ? lookUp(function_, key.get()) : nullptr;
    PyErr_Clear();
    if (!value) return std::nullopt;
    ConstId constant = freeze(value);
    snapshot_->globals.emplace_back(name, constant);
    return constant;
  }

  void readInnerGlobals(const CodeSnapshot &code) {
    if (code.uses_assertion_error && seen_.insert(kAssertionErrorName).second)
      snapshot_->globals.emplace_back(kAssertionErrorName, freeze(PyExc_AssertionError));
    for (const auto &inner : code.codes) {
      if (!inner) continue;
      for (uint32_t index : inner->global_names) readGlobal(inner->names[index]);
      readInnerGlobals(*inner);
    }
  }

  void readClosure() {
    PyObject *closure = function_->func_closure;
    for (Py_ssize_t i = 0; closure && i < PyTuple_GET_SIZE(closure); ++i) {
      PyObject *value = PyCell_GET(PyTuple_GET_ITEM(closure, i));
      snapshot_->free_values.push_back(value ? std::optional(freeze(value)) : std::nullopt);
    }
  }

  void readDefaults() {
    if (PyObject *defaults = function_->func_defaults; defaults && PyTuple_Check(defaults)) {
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(defaults); ++i)
        snapshot_->defaults.push_back(freeze(PyTuple_GET_ITEM(defaults, i)));
    }
    PyObject *keyword_defaults = function_->func_kwdefaults;
    if (!keyword_defaults || !PyDict_Check(keyword_defaults)) return;
    PyObject *name = nullptr, *value = nullptr;
    for (Py_ssize_t position = 0; PyDict_Next(keyword_defaults, &position, &name, &value);)
      snapshot_->keyword_defaults.emplace_back(textOf(name), freeze(value));
  }

  PyFunctionObject *function_;
  std::shared_ptr<FunctionSnapshot> snapshot_;
  std::unordered_set<std::string> seen_;
};

bool sameContents(const FunctionSnapshot &a, const FunctionSnapshot &b) {
  return a.code == b.code && a.content_hash == b.content_hash && a.module == b.module &&
         a.free_values == b.free_values && a.global_values == b.global_values && a.globals == b.globals &&
         a.defaults == b.defaults && a.keyword_defaults == b.keyword_defaults;
}

} // namespace

std::shared_ptr<const FunctionSnapshot> snapshotFunction(PyObject *function) {
  if (!PyFunction_Check(function)) {
    PyErr_Format(PyExc_TypeError, "expected a Python function, not %.200s", Py_TYPE(function)->tp_name);
    return nullptr;
  }
  auto snapshot = FunctionReader(reinterpret_cast<PyFunctionObject *>(function)).read();
  snapshot->content_hash = contentHash(*snapshot);
  auto &known = HandleTable::global().state().functions[snapshot->function.value];
  if (!known || !sameContents(*known, *snapshot)) known = std::move(snapshot);
  return known;
}

} // namespace naja::frontend
