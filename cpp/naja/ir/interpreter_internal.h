// What the interpreter's families of handlers share. Included by interpreter*.cpp alone.
#pragma once

#include "naja/ir/interpreter.h"

#include <array>
#include <bit>
#include <vector>

namespace naja::ir::interpret {

class Machine;
struct Frame;
/// Computes one instruction: writes its result into the frame, or raises, or complains.
using Handler = void (*)(Machine &machine, Frame &frame, const Inst &inst);
using Handlers = std::array<Handler, 256>;

// One a family; each fills in its rows. A row left empty is an instruction that is not interpreted.
void addControl(Handlers &handlers);
void addIntegers(Handlers &handlers);
void addFloats(Handlers &handlers);
void addMath(Handlers &handlers);
void addConversions(Handlers &handlers);
void addAggregates(Handlers &handlers);
void addMemory(Handlers &handlers);

struct Frame {
  const Function &function;
  std::vector<Cells> values;
  std::string in_flight; // the exception that an unwind block is handing on

  TypeId typeOf(const Inst &inst, size_t i) const { return function.typeOf(inst.operands[i]); }
  const Type &type(const Inst &inst, size_t i) const { return naja::typeOf(typeOf(inst, i)); }
  const Cells &cells(const Inst &inst, size_t i) const { return values[inst.operands[i].value]; }
  uint64_t cell(const Inst &inst, size_t i) const { return cells(inst, i)[0]; }
  int64_t integer(const Inst &inst, size_t i) const { return static_cast<int64_t>(cell(inst, i)); }
  void define(const Inst &inst, Cells cells) { values[inst.result.value] = std::move(cells); }
};

/// State of one run.
class Machine {
public:
  explicit Machine(const Module &module) : module(module) {}

  void complain(std::string text) {
    if (problem.empty())
      problem = std::move(text);
  }
  void raise(std::string exception) { raised = std::move(exception); }
  bool stopped() const { return !problem.empty(); }
  /// Runs a function; empty where it raised or there is a problem.
  Cells call(const Function &function, std::span<const Cells> args);
  /// The bytes at an address, or null after a complaint where they are not in known memory.
  char *memory(uint64_t address, size_t bytes);
  uint64_t allocate(size_t bytes);

  const Module &module;
  Interpreter::Runtime runtime = nullptr;
  std::string problem, raised;

private:
  struct Region { uint64_t start, size; };
  friend class ir::Interpreter;
  /// The block's instructions; the block to go on with, invalid: left (returned, raised or a problem).
  BlockId block(Frame &frame, BlockId id, Cells &result);
  BlockId terminator(Frame &frame, const Inst &inst, Cells &result);
  BlockId follow(Frame &frame, const Edge &edge);
  /// Where the exception just raised by the instruction goes; invalid: out of the function.
  BlockId unwind(Frame &frame, const Inst &inst);

  std::vector<Region> regions_;
  std::vector<std::unique_ptr<char[]>> owned_;
  int depth_ = 0;
  int64_t steps_ = 0;
};

Cells convert(Machine &machine, std::span<const uint64_t> from, TypeId source, TypeId target);
Cells constantCells(Machine &machine, ConstId constant, TypeId type);

// ---- machine scalars
inline uint64_t truncate(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }
inline int64_t signExtend(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64U - bits)) >> (64U - bits);
}
inline double toDouble(uint64_t cell) { return std::bit_cast<double>(cell); }
inline float toFloat(uint64_t cell) { return std::bit_cast<float>(static_cast<uint32_t>(cell)); }
inline uint64_t cellOf(double value) { return std::bit_cast<uint64_t>(value); }
inline uint64_t cellOf(float value) { return std::bit_cast<uint32_t>(value); }
inline uint64_t cellOf(bool value) { return value ? 1 : 0; }
template <class Real> Real realOf(uint64_t cell) {
  if constexpr (sizeof(Real) == 4)
    return toFloat(cell);
  else
    return toDouble(cell);
}

} // namespace naja::ir::interpret
