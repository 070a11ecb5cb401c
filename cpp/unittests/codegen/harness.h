// Compiles NIR to callable code, for tests: build or parse -> codegen -> image -> (serialise and back) -> load.
#pragma once

#include "naja/codegen/codegen.h"
#include "naja/ir/function.h"
#include "naja/jit/make_image.h"
#include "naja/runtime/abi.h"
#include "naja/store/image.h"

#include <gtest/gtest.h>

#include <string>

namespace naja::testing {

class Program {
public:
  Program(const ir::Module &module, int opt_level, bool keep_texts = false);
  bool ok() const { return entry_ != nullptr; }
  template <class... Args> int32_t operator()(Args... args) const {
    return reinterpret_cast<int32_t (*)(Args...)>(entry_)(args...);
  }
  const codegen::Object &object() const { return object_; }

private:
  codegen::Object object_;
  std::unique_ptr<store::LoadedImage> image_;
  void *entry_ = nullptr;
};

/// A module with one function of these parameters; `body` emits it.
template <class Body>
std::unique_ptr<ir::Module> makeFunction(std::vector<TypeId> params, TypeId result, Body body, ir::FunctionFlags flags = {}) {
  auto module = std::make_unique<ir::Module>();
  auto function = std::make_unique<ir::Function>();
  function->name = "f";
  function->file = "test.py";
  function->typed = true;
  function->param_types = params;
  function->return_type = result;
  function->flags = flags;
  ir::BlockId entry = function->addBlock();
  std::vector<ir::ValueId> values;
  for (TypeId type : params) values.push_back(function->addParam(entry, type));
  ir::Builder builder(*function, entry);
  body(builder, values);
  module->root = module->add(std::move(function));
  return module;
}

/// Text of the pending exception ("IndexError: ..."), or "".
std::string takeException();

} // namespace naja::testing
