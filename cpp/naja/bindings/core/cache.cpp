#include "naja/bindings/core/cache.h"

#include "naja/bindings/core/objects.h"
#include "naja/frontend/snapshot/content_hash.h"
#include "naja/frontend/snapshot/snapshot.h"
#include "naja/runtime/abi.h"
#include "naja/store/image.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace naja::bindings {
namespace {

/// Loaded code with everything that its slots point to.
struct CachedCode {
  std::unique_ptr<store::LoadedImage> image;
  std::deque<std::string> texts;
  std::deque<std::vector<naja_moved_lines>> moved;
  std::vector<Ref> kept;
  std::map<std::string, void *> arrays; // by symbol
};
constexpr const char *kOwner = "naja.CachedCode";

void *resolve(void *context, const char *name) {
  auto &code = *static_cast<CachedCode *>(context);
  if (auto found = code.arrays.find(name); found != code.arrays.end()) return found->second;
  return naja_rt_find_symbol(name);
}

/// The exported data of a slot, or null where the image has none of that size in its writable part.
void *slotOf(const CachedCode &code, const store::Image &image, const char *symbol, size_t size) {
  auto *at = static_cast<char *>(code.image->find(symbol));
  if (!at) return nullptr;
  const size_t offset = static_cast<size_t>(at - code.image->base());
  return offset >= image.code_size && size <= image.bytes.size() && offset <= image.bytes.size() - size ? at : nullptr;
}

bool refuse(const char *why) {
  PyErr_Format(PyExc_ValueError, "cached code: %s", why);
  return false;
}

bool readArrays(CachedCode &code, PyObject *rows) {
  PyObject *symbol = nullptr, *array = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(rows, &position, &symbol, &array);) {
    const char *name = PyUnicode_AsUTF8(symbol);
    if (!name || !PyArray_Check(array)) return refuse("not an array");
    code.arrays[name] = PyArray_DATA(reinterpret_cast<PyArrayObject *>(array));
    code.kept.push_back(Ref::borrow(array));
  }
  return true;
}

bool fillWords(CachedCode &code, const store::Image &image, PyObject *rows) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    const char *symbol = nullptr;
    unsigned value = 0;
    if (PyArg_ParseTuple(PyList_GET_ITEM(rows, i), "sI", &symbol, &value) == 0) return false;
    void *at = slotOf(code, image, symbol, sizeof(uint32_t));
    if (!at) return refuse("a slot is missing");
    std::memcpy(at, &value, sizeof(uint32_t));
  }
  return true;
}

/// Rows of (symbol, file, [(first, last, shift, file)]).
bool fillOrigins(CachedCode &code, const store::Image &image, PyObject *rows) {
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(rows); ++i) {
    const char *symbol = nullptr, *file = nullptr;
    PyObject *ranges = nullptr;
    if (PyArg_ParseTuple(PyList_GET_ITEM(rows, i), "ssO!", &symbol, &file, &PyList_Type, &ranges) == 0) return false;
    auto *origin = static_cast<naja_origin *>(slotOf(code, image, symbol, sizeof(naja_origin)));
    if (!origin) return refuse("a slot is missing");
    auto &moved = code.moved.emplace_back();
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(ranges); ++k) {
      naja_moved_lines range{};
      const char *now = nullptr;
      if (PyArg_ParseTuple(PyList_GET_ITEM(ranges, k), "iiis", &range.first, &range.last, &range.shift, &now) == 0)
        return false;
      range.file = code.texts.emplace_back(now).c_str();
      moved.push_back(range);
    }
    naja_origin filled{code.texts.emplace_back(file).c_str(), moved.data(), static_cast<int64_t>(moved.size())};
    std::memcpy(origin, &filled, sizeof filled);
  }
  return true;
}

PyObject *loadImage(PyObject *, PyObject *args) {
  const char *data = nullptr, *entry_symbol = nullptr;
  Py_ssize_t size = 0;
  PyObject *words = nullptr, *origins = nullptr, *arrays = nullptr;
  if (PyArg_ParseTuple(args, "y#sO!O!O!", &data, &size, &entry_symbol, &PyList_Type, &words, &PyList_Type, &origins,
                       &PyDict_Type, &arrays) == 0)
    return nullptr;
  std::string why;
  auto image = store::Image::deserialize({data, static_cast<size_t>(size)}, &why);
  if (!image) {
    refuse(why.c_str());
    return nullptr;
  }
  auto code = std::make_unique<CachedCode>();
  if (!readArrays(*code, arrays)) return nullptr;
  code->image = store::Loader::load(*image, resolve, code.get(), &why);
  if (!code->image) {
    refuse(why.c_str());
    return nullptr;
  }
  auto *entry = static_cast<char *>(code->image->find(entry_symbol));
  if (!entry || static_cast<size_t>(entry - code->image->base()) >= image->code_size) {
    refuse("it has no entry");
    return nullptr;
  }
  if (!fillWords(*code, *image, words) || !fillOrigins(*code, *image, origins)) return nullptr;
  Ref owner = Ref::steal(PyCapsule_New(code.get(), kOwner, [](PyObject *capsule) {
    delete static_cast<CachedCode *>(PyCapsule_GetPointer(capsule, kOwner));
  }));
  if (!owner) return nullptr;
  code.release();
  return Py_BuildValue("NN", PyLong_FromVoidPtr(entry), owner.release());
}

PyObject *hash128(PyObject *, PyObject *argument) {
  char *data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(argument, &data, &size) < 0) return nullptr;
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(data, static_cast<size_t>(size)));
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(canonical.digest), sizeof canonical.digest);
}

PyObject *snapshotHash(PyObject *, PyObject *function) {
  auto snapshot = frontend::snapshotFunction(function);
  if (!snapshot) return nullptr;
  const frontend::LineLayout lines = frontend::lineLayout(*snapshot->code);
  const std::string &file = snapshot->code->file;
  Ref file_text = Ref::steal(PyUnicode_DecodeUTF8(file.data(), static_cast<Py_ssize_t>(file.size()), "surrogatepass"));
  if (!file_text) return nullptr;
  return Py_BuildValue("KKiiO", static_cast<unsigned long long>(snapshot->content_hash),
                       static_cast<unsigned long long>(lines.hash), snapshot->code->first_line, lines.last_line,
                       file_text.get());
}

PyObject *valueHash(PyObject *, PyObject *value) {
  const auto hash = frontend::valueHash(frontend::freeze(value));
  if (!hash) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong(*hash);
}

PyObject *constantId(PyObject *, PyObject *value) { return PyLong_FromUnsignedLong(frontend::freeze(value).value); }

PyMethodDef methods[] = {
    {"hash128", hash128, METH_O, "XXH3 of bytes, 16 bytes."},
    {"snapshot_hash", snapshotHash, METH_O, "(hash of code and frozen values, hash of lines, first line, last line, file)"},
    {"value_hash", valueHash, METH_O, "Hash of a frozen value; None for what is known by identity alone."},
    {"constant_id", constantId, METH_O, "Id of the constant for an object."},
    {"load_image", loadImage, METH_VARARGS,
     "(image, entry symbol, [(symbol, word)], [(symbol, file, ranges)], {symbol: array}) -> (entry, owner)"},
    {}};

} // namespace

bool initCache(PyObject *module) { return PyModule_AddFunctions(module, methods) == 0; }

} // namespace naja::bindings
