// Runs typed NIR over integers and one array of int64 given as an argument: enough to compare a function before and after
// a pass. Wrap flags that do not hold, and accesses out of range, are errors.
#pragma once

#include "naja/ir/function.h"
#include "naja/passes/scalar_constant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace naja::passes::testing {

using namespace ir;

struct Outcome {
  enum Kind { Returned, Raised, TooLong, Error } kind = Error;
  int64_t value = 0;
  std::string error;
  std::vector<int64_t> memory;
  bool operator==(const Outcome &) const = default;
};

class IntInterpreter {
public:
  IntInterpreter(const Module &module, std::vector<int64_t> memory, int steps = 20000)
      : module_(module), memory_(std::move(memory)), steps_(steps) {}

  Outcome run(FunctionId id, const std::vector<int64_t> &args) {
    Outcome outcome = call(module_.get(id), args, 0);
    outcome.memory = memory_;
    return outcome;
  }

  /// True where an iadd, isub or imul wrapped around.
  bool wrapped() const { return wrapped_; }

private:
  using Values = std::unordered_map<uint32_t, int64_t>;

  Outcome call(const Function &f, const std::vector<int64_t> &args, int depth) {
    Values values;
    const auto &params = f.block(f.entry()).params;
    for (size_t i = 0; i < params.size(); ++i)
      values[params[i].value] = i < args.size() ? ScalarOf(f, params[i], args[i]) : 0;
    BlockId block = f.entry();
    size_t at = 0;
    while (steps_-- > 0) {
      const Inst &inst = f.inst(f.block(block).insts[at++]);
      switch (inst.op) {
      case Opcode::Return: return {Outcome::Returned, values[inst.operands[0].value], "", {}};
      case Opcode::Raise: case Opcode::Resume:
        if (!inst.unwind.valid())
          return {Outcome::Raised, 0, "", {}};
        block = inst.unwind;
        at = 0;
        continue;
      case Opcode::Unreachable: return {Outcome::Error, 0, "unreachable", {}};
      case Opcode::Br: case Opcode::CondBr: {
        const Edge &edge = inst.edges[inst.op == Opcode::CondBr && values[inst.operands[0].value] == 0 ? 1 : 0];
        std::vector<int64_t> incoming;
        for (ValueId arg : edge.args)
          incoming.push_back(values[arg.value]);
        for (size_t i = 0; i < incoming.size(); ++i)
          values[f.block(edge.target).params[i].value] = incoming[i];
        block = edge.target;
        at = 0;
        continue;
      }
      case Opcode::Call: {
        if (depth > 50)
          return {Outcome::TooLong, 0, "", {}};
        std::vector<int64_t> inner;
        for (ValueId operand : inst.operands)
          inner.push_back(values[operand.value]);
        Outcome outcome = call(module_.get(inst.function()), inner, depth + 1);
        if (outcome.kind == Outcome::Raised && inst.unwind.valid()) {
          block = inst.unwind;
          at = 0;
          continue;
        }
        if (outcome.kind != Outcome::Returned)
          return outcome;
        values[inst.result.value] = outcome.value;
        continue;
      }
      default: break;
      }
      bool raised = false;
      std::string error = compute(f, inst, values, raised);
      if (!error.empty())
        return {Outcome::Error, 0, std::string(info(inst.op).text) + ": " + error, {}};
      if (raised) {
        if (!inst.unwind.valid())
          return {Outcome::Raised, 0, "", {}};
        block = inst.unwind;
        at = 0;
      }
    }
    return {Outcome::TooLong, 0, "", {}};
  }

  static int64_t ScalarOf(const Function &f, ValueId value, int64_t number) {
    const Type &type = typeOf(f.typeOf(value));
    return type.kind == TypeKind::Int || type.kind == TypeKind::Bool
               ? ScalarConstant::ofInt(f.typeOf(value), number).bits
               : number;
  }

  std::string compute(const Function &f, const Inst &inst, Values &values, bool &raised) {
    auto in = [&](size_t i) { return values[inst.operands[i].value]; };
    auto out = [&](int64_t value) { values[inst.result.value] = value; };
    auto size = static_cast<int64_t>(memory_.size());
    switch (inst.op) {
    case Opcode::Const: out(scalarOf(inst).value_or(ScalarConstant()).bits); return {};
    case Opcode::Undef: case Opcode::ArrayView: case Opcode::PollSignals: case Opcode::CheckStack:
      if (inst.result.valid())
        out(0);
      return {};
    case Opcode::Select: out(in(0) != 0 ? in(1) : in(2)); return {};
    case Opcode::ArrayDim: out(size); return {};
    case Opcode::WrapIndex: out(in(0) < 0 ? in(0) + in(1) : in(0)); return {};
    case Opcode::CheckIndex: raised = in(0) < 0 || in(0) >= in(1); return {};
    case Opcode::CheckNonZero: raised = in(0) == 0; return {};
    case Opcode::CheckTrue: raised = in(0) == 0; return {};
    case Opcode::ArrayLoad:
      if (in(1) < 0 || in(1) >= size)
        return "index " + std::to_string(in(1));
      out(memory_[static_cast<size_t>(in(1))]);
      return {};
    case Opcode::ArrayStore:
      if (in(1) < 0 || in(1) >= size)
        return "index " + std::to_string(in(1));
      memory_[static_cast<size_t>(in(1))] = in(2);
      return {};
    case Opcode::IFloorDiv: case Opcode::IMod:
      if (in(1) == 0)
        return "zero divisor";
      break;
    default: break;
    }
    ScalarConstant operands[3];
    for (size_t i = 0; i < inst.operands.size(); ++i)
      operands[i] = {f.typeOf(inst.operands[i]), in(i)};
    auto result = fold(inst, {operands, inst.operands.size()});
    if (!result)
      return "not known to the interpreter";
    out(result->bits);
    return checkFlags(f, inst, in(0), inst.operands.size() > 1 ? in(1) : 0, result->bits);
  }

  std::string checkFlags(const Function &f, const Inst &inst, int64_t a, int64_t b, int64_t result) {
    if (inst.op != Opcode::IAdd && inst.op != Opcode::ISub && inst.op != Opcode::IMul)
      return {};
    const Type &type = typeOf(inst.type);
    auto exact = [&](__int128 x, __int128 y) { return inst.op == Opcode::IAdd ? x + y : inst.op == Opcode::ISub ? x - y : x * y; };
    uint64_t mask = type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
    auto as_signed = [&](int64_t x) {
      return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - type.bits)) >> (64 - type.bits);
    };
    auto as_unsigned = [&](int64_t x) { return static_cast<__int128>(static_cast<uint64_t>(x) & mask); };
    wrapped_ = wrapped_ || (type.is_signed ? exact(as_signed(a), as_signed(b)) != as_signed(result)
                                           : exact(as_unsigned(a), as_unsigned(b)) != as_unsigned(result));
    if ((inst.attr & kNoWrapSigned) != 0 && exact(as_signed(a), as_signed(b)) != as_signed(result))
      return "nsw does not hold";
    if ((inst.attr & kNoWrapUnsigned) != 0 && exact(as_unsigned(a), as_unsigned(b)) != as_unsigned(result))
      return "nuw does not hold";
    (void)f;
    return {};
  }

  const Module &module_;
  std::vector<int64_t> memory_;
  int steps_;
  bool wrapped_ = false;
};

} // namespace naja::passes::testing
