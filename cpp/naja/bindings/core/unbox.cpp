#include "naja/bindings/core/unbox.h"

#include "naja/bindings/core/specialisation.h"
#include "naja/types/layout.h"

#include <cstring>

namespace naja::bindings {
namespace {

template <class T> void store(uint64_t *frame, uint16_t slot, T value) {
  std::memcpy(frame + slot, &value, sizeof value);
}

bool tooLarge() {
  PyErr_SetString(PyExc_OverflowError, "int too large to convert");
  return false;
}

/// The value as an int object: ints and index types as they are, floats truncated, booleans 0 or 1.
Ref asPythonInt(PyObject *value) {
  if (PyLong_Check(value)) { return Ref::borrow(value); }
  if (PyArray_IsScalar(value, Bool)) { return Ref::steal(PyLong_FromLong(PyObject_IsTrue(value))); }
  return Ref::steal(PyIndex_Check(value) ? PyNumber_Index(value) : PyNumber_Long(value));
}

bool readSigned(PyObject *value, int64_t *out) {
  Ref number = asPythonInt(value);
  if (!number) { return false; }
  int overflow = 0;
  *out = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  return overflow != 0 ? tooLarge() : !(*out == -1 && PyErr_Occurred());
}

bool readUnsigned(PyObject *value, uint64_t *out) {
  Ref number = asPythonInt(value);
  if (!number) { return false; }
  *out = PyLong_AsUnsignedLongLong(number.get());
  if (*out == static_cast<uint64_t>(-1) && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) { return false; }
    PyErr_Clear();
    return tooLarge();
  }
  return true;
}

// ---- scalars

template <class T> bool unboxInteger(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  if constexpr (std::is_signed_v<T>) {
    int64_t wide;
    if (!(PyLong_CheckExact(value) && smallInt(value, &wide)) && !readSigned(value, &wide)) { return false; }
    if (static_cast<T>(wide) != wide) { return tooLarge(); }
    frame[step.slot] = static_cast<uint64_t>(wide);
  } else {
    uint64_t wide;
    if (!readUnsigned(value, &wide)) { return false; }
    if (static_cast<T>(wide) != wide) { return tooLarge(); }
    frame[step.slot] = wide;
  }
  return true;
}
bool unboxBool(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  if (value == Py_True || value == Py_False) {
    frame[step.slot] = static_cast<uint64_t>(value == Py_True);
    return true;
  }
  const int truth = PyObject_IsTrue(value);
  frame[step.slot] = static_cast<uint64_t>(truth > 0);
  return truth >= 0;
}
template <class T> bool unboxFloat(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) { return false; }
  store(frame, step.slot, static_cast<T>(number));
  return true;
}
template <class T> bool unboxComplex(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const Py_complex number = PyComplex_AsCComplex(value);
  if (number.real == -1.0 && PyErr_Occurred()) { return false; }
  store(frame, step.slots[0], static_cast<T>(number.real));
  store(frame, step.slots[1], static_cast<T>(number.imag));
  return true;
}

/// NumPy scalars hold their value right behind the object's head.
template <unsigned size> bool copyScalar(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  std::memcpy(frame + step.slot, reinterpret_cast<const char *>(value) + sizeof(PyObject), size);
  return true;
}
template <unsigned size> bool copyComplex(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const char *data = reinterpret_cast<const char *>(value) + sizeof(PyObject);
  std::memcpy(frame + step.slots[0], data, size);
  std::memcpy(frame + step.slots[1], data + size, size);
  return true;
}
static_assert(offsetof(PyDoubleScalarObject, obval) == sizeof(PyObject));
static_assert(offsetof(PyByteScalarObject, obval) == sizeof(PyObject));
static_assert(offsetof(PyCFloatScalarObject, obval) == sizeof(PyObject));

/// Does this NumPy scalar hold exactly the machine value of the type?
bool holdsExactly(PyObject *value, const Type &type) {
  if (!PyArray_CheckScalar(value) || !PyArray_IsScalar(value, Generic)) { return false; }
  Ref descr = Ref::steal(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(value)));
  if (!descr) {
    PyErr_Clear();
    return false;
  }
  const auto *d = reinterpret_cast<PyArray_Descr *>(descr.get());
  if (static_cast<unsigned>(PyDataType_ELSIZE(d)) * 8 != (type.kind == TypeKind::Bool ? 8U : type.bits)) {
    return false;
  }
  switch (type.kind) {
  case TypeKind::Bool: return d->kind == 'b';
  case TypeKind::Int: return d->kind == (type.is_signed ? 'i' : 'u');
  case TypeKind::Float: return d->kind == 'f';
  case TypeKind::Complex: return d->kind == 'c';
  default: return false;
  }
}

UnboxFunction copyFunction(const Type &type) {
  if (type.kind == TypeKind::Complex) { return type.bits == 64 ? copyComplex<4> : copyComplex<8>; }
  switch (type.kind == TypeKind::Bool ? 8 : type.bits) {
  case 8: return copyScalar<1>;
  case 16: return copyScalar<2>;
  case 32: return copyScalar<4>;
  default: return copyScalar<8>;
  }
}

// ---- optionals, tuples

bool unboxAbsent(const UnboxStep &step, PyObject *, uint64_t *frame) {
  for (size_t i = 0, n = scalarsOf(step.type).size(); i < n; ++i) { frame[step.slots[i]] = 0; }
  return true;
}
bool unboxPresent(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  frame[step.slot] = 1;
  return unboxArgument(step.children[0], value, frame);
}
bool unboxTuple(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  Py_ssize_t index = 0;
  for (const UnboxStep &item : step.children) {
    if (!unboxArgument(item, PyTuple_GET_ITEM(value, index++), frame)) { return false; }
  }
  return true;
}

// ---- memory

bool unboxArray(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const auto *array = reinterpret_cast<PyArrayObject_fields *>(value);
  const uint16_t *slot = step.slots;
  frame[*slot++] = reinterpret_cast<uint64_t>(value) + 1;
  frame[*slot++] = reinterpret_cast<uint64_t>(array->data);
  for (unsigned i = 0; i < step.ndim; ++i) { frame[*slot++] = static_cast<uint64_t>(array->dimensions[i]); }
  if (step.strided) {
    for (unsigned i = 0; i < step.ndim; ++i) { frame[*slot++] = static_cast<uint64_t>(array->strides[i]); }
  }
  return true;
}
bool unboxRecord(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  frame[step.slots[0]] = reinterpret_cast<uint64_t>(value) + 1;
  frame[step.slots[1]] = reinterpret_cast<uint64_t>(reinterpret_cast<PyVoidScalarObject *>(value)->obval);
  return true;
}
bool unboxString(const UnboxStep &step, PyObject *value, uint64_t *frame) {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(value) < 0) { return false; }
#endif
  frame[step.slots[kStringData]] = reinterpret_cast<uint64_t>(PyUnicode_DATA(value));
  frame[step.slots[kStringLength]] = static_cast<uint64_t>(PyUnicode_GET_LENGTH(value));
  frame[step.slots[kStringKind]] = static_cast<uint64_t>(PyUnicode_KIND(value));
  frame[step.slots[kStringIsAscii]] = static_cast<uint64_t>(PyUnicode_IS_ASCII(value));
  frame[step.slots[kStringHash]] =
      static_cast<uint64_t>(reinterpret_cast<PyASCIIObject *>(value)->hash); // -1: not known
  frame[step.slots[kStringOwner]] = reinterpret_cast<uint64_t>(value) + 1;
  return true;
}
bool unboxBytes(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  frame[step.slots[0]] = reinterpret_cast<uint64_t>(PyBytes_AS_STRING(value));
  frame[step.slots[1]] = static_cast<uint64_t>(PyBytes_GET_SIZE(value));
  frame[step.slots[2]] = reinterpret_cast<uint64_t>(value) + 1;
  return true;
}
bool unboxPointer(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  void *pointer = value == Py_None ? nullptr : PyLong_AsVoidPtr(value);
  frame[step.slot] = reinterpret_cast<uint64_t>(pointer);
  return pointer != nullptr || !PyErr_Occurred();
}
bool unboxObject(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  frame[step.slot] = reinterpret_cast<uint64_t>(value);
  return true;
}

// ---- slices, ranges

bool unboxSlicePart(PyObject *part, uint64_t absent, unsigned bit, uint64_t *out, uint64_t *present) {
  *out = absent;
  if (part == Py_None) { return true; }
  *present |= uint64_t{1} << bit;
  int64_t value = 0;
  if (!readSigned(part, &value)) { return false; }
  *out = static_cast<uint64_t>(value);
  return true;
}
bool unboxSlice(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const auto *slice = reinterpret_cast<PySliceObject *>(value);
  uint64_t present = 0;
  if (!unboxSlicePart(slice->start, 0, 0, frame + step.slots[0], &present) ||
      !unboxSlicePart(slice->stop, 0, 1, frame + step.slots[1], &present) ||
      !unboxSlicePart(slice->step, 1, 2, frame + step.slots[2], &present)) {
    return false;
  }
  frame[step.slots[3]] = present;
  return true;
}
bool unboxRange(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const char *const names[] = {"start", "stop", "step"};
  for (unsigned i = 0; i < 3; ++i) {
    Ref part = Ref::steal(PyObject_GetAttrString(value, names[i]));
    int64_t number = 0;
    if (!part || !readSigned(part.get(), &number)) { return false; }
    frame[step.slots[i]] = static_cast<uint64_t>(number);
  }
  return true;
}

// ---- how each kind is unboxed

bool set(UnboxStep &step, UnboxFunction function) {
  step.unbox = function;
  return true;
}
UnboxFunction integerFunction(const Type &type) {
  switch (type.bits) {
  case 8: return type.is_signed ? unboxInteger<int8_t> : unboxInteger<uint8_t>;
  case 16: return type.is_signed ? unboxInteger<int16_t> : unboxInteger<uint16_t>;
  case 32: return type.is_signed ? unboxInteger<int32_t> : unboxInteger<uint32_t>;
  default: return type.is_signed ? unboxInteger<int64_t> : unboxInteger<uint64_t>;
  }
}

bool prepareScalar(UnboxStep &step, const Type &type, PyObject *value) {
  if (holdsExactly(value, type)) { return set(step, copyFunction(type)); }
  switch (type.kind) {
  case TypeKind::Bool: return set(step, unboxBool);
  case TypeKind::Int:
    if (type.bits == 64 && type.is_signed && PyLong_CheckExact(value)) { step.kind = UnboxStep::Int64; }
    return set(step, integerFunction(type));
  case TypeKind::Float:
    if (type.bits == 16) { break; } // float16 is storage: only NumPy's own scalar has one
    if (type.bits == 64 && PyFloat_CheckExact(value)) { step.kind = UnboxStep::Float64; }
    return set(step, type.bits == 32 ? unboxFloat<float> : unboxFloat<double>);
  default: return set(step, type.bits == 64 ? unboxComplex<float> : unboxComplex<double>);
  }
  PyErr_Format(PyExc_TypeError, "cannot convert %s to float16", Py_TYPE(value)->tp_name);
  return false;
}

bool prepareOptional(UnboxStep &step, const Type &type, PyObject *value) {
  if (value == Py_None) { return set(step, unboxAbsent); }
  step.children.resize(1);
  step.unbox = unboxPresent;
  return prepareUnbox(step.children[0], type.args[0], value, step.slots + 1);
}

bool prepareTuple(UnboxStep &step, const Type &type, PyObject *value) {
  if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != static_cast<Py_ssize_t>(type.args.size())) {
    PyErr_Format(PyExc_TypeError, "expected a tuple of %zu items", type.args.size());
    return false;
  }
  step.unbox = unboxTuple;
  step.children.resize(type.args.size());
  const uint16_t *slots = step.slots;
  for (size_t i = 0; i < type.args.size(); ++i) {
    if (!prepareUnbox(step.children[i], type.args[i], PyTuple_GET_ITEM(value, static_cast<Py_ssize_t>(i)), slots)) {
      return false;
    }
    slots += scalarsOf(type.args[i]).size();
  }
  return true;
}

bool prepareArray(UnboxStep &step, const Type &type, PyObject *value) {
  if (!PyArray_Check(value)) {
    PyErr_Format(PyExc_TypeError, "expected an array, got %s", Py_TYPE(value)->tp_name);
    return false;
  }
  step.unbox = unboxArray;
  step.ndim = type.ndim;
  step.strided = type.layout == Layout::A;
  const unsigned count = 2U + type.ndim;
  if (!step.strided && step.slots[count - 1] == step.slots[0] + count - 1) { step.kind = UnboxStep::ContiguousArray; }
  return true;
}

bool prepareRecord(UnboxStep &step, const Type &, PyObject *value) {
  if (PyArray_IsScalar(value, Void)) { return set(step, unboxRecord); }
  PyErr_Format(PyExc_TypeError, "expected a record, got %s", Py_TYPE(value)->tp_name);
  return false;
}
bool prepareNothing(UnboxStep &step, const Type &, PyObject *) {
  step.kind = UnboxStep::Nothing;
  return true;
}
template <UnboxFunction function> bool plain(UnboxStep &step, const Type &, PyObject *) { return set(step, function); }

struct Row {
  TypeKind kind;
  bool (*prepare)(UnboxStep &, const Type &, PyObject *);
};
constexpr Row kRows[] = {
    {TypeKind::None, prepareNothing},
    {TypeKind::Bool, prepareScalar},
    {TypeKind::Int, prepareScalar},
    {TypeKind::Float, prepareScalar},
    {TypeKind::Complex, prepareScalar},
    {TypeKind::Optional, prepareOptional},
    {TypeKind::Tuple, prepareTuple},
    {TypeKind::Array, prepareArray},
    {TypeKind::Slice, plain<unboxSlice>},
    {TypeKind::Ellipsis, prepareNothing},
    {TypeKind::String, plain<unboxString>},
    {TypeKind::Bytes, plain<unboxBytes>},
    {TypeKind::Range, plain<unboxRange>},
    {TypeKind::Record, prepareRecord},
    {TypeKind::Function, prepareNothing},
    {TypeKind::Builtin, prepareNothing},
    {TypeKind::Module, prepareNothing},
    {TypeKind::NumberClass, prepareNothing},
    {TypeKind::DType, prepareNothing},
    {TypeKind::TypeRef, prepareNothing},
    {TypeKind::NamedTupleClass, prepareNothing},
    {TypeKind::ExceptionClass, prepareNothing},
    {TypeKind::Omitted, prepareNothing},
    {TypeKind::Literal, prepareNothing},
    {TypeKind::Pointer, plain<unboxPointer>},
    {TypeKind::Object, plain<unboxObject>},
};

} // namespace

bool unboxInt64(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  return unboxInteger<int64_t>(step, value, frame);
}
bool unboxFloat64(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  return unboxFloat<double>(step, value, frame);
}

void makeDefaultStep(UnboxStep &step, UnboxStep inner, PyObject *default_value) {
  step.unbox = [](const UnboxStep &self, PyObject *, uint64_t *frame) {
    return unboxArgument(self.children[0], self.fixed, frame);
  };
  step.fixed = default_value;
  step.children.push_back(std::move(inner));
}

bool prepareUnbox(UnboxStep &step, TypeId target, PyObject *value, const uint16_t *slots) {
  step.type = target;
  step.slots = slots;
  step.slot = scalarsOf(target).empty() ? 0 : slots[0];
  const Type &type = typeOf(target);
  for (const Row &row : kRows) {
    if (row.kind == type.kind) { return row.prepare(step, type, value); }
  }
  PyErr_Format(PyExc_TypeError, "cannot pass an argument of type %s", toString(target).c_str());
  return false;
}

} // namespace naja::bindings
