#include "naja/bindings/core/box.h"

#include "naja/bindings/core/arrays.h"
#include "naja/bindings/core/objects.h"
#include "naja/runtime/abi.h"
#include "naja/types/layout.h"

#include <cstring>
#include <memory>
#include <unordered_map>

namespace naja::bindings {
namespace {

template <class T> T load(const char *data, uint32_t offset) {
  T value;
  std::memcpy(&value, data + offset, sizeof value);
  return value;
}
template <class T> T scalar(const BoxStep &step, const char *data, unsigned index = 0) {
  return load<T>(data, step.offsets[index]);
}

void dropReference(void *reference, bool is_object) {
  if (is_object) {
    Py_XDECREF(static_cast<PyObject *>(reference));
  } else {
    naja_rt_decref(reference);
  }
}
void release(const BoxStep &step, const char *data) {
  for (ReferenceSlot slot : referencesOf(step.type)) {
    dropReference(scalar<void *>(step, data, slot.scalar), slot.is_object);
  }
}

PyObject *boxNone(const BoxStep &, const char *) { Py_RETURN_NONE; }
PyObject *boxBool(const BoxStep &step, const char *data) {
  return PyBool_FromLong(static_cast<long>(scalar<uint8_t>(step, data) & 1U));
}
template <class T> PyObject *boxSigned(const BoxStep &step, const char *data) {
  return PyLong_FromLongLong(scalar<T>(step, data));
}
template <class T> PyObject *boxUnsigned(const BoxStep &step, const char *data) {
  return PyLong_FromUnsignedLongLong(scalar<T>(step, data));
}
template <class T> PyObject *boxFloat(const BoxStep &step, const char *data) {
  return PyFloat_FromDouble(static_cast<double>(scalar<T>(step, data)));
}
template <class T> PyObject *boxComplex(const BoxStep &step, const char *data) {
  return PyComplex_FromDoubles(static_cast<double>(scalar<T>(step, data, 0)),
                               static_cast<double>(scalar<T>(step, data, 1)));
}
PyObject *boxConstant(const BoxStep &step, const char *) { return Py_NewRef(step.object); }

PyObject *boxOptional(const BoxStep &step, const char *data) {
  if ((scalar<uint8_t>(step, data) & 1U) == 0) { Py_RETURN_NONE; } // owners of an absent value are null
  const BoxStep &value = step.children[0];
  return value.box(value, data);
}

/// Items into a fresh tuple; after a failure the remaining ones are only released.
bool fillItems(const BoxStep &step, const char *data, PyObject *tuple) {
  bool ok = true;
  Py_ssize_t index = 0;
  for (const BoxStep &item : step.children) {
    if (ok) {
      PyObject *object = item.box(item, data);
      ok = object != nullptr;
      if (ok) { PyTuple_SET_ITEM(tuple, index, object); }
    } else {
      release(item, data);
    }
    ++index;
  }
  return ok;
}

PyObject *boxTuple(const BoxStep &step, const char *data) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(step.children.size()));
  if (tuple == nullptr || fillItems(step, data, tuple)) { return tuple; }
  Py_DECREF(tuple);
  return nullptr;
}

/// A namedtuple class is a tuple without state of its own: allocated like one, its items are set in place.
PyObject *boxNamedTuple(const BoxStep &step, const char *data) {
  auto *cls = reinterpret_cast<PyTypeObject *>(step.object);
  PyObject *tuple = cls->tp_alloc(cls, static_cast<Py_ssize_t>(step.children.size()));
  if (tuple == nullptr || fillItems(step, data, tuple)) { return tuple; }
  Py_DECREF(tuple);
  return nullptr;
}

PyObject *partOfSlice(const BoxStep &step, const char *data, unsigned index) {
  const auto present = scalar<uint8_t>(step, data, 3);
  if ((present >> index & 1U) == 0) { Py_RETURN_NONE; }
  return PyLong_FromLongLong(scalar<int64_t>(step, data, index));
}
PyObject *boxSlice(const BoxStep &step, const char *data) {
  Ref start = Ref::steal(partOfSlice(step, data, 0)), stop = Ref::steal(partOfSlice(step, data, 1)),
      by = Ref::steal(partOfSlice(step, data, 2));
  return start && stop && by ? PySlice_New(start.get(), stop.get(), by.get()) : nullptr;
}

PyObject *boxRange(const BoxStep &step, const char *data) {
  auto part = [&](unsigned index) -> int64_t {
    return scalarsOf(step.type)[index] == Machine::I32 ? scalar<int32_t>(step, data, index)
                                                       : scalar<int64_t>(step, data, index);
  };
  return PyObject_CallFunction(reinterpret_cast<PyObject *>(&PyRange_Type), "LLL", static_cast<long long>(part(0)),
                               static_cast<long long>(part(1)), static_cast<long long>(part(2)));
}

PyObject *boxString(const BoxStep &step, const char *data) {
  auto *owner = scalar<char *>(step, data, kStringOwner);
  const void *text = scalar<void *>(step, data, kStringData);
  const auto length = scalar<int64_t>(step, data, kStringLength);
  if ((reinterpret_cast<uintptr_t>(owner) & 1) != 0) {
    auto *object = reinterpret_cast<PyObject *>(owner - 1);
    if (PyUnicode_Check(object) && PyUnicode_DATA(object) == text && PyUnicode_GET_LENGTH(object) == length) {
      return Py_NewRef(object);
    }
  }
  PyObject *result = PyUnicode_FromKindAndData(scalar<int32_t>(step, data, kStringKind), text, length);
  naja_rt_decref(owner);
  return result;
}

PyObject *boxBytes(const BoxStep &step, const char *data) {
  auto *owner = scalar<char *>(step, data, 2);
  PyObject *result = PyBytes_FromStringAndSize(scalar<const char *>(step, data, 0), scalar<int64_t>(step, data, 1));
  naja_rt_decref(owner);
  return result;
}

PyObject *boxPointer(const BoxStep &step, const char *data) { return PyLong_FromVoidPtr(scalar<void *>(step, data)); }
PyObject *boxObject(const BoxStep &step, const char *data) { return scalar<PyObject *>(step, data); }

PyObject *boxArray(const BoxStep &step, const char *data) {
  npy_intp geometry[2 * NPY_MAXDIMS];
  const unsigned count = step.ndim * (step.strided ? 2 : 1);
  for (unsigned i = 0; i < count; ++i) { geometry[i] = scalar<int64_t>(step, data, kArrayDims + i); }
  if (!step.strided) {
    contiguousStrides(geometry, geometry + step.ndim, step.ndim, PyDataType_ELSIZE(arrayDescr(step)),
                      typeOf(step.type).layout == Layout::F);
  }
  return makeArray(step, scalar<void *>(step, data, kArrayOwner), scalar<void *>(step, data, kArrayData), geometry,
                   geometry + step.ndim);
}

/// A record is a NumPy void scalar: a view of its memory, as indexing a structured array gives.
PyObject *boxRecord(const BoxStep &step, const char *data) {
  Ref array =
      Ref::steal(makeArray(step, scalar<void *>(step, data, 0), scalar<void *>(step, data, 1), nullptr, nullptr));
  if (!array) { return nullptr; }
  Ref index = Ref::steal(PyTuple_New(0));
  return index ? PyObject_GetItem(array.get(), index.get()) : nullptr;
}

// ---- how each kind is boxed

bool prepareChildren(BoxStep &step, const Type &type, uint32_t first);
bool prepare(BoxStep &step, TypeId id, const uint32_t *offsets);

bool setFunction(BoxStep &step, BoxFunction function) {
  step.box = function;
  return true;
}
bool prepareInt(BoxStep &step, const Type &type) {
  switch (type.bits) {
  case 8: return setFunction(step, type.is_signed ? boxSigned<int8_t> : boxUnsigned<uint8_t>);
  case 16: return setFunction(step, type.is_signed ? boxSigned<int16_t> : boxUnsigned<uint16_t>);
  case 32: return setFunction(step, type.is_signed ? boxSigned<int32_t> : boxUnsigned<uint32_t>);
  default: return setFunction(step, type.is_signed ? boxSigned<int64_t> : boxUnsigned<uint64_t>);
  }
}
PyObject *boxHalf(const BoxStep &step, const char *data) {
  const auto bits = scalar<uint16_t>(step, data);
  // IEEE binary16 -> binary64 by scaling: exact for normal and subnormal numbers.
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const unsigned exponent = bits >> 10U & 31U, fraction = bits & 1023U;
  if (exponent == 31) { return PyFloat_FromDouble(fraction != 0 ? Py_NAN : sign * Py_HUGE_VAL); }
  const double magnitude = exponent == 0 ? __builtin_ldexp(fraction, -24)
                                         : __builtin_ldexp(1024.0 + fraction, static_cast<int>(exponent) - 25);
  return PyFloat_FromDouble(sign * magnitude);
}
bool prepareFloat(BoxStep &step, const Type &type) {
  return setFunction(step, type.bits == 16 ? boxHalf : type.bits == 32 ? boxFloat<float> : boxFloat<double>);
}
bool prepareComplex(BoxStep &step, const Type &type) {
  return setFunction(step, type.bits == 64 ? boxComplex<float> : boxComplex<double>);
}
bool prepareOptional(BoxStep &step, const Type &type) {
  step.box = boxOptional;
  return prepareChildren(step, type, 1);
}
bool prepareTuple(BoxStep &step, const Type &type) {
  step.box = boxTuple;
  if (type.isNamedTuple()) {
    step.box = boxNamedTuple;
    step.object = objectOfHandle(type.handle);
    if (step.object == nullptr) { return false; }
  }
  return prepareChildren(step, type, 0);
}
bool prepareArray(BoxStep &step, const Type &type) {
  step.box = boxArray;
  step.ndim = type.ndim;
  step.strided = type.layout == Layout::A;
  step.writeable = !type.readonly;
  step.object = reinterpret_cast<PyObject *>(descrOf(type.args[0]));
  if (step.object != nullptr && type.ndim > NPY_MAXDIMS) {
    PyErr_Format(PyExc_ValueError, "arrays of %u dimensions are more than NumPy has", static_cast<unsigned>(type.ndim));
    return false;
  }
  return step.object != nullptr;
}
bool prepareRecord(BoxStep &step, const Type &) {
  step.box = boxRecord;
  step.object = reinterpret_cast<PyObject *>(descrOf(step.type));
  return step.object != nullptr;
}
bool prepareConstant(BoxStep &step, const Type &) {
  step.box = boxConstant;
  step.object = objectOfType(step.type);
  return step.object != nullptr;
}
bool prepareEllipsis(BoxStep &step, const Type &) {
  step.box = boxConstant;
  step.object = Py_Ellipsis;
  return true;
}

struct Row {
  TypeKind kind;
  bool (*prepare)(BoxStep &, const Type &);
};
template <BoxFunction function> bool plain(BoxStep &step, const Type &) { return setFunction(step, function); }

constexpr Row kRows[] = {
    {TypeKind::None, plain<boxNone>},
    {TypeKind::Bool, plain<boxBool>},
    {TypeKind::Int, prepareInt},
    {TypeKind::Float, prepareFloat},
    {TypeKind::Complex, prepareComplex},
    {TypeKind::Optional, prepareOptional},
    {TypeKind::Tuple, prepareTuple},
    {TypeKind::Array, prepareArray},
    {TypeKind::Slice, plain<boxSlice>},
    {TypeKind::Ellipsis, prepareEllipsis},
    {TypeKind::String, plain<boxString>},
    {TypeKind::Bytes, plain<boxBytes>},
    {TypeKind::Range, plain<boxRange>},
    {TypeKind::Record, prepareRecord},
    {TypeKind::NestedArray, prepareRecord},
    {TypeKind::Pointer, plain<boxPointer>},
    {TypeKind::Object, plain<boxObject>},
    {TypeKind::Function, prepareConstant},
    {TypeKind::Builtin, prepareConstant},
    {TypeKind::Module, prepareConstant},
    {TypeKind::NumberClass, prepareConstant},
    {TypeKind::DType, prepareConstant},
    {TypeKind::TypeRef, prepareConstant},
    {TypeKind::NamedTupleClass, prepareConstant},
    {TypeKind::ExceptionClass, prepareConstant},
    {TypeKind::Omitted, prepareConstant},
    {TypeKind::Literal, prepareConstant},
};

bool prepareChildren(BoxStep &step, const Type &type, uint32_t first) {
  step.children.resize(type.args.size());
  uint32_t scalar_index = first;
  for (size_t i = 0; i < type.args.size(); ++i) {
    if (!prepare(step.children[i], type.args[i], step.offsets + scalar_index)) { return false; }
    scalar_index += static_cast<uint32_t>(scalarsOf(type.args[i]).size());
  }
  return true;
}

bool prepare(BoxStep &step, TypeId id, const uint32_t *offsets) {
  step.type = id;
  step.offsets = offsets;
  const Type &type = typeOf(id);
  for (const Row &row : kRows) {
    if (row.kind == type.kind) { return row.prepare(step, type); }
  }
  PyErr_Format(PyExc_TypeError, "cannot convert native %s to Python object", toString(id).c_str());
  return false;
}

} // namespace

BoxStep *boxStepOf(TypeId type) {
  static auto *const steps = new std::unordered_map<uint32_t, std::unique_ptr<BoxStep>>;
  std::unique_ptr<BoxStep> &slot = (*steps)[type.value];
  if (!slot) {
    auto step = std::make_unique<BoxStep>();
    if (!prepare(*step, type, structLayoutOf(type).offsets.data())) { return nullptr; }
    slot = std::move(step);
  }
  return slot.get();
}

PyObject *boxValue(TypeId type, const void *data) {
  const BoxStep *step = boxStepOf(type);
  return step ? step->box(*step, static_cast<const char *>(data)) : nullptr;
}

namespace {
template <class Each> void forReferences(TypeId type, const void *data, Each each) {
  const StructLayout &layout = structLayoutOf(type);
  for (ReferenceSlot slot : referencesOf(type)) {
    each(load<void *>(static_cast<const char *>(data), layout.offsets[slot.scalar]), slot.is_object);
  }
}
} // namespace

PyObject *boxBorrowed(TypeId type, const void *data) {
  forReferences(type, data, [](void *reference, bool is_object) {
    if (is_object) {
      Py_XINCREF(static_cast<PyObject *>(reference));
    } else {
      naja_rt_incref(reference);
    }
  });
  return boxValue(type, data);
}

void releaseValue(TypeId type, const void *data) { forReferences(type, data, dropReference); }

} // namespace naja::bindings
