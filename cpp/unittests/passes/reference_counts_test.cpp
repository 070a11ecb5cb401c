// Random functions are run symbolically after the pass: every object's count is followed along random paths, exceptions
// included. No use after release, nothing leaks, results are owned by the caller.
#include "naja/passes/reference_counts.h"

#include "naja/types/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace naja::passes {
namespace {

using namespace ir;

class Simulator {
public:
  Simulator(const Function &function, unsigned seed) : f_(function), random_(seed) {}

  /// The first thing that went wrong; empty: nothing (or the path was too long to end).
  std::string run() {
    for (ValueId param : f_.block(f_.entry()).params) {
      for (size_t i = 0; i < referencesOf(f_.typeOf(param)).size(); ++i)
        values_[param.value].push_back(newObject());
    }
    arguments_ = counts_.size();
    BlockId block = f_.entry();
    for (int steps = 0; steps < 300 && error_.empty(); ++steps) {
      if (!runBlock(block))
        return error_.empty() && finished_ ? balance() : error_;
    }
    return error_;
  }

private:
  using Objects = std::vector<int>;
  int newObject() {
    counts_.push_back(1);
    return static_cast<int>(counts_.size()) - 1;
  }
  void touch(const Objects &objects, const char *what) {
    for (int object : objects) {
      if (object >= 0 && counts_[static_cast<size_t>(object)] < 1)
        error_ = std::string(what) + " of a released object";
    }
  }

  /// Runs to the terminator or an exception; false where the function ends.
  bool runBlock(BlockId &block) {
    for (InstId id : f_.block(block).insts) {
      const Inst &inst = f_.inst(id);
      for (ValueId operand : inst.operands) {
        if (inst.op != Opcode::IncRef && inst.op != Opcode::DecRef)
          touch(values_[operand.value], "use");
      }
      if (inst.op == Opcode::IncRef || inst.op == Opcode::DecRef) {
        touch(values_[inst.operands[0].value], "count");
        for (int object : values_[inst.operands[0].value]) {
          if (object >= 0)
            counts_[static_cast<size_t>(object)] += inst.op == Opcode::IncRef ? 1 : -1;
        }
        continue;
      }
      if (inst.op == Opcode::Return || inst.op == Opcode::Raise || inst.op == Opcode::Resume) {
        for (ValueId operand : inst.operands) {
          auto &objects = values_[operand.value];
          given_.insert(given_.end(), objects.begin(), objects.end());
        }
        finished_ = true;
        return false;
      }
      if (inst.op == Opcode::Br || inst.op == Opcode::CondBr) {
        const Edge &edge = inst.edges[inst.edges.size() == 1 ? 0 : random_() % 2];
        take(edge);
        block = edge.target;
        return true;
      }
      if (inst.mayRaise() && random_() % 8 == 0) {
        finished_ = true;
        block = inst.unwind;
        return block.valid();
      }
      compute(inst);
    }
    return false;
  }

  void take(const Edge &edge) {
    std::vector<Objects> incoming;
    for (ValueId arg : edge.args) {
      touch(values_[arg.value], "passing");
      incoming.push_back(values_[arg.value]);
    }
    for (size_t i = 0; i < incoming.size(); ++i)
      values_[f_.block(edge.target).params[i].value] = incoming[i];
  }

  void compute(const Inst &inst) {
    if (!inst.result.valid())
      return;
    Objects &out = values_[inst.result.value];
    out.clear();
    size_t slots = referencesOf(inst.type).size();
    auto of = [&](size_t i) { return values_[inst.operands[i].value]; };
    if (inst.op == Opcode::ArrayAlloc || inst.op == Opcode::Call) {
      for (size_t i = 0; i < slots; ++i)
        out.push_back(newObject());
    } else if (inst.op == Opcode::TupleMake) {
      for (size_t i = 0; i < inst.operands.size(); ++i) {
        Objects item = of(i);
        out.insert(out.end(), item.begin(), item.end());
      }
    } else if (inst.op == Opcode::TupleGet) {
      out.push_back(of(0)[static_cast<size_t>(inst.attr)]);
    } else if (inst.op == Opcode::Select) {
      out = of(1 + random_() % 2);
    } else if (inst.op == Opcode::Undef || inst.op == Opcode::Const) {
      out.assign(slots, -1);
    } else if (slots > 0) {
      out = of(0);
      out.resize(slots, -1);
    }
  }

  std::string balance() {
    for (int object : given_) {
      if (object >= 0)
        --counts_[static_cast<size_t>(object)];
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] != (i < arguments_ ? 1 : 0))
        return (i < arguments_ ? "argument " : "object ") + std::to_string(i) + " ends with " + std::to_string(counts_[i]);
    }
    return {};
  }

  const Function &f_;
  std::minstd_rand random_;
  std::map<uint32_t, Objects> values_;
  std::vector<int> counts_;
  std::vector<int> given_;
  size_t arguments_ = 0;
  bool finished_ = false;
  std::string error_;
};

/// A random function over arrays and pairs of arrays: any control flow, views, selects, swaps, raising calls.
class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Module make() {
    TypeStore &s = types();
    array_ = s.array(s.float64, 1, Layout::C);
    strided_ = s.array(s.float64, 1, Layout::A);
    pair_ = s.uniTuple(array_, 2);
    Module module;
    module.add(std::make_unique<Function>());
    auto callee = std::make_unique<Function>();
    callee->name = "callee";
    callee->typed = callee->external = true;
    callee->return_type = pair_;
    callee_ = module.add(std::move(callee));
    f_ = module.functions[0].get();
    f_->name = "f";
    f_->typed = true;
    f_->return_type = pick(2) == 0 ? array_ : pair_;
    f_->param_types = {array_, pair_, s.boolean, s.int64};
    size_t blocks = 2 + pick(6);
    for (size_t b = 0; b < blocks; ++b)
      f_->addBlock();
    for (TypeId type : f_->param_types)
      f_->addParam(f_->entry(), type);
    for (uint32_t b = 1; b < blocks; ++b) {
      for (size_t p = pick(4); p > 0; --p)
        f_->addParam(BlockId(b), pick(3) == 0 ? pair_ : array_);
    }
    for (uint32_t b = 0; b < blocks; ++b)
      fill(BlockId(b), blocks);
    return module;
  }

private:
  size_t pick(size_t n) { return random_() % n; }

  ValueId any(TypeId type) {
    std::vector<ValueId> found;
    for (ValueId value : available_) {
      if (f_->typeOf(value) == type)
        found.push_back(value);
    }
    return found[pick(found.size())];
  }

  void fill(BlockId block, size_t blocks) {
    available_ = entry_;
    for (ValueId param : f_->block(block).params)
      available_.push_back(param);
    Builder b(*f_, block);
    for (size_t i = 2 + pick(6); i > 0; --i)
      instruction(b);
    if (block == f_->entry())
      entry_ = available_;
    size_t kind = block == f_->entry() ? 1 + pick(3) : pick(5);
    if (kind == 0) {
      b.ret(any(f_->return_type));
    } else if (kind == 4 && pick(3) == 0) {
      b.raise(ConstantStore::global().none(), std::vector<ValueId>{any(array_)});
    } else {
      Edge first = edge(blocks), second = edge(blocks);
      if (kind == 1)
        b.br(first.target, first.args);
      else
        b.condBr(any(types().boolean), first.target, first.args, second.target, second.args);
    }
  }

  Edge edge(size_t blocks) {
    Edge edge;
    edge.target = BlockId(static_cast<uint32_t>(1 + pick(blocks - 1)));
    for (ValueId param : f_->block(edge.target).params)
      edge.args.push_back(any(f_->typeOf(param)));
    return edge;
  }

  void instruction(Builder &b) {
    ValueId n = any(types().int64), a = any(array_);
    ValueId made;
    switch (pick(8)) {
    case 0: made = b.emit(Opcode::ArrayAlloc, array_, {n}); break;
    case 1: made = b.call(callee_, pair_, {}); break;
    case 2: made = b.tupleMake(std::vector<ValueId>{a, any(array_)}); break;
    case 3: made = b.tupleGet(any(pair_), static_cast<unsigned>(pick(2))); break;
    case 4: made = b.select(any(types().boolean), a, any(array_)); break;
    case 5:
      b.emit(Opcode::CheckIndex, {}, {n, b.dim(a, 0)});
      return;
    case 6: {
      ValueId view = b.emit(Opcode::ArrayView, strided_, {a});
      b.last().int_list = {kViewFull};
      b.emit(Opcode::ArrayLoad, types().float64, {view, n});
      made = b.emit(Opcode::ArrayRestride, array_, {a, n, n});
      break;
    }
    default: b.emit(Opcode::ArrayLoad, types().float64, {a, n}); return;
    }
    available_.push_back(made);
  }

  std::minstd_rand random_;
  Function *f_ = nullptr;
  FunctionId callee_;
  TypeId array_, strided_, pair_;
  std::vector<ValueId> available_, entry_;
};

TEST(ReferenceCounts, RandomFunctionsBalance) {
  int ended = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Module module = Generator(seed).make();
    std::string before = print(module);
    auto errors = verify(module);
    ASSERT_TRUE(errors.empty()) << errors[0] << "\n" << before;
    referenceCounts(module);
    errors = verify(module);
    ASSERT_TRUE(errors.empty()) << "seed " << seed << "\n" << errors[0] << "\n" << before << print(module);
    for (unsigned path = 1; path <= 20; ++path) {
      std::string error = Simulator(*module.functions[0], seed * 31 + path).run();
      ASSERT_EQ(error, "") << "seed " << seed << "\n" << before << print(module);
      ++ended;
    }
  }
  EXPECT_EQ(ended, 60000);
}

std::string counts(const std::string &text) {
  auto parsed = parseModule(text);
  if (auto *error = std::get_if<ParseError>(&parsed))
    return std::to_string(error->line) + ": " + error->message;
  Module &module = *std::get<0>(parsed);
  referenceCounts(module);
  for (const std::string &error : verify(module))
    return error;
  return print(module);
}

TEST(ReferenceCounts, SwappingInALoopMoves) {
  std::string out = counts(R"(func @f(n: int64, c: bool) -> array(float64, 1d, C) [typed] {
bb0(%n: int64, %c: bool):
  %a = array.alloc #0 %n : array(float64, 1d, C)
  %b = array.alloc #0 %n : array(float64, 1d, C)
  br bb1(%a, %b)
bb1(%x: array(float64, 1d, C), %y: array(float64, 1d, C)):
  cond_br %c, bb1(%y, %x), bb2
bb2:
  return %x
}
)");
  EXPECT_EQ(out.find("incref"), std::string::npos) << out;
  // %b where the second allocation fails, %y after the loop.
  EXPECT_EQ(out.find("decref"), out.find("decref %5")) << out;
}

TEST(ReferenceCounts, ReturningAViewMovesItsRoot) {
  std::string out = counts(R"(func @f(n: int64) -> Tuple(array(float64, 1d, A), array(float64, 1d, C)) [typed] {
bb0(%n: int64):
  %a = array.alloc #0 %n : array(float64, 1d, C)
  %b = array.alloc #0 %n : array(float64, 1d, C) no_raise
  %v = array.view [1] %a, %n, %n, %n : array(float64, 1d, A)
  %t = tuple.make %v, %b : Tuple(array(float64, 1d, A), array(float64, 1d, C))
  return %t
}
)");
  EXPECT_EQ(out.find("incref"), std::string::npos) << out;
  EXPECT_EQ(out.find("decref"), std::string::npos) << out;
}

TEST(ReferenceCounts, ReturnedArgumentIsCounted) {
  std::string out = counts(R"(func @f(a: array(float64, 1d, C)) -> array(float64, 1d, C) [typed] {
bb0(%a: array(float64, 1d, C)):
  return %a
}
)");
  EXPECT_NE(out.find("incref %0"), std::string::npos) << out;
}

} // namespace
} // namespace naja::passes
