"""`vectorize`, and what it makes: NumPy ufuncs whose loops are compiled (docs/architecture/ufuncs.md)."""

from __future__ import annotations

import inspect
import os
import types as _types
from typing import NamedTuple

import numpy as np

from . import _core
from .dispatcher import CPUDispatcher, _compiler

PyUFunc_Zero, PyUFunc_One, PyUFunc_None, PyUFunc_ReorderableNone = 0, 1, -1, -2
_IDENTITIES = {0: 0, 1: 1, None: -1, -1: -1, -2: -2, "reorderable": -2}
#: What the decorators take besides the options of naja.ufunc itself.
_OPTIONS = frozenset("nopython forceobj boundscheck fastmath writable_args".split())


class CompileResult(NamedTuple):
    """One compiled loop."""

    signature: object
    objectmode: bool = False


class _Loop(NamedTuple):
    args: tuple       # ids of the kernel's parameters
    result: int       # id of its result
    row: tuple        # as _core.make_ufunc takes it


def parse_identity(value):
    """The code of an identity, as NumPy's C API has it."""
    try:
        if not isinstance(value, bool):
            return _IDENTITIES[value]
    except (KeyError, TypeError):
        pass
    raise ValueError(f"invalid identity value {value!r}: it must be 0, 1, None or 'reorderable'")


def _check_element(name, type_id):
    try:
        _core.as_dtype(type_id)
    except TypeError:
        typ = _core.type_data(type_id)[1]
        raise TypeError(f"{name}: the operands and results of a ufunc are what arrays hold, not {typ}") from None


def kernel_of(function, locals, targetoptions):
    """The dispatcher of a kernel; in ufuncs division by zero is NumPy's: no exception."""
    if isinstance(function, CPUDispatcher):
        function = function.py_func
    if not isinstance(function, _types.FunctionType):
        raise TypeError(f"a ufunc is made of a Python function, not of {function!r}")
    unknown = targetoptions.keys() - _OPTIONS
    if unknown:
        raise KeyError(f"Unrecognized options: {unknown}. Known options are {sorted(_OPTIONS)}")
    options = {name: value for name, value in targetoptions.items() if name != "writable_args"}
    dispatcher = CPUDispatcher(function, dict(locals or {}), {**options, "error_model": "numpy"})
    dispatcher.compiler_flags
    return dispatcher


class _UfuncBase(_core.DUFunc):
    """What elementwise and generalised ufuncs share. Calls are `_core.DUFunc`'s."""

    def _set_up(self, py_func, kernel, identity, targetoptions, cache, parallel, nin, nout):
        self.__dict__.update(
            __wrapped__=py_func, __name__=py_func.__name__, __qualname__=py_func.__qualname__,
            __module__=py_func.__module__, __doc__=py_func.__doc__, py_func=py_func, targetoptions=targetoptions,
            _kernel=kernel, _identity=identity, _cache=cache, _parallel=parallel, _loops=[], _hits={}, _misses={},
            _nin=nin, _nout=nout)
        self._can_compile = True
        self._rebuild()

    def _rebuild(self):
        self._set_ufunc(self._make_ufunc())

    def _make_ufunc(self):
        return _core.make_ufunc(self.__name__, self.__doc__ or "", self._nin, self._nout,
                                parse_identity(self._identity), self._layout(), [loop.row for loop in self._loops],
                                self._writable())

    def _layout(self):
        return None

    def _writable(self):
        return ()

    # ------------------------------------------------------------------ compiling
    def _find(self, arg_ids):
        return next((loop for loop in self._loops if loop.args == arg_ids), None)

    def _compile_loop(self, arg_ids, return_id, core):
        """(address, owner, result) of the loop for these parameters: of the store, or compiled."""
        request = (self.py_func, self._kernel, arg_ids, return_id, self._kernel.compiler_flags, self._nin, core)
        if not self._cache:
            return _compiler().compile_loop(*request)
        from .store.entries import load, save

        purpose = f"loop of a ufunc {self._nin} {core}"
        found = load(self._kernel, arg_ids, return_id, purpose)
        if found is None:
            address, owner, result = _compiler().compile_loop(*request, record=True)
            found = _core.Specialisation(address, arg_ids, result, owner)
            record = _compiler().cache_record(found)
            if record is not None:
                save(self._kernel, arg_ids, return_id, found, record, purpose)
            self._misses[arg_ids] = self._misses.get(arg_ids, 0) + 1
        else:
            self._hits[arg_ids] = self._hits.get(arg_ids, 0) + 1
        return found.entry, found.owner, found.return_type

    def _add_loop(self, arg_ids, return_id, elements, core, compiled=None):
        """Compiles the loop for these parameters, where that is not done; the ufunc is made anew with it."""
        address, owner, result = compiled or self._compile_loop(arg_ids, return_id, core)
        elements = elements if elements is not None else (*arg_ids, result)
        for element in elements:
            _check_element(self.__name__, element)
        loop = _Loop(arg_ids, result, (address, owner, elements, self._nin, core, self._parallel))
        if not any(known.args == arg_ids for known in self._loops):  # a thread may have been faster
            self._loops.append(loop)
            self._rebuild()
        return loop

    def add(self, sig):
        """Compiles the loop of a signature."""
        arg_ids, return_id, core, elements = self._parameters(sig)
        loop = self._find(arg_ids) or self._add_loop(arg_ids, return_id, elements, core)
        return CompileResult(self._signature_of(loop))

    def add_all(self, signatures):
        """Compiles the loops of several signatures, at once where there are processors for it."""
        wanted = [self._parameters(signature) for signature in signatures]
        for arguments, compiled in zip(wanted, in_threads(self._compile_loop, [w[:3] for w in wanted])):
            arg_ids, return_id, core, elements = arguments
            if self._find(arg_ids) is None:
                self._add_loop(arg_ids, return_id, elements, core, compiled)

    def disable_compile(self, val=True):
        """Calls compile no more loops. There is no way back."""
        if not val:
            raise ValueError("cannot unfreeze a ufunc: the loops that calls found would change")
        self._can_compile = False

    @property
    def _frozen(self):
        return not self._can_compile

    @_frozen.setter
    def _frozen(self, value):
        self.disable_compile(bool(value)) if value or self._frozen else None

    def _compile_for_call(self, args, kwargs):
        """Asked by a call for which NumPy found no loop: whether there is one now."""
        raise NotImplementedError

    def _call_overridden(self, args, kwargs):
        """A call with operands whose class takes it into its own hands: the rules of NEP 13."""
        kwargs = dict(kwargs)
        if len(args) > self.nin and "out" not in kwargs:
            kwargs["out"] = tuple(args[self.nin:])
            args = args[:self.nin]
        elif "out" in kwargs and not isinstance(kwargs["out"], tuple):
            kwargs["out"] = (kwargs["out"],)
        for operand in overriding((*args, *kwargs.get("out", ()))):
            method = type(operand).__array_ufunc__
            if method is None:
                raise TypeError(f"operand '{type(operand).__name__}' does not support ufuncs (__array_ufunc__=None)")
            result = method(operand, self, "__call__", *args, **kwargs)
            if result is not NotImplemented:
                return result
        types = ", ".join(repr(type(value).__name__) for value in args)
        raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({self!r}, '__call__', "
                        f"...): {types}")

    def build_ufunc(self):
        """Fixes the loops; the ufunc itself."""
        self._can_compile = False
        return self

    def kernels(self):
        """The dispatchers that compiled code calls for this ufunc."""
        return [self._kernel, *self.__dict__.get("_kernels", {}).values()]

    def cache_state(self):
        """What decides, beside the function, what a call from compiled code becomes; plain data for the store."""
        loops = tuple((tuple(_core.type_data(i)[1] for i in loop.args), _core.type_data(loop.result)[1])
                      for loop in self._loops)
        return (type(self).__name__, self._layout() or "", str(self._identity), self._frozen, loops,
                str(tuple(self._kernel.compiler_flags)))

    @property
    def stats(self):
        """Hits and misses of the cache by signature."""
        from collections import Counter

        from .dispatcher import _types_of
        from .inspection import _CompileStats

        return _CompileStats(None, Counter({_types_of(k): n for k, n in self._hits.items()}),
                             Counter({_types_of(k): n for k, n in self._misses.items()}))

    def enable_caching(self):
        """Keeps loops that are compiled from now on across processes."""
        self.__dict__["_cache"] = True

    @property
    def signatures(self):
        return [self._signature_of(loop) for loop in self._loops]

    @property
    def _sigs(self):
        return [loop.args for loop in self._loops]

    def _signature_of(self, loop):
        from .types.signatures import signature_of_ids

        return signature_of_ids(loop.args, loop.result)

    def inspect_loop(self, signature=None, stage="opt.ll"):
        """A text of the loop of a signature (default: the first): `typed.nir`, `opt.nir`, `ll`, `opt.ll` or `s`."""
        from .types.signatures import normalize_signature

        loop = self._loops[0]
        if signature is not None:
            loop = self._find(tuple(t.id for t in normalize_signature(signature)[0]))
            if loop is None:
                raise KeyError(signature)
        return _compiler().loop_texts(self.py_func, self._kernel, loop.args, loop.result,
                                      self._kernel.compiler_flags, self._nin, loop.row[4])[stage]

    # ------------------------------------------------------------------ what NumPy's ufuncs have
    nin = property(lambda self: self._nin)
    nout = property(lambda self: self._nout)
    nargs = property(lambda self: self._nin + self._nout)
    ntypes = property(lambda self: self.ufunc.ntypes)
    types = property(lambda self: self.ufunc.types)
    identity = property(lambda self: self.ufunc.identity)
    signature = property(lambda self: self.ufunc.signature)
    reorderable = property(lambda self: parse_identity(self._identity) != PyUFunc_None)

    def _method(self, name, operands, args, kwargs):
        """A method of the ufunc; compiles the loop for `operands` where NumPy has none."""
        try:
            return getattr(self.ufunc, name)(*args, **kwargs)
        except TypeError:
            if not self._can_compile or not self._compile_for_call(operands, {}):
                raise
        return getattr(self.ufunc, name)(*args, **kwargs)

    def accumulate(self, array, *args, **kwargs):
        return self._method("accumulate", (array, array), (array, *args), kwargs)

    def at(self, a, indices, *b):
        return self._method("at", (a, *b), (a, indices, *b), {})

    def outer(self, A, B, **kwargs):
        return self._method("outer", (A, B), (A, B), kwargs)

    def reduce(self, array, *args, **kwargs):
        return self._method("reduce", (array, array), (array, *args), kwargs)

    def reduceat(self, array, indices, *args, **kwargs):
        return self._method("reduceat", (array, array), (array, indices, *args), kwargs)

    # ------------------------------------------------------------------ identity
    def _state(self):
        return [(loop.args, loop.result) for loop in self._loops]

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __repr__(self):
        return f"<naja.{type(self).__name__} '{self.__name__}'>"


class DUFunc(_UfuncBase):
    """An elementwise ufunc that compiles a loop for each combination of types that it meets."""

    def __init__(self, py_func, identity=None, cache=False, targetoptions=None, locals=None, parallel=False):
        parse_identity(identity)
        targetoptions = dict(targetoptions or {})
        kernel = kernel_of(py_func, locals, targetoptions)
        py_func = kernel.py_func
        self._set_up(py_func, kernel, identity, targetoptions, cache, parallel, _positional(py_func), 1)

    def _parameters(self, sig):
        from .types.signatures import normalize_signature

        args, return_type = normalize_signature(sig)
        if len(args) != self._nin:
            raise TypeError(f"{self.__name__}() takes {self._nin} arguments, the signature {sig} has {len(args)}")
        return tuple(t.id for t in args), None if return_type is None else return_type.id, None, None

    def _compile_for_call(self, args, kwargs):
        if len(args) < self._nin:
            return False
        arg_ids = tuple(map(scalar_id, args[:self._nin]))
        if None in arg_ids or self._find(arg_ids) is not None:
            return False
        self._add_loop(arg_ids, None, None, None)
        return True

    def __reduce__(self):
        return _make_dufunc, (_pickled(self._kernel), self._identity, self._cache, self.targetoptions, self._parallel,
                              _signatures(self), self._frozen)


def _make_dufunc(kernel, identity, cache, targetoptions, parallel, signatures, frozen):
    made = DUFunc(kernel.py_func, identity, cache, targetoptions, kernel.locals, parallel)
    made.add_all(signatures)
    if frozen:
        made.disable_compile()
    return made


def _pickled(kernel):
    """The kernel's function by value, as a dispatcher of its own: the name it goes by leads to the ufunc."""
    copy = CPUDispatcher(kernel.py_func, kernel.locals, {})
    return copy


def _signatures(ufunc):
    return ufunc.signatures


def _positional(py_func):
    parameters = inspect.signature(py_func).parameters.values()
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
        raise TypeError(f"{py_func.__name__}: a ufunc takes a fixed number of positional arguments")
    return len(parameters)


def in_threads(function, rows):
    """function(*row) of each row, in their order, on several threads where there are processors; the first error is
    raised. The compiler works without the GIL."""
    workers = min(len(rows), os.cpu_count() or 1, 8)
    if workers < 2:
        return [function(*row) for row in rows]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda row: function(*row), rows))


def overriding(operands):
    """Those whose class has an __array_ufunc__ of its own, one a class: from the left, subclasses first."""
    found = []
    for operand in operands:
        cls = type(operand)
        method = getattr(cls, "__array_ufunc__", np.ndarray.__array_ufunc__)
        if method is np.ndarray.__array_ufunc__ or isinstance(operand, np.generic) or cls in map(type, found):
            continue
        place = next((i for i, other in enumerate(found) if issubclass(cls, type(other))), len(found))
        found.insert(place, operand)
    return found


def dtype_of(value):
    """The dtype as which NumPy takes a value, or None."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    try:
        return np.asarray(value).dtype
    except Exception:
        return None


def scalar_id(value):
    """The id of the type of a value's elements; None where compiled code has none."""
    dtype = dtype_of(value)
    try:
        return None if dtype is None else _core.from_dtype(dtype.newbyteorder("="))
    except TypeError:
        return None


def check_target(target, writable_args=()):
    """True for a parallel target."""
    if target == "cuda":
        if writable_args:
            raise TypeError("writable_args cannot be used with target='cuda'")
        raise NotImplementedError("target='cuda' is not available for ufuncs")
    if target not in ("cpu", "parallel"):
        raise ValueError(f"Unsupported target: {target!r}")
    return target == "parallel"


def signature_list(given):
    """The signatures of the decorator's first argument."""
    if isinstance(given, (list, tuple)) and not _is_one_signature(given):
        return list(given)
    return [given]


def _is_one_signature(given):
    from .types import Type

    return isinstance(given, tuple) and len(given) > 0 and all(isinstance(item, Type) for item in given)


def vectorize(ftylist_or_function=(), target="cpu", identity=None, cache=False, locals=None, **kws):
    """Makes a NumPy ufunc of a function of scalars.

    Usable bare (`@vectorize`), with options, and with a signature or a list of them (strings or types); with signatures
    the loops are compiled at once and no more are added. NumPy takes the loop of exactly the operands' types, else the
    first whose types they cast to safely. `identity` (0, 1, None, 'reorderable') serves reductions; `target='parallel'`
    (with signatures) spreads long loops over the threads; the other options are those of `jit` that concern a kernel.

    Returns a DUFunc. Raises TypeError for what is not a function, KeyError for unknown options, ValueError for an
    unknown target or identity.
    """
    parallel = check_target(target)
    function = ftylist_or_function
    bare = isinstance(function, (_types.FunctionType, CPUDispatcher))
    signatures = [] if bare else signature_list(function)
    if parallel and not signatures:
        raise TypeError("target='parallel' requires signatures")

    def decorate(function):
        made = DUFunc(function, identity, cache, kws, locals, parallel)
        made.add_all(signatures)
        if signatures:
            made.disable_compile()
        return made

    return decorate(function) if bare else decorate


class Vectorize(DUFunc):
    """The builder of a ufunc, under Numba's name: `add` signatures, then `build_ufunc`."""

    def __init__(self, func, target="cpu", identity=None, cache=False, targetoptions=None, **options):
        super().__init__(func, identity, cache, {**(targetoptions or {}), **options}, parallel=check_target(target))


__all__ = ["DUFunc", "Vectorize", "vectorize", "CompileResult", "PyUFunc_Zero", "PyUFunc_One", "PyUFunc_None",
           "PyUFunc_ReorderableNone"]
