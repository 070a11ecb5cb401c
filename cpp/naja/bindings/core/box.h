// Values of compiled code -> Python objects. A BoxStep is made once per type; boxing consumes the references of the
// value.
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

#include <vector>

namespace naja::bindings {

struct BoxStep;
/// New reference, or null with an error set; the references in the value are consumed either way.
using BoxFunction = PyObject *(*)(const BoxStep &step, const char *data);

struct BoxStep {
  BoxFunction box = nullptr;
  TypeId type;
  const uint32_t *offsets = nullptr; // of the value's scalars from the start of the outermost struct
  uint32_t ndim = 0;
  bool strided = false, writeable = true;
  PyObject *object = nullptr; // dtype, class or constant (borrowed from a table that never shrinks)
  std::vector<BoxStep> children;
};

/// The boxing of a struct that starts with the value. Cached for ever. Null with an error set where there is none.
BoxStep *boxStepOf(TypeId type);

/// Python object of a value (C struct of its scalars): consuming its references, or leaving them to their owner.
PyObject *boxValue(TypeId type, const void *data);
PyObject *boxBorrowed(TypeId type, const void *data);

/// Drops the references of a value.
void releaseValue(TypeId type, const void *data);

/// The NumPy dtype of an element type (borrowed; kept for ever). Null with an error set.
PyArray_Descr *descrOf(TypeId type);

} // namespace naja::bindings
