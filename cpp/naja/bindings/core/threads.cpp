#include "naja/bindings/core/threads.h"

#include "naja/runtime/parallel/parallel.h"

namespace naja::bindings {

PyObject *setNumThreads(PyObject *, PyObject *threads) {
  int overflow = 0;
  const long long wanted = PyLong_AsLongLongAndOverflow(threads, &overflow);
  if (wanted == -1 && PyErr_Occurred()) { return nullptr; }
  if (naja_rt_set_num_threads(overflow != 0 ? -1 : wanted) == NAJA_OK) { Py_RETURN_NONE; }
  naja_exception exception;
  if (naja_rt_take_exception(&exception) != 0) { PyErr_SetString(PyExc_ValueError, exception.text); }
  return nullptr;
}
PyObject *getNumThreads(PyObject *, PyObject *) { return PyLong_FromLong(naja_rt_get_num_threads()); }
PyObject *maxThreads(PyObject *, PyObject *) { return PyLong_FromLong(naja_rt_max_threads()); }
PyObject *getThreadId(PyObject *, PyObject *) { return PyLong_FromLong(naja_rt_get_thread_id()); }

PyObject *threadingLayer(PyObject *, PyObject *) {
  const char *name = naja_rt_threading_layer();
  return name ? PyUnicode_FromString(name) : Py_NewRef(Py_None);
}

PyObject *getParallelChunksize(PyObject *, PyObject *) { return PyLong_FromLongLong(naja_rt_get_parallel_chunksize()); }
PyObject *setParallelChunksize(PyObject *, PyObject *size) {
  const long long wanted = PyLong_AsLongLong(size);
  if (wanted == -1 && PyErr_Occurred()) { return nullptr; }
  return PyLong_FromLongLong(naja_rt_set_parallel_chunksize(wanted));
}

} // namespace naja::bindings
