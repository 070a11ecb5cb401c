"""Finds `numba` and its submodules: each is a module whose attributes are looked up in modules of naja."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types

_FOLDER = os.path.dirname(os.path.abspath(__file__))

# Module of Numba -> modules of naja whose names it shows, in order. "{...}" in EXTRA adds single names.
MODULES = {
    "numba": ("naja",),
    "numba.types": ("naja.types",),
    "numba.errors": ("naja.errors",),
    "numba.config": ("naja.config",),
    "numba.extending": ("naja.extending",),
    "numba.typed": ("naja.typed",),
    "numba.typed.typedlist": ("naja.typed",),
    "numba.typed.typeddict": ("naja.typed",),
    "numba.experimental": ("naja.experimental",),
    "numba.experimental.structref": ("naja.experimental.structref",),
    "numba.experimental.jitclass": ("naja.experimental",),
    "numba.cuda": ("naja.cuda",),
    "numba.cuda.compiler": ("naja.cuda.compiler",),
    "numba.cuda.cudadrv": (),
    "numba.cuda.cudadrv.devicearray": ("naja.cuda.devicearray",),
    "numba.cuda.cudadrv.driver": ("naja.cuda.errors", "naja.cuda.devices", "naja.cuda.streams"),
    "numba.cuda.cudadrv.error": ("naja.cuda.errors",),
    "numba.cuda.dispatcher": ("naja.cuda.dispatcher",),
    "numba.cuda.errors": ("naja.cuda.errors",),
    "numba.stencils": ("naja.stencils",),
    "numba.core": (),
    "numba.core.config": ("naja.config",),
    "numba.core.errors": ("naja.errors",),
    "numba.core.types": ("naja.types",),
    "numba.core.types.abstract": ("naja.types",),
    "numba.core.types.common": ("naja.types",),
    "numba.core.types.containers": ("naja.types",),
    "numba.core.types.functions": ("naja.types",),
    "numba.core.types.iterators": ("naja.types",),
    "numba.core.types.misc": ("naja.types",),
    "numba.core.types.npytypes": ("naja.types",),
    "numba.core.types.scalars": ("naja.types",),
    "numba.core.extending": ("naja.extending",),
    "numba.core.decorators": ("naja.decorators",),
    "numba.core.dispatcher": ("naja.dispatcher",),
    "numba.core.registry": ("naja.dispatcher",),
    "numba.core.sigutils": ("naja.types.signatures",),
    "numba.core.typing": ("naja.types.signatures", "naja.typing"),
    "numba.core.typing.templates": ("naja.types.signatures",),
    "numba.core.typing.typeof": ("naja.typing",),
    "numba.core.typing.asnumbatype": ("naja.extending",),
    "numba.core.utils": (),
    "numba.core.runtime": ("naja.memory",),
    "numba.core.runtime.nrt": ("naja.memory",),
    "numba.core.runtime._nrt_python": ("naja.memory",),
    "numba.np": (),
    "numba.np.numpy_support": ("naja.types",),
    "numba.np.ufunc": ("naja.ufunc", "naja.ufunc_generalised"),
    "numba.np.ufunc.decorators": ("naja.ufunc", "naja.ufunc_generalised"),
    "numba.np.ufunc.dufunc": ("naja.ufunc",),
    "numba.np.ufunc.gufunc": ("naja.ufunc_generalised",),
    "numba.np.ufunc.ufuncbuilder": ("naja.ufunc", "naja.ufunc_generalised"),
    "numba.np.ufunc.parallel": ("naja.parallel",),
    "numba.misc": (),
    "numba.misc.special": ("naja.special", "naja.typing"),
}


def _numpy_version():
    import numpy

    return tuple(map(int, numpy.__version__.split(".")[:2]))


def _bit_length():
    return lambda value: (value if value >= 0 else -value - 1).bit_length()


def _thread_count():
    from naja import config

    return lambda: config.NUMBA_NUM_THREADS


# Names that exist under another name, or only here: (module, name) -> function that gives the value.
EXTRA = {
    ("numba.core.utils", "PYVERSION"): lambda: sys.version_info[:2],
    ("numba.core.utils", "bit_length"): _bit_length,
    ("numba.np.numpy_support", "numpy_version"): _numpy_version,
    ("numba.np.ufunc.parallel", "get_thread_count"): _thread_count,
}


class NumbaModule(types.ModuleType):
    """A module of Numba; its names are looked up in modules of naja when they are first wanted."""

    __naja_alias__ = True

    def __getattr__(self, name):
        value = self.__find(name)
        if not isinstance(value, types.ModuleType):
            self.__dict__[name] = value
        return value

    def __find(self, name):
        here = self.__name__
        if name.startswith("__") and name not in ("__version__",):
            raise AttributeError(f"module {here!r} has no attribute {name!r}")
        extra = EXTRA.get((here, name))
        if extra is not None:
            return extra()
        if f"{here}.{name}" in MODULES:
            return importlib.import_module(f"{here}.{name}")
        for source in MODULES[here]:
            try:
                return getattr(importlib.import_module(source), name)
            except AttributeError:
                continue
        raise AttributeError(f"module {here!r} (naja's alias of Numba) has no attribute {name!r}")

    def __dir__(self):
        names = set(super().__dir__())
        for source in MODULES[self.__name__]:
            names.update(dir(importlib.import_module(source)))
        names.update(n.rpartition(".")[2] for n in MODULES if n.rpartition(".")[0] == self.__name__)
        return sorted(names)


class NumbaFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the modules above. Others are not found: the packages have no folder to look in."""

    def __init__(self, version):
        self.version = version

    def find_spec(self, fullname, path=None, target=None):
        if fullname not in MODULES:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        for source in MODULES[spec.name]:
            try:
                importlib.import_module(source)
            except ModuleNotFoundError as error:
                raise ModuleNotFoundError(f"No module named {spec.name!r}: naja has no {source!r}",
                                          name=spec.name) from error
        return NumbaModule(spec.name)

    def exec_module(self, module):
        module.__path__ = []
        module.__file__ = os.path.join(_FOLDER, "shadow", *module.__name__.split("."), "__init__.py")
        module.__all__ = self._public(module.__name__)
        if module.__name__ == "numba":
            module.__version__ = self.version
            module.version_info = tuple(map(int, self.version.split(".")))

    def _public(self, name):
        names = []
        for source in MODULES[name]:
            found = importlib.import_module(source)
            names += getattr(found, "__all__", None) or [n for n in vars(found) if not n.startswith("_")]
            names += getattr(found, "EXPORTED", ())
        if name == "numba":
            from .. import errors, types

            names += [*types.EXPORTED, *errors.EXPORTED]
        return list(dict.fromkeys(names))
