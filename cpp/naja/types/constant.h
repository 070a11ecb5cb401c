// Compile-time values: literals of the bytecode, frozen globals and closure cells, folded results. Interned: equal
// constants have equal ids (0.0 and -0.0, 1 and True and 1.0 are different constants; every NaN bit pattern its own).
#pragma once

#include "naja/support/ids.h"
#include "naja/types/type.h"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace naja {

struct ConstTag;
using ConstId = Id<ConstTag>;

/// A Python object kept alive by the handle table of bindings; opaque everywhere else.
struct PyHandleTag;
using PyHandle = Id<PyHandleTag>;

/// An int outside int64 and uint64 is kept as its decimal text: it may only be used where Python could (a diagnostic).
struct BigInt {
  std::string decimal;
  bool operator==(const BigInt &) const = default;
};

struct Ellipsis { bool operator==(const Ellipsis &) const = default; };
struct Bytes { std::string data; bool operator==(const Bytes &) const = default; };
struct ConstTuple { std::vector<ConstId> items; PyHandle named_class; bool operator==(const ConstTuple &) const = default; };

/// A module: attributes are asked of Python when first needed (see typing: NeedsPython).
struct ModuleRef { std::string name; PyHandle handle; bool operator==(const ModuleRef &) const = default; };

/// A callable that the builtin table knows by its canonical name ("numpy.sqrt", "builtins.range", "math.sin").
struct BuiltinRef { std::string name; PyHandle handle; bool operator==(const BuiltinRef &) const = default; };

/// A Python function that can be compiled: plain, or the py_func of a dispatcher (with its options).
struct FunctionRef { PyHandle function; PyHandle dispatcher; std::string name; bool operator==(const FunctionRef &) const = default; };

/// An exception class.
struct ExceptionRef { std::string name; PyHandle handle; bool operator==(const ExceptionRef &) const = default; };

/// A naja type, NumPy scalar class (numpy.float64) or dtype object used as a value; `type` is what it denotes.
struct TypeRef { TypeId type; bool is_dtype = false; PyHandle handle; bool operator==(const TypeRef &) const = default; };

/// A namedtuple class: calling it makes a named tuple.
struct NamedTupleClass { PyHandle handle; std::string name; std::vector<std::string> fields; bool operator==(const NamedTupleClass &) const = default; };

/// A frozen array: read-only in compiled code; the object is kept alive and its data used in place.
struct ArrayRef { PyHandle handle; TypeId type; uint64_t data = 0; std::vector<int64_t> shape, strides; bool operator==(const ArrayRef &) const = default; };

/// Any other object; typing asks `typeof` of Python, or refuses it by its class name.
struct ObjectRef { PyHandle handle; std::string class_name; bool operator==(const ObjectRef &) const = default; };

/// Slice literal (only with constant parts).
struct ConstSlice { ConstId start, stop, step; bool operator==(const ConstSlice &) const = default; };

struct Null { bool operator==(const Null &) const = default; };  // Python None

using ConstantValue = std::variant<Null, bool, int64_t, uint64_t, double, std::complex<double>, std::string, Bytes,
                                   ConstTuple, Ellipsis, BigInt, ModuleRef, BuiltinRef, FunctionRef, ExceptionRef,
                                   TypeRef, NamedTupleClass, ArrayRef, ObjectRef, ConstSlice>;

/// A constant with the type it has when it is no longer a literal (int64 for 3; float32 for np.float32(3)). `weak` marks
/// Python int, float and complex literals and frozen globals (NEP 50); NumPy scalars are strong.
struct Constant {
  ConstantValue value;
  TypeId type;
  bool weak = false;
  bool operator==(const Constant &) const = default;
};

/// Interns constants. Thread-safe; references stay valid for the life of the process.
class ConstantStore {
public:
  ConstantStore();
  ~ConstantStore();
  ConstId intern(Constant constant);
  const Constant &get(ConstId id) const;
  size_t size() const;

  ConstId none();
  ConstId ofBool(bool value);
  /// A weak Python int of type int64 (uint64 above its range).
  ConstId ofInt(int64_t value);
  ConstId ofFloat(double value);
  ConstId ofString(std::string_view value);
  ConstId ofType(TypeId type);
  /// A tuple constant; its type is the tuple of the items' types.
  ConstId ofTuple(std::vector<ConstId> items);

  /// The process-wide store. `_compiler` installs the one of `_core` when it is loaded.
  static ConstantStore &global();
  static void install(ConstantStore *store);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Text of a constant in NIR and diagnostics: `None`, `True`, `3`, `0.5`, `'abc'`, `(1, 2)`, `<module numpy>`,
/// `<function f>`.
std::string toString(ConstId id);

} // namespace naja
