#include "naja/types/layout.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>

namespace naja {
namespace {

struct Entry {
  std::vector<Machine> scalars;
  std::vector<ReferenceSlot> references;
  StructLayout layout;
};

using Scalars = std::vector<Machine>;

void nothing(const Type &, Scalars &) {}
void ofArgs(const Type &type, Scalars &out) {
  for (TypeId arg : type.args) {
    auto scalars = scalarsOf(arg);
    out.insert(out.end(), scalars.begin(), scalars.end());
  }
}
void boolean(const Type &, Scalars &out) { out.push_back(Machine::I8); }
void integer(const Type &type, Scalars &out) {
  out.push_back(type.bits == 8 ? Machine::I8 : type.bits == 16 ? Machine::I16
                                           : type.bits == 32   ? Machine::I32
                                                               : Machine::I64);
}
void floating(const Type &type, Scalars &out) {
  out.push_back(type.bits == 16 ? Machine::I16 : type.bits == 32 ? Machine::F32 : Machine::F64);
}
void complexNumber(const Type &type, Scalars &out) { out.assign(2, type.bits == 64 ? Machine::F32 : Machine::F64); }
void optional(const Type &type, Scalars &out) {
  if (type.args.empty())
    return;
  out.push_back(Machine::I8);
  ofArgs(type, out);
}
void array(const Type &type, Scalars &out) {
  out.assign(2, Machine::Ptr);
  out.insert(out.end(), type.layout == Layout::A ? 2U * type.ndim : type.ndim, Machine::I64);
}
void slice(const Type &, Scalars &out) { out = {Machine::I64, Machine::I64, Machine::I64, Machine::I8}; }
void unicode(const Type &, Scalars &out) {
  out = {Machine::Ptr, Machine::I64, Machine::I32, Machine::I32, Machine::I64, Machine::Ptr};
}
void bytes(const Type &, Scalars &out) { out = {Machine::Ptr, Machine::I64, Machine::Ptr}; }
void record(const Type &, Scalars &out) { out.assign(2, Machine::Ptr); }
void pointer(const Type &, Scalars &out) { out.push_back(Machine::Ptr); }

constexpr std::array kScalars = {
    nothing /*None*/,   boolean,           integer,   floating,          complexNumber,     optional,
    optional /*MaybeUnbound*/, ofArgs /*Tuple*/, array, slice,           nothing /*Ellipsis*/, unicode,
    bytes,              ofArgs /*Range*/,  ofArgs /*Iterator*/, record,  record /*NestedArray*/, nothing /*Function*/,
    ofArgs /*Closure*/, nothing /*Builtin*/, ofArgs /*BoundMethod*/, nothing /*Module*/, nothing /*NumberClass*/,
    nothing /*DType*/,  nothing /*TypeRef*/, nothing /*NamedTupleClass*/, nothing /*ExceptionClass*/,
    ofArgs /*ExceptionInstance*/, nothing /*Omitted*/, nothing /*Literal*/, pointer, pointer /*Object*/,
    pointer /*Opaque*/};
static_assert(kScalars.size() == static_cast<size_t>(TypeKind::Opaque) + 1, "a row per TypeKind, in order");

/// Positions of owners; `base` is the position of the value's first scalar.
void addReferences(TypeId id, uint32_t base, std::vector<ReferenceSlot> &out) {
  const Type &type = typeOf(id);
  switch (type.kind) {
  case TypeKind::Array: case TypeKind::Record: case TypeKind::NestedArray: out.push_back({base, false}); return;
  case TypeKind::String: out.push_back({base + kStringOwner, false}); return;
  case TypeKind::Bytes: out.push_back({base + 2, false}); return;
  case TypeKind::Object: out.push_back({base, true}); return;
  case TypeKind::Optional: case TypeKind::MaybeUnbound: base += 1; break;
  case TypeKind::Tuple: case TypeKind::Iterator: case TypeKind::Closure: case TypeKind::BoundMethod:
  case TypeKind::ExceptionInstance: break;
  default: return;
  }
  for (TypeId arg : type.args) {
    addReferences(arg, base, out);
    base += static_cast<uint32_t>(scalarsOf(arg).size());
  }
}

void layOut(Entry &entry) {
  StructLayout &layout = entry.layout;
  for (Machine scalar : entry.scalars) {
    unsigned size = sizeOf(scalar);
    layout.size = (layout.size + size - 1) / size * size;
    layout.offsets.push_back(layout.size);
    layout.size += size;
    layout.alignment = std::max(layout.alignment, size);
  }
  layout.size = (layout.size + layout.alignment - 1) / layout.alignment * layout.alignment;
}

/// A slot per type id in chunks of doubling size; a slot is filled once, by whoever is first. Reading takes no lock.
/// Never destroyed: spans handed out live as long as the process.
class Cache {
public:
  const Entry &get(TypeId id) {
    std::atomic<const Entry *> &slot = slotOf(id.value);
    if (const Entry *entry = slot.load(std::memory_order_acquire))
      return *entry;
    auto entry = std::make_unique<Entry>();
    const Type &type = typeOf(id);
    kScalars[static_cast<size_t>(type.kind)](type, entry->scalars);
    addReferences(id, 0, entry->references);
    layOut(*entry);
    const Entry *expected = nullptr;
    if (slot.compare_exchange_strong(expected, entry.get(), std::memory_order_acq_rel))
      return *entry.release();
    return *expected;
  }

private:
  using Slot = std::atomic<const Entry *>;
  static constexpr uint32_t kFirst = 256, kFirstBits = 8;
  Slot &slotOf(uint32_t id) {
    uint32_t shifted = id + kFirst;
    auto chunk = static_cast<uint32_t>(std::bit_width(shifted)) - 1 - kFirstBits;
    Slot *slots = chunks_[chunk].load(std::memory_order_acquire);
    if (slots == nullptr) {
      auto fresh = std::make_unique<Slot[]>(size_t(kFirst) << chunk);
      if (chunks_[chunk].compare_exchange_strong(slots, fresh.get(), std::memory_order_acq_rel))
        slots = fresh.release();
    }
    return slots[shifted - (kFirst << chunk)];
  }
  std::array<std::atomic<Slot *>, 24> chunks_{};
};

Cache &cache() {
  static auto *instance = new Cache;
  return *instance;
}

} // namespace

std::span<const Machine> scalarsOf(TypeId type) { return cache().get(type).scalars; }
std::span<const ReferenceSlot> referencesOf(TypeId type) { return cache().get(type).references; }
const StructLayout &structLayoutOf(TypeId type) { return cache().get(type).layout; }
bool hasReferences(TypeId id) { return !referencesOf(id).empty(); }

unsigned itemSize(TypeId id) {
  const Type &type = typeOf(id);
  switch (type.kind) {
  case TypeKind::Bool: return 1;
  case TypeKind::Int: case TypeKind::Float: case TypeKind::Complex: return type.bits / 8U;
  case TypeKind::Record: return type.bits;
  case TypeKind::Pointer: return 8;
  case TypeKind::NestedArray: {
    uint64_t size = itemSize(type.args[0]);
    for (int64_t extent : type.offsets)
      size *= static_cast<uint64_t>(extent);
    return static_cast<unsigned>(size);
  }
  default: return 0;
  }
}

unsigned itemAlignment(TypeId id) {
  const Type &type = typeOf(id);
  switch (type.kind) {
  case TypeKind::Complex: return type.bits / 16U;
  case TypeKind::NestedArray: return itemAlignment(type.args[0]);
  case TypeKind::Record: {
    unsigned alignment = 1;
    if (type.aligned) {
      for (TypeId field : type.args)
        alignment = std::max(alignment, itemAlignment(field));
    }
    return alignment;
  }
  default: return std::max(1U, itemSize(id));
  }
}

} // namespace naja
