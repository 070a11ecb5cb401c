// PyHandle <-> PyObject *: the only place where the compiler's data refers to Python objects. The GIL is held in every
// call. Handles are never given back: a constant lives as long as the process, and so does the object behind it.
#pragma once

#include "naja/types/constant.h"

#include <cstddef>
#include <memory>

using PyObject = struct _object;

namespace naja::frontend {

struct SnapshotState;

class HandleTable {
public:
  HandleTable();
  ~HandleTable(); // leaks the references: the interpreter may be gone
  /// The handle of an object, which is kept alive from now on. The same object has the same handle.
  PyHandle add(PyObject *object);
  /// The handle if the object has one already.
  PyHandle find(PyObject *object) const;
  /// Borrowed; null for an invalid handle.
  PyObject *object(PyHandle handle) const;
  size_t size() const;

  /// Hooks, builtin names and caches of the snapshot layer (defined in state.h).
  SnapshotState &state();

  /// The process-wide table. `_compiler` installs the one of `_core` when it is loaded.
  static HandleTable &global();
  static void install(HandleTable *table);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The object of a handle in the process-wide table; borrowed.
inline PyObject *objectOf(PyHandle handle) { return HandleTable::global().object(handle); }

} // namespace naja::frontend
