// Types and constants as Python objects and back: the one door from _core to the snapshot layer.
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/constant.h"
#include "naja/types/type.h"

namespace naja::bindings {

/// typeof(value): the built-in rules, then the hook of Python. Invalid where the value has no type; a Python error may
/// be set then (by the hook) or not.
TypeId typeOfObject(PyObject *value);
/// The same without an error left.
TypeId typeOfOmitted(PyObject *default_value);
void setTypeofHook(PyObject *hook);

/// A constant for any object (frozen by the snapshot layer). Invalid with an error set.
ConstId constantOf(PyObject *object);

/// Borrowed, kept for ever. Null with an error set.
PyObject *objectOfHandle(uint32_t handle);
PyObject *objectOfConstant(ConstId constant);
/// What a type without scalars stands for: the function, class, dtype, module ... Borrowed, kept for ever.
PyObject *objectOfType(TypeId type);

} // namespace naja::bindings
