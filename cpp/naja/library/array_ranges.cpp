// np.arange, linspace, eye and identity: one loop each.
#include "naja/library/array_families.h"
#include "naja/library/elementwise.h"

#include <array>
#include <cmath>

namespace naja::library {
namespace {

using ir::BinaryOp;
using ir::Builder;
using ir::MathFn;
using ir::Opcode;
using ir::Predicate;

ConstId constantOfInt(int64_t value) { return ConstantStore::global().ofInt(value); }

// ---- arange

struct Range {
  AbstractValue start, stop, step; // absent: 0, -, 1
  int start_at = -1, stop_at = -1, step_at = -1;
};

ValueId rangePart(Emitter &e, const AbstractValue &part, int at, int64_t fallback, TypeId type,
                  std::span<const ValueId> values) {
  if (isNone(part))
    return emitConstant(e, constantOfInt(fallback), type);
  return operandAs(e, part, values[static_cast<size_t>(at)], type);
}

/// ceil((stop - start) / step), at least 0.
ValueId rangeLength(Emitter &e, ValueId start, ValueId stop, ValueId step, TypeId type) {
  Builder &b = e.builder();
  TypeId i64 = types().int64;
  if (!isFloat(type)) {
    ValueId zero = b.int64(0);
    if (std::optional<int64_t> known = definedInt(e, step); !known || *known == 0)
      b.emit(Opcode::CheckNonZero, {}, {step}, ir::internSymbol("division by zero").value);
    ValueId span = b.isub(stop, start);
    // ceil(a / b) == -((-a) // b)
    ValueId negated = b.emit(Opcode::INeg, i64, {span});
    ValueId count = b.emit(Opcode::INeg, i64, {b.emit(Opcode::IFloorDiv, i64, {negated, step})});
    return b.emit(Opcode::IMax, i64, {count, zero});
  }
  ValueId zero = b.floatConst(0.0, type);
  emitCheck(e, b.fcmp(Predicate::Ne, step, zero), "ZeroDivisionError", "division by zero");
  ValueId span = b.emit(Opcode::FSub, type, {stop, start});
  ValueId length = b.math(MathFn::Ceil, type, {b.emit(Opcode::FDiv, type, {span, step})});
  emitCheck(e, emitNot(e, b.math(MathFn::IsNan, types().boolean, {length})), "ValueError",
            "arange: cannot compute length");
  ValueId positive = b.fcmp(Predicate::Gt, length, zero);
  return b.cast(b.select(positive, length, zero), i64);
}

/// `compute`: int64 or float64, in which the length is found; the items are start + i * delta in the dtype, as NumPy.
ValueId emitArange(Emitter &e, const Range &range, TypeId compute, TypeId dtype, std::span<const ValueId> values) {
  Builder &b = e.builder();
  ValueId start = rangePart(e, range.start, range.start_at, 0, compute, values);
  ValueId stop = rangePart(e, range.stop, range.stop_at, 0, compute, values);
  ValueId step = rangePart(e, range.step, range.step_at, 1, compute, values);
  ValueId length = rangeLength(e, start, stop, step, compute);
  std::array<ValueId, 1> dims{length};
  ValueId array = allocate(b, arrayType(dtype, 1), dims);
  ValueId first = castScalar(e, start, dtype);
  ValueId second = castScalar(e, emitBinary(e, BinaryOp::Add, start, step, compute), dtype);
  ValueId delta = emitBinary(e, BinaryOp::Sub, second, first, dtype);
  emitLoop(e, length, [&](ValueId i) {
    ValueId offset = emitBinary(e, BinaryOp::Mul, emitConvert(e, i, dtype), delta, dtype);
    storeItem(b, array, std::array<ValueId, 1>{i}, emitBinary(e, BinaryOp::Add, first, offset, dtype));
  });
  return array;
}

Resolution arange(const Query &query) {
  BoundArguments bound = bindArguments("arange", "start=, stop=, step=, dtype=, *, device=, like=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  Range range{boundOperand(bound, 0, query), boundOperand(bound, 1, query), boundOperand(bound, 2, query),
              bound.operand[0], bound.operand[1], bound.operand[2]};
  if (isNone(range.stop)) { // arange(stop)
    range.stop = range.start;
    range.stop_at = range.start_at;
    range.start = {};
    range.start_at = -1;
  }
  if (isNone(range.stop))
    return Resolution::error("arange() requires stop to be specified.");
  std::vector<AbstractValue> given;
  for (const AbstractValue *part : {&range.start, &range.stop, &range.step}) {
    if (isNone(*part))
      continue;
    if (!isScalar(part->type) || isComplex(part->type))
      return Resolution::error("arange: the bounds must be real numbers, not " + toString(part->type));
    given.push_back({isBool(part->type) ? types().int64 : part->type, {}, false});
  }
  TypeId natural = commonDtype(given);
  TypeId compute = isFloat(natural) ? types().float64 : types().int64;
  TypeId dtype = natural;
  if (AbstractValue value = boundOperand(bound, 3, query); !isNone(value)) {
    std::optional<TypeId> asked = dtypeOperand(value);
    if (!asked || isBool(*asked))
      return Resolution::error("arange: the dtype must be a numeric dtype known while compiling");
    dtype = *asked;
  }
  return Resolution::resolved(arrayType(dtype, 1), [=](Emitter &e, std::span<const ValueId> values) {
    return emitArange(e, range, compute, dtype, values);
  });
}

// ---- linspace

struct Linspace {
  AbstractValue start, stop, num;
  int start_at, stop_at, num_at;
  bool endpoint;
  TypeId compute, dtype;
};

ValueId emitLinspace(Emitter &e, const Linspace &l, std::span<const ValueId> values) {
  Builder &b = e.builder();
  TypeId type = l.compute, i64 = types().int64;
  ValueId start = operandAs(e, l.start, values[static_cast<size_t>(l.start_at)], type);
  ValueId stop = operandAs(e, l.stop, values[static_cast<size_t>(l.stop_at)], type);
  ValueId count = isNone(l.num) ? b.int64(50) : operandAs(e, l.num, values[static_cast<size_t>(l.num_at)], i64);
  emitCheck(e, b.icmp(Predicate::Ge, count, b.int64(0)), "ValueError", "Number of samples must be non-negative.");
  ValueId intervals = l.endpoint ? b.isub(count, b.int64(1)) : count;
  ValueId divisor = b.emit(Opcode::IMax, i64, {intervals, b.int64(1)});
  ValueId delta = emitBinary(e, BinaryOp::Sub, stop, start, type);
  ValueId step = emitBinary(e, BinaryOp::TrueDiv, delta, emitConvert(e, divisor, type), type, ZeroDivision::Ieee);
  std::array<ValueId, 1> dims{count};
  ValueId array = allocate(b, arrayType(l.dtype, 1), dims);
  auto toItem = [&](ValueId value) {
    if (isInt(l.dtype) && isFloat(type)) // NumPy rounds towards minus infinity
      value = b.math(MathFn::Floor, type, {value});
    return castScalar(e, value, l.dtype);
  };
  emitLoop(e, count, [&](ValueId i) {
    ValueId offset = emitBinary(e, BinaryOp::Mul, emitConvert(e, i, type), step, type);
    ValueId value = emitBinary(e, BinaryOp::Add, offset, start, type);
    if (l.endpoint) { // the last one is exact
      ValueId is_last = b.emit(Opcode::IAnd, types().boolean,
                               {b.icmp(Predicate::Eq, i, intervals), b.icmp(Predicate::Gt, i, b.int64(0))});
      value = b.select(is_last, stop, value);
    }
    storeItem(b, array, std::array<ValueId, 1>{i}, toItem(value));
  });
  return array;
}

Resolution linspace(const Query &query) {
  BoundArguments bound = bindArguments("linspace", "start, stop, num=, endpoint=, retstep=, dtype=, axis=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  Linspace l{boundOperand(bound, 0, query), boundOperand(bound, 1, query), boundOperand(bound, 2, query),
             bound.operand[0], bound.operand[1], bound.operand[2], true, {}, {}};
  if (!isScalarOperand(l.start.type) || !isScalarOperand(l.stop.type))
    return Resolution::error("linspace: start and stop must be numbers");
  if (!isNone(l.num) && !isInt(l.num.type))
    return Resolution::error("linspace: num must be an int, not " + toString(l.num.type));
  AbstractValue endpoint = boundOperand(bound, 3, query);
  if (!isNone(endpoint)) {
    if (!boolConstant(endpoint))
      return Resolution::error("linspace: endpoint must be a constant");
    l.endpoint = *boolConstant(endpoint);
  }
  if (boolConstant(boundOperand(bound, 4, query)).value_or(false))
    return Resolution::error("linspace: retstep is not available in compiled code");
  bool complex = isComplex(l.start.type) || isComplex(l.stop.type);
  l.compute = l.dtype = complex ? types().complex128 : types().float64;
  if (AbstractValue value = boundOperand(bound, 5, query); !isNone(value)) {
    std::optional<TypeId> asked = dtypeOperand(value);
    if (!asked)
      return Resolution::error("linspace: the dtype must be known while compiling");
    l.dtype = *asked;
  }
  return Resolution::resolved(arrayType(l.dtype, 1), [l](Emitter &e, std::span<const ValueId> values) {
    return emitLinspace(e, l, values);
  });
}

// ---- eye, identity

struct Eye {
  AbstractValue rows, columns, diagonal; // absent columns: as rows; absent diagonal: 0
  int rows_at, columns_at, diagonal_at;
  TypeId type;
};

ValueId emitEye(Emitter &e, const Eye &eye, std::span<const ValueId> values) {
  Builder &b = e.builder();
  TypeId i64 = types().int64;
  ValueId rows = operandAs(e, eye.rows, values[static_cast<size_t>(eye.rows_at)], i64);
  ValueId columns = isNone(eye.columns) ? rows : operandAs(e, eye.columns, values[static_cast<size_t>(eye.columns_at)], i64);
  ValueId zero = b.int64(0);
  ValueId k = isNone(eye.diagonal) ? zero : operandAs(e, eye.diagonal, values[static_cast<size_t>(eye.diagonal_at)], i64);
  std::array<ValueId, 2> dims{rows, columns};
  ValueId array = allocate(b, eye.type, dims, true);
  ValueId first_column = b.emit(Opcode::IMax, i64, {k, zero});
  ValueId first_row = b.emit(Opcode::IMax, i64, {b.emit(Opcode::INeg, i64, {k}), zero});
  ValueId count = b.emit(Opcode::IMin, i64, {b.isub(rows, first_row), b.isub(columns, first_column)});
  ValueId one = emitConstant(e, constantOfInt(1), elementOf(eye.type));
  emitLoop(e, count, [&](ValueId i) {
    std::array<ValueId, 2> at{b.iadd(first_row, i, ir::kNoWrapSigned), b.iadd(first_column, i, ir::kNoWrapSigned)};
    storeItem(b, array, at, one);
  });
  return array;
}

std::optional<TypeId> dtypeOrFloat(const AbstractValue &value) {
  return isNone(value) ? std::optional(types().float64) : dtypeOperand(value);
}

Resolution eye(const Query &query) {
  BoundArguments bound = bindArguments("eye", "N, M=, k=, dtype=, order=, *, device=, like=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  std::optional<TypeId> dtype = dtypeOrFloat(boundOperand(bound, 3, query));
  if (!dtype)
    return Resolution::error("eye: the dtype must be known while compiling");
  Eye eye{boundOperand(bound, 0, query), boundOperand(bound, 1, query), boundOperand(bound, 2, query),
          bound.operand[0], bound.operand[1], bound.operand[2], arrayType(*dtype, 2)};
  for (const AbstractValue *part : {&eye.rows, &eye.columns, &eye.diagonal})
    if (!isNone(*part) && !isIndexLike(part->type))
      return Resolution::error("eye: ints are expected");
  return Resolution::resolved(
      eye.type, [eye](Emitter &e, std::span<const ValueId> values) { return emitEye(e, eye, values); });
}

Resolution identity(const Query &query) {
  BoundArguments bound = bindArguments("identity", "n, dtype=, *, like=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  std::optional<TypeId> dtype = dtypeOrFloat(boundOperand(bound, 1, query));
  if (!dtype)
    return Resolution::error("identity: the dtype must be known while compiling");
  Eye eye{boundOperand(bound, 0, query), {}, {}, bound.operand[0], -1, -1, arrayType(*dtype, 2)};
  if (!isIndexLike(eye.rows.type))
    return Resolution::error("identity: an int is expected");
  return Resolution::resolved(
      eye.type, [eye](Emitter &e, std::span<const ValueId> values) { return emitEye(e, eye, values); });
}

} // namespace

void registerArrayRanges(Table &table) {
  table.call("numpy.arange", arange);
  table.call("numpy.linspace", linspace);
  table.call("numpy.eye", eye);
  table.call("numpy.identity", identity);
}

} // namespace naja::library
