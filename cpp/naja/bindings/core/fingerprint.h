// What the types of arguments look like to a dispatcher: a short list of words made without allocating. Equal lists
// mean equal naja types; the other way round one type may have several fingerprints (int and bool subclasses, 'l' and
// 'q').
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

#include <cstdint>
#include <vector>

namespace naja::bindings {

class Fingerprint {
public:
  static constexpr unsigned kCapacity = 96;
  uint64_t words[kCapacity];
  unsigned count = 0;
  bool failed = false;   // no type: nothing was cached for it, and nothing can be
  bool overflow = false; // too long to be cached
  // Objects whose addresses are in the words: whoever keeps the words keeps these too.
  std::vector<PyObject *> *pins = nullptr;

  void push(uint64_t word) {
    if (__builtin_expect(count < kCapacity, 1)) {
      words[count++] = word;
    } else {
      overflow = true;
    }
  }
  void pin(PyObject *object) {
    if (pins) { pins->push_back(object); }
  }
};

// Low bits of words; addresses of types have none set.
enum : uint64_t {
  kArrayTag = 1,   // | type number << 8 | dimensions << 16 | flags << 32 | byte order << 56
  kTupleTag = 2,   // | length << 8; the items follow
  kNamedTag = 3,   // | address of the class (aligned to 8); length; the items follow
  kObjectTag = 4,  // | address: identity (dispatchers, classes, dtypes)
  kTypeIdTag = 5,  // | TypeId << 8
  kOmittedTag = 6, // an omitted default, whose value belongs to the dispatcher
  kWideIntTag = 7, // an int from 2**63 to 2**64 - 1
};

/// For every argument but ints, floats and arrays.
void fingerprintOther(PyObject *value, Fingerprint &out);
/// Is a big int one of int64?
bool fitsInt64(PyObject *value);

inline void fingerprintArray(PyArrayObject *array, Fingerprint &out) {
  const auto *fields = reinterpret_cast<PyArrayObject_fields *>(array);
  const PyArray_Descr *descr = fields->descr;
  constexpr int kFlags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
  out.push(kArrayTag | static_cast<uint64_t>(static_cast<uint8_t>(descr->type_num)) << 8 |
           static_cast<uint64_t>(static_cast<uint16_t>(fields->nd)) << 16 |
           static_cast<uint64_t>(fields->flags & kFlags) << 32 |
           static_cast<uint64_t>(static_cast<uint8_t>(descr->byteorder)) << 56);
  if (__builtin_expect(descr->type_num >= NPY_OBJECT && descr->type_num != NPY_HALF, 0)) {
    out.push(reinterpret_cast<uint64_t>(descr)); // records, dates: the number does not say it all
    out.pin(reinterpret_cast<PyObject *>(fields->descr));
  }
}

inline void fingerprint(PyObject *value, Fingerprint &out) {
  PyTypeObject *type = Py_TYPE(value);
  if (type == &PyLong_Type) {
    int64_t ignored;
    if (__builtin_expect(smallInt(value, &ignored) || fitsInt64(value), 1)) {
      out.push(reinterpret_cast<uint64_t>(type));
    } else {
      out.push(kWideIntTag);
    }
  } else if (type == &PyFloat_Type) {
    out.push(reinterpret_cast<uint64_t>(type));
  } else if (type == &PyArray_Type) {
    fingerprintArray(reinterpret_cast<PyArrayObject *>(value), out);
  } else {
    fingerprintOther(value, out);
  }
}

} // namespace naja::bindings
