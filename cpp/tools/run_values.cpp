#include "run_values.h"

#include "naja/ir/text_cursor.h"
#include "naja/types/layout.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <span>

namespace naja::run {
namespace {

using ir::Cells;
using Span = std::span<const uint64_t>;

struct Complex { double re, im; };

/// What a number's text says, before it gets its type.
struct ReadNumber {
  Complex operator()(bool value) const { return {value ? 1.0 : 0.0, 0}; }
  Complex operator()(int64_t value) const { return {static_cast<double>(value), 0}; }
  Complex operator()(uint64_t value) const { return {static_cast<double>(value), 0}; }
  Complex operator()(double value) const { return {value, 0}; }
  Complex operator()(const std::complex<double> &value) const { return {value.real(), value.imag()}; }
  template <class Other> Complex operator()(const Other &) const { return {NAN, NAN}; }
};
struct ReadInteger {
  uint64_t operator()(bool value) const { return value ? 1 : 0; }
  uint64_t operator()(int64_t value) const { return static_cast<uint64_t>(value); }
  uint64_t operator()(uint64_t value) const { return value; }
  template <class Other> uint64_t operator()(const Other &) const { return 0; }
};

uint64_t realCell(double value, unsigned bits) {
  return bits == 32 ? std::bit_cast<uint32_t>(static_cast<float>(value)) : std::bit_cast<uint64_t>(value);
}

bool parseScalar(ir::TextCursor &cursor, const Type &type, Cells &out) {
  ConstId id = cursor.constant();
  if (!id.valid())
    return false;
  const ConstantValue &value = ConstantStore::global().get(id).value;
  Complex number = std::visit(ReadNumber{}, value);
  uint64_t integer = std::visit(ReadInteger{}, value);
  switch (type.kind) {
  case TypeKind::Bool: out.push_back(integer); return std::holds_alternative<bool>(value);
  case TypeKind::Int:
    out.push_back(type.bits == 64 ? integer : integer & ((uint64_t{1} << type.bits) - 1));
    return std::holds_alternative<int64_t>(value) || std::holds_alternative<uint64_t>(value);
  case TypeKind::Float: out.push_back(realCell(number.re, type.bits)); return true;
  case TypeKind::Complex:
    out.push_back(realCell(number.re, type.bits / 2U));
    out.push_back(realCell(number.im, type.bits / 2U));
    return true;
  default: return false;
  }
}

bool parse(ir::TextCursor &cursor, TypeId type, Memory &memory, Cells &out);

bool parseTuple(ir::TextCursor &cursor, const Type &type, Memory &memory, Cells &out) {
  if (!cursor.take("("))
    return false;
  for (TypeId item : type.args) {
    if (!parse(cursor, item, memory, out))
      return false;
    cursor.take(",");
  }
  return cursor.take(")");
}

/// Elements in row-major order, and the extents of each level.
bool parseItems(ir::TextCursor &cursor, const Type &type, unsigned axis, Cells &items, std::vector<int64_t> &extents) {
  if (!cursor.take("["))
    return false;
  int64_t count = 0;
  for (; !cursor.take("]"); ++count) {
    bool good = axis + 1U < type.ndim ? parseItems(cursor, type, axis + 1U, items, extents)
                                      : parseScalar(cursor, naja::typeOf(type.args[0]), items);
    if (!good || (!cursor.take(",") && !cursor.peek("]")))
      return false;
  }
  bool first = extents[axis] < 0;
  extents[axis] = first ? count : extents[axis];
  return extents[axis] == count;
}

bool parseArray(ir::TextCursor &cursor, const Type &type, Memory &memory, Cells &out) {
  Cells items;
  std::vector<int64_t> extents(type.ndim, -1);
  if (type.layout != Layout::C || !parseItems(cursor, type, 0, items, extents))
    return false;
  size_t item_size = itemSize(type.args[0]), parts = scalarsOf(type.args[0]).size(), part_size = item_size / parts;
  auto *bytes = static_cast<char *>(memory.allocate(items.size() * part_size));
  for (size_t i = 0; i < items.size(); ++i)
    std::memcpy(bytes + i * part_size, &items[i], part_size);
  out.push_back(0); // nobody owns it
  out.push_back(reinterpret_cast<uint64_t>(bytes));
  for (int64_t extent : extents)
    out.push_back(static_cast<uint64_t>(std::max<int64_t>(extent, 0)));
  return true;
}

bool parseOptional(ir::TextCursor &cursor, TypeId id, const Type &type, Memory &memory, Cells &out) {
  if (cursor.take("None")) {
    out.insert(out.end(), scalarsOf(id).size(), 0);
    return true;
  }
  out.push_back(1);
  return parse(cursor, type.args[0], memory, out);
}

bool parse(ir::TextCursor &cursor, TypeId id, Memory &memory, Cells &out) {
  const Type &type = naja::typeOf(id);
  switch (type.kind) {
  case TypeKind::None: return cursor.take("None");
  case TypeKind::Tuple: return parseTuple(cursor, type, memory, out);
  case TypeKind::Array: return parseArray(cursor, type, memory, out);
  case TypeKind::Optional: return parseOptional(cursor, id, type, memory, out);
  default: return parseScalar(cursor, type, out);
  }
}

// ----------------------------------------------------------------------------------------------------------- comparing

double toReal(uint64_t cell, unsigned bits) {
  return bits == 32 ? std::bit_cast<float>(static_cast<uint32_t>(cell)) : std::bit_cast<double>(cell);
}

/// Distance on the line of all floats of that width.
uint64_t ulpsBetween(uint64_t a, uint64_t b, unsigned bits) {
  uint64_t sign = uint64_t{1} << (bits - 1U);
  auto position = [&](uint64_t cell) {
    auto magnitude = static_cast<int64_t>(cell & (sign - 1));
    return (cell & sign) != 0 ? -magnitude : magnitude;
  };
  return static_cast<uint64_t>(std::abs(position(a) - position(b)));
}

bool sameReal(uint64_t a, uint64_t b, unsigned bits, uint64_t ulps) {
  if (a == b || (std::isnan(toReal(a, bits)) && std::isnan(toReal(b, bits))))
    return true;
  return ulps > 0 && std::isfinite(toReal(a, bits)) && std::isfinite(toReal(b, bits)) && ulpsBetween(a, b, bits) <= ulps;
}

/// The elements of a C array as cells.
Cells elements(Span array, const Type &type) {
  size_t parts = scalarsOf(type.args[0]).size(), part_size = itemSize(type.args[0]) / parts, count = parts;
  for (unsigned axis = 0; axis < type.ndim; ++axis)
    count *= array[kArrayDims + axis];
  Cells cells(count, 0);
  const auto *bytes = reinterpret_cast<const char *>(array[kArrayData]); // NOLINT(performance-no-int-to-ptr)
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&cells[i], bytes + i * part_size, part_size);
  return cells;
}

bool sameCells(TypeId id, Span a, Span b, uint64_t ulps);

bool sameItems(std::span<const TypeId> types, Span a, Span b, uint64_t ulps) {
  size_t at = 0;
  for (TypeId type : types) {
    size_t count = scalarsOf(type).size();
    if (!sameCells(type, a.subspan(at, count), b.subspan(at, count), ulps))
      return false;
    at += count;
  }
  return true;
}

bool sameArrays(const Type &type, Span a, Span b, uint64_t ulps) {
  for (size_t i = 0; i < type.ndim; ++i) {
    if (a[kArrayDims + i] != b[kArrayDims + i])
      return false;
  }
  Cells items_a = elements(a, type), items_b = elements(b, type);
  size_t parts = scalarsOf(type.args[0]).size();
  for (size_t i = 0; i < items_a.size(); i += parts) {
    if (!sameCells(type.args[0], Span(items_a).subspan(i, parts), Span(items_b).subspan(i, parts), ulps))
      return false;
  }
  return true;
}

bool sameCells(TypeId id, Span a, Span b, uint64_t ulps) {
  const Type &type = naja::typeOf(id);
  switch (type.kind) {
  case TypeKind::Float: return sameReal(a[0], b[0], type.bits, ulps);
  case TypeKind::Complex: return sameReal(a[0], b[0], type.bits / 2U, ulps) && sameReal(a[1], b[1], type.bits / 2U, ulps);
  case TypeKind::Tuple: return sameItems(type.args, a, b, ulps);
  case TypeKind::Optional:
    return a[0] == b[0] && (a[0] == 0 || sameCells(type.args[0], a.subspan(1), b.subspan(1), ulps));
  case TypeKind::Array: return sameArrays(type, a, b, ulps);
  default: return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
}

// ------------------------------------------------------------------------------------------------------------- showing

std::string showReal(uint64_t cell, unsigned bits) {
  double value = toReal(cell, bits);
  std::string text = bits == 32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  return text.find_first_of(".eni") == std::string::npos ? text + ".0" : text;
}

std::string showCells(TypeId id, Span cells);

std::string showItems(std::span<const TypeId> types, Span cells) {
  std::string text;
  size_t at = 0;
  for (TypeId type : types) {
    size_t count = scalarsOf(type).size();
    text += (text.empty() ? "" : ", ") + showCells(type, cells.subspan(at, count));
    at += count;
  }
  return "(" + text + ")";
}

std::string showArray(const Type &type, Span array) {
  Cells items = elements(array, type);
  size_t parts = scalarsOf(type.args[0]).size();
  std::string text;
  for (size_t i = 0; i < items.size(); i += parts)
    text += (i > 0 ? ", " : "") + showCells(type.args[0], Span(items).subspan(i, parts));
  std::string shape;
  for (unsigned axis = 0; axis < type.ndim; ++axis)
    shape += fmt::format("{}{}", axis > 0 ? "x" : "", array[kArrayDims + axis]);
  return fmt::format("[{}] ({})", text, shape);
}

std::string showCells(TypeId id, Span cells) {
  const Type &type = naja::typeOf(id);
  switch (type.kind) {
  case TypeKind::None: return "None";
  case TypeKind::Bool: return cells[0] == 0 ? "False" : cells[0] == 1 ? "True" : fmt::format("bool({})", cells[0]);
  case TypeKind::Int:
    return type.is_signed ? fmt::format("{}", static_cast<int64_t>(cells[0] << (64U - type.bits)) >> (64U - type.bits))
                          : fmt::format("{}", cells[0]);
  case TypeKind::Float: return showReal(cells[0], type.bits);
  case TypeKind::Complex: return fmt::format("({}, {}j)", showReal(cells[0], type.bits / 2U), showReal(cells[1], type.bits / 2U));
  case TypeKind::Tuple: return showItems(type.args, cells);
  case TypeKind::Optional: return cells[0] == 0 ? "None" : showCells(type.args[0], cells.subspan(1));
  case TypeKind::Array: return showArray(type, cells);
  default: return "<" + toString(id) + ">";
  }
}

} // namespace

void *Memory::allocate(size_t bytes) {
  buffers_.push_back({std::make_unique<char[]>(bytes + 1), bytes});
  return buffers_.back().bytes.get();
}
void Memory::show(ir::Interpreter &interpreter) const {
  for (const Buffer &buffer : buffers_)
    interpreter.addMemory(buffer.bytes.get(), buffer.size);
}

bool parseValue(std::string_view &text, TypeId type, Memory &memory, ir::Cells &out) {
  ir::TextCursor cursor(text);
  bool good = parse(cursor, type, memory, out);
  text = cursor.rest();
  return good;
}

bool same(TypeId type, const ir::Cells &a, const ir::Cells &b, uint64_t ulps) { return sameCells(type, a, b, ulps); }
std::string show(TypeId type, const ir::Cells &cells) { return showCells(type, cells); }

} // namespace naja::run
