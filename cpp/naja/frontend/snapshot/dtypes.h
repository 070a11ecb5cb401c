// NumPy's dtypes and scalars as naja types and constants.
#pragma once

#include "naja/frontend/snapshot/python.h"
#include "naja/types/constant.h"

#include <optional>

namespace naja::frontend {

std::optional<TypeId> typeOfDescr(PyArray_Descr *descr);

/// The type that a NumPy scalar class (numpy.float64) denotes; empty for abstract and non-numeric ones.
std::optional<TypeId> typeOfScalarClass(PyTypeObject *type);

/// The array type of an ndarray by its dtype and flags. Empty where its elements have no type.
std::optional<TypeId> typeOfArray(PyArrayObject *array);

/// The constant of a NumPy scalar (strong). Empty where its type has none.
std::optional<ConstId> freezeNumpyScalar(PyObject *scalar);

} // namespace naja::frontend
