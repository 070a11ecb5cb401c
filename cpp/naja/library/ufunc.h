// NumPy's ufuncs as rows of data: how the loop type follows from the operands, and the code of one element. The rows are
// in ufuncs_*.cpp by family; calls, operators and np.* functions all resolve through here.
#pragma once

#include "naja/library/elementwise.h"

namespace naja::library {

struct Ufunc;
/// The type in which the row computes; invalid: it has no loop for these operands.
using LoopRule = TypeId (*)(std::span<const AbstractValue> elements);
using ResultRule = TypeId (*)(TypeId loop);
/// Code of one element; the arguments are in the loop type, or as they are where the row is `raw`.
using ElementFn = ValueId (*)(Emitter &e, const Ufunc &row, TypeId loop, std::span<const ValueId> args);

struct Ufunc {
  std::string_view name;
  unsigned inputs;
  LoopRule loop;
  ResultRule result;
  ElementFn element;
  int64_t param = 0; // BinaryOp, MathFn, Predicate ... of the element function
  bool raw = false;
};

const Ufunc *findUfunc(std::string_view name);
/// The operation on these operands; an Error resolution is left in `error` where there is none.
std::optional<Elementwise> ufuncOperation(const Ufunc &row, std::span<const AbstractValue> operands,
                                          std::span<const size_t> positions, Resolution &error);
Resolution resolveUfunc(const Ufunc &row, std::span<const AbstractValue> operands);
/// A call np.name(inputs..., out=None, dtype=None).
Resolution resolveUfuncCall(std::string_view name, const Query &query);

// ---- loop rules
TypeId commonLoop(std::span<const AbstractValue> elements);      // any common dtype
TypeId noBoolLoop(std::span<const AbstractValue> elements);      // bool has no loop
TypeId boolAsInt8Loop(std::span<const AbstractValue> elements);  // bool computes in int8; no complex
TypeId powerLoop(std::span<const AbstractValue> elements);       // bool computes in int8
TypeId divideLoop(std::span<const AbstractValue> elements);      // integers divide in float64
TypeId floatLoop(std::span<const AbstractValue> elements);       // real floats
TypeId inexactLoop(std::span<const AbstractValue> elements);     // floats and complex numbers
TypeId bitLoop(std::span<const AbstractValue> elements);         // bool and integers
TypeId integerLoop(std::span<const AbstractValue> elements);     // integers; bool computes in int8
TypeId realLoop(std::span<const AbstractValue> elements);        // anything but complex
TypeId anyLoop(std::span<const AbstractValue> elements);         // raw rows: the common dtype, or float64
// ---- result rules
TypeId sameResult(TypeId loop);
TypeId boolResult(TypeId loop);
TypeId realResult(TypeId loop);

std::span<const Ufunc> arithmeticUfuncs();
std::span<const Ufunc> logicUfuncs();
std::span<const Ufunc> mathUfuncs();

} // namespace naja::library
