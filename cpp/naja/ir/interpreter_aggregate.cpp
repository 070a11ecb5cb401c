// Tuples, optionals and slices: lists of cells.
#include "naja/ir/interpreter_internal.h"
#include "naja/types/layout.h"

#include <algorithm>

namespace naja::ir::interpret {
namespace {

Cells slicedCells(const Cells &cells, size_t from, size_t count) {
  auto first = cells.begin() + static_cast<std::ptrdiff_t>(from);
  return Cells(first, first + static_cast<std::ptrdiff_t>(count));
}

void tupleMake(Machine &, Frame &frame, const Inst &inst) {
  Cells result;
  for (size_t i = 0; i < inst.operands.size(); ++i)
    result.insert(result.end(), frame.cells(inst, i).begin(), frame.cells(inst, i).end());
  frame.define(inst, std::move(result));
}
void tupleGet(Machine &, Frame &frame, const Inst &inst) {
  const Type &type = frame.type(inst, 0);
  size_t at = 0;
  for (size_t i = 0; i < static_cast<size_t>(inst.attr); ++i)
    at += scalarsOf(type.args[type.kind == TypeKind::Range ? 0 : i]).size();
  frame.define(inst, slicedCells(frame.cells(inst, 0), at, scalarsOf(inst.type).size()));
}
void tupleGetDynamic(Machine &machine, Frame &frame, const Inst &inst) {
  uint64_t index = frame.cell(inst, 1);
  if (index >= frame.type(inst, 0).args.size())
    return machine.complain("tuple.get_dynamic out of range");
  size_t width = scalarsOf(inst.type).size();
  frame.define(inst, slicedCells(frame.cells(inst, 0), index * width, width));
}
void optionalHas(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, Cells{frame.cell(inst, 0)}); }
void optionalValue(Machine &machine, Frame &frame, const Inst &inst) {
  const Cells &cells = frame.cells(inst, 0);
  if (cells[0] == 0 && cells.size() > 1)
    return machine.complain("optional.value of what is absent");
  frame.define(inst, slicedCells(cells, 1, cells.size() - 1));
}

/// Python's slice.indices.
void sliceIndices(Machine &machine, Frame &frame, const Inst &inst) {
  int64_t length = frame.integer(inst, 3), step = (inst.attr & kHasStep) != 0 ? frame.integer(inst, 2) : 1;
  if (step == 0)
    return machine.complain("slice.indices with step 0");
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? length - 1 : length;
  auto end = [&](size_t i, bool given, int64_t otherwise) {
    int64_t value = frame.integer(inst, i);
    return given ? std::clamp(value < 0 ? value + length : value, low, std::max(low, high)) : otherwise;
  };
  int64_t start = end(0, (inst.attr & kHasStart) != 0, step < 0 ? high : low);
  int64_t stop = end(1, (inst.attr & kHasStop) != 0, step < 0 ? low : high);
  uint64_t distance = static_cast<uint64_t>(step < 0 ? start - stop : stop - start);
  uint64_t stride = step < 0 ? 0 - static_cast<uint64_t>(step) : static_cast<uint64_t>(step);
  bool is_empty = step < 0 ? start <= stop : stop <= start;
  frame.define(inst, Cells{static_cast<uint64_t>(start), is_empty ? 0 : (distance - 1) / stride + 1, static_cast<uint64_t>(step)});
}
void sliceMake(Machine &, Frame &frame, const Inst &inst) {
  Cells result;
  for (size_t i = 0; i < 3; ++i)
    result.push_back(((inst.attr >> i) & 1) != 0 && !frame.cells(inst, i).empty() ? frame.cell(inst, i) : 0);
  result.push_back(static_cast<uint64_t>(inst.attr));
  frame.define(inst, std::move(result));
}
void slicePart(Machine &, Frame &frame, const Inst &inst) {
  const Cells &slice = frame.cells(inst, 0);
  auto part = static_cast<size_t>(inst.attr);
  frame.define(inst, Cells{(slice[3] >> part) & 1U, slice[part]});
}

} // namespace

void addAggregates(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::TupleMake, tupleMake);
  set(Opcode::TupleGet, tupleGet);
  set(Opcode::TupleGetDynamic, tupleGetDynamic);
  set(Opcode::OptionalHas, optionalHas);
  set(Opcode::OptionalValue, optionalValue);
  set(Opcode::SliceIndices, sliceIndices);
  set(Opcode::SliceMake, sliceMake);
  set(Opcode::SlicePart, slicePart);
}

} // namespace naja::ir::interpret
