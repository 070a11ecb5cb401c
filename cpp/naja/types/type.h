// The type lattice: interned, immutable, compared by id. Names and text forms are Numba's.
#pragma once

#include "naja/support/ids.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace naja {

struct TypeTag;
using TypeId = Id<TypeTag>;

enum class TypeKind : uint8_t {
  None,       // none
  Bool,       // bool
  Int,        // int8 .. uint64                       bits, is_signed
  Float,      // float16 (storage only), float32, float64        bits
  Complex,    // complex64, complex128                bits
  Optional,   // Optional(T)                          args[0]
  MaybeUnbound, // internal: a variable that may be unassigned; args[0]
  Tuple,      // Tuple(..), UniTuple(T x n), with `name`+`fields`: a named tuple (handle = class)   args
  Array,      // array(T, nd, layout[, readonly][, nonaligned])   args[0], ndim, layout, readonly, aligned
  Slice,      // slice<a:b>, slice<a:b:c>             ndim = 2 or 3 (members)
  Ellipsis,   // ellipsis
  String,     // unicode_type
  Bytes,      // bytes
  Range,      // range_state_T (an iterable of ints)  args = start, stop, step; offsets = the literal step or empty
  Iterator,   // internal: state machine of a for loop over args[0]; `name` says which: enumerate, zip, ndindex, ...
  Record,     // Record(...)                          fields, args, offsets, bits = itemsize, aligned
  NestedArray,// nestedarray(T, shape)                args[0], offsets = shape
  Function,   // a compilable function or dispatcher; `constant` says which
  Closure,    // an inner function with captured values: `constant` = code, args = captured types
  Builtin,    // Function(<builtin name>); `constant`
  BoundMethod,// a method of a value: args[0] = receiver, name
  Module,     // Module(numpy); `constant`
  NumberClass,// class(float64): a scalar class used as a value     args[0]
  DType,      // dtype(float64)                       args[0]
  TypeRef,    // typeref[T]: any other type used as a value         args[0]
  NamedTupleClass, // `constant`
  ExceptionClass,  // `constant`
  ExceptionInstance, // args = argument types; `constant` = class
  Omitted,    // omitted(default=c)                   `constant`
  Literal,    // Literal[int](3), Literal[str](a) as an argument type  `constant`, args[0] = the plain type
  Pointer,    // T* : CPointer(T); args[0] may be absent: void*
  Object,     // pyobject
  Opaque,     // any other, by name
};

enum class Layout : uint8_t { C, F, A };

/// The data of one type. Which members count depends on the kind (comments above); the rest are zero. ConstId is stored
/// as its raw value, since constants know types and not the other way round.
struct Type {
  TypeKind kind = TypeKind::None;
  uint16_t bits = 0;
  bool is_signed = false;
  uint16_t ndim = 0;
  Layout layout = Layout::C;
  bool readonly = false;
  bool aligned = true;
  uint32_t constant = 0xffffffffU;
  uint32_t handle = 0xffffffffU; // PyHandle of the class, for named tuples and records with an own class
  std::string name;
  std::vector<TypeId> args;
  std::vector<std::string> fields;
  std::vector<int64_t> offsets;

  bool operator==(const Type &) const = default;
  bool isNumber() const { return kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Complex; }
  bool isInteger() const { return kind == TypeKind::Int; }
  bool isUnsigned() const { return kind == TypeKind::Int && !is_signed; }
  bool isReal() const { return kind == TypeKind::Int || kind == TypeKind::Float || kind == TypeKind::Bool; }
  bool isScalar() const { return isNumber() || kind == TypeKind::Bool; }
  bool isNamedTuple() const { return kind == TypeKind::Tuple && !name.empty(); }
};

/// Interns types. Thread-safe; references stay valid for the life of the process.
class TypeStore {
public:
  TypeStore();
  ~TypeStore();

  TypeId intern(Type type);
  const Type &get(TypeId id) const;
  size_t size() const;

  // The common ones, made at construction with fixed ids.
  TypeId none, boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, complex64,
      complex128, unicode, bytes, ellipsis, slice2, slice3, void_pointer, pyobject, unbound;

  TypeId integer(unsigned bits, bool is_signed) const;
  TypeId floating(unsigned bits) const;
  TypeId complexOf(unsigned bits) const;
  TypeId optional(TypeId of); // of itself optional or none: returned as it is
  TypeId maybeUnbound(TypeId of);
  TypeId tuple(std::span<const TypeId> items);
  TypeId uniTuple(TypeId item, unsigned count);
  TypeId namedTuple(std::string name, std::span<const std::string> fields, std::span<const TypeId> items, uint32_t handle);
  TypeId array(TypeId dtype, unsigned ndim, Layout layout, bool readonly = false, bool aligned = true);
  TypeId range(TypeId item, std::optional<int64_t> step = {}); // step: a literal
  TypeId dtypeOf(TypeId type);
  TypeId numberClass(TypeId type);
  TypeId typeRef(TypeId type);
  TypeId pointer(TypeId to);
  TypeId iterator(std::string name, std::span<const TypeId> args, unsigned ndim = 0);
  TypeId boundMethod(TypeId receiver, std::string name);

  /// The process-wide store. `_compiler` installs the one of `_core` when it is loaded.
  static TypeStore &global();
  static void install(TypeStore *store);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

inline TypeStore &types() { return TypeStore::global(); }
inline const Type &typeOf(TypeId id) { return TypeStore::global().get(id); }

/// Numba's text form: `int64`, `array(float64, 2d, C)`, `UniTuple(int64 x 3)`, `Tuple(int64, float64)`,
/// `OptionalType(float64)`, `unaligned readonly array(float64, 1d, A)` (`Array(float64, 1, 'C', False, aligned=True)` is
/// its repr).
std::string toString(TypeId id);

/// Parses what toString prints for data types (none, scalars, tuples, optionals, arrays, unicode_type, slices). Empty
/// on a syntax error. print(parse(x)) == x.
std::optional<TypeId> parseType(std::string_view text);
/// The same for a type at the start of `text`, which is advanced past it.
std::optional<TypeId> parseTypePrefix(std::string_view &text);

/// Bytes of a value in array memory (bool 1, complex128 16, record itemsize); 0 where the type cannot be an element.
unsigned itemSize(TypeId id);
/// The natural alignment of an element in bytes.
unsigned itemAlignment(TypeId id);

/// True for types whose values hold references (arrays, strings, Python objects, and tuples, optionals, closures ... of
/// such); layout.h says where (referencesOf).
bool hasReferences(TypeId id);

} // namespace naja
