#include "naja/frontend/snapshot/content_hash.h"

#include "naja/frontend/snapshot/builtin_names.h"
#include "naja/frontend/snapshot/python.h"
#include "naja/frontend/snapshot/read_code.h"
#include "naja/frontend/snapshot/snapshot.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace naja::frontend {
namespace {

uint64_t hashBytes(const void *data, size_t size) { return XXH3_64bits(data, size); }

/// Collects what is hashed; every text goes with its length, so that neighbours cannot run together.
class Hasher {
public:
  void number(uint64_t value) { buffer_.append(reinterpret_cast<const char *>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    buffer_.append(value);
  }
  void texts(const std::vector<std::string> &values) {
    number(values.size());
    for (const std::string &value : values) text(value);
  }
  void constant(ConstId id);
  void optionalConstant(const std::optional<ConstId> &id) {
    number(id.has_value() ? 1 : 0);
    if (id) constant(*id);
  }
  /// A function, or a class that is no value: by name, and a plain function by its code too, whatever constant it is:
  /// which functions are builtins is known only once the compiler is loaded.
  void callable(PyObject *object);
  bool identity() const { return identity_; }
  void noteIdentity() { identity_ = true; }
  uint64_t finish() const { return hashBytes(buffer_.data(), buffer_.size()); }

private:
  std::string buffer_;
  bool identity_ = false;
};

/// Elements in C order.
uint64_t hashArray(PyObject *object) {
  if (!object || !PyArray_Check(object)) return 0;
  auto *array = reinterpret_cast<PyArrayObject *>(object);
  Ref copy;
  if (!PyArray_IS_C_CONTIGUOUS(array)) {
    copy = Ref::steal(PyArray_NewCopy(array, NPY_CORDER));
    if (!copy) {
      PyErr_Clear();
      return 0;
    }
    array = reinterpret_cast<PyArrayObject *>(copy.get());
  }
  return hashBytes(PyArray_DATA(array), static_cast<size_t>(PyArray_NBYTES(array)));
}

void hashCode(Hasher &h, const CodeSnapshot &code);

struct HashConstant {
  Hasher &h;
  void operator()(Null) const {}
  void operator()(Ellipsis) const {}
  void operator()(bool value) const { h.number(value ? 1 : 0); }
  void operator()(int64_t value) const { h.number(static_cast<uint64_t>(value)); }
  void operator()(uint64_t value) const { h.number(value); }
  void operator()(double value) const { h.number(std::bit_cast<uint64_t>(value)); }
  void operator()(const std::complex<double> &value) const {
    (*this)(value.real());
    (*this)(value.imag());
  }
  void operator()(const std::string &value) const { h.text(value); }
  void operator()(const Bytes &value) const { h.text(value.data); }
  void operator()(const ConstTuple &value) const {
    h.number(value.items.size());
    for (ConstId item : value.items) h.constant(item);
  }
  void operator()(const BigInt &value) const { h.text(value.decimal); }
  void operator()(const ModuleRef &value) const { h.text(value.name); }
  void operator()(const BuiltinRef &value) const {
    if (PyObject *object = objectOf(value.handle))
      h.callable(object);
    else
      h.text(value.name);
  }
  // A function stands for its name here: what it does is hashed in its own snapshot, and it may refer back to this one.
  void operator()(const FunctionRef &value) const {
    PyObject *function = objectOf(value.function);
    if (!value.dispatcher.valid() && function) return h.callable(function);
    h.text(value.name);
    if (function) h.text(textOf(attribute(function, "__module__").get()));
  }
  void operator()(const ExceptionRef &value) const { h.text(value.name); }
  void operator()(const TypeRef &value) const {
    h.text(toString(value.type));
    h.number(value.is_dtype ? 1 : 0);
  }
  void operator()(const NamedTupleClass &value) const {
    h.text(value.name);
    h.texts(value.fields);
  }
  void operator()(const ArrayRef &value) const {
    h.number(value.shape.size());
    for (int64_t extent : value.shape) h.number(static_cast<uint64_t>(extent));
    if (typeOf(value.type).layout == Layout::A)
      for (int64_t stride : value.strides) h.number(static_cast<uint64_t>(stride));
    h.number(hashArray(objectOf(value.handle)));
  }
  void operator()(const ObjectRef &value) const {
    PyObject *object = objectOf(value.handle);
    if (object && (PyType_Check(object) || PyCallable_Check(object))) return h.callable(object);
    h.noteIdentity();
    h.text(value.class_name);
  }
  void operator()(const ConstSlice &value) const {
    for (ConstId part : {value.start, value.stop, value.step}) h.constant(part);
  }
};

void Hasher::constant(ConstId id) {
  const Constant &c = ConstantStore::global().get(id);
  const auto *function = std::get_if<FunctionRef>(&c.value);
  const bool callable = std::holds_alternative<BuiltinRef>(c.value) || std::holds_alternative<ObjectRef>(c.value) ||
                        (function && !function->dispatcher.valid());
  number(callable ? 1000 : c.value.index() * 2 + (c.weak ? 1 : 0));
  // Types made of a constant would name its id.
  const bool plain = c.type.valid() && typeOf(c.type).constant == Type().constant;
  text(plain ? toString(c.type) : "");
  std::visit(HashConstant{*this}, c.value);
}

void hashCode(Hasher &h, const CodeSnapshot &code) {
  h.number(static_cast<uint64_t>(code.python_minor));
  h.text(code.qualname);
  for (int count : {code.arg_count, code.positional_only, code.keyword_only}) h.number(static_cast<uint64_t>(count));
  h.number((code.has_varargs ? 1U : 0U) | (code.has_varkw ? 2U : 0U) | (code.is_generator ? 4U : 0U) |
           (code.is_coroutine ? 8U : 0U));
  h.text({reinterpret_cast<const char *>(code.bytecode.data()), code.bytecode.size()});
  h.texts(code.names);
  h.texts(code.local_names);
  h.text({reinterpret_cast<const char *>(code.local_kinds.data()), code.local_kinds.size()});
  for (const ExceptionTableEntry &entry : code.exceptions) {
    for (int32_t part : {entry.start, entry.end, entry.target, entry.depth}) h.number(static_cast<uint64_t>(part));
  }
  h.number(code.constants.size());
  for (size_t i = 0; i < code.constants.size(); ++i) {
    h.number(code.codes[i] ? 1 : 0);
    if (code.codes[i])
      hashCode(h, *code.codes[i]);
    else
      h.constant(code.constants[i]);
  }
}

void addLines(const CodeSnapshot &code, int first_line, Hasher &h, int &last_line) {
  for (const Loc &loc : code.locations) {
    h.number(static_cast<uint64_t>(loc.known() ? loc.line - first_line : -1));
    last_line = std::max({last_line, loc.line, loc.end_line});
  }
  for (const auto &inner : code.codes)
    if (inner) addLines(*inner, first_line, h, last_line);
}

void Hasher::callable(PyObject *object) {
  text(Py_TYPE(object)->tp_name);
  std::string name = importableName(object);
  text(name.empty() ? textOf(attribute(object, "__name__").get()) : name);
  if (PyFunction_Check(object))
    hashCode(*this, *readCode(reinterpret_cast<PyCodeObject *>(PyFunction_GET_CODE(object))));
  else if (PyCFunction_Check(object) && PyCFunction_GET_SELF(object) && !PyModule_Check(PyCFunction_GET_SELF(object)))
    noteIdentity();
  else if (!PyType_Check(object) && name.empty() && std::strcmp(Py_TYPE(object)->tp_name, "numpy.ufunc") != 0)
    noteIdentity();
}

} // namespace

std::optional<uint64_t> valueHash(ConstId value) {
  Hasher h;
  h.constant(value);
  if (h.identity()) return std::nullopt;
  return h.finish();
}

LineLayout lineLayout(const CodeSnapshot &code) {
  Hasher h;
  LineLayout layout;
  layout.last_line = code.first_line;
  addLines(code, code.first_line, h, layout.last_line);
  layout.hash = h.finish();
  return layout;
}

uint64_t contentHash(const FunctionSnapshot &snapshot) {
  Hasher h;
  hashCode(h, *snapshot.code);
  for (const auto &value : snapshot.free_values) h.optionalConstant(value);
  for (const auto &[name, value] : snapshot.globals) {
    h.text(name);
    h.constant(value);
  }
  h.number(snapshot.defaults.size());
  for (ConstId value : snapshot.defaults) h.constant(value);
  for (const auto &[name, value] : snapshot.keyword_defaults) {
    h.text(name);
    h.constant(value);
  }
  return h.finish();
}

} // namespace naja::frontend
