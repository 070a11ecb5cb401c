// Values of naja-run's directives: read from text by type, compared, shown. Cells are the machine scalars of a value
// (naja/ir/interpreter.h); arrays that the text writes live in a Memory.
#pragma once

#include "naja/ir/interpreter.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace naja::run {

/// Buffers of array arguments.
class Memory {
public:
  void *allocate(size_t bytes);
  /// Makes them known to an interpreter.
  void show(ir::Interpreter &interpreter) const;

private:
  struct Buffer { std::unique_ptr<char[]> bytes; size_t size; };
  std::vector<Buffer> buffers_;
};

/// Reads a value of the type at the start of `text`, which is advanced past it: `3`, `-0.5`, `nan`, `(1+2j)`, `None`, tuples in
/// parentheses, arrays in brackets. False on a syntax error.
bool parseValue(std::string_view &text, TypeId type, Memory &memory, ir::Cells &out);

/// Equal bit by bit (a NaN is equal to any); with `ulps`, floats may differ by so many units in the last place. Arrays are
/// compared by shape and elements.
bool same(TypeId type, const ir::Cells &a, const ir::Cells &b, uint64_t ulps);

/// A value as a directive would write it.
std::string show(TypeId type, const ir::Cells &cells);

} // namespace naja::run
