#include "naja/bindings/core/type_object.h"

#include "naja/bindings/core/box.h"
#include "naja/bindings/core/objects.h"
#include "naja/frontend/snapshot/snapshot.h"
#include "naja/types/constant.h"
#include "naja/types/promotion.h"

#include <cstring>
#include <iterator>
#include <vector>

namespace naja::bindings {
namespace {

struct TypeObject {
  PyObject_HEAD TypeId id;
};
PyTypeObject *type_class = nullptr;
PyObject *maker = nullptr;
std::vector<PyObject *> *objects = nullptr; // by id; never given back

constexpr const char *kKinds[] = {
    "None",     "Bool",        "Int",         "Float",    "Complex",         "Optional",       "MaybeUnbound",
    "Tuple",    "Array",       "Slice",       "Ellipsis", "String",          "Bytes",          "Range",
    "Iterator", "Record",      "NestedArray", "Function", "Closure",         "Builtin",        "BoundMethod",
    "Module",   "NumberClass", "DType",       "TypeRef",  "NamedTupleClass", "ExceptionClass", "ExceptionInstance",
    "Omitted",  "Literal",     "Pointer",     "Object",   "Opaque",
};
static_assert(std::size(kKinds) == static_cast<size_t>(TypeKind::Opaque) + 1);

bool existingId(unsigned long value, TypeId *out) {
  if (value >= types().size()) {
    PyErr_Format(PyExc_ValueError, "no type has the id %lu", value);
    return false;
  }
  *out = TypeId(static_cast<uint32_t>(value));
  return true;
}

PyObject *newType(PyTypeObject *cls, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"id", nullptr};
  unsigned long value = 0;
  TypeId id;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "k", const_cast<char **>(names), &value) == 0 ||
      !existingId(value, &id)) {
    return nullptr;
  }
  PyObject *self = cls->tp_alloc(cls, 0);
  if (self != nullptr) { reinterpret_cast<TypeObject *>(self)->id = id; }
  return self;
}
void dealloc(PyObject *self) {
  PyTypeObject *cls = Py_TYPE(self);
  cls->tp_free(self);
  Py_DECREF(cls);
}
PyObject *getId(PyObject *self, void *) {
  return PyLong_FromUnsignedLong(reinterpret_cast<TypeObject *>(self)->id.value);
}
PyObject *toText(PyObject *self) {
  const std::string text = toString(reinterpret_cast<TypeObject *>(self)->id);
  return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

PyGetSetDef getset[] = {{"id", getId, nullptr, "Number of the type in this process.", nullptr}, {}};
PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void *>(newType)},
                       {Py_tp_dealloc, reinterpret_cast<void *>(dealloc)},
                       {Py_tp_repr, reinterpret_cast<void *>(toText)},
                       {Py_tp_str, reinterpret_cast<void *>(toText)},
                       {Py_tp_getset, getset},
                       {Py_tp_doc, const_cast<char *>("A type of compiled code; compared by identity.")},
                       {0, nullptr}};
PyType_Spec spec = {"naja._core.Type", sizeof(TypeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

// ---- data of a type as plain Python values

PyObject *idTuple(const std::vector<TypeId> &ids) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(ids.size()));
  for (size_t i = 0; tuple != nullptr && i < ids.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLong(ids[i].value));
  }
  return tuple;
}
PyObject *textTuple(const std::vector<std::string> &texts) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(texts.size()));
  for (size_t i = 0; tuple != nullptr && i < texts.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyUnicode_FromString(texts[i].c_str()));
  }
  return tuple;
}
PyObject *intTuple(const std::vector<int64_t> &numbers) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(numbers.size()));
  for (size_t i = 0; tuple != nullptr && i < numbers.size(); ++i) {
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(numbers[i]));
  }
  return tuple;
}
Ref objectOrNone(PyObject *borrowed) {
  if (borrowed == nullptr) { PyErr_Clear(); }
  return Ref::borrow(borrowed ? borrowed : Py_None);
}

PyObject *typeData(PyObject *, PyObject *argument) {
  TypeId id;
  if (!typeIdOf(argument, &id)) { return nullptr; }
  const Type &type = typeOf(id);
  const char layout[] = {"CFA"[static_cast<int>(type.layout)], '\0'};
  Ref constant = objectOrNone(type.constant != ConstId::kInvalid ? objectOfConstant(ConstId(type.constant)) : nullptr);
  Ref cls = objectOrNone(type.handle != PyHandle::kInvalid ? objectOfHandle(type.handle) : nullptr);
  const std::string text = toString(id);
  return Py_BuildValue("ssiOisOONNNOOs", kKinds[static_cast<size_t>(type.kind)], text.c_str(), int{type.bits},
                       type.is_signed ? Py_True : Py_False, int{type.ndim}, layout, type.readonly ? Py_True : Py_False,
                       type.aligned ? Py_True : Py_False, idTuple(type.args), textTuple(type.fields),
                       intTuple(type.offsets), constant.get(), cls.get(), type.name.c_str());
}

// ---- making types

bool readIds(PyObject *sequence, std::vector<TypeId> *out) {
  Ref items = Ref::steal(PySequence_Tuple(sequence));
  if (!items) { return false; }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
    TypeId id;
    if (!typeIdOf(PyTuple_GET_ITEM(items.get(), i), &id)) { return false; }
    out->push_back(id);
  }
  return true;
}
bool readTexts(PyObject *sequence, std::vector<std::string> *out) {
  Ref items = Ref::steal(PySequence_Tuple(sequence));
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(items.get()); ++i) {
    const char *text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(items.get(), i));
    if (text == nullptr) { return false; }
    out->emplace_back(text);
  }
  return static_cast<bool>(items);
}
bool readInts(PyObject *sequence, std::vector<int64_t> *out) {
  Ref items = Ref::steal(PySequence_Tuple(sequence));
  for (Py_ssize_t i = 0; items && i < PyTuple_GET_SIZE(items.get()); ++i) {
    out->push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(items.get(), i)));
  }
  return items && !PyErr_Occurred();
}

bool readKind(const char *name, TypeKind *out) {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (std::strcmp(kKinds[i], name) == 0) {
      *out = static_cast<TypeKind>(i);
      return true;
    }
  }
  PyErr_Format(PyExc_ValueError, "no kind of type is called '%s'", name);
  return false;
}

/// The canonical form of each kind: through the store's own makers where it has them.
TypeId internCanonical(Type type) {
  TypeStore &store = types();
  switch (type.kind) {
  case TypeKind::None: return store.none;
  case TypeKind::Bool: return store.boolean;
  case TypeKind::Int: return store.integer(type.bits, type.is_signed);
  case TypeKind::Float: return store.floating(type.bits);
  case TypeKind::Complex: return store.complexOf(type.bits);
  case TypeKind::String: return store.unicode;
  case TypeKind::Bytes: return store.bytes;
  case TypeKind::Ellipsis: return store.ellipsis;
  case TypeKind::Slice: return type.ndim == 3 ? store.slice3 : store.slice2;
  case TypeKind::Optional: return type.args.size() == 1 ? store.optional(type.args[0]) : TypeId();
  case TypeKind::Tuple:
    return type.name.empty() ? store.tuple(type.args)
                             : store.namedTuple(type.name, type.fields, type.args, type.handle);
  case TypeKind::Array:
    return type.args.size() == 1 ? store.array(type.args[0], type.ndim, type.layout, type.readonly, type.aligned)
                                 : TypeId();
  case TypeKind::Range: return type.args.empty() ? TypeId() : store.range(type.args[0], type.ndim == 1);
  case TypeKind::DType: return type.args.size() == 1 ? store.dtypeOf(type.args[0]) : TypeId();
  case TypeKind::NumberClass: return type.args.size() == 1 ? store.numberClass(type.args[0]) : TypeId();
  case TypeKind::TypeRef: return type.args.size() == 1 ? store.typeRef(type.args[0]) : TypeId();
  default: return store.intern(std::move(type));
  }
}

bool widthExists(const Type &type) {
  switch (type.kind) {
  case TypeKind::Int: return type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64;
  case TypeKind::Float: return type.bits == 16 || type.bits == 32 || type.bits == 64;
  case TypeKind::Complex: return type.bits == 64 || type.bits == 128;
  default: return true;
  }
}

PyObject *internType(PyObject *, PyObject *args, PyObject *kwargs) {
  static const char *const names[] = {"kind", "bits",   "is_signed", "ndim", "layout",   "readonly", "aligned",
                                      "args", "fields", "offsets",   "name", "constant", "cls",      nullptr};
  const char *kind = nullptr, *layout = "C", *name = "";
  int bits = 0, is_signed = 0, ndim = 0, readonly = 0, aligned = 1;
  PyObject *arg_types = nullptr, *fields = nullptr, *offsets = nullptr, *constant = nullptr, *cls = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "s|$ipisppOOOsOO", const_cast<char **>(names), &kind, &bits, &is_signed,
                                  &ndim, &layout, &readonly, &aligned, &arg_types, &fields, &offsets, &name, &constant,
                                  &cls) == 0) {
    return nullptr;
  }
  Type type;
  type.bits = static_cast<uint16_t>(bits);
  type.is_signed = is_signed != 0;
  type.ndim = static_cast<uint16_t>(ndim);
  type.layout = *layout == 'F' ? Layout::F : *layout == 'A' ? Layout::A : Layout::C;
  type.readonly = readonly != 0;
  type.aligned = aligned != 0;
  type.name = name;
  if (!readKind(kind, &type.kind) || (arg_types && !readIds(arg_types, &type.args)) ||
      (fields && !readTexts(fields, &type.fields)) || (offsets && !readInts(offsets, &type.offsets))) {
    return nullptr;
  }
  if (constant) { type.constant = constantOf(constant).value; }
  if (cls) { type.handle = frontend::HandleTable::global().add(cls).value; }
  const TypeId id = widthExists(type) && ndim >= 0 && ndim < 65536 ? internCanonical(std::move(type)) : TypeId();
  if (id.valid()) { return PyLong_FromUnsignedLong(id.value); }
  PyErr_Format(PyExc_ValueError, "these members do not make a type of kind %s", kind);
  return nullptr;
}

// ---- functions of the module

PyObject *setTypeMaker(PyObject *, PyObject *function) {
  Py_XSETREF(maker, Py_NewRef(function));
  Py_RETURN_NONE;
}
PyObject *typeObjectOf(PyObject *, PyObject *argument) {
  TypeId id;
  return typeIdOf(argument, &id) ? typeObject(id) : nullptr;
}
PyObject *parse(PyObject *, PyObject *argument) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(argument, &size);
  if (text == nullptr) { return nullptr; }
  auto type = parseType({text, static_cast<size_t>(size)});
  if (!type) { Py_RETURN_NONE; }
  return PyLong_FromUnsignedLong(type->value);
}
bool twoIds(PyObject *const *args, Py_ssize_t count, TypeId *a, TypeId *b) {
  if (count == 2) { return typeIdOf(args[0], a) && typeIdOf(args[1], b); }
  PyErr_SetString(PyExc_TypeError, "two types expected");
  return false;
}
PyObject *unifyTypes(PyObject *, PyObject *const *args, Py_ssize_t count) {
  TypeId a, b;
  if (!twoIds(args, count, &a, &b)) { return nullptr; }
  auto type = unify(a, b);
  if (!type) { Py_RETURN_NONE; }
  return PyLong_FromUnsignedLong(type->value);
}
PyObject *conversionOf(PyObject *, PyObject *const *args, Py_ssize_t count) {
  TypeId a, b;
  if (!twoIds(args, count, &a, &b)) { return nullptr; }
  return PyLong_FromLong(static_cast<long>(conversion(a, b)));
}
PyObject *dtypeOfType(PyObject *, PyObject *argument) {
  TypeId id;
  if (!typeIdOf(argument, &id)) { return nullptr; }
  return Py_XNewRef(reinterpret_cast<PyObject *>(descrOf(id)));
}
PyObject *typeOfDtypeObject(PyObject *, PyObject *argument) {
  auto type = frontend::typeOfDtype(argument);
  if (!type) { Py_RETURN_NONE; }
  return PyLong_FromUnsignedLong(type->value);
}
PyObject *typeofValue(PyObject *, PyObject *value) {
  const TypeId id = typeOfObject(value);
  if (id.valid()) { return PyLong_FromUnsignedLong(id.value); }
  if (PyErr_Occurred()) { return nullptr; }
  Py_RETURN_NONE;
}
PyObject *setHook(PyObject *, PyObject *function) {
  setTypeofHook(function);
  Py_RETURN_NONE;
}
PyObject *omittedType(PyObject *, PyObject *value) { return PyLong_FromUnsignedLong(typeOfOmitted(value).value); }

template <class F> PyCFunction asMethod(F *function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef methods[] = {
    {"set_type_maker", setTypeMaker, METH_O, "f(id) makes the object of a type, once per type."},
    {"type_object", typeObjectOf, METH_O, "The object of a type by its id."},
    {"type_data", typeData, METH_O,
     "(kind, text, bits, is_signed, ndim, layout, readonly, aligned, args, fields, offsets, constant, class, name)"},
    {"intern_type", asMethod(internType), METH_VARARGS | METH_KEYWORDS, "Id of the type with these members."},
    {"parse_type", parse, METH_O, "Id of the type with this text, or None."},
    {"unify", asMethod(unifyTypes), METH_FASTCALL, "Id of the unified type of two, or None."},
    {"conversion", asMethod(conversionOf), METH_FASTCALL, "Rank of a conversion: 0 exact ... 3 unsafe, 4 none."},
    {"as_dtype", dtypeOfType, METH_O, "The NumPy dtype of an element type."},
    {"from_dtype", typeOfDtypeObject, METH_O, "Id of the element type of a NumPy dtype, or None."},
    {"typeof", typeofValue, METH_O, "Id of the type of a value, or None."},
    {"set_typeof_hook", setHook, METH_O, "f(value) -> Type or None, for what the built-in rules do not know."},
    {"omitted_type", omittedType, METH_O, "Id of omitted(default=value)."},
    {}};

} // namespace

PyObject *typeObject(TypeId id) {
  if (id.value < objects->size() && (*objects)[id.value] != nullptr) { return Py_NewRef((*objects)[id.value]); }
  if (maker == nullptr) { // naja.types registers the maker
    Ref module = Ref::steal(PyImport_ImportModule("naja.types"));
    if (!module) { return nullptr; }
  }
  Ref object = maker ? Ref::steal(PyObject_CallFunction(maker, "I", static_cast<unsigned>(id.value)))
                     : Ref::steal(PyObject_CallFunction(reinterpret_cast<PyObject *>(type_class), "I",
                                                        static_cast<unsigned>(id.value)));
  if (!object) { return nullptr; }
  if (!PyObject_TypeCheck(object.get(), type_class)) {
    PyErr_SetString(PyExc_TypeError, "the maker of types must return a naja._core.Type");
    return nullptr;
  }
  if (id.value >= objects->size()) { objects->resize(types().size(), nullptr); }
  // The maker may have asked for the same type itself.
  if ((*objects)[id.value] == nullptr) { (*objects)[id.value] = object.release(); }
  return Py_NewRef((*objects)[id.value]);
}

bool typeIdOf(PyObject *object, TypeId *type) {
  if (PyObject_TypeCheck(object, type_class)) {
    *type = reinterpret_cast<TypeObject *>(object)->id;
    return true;
  }
  if (PyLong_Check(object)) {
    const unsigned long value = PyLong_AsUnsignedLong(object);
    return !(value == static_cast<unsigned long>(-1) && PyErr_Occurred()) && existingId(value, type);
  }
  PyErr_Format(PyExc_TypeError, "expected a type, got %s", Py_TYPE(object)->tp_name);
  return false;
}

TypeId typeIdOfTypeObject(PyObject *object) {
  return PyObject_TypeCheck(object, type_class) ? reinterpret_cast<TypeObject *>(object)->id : TypeId();
}

bool initTypeObject(PyObject *module) {
  objects = new std::vector<PyObject *>;
  type_class = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return type_class != nullptr &&
         PyModule_AddObjectRef(module, "Type", reinterpret_cast<PyObject *>(type_class)) == 0 &&
         PyModule_AddFunctions(module, methods) == 0;
}

} // namespace naja::bindings
