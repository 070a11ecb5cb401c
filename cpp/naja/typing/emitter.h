// Emission of typed NIR: the services that rules see (library::Emitter), constants and conversions. One emitter a
// function; the module's state (functions made, kernels by key) is the ModuleBuilder's.
#pragma once

#include "naja/typing/specialisation.h"

#include <unordered_map>

namespace naja::typing {

/// The module being made: which specialisation has become which function, and kernels by key.
class ModuleBuilder {
public:
  ModuleBuilder() : module(std::make_unique<ir::Module>()) {}

  std::unique_ptr<ir::Module> module;
  /// The function of a specialisation, declared with its types where it is new; its body is made later.
  ir::FunctionId functionOf(const Specialisation &spec);
  /// The next specialisation whose body is to be made, or null.
  const Specialisation *next();
  std::unordered_map<std::string, ir::FunctionId> kernels;

private:
  std::unordered_map<const Specialisation *, ir::FunctionId> functions_;
  std::vector<const Specialisation *> pending_;
};

class FunctionEmitter : public library::Emitter {
public:
  FunctionEmitter(ModuleBuilder &module, ir::Function &function)
      : module_(module), out_(function), builder_(function) {}

  ir::Builder &builder() override { return builder_; }
  ir::Module &module() override { return *module_.module; }
  const ir::FunctionFlags &flags() const override { return out_.flags; }
  ir::BlockId newBlock() override { return out_.addBlock(); }
  ir::ValueId convert(ir::ValueId value, TypeId to) override;
  ir::FunctionId
  kernel(const std::string &key, std::span<const TypeId> params, TypeId result,
         const std::function<ir::ValueId(library::Emitter &, std::span<const ir::ValueId>)> &body) override;

  /// A constant as a value of this type: one `const` a block, or what makes it (tuples, slices).
  ir::ValueId materialise(ConstId constant, TypeId type);
  /// The function of a specialisation, to be called.
  ir::FunctionId functionOf(const Specialisation &spec) { return module_.functionOf(spec); }
  /// Item of a tuple: the operand that made it where that is visible.
  ir::ValueId item(ir::ValueId tuple, unsigned index);

protected:
  ir::ValueId undefined(TypeId type);

  ModuleBuilder &module_;
  ir::Function &out_;
  ir::Builder builder_;

private:
  ir::ValueId convertTuple(ir::ValueId value, TypeId to);
  ir::ValueId materialiseSlice(const ConstSlice &slice, TypeId type);

  struct Cached {
    ir::BlockId block;
    ir::ValueId value;
  };
  std::unordered_map<uint64_t, Cached> constants_; // by constant and type; valid in its block only
};

} // namespace naja::typing
