// Python objects -> plain data: constants, types of values, functions with everything frozen that they refer to.
// The GIL is held in every call. Nothing here raises into the caller unless it says so, and no error is left set.
// Python code does not run but for attribute look-ups on modules and classes.
#pragma once

#include "naja/frontend/snapshot/code.h"
#include "naja/frontend/snapshot/handle_table.h"
#include "naja/types/constant.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace naja::frontend {

/// Fills NumPy's function table. Once per extension module, before anything else. False with an error set.
bool initializeSnapshot();

/// How bindings makes its own objects known. They are kept with the installed HandleTable, so that _core and _compiler
/// share them. Each returns its "no" without an error set.
struct SnapshotHooks {
  PyObject *(*unwrap_dispatcher)(PyObject *object) = nullptr; // its py_func (borrowed), or null: not a dispatcher
  TypeId (*type_of_type_object)(PyObject *object) = nullptr;  // of a naja.types object; invalid: not one
  /// A name for callables of naja itself that Python implements call by call (ufuncs); empty: not one.
  std::string (*name_of_callable)(PyObject *object) = nullptr;
};
void setSnapshotHooks(const SnapshotHooks &hooks);

/// Canonical names of what the builtin table knows ("numpy.sqrt", "math.sin", "numpy.linalg.norm"). They are looked up
/// in sys.modules when an object is first asked for: nothing is imported for them.
void setBuiltinNames(std::vector<std::string> names);

/// The constant of any object. Functions, modules, builtins, exception and named tuple classes have no type in their
/// Constant: their type is made from their id (see typeOfFrozen). What nothing else fits is an ObjectRef.
ConstId freeze(PyObject *object);

/// The type of a frozen constant; invalid for an ObjectRef and for tuples that hold one.
TypeId typeOfFrozen(ConstId constant);

/// typeof(value) as Numba has it, for arguments: never weak, arrays with their layout and flags. Empty: no type.
std::optional<TypeId> typeOfValue(PyObject *value);

/// The element type that a NumPy dtype (a PyArray_Descr) denotes. Empty for objects, text, dates, foreign byte order.
std::optional<TypeId> typeOfDtype(PyObject *dtype);

/// A Python function with its code, defaults, closure and globals as they are now. The same pointer as before where
/// nothing has changed. Null with TypeError set if it is not a Python function.
std::shared_ptr<const FunctionSnapshot> snapshotFunction(PyObject *function);

} // namespace naja::frontend
