"""The decorators."""

from __future__ import annotations

import types as _types

from . import _core
from .dispatcher import CPUDispatcher

_FUNCTION_TYPE = _types.FunctionType


def jit(signature_or_function=None, locals=_types.MappingProxyType({}), cache=False, pipeline_class=None,
        boundscheck=None, **options):
    """Compiles a function to machine code for the types it is called with.

    Usable bare (`@jit`), with options (`@jit(fastmath=True)`), with a signature (`@jit("f8(f8)")`,
    `@jit(float64(float64))`, `@jit((float64,))`) or with a list of signatures; with signatures the function is compiled
    at once and takes no other types. `locals` gives local variables their types, `cache` keeps compiled code,
    `boundscheck` checks indices; docs/user/options.md lists the rest.

    Returns a Dispatcher, or the function itself under NAJA_DISABLE_JIT=1. Raises TypeError for what is not a function or
    compiled already. Options are checked when the function is first compiled: KeyError for unknown ones, ValueError for
    wrong values. What cannot be compiled raises an error of `naja.errors`.
    """
    if "argtypes" in options or "restype" in options or "nopython" in options:
        from .options import check_mode

        check_mode(options)
    options["nopython"] = True
    options["boundscheck"] = boundscheck
    if isinstance(signature_or_function, _FUNCTION_TYPE):  # the bare decorator, first: it is the common one
        return _decorate(signature_or_function, None, locals, options, cache)
    if signature_or_function is None:
        signatures = None
    elif isinstance(signature_or_function, list):
        signatures = signature_or_function
    elif _is_signature(signature_or_function):
        signatures = [signature_or_function]
    else:
        return _decorate(signature_or_function, None, locals, options, cache)

    def decorator(function):
        return _decorate(function, signatures, locals, options, cache)

    return decorator


def _is_signature(value):
    if isinstance(value, (str, tuple)):
        return True
    return type(value).__name__ == "Signature"


def _decorate(function, signatures, locals, options, cache):
    if _core.get_option("DISABLE_JIT") not in ("", "0"):
        return function
    if isinstance(function, CPUDispatcher):
        raise TypeError(f"A jit decorator was called on an already jitted function {function}.  If trying to access "
                        f"the original python function, use the {function}.py_func attribute.")
    if not isinstance(function, _FUNCTION_TYPE):
        raise TypeError(f"The decorated object is not a function (got type {type(function)}).")
    dispatcher = CPUDispatcher(function, dict(locals), options, cache)
    if signatures is not None:
        dispatcher.compile_all(signatures)
        dispatcher.disable_compile()
    return dispatcher


def njit(*args, **kwargs):
    """`jit`, under the name of programs that want no other mode: `nopython` and `forceobj` are ignored with a
    RuntimeWarning."""
    if "nopython" in kwargs or "forceobj" in kwargs:
        import warnings

        for name in ("nopython", "forceobj"):
            if name in kwargs:
                warnings.warn(f"{name} is set for njit and is ignored", RuntimeWarning, stacklevel=2)
                del kwargs[name]
    return jit(*args, **kwargs)


def jit_module(**kwargs):
    """Applies `jit` with these options to the functions that the calling module has defined so far; imported
    functions and classes are left alone."""
    import inspect

    scope = inspect.currentframe().f_back.f_globals
    for name, value in list(scope.items()):
        if isinstance(value, _FUNCTION_TYPE) and value.__globals__ is scope:
            scope[name] = jit(value, **kwargs)
