// Structured arrays and their records: a["x"] and a.x are views of one field, r["x"] and r.x of a record read and write it
// in place (a record is a reference into its array). The field's name is a constant.
#include "naja/library/array_families.h"
#include "naja/library/array_indexing.h"

#include <algorithm>
#include <array>

namespace naja::library {
namespace {

using ir::Builder;
using ir::Opcode;
using Values = std::span<const ValueId>;

struct Field {
  TypeId type;
  int64_t offset;
  bool aligned; // relative to the record
};

std::optional<Field> findField(TypeId record, std::string_view name) {
  const Type &type = typeOf(record);
  auto it = std::find(type.fields.begin(), type.fields.end(), name);
  if (it == type.fields.end())
    return std::nullopt;
  auto at = static_cast<size_t>(it - type.fields.begin());
  const Type &field = typeOf(type.args[at]);
  TypeId item = field.kind == TypeKind::NestedArray ? field.args[0] : type.args[at];
  unsigned alignment = std::max(1U, itemAlignment(item));
  bool aligned = type.offsets[at] % alignment == 0 && itemSize(record) % alignment == 0;
  return Field{type.args[at], type.offsets[at], aligned};
}

Resolution noField(TypeId record, std::string_view name) {
  std::string fields;
  for (const std::string &field : typeOf(record).fields)
    fields += (fields.empty() ? "'" : ", '") + field + "'";
  return Resolution::error("the record has no field '" + std::string(name) + "'", "its fields are " + fields);
}

bool isRecordArray(TypeId id) { return isArray(id) && kindOf(elementOf(id)) == TypeKind::Record; }

// ---- a field of all records

/// Extents of a sub-array field; none for others.
std::vector<int64_t> nestedShape(TypeId field) {
  const Type &type = typeOf(field);
  return type.kind == TypeKind::NestedArray ? type.offsets : std::vector<int64_t>{};
}
TypeId nestedItem(TypeId field) {
  const Type &type = typeOf(field);
  return type.kind == TypeKind::NestedArray ? type.args[0] : field;
}

TypeId fieldArrayType(TypeId array, const Field &field) {
  const Type &type = typeOf(array);
  auto ndim = static_cast<unsigned>(type.ndim + nestedShape(field.type).size());
  Layout layout = type.ndim == 0 ? Layout::C : Layout::A;
  return arrayType(nestedItem(field.type), ndim, layout, type.readonly, type.aligned && field.aligned);
}

/// `base`: the array of records, or a record.
ValueId emitFieldArray(Emitter &e, ValueId base, TypeId type, const Field &field) {
  Builder &b = e.builder();
  std::vector<ValueId> dims, strides;
  if (isArray(b.function().typeOf(base))) {
    dims = dimsOf(b, base);
    strides = stridesOf(b, base);
  }
  std::vector<int64_t> shape = nestedShape(field.type);
  int64_t stride = itemSize(nestedItem(field.type));
  std::vector<ValueId> inner(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    inner[i] = b.int64(stride);
    stride *= shape[i];
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    dims.push_back(b.int64(shape[i]));
    strides.push_back(inner[i]);
  }
  return restride(b, base, type, dims, strides, b.int64(field.offset));
}

Resolution fieldOfArray(TypeId array, std::string_view name) {
  std::optional<Field> field = findField(elementOf(array), name);
  if (!field)
    return noField(elementOf(array), name);
  TypeId type = fieldArrayType(array, *field);
  return Resolution::resolved(
      type, [=, field = *field](Emitter &e, Values values) { return emitFieldArray(e, values[0], type, field); });
}

Resolution storeArrayField(TypeId array, std::string_view name, const AbstractValue &stored, size_t position) {
  std::optional<Field> field = findField(elementOf(array), name);
  if (!field)
    return noField(elementOf(array), name);
  if (typeOf(array).readonly)
    return readonlyStore(array);
  TypeId view = fieldArrayType(array, *field);
  if (std::string error = storableInto(view, stored); !error.empty())
    return Resolution::error(error);
  return Resolution::resolved(types().none, [=, field = *field](Emitter &e, Values values) {
    emitStoreInto(e, emitFieldArray(e, values[0], view, field), stored, values[position]);
    return e.builder().noneConst();
  });
}

// ---- a field of one record

Resolution fieldOfRecord(TypeId record, std::string_view name) {
  std::optional<Field> field = findField(record, name);
  if (!field)
    return noField(record, name);
  if (kindOf(field->type) == TypeKind::NestedArray) {
    TypeId type = arrayType(nestedItem(field->type), static_cast<unsigned>(nestedShape(field->type).size()), Layout::C,
                            false, field->aligned);
    return Resolution::resolved(
        type, [=, field = *field](Emitter &e, Values values) { return emitFieldArray(e, values[0], type, field); });
  }
  return Resolution::resolved(field->type, [field = *field](Emitter &e, Values values) {
    return e.builder().emit(Opcode::RecordLoad, field.type, {values[0]}, field.offset);
  });
}

Resolution storeRecordField(TypeId record, std::string_view name, const AbstractValue &stored, size_t position) {
  std::optional<Field> field = findField(record, name);
  if (!field)
    return noField(record, name);
  if (kindOf(field->type) == TypeKind::NestedArray) {
    TypeId view = arrayType(nestedItem(field->type), static_cast<unsigned>(nestedShape(field->type).size()), Layout::C,
                            false, field->aligned);
    if (std::string error = storableInto(view, stored); !error.empty())
      return Resolution::error(error);
    return Resolution::resolved(types().none, [=, field = *field](Emitter &e, Values values) {
      emitStoreInto(e, emitFieldArray(e, values[0], view, field), stored, values[position]);
      return e.builder().noneConst();
    });
  }
  bool scalars = isScalar(field->type) && isScalarOperand(stored.type) && (!isComplex(stored.type) || isComplex(field->type));
  if (!scalars && stored.type != field->type)
    return Resolution::error("cannot store " + toString(stored.type) + " in the field '" + std::string(name) + "' of type " +
                             toString(field->type));
  return Resolution::resolved(types().none, [=, field = *field](Emitter &e, Values values) {
    ValueId value = scalars ? operandAs(e, stored, values[position], field.type) : values[position];
    e.builder().emit(Opcode::RecordStore, {}, {values[0], value}, field.offset);
    return e.builder().noneConst();
  });
}

// ---- rules

std::optional<std::string_view> fieldName(const AbstractValue &index) {
  return kindOf(index.type) == TypeKind::String ? constantString(index) : std::nullopt;
}

Resolution nameMustBeConstant() {
  return Resolution::error("the name of a field must be a constant", "use a literal, or literal_unroll over a tuple of names");
}

Resolution arrayGetItem(const Query &query) {
  if (!isRecordArray(query.operands[0].type) || kindOf(query.operands[1].type) != TypeKind::String)
    return {};
  std::optional<std::string_view> name = fieldName(query.operands[1]);
  return name ? fieldOfArray(query.operands[0].type, *name) : nameMustBeConstant();
}

Resolution arraySetItem(const Query &query) {
  if (!isRecordArray(query.operands[0].type) || kindOf(query.operands[1].type) != TypeKind::String)
    return {};
  std::optional<std::string_view> name = fieldName(query.operands[1]);
  return name ? storeArrayField(query.operands[0].type, *name, query.operands[2], 2) : nameMustBeConstant();
}

Resolution arrayAttribute(std::string_view attribute, const Query &query) {
  TypeId array = query.operands[0].type;
  if (!isRecordArray(array) || !findField(elementOf(array), attribute))
    return {};
  return fieldOfArray(array, attribute);
}

Resolution arraySetAttribute(std::string_view attribute, const Query &query) {
  TypeId array = query.operands[0].type;
  if (!isRecordArray(array) || !findField(elementOf(array), attribute))
    return {};
  return storeArrayField(array, attribute, query.operands[1], 1);
}

Resolution recordGetItem(const Query &query) {
  TypeId record = query.operands[0].type;
  if (std::optional<int64_t> at = constantInt(query.operands[1])) {
    const Type &type = typeOf(record);
    auto count = static_cast<int64_t>(type.fields.size());
    int64_t i = *at < 0 ? *at + count : *at;
    return i < 0 || i >= count ? Resolution::error("field index out of range") : fieldOfRecord(record, type.fields[static_cast<size_t>(i)]);
  }
  std::optional<std::string_view> name = fieldName(query.operands[1]);
  return name ? fieldOfRecord(record, *name) : nameMustBeConstant();
}

Resolution recordSetItem(const Query &query) {
  std::optional<std::string_view> name = fieldName(query.operands[1]);
  return name ? storeRecordField(query.operands[0].type, *name, query.operands[2], 2) : nameMustBeConstant();
}

Resolution recordAttribute(std::string_view attribute, const Query &query) {
  TypeId record = query.operands[0].type;
  return findField(record, attribute) ? fieldOfRecord(record, attribute) : Resolution{};
}

Resolution recordSetAttribute(std::string_view attribute, const Query &query) {
  return storeRecordField(query.operands[0].type, attribute, query.operands[1], 1);
}

} // namespace

void registerArrayRecords(Table &table) {
  table.getItem(TypeKind::Array, arrayGetItem);
  table.setItem(TypeKind::Array, arraySetItem);
  table.attribute(TypeKind::Array, arrayAttribute);
  table.setAttribute(TypeKind::Array, arraySetAttribute);
  table.getItem(TypeKind::Record, recordGetItem);
  table.setItem(TypeKind::Record, recordSetItem);
  table.attribute(TypeKind::Record, recordAttribute);
  table.setAttribute(TypeKind::Record, recordSetAttribute);
}

} // namespace naja::library
