// a[...] and a[...] = x with integers, slices, None and ...: items and views. Arrays as indices: array_fancy_index.cpp.
#include "naja/library/array_families.h"
#include "naja/library/array_indexing.h"

namespace naja::library {
namespace {

using ir::Builder;

std::vector<ValueId> itemIndices(Emitter &e, ValueId array, const ArrayIndex &parsed, const AbstractValue &index,
                                 ValueId value) {
  std::vector<ValueId> indices;
  for (const IndexItem &item : parsed.items)
    indices.push_back(emitIntegerIndex(e, item.value, indexItemValue(e, item, index, value),
                                       e.builder().dim(array, item.axis), item.axis));
  return indices;
}

Resolution getItem(const Query &query) {
  TypeId array = query.operands[0].type;
  AbstractValue index = query.operands[1];
  ArrayIndex parsed = parseIndex(array, index);
  if (!parsed.error.empty())
    return kindOf(index.type) == TypeKind::String ? Resolution{} : Resolution::error(parsed.error);
  if (parsed.arrays > 0)
    return {};
  if (parsed.isItem())
    return Resolution::resolved(elementOf(array), [=](Emitter &e, std::span<const ValueId> values) {
      return loadItem(e.builder(), values[0], itemIndices(e, values[0], parsed, index, values[1]));
    });
  TypeId type = viewType(array, parsed.resultRank(), resultLayout(array, parsed));
  return Resolution::resolved(type, [=](Emitter &e, std::span<const ValueId> values) {
    return emitBasicView(e, values[0], parsed, index, values[1], type);
  });
}

Resolution setItem(const Query &query) {
  TypeId array = query.operands[0].type;
  AbstractValue index = query.operands[1], stored = query.operands[2];
  ArrayIndex parsed = parseIndex(array, index);
  if (!parsed.error.empty())
    return kindOf(index.type) == TypeKind::String ? Resolution{} : Resolution::error(parsed.error);
  if (typeOf(array).readonly)
    return readonlyStore(array);
  if (parsed.arrays > 0)
    return {};
  TypeId dtype = elementOf(array);
  TypeId view = viewType(array, parsed.resultRank(), resultLayout(array, parsed));
  if (std::string error = storableInto(view, stored); !error.empty())
    return Resolution::error(error);
  if (parsed.isItem())
    return Resolution::resolved(types().none, [=](Emitter &e, std::span<const ValueId> values) {
      Builder &b = e.builder();
      std::vector<ValueId> indices = itemIndices(e, values[0], parsed, index, values[1]);
      ValueId item = values[2];
      if (rankOf(stored.type) > 0) {
        emitCheck(e, b.icmp(ir::Predicate::Eq, sizeOf(b, item), b.int64(1)), "ValueError",
                  "setting an array element with a sequence.");
        item = loadItem(b, item, std::vector<ValueId>(rankOf(stored.type), b.int64(0)));
      } else if (isArray(stored.type)) {
        item = loadItem(b, item, {});
      }
      item = isArray(stored.type)  ? castScalar(e, item, dtype)
             : isScalar(dtype)     ? operandAs(e, stored, item, dtype)
                                   : item;
      storeItem(b, values[0], indices, item);
      return b.noneConst();
    });
  return Resolution::resolved(types().none, [=](Emitter &e, std::span<const ValueId> values) {
    ValueId target = emitBasicView(e, values[0], parsed, index, values[1], view);
    emitStoreInto(e, target, stored, values[2]);
    return e.builder().noneConst();
  });
}

} // namespace

void registerArrayIndex(Table &table) {
  table.getItem(TypeKind::Array, getItem);
  table.setItem(TypeKind::Array, setItem);
}

} // namespace naja::library
