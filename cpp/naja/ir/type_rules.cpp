#include "naja/ir/type_rules.h"

#include <array>

namespace naja::ir {
namespace {

/// What a rule sees.
struct View {
  const Function &f;
  const Inst &inst;
  const Module *module;

  size_t count() const { return inst.operands.size(); }
  TypeId id(size_t i) const { return f.typeOf(inst.operands[i]); }
  const Type &operand(size_t i) const { return naja::typeOf(id(i)); }
  const Type &result() const { return naja::typeOf(inst.type); }
};

using Rule = std::string (*)(const View &);

std::string ok() { return {}; }
std::string complain(bool good, const char *text) { return good ? std::string() : std::string(text); }

bool isIndex(const View &v, size_t i) { return v.id(i) == types().int64; }

std::string anyTypes(const View &) { return ok(); }

std::string sameIntegers(const View &v) {
  const Type &t = v.result();
  if (t.kind != TypeKind::Int)
    return "result must be an integer";
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != v.inst.type)
      return "operands must have the result's type";
  }
  return ok();
}
std::string sameIntegersOrBool(const View &v) {
  if (v.inst.type != types().boolean)
    return sameIntegers(v);
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != types().boolean)
      return "operands must have the result's type";
  }
  return ok();
}
std::string sameOfKind(const View &v, TypeKind kind, const char *text) {
  if (v.result().kind != kind)
    return text;
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != v.inst.type)
      return "operands must have the result's type";
  }
  return ok();
}
std::string sameFloats(const View &v) { return sameOfKind(v, TypeKind::Float, "result must be a float"); }
std::string sameComplex(const View &v) { return sameOfKind(v, TypeKind::Complex, "result must be complex"); }

std::string icmp(const View &v) {
  if (v.inst.type != types().boolean)
    return "result must be bool";
  TypeKind kind = v.operand(0).kind;
  bool good = v.id(0) == v.id(1) && (kind == TypeKind::Int || kind == TypeKind::Bool || kind == TypeKind::Pointer);
  return complain(good, "operands must have one integer, bool or pointer type");
}
std::string fcmp(const View &v) {
  if (v.inst.type != types().boolean)
    return "result must be bool";
  return complain(v.id(0) == v.id(1) && v.operand(0).kind == TypeKind::Float, "operands must have one float type");
}
TypeId componentOf(const Type &complex_type) { return types().floating(complex_type.bits / 2U); }
std::string complexMake(const View &v) {
  if (v.result().kind != TypeKind::Complex)
    return "result must be complex";
  TypeId part = componentOf(v.result());
  return complain(v.id(0) == part && v.id(1) == part, "operands must be the result's components");
}
std::string complexPart(const View &v) {
  if (v.operand(0).kind != TypeKind::Complex)
    return "operand must be complex";
  return complain(v.inst.type == componentOf(v.operand(0)), "result must be the operand's component type");
}

struct MathInfo { unsigned arity; bool real, complex; };
constexpr std::array kMathInfo = {
#define NAJA_MATH(Enum, text, arity, real, complex) MathInfo{arity, real != 0, complex != 0},
#include "naja/ir/math_functions.def"
};

std::string math(const View &v) {
  const MathInfo &m = kMathInfo[static_cast<size_t>(v.inst.mathFn())];
  if (v.count() != m.arity)
    return "needs " + std::to_string(m.arity) + " operands";
  MathFn fn = v.inst.mathFn();
  const Type &first = v.operand(0);
  if (!(first.kind == TypeKind::Float && m.real) && !(first.kind == TypeKind::Complex && m.complex))
    return "operand type does not suit the function";
  if (fn == MathFn::IsNan || fn == MathFn::IsInf || fn == MathFn::IsFinite || fn == MathFn::SignBit)
    return complain(v.inst.type == types().boolean, "result must be bool");
  if (fn == MathFn::Abs || fn == MathFn::Phase)
    return complain(v.inst.type == componentOf(first), "result must be the operand's component type");
  if (fn == MathFn::PowInt && v.id(1) != types().int64)
    return "second operand must be int64";
  if (fn == MathFn::Ldexp && v.id(1) != types().int32)
    return "second operand must be int32";
  bool mixed = fn == MathFn::PowInt || fn == MathFn::Ldexp;
  for (size_t i = 0; i < (mixed ? 1 : v.count()); ++i) {
    if (v.id(i) != v.inst.type)
      return "operands must have the result's type";
  }
  return ok();
}

std::string bitcast(const View &v) {
  unsigned from = itemSize(v.id(0)), to = itemSize(v.inst.type);
  return complain(from == to && from != 0, "types must be of one size");
}
std::string select(const View &v) {
  if (v.id(0) != types().boolean)
    return "condition must be bool";
  return complain(v.id(1) == v.inst.type && v.id(2) == v.inst.type, "both values must have the result's type");
}
std::string checkNonZero(const View &v) { return complain(v.operand(0).isScalar(), "operand must be a scalar"); }
std::string checkTrue(const View &v) {
  return complain(v.count() > 0 && v.id(0) == types().boolean, "operand 0 must be bool");
}
std::string checkBound(const View &v) {
  const Type &t = v.operand(0);
  if (t.kind != TypeKind::MaybeUnbound)
    return "operand must be MaybeUnbound";
  return complain(t.args.empty() || t.args[0] == v.inst.type, "result must be the payload's type");
}

/// Types whose values are those of their args in order: tuples, and what is made of such items.
bool isAggregate(const Type &t) {
  switch (t.kind) {
  case TypeKind::Tuple: case TypeKind::Range: case TypeKind::Iterator: case TypeKind::Closure: case TypeKind::BoundMethod:
  case TypeKind::ExceptionInstance: return true;
  default: return false;
  }
}

std::string tupleMake(const View &v) {
  const Type &t = v.result();
  if (!isAggregate(t) || t.args.size() != v.count())
    return "result must be a tuple of as many items as operands";
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != t.args[i])
      return "operand " + std::to_string(i) + " must have the item's type";
  }
  return ok();
}
std::string tupleGet(const View &v) {
  const Type &t = v.operand(0);
  if (!isAggregate(t) || v.inst.attr < 0 || static_cast<size_t>(v.inst.attr) >= t.args.size())
    return "operand must be a tuple that has the item";
  return complain(t.args[static_cast<size_t>(v.inst.attr)] == v.inst.type, "result must have the item's type");
}
std::string tupleGetDynamic(const View &v) {
  const Type &t = v.operand(0);
  if (t.kind != TypeKind::Tuple || t.args.empty() || !isIndex(v, 1))
    return "operands must be a tuple and an int64";
  for (TypeId item : t.args) {
    if (item != v.inst.type)
      return "all items must have the result's type";
  }
  return ok();
}
std::string optionalHas(const View &v) {
  TypeKind kind = v.operand(0).kind;
  bool good = (kind == TypeKind::Optional || kind == TypeKind::MaybeUnbound) && v.inst.type == types().boolean;
  return complain(good, "operand must be an optional, result bool");
}
std::string optionalValue(const View &v) {
  const Type &t = v.operand(0);
  bool good = (t.kind == TypeKind::Optional || t.kind == TypeKind::MaybeUnbound) && !t.args.empty() &&
              t.args[0] == v.inst.type;
  return complain(good, "operand must be an optional of the result's type");
}
std::string allIndices(const View &v, size_t from) {
  for (size_t i = from; i < v.count(); ++i) {
    if (!isIndex(v, i))
      return "operand " + std::to_string(i) + " must be int64";
  }
  return ok();
}
std::string sliceIndices(const View &v) {
  if (v.inst.type != types().uniTuple(types().int64, 3))
    return "result must be UniTuple(int64 x 3)";
  return allIndices(v, 0);
}
std::string sliceMake(const View &v) {
  return v.result().kind == TypeKind::Slice ? allIndices(v, 0) : "result must be a slice";
}
std::string slicePart(const View &v) {
  bool good = v.operand(0).kind == TypeKind::Slice && v.inst.type == types().optional(types().int64);
  return complain(good, "operand must be a slice, result OptionalType(int64)");
}
std::string strings(const View &v) {
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != types().unicode)
      return "operands must be strings";
  }
  TypeId wanted = v.inst.op == Opcode::StringEq ? types().boolean : types().int64;
  return complain(v.inst.type == wanted, "result must be bool (eq) or int64 (len)");
}
std::string box(const View &v) { return complain(v.inst.type == types().pyobject, "result must be pyobject"); }

std::string arrayAlloc(const View &v) {
  const Type &t = v.result();
  if (t.kind != TypeKind::Array || t.layout == Layout::A || t.ndim != v.count())
    return "result must be an array C or F with an extent per axis";
  return allIndices(v, 0);
}
bool isArray(const View &v, size_t i) { return v.count() > i && v.operand(i).kind == TypeKind::Array; }
std::string arrayPart(const View &v) {
  if (!isArray(v, 0))
    return "operand must be an array";
  if (v.inst.op == Opcode::ArrayData)
    return complain(v.result().kind == TypeKind::Pointer, "result must be a pointer");
  if (v.inst.type != types().int64)
    return "result must be int64";
  bool has_axis = v.inst.op == Opcode::ArrayDim || v.inst.op == Opcode::ArrayStride;
  return complain(!has_axis || (v.inst.attr >= 0 && v.inst.attr < v.operand(0).ndim), "axis out of range");
}
std::string arrayAccess(const View &v) {
  if (!isArray(v, 0))
    return "operand 0 must be an array";
  const Type &array = v.operand(0);
  bool store = v.inst.op == Opcode::ArrayStore;
  if (v.count() != 1U + array.ndim + (store ? 1U : 0U))
    return "needs one index per axis";
  for (size_t i = 1; i <= array.ndim; ++i) {
    if (!isIndex(v, i))
      return "operand " + std::to_string(i) + " must be int64";
  }
  bool nested = naja::typeOf(array.args[0]).kind == TypeKind::NestedArray;
  if (store)
    return complain(nested || v.id(v.count() - 1) == array.args[0], "the value must have the element's type");
  if (v.inst.op == Opcode::ArrayItemPtr)
    return complain(v.result().kind == TypeKind::Pointer, "result must be a pointer");
  return complain(nested || v.inst.type == array.args[0], "result must have the element's type");
}
std::string arrayView(const View &v) {
  if (!isArray(v, 0) || v.result().kind != TypeKind::Array)
    return "operand 0 and result must be arrays";
  size_t operands = 1, axes = 0, result_axes = 0;
  for (int64_t code : v.inst.int_list) {
    operands += code == kViewIndex ? 1U : code == kViewSlice ? 3U : 0U;
    axes += code == kViewNewAxis ? 0U : 1U;
    result_axes += code == kViewIndex ? 0U : 1U;
  }
  if (operands != v.count() || axes != v.operand(0).ndim || result_axes != v.result().ndim)
    return "items do not match the operands, the array's or the result's axes";
  return allIndices(v, 1);
}
std::string arrayRestride(const View &v) {
  TypeKind kind = v.count() > 0 ? v.operand(0).kind : TypeKind::None;
  bool has_memory = kind == TypeKind::Array || kind == TypeKind::Record || kind == TypeKind::NestedArray;
  if (!has_memory || v.result().kind != TypeKind::Array)
    return "operand 0 must be an array or a record, the result an array";
  size_t wanted = 2U + (v.result().layout == Layout::A ? 2U * v.result().ndim : v.result().ndim);
  if (v.count() != wanted)
    return "needs an offset, extents and (layout A) strides";
  return allIndices(v, 1);
}
std::string indices(const View &v) {
  if (v.inst.op == Opcode::WrapIndex && v.inst.type != types().int64)
    return "result must be int64";
  return allIndices(v, 0);
}

/// Kernel operands: elements of arrays, scalars as they are.
std::string kernelOperands(const View &v, size_t from, size_t to) {
  if (v.module == nullptr)
    return ok();
  if (v.inst.function().value >= v.module->functions.size())
    return "the kernel does not exist";
  const Function &kernel = v.module->get(v.inst.function());
  if (!kernel.is_kernel)
    return "the function is not a kernel";
  if (to < from || kernel.param_types.size() != to - from)
    return "the kernel takes " + std::to_string(kernel.param_types.size()) + " operands";
  for (size_t i = from; i < to; ++i) {
    const Type &t = v.operand(i);
    TypeId wanted = kernel.param_types[i - from];
    TypeId item = t.kind == TypeKind::Array ? t.args[0] : v.id(i);
    if (item != wanted && v.id(i) != wanted) // handed over whole where the kernel takes an array
      return "operand " + std::to_string(i) + " must have the kernel's parameter type";
  }
  return ok();
}
std::string arrayMap(const View &v) {
  if (v.result().kind != TypeKind::Array)
    return "result must be an array";
  std::string error = kernelOperands(v, 0, v.count());
  if (error.empty() && v.module != nullptr && v.module->get(v.inst.function()).return_type != v.result().args[0])
    return "the kernel must return the result's element type";
  return error;
}
std::string arrayMapInto(const View &v) {
  if (!isArray(v, 0))
    return "operand 0 must be an array";
  std::string error = kernelOperands(v, 1, v.count());
  if (error.empty() && v.module != nullptr && v.module->get(v.inst.function()).return_type != v.operand(0).args[0])
    return "the kernel must return the target's element type";
  return error;
}
std::string arrayReduce(const View &v) {
  if (v.count() < 2 || v.inst.int_list.empty())
    return "needs operands, an initial value and a kind";
  if (v.id(v.count() - 1) != v.inst.type)
    return "the initial value must have the result's type";
  return kernelOperands(v, 0, v.count() - 1);
}
std::string broadcastDim(const View &v) {
  return v.inst.type == types().int64 ? allIndices(v, 0) : "result must be int64";
}

std::string pointerFirst(const View &v) {
  return complain(v.count() > 0 && v.operand(0).kind == TypeKind::Pointer, "operand 0 must be a pointer");
}
std::string ptrAdd(const View &v) {
  if (v.result().kind != TypeKind::Pointer || !isIndex(v, 1))
    return "operands must be a pointer and an int64, the result a pointer";
  return pointerFirst(v);
}
std::string ptrToInt(const View &v) {
  return v.result().kind == TypeKind::Int ? pointerFirst(v) : "result must be an integer";
}
std::string ptrFromInt(const View &v) {
  bool good = v.operand(0).kind == TypeKind::Int && v.result().kind == TypeKind::Pointer;
  return complain(good, "operand must be an integer, result a pointer");
}
std::string arrayFromPtr(const View &v) {
  if (v.result().kind != TypeKind::Array || v.count() != 1U + v.result().ndim)
    return "result must be an array with an extent per axis";
  std::string error = pointerFirst(v);
  return error.empty() ? allIndices(v, 1) : error;
}
std::string record(const View &v) {
  TypeKind kind = v.operand(0).kind;
  return complain(kind == TypeKind::Record || kind == TypeKind::Pointer, "operand 0 must be a record or pointer");
}

std::string call(const View &v) {
  if (v.module == nullptr)
    return ok();
  if (v.inst.function().value >= v.module->functions.size())
    return "the callee does not exist";
  const Function &callee = v.module->get(v.inst.function());
  if (callee.param_types.size() != v.count())
    return "the callee takes " + std::to_string(callee.param_types.size()) + " arguments";
  for (size_t i = 0; i < v.count(); ++i) {
    if (v.id(i) != callee.param_types[i])
      return "argument " + std::to_string(i) + " must have the callee's parameter type";
  }
  return complain(callee.return_type == v.inst.type, "result must have the callee's return type");
}
std::string parallelFor(const View &v) {
  if (v.count() < 2 || !isIndex(v, 0) || !isIndex(v, 1))
    return "needs a number of iterations and of chunks";
  if (v.module == nullptr)
    return ok();
  if (v.inst.function().value >= v.module->functions.size())
    return "the body does not exist";
  const Function &body = v.module->get(v.inst.function());
  if (body.param_types.size() != v.count() + 1 || body.return_type != types().none)
    return "the body takes begin, end, chunk and the captured values, and returns nothing";
  for (size_t i = 2; i < v.count(); ++i) {
    if (v.id(i) != body.param_types[i + 1])
      return "captured value " + std::to_string(i - 2) + " must have the parameter's type";
  }
  return ok();
}
std::string condBr(const View &v) { return complain(v.id(0) == types().boolean, "condition must be bool"); }
std::string ret(const View &v) {
  return complain(v.id(0) == v.f.return_type, "operand must have the function's return type");
}

std::array<Rule, 256> makeRules() {
  std::array<Rule, 256> rules{};
  rules.fill(anyTypes);
  auto set = [&](std::initializer_list<Opcode> ops, Rule rule) {
    for (Opcode op : ops)
      rules[static_cast<size_t>(op)] = rule;
  };
  using enum Opcode;
  set({IAdd, ISub, IMul, IFloorDiv, IMod, INeg, IAbs, IShl, IShr, IMin, IMax}, sameIntegers);
  set({IAnd, IOr, IXor, INot}, sameIntegersOrBool);
  set({FAdd, FSub, FMul, FDiv, FFloorDiv, FMod, FNeg, FAbs}, sameFloats);
  set({CAdd, CSub, CMul, CDiv, CNeg}, sameComplex);
  set({ICmp}, icmp);
  set({FCmp}, fcmp);
  set({CMake}, complexMake);
  set({CReal, CImag}, complexPart);
  set({Math}, math);
  set({Bitcast}, bitcast);
  set({Select}, select);
  set({CheckNonZero}, checkNonZero);
  set({CheckTrue}, checkTrue);
  set({CheckBound}, checkBound);
  set({TupleMake}, tupleMake);
  set({TupleGet}, tupleGet);
  set({TupleGetDynamic}, tupleGetDynamic);
  set({OptionalHas}, optionalHas);
  set({OptionalValue}, optionalValue);
  set({SliceIndices}, sliceIndices);
  set({SliceMake}, sliceMake);
  set({SlicePart}, slicePart);
  set({StringEq, StringLen}, strings);
  set({Box}, box);
  set({ArrayAlloc}, arrayAlloc);
  set({ArrayData, ArrayDim, ArrayStride, ArraySize}, arrayPart);
  set({ArrayLoad, ArrayStore, ArrayItemPtr}, arrayAccess);
  set({ArrayView}, arrayView);
  set({ArrayRestride}, arrayRestride);
  set({WrapIndex, CheckIndex}, indices);
  set({ArrayMap}, arrayMap);
  set({ArrayMapInto}, arrayMapInto);
  set({ArrayReduce}, arrayReduce);
  set({ArrayBroadcastDim}, broadcastDim);
  set({PtrLoad, PtrStore}, pointerFirst);
  set({PtrAdd}, ptrAdd);
  set({PtrToInt}, ptrToInt);
  set({PtrFromInt}, ptrFromInt);
  set({ArrayFromPtr}, arrayFromPtr);
  set({RecordField, RecordLoad, RecordStore}, record);
  set({Call}, call);
  set({ParallelFor}, parallelFor);
  set({CondBr}, condBr);
  set({Return}, ret);
  return rules;
}

} // namespace

std::string checkTypes(const Function &function, const Inst &inst, const Module *module) {
  static const std::array<Rule, 256> rules = makeRules();
  return rules[static_cast<size_t>(inst.op)](View{function, inst, module});
}

} // namespace naja::ir
