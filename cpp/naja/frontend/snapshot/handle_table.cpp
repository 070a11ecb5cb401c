#include "naja/frontend/snapshot/handle_table.h"

#include "naja/frontend/snapshot/state.h"

#include <atomic>
#include <cassert>

namespace naja::frontend {
namespace {
std::atomic<HandleTable *> installed_table{nullptr};
}

struct HandleTable::Impl {
  std::vector<PyObject *> objects;
  std::unordered_map<PyObject *, uint32_t> index;
  SnapshotState state;
};

HandleTable::HandleTable() : impl_(std::make_unique<Impl>()) {}
HandleTable::~HandleTable() = default;

PyHandle HandleTable::add(PyObject *object) {
  assert(object != nullptr);
  auto [it, is_new] = impl_->index.try_emplace(object, static_cast<uint32_t>(impl_->objects.size()));
  if (is_new) impl_->objects.push_back(Py_NewRef(object));
  return PyHandle(it->second);
}
PyHandle HandleTable::find(PyObject *object) const {
  auto it = impl_->index.find(object);
  return it == impl_->index.end() ? PyHandle() : PyHandle(it->second);
}
PyObject *HandleTable::object(PyHandle handle) const {
  return handle.value < impl_->objects.size() ? impl_->objects[handle.value] : nullptr;
}
size_t HandleTable::size() const { return impl_->objects.size(); }
SnapshotState &HandleTable::state() { return impl_->state; }

HandleTable &HandleTable::global() {
  if (HandleTable *table = installed_table.load(std::memory_order_acquire)) return *table;
  static auto *own = new HandleTable; // never destroyed: handles outlive static destructors
  HandleTable *expected = nullptr;
  installed_table.compare_exchange_strong(expected, own, std::memory_order_acq_rel);
  return *installed_table.load(std::memory_order_acquire);
}
void HandleTable::install(HandleTable *table) { installed_table.store(table, std::memory_order_release); }

void setSnapshotHooks(const SnapshotHooks &hooks) { HandleTable::global().state().hooks = hooks; }

} // namespace naja::frontend
