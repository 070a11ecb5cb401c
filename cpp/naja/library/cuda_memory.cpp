// cuda.shared.array, cuda.local.array and cuda.atomic.*.
#include "naja/library/array_indexing.h"
#include "naja/library/tables.h"

#include <fmt/format.h>

namespace naja::library {
namespace {

using ir::AtomicOp;
using ir::Builder;
using ir::Opcode;
using Values = std::span<const ValueId>;

/// Which cuda.index has the bytes of dynamic shared memory.
constexpr int kDynamicBytes = 13;

/// The constant extents of a shape operand.
std::optional<std::vector<int64_t>> constantShape(const AbstractValue &shape) {
  std::vector<AbstractValue> items = isTuple(shape.type) ? itemsOf(shape) : std::vector<AbstractValue>{shape};
  std::vector<int64_t> dims;
  for (const AbstractValue &item : items) {
    auto value = isIndexLike(item.type) ? constantInt(item) : std::nullopt;
    if (!value || *value < 0) return std::nullopt;
    dims.push_back(*value);
  }
  return dims;
}

template <Opcode Memory> Resolution memoryArray(const Query &q) {
  constexpr bool kShared = Memory == Opcode::CudaShared;
  const char *name = kShared ? "cuda.shared.array" : "cuda.local.array";
  BoundArguments bound = bindArguments(name, "shape, dtype, alignment=", q);
  if (!bound.error.empty()) return Resolution::error(bound.error);
  auto dims = constantShape(boundOperand(bound, 0, q));
  if (!dims)
    return Resolution::error(fmt::format("{}: the shape must be constant", name),
                             "use literals or global variables; shape 0 stands for dynamic shared memory");
  auto dtype = dtypeOperand(boundOperand(bound, 1, q));
  if (!dtype || itemSize(*dtype) == 0)
    return Resolution::error(fmt::format("{}: the dtype must be a type known while compiling", name));
  int64_t bytes = itemSize(*dtype);
  for (int64_t dim : *dims) bytes *= dim;
  const bool dynamic = kShared && dims->size() == 1 && (*dims)[0] == 0;
  if (bytes <= 0 && !dynamic) return Resolution::error(fmt::format("{}: the array has no elements", name));
  TypeId type = arrayType(*dtype, static_cast<unsigned>(dims->size()));
  return Resolution::resolved(type, [=, dims = *dims, dtype = *dtype](Emitter &e, Values) {
    Builder &b = e.builder();
    std::vector<ValueId> parts = {b.emit(Memory, types().pointer(dtype), std::span<const ValueId>{}, bytes)};
    for (int64_t dim : dims) parts.push_back(b.int64(dim));
    if (dynamic) {
      ValueId size = b.emit(Opcode::CudaIndex, types().int64, std::span<const ValueId>{}, kDynamicBytes);
      parts[1] = b.emit(Opcode::IFloorDiv, types().int64, {size, b.int64(itemSize(dtype))});
    }
    return b.emit(Opcode::ArrayFromPtr, type, parts);
  });
}

struct AtomicRow {
  std::string_view name;
  AtomicOp op;
  enum { Any, Integer, Unsigned } operands;
};
constexpr AtomicRow kAtomics[] = {
    {"add", AtomicOp::Add, AtomicRow::Any},       {"sub", AtomicOp::Sub, AtomicRow::Any},
    {"max", AtomicOp::Max, AtomicRow::Any},       {"min", AtomicOp::Min, AtomicRow::Any},
    {"nanmax", AtomicOp::NanMax, AtomicRow::Any}, {"nanmin", AtomicOp::NanMin, AtomicRow::Any},
    {"and_", AtomicOp::And, AtomicRow::Integer},  {"or_", AtomicOp::Or, AtomicRow::Integer},
    {"xor", AtomicOp::Xor, AtomicRow::Integer},   {"exch", AtomicOp::Exch, AtomicRow::Any},
    {"inc", AtomicOp::Inc, AtomicRow::Unsigned},  {"dec", AtomicOp::Dec, AtomicRow::Unsigned},
};

/// What an atomic operation on that array cannot do, or nothing.
std::string atomicComplaint(std::string_view name, TypeId array, int operands) {
  if (!isArray(array)) return fmt::format("cuda.atomic.{} needs an array, not {}", name, toString(array));
  TypeId item = elementOf(array);
  if (typeOf(array).readonly)
    return fmt::format("cuda.atomic.{} cannot write to the read-only {}", name, toString(array));
  bool fits = (isInt(item) || (isFloat(item) && operands == AtomicRow::Any)) && typeOf(item).bits >= 32;
  if (operands == AtomicRow::Unsigned) fits = fits && isUnsigned(item);
  if (fits) return {};
  return fmt::format("cuda.atomic.{} has no form for elements of type {}", name, toString(item));
}

/// The address of array[index].
ValueId itemAddress(Emitter &e, ValueId array, const ArrayIndex &parsed, const AbstractValue &index, ValueId value) {
  Builder &b = e.builder();
  std::vector<ValueId> parts = {array};
  for (const IndexItem &item : parsed.items)
    parts.push_back(
        emitIntegerIndex(e, item.value, indexItemValue(e, item, index, value), b.dim(array, item.axis), item.axis));
  return b.emit(Opcode::ArrayItemPtr, types().pointer(elementOf(valueType(e, array))), parts);
}

std::string indexComplaint(std::string_view name, const ArrayIndex &parsed) {
  if (!parsed.error.empty()) return parsed.error;
  return parsed.isItem() ? "" : fmt::format("cuda.atomic.{}: the index must name one element", name);
}

Resolution atomicRule(const Query &q) {
  std::string_view name = q.name.substr(q.name.rfind('.') + 1);
  const AtomicRow *row =
      std::find_if(std::begin(kAtomics), std::end(kAtomics), [&](const AtomicRow &r) { return r.name == name; });
  if (q.operands.size() != 3 || !q.keywords.empty())
    return Resolution::error(fmt::format("cuda.atomic.{} takes an array, an index and a value", name));
  TypeId array = q.operands[0].type;
  AbstractValue index = q.operands[1], value = q.operands[2];
  if (std::string complaint = atomicComplaint(name, array, row->operands); !complaint.empty())
    return Resolution::error(complaint);
  ArrayIndex parsed = parseIndex(array, index);
  if (std::string complaint = indexComplaint(name, parsed); !complaint.empty()) return Resolution::error(complaint);
  if (!isScalarOperand(value.type))
    return Resolution::error(fmt::format("cuda.atomic.{}: the value must be a number", name));
  TypeId item = elementOf(array);
  return Resolution::resolved(item, [=, op = row->op](Emitter &e, Values values) {
    ValueId pointer = itemAddress(e, values[0], parsed, index, values[1]);
    ValueId operand = castScalar(e, emitOperand(e, value, values[2]), item);
    return e.builder().emit(Opcode::CudaAtomic, item, {pointer, operand}, static_cast<int64_t>(op));
  });
}

/// cas(array, index, old, new); compare_and_swap(array, old, new) of element 0.
Resolution casRule(const Query &q) {
  std::string_view name = q.name.substr(q.name.rfind('.') + 1);
  const bool indexed = name == "cas";
  if (q.operands.size() != (indexed ? 4 : 3) || !q.keywords.empty())
    return Resolution::error(
        fmt::format("cuda.atomic.{} takes {}", name,
                    indexed ? "an array, an index, the old and the new value" : "an array, the old and the new value"));
  TypeId array = q.operands[0].type;
  if (std::string complaint = atomicComplaint(name, array, AtomicRow::Any); !complaint.empty())
    return Resolution::error(complaint);
  AbstractValue zero{types().int64, ConstantStore::global().ofInt(0), true};
  std::vector<AbstractValue> given(q.operands.begin(), q.operands.end());
  AbstractValue index = indexed ? given[1] : zero, old = given[given.size() - 2], value = given.back();
  ArrayIndex parsed = parseIndex(array, index);
  if (std::string complaint = indexComplaint(name, parsed); !complaint.empty()) return Resolution::error(complaint);
  TypeId item = elementOf(array);
  return Resolution::resolved(item, [=, count = given.size()](Emitter &e, Values values) {
    ValueId at = indexed ? values[1] : e.builder().int64(0);
    ValueId pointer = itemAddress(e, values[0], parsed, index, at);
    ValueId expected = castScalar(e, emitOperand(e, old, values[count - 2]), item);
    ValueId desired = castScalar(e, emitOperand(e, value, values[count - 1]), item);
    return e.builder().emit(Opcode::CudaCas, item, {pointer, expected, desired});
  });
}

} // namespace

void registerCudaMemory(Table &table) {
  table.call("naja.cuda.shared.array", memoryArray<Opcode::CudaShared>);
  table.call("naja.cuda.local.array", memoryArray<Opcode::CudaLocal>);
  for (const AtomicRow &row : kAtomics) table.call(fmt::format("naja.cuda.atomic.{}", row.name), atomicRule);
  table.call("naja.cuda.atomic.cas", casRule);
  table.call("naja.cuda.atomic.compare_and_swap", casRule);
}

} // namespace naja::library
