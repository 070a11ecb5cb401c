// `_core.Dispatcher`: the callable that stands for a compiled function. A call fingerprints its arguments, finds the
// entry made for that fingerprint and enters compiled code; a miss types the arguments, picks or compiles a
// specialisation, and adds an entry. docs/architecture/dispatch.md tells the whole way.
#pragma once

#include "naja/bindings/core/fingerprint.h"
#include "naja/bindings/core/signature.h"
#include "naja/bindings/core/specialisation.h"
#include "naja/bindings/core/unbox.h"

#include <memory>
#include <vector>

namespace naja::bindings {

/// A fingerprint and what to do with arguments that have it.
struct Entry {
  std::unique_ptr<uint64_t[]> words;
  uint32_t word_count = 0;
  uint32_t param_count = 0;
  uint64_t hash = 0;
  Specialisation *specialisation = nullptr; // strong
  std::vector<UnboxStep> steps;             // one per parameter
  std::vector<PyObject *> pins;             // strong: objects whose addresses are in the words
  bool large = false;                       // does not fit the buffers of a usual call

  Entry() = default;
  Entry(const Entry &) = delete;
  ~Entry();
};

/// Entries by fingerprint: the first few are compared one by one, many go through a hash table.
class EntryTable {
public:
  Entry *find(const Fingerprint &fingerprint) const;
  void insert(std::unique_ptr<Entry> entry);
  std::vector<std::unique_ptr<Entry>> takeAll();
  const std::vector<std::unique_ptr<Entry>> &entries() const { return entries_; }

private:
  static constexpr size_t kLinear = 6;
  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<Entry *> buckets_; // a power of two; empty while entries are few
  void rehash(size_t size);
};

struct Dispatcher {
  PyObject_HEAD vectorcallfunc vectorcall;
  Py_ssize_t simple_count; // see Signature
  Entry *last;             // hit by the call before
  uint32_t active;         // calls in progress: entries may not be freed
  bool can_compile;
  PyObject *py_func;
  PyObject *dict;
  PyObject *weakrefs;
  struct Data;
  Data *data;
};

struct Dispatcher::Data {
  Signature signature;
  EntryTable table;
  std::vector<std::unique_ptr<Entry>> retired;   // freed when no call is in progress
  std::vector<Specialisation *> specialisations; // strong, in order of addition
  std::vector<TypeId> omitted;                   // types of omitted defaults by parameter, made on demand
};

bool isDispatcher(PyObject *object);
bool initDispatcherType(PyObject *module);

/// The slow part of a call: types the bound arguments (null: omitted) and finds or compiles a specialisation. `entry`
/// is remembered by the dispatcher unless the fingerprint is too long: then *temporary owns it. Null with an error set.
Entry *resolveCall(Dispatcher *self, PyObject *const *bound, const Fingerprint &fingerprint,
                   std::unique_ptr<Entry> *temporary);
/// Specialisation for argument types among those there are: exact, or by conversions where nothing may be compiled any
/// more. Null with an error set, or without one where it has to be compiled.
Specialisation *findSpecialisation(Dispatcher *self, const std::vector<TypeId> &args);
/// Forgets all entries; they are freed when no call is in progress.
void retireEntries(Dispatcher *self);
bool addSpecialisation(Dispatcher *self, Specialisation *specialisation);

void setCompileHook(PyObject *hook);

} // namespace naja::bindings
