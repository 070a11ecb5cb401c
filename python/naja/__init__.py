"""naja compiles Python functions over NumPy data to machine code when they are called.

    from naja import njit

    @njit
    def total(a):
        s = 0.0
        for x in a:
            s += x
        return s

Importing the package loads neither the compiler nor the library: everything beyond the decorators comes on first use.
"""

from ._version import __version__, version_info
from .decorators import jit, jit_module, njit
from .special import literal_unroll, literally, pndindex, prange

# Public names by the module that defines them; imported when first used.
_LAZY = {
    "typeof": "typing", "from_dtype": "types", "types": None, "errors": None, "config": None, "extending": None,
    "compat": None, "testing": None, "typing": None, "special": None, "decorators": None, "dispatcher": None,
    "library": None,
    "set_num_threads": "parallel", "get_num_threads": "parallel", "get_thread_id": "parallel",
    "threading_layer": "parallel", "get_parallel_chunksize": "parallel", "set_parallel_chunksize": "parallel",
    "parallel_chunksize": "parallel", "parallel": None, "vectorize": "ufunc", "DUFunc": "ufunc", "guvectorize": "ufunc_generalised",
    "GUFunc": "ufunc_generalised",
}


def __getattr__(name):
    import importlib

    if name in _LAZY:
        module = _LAZY[name]
        value = importlib.import_module(f"naja.{name}" if module is None else f"naja.{module}")
        value = value if module is None else getattr(value, name)
    else:
        value = _from_namespaces(name, importlib)
    globals()[name] = value
    return value


def _from_namespaces(name, importlib):
    """Types, errors and sub-packages."""
    if not name.startswith("_"):
        for module in ("types", "errors"):
            namespace = importlib.import_module(f"naja.{module}")
            if name in namespace.EXPORTED:
                return getattr(namespace, name)
        if importlib.util.find_spec(f"naja.{name}") is not None:
            return importlib.import_module(f"naja.{name}")
    raise AttributeError(f"module 'naja' has no attribute {name!r}")


def __dir__():
    from . import errors, types

    return sorted({*globals(), *_LAZY, *types.EXPORTED, *errors.EXPORTED})


__all__ = ["jit", "njit", "jit_module", "prange", "pndindex", "literally", "literal_unroll", "typeof", "from_dtype",
           "types", "errors", "config", "extending", "vectorize", "guvectorize"]
