// What `_core` offers to `_compiler`: one C++ table, reached through the capsule `naja._core._api`. Include it in any
// extension module; it needs no library. The GIL is held for every call of it that takes or returns a PyObject.
#pragma once

#include <Python.h>

#include "naja/types/constant.h"
#include "naja/types/type.h"

#include <cstddef>
#include <cstdint>

namespace naja::frontend { class HandleTable; }

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

  /// A `_core.Specialisation` (new reference): what a dispatcher enters. `entry` is `i32 f(ret*, scalars...)`; `owner` is
  /// kept alive as long as the specialisation (a capsule that holds the CompiledFunction; may be null).
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

// What python/naja expects of `_core` at the Python level (its author adapts where `_core` says otherwise):
//   options() -> [(name, type, default, help, in_key, numba_alias)]; get_option(name) -> str; set_option(name, str)
//   Type: a base class whose only datum is the TypeId (attribute `id`), subclassable (naja.types derives Integer, Array...
//     with empty __slots__ or a dict); Type.__new__(cls, id); equality and hash by identity.
//   set_type_maker(f): f(id) -> Type instance, called once per id by type_object, which remembers (strongly) the result;
//     type_object imports naja.types where no maker is set yet, which sets it.
//   type_object(id) -> Type; type_data(id) -> (kind name as in TypeKind, text, bits, is_signed, ndim, layout 'C'|'F'|'A',
//     readonly, aligned, args: tuple of ids, fields: tuple of str, offsets: tuple, constant: object or None, class object
//     of `handle` or None, name)
//   intern_type(kind name, *, bits=0, is_signed=False, ndim=0, layout='C', readonly=False, aligned=True, args=(ids),
//     fields=(), offsets=(), name='', constant=<any object, frozen>, cls=<object>) -> id
//   parse_type(str) -> id or None; unify(id, id) -> id or None; conversion(id, id) -> int (Conversion)
//   The compile hook gets arg_types as a tuple of ids, so that an ordinary call never imports naja.types.
//   Dispatcher(py_func): subclassable, with __dict__; on a miss it calls the hook set_compile_hook(f):
//     f(dispatcher, arg_types: tuple of ids) -> Specialisation (entered and remembered), or raises
//   Dispatcher._add(Specialisation), ._clear(), ._specialisations() -> tuple, ._can_compile (bool attribute)
//   Specialisation: .args (tuple of ids), .return_type (id), .owner
//   typeof(value) -> id; set_typeof_hook(f): f(value) -> Type or None
