// naja_frontend_test: the front end as a Python module, for tests/python/frontend. Not installed.
#include "program.h"

#include "naja/frontend/snapshot/snapshot.h"
#include "naja/frontend/translate/translate.h"

#include <chrono>
#include <random>
#include <string>

namespace {

using namespace naja;
using namespace naja::frontend;

PyObject *unicode(const std::string &text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace");
}

std::string render(const Diagnostic &d) {
  std::string text = d.message + " @" + std::to_string(d.where.loc.line) + ":" + std::to_string(d.where.loc.col);
  return d.hint.empty() ? text : text + " (" + d.hint + ")";
}

bool appendFunction(const FunctionSnapshot &snapshot, bool is_inner, std::string &text) {
  auto result = translate(snapshot, is_inner);
  if (!result) {
    PyErr_SetString(PyExc_SyntaxError, render(result.error()).c_str());
    return false;
  }
  text += ir::print(*result->function);
  std::vector<std::string> problems = ir::verify(*result->function);
  for (const std::string &problem : problems) text += "INVALID " + problem + "\n";
  for (const auto &inner : result->inner) {
    if (!appendFunction(*inner, true, text)) return false;
  }
  return true;
}

/// nir(function) -> text of it and its inner functions; SyntaxError with message, position and hint where it is
/// refused.
PyObject *nir(PyObject *, PyObject *function) {
  auto snapshot = snapshotFunction(function);
  if (!snapshot) return nullptr;
  std::string text;
  return appendFunction(*snapshot, false, text) ? unicode(text) : nullptr;
}

/// measure(function) -> (seconds of snapshot, seconds of translate, instructions)
PyObject *measure(PyObject *, PyObject *function) {
  auto now = [] { return std::chrono::steady_clock::now(); };
  auto t0 = now();
  auto snapshot = snapshotFunction(function);
  if (!snapshot) return nullptr;
  auto t1 = now();
  auto result = translate(*snapshot);
  auto t2 = now();
  if (!result) {
    PyErr_SetString(PyExc_SyntaxError, render(result.error()).c_str());
    return nullptr;
  }
  return Py_BuildValue("ddn", std::chrono::duration<double>(t1 - t0).count(),
                       std::chrono::duration<double>(t2 - t1).count(),
                       static_cast<Py_ssize_t>(result->function->numInsts()));
}

/// fuzz(function, seed, rounds) -> how many mutations of its bytecode were accepted. None may crash, and what is
/// accepted is well formed.
PyObject *fuzz(PyObject *, PyObject *args) {
  PyObject *function = nullptr;
  unsigned long seed = 0;
  Py_ssize_t rounds = 0, accepted = 0;
  if (!PyArg_ParseTuple(args, "Okn", &function, &seed, &rounds)) return nullptr;
  auto snapshot = snapshotFunction(function);
  if (!snapshot) return nullptr;
  std::mt19937 random(static_cast<uint32_t>(seed));
  for (Py_ssize_t round = 0; round < rounds; ++round) {
    auto code = std::make_shared<CodeSnapshot>(*snapshot->code);
    for (size_t changes = 1 + random() % 3; changes > 0 && !code->bytecode.empty(); --changes) {
      // Arguments are small, as those of real code, or anything.
      size_t place = random() % code->bytecode.size();
      code->bytecode[place] = static_cast<uint8_t>(place % 2 == 1 && random() % 2 == 0 ? random() % 12 : random());
    }
    FunctionSnapshot mutated = *snapshot;
    mutated.code = code;
    auto result = translate(mutated, random() % 4 == 0);
    if (!result) continue;
    ++accepted;
    if (auto problems = ir::verify(*result->function); !problems.empty()) {
      PyErr_SetString(PyExc_AssertionError, (problems[0] + "\n" + ir::print(*result->function)).c_str());
      return nullptr;
    }
  }
  return PyLong_FromSsize_t(accepted);
}

/// frozen(object) -> (text, type or None, kind index, weak)
PyObject *frozen(PyObject *, PyObject *object) {
  ConstId id = freeze(object);
  const Constant &c = ConstantStore::global().get(id);
  TypeId type = typeOfFrozen(id);
  PyObject *text = unicode(toString(id));
  PyObject *type_text = type.valid() ? unicode(toString(type)) : Py_NewRef(Py_None);
  return Py_BuildValue("NNni", text, type_text, static_cast<Py_ssize_t>(c.value.index()), c.weak ? 1 : 0);
}

PyObject *typeOfArgument(PyObject *, PyObject *object) {
  auto type = typeOfValue(object);
  return type ? unicode(toString(*type)) : Py_NewRef(Py_None);
}

PyObject *contentHashOf(PyObject *, PyObject *function) {
  auto snapshot = snapshotFunction(function);
  return snapshot ? PyLong_FromUnsignedLongLong(snapshot->content_hash) : nullptr;
}

/// snapshot_id(function): differs where snapshotFunction made a new one.
PyObject *snapshotId(PyObject *, PyObject *function) {
  auto snapshot = snapshotFunction(function);
  return snapshot ? PyLong_FromVoidPtr(const_cast<FunctionSnapshot *>(snapshot.get())) : nullptr;
}

PyObject *setNames(PyObject *, PyObject *names) {
  std::vector<std::string> out;
  PyObject *list = PySequence_Fast(names, "a sequence of names");
  if (!list) return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list); ++i) {
    const char *text = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(list, i));
    if (!text) {
      Py_DECREF(list);
      return nullptr;
    }
    out.emplace_back(text);
  }
  Py_DECREF(list);
  setBuiltinNames(std::move(out));
  Py_RETURN_NONE;
}

/// Objects with a py_func attribute are dispatchers, as far as these tests go.
PyObject *unwrap(PyObject *object) {
  if (PyType_Check(object) || PyFunction_Check(object)) return nullptr;
  PyObject *function = PyObject_GetAttrString(object, "py_func");
  if (!function) PyErr_Clear();
  Py_XDECREF(function); // the object keeps it
  return function && PyFunction_Check(function) ? function : nullptr;
}

PyMethodDef methods[] = {{"nir", nir, METH_O, nullptr},
                         {"program", naja::frontend_test::program, METH_O, nullptr},
                         {"measure", measure, METH_O, nullptr},
                         {"fuzz", fuzz, METH_VARARGS, nullptr},
                         {"frozen", frozen, METH_O, nullptr},
                         {"typeof", typeOfArgument, METH_O, nullptr},
                         {"content_hash", contentHashOf, METH_O, nullptr},
                         {"snapshot_id", snapshotId, METH_O, nullptr},
                         {"set_builtin_names", setNames, METH_O, nullptr},
                         {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "naja_frontend_test", nullptr, -1, methods, {}, {}, {}, {}};

} // namespace

PyMODINIT_FUNC PyInit_naja_frontend_test() {
  if (!initializeSnapshot()) return nullptr;
  setSnapshotHooks({unwrap, nullptr});
  return PyModule_Create(&module);
}
