#include "naja/frontend/snapshot/builtin_names.h"

#include "naja/frontend/snapshot/state.h"

namespace naja::frontend {
namespace {

/// What a step of a dotted name finds. Of a module only what its dictionary has: asking NumPy for an attribute that it loads
/// when asked (numpy.random) would cost every first compilation milliseconds.
Ref step(PyObject *from, const std::string &name) {
  if (!PyModule_Check(from)) return attribute(from, name.c_str());
  return Ref::borrow(PyDict_GetItemString(PyModule_GetDict(from), name.c_str()));
}

/// The object that a dotted name refers to: the longest loaded module, then attributes. Empty: not loaded (yet).
Ref resolve(const std::string &name, PyObject *modules) {
  for (size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
    PyObject *module = PyDict_GetItemString(modules, name.substr(0, dot).c_str());
    if (!module || !PyModule_Check(module)) continue;
    Ref object = Ref::borrow(module);
    for (size_t begin = dot + 1; object && begin <= name.size();) {
      size_t end = std::min(name.find('.', begin), name.size());
      object = step(object.get(), name.substr(begin, end - begin));
      begin = end + 1;
    }
    return object;
  }
  return {};
}

void resolveNames(SnapshotState &state) {
  PyObject *modules = PyImport_GetModuleDict(); // borrowed
  if (!modules || PyDict_Size(modules) == state.modules_seen) return;
  state.modules_seen = PyDict_Size(modules);
  std::vector<std::string> missing;
  for (std::string &name : state.unresolved_names) {
    Ref object = resolve(name, modules);
    if (!object || object.get() == Py_None) {
      missing.push_back(std::move(name));
      continue;
    }
    HandleTable::global().add(object.get());                        // so that its address is not used again
    state.builtin_names.try_emplace(object.get(), std::move(name)); // the first of several names counts
  }
  state.unresolved_names = std::move(missing);
}

} // namespace

void setBuiltinNames(std::vector<std::string> names) {
  SnapshotState &state = HandleTable::global().state();
  state.builtin_names.clear();
  state.unresolved_names = std::move(names);
  state.modules_seen = -1;
}

std::optional<std::string> builtinNameOf(PyObject *object) {
  SnapshotState &state = HandleTable::global().state();
  resolveNames(state);
  auto it = state.builtin_names.find(object);
  if (it == state.builtin_names.end()) return std::nullopt;
  return it->second;
}

std::string importableName(PyObject *object) {
  Ref module = attribute(object, "__module__");
  Ref name = attribute(object, "__qualname__");
  if (!name || !PyUnicode_Check(name.get())) name = attribute(object, "__name__");
  if (!name || !PyUnicode_Check(name.get())) return {};
  std::string prefix = module && PyUnicode_Check(module.get()) ? textOf(module.get()) : std::string();
  if (prefix.empty()) return {};
  return prefix + "." + textOf(name.get());
}

} // namespace naja::frontend
