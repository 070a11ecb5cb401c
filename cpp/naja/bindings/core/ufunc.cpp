#include "naja/bindings/core/ufunc.h"

#include "naja/bindings/core/box.h"

#include <numpy/ufuncobject.h>

#include <cstring>

namespace naja::bindings {
namespace {

constexpr const char *kBlock = "naja.UfuncBlock";

bool importUfuncs() {
  if (PyUFunc_API != nullptr) { return true; }
  return _import_umath() >= 0;
}

/// (address, owner, ids of the elements, number of inputs, core dimensions or None, parallel)
bool readLoop(PyObject *row, UfuncLoop *loop) {
  unsigned long long address = 0;
  PyObject *owner = nullptr, *elements = nullptr, *core = nullptr;
  int parallel = 0;
  if (PyArg_ParseTuple(row, "KOO!IOp", &address, &owner, &PyTuple_Type, &elements, &loop->inputs, &core, &parallel) ==
      0) {
    return false;
  }
  loop->entry = reinterpret_cast<UfuncLoop::Entry>(address);
  loop->owner = Ref::borrow(owner);
  loop->parallel = parallel != 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(elements); ++i) {
    const TypeId id(static_cast<uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(elements, i))));
    if (PyErr_Occurred()) { return false; }
    PyArray_Descr *descr = descrOf(id);
    if (descr == nullptr) { return false; }
    loop->elements.push_back(id);
    loop->numbers.push_back(descr->type_num);
    loop->dtypes.push_back(Ref::borrow(reinterpret_cast<PyObject *>(descr)));
  }
  if (core == Py_None) { return true; }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(core); ++i) {
    PyObject *axes = PyTuple_GET_ITEM(core, i);
    loop->core.emplace_back();
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(axes); ++k) {
      loop->core.back().push_back(static_cast<unsigned>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(axes, k))));
    }
  }
  return !PyErr_Occurred();
}

bool hasRecords(const UfuncLoop &loop) {
  for (int number : loop.numbers) {
    if (number == NPY_VOID) { return true; }
  }
  return false;
}

bool readLoops(PyObject *rows, UfuncBlock *block) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    auto loop = std::make_unique<UfuncLoop>();
    if (!readLoop(PyList_GET_ITEM(rows, i), loop.get())) { return false; }
    if (!hasRecords(*loop)) {
      block->functions.push_back(enterUfuncLoop);
      block->data.push_back(loop.get());
      for (int number : loop->numbers) { block->types.push_back(static_cast<char>(number)); }
    }
    block->loops.push_back(std::move(loop));
  }
  return true;
}

/// Loops over records are known by their dtypes, not by type numbers.
bool registerRecordLoops(PyObject *ufunc, const UfuncBlock &block) {
  for (const auto &loop : block.loops) {
    if (!hasRecords(*loop)) { continue; }
    std::vector<PyArray_Descr *> dtypes;
    PyArray_Descr *record = nullptr;
    for (const Ref &dtype : loop->dtypes) {
      dtypes.push_back(reinterpret_cast<PyArray_Descr *>(dtype.get()));
      if (dtypes.back()->type_num == NPY_VOID && record == nullptr) { record = dtypes.back(); }
    }
    if (PyUFunc_RegisterLoopForDescr(reinterpret_cast<PyUFuncObject *>(ufunc), record, enterUfuncLoop, dtypes.data(),
                                     loop.get()) != 0) {
      if (!PyErr_Occurred()) { PyErr_SetString(PyExc_TypeError, "NumPy refuses a loop for these records"); }
      return false;
    }
  }
  return true;
}

/// Inputs that the loop writes: NumPy writes back what it had to copy.
bool markWritable(PyObject *ufunc, PyObject *operands) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(operands); ++i) {
    const long operand = PyLong_AsLong(PyTuple_GET_ITEM(operands, i));
    if (operand < 0 || operand >= reinterpret_cast<PyUFuncObject *>(ufunc)->nargs) {
      if (!PyErr_Occurred()) { PyErr_SetString(PyExc_ValueError, "no such argument"); }
      return false;
    }
    reinterpret_cast<PyUFuncObject *>(ufunc)->op_flags[operand] = NPY_ITER_READWRITE | NPY_ITER_UPDATEIFCOPY;
  }
  return true;
}

void freeBlock(PyObject *capsule) { delete static_cast<UfuncBlock *>(PyCapsule_GetPointer(capsule, kBlock)); }

} // namespace

PyObject *makeUfunc(PyObject *, PyObject *args) {
  const char *name = nullptr, *doc = nullptr, *signature = nullptr;
  int inputs = 0, outputs = 0, identity = 0;
  PyObject *rows = nullptr, *writable = nullptr;
  if (PyArg_ParseTuple(args, "ssiiizO!O!", &name, &doc, &inputs, &outputs, &identity, &signature, &PyList_Type, &rows,
                       &PyTuple_Type, &writable) == 0 ||
      !importUfuncs()) {
    return nullptr;
  }
  auto block = std::make_unique<UfuncBlock>();
  block->name = name;
  block->doc = doc;
  if (!readLoops(rows, block.get())) { return nullptr; }
  UfuncBlock *kept = block.get();
  Ref capsule = Ref::steal(PyCapsule_New(kept, kBlock, freeBlock));
  if (!capsule) { return nullptr; }
  static_cast<void>(block.release());
  // NumPy copies nothing but the signature.
  Ref ufunc = Ref::steal(PyUFunc_FromFuncAndDataAndSignatureAndIdentity(
      kept->functions.data(), kept->data.data(), kept->types.data(), static_cast<int>(kept->functions.size()), inputs,
      outputs, identity, kept->name.c_str(), kept->doc.c_str(), 0, signature, nullptr));
  if (!ufunc) { return nullptr; }
  reinterpret_cast<PyUFuncObject *>(ufunc.get())->obj = capsule.release();
  const bool complete = registerRecordLoops(ufunc.get(), *kept) && markWritable(ufunc.get(), writable);
  return complete ? ufunc.release() : nullptr;
}

const UfuncBlock *blockOf(PyObject *ufunc) {
  PyObject *held = reinterpret_cast<PyUFuncObject *>(ufunc)->obj;
  return held != nullptr && PyCapsule_IsValid(held, kBlock) != 0
             ? static_cast<const UfuncBlock *>(PyCapsule_GetPointer(held, kBlock))
             : nullptr;
}

bool initUfuncs(PyObject *module) {
  static PyMethodDef methods[] = {{"make_ufunc", makeUfunc, METH_VARARGS,
                                   "A numpy.ufunc: (name, doc, inputs, outputs, identity, signature or None, loops, "
                                   "inputs that are written), a loop being (address, owner, "
                                   "ids of the elements, inputs, core dimensions or None, parallel)."},
                                  {}};
  return PyModule_AddFunctions(module, methods) == 0 && initDUFuncType(module);
}

} // namespace naja::bindings
