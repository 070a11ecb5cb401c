// `_core.Type`: a TypeId as a Python object. What a type looks like in Python is the business of naja.types, which
// derives its classes from Type and registers their maker; one object per id.
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

namespace naja::bindings {

/// New reference, or null with an error set.
PyObject *typeObject(TypeId type);
/// Of a Type or an int id. False with TypeError set.
bool typeIdOf(PyObject *object, TypeId *type);
/// Invalid, without an error, where it is no Type.
TypeId typeIdOfTypeObject(PyObject *object);
bool initTypeObject(PyObject *module);

} // namespace naja::bindings
