#include "naja/bindings/core/specialisation.h"

#include "naja/bindings/core/core_api.h"
#include "naja/bindings/core/objects.h"
#include "naja/runtime/abi.h"
#include "naja/types/layout.h"

#include <new>

namespace naja::bindings {
namespace {

PyTypeObject *type = nullptr;

void assignSlots(Specialisation &self) {
  unsigned floats = 0, ints = 0, stack = 0;
  for (TypeId arg : self.args) {
    self.first_slot.push_back(static_cast<uint32_t>(self.slots.size()));
    for (Machine machine : scalarsOf(arg)) {
      unsigned slot;
      if (isFloat(machine)) {
        slot = floats < kFloatRegisters ? floats++ : kFirstStack + stack++;
      } else {
        slot = ints < kIntRegisters ? kFirstInt + ints++ : kFirstStack + stack++;
      }
      self.slots.push_back(static_cast<uint16_t>(slot));
    }
  }
  self.first_slot.push_back(static_cast<uint32_t>(self.slots.size()));
  self.stack_slots = stack;
}

void dealloc(PyObject *object) {
  auto *self = reinterpret_cast<Specialisation *>(object);
  PyTypeObject *cls = Py_TYPE(object);
  Py_XDECREF(self->owner);
  self->args.~vector();
  self->slots.~vector();
  self->first_slot.~vector();
  cls->tp_free(object);
  Py_DECREF(cls);
}

PyObject *getArgs(PyObject *object, void *) {
  const auto &args = reinterpret_cast<Specialisation *>(object)->args;
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(args.size()));
  for (size_t i = 0; tuple != nullptr && i < args.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(args[i].value));
  }
  return tuple;
}
PyObject *getResult(PyObject *object, void *) {
  return PyLong_FromUnsignedLong(reinterpret_cast<Specialisation *>(object)->result.value);
}
PyObject *getEntry(PyObject *object, void *) {
  return PyLong_FromVoidPtr(reinterpret_cast<Specialisation *>(object)->entry);
}
PyObject *getOwner(PyObject *object, void *) {
  PyObject *owner = reinterpret_cast<Specialisation *>(object)->owner;
  return Py_NewRef(owner ? owner : Py_None);
}
PyObject *getNogil(PyObject *object, void *) {
  return PyBool_FromLong(static_cast<long>(reinterpret_cast<Specialisation *>(object)->flags & kReleaseGil));
}

/// Specialisation(entry, args, return_type, owner=None, nogil=False), types as ids: for tests and for loaders in
/// Python.
PyObject *create(PyTypeObject *, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"entry", "args", "return_type", "owner", "nogil", nullptr};
  unsigned long long entry = 0;
  PyObject *arg_types = nullptr, *owner = Py_None;
  unsigned result = 0;
  int nogil = 0;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "KO!I|Op", const_cast<char **>(names), &entry, &PyTuple_Type,
                                  &arg_types, &result, &owner, &nogil) == 0) {
    return nullptr;
  }
  std::vector<TypeId> ids;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arg_types); ++i) {
    const unsigned long id = PyLong_AsUnsignedLong(PyTuple_GET_ITEM(arg_types, i));
    if (id == static_cast<unsigned long>(-1) && PyErr_Occurred()) { return nullptr; }
    ids.emplace_back(static_cast<uint32_t>(id));
  }
  ids.emplace_back(result);
  for (TypeId id : ids) {
    if (id.value >= types().size()) {
      PyErr_Format(PyExc_ValueError, "no type has the id %u", id.value);
      return nullptr;
    }
  }
  ids.pop_back();
  return reinterpret_cast<PyObject *>(newSpecialisation(reinterpret_cast<void *>(entry), ids, TypeId(result),
                                                        owner == Py_None ? nullptr : owner,
                                                        nogil != 0 ? uint32_t{kReleaseGil} : 0U));
}

PyGetSetDef getset[] = {{"args", getArgs, nullptr, "Ids of the argument types.", nullptr},
                        {"return_type", getResult, nullptr, "Id of the type of the result.", nullptr},
                        {"entry", getEntry, nullptr, "Address of the code: i32 f(ret*, scalars...).", nullptr},
                        {"owner", getOwner, nullptr, "What keeps the code alive.", nullptr},
                        {"nogil", getNogil, nullptr, "Is the GIL released around the code?", nullptr},
                        {}};
PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                       {Py_tp_new, reinterpret_cast<void *>(create)},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char *>("Compiled code of a function for one list of argument types.")},
                       {0, nullptr}};
PyType_Spec spec = {"naja._core.Specialisation", sizeof(Specialisation), 0, Py_TPFLAGS_DEFAULT, slots};

} // namespace

PyTypeObject *specialisationType() { return type; }
bool isSpecialisation(PyObject *object) { return Py_TYPE(object) == type; }

bool initSpecialisationType(PyObject *module) {
  type = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return type != nullptr && PyModule_AddObjectRef(module, "Specialisation", reinterpret_cast<PyObject *>(type)) == 0;
}

Specialisation *newSpecialisation(void *entry, std::span<const TypeId> args, TypeId result, PyObject *owner,
                                  uint32_t flags) {
  BoxStep *box = boxStepOf(result);
  if (box == nullptr) { return nullptr; }
  PyObject *object = type->tp_alloc(type, 0);
  if (object == nullptr) { return nullptr; }
  auto *self = reinterpret_cast<Specialisation *>(object);
  self->entry = entry;
  self->owner = Py_XNewRef(owner);
  self->result = result;
  self->flags = flags;
  self->result_size = structLayoutOf(result).size;
  self->box = box;
  new (&self->args) std::vector<TypeId>(args.begin(), args.end());
  new (&self->slots) std::vector<uint16_t>();
  new (&self->first_slot) std::vector<uint32_t>();
  assignSlots(*self);
  naja_rt_install_signal_handler(); // compiled code will run: Ctrl-C has to reach it
  return self;
}

} // namespace naja::bindings
