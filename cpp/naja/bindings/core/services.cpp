// What compiled code asks of the interpreter (runtime/abi.h).
#include "naja/bindings/core/services.h"

#include "naja/bindings/core/box.h"
#include "naja/runtime/abi.h"
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

int32_t checkSignals() {
  Gil gil;
  return PyErr_CheckSignals() == 0 ? NAJA_OK : NAJA_PYTHON_ERROR;
}

int32_t print(uint32_t count, const uint32_t *type_ids, const void *values) {
  Gil gil;
  std::vector<TypeId> ids;
  for (uint32_t i = 0; i < count; ++i) { ids.emplace_back(type_ids[i]); }
  Ref items = Ref::steal(boxBorrowed(types().tuple(ids), values));
  if (!items) { return NAJA_PYTHON_ERROR; }
  // Looked up each time: tests and notebooks replace it, as they replace sys.stdout.
  PyObject *function = PyDict_GetItemString(PyEval_GetBuiltins(), "print");
  if (function == nullptr) {
    PyErr_SetString(PyExc_NameError, "name 'print' is not defined");
    return NAJA_PYTHON_ERROR;
  }
  Ref result = Ref::steal(PyObject_Call(function, items.get(), nullptr));
  return result ? NAJA_OK : NAJA_PYTHON_ERROR;
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
  return boxBorrowed(TypeId(type), value);
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

constexpr naja_python_services kServices = {checkSignals, print, increfObject, decrefObject, box, sorts};

} // namespace

void installServices() { naja_rt_install_python(&kServices); }

} // namespace naja::bindings
