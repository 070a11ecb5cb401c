// What naja.parallel asks of the scheduler of parallel regions.
#pragma once

#include "naja/bindings/core/python.h"

namespace naja::bindings {

PyObject *setNumThreads(PyObject *, PyObject *threads); // ValueError where out of range
PyObject *getNumThreads(PyObject *, PyObject *);
PyObject *maxThreads(PyObject *, PyObject *);
PyObject *getThreadId(PyObject *, PyObject *);
PyObject *threadingLayer(PyObject *, PyObject *); // None while no region has run on threads
PyObject *getParallelChunksize(PyObject *, PyObject *);
PyObject *setParallelChunksize(PyObject *, PyObject *size);

} // namespace naja::bindings
