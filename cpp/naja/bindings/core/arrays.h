// NumPy arrays over memory of compiled code.
#pragma once

#include "naja/bindings/core/box.h"

namespace naja::bindings {

inline PyArray_Descr *arrayDescr(const BoxStep &step) { return reinterpret_cast<PyArray_Descr *>(step.object); }

/// Strides in bytes of a contiguous array.
void contiguousStrides(const npy_intp *extents, npy_intp *strides, unsigned ndim, npy_intp item_size, bool fortran);

/// The array of these scalars, consuming the reference in `owner`:
///   a tagged owner whose object is an array of the same geometry: that object; another tagged owner: a view of it;
///   a MemInfo: an array that owns it (NumPy frees through our memory handler), or a view of it where `data` is not its
///   start; null (a frozen array): a copy.
PyObject *makeArray(const BoxStep &step, void *owner, void *data, npy_intp *extents, npy_intp *strides);

bool initArrays(PyObject *module);

} // namespace naja::bindings
