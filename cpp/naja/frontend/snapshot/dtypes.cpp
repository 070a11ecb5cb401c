#include "naja/frontend/snapshot/dtypes.h"

#include <array>
#include <complex>
#include <cstring>
#include <limits>

namespace naja::frontend {
namespace {

std::optional<TypeId> scalarType(char kind, npy_intp size) {
  TypeStore &t = types();
  const auto bits = static_cast<unsigned>(size * 8);
  switch (kind) {
  case 'b': return t.boolean;
  case 'i':
  case 'u': return t.integer(bits, kind == 'i');
  case 'f':
    if (size > 8) return std::nullopt; // longdouble
    return t.floating(bits);
  case 'c':
    if (size > 16) return std::nullopt;
    return t.complexOf(bits);
  default: return std::nullopt;
  }
}

std::optional<TypeId> subarrayType(PyArray_ArrayDescr *subarray) {
  auto item = typeOfDescr(subarray->base);
  if (!item) return std::nullopt;
  Type type;
  type.kind = TypeKind::NestedArray;
  type.args.push_back(*item);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(subarray->shape); ++i)
    type.offsets.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(subarray->shape, i)));
  return types().intern(std::move(type));
}

std::optional<TypeId> recordType(PyArray_Descr *descr) {
  PyObject *names = PyDataType_NAMES(descr), *fields = PyDataType_FIELDS(descr);
  const npy_intp size = PyDataType_ELSIZE(descr);
  if (!names || !fields || size > std::numeric_limits<uint16_t>::max()) return std::nullopt;
  Type type;
  type.kind = TypeKind::Record;
  type.bits = static_cast<uint16_t>(size);
  type.aligned = PyDataType_FLAGCHK(descr, NPY_ALIGNED_STRUCT);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject *name = PyTuple_GET_ITEM(names, i);
    PyObject *entry = PyDict_GetItem(fields, name); // (descr, offset[, title])
    if (!entry || !PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) < 2) return std::nullopt;
    auto field = typeOfDescr(reinterpret_cast<PyArray_Descr *>(PyTuple_GET_ITEM(entry, 0)));
    if (!field) return std::nullopt;
    type.fields.push_back(textOf(name));
    type.args.push_back(*field);
    type.offsets.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(entry, 1)));
  }
  return types().intern(std::move(type));
}

/// Memory of a scalar as its C type.
template <class T> T load(const void *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

int64_t loadSigned(const void *data, unsigned bits) {
  switch (bits) {
  case 8: return load<int8_t>(data);
  case 16: return load<int16_t>(data);
  case 32: return load<int32_t>(data);
  default: return load<int64_t>(data);
  }
}
uint64_t loadUnsigned(const void *data, unsigned bits) {
  switch (bits) {
  case 8: return load<uint8_t>(data);
  case 16: return load<uint16_t>(data);
  case 32: return load<uint32_t>(data);
  default: return load<uint64_t>(data);
  }
}

/// Exact: every float16 is a float.
double fromHalf(uint16_t half) {
  const bool negative = (half & 0x8000U) != 0;
  const unsigned exponent = (half >> 10U) & 31U, fraction = half & 1023U;
  double magnitude;
  if (exponent == 31)
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = fraction * 0x1p-24;
  else
    magnitude = (1024 + fraction) * 0x1p-25 * static_cast<double>(1ULL << exponent);
  return negative ? -magnitude : magnitude;
}

std::optional<ConstantValue> loadScalar(const Type &type, const void *data) {
  switch (type.kind) {
  case TypeKind::Bool: return ConstantValue(load<uint8_t>(data) != 0);
  case TypeKind::Int:
    // As in a literal: uint64 only where the value needs it, so that 3 is one int64 alternative for every type.
    if (type.is_signed) return ConstantValue(loadSigned(data, type.bits));
    if (uint64_t value = loadUnsigned(data, type.bits); value > static_cast<uint64_t>(INT64_MAX))
      return ConstantValue(value);
    else
      return ConstantValue(static_cast<int64_t>(value));
  case TypeKind::Float:
    if (type.bits == 16) return ConstantValue(fromHalf(load<uint16_t>(data)));
    return ConstantValue(type.bits == 32 ? double(load<float>(data)) : load<double>(data));
  case TypeKind::Complex:
    if (type.bits == 64) return ConstantValue(std::complex<double>(load<std::complex<float>>(data)));
    return ConstantValue(load<std::complex<double>>(data));
  default: return std::nullopt;
  }
}

} // namespace

std::optional<TypeId> typeOfDescr(PyArray_Descr *descr) {
  if (!PyArray_ISNBO(descr->byteorder)) return std::nullopt;
  if (PyDataType_HASSUBARRAY(descr)) return subarrayType(PyDataType_SUBARRAY(descr));
  if (descr->type_num == NPY_VOID) return recordType(descr);
  if (!PyTypeNum_ISBOOL(descr->type_num) && !PyTypeNum_ISNUMBER(descr->type_num)) return std::nullopt;
  return scalarType(descr->kind, PyDataType_ELSIZE(descr));
}

std::optional<TypeId> typeOfScalarClass(PyTypeObject *type) {
  // The concrete numeric classes; abstract ones (numpy.number) would be answered with a default by NumPy.
  static constexpr std::array kTypeNumbers = {NPY_BOOL,  NPY_BYTE,   NPY_UBYTE,  NPY_SHORT,    NPY_USHORT,    NPY_INT,
                                              NPY_UINT,  NPY_LONG,   NPY_ULONG,  NPY_LONGLONG, NPY_ULONGLONG, NPY_HALF,
                                              NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE};
  for (int number : kTypeNumbers) {
    Ref descr = Ref::steal(reinterpret_cast<PyObject *>(PyArray_DescrFromType(number)));
    auto *d = reinterpret_cast<PyArray_Descr *>(descr.get());
    if (d && d->typeobj == type) return typeOfDescr(d);
  }
  PyErr_Clear();
  return std::nullopt;
}

std::optional<TypeId> typeOfArray(PyArrayObject *array) {
  auto item = typeOfDescr(PyArray_DESCR(array));
  if (!item) return std::nullopt;
  // Numba's order: an array that is both (no or one dimension, or extents of one) is C.
  Layout layout = PyArray_IS_C_CONTIGUOUS(array) ? Layout::C : PyArray_IS_F_CONTIGUOUS(array) ? Layout::F : Layout::A;
  return types().array(*item, static_cast<unsigned>(PyArray_NDIM(array)), layout, !PyArray_ISWRITEABLE(array),
                       PyArray_ISALIGNED(array));
}

std::optional<ConstId> freezeNumpyScalar(PyObject *scalar) {
  Ref descr = Ref::steal(reinterpret_cast<PyObject *>(PyArray_DescrFromScalar(scalar)));
  if (!descr) {
    PyErr_Clear();
    return std::nullopt;
  }
  auto type = typeOfDescr(reinterpret_cast<PyArray_Descr *>(descr.get()));
  if (!type || !typeOf(*type).isScalar()) return std::nullopt;
  alignas(16) std::array<char, 16> memory{};
  PyArray_ScalarAsCtype(scalar, memory.data());
  auto value = loadScalar(typeOf(*type), memory.data());
  if (!value) return std::nullopt;
  return ConstantStore::global().intern({std::move(*value), *type, false});
}

} // namespace naja::frontend
