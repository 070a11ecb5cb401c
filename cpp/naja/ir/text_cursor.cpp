#include "naja/ir/text_cursor.h"

#include <cctype>
#include <charconv>
#include <cstdlib>

namespace naja::ir {

void TextCursor::skipSpaces() {
  while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\t' || text_.front() == '\r'))
    text_.remove_prefix(1);
}
bool TextCursor::atEnd() {
  skipSpaces();
  return text_.empty();
}
bool TextCursor::peek(std::string_view word) {
  skipSpaces();
  return text_.starts_with(word);
}
bool TextCursor::take(std::string_view word) {
  if (!peek(word))
    return false;
  text_.remove_prefix(word.size());
  return true;
}
std::string_view TextCursor::until(std::string_view stop) {
  skipSpaces();
  size_t length = 0;
  while (length < text_.size() && text_[length] != ' ' && stop.find(text_[length]) == std::string_view::npos)
    ++length;
  std::string_view word = text_.substr(0, length);
  text_.remove_prefix(length);
  return word;
}
std::optional<int64_t> TextCursor::integer() {
  skipSpaces();
  int64_t value = 0;
  auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
  if (error != std::errc())
    return std::nullopt;
  text_.remove_prefix(static_cast<size_t>(end - text_.data()));
  return value;
}
std::optional<std::string> TextCursor::quoted() {
  if (!take("\""))
    return std::nullopt;
  std::string out;
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '"') {
      text_.remove_prefix(i + 1);
      return out;
    }
    if (text_[i] == '\\' && i + 1 < text_.size()) {
      ++i;
      out += text_[i] == 'n' ? '\n' : text_[i];
    } else {
      out += text_[i];
    }
  }
  return std::nullopt;
}
std::optional<TypeId> TextCursor::type() {
  skipSpaces();
  return parseTypePrefix(text_);
}
std::optional<std::string> TextCursor::functionName() {
  if (!take("@"))
    return std::nullopt;
  if (peek("\""))
    return quoted();
  std::string_view name = until("(,)[");
  return name.empty() ? std::nullopt : std::optional(std::string(name));
}

ConstId TextCursor::constant(bool *absent) {
  if (take("?")) {
    if (absent != nullptr)
      *absent = true;
    return {};
  }
  ConstId id = literal();
  if (!id.valid() || !text_.starts_with("!") || (text_.size() > 1 && std::isdigit(static_cast<unsigned char>(text_[1]))))
    return id;
  text_.remove_prefix(1);
  bool weak = text_.starts_with("weak ");
  if (weak)
    text_.remove_prefix(5);
  auto typed = parseTypePrefix(text_);
  if (!typed)
    return {};
  Constant constant = ConstantStore::global().get(id);
  constant.type = *typed;
  constant.weak = weak;
  return ConstantStore::global().intern(std::move(constant));
}

ConstId TextCursor::literal() {
  ConstantStore &store = ConstantStore::global();
  skipSpaces();
  if (take("None"))
    return store.none();
  if (take("True"))
    return store.ofBool(true);
  if (take("False"))
    return store.ofBool(false);
  if (take("..."))
    return store.intern({Ellipsis{}, types().ellipsis, false});
  if (take("slice("))
    return slice();
  if (take("("))
    return parenthesised();
  if (text_.starts_with("<"))
    return reference();
  if (text_.starts_with("'")) {
    auto value = pythonString();
    return value ? store.ofString(*value) : ConstId();
  }
  if (text_.starts_with("b'")) {
    text_.remove_prefix(1);
    auto value = pythonString();
    return value ? store.intern({Bytes{*value}, types().bytes, false}) : ConstId();
  }
  return number();
}

ConstId TextCursor::number() {
  size_t length = 0;
  auto exponent_sign = [&] { return length > 0 && text_[length - 1] == 'e'; };
  while (length < text_.size()) {
    char c = text_[length];
    bool sign = (c == '-' || c == '+') && (length == 0 || exponent_sign());
    if (!sign && !std::isalnum(static_cast<unsigned char>(c)) && c != '.')
      break;
    ++length;
  }
  std::string word(text_.substr(0, length));
  if (word.empty())
    return {};
  text_.remove_prefix(length);
  ConstantStore &store = ConstantStore::global();
  if (word.find_first_of(".einf") != std::string::npos) {
    char *end = nullptr;
    double value = std::strtod(word.c_str(), &end);
    return *end == '\0' ? store.ofFloat(value) : ConstId();
  }
  int64_t value = 0;
  const char *last = word.data() + word.size();
  if (auto [end, error] = std::from_chars(word.data(), last, value); error == std::errc() && end == last)
    return store.ofInt(value);
  uint64_t large = 0;
  auto [end, error] = std::from_chars(word.data(), last, large);
  if (error == std::errc() && end == last)
    return store.intern({large, types().uint64, true});
  return error == std::errc::result_out_of_range || word[0] == '-'
             ? store.intern({BigInt{word}, types().pyobject, true})
             : ConstId();
}

/// After "(": a complex number or a tuple.
ConstId TextCursor::parenthesised() {
  size_t end = text_.find(')');
  if (end != std::string_view::npos && end > 0 && text_[end - 1] == 'j' &&
      text_.substr(0, end).find_first_of(",('<") == std::string_view::npos) {
    std::string body(text_.substr(0, end - 1));
    char *middle = nullptr;
    double real = std::strtod(body.c_str(), &middle);
    double imag = std::strtod(middle, nullptr);
    text_.remove_prefix(end + 1);
    return ConstantStore::global().intern({std::complex<double>(real, imag), types().complex128, true});
  }
  std::vector<ConstId> items;
  while (!take(")")) {
    ConstId item = constant();
    if (!item.valid())
      return {};
    items.push_back(item);
    if (!take(",") && !peek(")"))
      return {};
  }
  return ConstantStore::global().ofTuple(std::move(items));
}

/// <kind name>
ConstId TextCursor::reference() {
  ConstantStore &store = ConstantStore::global();
  text_.remove_prefix(1);
  std::string kind(until(">"));
  skipSpaces();
  if (kind == "class" || kind == "dtype" || kind == "array") {
    auto of = parseTypePrefix(text_);
    if (!of || !take(">"))
      return {};
    if (kind == "class")
      return store.ofType(*of);
    if (kind == "dtype")
      return store.intern({TypeRef{*of, true, {}}, types().dtypeOf(*of), false});
    ArrayRef array;
    array.type = *of;
    return store.intern({array, *of, false});
  }
  size_t end = 0;
  for (int depth = 1; end < text_.size(); ++end) {
    depth += text_[end] == '<' ? 1 : text_[end] == '>' ? -1 : 0;
    if (depth == 0)
      break;
  }
  if (end >= text_.size())
    return {};
  std::string name(text_.substr(0, end));
  text_.remove_prefix(end + 1);
  auto make = [&](ConstantValue value, TypeKind type_kind) {
    Type type;
    type.kind = type_kind;
    type.name = name;
    return store.intern({std::move(value), types().intern(std::move(type)), false});
  };
  if (kind == "module")
    return make(ModuleRef{name, {}}, TypeKind::Module);
  if (kind == "builtin")
    return make(BuiltinRef{name, {}}, TypeKind::Builtin);
  if (kind == "function")
    return make(FunctionRef{{}, {}, name}, TypeKind::Function);
  if (kind == "exception")
    return make(ExceptionRef{name, {}}, TypeKind::ExceptionClass);
  if (kind == "namedtuple")
    return make(NamedTupleClass{{}, name, {}}, TypeKind::NamedTupleClass);
  return kind == "object" ? make(ObjectRef{{}, name}, TypeKind::Opaque) : ConstId();
}

ConstId TextCursor::slice() {
  ConstId parts[3];
  for (int i = 0; i < 3; ++i) {
    parts[i] = constant();
    if (!parts[i].valid() || !take(i < 2 ? "," : ")"))
      return {};
  }
  return ConstantStore::global().intern({ConstSlice{parts[0], parts[1], parts[2]}, types().slice3, false});
}

std::optional<std::string> TextCursor::pythonString() {
  text_.remove_prefix(1);
  std::string out;
  for (size_t i = 0; i < text_.size(); ++i) {
    char c = text_[i];
    if (c == '\'') {
      text_.remove_prefix(i + 1);
      return out;
    }
    if (c != '\\' || i + 1 >= text_.size()) {
      out += c;
      continue;
    }
    c = text_[++i];
    if (c == 'x' && i + 2 < text_.size()) {
      out += static_cast<char>(std::strtol(std::string(text_.substr(i + 1, 2)).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
  }
  return std::nullopt;
}

} // namespace naja::ir
