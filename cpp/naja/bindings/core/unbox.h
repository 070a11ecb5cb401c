// Python objects -> scalars in the slots of a call frame. A step is made for the target type and a sample argument: of
// one fingerprint all arguments look alike, so that the usual step is a load and a store.
#pragma once

#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

#include <cstdint>
#include <vector>

namespace naja::bindings {

struct UnboxStep;
/// False with an error set.
using UnboxFunction = bool (*)(const UnboxStep &step, PyObject *value, uint64_t *frame);

struct UnboxStep {
  // The ones that are inlined into the call; the others go through the function.
  enum Kind : uint8_t { Int64, Float64, ContiguousArray, Nothing, Other };
  Kind kind = Other;
  bool strided = false;
  uint16_t slot = 0; // of the first scalar
  uint16_t ndim = 0;
  UnboxFunction unbox = nullptr;
  TypeId type;
  const uint16_t *slots = nullptr; // of all scalars
  PyObject *fixed = nullptr;       // value of an omitted argument (borrowed from the dispatcher)
  std::vector<UnboxStep> children;
};

/// `value`: a sample (null: an omitted default of type Omitted). False with an error set.
bool prepareUnbox(UnboxStep &step, TypeId target, PyObject *value, const uint16_t *slots);

/// Wraps a step for a parameter that was omitted: it unboxes the default instead of an argument.
void makeDefaultStep(UnboxStep &step, UnboxStep inner, PyObject *default_value);

bool unboxInt64(const UnboxStep &step, PyObject *value, uint64_t *frame);
bool unboxFloat64(const UnboxStep &step, PyObject *value, uint64_t *frame);

inline void unboxContiguousArray(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  const auto *array = reinterpret_cast<PyArrayObject_fields *>(value);
  uint64_t *out = frame + step.slot;
  out[0] = reinterpret_cast<uint64_t>(value) + 1; // tagged: the caller keeps it alive
  out[1] = reinterpret_cast<uint64_t>(array->data);
  for (unsigned i = 0; i < step.ndim; ++i) { out[2 + i] = static_cast<uint64_t>(array->dimensions[i]); }
}

inline bool unboxArgument(const UnboxStep &step, PyObject *value, uint64_t *frame) {
  switch (step.kind) {
  case UnboxStep::Int64: {
    int64_t small;
    if (__builtin_expect(Py_TYPE(value) == &PyLong_Type && smallInt(value, &small), 1)) {
      frame[step.slot] = static_cast<uint64_t>(small);
      return true;
    }
    return unboxInt64(step, value, frame);
  }
  case UnboxStep::Float64:
    if (__builtin_expect(Py_TYPE(value) == &PyFloat_Type, 1)) {
      *reinterpret_cast<double *>(frame + step.slot) = PyFloat_AS_DOUBLE(value);
      return true;
    }
    return unboxFloat64(step, value, frame);
  case UnboxStep::ContiguousArray: unboxContiguousArray(step, value, frame); return true;
  case UnboxStep::Nothing: return true;
  default: return step.unbox(step, value, frame);
  }
}

} // namespace naja::bindings
