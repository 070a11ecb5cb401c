"""Options of the environment, as module attributes: `naja.config.DISABLE_JIT`. They are read from NAJA_<NAME> (and
NUMBA_<NAME> where Numba has the same one); assigning to an attribute changes it for the compilations that follow.
`naja.config.options()` lists them all with their help."""

from __future__ import annotations

import sys
import types as _types

from . import _core

_OPTIONS = {row[0]: row for row in _core.options()}


def options():
    """Rows of (name, type, default, help) of every option."""
    return [(name, kind, default, text) for name, kind, default, text, *_ in _OPTIONS.values()]


def _convert(name, text):
    kind = _OPTIONS[name][1]
    if kind == "bool":
        return int(text.strip().lower() not in ("", "0", "false", "no", "off"))
    return int(text) if kind == "int" else text


def _cpu_count():
    import os

    try:
        return max(1, len(os.sched_getaffinity(0)))
    except AttributeError:
        return max(1, os.cpu_count() or 1)


# Numba's names for what naja has under another one, or derives.
def _num_threads():
    return _convert("NUM_THREADS", _core.get_option("NUM_THREADS")) or _cpu_count()


_DERIVED = {
    "NUMBA_NUM_THREADS": _num_threads,
    "NUMBA_DEFAULT_NUM_THREADS": _cpu_count,
    "DEBUG": lambda: 0,
    "DEBUG_JIT": lambda: 0,
    "DEBUG_TYPEINFER": lambda: 0,
    "ENABLE_CUDASIM": lambda: 0,
    "IS_WIN32": lambda: sys.platform.startswith("win32"),
    "IS_OSX": lambda: sys.platform.startswith("darwin"),
    "IS_32BITS": lambda: sys.maxsize <= 2**32,
    "MACHINE_BITS": lambda: 64 if sys.maxsize > 2**32 else 32,
    "PYVERSION": lambda: sys.version_info[:2],
    "DEVELOPER_MODE": lambda: 0,
    "CAPTURED_ERRORS": lambda: "new_style",
    "DISABLE_PERFORMANCE_WARNINGS": lambda: 0,
    "THREADING_LAYER": lambda: "default",
    "THREADING_LAYER_PRIORITY": lambda: ["workqueue"],
    "ENABLE_PROFILING": lambda: 0,
    "DEBUGINFO_DEFAULT": lambda: _convert("DEBUGINFO", _core.get_option("DEBUGINFO")),
}


class _Config(_types.ModuleType):
    def __getattr__(self, name):
        if name in _OPTIONS:
            text = _core.get_option(name)
            if name == "BOUNDSCHECK":
                return None if text == "" else int(text)
            return _convert(name, text)
        if name in _DERIVED:
            return _DERIVED[name]()
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")

    def __setattr__(self, name, value):
        if name in _OPTIONS:
            text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
            _core.set_option(name, text)
        else:
            super().__setattr__(name, value)

    def __dir__(self):
        return sorted({*super().__dir__(), *_OPTIONS, *_DERIVED})

    def reload_config(self):
        """Options are always read anew; here for programs that call it."""


sys.modules[__name__].__class__ = _Config
