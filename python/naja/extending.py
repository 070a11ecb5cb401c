"""Extending the compiler from Python: implementations of functions, methods and attributes, written in Python and
compiled like any other function. naja's own library (`naja.library`) uses nothing else."""

from __future__ import annotations

import functools
import inspect
import sys
import types

from . import _core
from .decorators import jit
from .dispatcher import CPUDispatcher
from .errors import TypingError
from .types import Type, unliteral

__all__ = ["overload", "overload_method", "overload_attribute", "overload_classmethod", "register_jitable",
           "intrinsic", "is_jitted", "get_cython_function_address", "typeof_impl", "as_numba_type", "include_path",
           "SentryLiteralArgs", "sentry_literal_args"]


class _Overload:
    """One @overload: the generator, and what it answered for each list of argument types."""

    def __init__(self, generator, jit_options, strict, inline, prefer_literal):
        self.generator = generator
        self.options = dict(jit_options, inline=inline)
        self.strict = strict
        self.prefer_literal = prefer_literal
        self.answers = {}
        self.signature = inspect.signature(generator)

    def implementation(self, arg_ids, names):
        """A dispatcher for these arguments, or None. `names`: keywords of the last arguments."""
        key = arg_ids, names
        if key not in self.answers:
            self.answers[key] = self._ask(arg_ids, names)
        return self.answers[key]

    def _ask(self, arg_ids, names):
        arguments = tuple(map(_core.type_object, arg_ids))
        positional = arguments[:len(arguments) - len(names)]
        try:
            self.signature.bind(*positional, **dict(zip(names, arguments[len(positional):])))
        except TypeError:
            return None
        try:
            answer = self.generator(*positional, **dict(zip(names, arguments[len(positional):])))
        except TypingError as error:
            return _Refusal(error)
        if isinstance(answer, tuple):  # (signature, implementation)
            answer = answer[1]
        if answer is None or isinstance(answer, CPUDispatcher):
            return answer
        if self.strict:
            self._check(answer)
        options = {k: v for k, v in self.options.items() if not callable(v)}
        return CPUDispatcher(answer, {}, options)

    def _check(self, implementation):
        """The implementation takes the parameters of its generator, names and defaults included."""
        wanted = self.signature.parameters
        found = inspect.signature(implementation).parameters
        if [p.kind for p in wanted.values()] != [p.kind for p in found.values()] or [
                n for n, p in wanted.items() if p.kind is not p.VAR_POSITIONAL] != [
                n for n, p in found.items() if p.kind is not p.VAR_POSITIONAL]:
            raise TypingError(f"the implementation of {self.generator.__name__} must take the same parameters as its "
                              f"overload: {self.signature} there, {inspect.signature(implementation)} here")
        for name, parameter in wanted.items():
            if (parameter.default is parameter.empty) != (found[name].default is parameter.empty):
                raise TypingError(f"the implementation of {self.generator.__name__} and its overload must both have a "
                                  f"default of {name!r}, or neither")


class _Refusal:
    """A typing error raised by a generator: this overload does not apply; shown if no other does."""

    def __init__(self, error):
        self.error = error


_functions = {}   # id(callable) -> (callable, [_Overload])
_methods = {}     # (name, is_attribute) -> [(type or class, _Overload)]


def overload(func, jit_options=None, strict=True, inline="never", prefer_literal=False, **kwargs):
    """Decorates a generator of implementations of `func` for compiled code. It is called with types and returns a
    function of the same parameters, or None where the types are none of its business.

    `jit_options` are those of the implementation; `strict` demands the generator's parameter names and defaults of it;
    `inline` is the option of `jit`; with `prefer_literal` the generator sees literal types first. The latest registered
    generator is asked first. A call that all refuse raises TypingError, with what a generator raised where it did."""

    def decorator(generator):
        row = _Overload(generator, jit_options or {}, strict, inline, prefer_literal)
        _functions.setdefault(id(func), (func, []))[1].append(row)
        return generator

    return decorator


def overload_method(typ, attr, **kwargs):
    """Decorates a generator of implementations of the method `attr` of a type, or of all types of a class of
    `naja.types`. The generator gets the receiver's type first; options as for `overload`."""
    return _on_type(typ, attr, False, kwargs)


def overload_attribute(typ, attr, **kwargs):
    """Decorates a generator of implementations of the read-only attribute `attr` of a type, or of all types of a class
    of `naja.types`; an implementation takes the receiver alone."""
    return _on_type(typ, attr, True, kwargs)


def overload_classmethod(typ, attr, **kwargs):
    """Decorates a generator of implementations of the class method `attr` of a type."""
    return _on_type(typ, attr, False, kwargs)


def _on_type(typ, attr, is_attribute, kwargs):
    def decorator(generator):
        row = _Overload(generator, kwargs.get("jit_options") or {}, kwargs.get("strict", True),
                        kwargs.get("inline", "never"), kwargs.get("prefer_literal", False))
        _methods.setdefault((attr, is_attribute), []).append((typ, row))
        return generator

    return decorator


def _applies(typ, type_object):
    return isinstance(type_object, typ) if isinstance(typ, type) else type_object == typ


def _candidates(func, name, arg_ids):
    """Overloads of a callable, or of the method or attribute `name` of the first argument's type, newest first."""
    if name is None:
        return [row for row in reversed(_functions.get(id(func), (None, ()))[1])]
    receiver = _core.type_object(arg_ids[0])
    is_attribute = name.startswith("@")
    rows = _methods.get((name.lstrip("@"), is_attribute), ())
    return [row for typ, row in reversed(rows) if _applies(typ, receiver)]


def find_implementation(func, name, arg_ids, keywords=()):
    """Asked by the compiler: the dispatcher that implements a call, or None; raises what the overloads complained of
    where they all refused. `name`: a method of the first argument, or with "@" an attribute: True where it is no
    attribute but a method. Overloads see plain types first and literal ones after, or the other way round where they
    say so; the latest registered is asked first."""
    if isinstance(func, _core.DUFunc) or isinstance(getattr(func, "__self__", None), _core.DUFunc):
        from .ufunc_calls import implementation

        return implementation(func, tuple(map(_unliteral, arg_ids)), keywords)
    refusal = None
    plain = tuple(map(_unliteral, arg_ids))
    for row in _candidates(func, name, arg_ids):
        for ids in dict.fromkeys((arg_ids, plain) if row.prefer_literal else (plain, arg_ids)):
            answer = row.implementation(ids, tuple(keywords))
            if isinstance(answer, _Refusal):
                refusal = refusal or answer.error
            elif answer is not None:
                return answer
    if refusal is not None:
        raise refusal
    if name is None and isinstance(func, types.FunctionType) and id(func) in _functions:
        raise TypingError(f"No implementation of function {func.__name__} for "
                          f"({', '.join(_core.type_data(i)[1] for i in arg_ids)})")
    if name is not None and name.startswith("@"):
        return bool(_candidates(func, name[1:], arg_ids)) or None
    return None


def _unliteral(type_id):
    return unliteral(_core.type_object(type_id)).id


def register_jitable(*args, **kwargs):
    """Decorates a function that compiled code may call and that stays a plain function for Python. Options are those of
    `jit`. naja compiles plain functions anyway: this gives them options of their own."""

    def decorator(function):
        compiled = jit(function, **kwargs)

        def generator(*args, **kws):
            return function

        generator.__signature__ = inspect.signature(function)
        generator.__name__ = function.__name__
        if isinstance(compiled, CPUDispatcher):
            overload(function, jit_options=kwargs, strict=False)(generator)
        return function

    if kwargs:
        return decorator
    return decorator(*args)


_NO_GENERATORS = ("naja does not run code generators written for llvmlite: write the function in Python and register it "
                  "with @overload, or call a C function through ctypes")


def intrinsic(*args, **kwargs):
    """Decorates a function that emits LLVM IR with llvmlite. Programs may define such functions, but naja cannot run
    them: compiled code that calls one raises TypingError, a call from Python UnsupportedError."""

    def decorator(generator):
        message = f"{generator.__name__} cannot be called: {_NO_GENERATORS}"

        @functools.wraps(generator)
        def refused(*args, **kwargs):
            from .errors import UnsupportedError

            raise UnsupportedError(message)

        def refuse(*args, **kwargs):
            raise TypingError(message)

        overload(refused, strict=False)(refuse)
        return refused

    return decorator(*args) if args else decorator


def is_jitted(function):
    """Whether an object is a function that `jit` made."""
    return isinstance(function, CPUDispatcher)


def get_cython_function_address(module_name, function_name):
    """The address of a C function that a Cython module exports: `ctypes.CFUNCTYPE(...)(address)` can be called from
    compiled code."""
    import ctypes
    import importlib

    exported = getattr(importlib.import_module(module_name), "__pyx_capi__", None)
    if exported is None or function_name not in exported:
        raise ValueError(f"No function '{function_name}' found in __pyx_capi__ of '{module_name}'")
    name_of, address_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = exported[function_name]
    return address_of(capsule, name_of(capsule))


class _TypeofRegistry:
    """`@typeof_impl.register(cls)` decorates a function of (value, context) that returns the type of values of a class
    and its subclasses, or None. A value's `_numba_type_` attribute does the same."""

    def __init__(self):
        self._by_class = {}

    def register(self, cls, function=None):
        if function is not None:
            self._by_class[cls] = function
            return function

        def decorator(function):
            self._by_class[cls] = function
            return function

        return decorator

    def __call__(self, value, context=None):
        for cls in type(value).__mro__:
            function = self._by_class.get(cls)
            if function is not None:
                return function(value, context)
        if "ctypes" in sys.modules:  # else nothing can be one of its functions
            from . import external

            if external.is_function(value):
                return external.typeof_function(value)
        return getattr(value, "_numba_type_", None)


typeof_impl = _TypeofRegistry()


class _AsNumbaType:
    """The type that annotates values of a Python class: `as_numba_type(int)`. Raises TypingError for an unknown one;
    `register(cls, type)`, or `register(function)` of a class, adds some."""

    def __init__(self):
        from . import types

        self._known = {int: types.int64, float: types.float64, complex: types.complex128, str: types.unicode_type,
                       bool: types.boolean, type(None): types.none, None: types.none}
        self._functions = []

    def register(self, func_or_py_type, numba_type=None):
        if numba_type is not None:
            self._known[func_or_py_type] = numba_type
            return None
        if isinstance(func_or_py_type, type) and hasattr(func_or_py_type, "class_type"):
            self._known[func_or_py_type] = func_or_py_type.class_type.instance_type
        else:
            self._functions.append(func_or_py_type)
        return func_or_py_type

    def __call__(self, py_type):
        found = self.infer(py_type)
        if found is None:
            raise TypingError(f"Cannot infer Numba type of Python type {py_type}")
        return found

    def infer(self, py_type):
        import types as pytypes
        import typing

        from . import types

        if isinstance(py_type, Type):
            return py_type
        if py_type.__hash__ is not None and py_type in self._known:
            return self._known[py_type]
        for function in self._functions:
            found = function(py_type)
            if found is not None:
                return found
        origin, args = typing.get_origin(py_type), typing.get_args(py_type)
        if origin in (typing.Union, getattr(pytypes, "UnionType", None)) and len(args) == 2 and type(None) in args:
            return types.Optional(self(next(a for a in args if a is not type(None))))
        if origin is tuple and args:
            return types.Tuple([self(a) for a in args])
        return None


as_numba_type = _AsNumbaType()


def include_path():
    """The folder of C headers for extensions."""
    import os

    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


class SentryLiteralArgs:
    """Asks for arguments to be literal: `SentryLiteralArgs(["axis"]).for_function(f).bind(*args, **kwargs)`."""

    def __init__(self, literal_args):
        self.literal_args = literal_args

    def for_function(self, function):
        return self.for_pysig(inspect.signature(function))

    def for_pysig(self, pysig):
        return _BoundLiteralArgs(pysig, self.literal_args)


class _BoundLiteralArgs:
    def __init__(self, pysig, literal_args):
        self.pysig, self.literal_args = pysig, literal_args

    def bind(self, *args, **kwargs):
        return sentry_literal_args(self.pysig, self.literal_args, args, kwargs)


def sentry_literal_args(pysig, literal_args, args, kwargs):
    """Raises ForceLiteralArg for the named arguments that are not literal."""
    from .errors import ForceLiteralArg
    from .types import Literal, Omitted

    bound = pysig.bind(*args, **kwargs)
    missing = [i for i, name in enumerate(pysig.parameters)
               if name in literal_args and name in bound.arguments
               and not isinstance(bound.arguments[name], (Literal, Omitted))]
    if missing:
        raise ForceLiteralArg(missing)
