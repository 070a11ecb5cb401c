#include "naja/frontend/snapshot/dtypes.h"
#include "naja/frontend/snapshot/freeze.h"
#include "naja/frontend/snapshot/snapshot.h"

#include <algorithm>

namespace naja::frontend {
namespace {

ConstantStore &store() { return ConstantStore::global(); }

ConstId freezeNone(PyObject *) { return store().none(); }
ConstId freezeBool(PyObject *object) { return store().ofBool(object == Py_True); }
ConstId freezeFloat(PyObject *object) { return store().ofFloat(PyFloat_AS_DOUBLE(object)); }
ConstId freezeComplex(PyObject *object) {
  Py_complex value = PyComplex_AsCComplex(object);
  return store().intern({std::complex<double>(value.real, value.imag), types().complex128, true});
}
ConstId freezeString(PyObject *object) { return store().ofString(textOf(object)); }
ConstId freezeBytes(PyObject *object) {
  std::string data(PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object)));
  return store().intern({Bytes{std::move(data)}, types().bytes, false});
}
ConstId freezeEllipsis(PyObject *) { return store().intern({Ellipsis{}, types().ellipsis, false}); }

/// A tuple of these constants; without a type where an item has none.
ConstId tupleOf(std::vector<ConstId> items, PyTypeObject *named_class) {
  std::vector<TypeId> item_types;
  bool weak = false, typed = true;
  for (ConstId item : items) {
    item_types.push_back(typeOfFrozen(item));
    typed = typed && item_types.back().valid();
    weak = weak || store().get(item).weak;
  }
  PyHandle handle;
  if (named_class) handle = HandleTable::global().add(reinterpret_cast<PyObject *>(named_class));
  TypeId type;
  if (typed && named_class)
    type = types().namedTuple(textOf(attribute(reinterpret_cast<PyObject *>(named_class), "__name__").get()),
                              namedTupleFields(named_class), item_types, handle.value);
  else if (typed)
    type = types().tuple(item_types);
  return store().intern({ConstTuple{std::move(items), handle}, type, weak});
}

std::vector<ConstId> freezeItems(PyObject *tuple) {
  std::vector<ConstId> items;
  items.reserve(static_cast<size_t>(PyTuple_GET_SIZE(tuple)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) items.push_back(freeze(PyTuple_GET_ITEM(tuple, i)));
  return items;
}
ConstId freezeTuple(PyObject *object) {
  Nesting nesting;
  return nesting.tooDeep() ? ConstId() : tupleOf(freezeItems(object), nullptr);
}

ConstId freezeSlice(PyObject *object) {
  auto *slice = reinterpret_cast<PySliceObject *>(object);
  ConstSlice parts{freeze(slice->start), freeze(slice->stop), freeze(slice->step)};
  TypeId type = slice->step == Py_None ? types().slice2 : types().slice3;
  return store().intern({parts, type, false});
}

ConstId freezeArray(PyObject *object) {
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  auto type = typeOfArray(array);
  if (!type) return {};
  const Type &t = typeOf(*type);
  ArrayRef ref;
  ref.handle = HandleTable::global().add(object);
  ref.type = types().array(t.args[0], t.ndim, t.layout, true, t.aligned);
  ref.data = reinterpret_cast<uint64_t>(PyArray_DATA(array));
  ref.shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  ref.strides.assign(PyArray_STRIDES(array), PyArray_STRIDES(array) + PyArray_NDIM(array));
  TypeId array_type = ref.type;
  return store().intern({std::move(ref), array_type, false});
}

using Handler = ConstId (*)(PyObject *);

/// Handlers by exact type: a subclass may have other semantics.
Handler exactHandler(PyTypeObject *type) {
  static const std::pair<PyTypeObject *, Handler> table[] = {
      {&PyLong_Type, freezeInt},          {&PyFloat_Type, freezeFloat},   {&PyUnicode_Type, freezeString},
      {&PyTuple_Type, freezeTuple},       {Py_TYPE(Py_None), freezeNone}, {&PyBool_Type, freezeBool},
      {&PyComplex_Type, freezeComplex},   {&PyBytes_Type, freezeBytes},   {&PySlice_Type, freezeSlice},
      {&PyEllipsis_Type, freezeEllipsis}, {&PyArray_Type, freezeArray}};
  for (const auto &[key, handler] : table) {
    if (key == type) return handler;
  }
  return nullptr;
}

} // namespace

std::string textOf(PyObject *object) {
  if (!object || !PyUnicode_Check(object)) return {};
  Py_ssize_t size = 0;
  if (const char *text = PyUnicode_AsUTF8AndSize(object, &size)) return {text, static_cast<size_t>(size)};
  PyErr_Clear();
  Ref bytes = Ref::steal(PyUnicode_AsEncodedString(object, "utf-8", "surrogatepass"));
  if (!bytes) {
    PyErr_Clear();
    return {};
  }
  return {PyBytes_AS_STRING(bytes.get()), static_cast<size_t>(PyBytes_GET_SIZE(bytes.get()))};
}

std::vector<std::string> namedTupleFields(PyTypeObject *type) {
  std::vector<std::string> fields;
  if (type == &PyTuple_Type || !PyType_IsSubtype(type, &PyTuple_Type)) return fields;
  Ref names = attribute(reinterpret_cast<PyObject *>(type), "_fields");
  if (!names || !PyTuple_Check(names.get())) return fields;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.get()); ++i)
    fields.push_back(textOf(PyTuple_GET_ITEM(names.get(), i)));
  return fields;
}

ConstId freezeInt(PyObject *object) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow == 0) return store().ofInt(value);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(object);
    if (!PyErr_Occurred()) return store().intern({static_cast<uint64_t>(large), types().uint64, true});
    PyErr_Clear();
  }
  Ref text = Ref::steal(PyObject_Str(object));
  if (!text) { // longer than sys.set_int_max_str_digits allows
    PyErr_Clear();
    text = Ref::steal(PyNumber_ToBase(object, 16));
  }
  if (!text) PyErr_Clear();
  return store().intern({BigInt{textOf(text.get())}, TypeId(), true});
}

ConstId freezeFrozenSet(PyObject *object) {
  std::vector<std::pair<std::string, ConstId>> items;
  Ref iterator = Ref::steal(PyObject_GetIter(object));
  while (iterator) {
    Ref item = Ref::steal(PyIter_Next(iterator.get()));
    if (!item) break;
    ConstId constant = freeze(item.get());
    items.emplace_back(toString(constant), constant);
  }
  PyErr_Clear();
  std::sort(items.begin(), items.end());
  std::vector<ConstId> sorted;
  for (auto &[text, constant] : items) sorted.push_back(constant);
  return tupleOf(std::move(sorted), nullptr);
}

ConstId freezeValue(PyObject *object) {
  if (Handler handler = exactHandler(Py_TYPE(object))) return handler(object);
  if (PyArray_CheckScalar(object)) {
    if (auto constant = freezeNumpyScalar(object)) return *constant;
    return {};
  }
  if (PyArray_Check(object)) return freezeArray(object);
  Nesting nesting;
  if (PyTuple_Check(object) && !nesting.tooDeep() && !namedTupleFields(Py_TYPE(object)).empty())
    return tupleOf(freezeItems(object), Py_TYPE(object));
  return {};
}

} // namespace naja::frontend
