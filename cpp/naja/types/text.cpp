// Numba's text form of types, and its parser.
#include "naja/types/constant.h"
#include "naja/types/type.h"

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace naja {
namespace {

const char *layoutText(Layout layout) { return layout == Layout::C ? "C" : layout == Layout::F ? "F" : "A"; }

std::string list(const std::vector<TypeId> &items) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i)
    text += (i > 0 ? ", " : "") + toString(items[i]);
  return text;
}

bool uniform(const std::vector<TypeId> &items) {
  for (TypeId item : items) {
    if (item != items.front())
      return false;
  }
  return !items.empty();
}

std::string constantText(uint32_t constant) {
  return constant == ConstId::kInvalid ? std::string("?") : toString(ConstId(constant));
}

std::string none(const Type &) { return "none"; }
std::string boolean(const Type &) { return "bool"; }
std::string integer(const Type &t) { return (t.is_signed ? "int" : "uint") + std::to_string(t.bits); }
std::string floating(const Type &t) { return "float" + std::to_string(t.bits); }
std::string complexNumber(const Type &t) { return "complex" + std::to_string(t.bits); }
std::string optional(const Type &t) { return "OptionalType(" + toString(t.args[0]) + ")"; }
std::string maybeUnbound(const Type &t) {
  return t.args.empty() ? std::string("unbound") : "MaybeUnbound(" + toString(t.args[0]) + ")";
}
std::string tuple(const Type &t) {
  bool uni = uniform(t.args);
  std::string items = uni ? toString(t.args[0]) + " x " + std::to_string(t.args.size()) : list(t.args);
  return (t.isNamedTuple() ? t.name : uni ? "UniTuple" : "Tuple") + "(" + items + ")";
}
std::string array(const Type &t) {
  return std::string(t.aligned ? "" : "unaligned ") + (t.readonly ? "readonly " : "") + "array(" + toString(t.args[0]) +
         ", " + std::to_string(t.ndim) + "d, " + layoutText(t.layout) + ")";
}
std::string slice(const Type &t) { return t.ndim == 3 ? "slice<a:b:c>" : "slice<a:b>"; }
std::string ellipsis(const Type &) { return "..."; }
std::string unicode(const Type &) { return "unicode_type"; }
std::string bytes(const Type &) { return "readonly bytes(uint8, 1d, C)"; }
std::string range(const Type &t) { return "range_state_" + toString(t.args[0]); }
std::string iterator(const Type &t) {
  return "iterator<" + t.name + (t.ndim > 0 ? ":" + std::to_string(t.ndim) : "") + ">(" + list(t.args) + ")";
}
std::string record(const Type &t) {
  std::string text = "Record(";
  for (size_t i = 0; i < t.fields.size(); ++i) {
    text += (i > 0 ? "," : "") + t.fields[i] + "[type=" + toString(t.args[i]) + ";offset=" +
            std::to_string(t.offsets[i]) + "]";
  }
  return text + ";" + std::to_string(t.bits) + ";" + (t.aligned ? "True" : "False") + ")";
}
std::string nestedArray(const Type &t) {
  std::string text = "nestedarray(" + toString(t.args[0]) + ", (";
  for (size_t i = 0; i < t.offsets.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(t.offsets[i]);
  return text + (t.offsets.size() == 1 ? ",))" : "))");
}
std::string function(const Type &t) { return "type(CPUDispatcher(" + constantText(t.constant) + "))"; }
/// The name without what tells apart closures of one name (typing: "name@index#hash").
std::string closure(const Type &t) {
  std::string code = constantText(t.constant);
  if (size_t end = code.find('@'); end != std::string::npos)
    code = code.substr(0, end) + ">";
  return "Closure(" + code + (t.args.empty() ? "" : "; ") + list(t.args) + ")";
}
std::string builtin(const Type &t) { return "Function(" + constantText(t.constant) + ")"; }
std::string boundMethod(const Type &t) { return "BoundFunction(" + toString(t.args[0]) + "." + t.name + ")"; }
std::string module(const Type &t) { return "Module(" + constantText(t.constant) + ")"; }
std::string numberClass(const Type &t) { return "class(" + toString(t.args[0]) + ")"; }
std::string dtype(const Type &t) { return "dtype(" + toString(t.args[0]) + ")"; }
std::string typeReference(const Type &t) { return "typeref[" + toString(t.args[0]) + "]"; }
std::string namedTupleClass(const Type &t) { return "class(" + constantText(t.constant) + ")"; }
std::string exceptionClass(const Type &t) { return "class(" + constantText(t.constant) + ")"; }
std::string exceptionInstance(const Type &t) {
  return "Exception(" + constantText(t.constant) + "; " + list(t.args) + ")";
}
std::string omitted(const Type &t) { return "omitted(default=" + constantText(t.constant) + ")"; }
std::string literal(const Type &t) {
  std::string value = constantText(t.constant), kind = "int";
  if (value == "True" || value == "False")
    kind = "bool";
  if (value.size() >= 2 && value.front() == '\'') {
    kind = "str";
    value = value.substr(1, value.size() - 2);
  }
  return "Literal[" + kind + "](" + value + ")";
}
std::string pointer(const Type &t) { return (t.args.empty() ? "void" : toString(t.args[0])) + "*"; }
std::string object(const Type &) { return "pyobject"; }
std::string opaque(const Type &t) { return t.name; }

constexpr std::array kPrinters = {
    none,        boolean, integer,    floating,  complexNumber, optional,    maybeUnbound, tuple,
    array,       slice,   ellipsis,   unicode,   bytes,         range,       iterator,     record,
    nestedArray, function, closure,   builtin,   boundMethod,   module,      numberClass,  dtype,
    typeReference, namedTupleClass,   exceptionClass, exceptionInstance, omitted, literal,  pointer,  object,
    opaque};
static_assert(kPrinters.size() == static_cast<size_t>(TypeKind::Opaque) + 1, "a printer per TypeKind, in order");

/// Recursive descent over the front of a text.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}
  std::string_view rest() const { return text_; }

  TypeId type() {
    TypeId result = plain();
    while (result.valid() && take("*"))
      result = types().pointer(result);
    return result;
  }

private:
  bool take(std::string_view word) {
    if (!text_.starts_with(word))
      return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::string_view identifier() {
    size_t length = 0;
    while (length < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[length])) || text_[length] == '_'))
      ++length;
    std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    return word;
  }
  std::optional<int64_t> number() {
    int64_t value = 0;
    auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc())
      return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return value;
  }

  TypeId plain() {
    if (take("..."))
      return types().ellipsis;
    if (take("readonly bytes(uint8, 1d, C)"))
      return types().bytes;
    if (text_.starts_with("unaligned ") || text_.starts_with("readonly "))
      return qualifiedArray();
    std::string_view word = identifier();
    if (word.empty())
      return {};
    if (take("("))
      return application(word);
    if (take("["))
      return word == "typeref" ? closed(types_of(&TypeStore::typeRef, type()), "]") : TypeId();
    if (take("<"))
      return angled(word);
    return named(word);
  }

  static TypeId types_of(TypeId (TypeStore::*make)(TypeId), TypeId of) {
    return of.valid() ? (types().*make)(of) : TypeId();
  }
  TypeId closed(TypeId type, std::string_view bracket) { return type.valid() && take(bracket) ? type : TypeId(); }

  TypeId named(std::string_view word) {
    TypeStore &s = types();
    const std::pair<std::string_view, TypeId> names[] = {
        {"none", s.none},           {"bool", s.boolean},       {"boolean", s.boolean},       {"int8", s.int8},
        {"int16", s.int16},         {"int32", s.int32},        {"int64", s.int64},           {"uint8", s.uint8},
        {"uint16", s.uint16},       {"uint32", s.uint32},      {"uint64", s.uint64},         {"float16", s.float16},
        {"float32", s.float32},     {"float64", s.float64},    {"complex64", s.complex64},   {"complex128", s.complex128},
        {"unicode_type", s.unicode}, {"pyobject", s.pyobject}, {"unbound", s.unbound}};
    for (const auto &[text, id] : names) {
      if (word == text)
        return id;
    }
    if (word == "void" && take("*"))
      return s.void_pointer;
    if (word.starts_with("range_state_")) {
      TypeId item = named(word.substr(12));
      return item.valid() ? types().range(item) : TypeId();
    }
    return {};
  }

  TypeId qualifiedArray() {
    bool aligned = !take("unaligned "), readonly = take("readonly ");
    return take("array(") ? arrayBody(readonly, aligned) : TypeId();
  }
  TypeId arrayBody(bool readonly, bool aligned) {
    TypeId item = type();
    if (!item.valid() || !take(", "))
      return {};
    auto ndim = number();
    if (!ndim || *ndim < 0 || *ndim > 64 || !take("d, "))
      return {};
    Layout layout = Layout::C;
    if (take("F"))
      layout = Layout::F;
    else if (take("A"))
      layout = Layout::A;
    else if (!take("C"))
      return {};
    return closed(types().array(item, static_cast<unsigned>(*ndim), layout, readonly, aligned), ")");
  }

  bool items(std::vector<TypeId> &out) {
    if (take(")"))
      return true;
    do {
      TypeId item = type();
      if (!item.valid())
        return false;
      out.push_back(item);
      if (out.size() == 1 && take(" x ")) {
        auto count = number();
        if (!count || *count < 1 || *count > 100000)
          return false;
        out.assign(static_cast<size_t>(*count), item);
        break;
      }
    } while (take(", "));
    return take(")");
  }

  TypeId application(std::string_view word) {
    if (word == "array")
      return arrayBody(false, true);
    if (word == "OptionalType" || word == "Optional")
      return closed(types_of(&TypeStore::optional, type()), ")");
    if (word == "MaybeUnbound")
      return closed(types_of(&TypeStore::maybeUnbound, type()), ")");
    if (word == "dtype")
      return closed(types_of(&TypeStore::dtypeOf, type()), ")");
    if (word == "class")
      return closed(types_of(&TypeStore::numberClass, type()), ")");
    if (word == "Record")
      return recordBody();
    if (word == "nestedarray")
      return nestedBody();
    std::vector<TypeId> args;
    if (!items(args))
      return {};
    if (word == "Tuple" || word == "UniTuple")
      return types().tuple(args);
    return types().namedTuple(std::string(word), {}, args, PyHandle::kInvalid);
  }

  TypeId recordBody() {
    Type record;
    record.kind = TypeKind::Record;
    while (!take(";")) {
      if (!record.fields.empty() && !take(","))
        return {};
      record.fields.emplace_back(identifier());
      TypeId item = take("[type=") ? type() : TypeId();
      auto offset = item.valid() && take(";offset=") ? number() : std::nullopt;
      if (!offset || !take("]"))
        return {};
      record.args.push_back(item);
      record.offsets.push_back(*offset);
    }
    auto size = number();
    if (!size || *size < 0 || *size > 65535 || !take(";"))
      return {};
    record.bits = static_cast<uint16_t>(*size);
    record.aligned = take("True");
    if (!record.aligned && !take("False"))
      return {};
    return take(")") ? types().intern(std::move(record)) : TypeId();
  }

  TypeId nestedBody() {
    Type nested;
    nested.kind = TypeKind::NestedArray;
    TypeId item = type();
    if (!item.valid() || !take(", ("))
      return {};
    nested.args.push_back(item);
    while (!take(")")) {
      auto extent = number();
      if (!extent)
        return {};
      nested.offsets.push_back(*extent);
      if (!take(", "))
        take(",");
    }
    return take(")") ? types().intern(std::move(nested)) : TypeId();
  }

  TypeId angled(std::string_view word) {
    if (word == "slice") {
      if (take("a:b:c>"))
        return types().slice3;
      return take("a:b>") ? types().slice2 : TypeId();
    }
    if (word != "iterator")
      return {};
    std::string_view name = identifier();
    int64_t ndim = take(":") ? number().value_or(-1) : 0;
    std::vector<TypeId> args;
    if (ndim < 0 || !take(">(") || !items(args))
      return {};
    return types().iterator(std::string(name), args, static_cast<unsigned>(ndim));
  }

  std::string_view text_;
};

} // namespace

std::string toString(TypeId id) {
  if (!id.valid())
    return "?";
  const Type &type = typeOf(id);
  return kPrinters[static_cast<size_t>(type.kind)](type);
}

std::optional<TypeId> parseTypePrefix(std::string_view &text) {
  Parser parser(text);
  TypeId type = parser.type();
  if (!type.valid())
    return std::nullopt;
  text = parser.rest();
  return type;
}

std::optional<TypeId> parseType(std::string_view text) {
  auto type = parseTypePrefix(text);
  return type && text.empty() ? type : std::nullopt;
}

} // namespace naja
