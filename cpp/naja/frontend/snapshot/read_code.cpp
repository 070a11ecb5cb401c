#include "naja/frontend/snapshot/read_code.h"

#include "naja/frontend/snapshot/code_tables.h"
#include "naja/frontend/snapshot/freeze.h"
#include "naja/frontend/snapshot/state.h"

#include <opcode.h>

#include <algorithm>

namespace naja::frontend {
namespace {

using CodePointer = std::shared_ptr<const CodeSnapshot>;

// ---- a slot of the code object for its snapshot; freed with it

void freeExtra(void *extra) { delete static_cast<CodePointer *>(extra); }

#if PY_VERSION_HEX >= 0x030C0000
Py_ssize_t requestIndex() { return PyUnstable_Eval_RequestCodeExtraIndex(freeExtra); }
int getExtra(PyObject *code, Py_ssize_t index, void **extra) { return PyUnstable_Code_GetExtra(code, index, extra); }
int setExtra(PyObject *code, Py_ssize_t index, void *extra) { return PyUnstable_Code_SetExtra(code, index, extra); }
#else
Py_ssize_t requestIndex() { return _PyEval_RequestCodeExtraIndex(freeExtra); }
int getExtra(PyObject *code, Py_ssize_t index, void **extra) { return _PyCode_GetExtra(code, index, extra); }
int setExtra(PyObject *code, Py_ssize_t index, void *extra) { return _PyCode_SetExtra(code, index, extra); }
#endif

/// Where the snapshot is remembered; negative where CPython has no slot left (then it is made anew each time).
Py_ssize_t extraIndex() {
  SnapshotState &state = HandleTable::global().state();
  if (state.code_extra_index == -1) state.code_extra_index = requestIndex();
  return state.code_extra_index;
}

std::span<const uint8_t> bytesOf(PyObject *object) {
  if (!object || !PyBytes_Check(object)) return {};
  return {reinterpret_cast<const uint8_t *>(PyBytes_AS_STRING(object)), static_cast<size_t>(PyBytes_GET_SIZE(object))};
}

std::vector<std::string> texts(PyObject *tuple) {
  std::vector<std::string> out;
  out.reserve(static_cast<size_t>(PyTuple_GET_SIZE(tuple)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) out.push_back(textOf(PyTuple_GET_ITEM(tuple, i)));
  return out;
}

void readConstants(CodeSnapshot &out, PyObject *constants) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(constants); ++i) {
    PyObject *object = PyTuple_GET_ITEM(constants, i);
    if (PyCode_Check(object)) {
      out.constants.push_back(ConstantStore::global().none());
      out.codes.push_back(readCode(reinterpret_cast<PyCodeObject *>(object)));
      continue;
    }
    out.constants.push_back(PyFrozenSet_CheckExact(object) ? freezeFrozenSet(object) : freeze(object));
    out.codes.push_back(nullptr);
  }
}

void readLocals(CodeSnapshot &out, PyCodeObject *code) {
  out.local_names = texts(code->co_localsplusnames);
  auto kinds = bytesOf(code->co_localspluskinds);
  out.local_kinds.assign(kinds.begin(), kinds.end());
  for (size_t i = 0; i < out.local_names.size() && i < out.local_kinds.size(); ++i) {
    if ((out.local_kinds[i] & 0x80U) != 0) out.free_names.push_back(out.local_names[i]);
    if ((out.local_kinds[i] & 0x40U) != 0) out.cell_names.push_back(out.local_names[i]);
  }
}

/// Which names are loaded as globals. CACHE units are zero in co_code and do not disturb.
void findGlobals(CodeSnapshot &out) {
  uint32_t extended = 0;
  for (size_t i = 0; i + 1 < out.bytecode.size(); i += 2) {
    const unsigned opcode = out.bytecode[i];
    const uint32_t arg = extended << 8U | out.bytecode[i + 1];
    extended = opcode == EXTENDED_ARG ? arg : 0;
    if (opcode == LOAD_GLOBAL && arg >> 1U < out.names.size()) out.global_names.push_back(arg >> 1U);
    if (opcode == LOAD_NAME && arg < out.names.size()) out.global_names.push_back(arg);
    if (opcode == LOAD_ASSERTION_ERROR) out.uses_assertion_error = true;
  }
  std::sort(out.global_names.begin(), out.global_names.end());
  out.global_names.erase(std::unique(out.global_names.begin(), out.global_names.end()), out.global_names.end());
}

CodePointer makeSnapshot(PyCodeObject *code) {
  auto out = std::make_shared<CodeSnapshot>();
  out->python_minor = PY_MINOR_VERSION;
  out->name = textOf(code->co_name);
  out->qualname = textOf(code->co_qualname);
  out->file = textOf(code->co_filename);
  out->first_line = code->co_firstlineno;
  out->arg_count = code->co_argcount;
  out->positional_only = code->co_posonlyargcount;
  out->keyword_only = code->co_kwonlyargcount;
  out->has_varargs = (code->co_flags & CO_VARARGS) != 0;
  out->has_varkw = (code->co_flags & CO_VARKEYWORDS) != 0;
  out->is_generator = (code->co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR)) != 0;
  out->is_coroutine = (code->co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR | CO_ITERABLE_COROUTINE)) != 0;
  Ref bytecode = Ref::steal(PyCode_GetCode(code));
  if (!bytecode) PyErr_Clear();
  auto bytes = bytesOf(bytecode.get());
  out->bytecode.assign(bytes.begin(), bytes.end());
  out->names = texts(code->co_names);
  readLocals(*out, code);
  readConstants(*out, code->co_consts);
  out->exceptions = readExceptionTable(bytesOf(code->co_exceptiontable));
  out->locations = readLocations(bytesOf(code->co_linetable), code->co_firstlineno, bytes.size() / 2);
  findGlobals(*out);
  return out;
}

} // namespace

std::shared_ptr<const CodeSnapshot> readCode(PyCodeObject *code) {
  auto *object = reinterpret_cast<PyObject *>(code);
  const Py_ssize_t index = extraIndex();
  void *extra = nullptr;
  if (index >= 0 && getExtra(object, index, &extra) == 0 && extra) return *static_cast<CodePointer *>(extra);
  PyErr_Clear();
  CodePointer snapshot = makeSnapshot(code);
  if (index >= 0) {
    auto *kept = new CodePointer(snapshot);
    if (setExtra(object, index, kept) != 0) {
      PyErr_Clear();
      delete kept;
    }
  }
  return snapshot;
}

} // namespace naja::frontend
