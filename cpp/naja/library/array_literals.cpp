// np.array of scalars, nested tuples and arrays, and tuples of arrays.
#include "naja/library/array_families.h"
#include "naja/library/array_indexing.h"
#include "naja/library/elementwise.h"

#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Predicate;

/// A nested tuple as an array: extents of its levels, then those of the arrays at the leaves.
struct Nest {
  std::vector<int64_t> levels;
  std::vector<TypeId> leaves; // in C order
  unsigned leaf_rank = 0;
  bool regular = true;
};

void measure(TypeId type, size_t level, Nest &nest) {
  const Type &t = typeOf(type);
  if (!isSequence(type)) {
    if (level != nest.levels.size() || !isElementwiseOperand(type) ||
        (!nest.leaves.empty() && rankOf(type) != nest.leaf_rank))
      nest.regular = false;
    nest.leaf_rank = rankOf(type);
    nest.leaves.push_back(type);
    return;
  }
  auto count = static_cast<int64_t>(t.args.size());
  bool first_visit = level == nest.levels.size() && nest.leaves.empty();
  if (first_visit)
    nest.levels.push_back(count);
  else if (level >= nest.levels.size() || nest.levels[level] != count)
    nest.regular = false;
  for (TypeId item : t.args) {
    if (!nest.regular)
      return;
    measure(item, level + 1, nest);
  }
}

TypeId dtypeOfNest(const Nest &nest) {
  TypeId dtype;
  for (TypeId leaf : nest.leaves) {
    TypeId element = elementOf(leaf);
    dtype = dtype.valid() ? promoteDtypes(dtype, element) : element;
  }
  return dtype.valid() ? dtype : types().float64;
}

/// Visits the leaves in C order with their indices.
void eachLeaf(Builder &b, ValueId tuple, std::vector<int64_t> &path,
              const std::function<void(ValueId, const std::vector<int64_t> &)> &visit) {
  const Type &type = typeOf(b.function().typeOf(tuple));
  if (!isSequence(b.function().typeOf(tuple))) {
    visit(tuple, path);
    return;
  }
  for (unsigned i = 0; i < type.args.size(); ++i) {
    path.push_back(i);
    eachLeaf(b, b.tupleGet(tuple, i), path, visit);
    path.pop_back();
  }
}

/// Array `index` of a stack: the leading axes fixed.
ValueId stackSlot(Builder &b, ValueId stack, std::span<const ValueId> leading) {
  TypeId type = b.function().typeOf(stack);
  unsigned rank = rankOf(type) - static_cast<unsigned>(leading.size());
  std::vector<ValueId> operands{stack};
  operands.insert(operands.end(), leading.begin(), leading.end());
  ValueId view = b.emit(ir::Opcode::ArrayView, viewType(type, rank, Layout::C), operands);
  b.last().int_list.assign(leading.size(), ir::kViewIndex);
  b.last().int_list.resize(rankOf(type), ir::kViewFull);
  return view;
}

ValueId emitNest(Emitter &e, const Nest &nest, TypeId type, ValueId tuple) {
  Builder &b = e.builder();
  std::vector<ValueId> dims;
  for (int64_t extent : nest.levels)
    dims.push_back(b.int64(extent));
  std::vector<int64_t> path;
  if (nest.leaf_rank > 0) {
    ValueId first = tuple;
    for (size_t i = 0; i < nest.levels.size(); ++i)
      first = b.tupleGet(first, 0);
    std::vector<ValueId> inner = dimsOf(b, first);
    dims.insert(dims.end(), inner.begin(), inner.end());
  }
  ValueId array = allocate(b, type, dims);
  eachLeaf(b, tuple, path, [&](ValueId leaf, const std::vector<int64_t> &at) {
    std::vector<ValueId> indices;
    for (int64_t i : at)
      indices.push_back(b.int64(i));
    TypeId leaf_type = b.function().typeOf(leaf);
    if (rankOf(leaf_type) == 0) {
      if (isArray(leaf_type))
        leaf = loadItem(b, leaf, {});
      storeItem(b, array, indices, castScalar(e, leaf, elementOf(type)));
      return;
    }
    for (unsigned axis = 0; axis < nest.leaf_rank; ++axis)
      emitCheck(e, b.icmp(Predicate::Eq, b.dim(leaf, axis), dims[nest.levels.size() + axis]), "ValueError",
                "setting an array element with a sequence. The requested array has an inhomogeneous shape");
    ValueId slot = stackSlot(b, array, indices);
    std::array<ValueId, 1> operands{leaf};
    mapInto(e, slot, castKernel(e, elementOf(leaf_type), elementOf(type)), operands);
  });
  return array;
}

Resolution arrayOf(const Query &query) {
  BoundArguments bound = bindArguments("array", "object, dtype=, *, copy=, order=, subok=, ndmin=, like=", query);
  if (!bound.error.empty())
    return Resolution::error(bound.error);
  AbstractValue source = boundOperand(bound, 0, query);
  std::optional<TypeId> asked;
  if (AbstractValue value = boundOperand(bound, 1, query); !isNone(value)) {
    asked = dtypeOperand(value);
    if (!asked)
      return Resolution::error("array: the dtype must be known while compiling");
  }
  auto at = static_cast<size_t>(bound.operand[0]);
  if (isArray(source.type)) {
    Layout layout = typeOf(source.type).layout == Layout::F ? Layout::F : Layout::C;
    TypeId type = arrayType(asked.value_or(elementOf(source.type)), rankOf(source.type), layout);
    return Resolution::resolved(
        type, [=](Emitter &e, std::span<const ValueId> values) { return copyArray(e, values[at], type); });
  }
  if (isScalar(source.type)) {
    TypeId type = arrayType(asked.value_or(source.type), 0);
    return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
      ValueId array = allocate(e.builder(), type, {});
      storeItem(e.builder(), array, {}, operandAs(e, source, values[at], elementOf(type)));
      return array;
    });
  }
  if (!isSequence(source.type))
    return {};
  Nest nest;
  measure(source.type, 0, nest);
  if (!nest.regular)
    return Resolution::error("cannot make an array of " + toString(source.type),
                             "the items must be numbers or arrays in a regular nest of tuples");
  unsigned ndim = static_cast<unsigned>(nest.levels.size()) + nest.leaf_rank;
  TypeId type = arrayType(asked.value_or(dtypeOfNest(nest)), ndim);
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    return emitNest(e, nest, type, emitOperand(e, source, values[at]));
  });
}

} // namespace

void registerArrayLiterals(Table &table) {
  table.call("numpy.array", arrayOf);
  table.call("numpy.asarray", arrayOf); // of tuples: the rule for arrays comes first
}

} // namespace naja::library
