// `_core.make_ufunc`, a numpy.ufunc of compiled loops, and `_core.DUFunc`, the callable around one that takes short
// calls past NumPy's machinery and asks Python to compile loops that are missing.
#pragma once

#include "naja/bindings/core/ufunc_loop.h"

#include <memory>
#include <string>

namespace naja::bindings {

/// Everything that a numpy.ufunc points to; lives as long as the ufunc does.
struct UfuncBlock {
  std::string name, doc;
  std::vector<std::unique_ptr<UfuncLoop>> loops;
  std::vector<void (*)(char **, npy_intp const *, npy_intp const *, void *)> functions;
  std::vector<void *> data;
  std::vector<char> types;
};

/// make_ufunc(name, doc, nin, nout, identity, signature or None, loops, inputs that are written) -> numpy.ufunc.
PyObject *makeUfunc(PyObject *module, PyObject *args);
bool initUfuncs(PyObject *module);
bool initDUFuncType(PyObject *module);
/// Of a DUFunc, or a method of one, as frozen code knows it; empty for other objects.
std::string nameOfUfunc(PyObject *object);
/// The block of a ufunc that makeUfunc has made, or null.
const UfuncBlock *blockOf(PyObject *ufunc);

} // namespace naja::bindings
