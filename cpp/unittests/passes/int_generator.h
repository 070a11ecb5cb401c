// Random typed functions over integers of several widths: loops over ranges, branches, checks, array accesses.
#pragma once

#include "naja/ir/function.h"

#include <algorithm>
#include <random>
#include <vector>

namespace naja::passes::testing {

using namespace ir;

/// f(a: int64, b: int64, c: int8, d: uint8, v: array(int64, 1d, C)) -> int64. Structured: every loop ends or runs over
/// small bounds; loops are what typing makes of `for i in range`.
class IntGenerator {
public:
  explicit IntGenerator(unsigned seed) : random_(seed) {}

  Module make() {
    TypeStore &s = types();
    kinds_ = {s.int64, s.int64, s.int8, s.uint8, s.boolean};
    Module module;
    module.add(std::make_unique<Function>());
    f_ = module.functions[0].get();
    f_->name = "f";
    f_->typed = true;
    f_->return_type = s.int64;
    f_->param_types = {s.int64, s.int64, s.int8, s.uint8, s.array(s.int64, 1, Layout::C)};
    BlockId entry = f_->addBlock();
    for (TypeId type : f_->param_types)
      f_->addParam(entry, type);
    const auto &params = f_->block(entry).params;
    scope_.assign(params.begin(), params.begin() + 4);
    array_ = params[4];
    Builder b(*f_, entry);
    dim_ = b.dim(array_, 0);
    scope_.push_back(dim_);
    for (int i = 0; i < 3; ++i)
      scope_.push_back(literal(b, s.int64));
    scope_.push_back(literal(b, s.int8));
    scope_.push_back(literal(b, s.uint8));
    scope_.push_back(b.boolConst(pick(2) == 0));
    statements(b, 3, 4 + pick(5));
    b.ret(any(s.int64));
    return module;
  }

private:
  size_t pick(size_t n) { return random_() % n; }

  ValueId literal(Builder &b, TypeId type) {
    constexpr int64_t kValues[] = {0, 1, -1, 2, 3, 5, 7, -2, 10, 100, 127, -128, INT64_MAX, INT64_MIN};
    int64_t value = kValues[pick(type == types().int64 ? 14 : 10)];
    if (type == types().uint8)
      value &= 0xff;
    return b.intConst(value, type);
  }

  ValueId any(TypeId type) {
    std::vector<ValueId> found;
    for (ValueId value : scope_) {
      if (f_->typeOf(value) == type)
        found.push_back(value);
    }
    // Recent values first: expressions grow deep.
    size_t n = found.size();
    return pick(2) == 0 ? found[n - 1 - pick(std::min<size_t>(n, 4))] : found[pick(n)];
  }
  TypeId anyType() { return kinds_[pick(kinds_.size())]; }
  TypeId anyInt() { return kinds_[pick(4)]; }

  void statements(Builder &b, int depth, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      size_t kind = pick(12);
      if (kind == 0 && depth > 0)
        loop(b, depth);
      else if (kind == 1 && depth > 0)
        branch(b, depth);
      else if (kind == 2)
        access(b);
      else
        scope_.push_back(expression(b));
    }
  }

  ValueId expression(Builder &b) {
    TypeId type = anyInt();
    switch (pick(14)) {
    case 0: return b.icmp(static_cast<Predicate>(pick(6)), any(type), any(type));
    case 1: return b.emit(Opcode::Cast, anyType(), {any(anyType())});
    case 2: return b.select(any(types().boolean), any(type), any(type));
    case 3: return b.emit(pick(2) == 0 ? Opcode::IMin : Opcode::IMax, type, {any(type), any(type)});
    case 4: return literal(b, type);
    case 5: return b.emit(pick(2) == 0 ? Opcode::INeg : Opcode::INot, type, {any(type)});
    case 6: return b.emit(Opcode::INot, types().boolean, {any(types().boolean)});
    case 7: {
      constexpr Opcode kBits[] = {Opcode::IAnd, Opcode::IOr, Opcode::IXor};
      TypeId bits = anyType();
      return b.emit(kBits[pick(3)], bits, {any(bits), any(bits)});
    }
    case 8: return b.emit(pick(2) == 0 ? Opcode::IShl : Opcode::IShr, type, {any(type), any(type)});
    case 9: {
      ValueId divisor = any(type);
      b.emit(Opcode::CheckNonZero, {}, {divisor}, internSymbol("division by zero").value);
      return b.emit(pick(2) == 0 ? Opcode::IFloorDiv : Opcode::IMod, type, {any(type), divisor});
    }
    default: {
      constexpr Opcode kArithmetic[] = {Opcode::IAdd, Opcode::ISub, Opcode::IMul};
      return b.emit(kArithmetic[pick(3)], type, {any(type), any(type)});
    }
    }
  }

  void access(Builder &b) {
    ValueId index = b.emit(Opcode::WrapIndex, types().int64, {any(types().int64), dim_});
    b.emit(Opcode::CheckIndex, {}, {index, dim_}, 0);
    if (pick(2) == 0)
      b.emit(Opcode::ArrayStore, {}, {array_, index, any(types().int64)});
    else
      scope_.push_back(b.emit(Opcode::ArrayLoad, types().int64, {array_, index}));
  }

  /// for i in range(start, stop): the index is a parameter of the header, so is an accumulator.
  void loop(Builder &b, int depth) {
    TypeId i64 = types().int64;
    ValueId start = pick(2) == 0 ? b.int64(static_cast<int64_t>(pick(3))) : any(i64);
    ValueId stop = pick(3) == 0 ? any(i64) : pick(2) == 0 ? dim_ : b.int64(static_cast<int64_t>(pick(9)));
    ValueId initial = any(i64);
    BlockId header = f_->addBlock(), body = f_->addBlock(), exit = f_->addBlock();
    f_->block(header).is_loop_header = true;
    ValueId i = f_->addParam(header, i64), acc = f_->addParam(header, i64);
    b.br(header, {start, initial});
    b.setBlock(header);
    Predicate p = pick(4) == 0 ? Predicate::Le : pick(4) == 0 ? Predicate::Ne : Predicate::Lt;
    b.condBr(b.icmp(p, i, stop), body, {}, exit, {});
    b.setBlock(body);
    size_t mark = scope_.size();
    scope_.push_back(i);
    scope_.push_back(acc);
    statements(b, depth - 1, 1 + pick(4));
    ValueId next = b.iadd(i, b.int64(1), p == Predicate::Lt ? kNoWrapSigned : 0);
    b.br(header, {next, any(i64)});
    scope_.resize(mark);
    b.setBlock(exit);
    scope_.push_back(acc);
  }

  void branch(Builder &b, int depth) {
    TypeId i64 = types().int64;
    BlockId then = f_->addBlock(), otherwise = f_->addBlock(), join = f_->addBlock();
    b.condBr(any(types().boolean), then, {}, otherwise, {});
    ValueId merged;
    for (BlockId side : {then, otherwise}) {
      b.setBlock(side);
      size_t mark = scope_.size();
      statements(b, depth - 1, pick(3));
      if (pick(8) == 0)
        b.raise(ConstantStore::global().none(), std::vector<ValueId>{});
      else
        b.br(join, {any(i64)});
      scope_.resize(mark);
    }
    merged = f_->addParam(join, i64);
    b.setBlock(join);
    scope_.push_back(merged);
  }

  std::minstd_rand random_;
  Function *f_ = nullptr;
  std::vector<TypeId> kinds_;
  std::vector<ValueId> scope_;
  ValueId array_, dim_;
};

} // namespace naja::passes::testing
