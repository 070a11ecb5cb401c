#include "naja/ir/interpreter.h"

#include "naja/ir/interpreter_internal.h"
#include "naja/types/layout.h"

namespace naja::ir {
namespace interpret {
namespace {

constexpr int kMaxDepth = 400;
constexpr int64_t kMaxSteps = 20'000'000;
constexpr size_t kMaxBytes = size_t{1} << 26;

const Handlers &handlers() {
  static const Handlers table = [] {
    Handlers all{};
    addControl(all);
    addIntegers(all);
    addFloats(all);
    addMath(all);
    addConversions(all);
    addAggregates(all);
    addMemory(all);
    return all;
  }();
  return table;
}

std::string exceptionName(ConstId constant) {
  const ConstantValue &value = ConstantStore::global().get(constant).value;
  const auto *exception = std::get_if<ExceptionRef>(&value);
  return exception != nullptr ? exception->name : toString(constant);
}

// ------------------------------------------------------------------------------------------------- control and calls

void constant(Machine &machine, Frame &frame, const Inst &inst) {
  frame.define(inst, constantCells(machine, inst.constant(), inst.type));
}
void undefined(Machine &, Frame &frame, const Inst &inst) { frame.define(inst, Cells(scalarsOf(inst.type).size(), 0)); }

void call(Machine &machine, Frame &frame, const Inst &inst) {
  const Function &callee = machine.module.get(inst.function());
  if (callee.external)
    return machine.complain("@" + callee.name + " has no body");
  std::vector<Cells> args;
  for (ValueId operand : inst.operands)
    args.push_back(frame.values[operand.value]);
  Cells result = machine.call(callee, args);
  if (!machine.raised.empty() && !inst.mayRaise())
    return machine.complain("a call that is marked no_raise raises " + machine.raised);
  frame.define(inst, std::move(result));
}

void callRuntime(Machine &machine, Frame &frame, const Inst &inst) {
  Cells args;
  for (ValueId operand : inst.operands)
    args.insert(args.end(), frame.values[operand.value].begin(), frame.values[operand.value].end());
  uint64_t result = 0;
  std::string_view symbol = symbolText(inst.symbol());
  if (machine.runtime == nullptr || !machine.runtime(symbol, args, &result))
    return machine.complain("not interpreted: call.runtime " + std::string(symbol));
  frame.define(inst, Cells{result});
}

void nothing(Machine &, Frame &, const Inst &) {}

void checkNonZero(Machine &machine, Frame &frame, const Inst &inst) {
  auto scalars = scalarsOf(frame.typeOf(inst, 0));
  const Cells &cells = frame.cells(inst, 0);
  for (size_t i = 0; i < cells.size(); ++i) {
    uint64_t sign = isFloat(scalars[i]) ? uint64_t{1} << (8U * sizeOf(scalars[i]) - 1U) : 0; // -0.0 is zero too
    if ((cells[i] & ~sign) != 0)
      return;
  }
  machine.raise("ZeroDivisionError");
}
void checkTrue(Machine &machine, Frame &frame, const Inst &inst) {
  if (frame.cell(inst, 0) == 0)
    machine.raise(exceptionName(inst.constant()));
}
void checkBound(Machine &machine, Frame &frame, const Inst &inst) {
  const Cells &cells = frame.cells(inst, 0);
  if (cells.empty() || cells[0] == 0)
    return machine.raise("UnboundLocalError");
  frame.define(inst, Cells(cells.begin() + 1, cells.end()));
}

} // namespace

void addControl(Handlers &handlers) {
  auto set = [&](Opcode op, Handler handler) { handlers[static_cast<size_t>(op)] = handler; };
  set(Opcode::Const, constant);
  set(Opcode::Undef, undefined);
  set(Opcode::Call, call);
  set(Opcode::CallRuntime, callRuntime);
  set(Opcode::CheckNonZero, checkNonZero);
  set(Opcode::CheckTrue, checkTrue);
  set(Opcode::CheckBound, checkBound);
  for (Opcode op : {Opcode::PollSignals, Opcode::CheckStack, Opcode::IncRef, Opcode::DecRef, Opcode::ParallelMark})
    set(op, nothing);
}

// -------------------------------------------------------------------------------------------------------- the machine

Cells Machine::call(const Function &function, std::span<const Cells> args) {
  if (++depth_ > kMaxDepth) {
    --depth_;
    raise("RecursionError");
    return {};
  }
  Frame frame{function, std::vector<Cells>(function.numValues()), {}};
  const Block &entry = function.block(function.entry());
  for (size_t i = 0; i < entry.params.size(); ++i)
    frame.values[entry.params[i].value] = args[i];
  Cells result;
  for (BlockId id = function.entry(); id.valid();)
    id = block(frame, id, result);
  --depth_;
  return result;
}

BlockId Machine::block(Frame &frame, BlockId id, Cells &result) {
  const Function &f = frame.function;
  for (InstId inst_id : f.block(id).insts) {
    const Inst &inst = f.inst(inst_id);
    if (++steps_ > kMaxSteps)
      complain("it does not end");
    else if (info(inst.op).is_terminator)
      return terminator(frame, inst, result);
    else if (Handler handler = handlers()[static_cast<size_t>(inst.op)]; handler != nullptr)
      handler(*this, frame, inst);
    else
      complain("not interpreted: " + std::string(info(inst.op).text));
    if (stopped())
      return {};
    if (!raised.empty())
      return unwind(frame, inst);
  }
  complain("a block without a terminator");
  return {};
}

BlockId Machine::terminator(Frame &frame, const Inst &inst, Cells &result) {
  switch (inst.op) {
  case Opcode::Br: return follow(frame, inst.edges[0]);
  case Opcode::CondBr: return follow(frame, inst.edges[frame.cell(inst, 0) != 0 ? 0 : 1]);
  case Opcode::Return: result = frame.cells(inst, 0); return {};
  case Opcode::Raise: raise(exceptionName(inst.constant())); return unwind(frame, inst);
  case Opcode::Resume:
    raise(frame.in_flight);
    if (raised.empty())
      complain("resume without an exception");
    return {};
  default: complain("reached " + std::string(info(inst.op).text)); return {};
  }
}

BlockId Machine::unwind(Frame &frame, const Inst &inst) {
  if (!inst.mayRaise())
    complain(std::string(info(inst.op).text) + " is marked no_raise and raises " + raised);
  if (stopped() || !inst.unwind.valid())
    return {};
  frame.in_flight = std::move(raised);
  raised.clear();
  return inst.unwind;
}

BlockId Machine::follow(Frame &frame, const Edge &edge) {
  std::vector<Cells> args; // all are read before any parameter is written
  for (ValueId arg : edge.args)
    args.push_back(frame.values[arg.value]);
  const Block &target = frame.function.block(edge.target);
  for (size_t i = 0; i < args.size(); ++i)
    frame.values[target.params[i].value] = std::move(args[i]);
  return edge.target;
}

char *Machine::memory(uint64_t address, size_t bytes) {
  for (const Region &region : regions_) {
    if (address >= region.start && address - region.start <= region.size && region.size - (address - region.start) >= bytes)
      return reinterpret_cast<char *>(address); // NOLINT(performance-no-int-to-ptr)
  }
  complain("an access outside of all buffers");
  return nullptr;
}

uint64_t Machine::allocate(size_t bytes) {
  if (bytes > kMaxBytes) {
    complain("an array too large to interpret");
    return 0;
  }
  owned_.push_back(std::make_unique<char[]>(bytes + 1));
  auto start = reinterpret_cast<uint64_t>(owned_.back().get());
  regions_.push_back({start, bytes});
  return start;
}

} // namespace interpret

struct Interpreter::Impl : interpret::Machine {
  using Machine::Machine;
};

Interpreter::Interpreter(const Module &module) : impl_(std::make_unique<Impl>(module)) {}
Interpreter::~Interpreter() = default;
void Interpreter::setRuntime(Runtime runtime) { impl_->runtime = runtime; }
void Interpreter::addMemory(void *start, size_t bytes) {
  impl_->regions_.push_back({reinterpret_cast<uint64_t>(start), bytes});
}

Outcome Interpreter::run(FunctionId id, const Cells &args) {
  const Function &function = impl_->module.get(id);
  std::vector<Cells> values;
  size_t at = 0;
  for (TypeId type : function.param_types) {
    size_t count = scalarsOf(type).size();
    auto first = args.begin() + static_cast<std::ptrdiff_t>(at);
    values.emplace_back(first, first + static_cast<std::ptrdiff_t>(count));
    at += count;
  }
  impl_->raised.clear();
  impl_->problem.clear();
  impl_->steps_ = 0;
  Outcome outcome;
  outcome.result = impl_->call(function, values);
  outcome.raised = impl_->raised;
  outcome.problem = impl_->problem;
  if (outcome.problem.empty() && !outcome.raised.empty() && !function.may_raise)
    outcome.problem = "a function that is marked no_raise raises " + outcome.raised;
  return outcome;
}

} // namespace naja::ir
