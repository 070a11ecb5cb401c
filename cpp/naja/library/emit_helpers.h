// What rule writers share: what is known of operands, the result types of scalar operations, and the code of scalar
// operations. Nothing here keeps state; the emit functions append to the emitter's builder and own nothing. Constants
// among the operands are folded into the conversions, so that no redundant cast or check is emitted.
#pragma once

#include "naja/library/rule.h"

#include <optional>
#include <span>
#include <string_view>

namespace naja::library {

// ---- what is known of operands

inline TypeKind kindOf(TypeId type) { return typeOf(type).kind; }
inline bool isBool(TypeId t) { return kindOf(t) == TypeKind::Bool; }
inline bool isInt(TypeId t) { return kindOf(t) == TypeKind::Int; }
inline bool isFloat(TypeId t) { return kindOf(t) == TypeKind::Float; }
inline bool isComplex(TypeId t) { return kindOf(t) == TypeKind::Complex; }
inline bool isSigned(TypeId t) { return isInt(t) && typeOf(t).is_signed; }
inline bool isUnsigned(TypeId t) { return isInt(t) && !typeOf(t).is_signed; }
inline bool isReal(TypeId t) { return typeOf(t).isReal(); }
/// bool, an integer, a float or a complex number.
inline bool isScalar(TypeId t) { return typeOf(t).isScalar(); }
inline bool isNone(TypeId t) { return kindOf(t) == TypeKind::None; }
inline bool isOptional(TypeId t) { return kindOf(t) == TypeKind::Optional; }
inline bool isTuple(TypeId t) { return kindOf(t) == TypeKind::Tuple; }
/// A tuple whose items have one type (and that has items).
bool isUniTuple(TypeId t);

/// The constant of a value known at compile time, or null.
const Constant *constantOf(const AbstractValue &value);
/// The same, also of values whose type says which object they are (functions, classes, modules).
const Constant *identityOf(const AbstractValue &value);
/// The builtin that a value is ("builtins.int"), or an empty text.
std::string_view builtinName(const AbstractValue &value);
/// The items of a tuple, with their constants where they are known.
std::vector<AbstractValue> itemsOf(const AbstractValue &tuple);
/// The tuple of these items: a constant where all are known, else made by `emit`, and what is known of items kept.
Resolution tupleResolution(TypeId type, std::span<const AbstractValue> items, bool weak, EmitFn emit);
/// A bool or int constant that int64 holds.
std::optional<int64_t> constantInt(const AbstractValue &value);
/// A bool, int or float constant as a double.
std::optional<double> constantFloat(const AbstractValue &value);
std::optional<bool> constantBool(const AbstractValue &value);
/// A str constant (also of a Literal[str] argument).
std::optional<std::string_view> constantString(const AbstractValue &value);
/// The number class, dtype, typeref or string that names a type ("float32", "f4", np.float32, float, dtype('f4'));
/// empty: the operand names none.
std::optional<TypeId> denotedType(const AbstractValue &value);

/// The scalar constant converted to `to` as the `cast` instruction would; empty: no scalar constant.
std::optional<ConstId> convertConstant(const AbstractValue &value, TypeId to, bool weak);
/// Values known by their type alone: the constants of a scalar class, a dtype object.
Resolution classResolution(TypeId type);
Resolution dtypeResolution(TypeId type);
Resolution stringResolution(std::string_view text);
Resolution noneResolution();

// ---- result types

/// Result of a binary operator on scalars: Numba's promotion, weak literals adapting to float32, complex64 and uint64.
/// Invalid: there is no such operation on these types.
TypeId binaryResultType(ir::BinaryOp op, const AbstractValue &a, const AbstractValue &b);
/// The same on target cuda, from that result: operands of 32 bits or less keep 32 bits, float32 stays float32; a weak
/// literal takes the other operand's type.
TypeId narrowResultType(ir::BinaryOp op, const AbstractValue &a, const AbstractValue &b, TypeId wide);
/// Invalid: no such operation. `not` is no row here: see emitTruth.
TypeId unaryResultType(ir::UnaryOp op, TypeId a);
/// The type + - * compute in (int64, uint64, float32 ...), before the rules that single operators have.
TypeId arithmeticType(const AbstractValue &a, const AbstractValue &b);
/// The type of `operand` where a weak literal adapts to a strong neighbour (float32 * 0.5, uint64 ^ 5).
TypeId adaptedType(const AbstractValue &operand, const AbstractValue &neighbour);
/// The common type of values of which one is chosen (min, max, conditional): unification with weak literals adapted.
std::optional<TypeId> commonType(std::span<const AbstractValue> values);
/// Type in which a math function computes for this operand: float32 and complex stay, ints and bools become float64.
TypeId mathType(TypeId operand);
/// Result of a math function that computes in `type`: bool for predicates, float for abs and phase of complex.
TypeId mathResultType(ir::MathFn fn, TypeId type);
/// float of a complex type; the type itself otherwise.
TypeId realPart(TypeId type);
/// complex64 for float32 and complex64, complex128 otherwise.
TypeId complexFor(TypeId type);

// ---- code

/// What a zero divisor does: as the function's error_model says, always ZeroDivisionError, or never an exception
/// (ints give 0, floats IEEE results: NumPy's ufuncs). Checked: the divisor is known not to be zero.
enum class ZeroDivision { ByErrorModel, Raise, Ieee, Checked };

/// The type of a value in the function being emitted.
inline TypeId valueType(Emitter &e, ir::ValueId value) { return e.builder().function().typeOf(value); }
/// The constant that a value of typed NIR is, where its definition is a `const`; null otherwise.
const Constant *definedConstant(Emitter &e, ir::ValueId value);
std::optional<int64_t> definedInt(Emitter &e, ir::ValueId value);

/// Materialises a constant as `type`.
ir::ValueId emitConstant(Emitter &e, ConstId constant, TypeId type);
/// The operand's value: `value`, or where that is none its constant, materialised in its own type.
ir::ValueId emitOperand(Emitter &e, const AbstractValue &operand, ir::ValueId value);
/// Scalar conversion (int(x), implicit promotion): folds constants. Other types go to Emitter::convert.
ir::ValueId emitConvert(Emitter &e, ir::ValueId value, TypeId to);

/// a op b in `result` (of binaryResultType); operands of any scalar type are converted.
ir::ValueId emitBinary(Emitter &e, ir::BinaryOp op, ir::ValueId a, ir::ValueId b, TypeId result,
                       ZeroDivision zero = ZeroDivision::ByErrorModel);
/// Comparison of two scalars, exact for mixed signs and for ints against floats. Complex: Eq and Ne only.
ir::ValueId emitCompare(Emitter &e, ir::Predicate p, ir::ValueId a, ir::ValueId b);
ir::ValueId emitUnary(Emitter &e, ir::UnaryOp op, ir::ValueId a, TypeId result);
/// A math function on operands converted to `type` (see mathType); second operands of powi and ldexp stay integers.
ir::ValueId emitMath(Emitter &e, ir::MathFn fn, TypeId type, std::initializer_list<ir::ValueId> operands);
/// bool(x) of a scalar.
ir::ValueId emitTruth(Emitter &e, ir::ValueId a);
ir::ValueId emitNot(Emitter &e, ir::ValueId condition);
/// abs(x): ints stay ints, complex gives a float.
ir::ValueId emitAbs(Emitter &e, ir::ValueId a);
/// Python's min / max of two values already of one real type: b < a ? b : a (min), b > a ? b : a (max).
ir::ValueId emitMinMax(Emitter &e, bool is_max, ir::ValueId a, ir::ValueId b);
/// base ** exponent for a constant exponent by multiplication; `type` is the type of base. exponent >= 0.
ir::ValueId emitPowerChain(Emitter &e, ir::ValueId base, uint64_t exponent, TypeId type);

/// True where a zero divisor raises under this mode.
bool zeroRaises(Emitter &e, ZeroDivision zero);
/// ZeroDivisionError with this text where a number is zero; nothing for a nonzero constant.
void emitNonZeroCheck(Emitter &e, ir::ValueId divisor, std::string_view message);
/// a ** b of complex numbers of `type`, as CPython: whole exponents up to 100 multiply, others go by way of polar form.
/// May add blocks.
ir::ValueId emitComplexPower(Emitter &e, ir::ValueId a, ir::ValueId b, TypeId type, ZeroDivision zero);
/// Raises a builtin exception with this text unless the condition holds. Emits nothing for a constant true.
void emitCheck(Emitter &e, ir::ValueId condition, std::string_view exception, std::string_view message);
/// The constant of a builtin exception class ("ValueError").
ConstId builtinException(std::string_view name);
/// Item of a tuple (iterator, range): the operand itself where the tuple was just made.
ir::ValueId emitTupleGet(Emitter &e, ir::ValueId tuple, unsigned index);
ir::ValueId emitTupleMake(Emitter &e, TypeId type, std::span<const ir::ValueId> items);
/// Optional(T) to T, TypeError "expected T, got None" where it is None.
ir::ValueId emitUnwrap(Emitter &e, ir::ValueId optional);

} // namespace naja::library
