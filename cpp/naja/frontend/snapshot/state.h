// What the snapshot layer remembers between calls; one per HandleTable.
#pragma once

#include "naja/frontend/snapshot/python.h"
#include "naja/frontend/snapshot/snapshot.h"

#include <unordered_map>

namespace naja::frontend {

struct SnapshotState {
  SnapshotHooks hooks;

  // Canonical names: those not found yet, and the object of each one found (kept alive by its handle).
  std::vector<std::string> unresolved_names;
  std::unordered_map<PyObject *, std::string> builtin_names;
  Py_ssize_t modules_seen = -1; // size of sys.modules when the unresolved names were last tried

  Py_ssize_t code_extra_index = -1; // slot of code objects for their CodeSnapshot
  std::unordered_map<uint32_t, std::shared_ptr<const FunctionSnapshot>> functions; // by handle of the function
};

} // namespace naja::frontend
