#include "naja/frontend/snapshot/content_hash.h"

#include "naja/frontend/snapshot/python.h"
#include "naja/frontend/snapshot/snapshot.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>

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
  uint64_t finish() const { return hashBytes(buffer_.data(), buffer_.size()); }

private:
  std::string buffer_;
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
  void operator()(const BuiltinRef &value) const { h.text(value.name); }
  // A function stands for its name here: what it does is hashed in its own snapshot, and it may refer back to this one.
  void operator()(const FunctionRef &value) const {
    h.text(value.name);
    h.text(textOf(attribute(objectOf(value.function), "__module__").get()));
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
    h.number(hashArray(objectOf(value.handle)));
  }
  void operator()(const ObjectRef &value) const { h.text(value.class_name); }
  void operator()(const ConstSlice &value) const {
    for (ConstId part : {value.start, value.stop, value.step}) h.constant(part);
  }
};

void Hasher::constant(ConstId id) {
  const Constant &c = ConstantStore::global().get(id);
  number(c.value.index() * 2 + (c.weak ? 1 : 0));
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

} // namespace

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
