#include "naja/library/emit_helpers.h"
#include "naja/library/tables.h"

#include <algorithm>
#include <array>

namespace naja::library {

namespace {

constexpr size_t kKinds = static_cast<size_t>(TypeKind::Opaque) + 1;
size_t index(TypeKind kind) { return static_cast<size_t>(kind); }

/// Looks strings up by views.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class T> using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;

template <class Rule> using PerKind = std::array<std::vector<Rule>, kKinds>;
using UnpackRule = Resolution (*)(int64_t, const Query &);
using SetAttributeRule = Resolution (*)(std::string_view, const Query &);
using IterateRule = Resolution (*)(ir::Opcode, const Query &);

template <class Rule, class... Args> Resolution firstMatch(const std::vector<Rule> &rules, Args &&...args) {
  for (Rule rule : rules)
    if (Resolution r = rule(args...); r.kind != Resolution::NoMatch) return r;
  return {};
}

/// Retries `resolve` with Optional operands as what they hold; the code unwraps them first, with the check for None.
template <class Resolve> Resolution unwrappingOptionals(const Query &query, Resolve resolve, size_t upto = SIZE_MAX) {
  Resolution direct = resolve(query);
  if (direct.kind != Resolution::NoMatch) return direct;
  std::vector<AbstractValue> operands(query.operands.begin(), query.operands.end());
  std::vector<size_t> wrapped;
  for (size_t i = 0; i < std::min(operands.size(), upto); ++i)
    if (operands[i].type.valid() && isOptional(operands[i].type)) {
      operands[i] = {typeOf(operands[i].type).args[0], {}, false};
      wrapped.push_back(i);
    }
  if (wrapped.empty()) return direct;
  Query inner = query;
  inner.operands = operands;
  Resolution r = resolve(inner);
  if (r.kind != Resolution::Resolved || !r.emit) return r;
  r.emit = [emit = std::move(r.emit), wrapped](Emitter &e, std::span<const ir::ValueId> args) {
    std::vector<ir::ValueId> values(args.begin(), args.end());
    for (size_t i : wrapped) values[i] = emitUnwrap(e, values[i]);
    return emit(e, values);
  };
  return r;
}

} // namespace

struct Table::Impl {
  StringMap<std::vector<CallRule>> calls;
  std::array<StringMap<std::vector<MethodRule>>, kKinds> methods;
  PerKind<AttributeRule> attributes;
  std::vector<BinaryRule> binaries;
  std::vector<UnaryRule> unaries;
  std::vector<CompareRule> compares;
  std::vector<GenericRule> identities;
  PerKind<GenericRule> get_items, set_items, contains, truths, call_values;
  PerKind<UnpackRule> unpacks;
  PerKind<SetAttributeRule> set_attributes;
  PerKind<IterateRule> iterates;
  StringMap<std::vector<IterateRule>> named_iterates;
};

Resolution Resolution::constantValue(ConstId constant, bool weak) {
  Resolution r;
  r.kind = Resolved;
  TypeId type = ConstantStore::global().get(constant).type;
  r.result = {type, constant, weak};
  r.emit = [constant, type](Emitter &e, std::span<const ir::ValueId>) { return emitConstant(e, constant, type); };
  return r;
}

Table::Table() : impl_(new Impl) {} // never freed: read until the process ends

Table &Table::global() {
  static Table *table = [] {
    auto *t = new Table;
    registerAll(*t);
    return t;
  }();
  return *table;
}

void Table::call(std::string_view name, CallRule rule) { impl_->calls[std::string(name)].push_back(rule); }
void Table::method(TypeKind receiver, std::string_view name, MethodRule rule) {
  impl_->methods[index(receiver)][std::string(name)].push_back(rule);
}
void Table::attribute(TypeKind receiver, AttributeRule rule) { impl_->attributes[index(receiver)].push_back(rule); }
void Table::binary(BinaryRule rule) { impl_->binaries.push_back(rule); }
void Table::unary(UnaryRule rule) { impl_->unaries.push_back(rule); }
void Table::compare(CompareRule rule) { impl_->compares.push_back(rule); }
void Table::identity(GenericRule rule) { impl_->identities.push_back(rule); }
void Table::getItem(TypeKind receiver, GenericRule rule) { impl_->get_items[index(receiver)].push_back(rule); }
void Table::setItem(TypeKind receiver, GenericRule rule) { impl_->set_items[index(receiver)].push_back(rule); }
void Table::contains(TypeKind container, GenericRule rule) { impl_->contains[index(container)].push_back(rule); }
void Table::truth(TypeKind kind, GenericRule rule) { impl_->truths[index(kind)].push_back(rule); }
void Table::unpack(TypeKind kind, UnpackRule rule) { impl_->unpacks[index(kind)].push_back(rule); }
void Table::setAttribute(TypeKind receiver, SetAttributeRule rule) {
  impl_->set_attributes[index(receiver)].push_back(rule);
}
void Table::callValue(TypeKind kind, GenericRule rule) { impl_->call_values[index(kind)].push_back(rule); }
void Table::iterate(TypeKind kind, IterateRule rule) { impl_->iterates[index(kind)].push_back(rule); }
void Table::iterateNamed(std::string_view name, IterateRule rule) {
  impl_->named_iterates[std::string(name)].push_back(rule);
}

Resolution Table::resolveCall(std::string_view name, const Query &query) const {
  auto it = impl_->calls.find(name);
  if (it == impl_->calls.end()) return {};
  Query named = query;
  named.name = it->first;
  return unwrappingOptionals(named, [&](const Query &q) { return firstMatch(it->second, q); });
}

bool Table::hasMethod(TypeId receiver, std::string_view name) const {
  return impl_->methods[index(kindOf(receiver))].contains(name);
}

Resolution Table::resolveMethod(TypeId receiver, std::string_view name, const Query &query) const {
  const auto &methods = impl_->methods[index(kindOf(receiver))];
  if (auto it = methods.find(name); it != methods.end()) {
    Query named = query;
    named.name = it->first;
    return unwrappingOptionals(named, [&](const Query &q) { return firstMatch(it->second, q); });
  }
  if (!isOptional(receiver)) return {};
  TypeId inner = typeOf(receiver).args[0];
  return unwrappingOptionals(query, [&](const Query &q) {
    return isOptional(q.operands[0].type) ? Resolution{} : resolveMethod(inner, name, q);
  });
}

Resolution Table::resolveAttribute(std::string_view attribute, const Query &query) const {
  return unwrappingOptionals(query, [&](const Query &q) {
    TypeId type = q.operands[0].type;
    Resolution r = firstMatch(impl_->attributes[index(kindOf(type))], attribute, q);
    if (r.kind == Resolution::NoMatch && hasMethod(type, attribute))
      r = Resolution::resolved(types().boundMethod(type, std::string(attribute)),
                               [self = q.operands[0]](Emitter &e, std::span<const ir::ValueId> args) {
                                 return emitOperand(e, self, args[0]);
                               });
    return r;
  });
}

Resolution Table::resolveBinary(ir::BinaryOp op, bool inplace, const Query &query) const {
  return unwrappingOptionals(query, [&](const Query &q) { return firstMatch(impl_->binaries, op, inplace, q); });
}

Resolution Table::resolveUnary(ir::UnaryOp op, const Query &query) const {
  return unwrappingOptionals(query, [&](const Query &q) { return firstMatch(impl_->unaries, op, q); });
}

Resolution Table::resolveCompare(ir::Predicate p, const Query &query) const {
  return unwrappingOptionals(query, [&](const Query &q) { return firstMatch(impl_->compares, p, q); });
}

Resolution Table::resolveIs(const Query &query) const { return firstMatch(impl_->identities, query); }

Resolution Table::resolveGetItem(const Query &query) const {
  return unwrappingOptionals(
      query, [&](const Query &q) { return firstMatch(impl_->get_items[index(kindOf(q.operands[0].type))], q); });
}

Resolution Table::resolveSetItem(const Query &query) const {
  return unwrappingOptionals(
      query, [&](const Query &q) { return firstMatch(impl_->set_items[index(kindOf(q.operands[0].type))], q); });
}

Resolution Table::resolveContains(const Query &query) const {
  return unwrappingOptionals(
      query, [&](const Query &q) { return firstMatch(impl_->contains[index(kindOf(q.operands[1].type))], q); });
}

Resolution Table::resolveTruth(const Query &query) const {
  return firstMatch(impl_->truths[index(kindOf(query.operands[0].type))], query);
}

Resolution Table::resolveUnpack(int64_t index_or_minus_count, const Query &query) const {
  return unwrappingOptionals(query, [&](const Query &q) {
    return firstMatch(impl_->unpacks[index(kindOf(q.operands[0].type))], index_or_minus_count, q);
  });
}

Resolution Table::resolveSetAttribute(std::string_view attribute, const Query &query) const {
  return firstMatch(impl_->set_attributes[index(kindOf(query.operands[0].type))], attribute, query);
}

Resolution Table::resolveCallValue(const Query &query) const {
  return unwrappingOptionals(
      query, [&](const Query &q) { return firstMatch(impl_->call_values[index(kindOf(q.operands[0].type))], q); });
}

Resolution Table::resolveIterate(ir::Opcode which, const Query &query) const {
  return unwrappingOptionals(
      query,
      [&](const Query &q) {
        const Type &type = typeOf(q.operands[0].type);
        if (type.kind != TypeKind::Iterator) return firstMatch(impl_->iterates[index(type.kind)], which, q);
        auto it = impl_->named_iterates.find(type.name);
        return it == impl_->named_iterates.end() ? Resolution{} : firstMatch(it->second, which, q);
      },
      1);
}

bool Table::knows(std::string_view name) const { return impl_->calls.contains(name); }

std::vector<std::string> Table::names() const {
  std::vector<std::string> result;
  result.reserve(impl_->calls.size());
  for (const auto &[name, rules] : impl_->calls) result.push_back(name);
  std::sort(result.begin(), result.end());
  return result;
}

namespace {

/// Edits between two short words, at most `limit` + 1.
size_t editDistance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t cost = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({cost, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view moduleOf(std::string_view name) {
  size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

} // namespace

std::vector<std::string> Table::similar(std::string_view name) const {
  constexpr size_t kMost = 3;
  size_t limit = std::max<size_t>(1, name.size() / 4);
  std::vector<std::pair<size_t, std::string>> found;
  for (const auto &[known, rules] : impl_->calls) {
    if (moduleOf(known) != moduleOf(name)) continue;
    size_t distance = editDistance(name, known, limit);
    if (distance <= limit) found.emplace_back(distance, known);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> result;
  for (size_t i = 0; i < std::min(found.size(), kMost); ++i) result.push_back(found[i].second);
  return result;
}

} // namespace naja::library
