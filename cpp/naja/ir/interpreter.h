// Executes typed NIR by walking it: the oracle of naja-run, which holds code generation against it. It covers the scalar and
// memory core alone (control flow, calls, raise; integers, floats, complex numbers, tuples, optionals, slices; loads and
// stores of arrays over small buffers); elementwise instructions, strings and Python objects are not interpreted, on
// purpose: this must not become a second implementation of everything.
//
// It is stricter than the machine: a wrapped iadd that claims not to wrap, an access outside the buffers it knows and a
// use of what is undefined are problems, not results. Owns the memory that the program allocates.
#pragma once

#include "naja/ir/function.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace naja::ir {

/// A value as its machine scalars in the order of types/layout.h, each as its bits, zero-extended.
using Cells = std::vector<uint64_t>;

struct Outcome {
  Cells result;
  std::string raised;  // name of the exception's class; empty: it returned
  std::string problem; // what is wrong with the program (or not interpreted); then nothing else counts
};

class Interpreter {
public:
  explicit Interpreter(const Module &module);
  ~Interpreter();

  /// Memory of the caller that the program may use.
  void addMemory(void *start, size_t bytes);
  /// How call.runtime computes: false where it does not know the symbol. Only integers go in and come out.
  using Runtime = bool (*)(std::string_view symbol, std::span<const uint64_t> args, uint64_t *result);
  void setRuntime(Runtime runtime);

  /// `args`: the cells of all parameters, one after the other. What arrays point to lives as long as the interpreter.
  Outcome run(FunctionId function, const Cells &args);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace naja::ir
