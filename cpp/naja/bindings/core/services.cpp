// What compiled code asks of the interpreter (runtime/abi.h).
#include "naja/bindings/core/services.h"

#include "naja/bindings/core/box.h"
#include "naja/runtime/abi.h"
#include "naja/runtime/parallel/parallel.h"
#include "naja/types/layout.h"

namespace naja::bindings {
namespace {

/// The GIL, whether this thread has it or released it for a nogil function.
class Gil {
public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil &) = delete;
  Gil &operator=(const Gil &) = delete;

private:
  PyGILState_STATE state_;
};

/// The exception that is set, as an object, and no longer set.
PyObject *takeRaised() {
#if PY_VERSION_HEX >= 0x030c0000
  return PyErr_GetRaisedException();
#else
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) { PyException_SetTraceback(value, traceback); }
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return value;
#endif
}

void *takeError() {
  Gil gil;
  return takeRaised();
}

void restoreError(void *exception) {
  Gil gil;
  auto *value = static_cast<PyObject *>(exception);
#if PY_VERSION_HEX >= 0x030c0000
  PyErr_SetRaisedException(value);
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject *>(Py_TYPE(value))), value, PyException_GetTraceback(value));
#endif
}

/// The status of an error that has been set. A thread of a parallel region loses it together with its thread state when it
/// lets go of the GIL.
int32_t pythonError() {
  if (naja_rt_is_worker() != 0) { naja_rt_keep_python_error(takeRaised()); }
  return NAJA_PYTHON_ERROR;
}

void *releaseGil() { return PyGILState_Check() ? PyEval_SaveThread() : nullptr; }
void acquireGil(void *state) { PyEval_RestoreThread(static_cast<PyThreadState *>(state)); }

int32_t checkSignals() {
  Gil gil;
  return PyErr_CheckSignals() == 0 ? NAJA_OK : NAJA_PYTHON_ERROR;
}

int32_t print(uint32_t count, const uint32_t *type_ids, const void *values) {
  Gil gil;
  std::vector<TypeId> ids;
  for (uint32_t i = 0; i < count; ++i) { ids.emplace_back(type_ids[i]); }
  Ref items = Ref::steal(boxBorrowed(types().tuple(ids), values));
  if (!items) { return pythonError(); }
  // Looked up each time: tests and notebooks replace it, as they replace sys.stdout.
  PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
  if (function == nullptr) {
    PyErr_SetString(PyExc_NameError, "name 'print' is not defined");
    return pythonError();
  }
  Ref result = Ref::steal(PyObject_Call(function, items.get(), nullptr));
  return result ? NAJA_OK : pythonError();
}

void increfObject(void *object) {
  Gil gil;
  Py_INCREF(static_cast<PyObject *>(object));
}
void decrefObject(void *object) {
  Gil gil;
  Py_DECREF(static_cast<PyObject *>(object));
}
void *box(uint32_t type, const void *value) {
  Gil gil;
  PyObject *object = boxBorrowed(TypeId(type), value);
  if (object == nullptr) { pythonError(); }
  return object;
}

/// NumPy's number of each naja_dtype, in order.
constexpr int kTypeNumbers[NAJA_DTYPES] = {NPY_BOOL,  NPY_INT8,   NPY_INT16,  NPY_INT32,   NPY_INT64,  NPY_UINT8,    NPY_UINT16,
                                           NPY_UINT32, NPY_UINT64, NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128};

void sorts(naja_sort_table *out) {
  Gil gil;
  for (uint32_t i = 0; i < NAJA_DTYPES; ++i) {
    PyArray_Descr *descr = PyArray_DescrFromType(kTypeNumbers[i]);
    if (descr == nullptr) {
      PyErr_Clear();
      continue;
    }
    const PyArray_ArrFuncs *functions = PyDataType_GetArrFuncs(descr);
    out->sort[i] = functions->sort[NPY_QUICKSORT];
    out->argsort[i] = functions->argsort[NPY_QUICKSORT];
    out->stable_argsort[i] = functions->argsort[NPY_STABLESORT];
    Py_DECREF(descr);
  }
}

constexpr naja_python_services kServices = {checkSignals, print, increfObject, decrefObject, box, sorts,
                                            releaseGil,   acquireGil, takeError, restoreError};

} // namespace

void installServices() { naja_rt_install_python(&kServices); }

} // namespace naja::bindings
