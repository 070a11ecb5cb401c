"""`guvectorize`, and what it makes: generalised ufuncs, whose kernel works on core arrays."""

from __future__ import annotations

import re
import types as _types
from typing import NamedTuple

from . import _core
from .dispatcher import CPUDispatcher
from .ufunc import (
    _pickled,
    _signatures,
    _UfuncBase,
    check_target,
    dtype_of,
    kernel_of,
    overriding,
    parse_identity,
    scalar_id,
    signature_list,
)

_TOKEN = re.compile(r"\s*(->|[(),]|[A-Za-z_]\w*\??|\d+)")


class Layout(NamedTuple):
    """A layout such as `(m,n),(n,p)->(m,p)`, taken apart."""

    text: str
    inputs: list    # names of the core dimensions, by operand
    outputs: list

    @property
    def operands(self):
        return self.inputs + self.outputs

    @property
    def core(self):
        """Per operand the numbers of its core dimensions, which are counted as they appear."""
        numbers = {}
        return tuple(tuple(numbers.setdefault(name.rstrip("?"), len(numbers)) for name in names)
                     for names in self.operands)


def parse_layout(text):
    """The Layout of a text; ValueError for bad syntax, NameError where an output's size is not known."""
    tokens, at = [], 0
    stripped = text.rstrip()
    while at < len(stripped):
        match = _TOKEN.match(stripped, at)
        if match is None:
            raise ValueError(f"bad token in signature {stripped[at:at + 10]!r}")
        tokens.append(match.group(1))
        at = match.end()
    if tokens.count("->") > 1:
        raise ValueError(f"expect one '->' in signature {text!r}")
    arrow = tokens.index("->") if "->" in tokens else None
    inputs = _parse_operands(tokens[:arrow], text)
    outputs = [] if arrow is None else _parse_operands(tokens[arrow + 1:], text)
    known = {name for names in inputs for name in names}
    unknown = {name for names in outputs for name in names if not name.isdigit()} - known
    if unknown:
        raise NameError(f"undefined output symbols: {','.join(sorted(unknown))}")
    return Layout(text, inputs, outputs)


def _parse_operands(tokens, text):
    operands, at = [], 0
    while True:
        if at >= len(tokens) or tokens[at] != "(":
            raise ValueError(f"expect '(' in signature {text!r}")
        names, at = [], at + 1
        while at < len(tokens) and tokens[at] != ")":
            if names:
                if tokens[at] != ",":
                    raise ValueError(f"expect ',' between dimensions in signature {text!r}")
                at += 1
            if at >= len(tokens) or tokens[at] in ("(", ")", ",", "->"):
                raise ValueError(f"expect the name of a dimension in signature {text!r}")
            names.append(tokens[at])
            at += 1
        if at >= len(tokens):
            raise ValueError(f"unbalanced parentheses in signature {text!r}")
        operands.append(names)
        at += 1
        if at == len(tokens):
            return operands
        if tokens[at] != ",":
            raise ValueError(f"expect ',' between arguments in signature {text!r}")
        at += 1


class GUFunc(_UfuncBase):
    """A generalised ufunc. Without signatures it is dynamic: a call, which has to pass the outputs too, compiles the
    loop for the types of its arguments."""

    def __init__(self, py_func, signature, identity=None, cache=False, is_dynamic=False, targetoptions=None,
                 writable_args=(), locals=None, parallel=False):
        parse_identity(identity)
        targetoptions = dict(targetoptions or {})
        self.__dict__["_parsed"] = layout = parse_layout(signature)
        kernel = kernel_of(py_func, locals, targetoptions)
        py_func = kernel.py_func
        self.__dict__["writable_args"] = writable_args
        self.__dict__["_written"] = _writable_positions(py_func, writable_args, len(layout.operands))
        self.__dict__["is_dynamic"] = is_dynamic
        self._set_up(py_func, kernel, identity, targetoptions, cache, parallel, len(layout.inputs),
                     len(layout.outputs))

    def _layout(self):
        return self._parsed.text

    def _writable(self):
        return self._written

    @property
    def gufunc_builder(self):
        return self

    def expected_ndims(self):
        """Numbers of core dimensions of the inputs and of the outputs."""
        return (tuple(map(len, self._parsed.inputs)), tuple(map(len, self._parsed.outputs)))

    def _parameters(self, sig):
        from .types.signatures import normalize_signature

        return self._kernel_parameters(self._checked(*normalize_signature(sig)))

    def _checked(self, args, return_type):
        from .types import Array, none

        if return_type is not None and return_type != none:
            raise TypeError(f"guvectorized functions cannot return values: signature {return_type}({args})")
        operands = self._parsed.operands
        if len(args) != len(operands):
            raise TypeError(f"{self.__name__}: the layout {self._parsed.text} has {len(operands)} arguments, the "
                            f"signature has {len(args)}")
        ids = []
        for i, (typ, names) in enumerate(zip(args, operands)):
            if not isinstance(typ, Array):
                if names:
                    raise TypeError(f"scalar type {typ} given for non scalar argument #{i + 1}")
                if i >= len(self._parsed.inputs):
                    raise TypeError(f"output argument #{i + 1} must be an array, not {typ}")
                ids.append(typ.id)
                continue
            if typ.ndim != len(names) and not (typ.ndim == 1 and not names):
                raise TypeError(f"type and shape signature mismatch for arg #{i + 1}")
            ids.append(_core_array(typ.dtype.id, typ.ndim))
        return tuple(ids)

    def _kernel_parameters(self, arg_ids):
        from .types import none

        return arg_ids, none.id, self._parsed.core, tuple(map(_element, arg_ids))

    def _compile_for_call(self, args, kwargs):
        if "out" in kwargs:
            out = kwargs["out"]
            args = (*args, *(out if isinstance(out, tuple) else (out,)))
        operands = self._parsed.operands
        if len(args) != len(operands):
            if self.signature is None and len(args) == self._nin:  # reduce and its kin: outputs as the inputs
                args = (*args, *[args[0]] * self._nout)
            else:
                self._refuse_count(args)
        ids = []
        for i, (value, names) in enumerate(zip(args, operands)):
            element = None if dtype_of(value) is None else scalar_id(value)
            if element is None:
                return False
            as_scalar = not names and i < self._nin
            ids.append(element if as_scalar else _core_array(element, max(len(names), 1)))
        arg_ids = tuple(ids)
        if self._find(arg_ids) is not None:
            return False
        arg_ids, return_id, core, elements = self._kernel_parameters(arg_ids)
        self._add_loop(arg_ids, return_id, elements, core)
        return True

    def _refuse_count(self, args):
        text = f"Too few arguments for function '{self.__name__}'."
        if self._nout:
            text += ("  Note that the pattern `out = gufunc(Arg1, Arg2, ..., ArgN)` is not allowed. Use `gufunc(Arg1, "
                     "Arg2, ..., ArgN, out) instead.")
        raise TypeError(text)

    def __call__(self, *args, **kwargs):
        if self.is_dynamic:
            outputs = kwargs.get("out")
            outputs = () if outputs is None else outputs if isinstance(outputs, tuple) else (outputs,)
            given = len(args) + len(outputs)
            if given != self.nargs and not overriding((*args, *outputs)):
                self._refuse_count(args)
        return super().__call__(*args, **kwargs)

    def __reduce__(self):
        return _make_gufunc, (_pickled(self._kernel), self._parsed.text, self._identity, self._cache, self.is_dynamic,
                              self.targetoptions, self.writable_args, self._parallel, _signatures(self), self._frozen)


def _make_gufunc(kernel, layout, identity, cache, is_dynamic, targetoptions, writable_args, parallel, signatures,
                 frozen):
    made = GUFunc(kernel.py_func, layout, identity, cache, is_dynamic, targetoptions, writable_args, kernel.locals,
                  parallel)
    made.add_all(signatures)
    if frozen:
        made.disable_compile()
    return made


def _core_array(element, ndim):
    """Core arrays have any strides: NumPy promises none. The loop has a path of its own for contiguous ones."""
    from .types import Array

    return Array(_core.type_object(element), ndim, "A").id


def _element(type_id):
    from .types import Array

    typ = _core.type_object(type_id)
    return typ.dtype.id if isinstance(typ, Array) else type_id


def _writable_positions(py_func, writable_args, count):
    names = py_func.__code__.co_varnames[:py_func.__code__.co_argcount]
    positions = []
    for argument in writable_args:
        if isinstance(argument, str):
            if argument not in names:
                raise RuntimeError(f"{py_func.__name__} has no argument {argument!r}")
            argument = names.index(argument)
        if not 0 <= argument < count:
            raise ValueError(f"{py_func.__name__} has no argument number {argument}")
        positions.append(argument)
    return tuple(dict.fromkeys(positions))


def guvectorize(*args, target="cpu", identity=None, cache=False, locals=None, writable_args=(), **kws):
    """Makes a generalised ufunc of a function that works on core arrays and writes its outputs, its last arguments.

    `@guvectorize([signatures], layout)` compiles at once; `@guvectorize(layout)` is dynamic: calls pass the outputs too
    and compile what is missing. The layout has NumPy's syntax: `(m,n),(n,p)->(m,p)`, `(n)->()`, `(3),(n)->(n)`; without
    an arrow there are no outputs. An argument without core dimensions is a scalar where its type is one, else an array
    of one element, as outputs are. `writable_args` names inputs (or numbers them) that the function changes.

    Returns a GUFunc. Raises TypeError for signatures that do not fit the layout, ValueError and NameError for a layout
    that is none.
    """
    if len(args) == 1:
        signatures, layout = [], args[0]
        if not isinstance(layout, str):
            raise TypeError("guvectorize takes signatures and a layout, or a layout alone")
    elif len(args) == 2:
        signatures, layout = signature_list(args[0]), args[1]
    else:
        raise TypeError("guvectorize() takes one or two positional arguments")
    parallel = check_target(target, writable_args)

    def decorate(function):
        if not isinstance(function, (_types.FunctionType, CPUDispatcher)):
            raise TypeError(f"a ufunc is made of a Python function, not of {function!r}")
        made = GUFunc(function, layout, identity, cache, len(args) == 1, kws, writable_args, locals, parallel)
        made.add_all(signatures)
        if signatures:
            made.disable_compile()
        return made

    return decorate


class GUVectorize(GUFunc):
    """The builder of a generalised ufunc, under Numba's name: `add` signatures, then `build_ufunc`."""

    def __init__(self, func, signature, target="cpu", identity=None, cache=False, is_dynamic=False, targetoptions=None,
                 writable_args=(), **options):
        super().__init__(func, signature, identity, cache, is_dynamic, {**(targetoptions or {}), **options},
                         writable_args, parallel=check_target(target))

    def build_ufunc(self):
        if not self.is_dynamic:
            self._can_compile = False
        return self


class GUFuncBuilder(GUFunc):
    """The same, with the arguments of Numba's builder."""

    def __init__(self, py_func, signature, identity=None, cache=False, targetoptions=None, writable_args=()):
        super().__init__(py_func, signature, identity, cache, False, targetoptions, writable_args)


__all__ = ["GUFunc", "GUVectorize", "GUFuncBuilder", "guvectorize", "parse_layout"]
