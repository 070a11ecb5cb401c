"""Pickling of dispatchers: by reference where another process can import them, else by value (code, the globals it
names, closure cells, defaults), so that plain pickle and cloudpickle both work for functions defined anywhere."""

from __future__ import annotations

import importlib
import marshal
import sys
import types
import uuid
import weakref

_by_uuid = weakref.WeakValueDictionary()


def reduce_dispatcher(dispatcher):
    if _importable(dispatcher):
        return _import, (dispatcher.__module__, dispatcher.__qualname__)
    if dispatcher._uuid is None:
        dispatcher.__dict__["_uuid"] = uuid.uuid4().hex
    _by_uuid[dispatcher._uuid] = dispatcher
    signatures = None if dispatcher._can_compile else dispatcher.nopython_signatures
    return (_shell, (dispatcher._uuid, *_code_of(dispatcher.py_func)),
            (_function_state(dispatcher.py_func), dispatcher.locals, dispatcher.targetoptions, dispatcher._cache,
             signatures), None, None, _restore)


def _importable(obj):
    """Whether `obj` is what its module and qualified name lead to. Not so for __main__, which differs by process."""
    if obj.__module__ in (None, "__main__") or "<locals>" in obj.__qualname__:
        return False
    found = sys.modules.get(obj.__module__)
    for part in obj.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is obj


def _import(module, qualname):
    found = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


def _code_of(function):
    cells = len(function.__closure__ or ())
    return marshal.dumps(function.__code__), function.__name__, function.__qualname__, function.__module__, cells


def _names(code):
    """Names that a code object and those inside it may read as globals."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names


class _ByValue:
    """A plain function, or a module, pickled as what is needed to make it again."""

    def __init__(self, value):
        self.value = value

    def __reduce__(self):
        if isinstance(self.value, types.ModuleType):
            return importlib.import_module, (self.value.__name__,)
        return _function, _code_of(self.value), _function_state(self.value), None, None, _restore_function


def _portable(value):
    if isinstance(value, types.ModuleType):
        return _ByValue(value)
    if isinstance(value, types.FunctionType) and not _importable(value):
        return _ByValue(value)
    return value


def _function_state(function):
    known = function.__globals__
    used = {name: _portable(known[name]) for name in sorted(_names(function.__code__)) if name in known}
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append((_portable(cell.cell_contents),))
        except ValueError:  # empty: assigned later, or never
            cells.append(())
    return {"globals": used, "cells": cells, "defaults": function.__defaults__, "doc": function.__doc__,
            "kwdefaults": function.__kwdefaults__, "annotations": None, "dict": dict(function.__dict__)}


def _function(code, name, qualname, module, cells):
    scope = {"__builtins__": __builtins__, "__name__": module}
    made = types.FunctionType(marshal.loads(code), scope, name, None, tuple(types.CellType() for _ in range(cells)))
    made.__qualname__, made.__module__ = qualname, module
    return made


def _restore_function(function, state):
    function.__globals__.update(state["globals"])
    for cell, value in zip(function.__closure__ or (), state["cells"]):
        if value:
            cell.cell_contents = value[0]
    function.__defaults__, function.__kwdefaults__ = state["defaults"], state["kwdefaults"]
    function.__doc__ = state["doc"]
    function.__dict__.update(state["dict"])


def _shell(key, *code):
    """The dispatcher of this process with the same identity, or a new one whose function is filled in by _restore."""
    from .dispatcher import CPUDispatcher

    known = _by_uuid.get(key)
    if known is None:
        known = CPUDispatcher(_function(*code))
        known.__dict__["_uuid"] = key
        known.__dict__["_unrestored"] = True
        _by_uuid[key] = known
    return known


def _restore(dispatcher, state):
    if not dispatcher.__dict__.pop("_unrestored", False):
        return
    function_state, locals_, options, cache, signatures = state
    _restore_function(dispatcher.py_func, function_state)
    dispatcher.__dict__.update(locals=locals_, targetoptions=options, _cache=cache, __doc__=function_state["doc"])
    if signatures is not None:
        for signature in signatures:
            dispatcher.compile(signature)
        dispatcher.disable_compile()
