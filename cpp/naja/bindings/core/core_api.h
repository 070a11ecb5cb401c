// What `_core` offers to `_compiler`: one C++ table, reached through the capsule `naja._core._api`. Include it in any
// extension module; it needs no library. The GIL is held for every call of it that takes or returns a PyObject.
#pragma once

#include <Python.h>

#include "naja/types/constant.h"
#include "naja/types/type.h"

#include <cstddef>
#include <cstdint>

namespace naja::frontend {
class HandleTable;
}

namespace naja::bindings {

/// Flags of a specialisation.
enum SpecialisationFlags : uint32_t {
  kReleaseGil = 1, // nogil=True: the GIL is released around the compiled code
};

struct CoreApi {
  static constexpr uint32_t kVersion = 1;
  static constexpr const char *kCapsule = "naja._core._api";
  uint32_t version;

  // The stores of the process: _compiler calls TypeStore::install, ConstantStore::install, HandleTable::install and
  // naja_rt_delegate with these when it is loaded (both modules contain a copy of the libraries; only _core's is used).
  TypeStore *types;
  ConstantStore *constants;
  frontend::HandleTable *handles;
  /// Address of a runtime symbol in _core's copy of the runtime.
  void *(*find_symbol)(const char *name);

  /// A `_core.Specialisation` (new reference): what a dispatcher enters. `entry` is `i32 f(ret*, scalars...)`; `owner`
  /// is kept alive as long as the specialisation (a capsule that holds the CompiledFunction; may be null).
  PyObject *(*new_specialisation)(void *entry, const TypeId *args, size_t count, TypeId result, PyObject *owner,
                                  uint32_t flags);

  /// The `_core.Type` of a type (new reference), and back (an error is set and false returned if it is none).
  PyObject *(*type_object)(TypeId type);
  bool (*type_id)(PyObject *object, TypeId *type);

  /// typeof(value): the built-in rules, then the Python hook `_core.set_typeof_hook`. Invalid with TypeError set.
  TypeId (*type_of)(PyObject *value);

  /// Python object of a value in memory (C struct of its scalars). References are taken over. Null with an error set.
  PyObject *(*box)(TypeId type, const void *value);
};

/// The table, or null with an ImportError set.
inline const CoreApi *importCoreApi() {
  auto *api = static_cast<const CoreApi *>(PyCapsule_Import(CoreApi::kCapsule, 0));
  if (api && api->version != CoreApi::kVersion) {
    PyErr_SetString(PyExc_ImportError, "naja._core and naja._compiler are of different versions");
    return nullptr;
  }
  return api;
}

} // namespace naja::bindings

// `_core` at the Python level. Types are passed as ids (ints), so that an ordinary call never imports naja.types; where
// an id is wanted a Type serves as well.
//   options() -> [(name, type, default, help, in_key, numba_alias)]; get_option(name) -> str; set_option(name, str)
//   Type(id): a base class whose only datum is `id`; compared by identity. set_type_maker(f): f(id) -> Type instance,
//   called
//     once per id by type_object(id), which imports naja.types where no maker is set yet.
//   type_data(id) -> (kind name as in TypeKind, text, bits, is_signed, ndim, layout 'C'|'F'|'A', readonly, aligned,
//     args: ids, fields: str, offsets: ints, constant: object or None, class of `handle` or None, name)
//   intern_type(kind, *, bits, is_signed, ndim, layout, readonly, aligned, args, fields, offsets, name,
//   constant=<object,
//     frozen>, cls=<object>) -> id; omitted_type(default) -> id; parse_type(str) -> id or None
//   unify(id, id) -> id or None; conversion(id, id) -> int (Conversion); as_dtype(id) -> dtype; from_dtype(dtype) -> id
//   or None typeof(value) -> id or None; set_typeof_hook(f): f(value) -> Type, id or None Dispatcher(py_func):
//   subclassable, with __dict__; set_compile_hook(f): f(dispatcher, ids) -> Specialisation, which is
//     remembered and entered. ._add(s), ._clear(), ._specialisations(), ._find(ids), ._default_types(),
//     ._types_of(*args,
//     **kwargs), ._can_compile, .py_func
//   Specialisation(entry, ids, return id, owner=None, nogil=False): .args, .return_type, .entry, .owner, .nogil
//   live_allocations(), total_allocations(), find_symbol(name) -> address or 0, symbols() -> names
