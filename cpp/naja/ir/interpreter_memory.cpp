// Arrays and raw memory, over the buffers that the interpreter knows.
#include "naja/ir/interpreter_internal.h"
#include "naja/types/layout.h"

#include <cstring>

namespace naja::ir::interpret {
namespace {

unsigned partSize(const Type &type) {
  return type.kind == TypeKind::Complex ? type.bits / 16U : type.kind == TypeKind::Bool ? 1U : type.bits / 8U;
}

Cells load(Machine &machine, uint64_t address, TypeId type) {
  size_t count = scalarsOf(type).size(), size = type == types().void_pointer ? 8 : partSize(naja::typeOf(type));
  Cells result(count, 0);
  char *bytes = machine.memory(address, count * size);
  for (size_t i = 0; bytes != nullptr && i < count; ++i)
    std::memcpy(&result[i], bytes + i * size, size);
  return result;
}
void store(Machine &machine, uint64_t address, TypeId type, const Cells &cells) {
  size_t size = type == types().void_pointer ? 8 : partSize(naja::typeOf(type));
  char *bytes = machine.memory(address, cells.size() * size);
  for (size_t i = 0; bytes != nullptr && i < cells.size(); ++i)
    std::memcpy(bytes + i * size, &cells[i], size);
}

uint64_t strideOf(const Cells &array, const Type &type, unsigned axis) {
  if (type.layout == Layout::A)
    return array[kArrayDims + type.ndim + axis];
  uint64_t stride = itemSize(type.args[0]);
  unsigned first = type.layout == Layout::F ? 0 : axis + 1, last = type.layout == Layout::F ? axis : type.ndim;
  for (unsigned i = first; i < last; ++i)
    stride *= array[kArrayDims + i];
  return stride;
}

/// The element that operands 1.. name; an index out of range is the program's fault, since it was checked before.
uint64_t itemAddress(Machine &machine, Frame &frame, const Inst &inst) {
  const Cells &array = frame.cells(inst, 0);
  const Type &type = frame.type(inst, 0);
  uint64_t address = array[kArrayData];
  for (unsigned axis = 0; axis < type.ndim; ++axis) {
    uint64_t index = frame.cell(inst, axis + 1U);
    if (index >= array[kArrayDims + axis])
      machine.complain("an index out of range");
    address += index * strideOf(array, type, axis);
  }
  return address;
}

void arrayAlloc(Machine &machine, Frame &frame, const Inst &inst) {
  const Type &type = naja::typeOf(inst.type);
  Cells array{0, 0};
  unsigned __int128 bytes = itemSize(type.args[0]);
  bool is_empty = false, is_large = false;
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    uint64_t extent = frame.cell(inst, i);
    if (static_cast<int64_t>(extent) < 0)
      return machine.raise("ValueError");
    is_empty = is_empty || extent == 0;
    bytes *= extent == 0 ? 1 : extent;
    is_large = is_large || bytes > static_cast<unsigned __int128>(INT64_MAX);
    bytes = is_large ? 0 : bytes;
    array.push_back(extent);
  }
  if (is_large)
    return machine.raise("MemoryError");
  array[kArrayData] = machine.allocate(is_empty ? 0 : static_cast<size_t>(bytes));
  frame.define(inst, std::move(array));
}
void arrayData(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, Cells{frame.cells(inst, 0)[kArrayData]}); }
void arrayDim(Machine &, Frame &frame, const Inst &inst) {
  frame.define(inst, Cells{frame.cells(inst, 0)[kArrayDims + static_cast<size_t>(inst.attr)]});
}
void arrayStride(Machine &, Frame &frame, const Inst &inst) {
  frame.define(inst, Cells{strideOf(frame.cells(inst, 0), frame.type(inst, 0), static_cast<unsigned>(inst.attr))});
}
void arraySize(Machine &, Frame &frame, const Inst &inst) {
  uint64_t size = 1;
  for (unsigned axis = 0; axis < frame.type(inst, 0).ndim; ++axis)
    size *= frame.cells(inst, 0)[kArrayDims + axis];
  frame.define(inst, Cells{size});
}
void arrayLoad(Machine &machine, Frame &frame, const Inst &inst) {
  frame.define(inst, load(machine, itemAddress(machine, frame, inst), inst.type));
}
void arrayStore(Machine &machine, Frame &frame, const Inst &inst) {
  size_t value = inst.operands.size() - 1;
  store(machine, itemAddress(machine, frame, inst), frame.typeOf(inst, value), frame.cells(inst, value));
}
void arrayItemPtr(Machine &machine, Frame &frame, const Inst &inst) {
  frame.define(inst, Cells{itemAddress(machine, frame, inst)});
}
void wrapIndex(Machine &, Frame &frame, const Inst &inst) {
  uint64_t index = frame.cell(inst, 0);
  frame.define(inst, Cells{static_cast<int64_t>(index) < 0 ? index + frame.cell(inst, 1) : index});
}
void checkIndex(Machine &machine, Frame &frame, const Inst &inst) {
  if (frame.cell(inst, 0) >= frame.cell(inst, 1))
    machine.raise("IndexError");
}

void ptrLoad(Machine &machine, Frame &frame, const Inst &inst) {
  frame.define(inst, load(machine, frame.cell(inst, 0), inst.type));
}
void ptrStore(Machine &machine, Frame &frame, const Inst &inst) {
  store(machine, frame.cell(inst, 0), frame.typeOf(inst, 1), frame.cells(inst, 1));
}
void ptrAdd(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, Cells{frame.cell(inst, 0) + frame.cell(inst, 1)}); }
void sameBits(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, Cells{frame.cell(inst, 0)}); }
void arrayFromPtr(Machine &machine, Frame &frame, const Inst &inst) {
  const Type &type = naja::typeOf(inst.type);
  if (type.layout == Layout::A)
    return machine.complain("not interpreted: array.from_ptr with strides");
  Cells array{0};
  for (size_t i = 0; i < inst.operands.size(); ++i)
    array.push_back(frame.cell(inst, i));
  frame.define(inst, std::move(array));
}

} // namespace

void addMemory(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::ArrayAlloc, arrayAlloc);
  set(Opcode::ArrayData, arrayData);
  set(Opcode::ArrayDim, arrayDim);
  set(Opcode::ArrayStride, arrayStride);
  set(Opcode::ArraySize, arraySize);
  set(Opcode::ArrayLoad, arrayLoad);
  set(Opcode::ArrayStore, arrayStore);
  set(Opcode::ArrayItemPtr, arrayItemPtr);
  set(Opcode::WrapIndex, wrapIndex);
  set(Opcode::CheckIndex, checkIndex);
  set(Opcode::PtrLoad, ptrLoad);
  set(Opcode::PtrStore, ptrStore);
  set(Opcode::PtrAdd, ptrAdd);
  set(Opcode::PtrFromInt, sameBits);
  set(Opcode::PtrToInt, sameBits);
  set(Opcode::ArrayFromPtr, arrayFromPtr);
}

} // namespace naja::ir::interpret
