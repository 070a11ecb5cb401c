// `_core.Specialisation`: compiled code of one function for one list of argument types, with what a call needs to know:
// which register or stack slot each scalar goes to, and how to make a Python object of the result.
#pragma once

#include "naja/bindings/core/box.h"
#include "naja/bindings/core/python.h"
#include "naja/types/type.h"

#include <span>
#include <vector>

namespace naja::bindings {

// A call frame is an array of 8-byte slots: float registers, integer registers after the first (which holds `ret`),
// then the stack. A run of integers that spills from the registers to an empty stack is therefore contiguous.
constexpr unsigned kFloatRegisters = 8;
#if defined(__aarch64__)
constexpr unsigned kIntRegisters = 7;
#else
constexpr unsigned kIntRegisters = 5;
#endif
constexpr unsigned kFirstInt = kFloatRegisters;
constexpr unsigned kFirstStack = kFloatRegisters + kIntRegisters;

struct Specialisation {
  PyObject_HEAD void *entry;
  PyObject *owner; // keeps the code mapped
  TypeId result;
  uint32_t flags;
  uint32_t stack_slots;
  uint32_t result_size;
  BoxStep *box;
  std::vector<TypeId> args;
  std::vector<uint16_t> slots;      // of all scalars in order
  std::vector<uint32_t> first_slot; // index into `slots` of each argument, and the end
};

PyTypeObject *specialisationType();
bool isSpecialisation(PyObject *object);
bool initSpecialisationType(PyObject *module);
/// New reference, or null with an error set.
Specialisation *newSpecialisation(void *entry, std::span<const TypeId> args, TypeId result, PyObject *owner,
                                  uint32_t flags);

/// Enters compiled code: slots as above, `stack_slots` of them beyond the registers.
extern "C" int32_t naja_core_trampoline(void *entry, void *ret, const uint64_t *frame, uint64_t stack_slots);

} // namespace naja::bindings
