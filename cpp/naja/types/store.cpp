#include "naja/support/interner.h"
#include "naja/types/type.h"

#include <atomic>
#include <cassert>

namespace naja {
namespace {

struct TypeHash {
  size_t operator()(const Type &type) const {
    size_t seed = static_cast<size_t>(type.kind) * 31 + type.bits;
    hashCombine(seed, static_cast<size_t>(type.is_signed) | static_cast<size_t>(type.readonly) << 1U |
                          static_cast<size_t>(type.aligned) << 2U | static_cast<size_t>(type.layout) << 3U |
                          static_cast<size_t>(type.ndim) << 8U);
    hashCombine(seed, type.constant);
    hashCombine(seed, type.handle);
    if (!type.name.empty())
      hashCombine(seed, std::hash<std::string>{}(type.name));
    for (TypeId arg : type.args)
      hashCombine(seed, arg.value);
    for (const std::string &field : type.fields)
      hashCombine(seed, std::hash<std::string>{}(field));
    for (int64_t offset : type.offsets)
      hashCombine(seed, static_cast<size_t>(offset));
    return seed;
  }
};

std::atomic<TypeStore *> installed_store{nullptr};

Type ofKind(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type scalar(TypeKind kind, unsigned bits, bool is_signed = false) {
  Type type = ofKind(kind);
  type.bits = static_cast<uint16_t>(bits);
  type.is_signed = is_signed;
  return type;
}

Type wrapper(TypeKind kind, TypeId of) {
  Type type = ofKind(kind);
  type.args.push_back(of);
  return type;
}

} // namespace

struct TypeStore::Impl {
  Interner<Type, TypeHash> interner;
};

TypeStore::TypeStore() : impl_(std::make_unique<Impl>()) {
  none = intern(ofKind(TypeKind::None));
  boolean = intern(ofKind(TypeKind::Bool));
  int8 = intern(scalar(TypeKind::Int, 8, true));
  int16 = intern(scalar(TypeKind::Int, 16, true));
  int32 = intern(scalar(TypeKind::Int, 32, true));
  int64 = intern(scalar(TypeKind::Int, 64, true));
  uint8 = intern(scalar(TypeKind::Int, 8));
  uint16 = intern(scalar(TypeKind::Int, 16));
  uint32 = intern(scalar(TypeKind::Int, 32));
  uint64 = intern(scalar(TypeKind::Int, 64));
  float16 = intern(scalar(TypeKind::Float, 16));
  float32 = intern(scalar(TypeKind::Float, 32));
  float64 = intern(scalar(TypeKind::Float, 64));
  complex64 = intern(scalar(TypeKind::Complex, 64));
  complex128 = intern(scalar(TypeKind::Complex, 128));
  unicode = intern(ofKind(TypeKind::String));
  bytes = intern(ofKind(TypeKind::Bytes));
  ellipsis = intern(ofKind(TypeKind::Ellipsis));
  Type slice = ofKind(TypeKind::Slice);
  slice.ndim = 2;
  slice2 = intern(slice);
  slice.ndim = 3;
  slice3 = intern(slice);
  void_pointer = intern(ofKind(TypeKind::Pointer));
  pyobject = intern(ofKind(TypeKind::Object));
  unbound = intern(ofKind(TypeKind::MaybeUnbound)); // without args: certainly unassigned
}
TypeStore::~TypeStore() = default;

TypeId TypeStore::intern(Type type) { return TypeId(impl_->interner.intern(std::move(type))); }
const Type &TypeStore::get(TypeId id) const { return impl_->interner.get(id.value); }
size_t TypeStore::size() const { return impl_->interner.size(); }

TypeId TypeStore::integer(unsigned bits, bool is_signed) const {
  switch (bits) {
  case 8: return is_signed ? int8 : uint8;
  case 16: return is_signed ? int16 : uint16;
  case 32: return is_signed ? int32 : uint32;
  default: assert(bits == 64); return is_signed ? int64 : uint64;
  }
}
TypeId TypeStore::floating(unsigned bits) const {
  assert(bits == 16 || bits == 32 || bits == 64);
  return bits == 16 ? float16 : bits == 32 ? float32 : float64;
}
TypeId TypeStore::complexOf(unsigned bits) const {
  assert(bits == 64 || bits == 128);
  return bits == 64 ? complex64 : complex128;
}

TypeId TypeStore::optional(TypeId of) {
  TypeKind kind = get(of).kind;
  if (kind == TypeKind::Optional || kind == TypeKind::None)
    return of;
  return intern(wrapper(TypeKind::Optional, of));
}
TypeId TypeStore::maybeUnbound(TypeId of) {
  if (get(of).kind == TypeKind::MaybeUnbound)
    return of;
  return intern(wrapper(TypeKind::MaybeUnbound, of));
}
TypeId TypeStore::tuple(std::span<const TypeId> items) {
  Type type = ofKind(TypeKind::Tuple);
  type.args.assign(items.begin(), items.end());
  return intern(std::move(type));
}
TypeId TypeStore::uniTuple(TypeId item, unsigned count) {
  Type type = ofKind(TypeKind::Tuple);
  type.args.assign(count, item);
  return intern(std::move(type));
}
TypeId TypeStore::namedTuple(std::string name, std::span<const std::string> fields, std::span<const TypeId> items,
                             uint32_t handle) {
  Type type = ofKind(TypeKind::Tuple);
  type.name = std::move(name);
  type.fields.assign(fields.begin(), fields.end());
  type.args.assign(items.begin(), items.end());
  type.handle = handle;
  return intern(std::move(type));
}
TypeId TypeStore::array(TypeId dtype, unsigned ndim, Layout layout, bool readonly, bool aligned) {
  Type type = wrapper(TypeKind::Array, dtype);
  type.ndim = static_cast<uint16_t>(ndim);
  type.layout = layout;
  type.readonly = readonly;
  type.aligned = aligned;
  return intern(std::move(type));
}
TypeId TypeStore::range(TypeId item, std::optional<int64_t> step) {
  Type type = wrapper(TypeKind::Range, item);
  type.args.assign(3, item); // start, stop, step
  if (step)
    type.offsets = {*step};
  return intern(std::move(type));
}
TypeId TypeStore::dtypeOf(TypeId type) { return intern(wrapper(TypeKind::DType, type)); }
TypeId TypeStore::numberClass(TypeId type) { return intern(wrapper(TypeKind::NumberClass, type)); }
TypeId TypeStore::typeRef(TypeId type) { return intern(wrapper(TypeKind::TypeRef, type)); }
TypeId TypeStore::pointer(TypeId to) { return to.valid() ? intern(wrapper(TypeKind::Pointer, to)) : void_pointer; }
TypeId TypeStore::iterator(std::string name, std::span<const TypeId> args, unsigned ndim) {
  Type type = ofKind(TypeKind::Iterator);
  type.name = std::move(name);
  type.args.assign(args.begin(), args.end());
  type.ndim = static_cast<uint16_t>(ndim);
  return intern(std::move(type));
}
TypeId TypeStore::boundMethod(TypeId receiver, std::string name) {
  Type type = wrapper(TypeKind::BoundMethod, receiver);
  type.name = std::move(name);
  return intern(std::move(type));
}

TypeStore &TypeStore::global() {
  if (TypeStore *store = installed_store.load(std::memory_order_acquire))
    return *store;
  static auto *own = new TypeStore; // never destroyed: ids outlive static destructors
  TypeStore *expected = nullptr;
  installed_store.compare_exchange_strong(expected, own, std::memory_order_acq_rel);
  return *installed_store.load(std::memory_order_acquire);
}
void TypeStore::install(TypeStore *store) { installed_store.store(store, std::memory_order_release); }

} // namespace naja
