#include "naja/types/constant.h"

#include "naja/support/interner.h"

#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>

namespace naja {
namespace {

/// Equality and hash by bits, so that 0.0 and -0.0 differ and a NaN equals itself.
bool sameBits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

struct Key {
  Constant constant;
  bool operator==(const Key &other) const {
    const Constant &a = constant, &b = other.constant;
    if (a.type != b.type || a.weak != b.weak || a.value.index() != b.value.index())
      return false;
    if (const auto *number = std::get_if<double>(&a.value))
      return sameBits(*number, std::get<double>(b.value));
    if (const auto *number = std::get_if<std::complex<double>>(&a.value)) {
      const auto &other_number = std::get<std::complex<double>>(b.value);
      return sameBits(number->real(), other_number.real()) && sameBits(number->imag(), other_number.imag());
    }
    return a.value == b.value;
  }
};

struct HashValue {
  template <class T> static size_t of(const T &value) { return std::hash<T>{}(value); }
  size_t operator()(Null) const { return 1; }
  size_t operator()(bool value) const { return of(value); }
  size_t operator()(int64_t value) const { return of(value); }
  size_t operator()(uint64_t value) const { return of(value); }
  size_t operator()(double value) const { return of(std::bit_cast<uint64_t>(value)); }
  size_t operator()(const std::complex<double> &value) const {
    size_t seed = of(std::bit_cast<uint64_t>(value.real()));
    hashCombine(seed, std::bit_cast<uint64_t>(value.imag()));
    return seed;
  }
  size_t operator()(const std::string &value) const { return of(value); }
  size_t operator()(const Bytes &value) const { return of(value.data); }
  size_t operator()(const ConstTuple &value) const {
    size_t seed = value.named_class.value;
    for (ConstId item : value.items)
      hashCombine(seed, item.value);
    return seed;
  }
  size_t operator()(Ellipsis) const { return 2; }
  size_t operator()(const BigInt &value) const { return of(value.decimal); }
  size_t operator()(const ModuleRef &value) const { return of(value.name); }
  size_t operator()(const BuiltinRef &value) const { return of(value.name); }
  size_t operator()(const FunctionRef &value) const {
    size_t seed = of(value.name);
    hashCombine(seed, value.function.value);
    hashCombine(seed, value.dispatcher.value);
    return seed;
  }
  size_t operator()(const ExceptionRef &value) const { return of(value.name); }
  size_t operator()(const TypeRef &value) const { return value.type.value * 2 + static_cast<size_t>(value.is_dtype); }
  size_t operator()(const NamedTupleClass &value) const { return of(value.name) + value.handle.value; }
  size_t operator()(const ArrayRef &value) const { return value.handle.value + of(value.data); }
  size_t operator()(const ObjectRef &value) const { return value.handle.value + of(value.class_name); }
  size_t operator()(const ConstSlice &value) const {
    size_t seed = value.start.value;
    hashCombine(seed, value.stop.value);
    hashCombine(seed, value.step.value);
    return seed;
  }
};

struct KeyHash {
  size_t operator()(const Key &key) const {
    size_t seed = std::visit(HashValue{}, key.constant.value);
    hashCombine(seed, key.constant.value.index() * 2 + static_cast<size_t>(key.constant.weak));
    hashCombine(seed, key.constant.type.value);
    return seed;
  }
};

std::atomic<ConstantStore *> installed_store{nullptr};

} // namespace

struct ConstantStore::Impl {
  Interner<Key, KeyHash> interner;
};

ConstantStore::ConstantStore() : impl_(std::make_unique<Impl>()) {}
ConstantStore::~ConstantStore() = default;
ConstId ConstantStore::intern(Constant constant) { return ConstId(impl_->interner.intern(Key{std::move(constant)})); }
const Constant &ConstantStore::get(ConstId id) const { return impl_->interner.get(id.value).constant; }
size_t ConstantStore::size() const { return impl_->interner.size(); }

ConstId ConstantStore::none() { return intern({Null{}, types().none, false}); }
ConstId ConstantStore::ofBool(bool value) { return intern({value, types().boolean, true}); }
ConstId ConstantStore::ofInt(int64_t value) { return intern({value, types().int64, true}); }
ConstId ConstantStore::ofFloat(double value) { return intern({value, types().float64, true}); }
ConstId ConstantStore::ofString(std::string_view value) {
  return intern({std::string(value), types().unicode, false});
}
ConstId ConstantStore::ofType(TypeId type) {
  TypeId class_type = typeOf(type).isScalar() ? types().numberClass(type) : types().typeRef(type);
  return intern({TypeRef{type, false, {}}, class_type, false});
}
ConstId ConstantStore::ofTuple(std::vector<ConstId> items) {
  std::vector<TypeId> item_types;
  item_types.reserve(items.size());
  bool weak = false;
  for (ConstId item : items) {
    item_types.push_back(get(item).type);
    weak = weak || get(item).weak;
  }
  return intern({ConstTuple{std::move(items), {}}, types().tuple(item_types), weak});
}

ConstantStore &ConstantStore::global() {
  if (ConstantStore *store = installed_store.load(std::memory_order_acquire))
    return *store;
  static auto *own = new ConstantStore; // never destroyed: ids outlive static destructors
  ConstantStore *expected = nullptr;
  installed_store.compare_exchange_strong(expected, own, std::memory_order_acq_rel);
  return *installed_store.load(std::memory_order_acquire);
}
void ConstantStore::install(ConstantStore *store) { installed_store.store(store, std::memory_order_release); }

namespace {

std::string floatText(double value) {
  if (value != value)
    return std::signbit(value) ? "-nan" : "nan";
  std::array<char, 32> buffer{};
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  (void)error;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".einf") == std::string::npos)
    text += ".0";
  return text;
}

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
  return out + "'";
}

struct ToText {
  std::string operator()(Null) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return floatText(value); }
  std::string operator()(const std::complex<double> &value) const {
    std::string imag = floatText(value.imag());
    bool sign = imag[0] == '-';
    return "(" + floatText(value.real()) + (sign ? "" : "+") + imag + "j)";
  }
  std::string operator()(const std::string &value) const { return quoted(value); }
  std::string operator()(const Bytes &value) const { return "b" + quoted(value.data); }
  std::string operator()(const ConstTuple &value) const {
    std::string text = "(";
    for (size_t i = 0; i < value.items.size(); ++i)
      text += (i > 0 ? ", " : "") + toString(value.items[i]);
    return text + (value.items.size() == 1 ? ",)" : ")");
  }
  std::string operator()(Ellipsis) const { return "..."; }
  std::string operator()(const BigInt &value) const { return value.decimal; }
  std::string operator()(const ModuleRef &value) const { return "<module " + value.name + ">"; }
  std::string operator()(const BuiltinRef &value) const { return "<builtin " + value.name + ">"; }
  std::string operator()(const FunctionRef &value) const { return "<function " + value.name + ">"; }
  std::string operator()(const ExceptionRef &value) const { return "<exception " + value.name + ">"; }
  std::string operator()(const TypeRef &value) const {
    return (value.is_dtype ? "<dtype " : "<class ") + toString(value.type) + ">";
  }
  std::string operator()(const NamedTupleClass &value) const { return "<namedtuple " + value.name + ">"; }
  std::string operator()(const ArrayRef &value) const { return "<array " + toString(value.type) + ">"; }
  std::string operator()(const ObjectRef &value) const { return "<object " + value.class_name + ">"; }
  std::string operator()(const ConstSlice &value) const {
    auto part = [](ConstId id) { return id.valid() ? toString(id) : std::string("None"); };
    return "slice(" + part(value.start) + ", " + part(value.stop) + ", " + part(value.step) + ")";
  }
};

} // namespace

std::string toString(ConstId id) {
  return id.valid() ? std::visit(ToText{}, ConstantStore::global().get(id).value) : "?";
}

} // namespace naja
