"""Calls of ufuncs, and of their methods, from compiled code: which function implements one (docs/architecture/ufuncs.md).

Implementations are written as source, since what they do follows from the ranks and the layout; the compiler sees them
like any function of the library.
"""

from __future__ import annotations

import numpy as np

from . import _core
from .dispatcher import CPUDispatcher
from .errors import TypingError

_TEMPLATES = {}


def implementation(func, arg_ids, keywords):
    """The function that implements a call of a ufunc or of one of its methods; asked by the compiler."""
    from .types import Omitted

    types = [_core.type_object(i) for i in arg_ids]
    types = [t.value_type if isinstance(t, Omitted) and hasattr(t, "value_type") else t for t in types]
    method = None
    if not isinstance(func, _core.DUFunc):
        func, method = func.__self__, func.__name__
    from .ufunc_generalised import GUFunc

    if method is not None:
        from . import ufunc_methods

        return ufunc_methods.implementation(func, method, types, keywords)
    return call_generalised(func, types) if isinstance(func, GUFunc) else call_elementwise(func, types, keywords)


def define(key, source, **names):
    """The function of a source text with these globals; made once for a key."""
    made = _TEMPLATES.get(key)
    if made is None:
        scope = dict(names)
        exec(compile(source, "<naja ufunc>", "exec"), scope)
        made = _TEMPLATES[key] = scope["call"]
    return made


def is_array(typ):
    from .types import Array

    return isinstance(typ, Array)


def element(typ):
    """The type of the elements of an array, or a scalar type itself."""
    return typ.dtype if is_array(typ) else typ


# ---------------------------------------------------------------------- which kernel

def kernel_for(ufunc, elements):
    """The dispatcher to call for operands of these types: of the loop that NumPy would take, else of whatever the
    types are, where more may be compiled."""
    wanted = tuple(t.id for t in elements)
    for fits in (_equal, _casts):
        for loop in ufunc._loops:
            declared = tuple(loop.row[2][:len(wanted)])
            if fits(wanted, declared):
                return _declared_kernel(ufunc, loop)
    if ufunc._frozen:
        raise TypingError(f"ufunc '{ufunc.__name__}' has no loop for ({', '.join(map(str, elements))})")
    return ufunc._kernel


def _equal(wanted, declared):
    return wanted == declared


def _casts(wanted, declared):
    try:
        return all(np.can_cast(_core.as_dtype(a), _core.as_dtype(b)) for a, b in zip(wanted, declared))
    except TypeError:
        return False


def _declared_kernel(ufunc, loop):
    kernels = ufunc.__dict__.setdefault("_kernels", {})
    kernel = kernels.get(loop.args)
    if kernel is None:
        kernel = CPUDispatcher(ufunc.py_func, ufunc._kernel.locals, ufunc._kernel.targetoptions)
        kernel._declared.append((loop.args, loop.result))
        kernel._can_compile = False
        kernels[loop.args] = kernel
    return kernel


# ---------------------------------------------------------------------- elementwise

def call_elementwise(ufunc, types, keywords):
    from .library import intrinsics

    count = ufunc.nin
    names = [f"a{i}" for i in range(count)]
    given = len(types) - len(keywords)
    if set(keywords) - {"out"} or given > count + 1 or len(types) not in (count, count + 1):
        raise TypingError(f"ufunc '{ufunc.__name__}' takes {count} arguments and an output; compiled code knows no "
                          "other keywords than out")
    kernel = kernel_for(ufunc, [element(t) for t in types[:count]])
    has_output = len(types) > count and str(types[count]) != "none"
    parameters = names + (["out"] if len(types) > count else [])
    call = (f"map_function_into(out, kernel, {', '.join(names)})" if has_output
            else f"map_function(kernel, {', '.join(names)})")
    source = f"def call({', '.join(parameters)}):\n    return {call}\n"
    return define((kernel, source), source, kernel=kernel, map_function=intrinsics.map_function,
                  map_function_into=intrinsics.map_function_into)


# ---------------------------------------------------------------------- generalised

def call_generalised(ufunc, types):
    operands = ufunc._parsed.operands
    if len(types) != len(operands):
        raise TypingError(f"{ufunc.__name__}: compiled code passes all {len(operands)} arguments of the layout "
                          f"{ufunc._parsed.text}, the outputs too; {len(types)} given")
    ranks = [t.ndim if is_array(t) else 0 for t in types]
    for i, (rank, names) in enumerate(zip(ranks, operands)):
        if rank < len(names):
            kind, number = ("Input", i) if i < ufunc.nin else ("Output", i - ufunc.nin)
            raise TypingError(f"{ufunc.__name__}: {kind} operand {number} does not have enough dimensions (has {rank}, "
                              f"gufunc core with signature {ufunc._parsed.text} requires {len(names)})")
    kernel = kernel_for(ufunc, [element(t) for t in types])
    if kernel is ufunc._kernel:
        params = [types[i] if names or i >= ufunc.nin else element(types[i]) for i, names in enumerate(operands)]
    else:
        params = [_core.type_object(i) for i in kernel._declared[0][0]]
    source = _Generalised(ufunc, types, params, ranks).source()
    return define((kernel, source), source, kernel=kernel, np=np)


class _Generalised:
    """The source of a call: checks of the shapes, then loops over the outer dimensions of the outputs (of the inputs
    where there are none), to which the inputs' are broadcast."""

    def __init__(self, ufunc, types, params, ranks):
        self.nin, self.types, self.params, self.ranks = ufunc.nin, types, params, ranks
        self.operands = ufunc._parsed.operands
        self.outer = [rank - len(names) for rank, names in zip(ranks, self.operands)]
        leaders = range(self.nin, len(types)) if len(types) > self.nin else range(len(types))
        self.leader = max(leaders, key=lambda i: self.outer[i])
        self.depth = self.outer[self.leader]
        self.lines = []

    def source(self):
        names = ", ".join(f"a{i}" for i in range(len(self.types)))
        self._check_core()
        self._check_outer()
        for i in range(len(self.types)):
            self._prepare(i)
        for axis in range(self.depth):
            self.lines.append("    " * axis + f"for i{axis} in range(a{self.leader}.shape[{axis}]):")
        arguments = ", ".join(self._argument(i) for i in range(len(self.types)))
        self.lines.append("    " * self.depth + f"kernel({arguments})")
        return f"def call({names}):\n" + "".join(f"    {line}\n" for line in self.lines)

    def _check_core(self):
        seen = {}
        for i, names in enumerate(self.operands):
            for axis, name in enumerate(names):
                extent = f"a{i}.shape[{self.outer[i] + axis}]"
                expected = name if name.isdigit() else seen.setdefault(name, extent)
                if expected != extent:
                    self._refuse(f"{extent} != {expected}", "Operand has a mismatch in one of its core dimensions")

    def _check_outer(self):
        for i in range(len(self.types)):
            shift = self.depth - self.outer[i]
            if shift < 0 or (i >= self.nin and shift > 0):
                self._refuse("True", "Loop and array shapes are incompatible")
                continue
            for axis in range(self.outer[i]):
                extent, loop = f"a{i}.shape[{axis}]", f"a{self.leader}.shape[{axis + shift}]"
                if extent != loop:
                    broadcast = f" and {extent} != 1" if i < self.nin else ""
                    self._refuse(f"{extent} != {loop}{broadcast}", "Loop and array shapes are incompatible")

    def _refuse(self, condition, text):
        self.lines.append(f"if {condition}: raise ValueError({text!r})")

    def _prepare(self, i):
        """Inputs of other types are converted, as NumPy does; steps of 0 along dimensions that are broadcast."""
        wanted, given = element(self.params[i]), element(self.types[i])
        if is_array(self.types[i]) and wanted != given and is_array(self.params[i]) and i < self.nin:
            self.lines.append(f"a{i} = a{i}.astype(np.{_core.as_dtype(wanted.id).name})")
        if i < self.nin:
            for axis in range(min(self.outer[i], self.depth)):
                self.lines.append(f"m{i}_{axis} = 0 if a{i}.shape[{axis}] == 1 else 1")

    def _argument(self, i):
        shift = self.depth - self.outer[i]
        if shift < 0:
            return f"a{i}"  # refused above
        index = [f"i{axis + shift} * m{i}_{axis}" if i < self.nin else f"i{axis + shift}"
                 for axis in range(self.outer[i])]
        as_scalar = not is_array(self.params[i])
        if not is_array(self.types[i]):
            return f"a{i}" if as_scalar else f"np.full(1, a{i})"
        if self.operands[i]:
            return f"a{i}[{', '.join(index)}]" if index else f"a{i}"
        if as_scalar:
            return f"a{i}[{', '.join(index) or '()'}]"
        if not index:
            return f"a{i}.reshape(1)"
        index[-1] = f"{index[-1]}:{index[-1]} + 1"
        return f"a{i}[{', '.join(index)}]"
