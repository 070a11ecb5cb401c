// The `_core` extension. Imported by `import naja`: what is not needed by every program is made on demand.
#include "naja/bindings/core/arrays.h"
#include "naja/bindings/core/box.h"
#include "naja/bindings/core/cache.h"
#include "naja/bindings/core/core_api.h"
#include "naja/bindings/core/dispatcher.h"
#include "naja/bindings/core/objects.h"
#include "naja/bindings/core/services.h"
#include "naja/bindings/core/threads.h"
#include "naja/bindings/core/type_object.h"
#include "naja/bindings/core/ufunc.h"
#include "naja/frontend/snapshot/snapshot.h"
#include "naja/cuda/cpu_device/launch.h"
#include "naja/runtime/abi.h"
#include "naja/support/options.h"

namespace naja::bindings {
namespace {

// ---- options

PyObject *text(std::string_view value) {
  return PyUnicode_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

bool optionExists(const char *name) {
  for (const OptionInfo &option : allOptions()) {
    if (option.name == name) { return true; }
  }
  PyErr_Format(PyExc_KeyError, "no option is called %s", name);
  return false;
}

PyObject *options(PyObject *, PyObject *) {
  Ref list = Ref::steal(PyList_New(0));
  for (const OptionInfo &option : allOptions()) {
    Ref row = Ref::steal(Py_BuildValue("NNNNOO", text(option.name), text(option.type), text(option.default_value),
                                       text(option.help), option.in_key ? Py_True : Py_False,
                                       option.numba_alias ? Py_True : Py_False));
    if (!list || !row || PyList_Append(list.get(), row.get()) < 0) { return nullptr; }
  }
  return list.release();
}
PyObject *getOption(PyObject *, PyObject *argument) {
  const char *name = PyUnicode_AsUTF8(argument);
  return name != nullptr && optionExists(name) ? text(optionString(name)) : nullptr;
}
PyObject *setOptionValue(PyObject *, PyObject *args) {
  const char *name, *value;
  if (PyArg_ParseTuple(args, "ss", &name, &value) == 0 || !optionExists(name)) { return nullptr; }
  setOption(name, value);
  Py_RETURN_NONE;
}

// ---- runtime

PyObject *liveAllocations(PyObject *, PyObject *) { return PyLong_FromLongLong(naja_rt_live_allocations()); }
PyObject *totalAllocations(PyObject *, PyObject *) { return PyLong_FromLongLong(naja_rt_total_allocations()); }
PyObject *findSymbol(PyObject *, PyObject *argument) {
  const char *name = PyUnicode_AsUTF8(argument);
  return name ? PyLong_FromVoidPtr(naja_rt_find_symbol(name)) : nullptr;
}
PyObject *allSymbols(PyObject *, PyObject *) {
  size_t count = 0;
  const naja_symbol *table = naja_rt_symbols(&count);
  Ref list = Ref::steal(PyList_New(0));
  for (size_t i = 0; list && i < count; ++i) {
    Ref name = Ref::steal(PyUnicode_FromString(table[i].name));
    if (!name || PyList_Append(list.get(), name.get()) < 0) { return nullptr; }
  }
  return list.release();
}

// ---- CUDA

/// cuda_configure(grid, block, shared): for the next launch of this thread; extents as tuples of three.
PyObject *cudaConfigure(PyObject *, PyObject *args) {
  naja_cuda_launch_config config;
  if (PyArg_ParseTuple(args, "(III)(III)I", &config.grid[0], &config.grid[1], &config.grid[2], &config.block[0], &config.block[1],
                       &config.block[2], &config.dynamic_shared) == 0)
    return nullptr;
  naja_cuda_configure(&config);
  Py_RETURN_NONE;
}
const naja_symbol cuda_symbols[] = {
    {"naja_cuda_divergent_barrier", reinterpret_cast<void *>(naja_cuda_divergent_barrier)},
    {"naja_cuda_raised", reinterpret_cast<void *>(naja_cuda_raised)},
    {"naja_cuda_waits", reinterpret_cast<void *>(naja_cuda_waits)},
    {"naja_cuda_launch", reinterpret_cast<void *>(naja_cuda_launch)},
};

PyObject *setCompiler(PyObject *, PyObject *hook) {
  setCompileHook(hook);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"options", options, METH_NOARGS, "[(name, type, default, help, part of the key, Numba's name too)]"},
    {"get_option", getOption, METH_O, "Text of an option."},
    {"set_option", setOptionValue, METH_VARARGS, "Sets an option for this process."},
    {"set_compile_hook", setCompiler, METH_O, "f(dispatcher, argument type ids) -> Specialisation"},
    {"live_allocations", liveAllocations, METH_NOARGS, "Blocks that compiled code allocated and nobody freed yet."},
    {"total_allocations", totalAllocations, METH_NOARGS, "Blocks that compiled code ever allocated."},
    {"find_symbol", findSymbol, METH_O, "Address of a symbol that compiled code may name, or 0."},
    {"cuda_configure", cudaConfigure, METH_VARARGS, "(grid, block, bytes of shared memory) of this thread's next launch of a kernel"},
    {"set_num_threads", setNumThreads, METH_O, "Threads of this thread's parallel regions."},
    {"get_num_threads", getNumThreads, METH_NOARGS, "Threads of this thread's parallel regions."},
    {"max_threads", maxThreads, METH_NOARGS, "The most threads that a region may use."},
    {"get_thread_id", getThreadId, METH_NOARGS, "Which thread of the innermost parallel region this is."},
    {"threading_layer", threadingLayer, METH_NOARGS, "Name of the scheduler in use, or None."},
    {"get_parallel_chunksize", getParallelChunksize, METH_NOARGS, "Iterations per chunk; 0: chosen by naja."},
    {"set_parallel_chunksize", setParallelChunksize, METH_O, "Sets the iterations per chunk; returns the old number."},
    {"symbols", allSymbols, METH_NOARGS, "Names of all symbols that compiled code may name."},
    {}};

// ---- for _compiler

PyObject *apiNewSpecialisation(void *entry, const TypeId *args, size_t count, TypeId result, PyObject *owner,
                               uint32_t flags) {
  return reinterpret_cast<PyObject *>(newSpecialisation(entry, {args, count}, result, owner, flags));
}
TypeId apiTypeOf(PyObject *value) {
  const TypeId type = typeOfObject(value);
  if (!type.valid() && !PyErr_Occurred()) {
    PyErr_Format(PyExc_TypeError, "cannot determine the type of %R", reinterpret_cast<PyObject *>(Py_TYPE(value)));
  }
  return type;
}

bool addApi(PyObject *module) {
  static CoreApi api;
  api.version = CoreApi::kVersion;
  api.types = &TypeStore::global();
  api.constants = &ConstantStore::global();
  api.handles = &frontend::HandleTable::global();
  api.find_symbol = naja_rt_find_symbol;
  api.new_specialisation = apiNewSpecialisation;
  api.type_object = typeObject;
  api.type_id = typeIdOf;
  api.type_of = apiTypeOf;
  api.box = boxValue;
  Ref capsule = Ref::steal(PyCapsule_New(&api, CoreApi::kCapsule, nullptr));
  return capsule && PyModule_AddObjectRef(module, "_api", capsule.get()) == 0;
}

void installSnapshotHooks() {
  frontend::SnapshotHooks hooks;
  hooks.unwrap_dispatcher = [](PyObject *object) -> PyObject * {
    return isDispatcher(object) ? reinterpret_cast<Dispatcher *>(object)->py_func : nullptr;
  };
  hooks.type_of_type_object = typeIdOfTypeObject;
  hooks.name_of_callable = nameOfUfunc;
  frontend::setSnapshotHooks(hooks);
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "naja._core",
                          "Dispatchers, boxing and the runtime of compiled code.",
                          -1,
                          methods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace
} // namespace naja::bindings

using namespace naja::bindings;

PyMODINIT_FUNC PyInit__core() {
  Ref module = Ref::steal(PyModule_Create(&definition));
  if (!module || !importNumpy() || !naja::frontend::initializeSnapshot() || !initTypeObject(module.get()) ||
      !initArrays(module.get()) || !initSpecialisationType(module.get()) || !initDispatcherType(module.get()) ||
      !initUfuncs(module.get()) ||
      !initCache(module.get()) || !addApi(module.get())) {
    return nullptr;
  }
  installSnapshotHooks();
  naja_rt_add_symbols(cuda_symbols, std::size(cuda_symbols));
  installServices();
  return module.release();
}
