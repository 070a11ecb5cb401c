"""Methods of ufuncs, called from compiled code: the source of each for the ranks at hand. Rows along the axis are
combined by elementwise calls, so that they run as vectorised loops."""

from __future__ import annotations

import numpy as np

from .errors import TypingError
from .library import intrinsics
from .ufunc_calls import define, element, is_array, kernel_for

_PARAMETERS = {
    "reduce": ("array", "axis", "dtype", "initial"),
    "accumulate": ("array", "axis", "dtype", "out"),
    "reduceat": ("array", "indices", "axis", "dtype", "out"),
    "at": ("a", "indices", "b"),
    "outer": ("A", "B"),
}
_DEFAULTS = {"axis": "0", "dtype": "None", "initial": "None", "out": "None", "b": "None"}


def implementation(ufunc, method, types, keywords):
    if method not in _PARAMETERS:
        raise TypingError(f"method {method!r} of ufunc '{ufunc.__name__}' is not available in compiled code")
    given = _bind(ufunc, method, types, keywords)
    for name in _PARAMETERS[method]:
        if name not in given and name not in _DEFAULTS:
            raise TypingError(f"{ufunc.__name__}.{method}: the argument {name!r} is missing")
    lines, kernel = _WRITERS[method](ufunc, given)
    parameters = ", ".join(name + (f"={_DEFAULTS[name]}" if name in _DEFAULTS else "")
                           for name in _PARAMETERS[method])
    source = f"def call({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    return define((kernel, source), source, kernel=kernel, np=np, map_function=intrinsics.map_function,
                  map_function_into=intrinsics.map_function_into)


def _bind(ufunc, method, types, keywords):
    names = _PARAMETERS[method]
    positional = len(types) - len(keywords)
    if positional > len(names) or set(keywords) - set(names) or set(keywords) & set(names[:positional]):
        raise TypingError(f"{ufunc.__name__}.{method} takes the arguments {', '.join(names)}")
    return {**dict(zip(names, types[:positional])), **dict(zip(keywords, types[positional:]))}


def _is_none(typ):
    return typ is None or str(typ) in ("none", "NoneType")


def _array(ufunc, method, typ):
    if ufunc.nin != 2:
        raise TypingError(f"{ufunc.__name__}.{method}: {method} only supported for binary functions")
    if not is_array(typ):
        raise TypingError(f'The first argument "array" must be array-like, not {typ}')
    if typ.ndim == 0:
        raise TypingError(f"{ufunc.__name__}.{method}: the array has no axis")
    return typ.ndim


def _integer_axis(given):
    from .types import Integer

    axis = given.get("axis")
    if axis is not None and not isinstance(axis, Integer):
        raise TypingError(f'"axis" must be an integer, not {axis}')


def _output(given):
    """Whether there is one; it must be an array."""
    out = given.get("out")
    if _is_none(out):
        return False
    if not is_array(out):
        raise TypingError(f"output must be an array, not {out}")
    return True


def _is_tuple(typ):
    return str(typ).startswith(("UniTuple", "Tuple"))


def _kernel(ufunc, typ):
    return kernel_for(ufunc, [element(typ)] * 2)


def _convert(given, lines):
    if not _is_none(given.get("dtype")):
        lines.append("array = array.astype(dtype)")


def _move(ndim, source, target, axis="axis"):
    """target = source with the axis first."""
    if ndim == 1:
        return [f"{target} = {source}"]
    lines = []
    for i in range(ndim):
        order = ", ".join(map(str, [i, *(k for k in range(ndim) if k != i)]))
        lines += [f"{'el' if i else ''}if {axis} == {i}:", f"    {target} = {source}.transpose({order})"]
    lines[-2] = "else:"
    return lines


def _check_axis(ndim, axis="axis", text="Invalid axis"):
    return [f"if {axis} < -{ndim} or {axis} >= {ndim}: raise ValueError({text!r})",
            f"if {axis} < 0: {axis} = {axis} + {ndim}"]


def _first_axis(ndim):
    return ["first = axis", *_check_axis(ndim, "first", f"axis is out of bounds for array of dimension {ndim}")]


#: An array without elements that has the dtype of the result.
_PROBE = "probe = map_function(kernel, moved[:0], moved[:0])"


def _reduce_axis(ufunc, ndim, source, target, axis, initial):
    """target = source reduced along one axis; `initial`: the text of a start value, or None."""
    text = f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
    lines = _check_axis(ndim, axis) + _move(ndim, source, "moved", axis) + [_PROBE]
    first = 0 if initial is not None else 1
    if first:
        lines.append(f"if len(moved) == 0: raise ValueError({text!r})")
    if ndim == 1:
        start = f"np.full(1, {initial}).astype(probe.dtype)" if initial is not None else "moved[:1].astype(probe.dtype)"
        return [*lines, f"{target} = ({start})[0]", f"for k in range({first}, len(moved)):",
                f"    {target} = kernel({target}, moved[k])"]
    shape = "moved.shape[1:]"
    start = f"np.full({shape}, {initial}).astype(probe.dtype)" if initial is not None else "moved[0].astype(probe.dtype)"
    return [*lines, f"{target} = {start}", f"for k in range({first}, len(moved)):",
            f"    map_function_into({target}, kernel, {target}, moved[k])"]


def _write_reduce(ufunc, given):
    array = given["array"]
    ndim = _array(ufunc, "reduce", array)
    lines = []
    _convert(given, lines)
    identity = ufunc.identity
    if "initial" in given:
        initial = None if _is_none(given["initial"]) else "initial"
    else:
        initial = None if identity is None else repr(identity)
    axis = given.get("axis")
    several = axis is not None and (ndim > 1 if _is_none(axis) else _is_tuple(axis) and len(axis) > 1)
    if several and not ufunc.reorderable:
        raise TypingError(f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may be "
                          "specified")
    if axis is not None and _is_none(axis):
        lines += ["flat = array.ravel()", "zero = 0"] + _reduce_axis(ufunc, 1, "flat", "result", "zero", initial)
    elif axis is not None and _is_tuple(axis):
        count = len(axis)
        if count == 0:
            lines += ["moved = array", _PROBE, "result = array.astype(probe.dtype)"]
        else:
            lines += _reduce_axes(ufunc, ndim, count, initial)
    else:
        lines += ["first = axis", *_reduce_axis(ufunc, ndim, "array", "result", "first", initial)]
    return [*lines, "return result"], _kernel(ufunc, array)


def _reduce_axes(ufunc, ndim, count, initial):
    """From the last axis to the first: the numbers of those before do not change."""
    lines = [f"axes = np.empty({count}, np.int64)"]
    for i in range(count):
        lines += [f"x{i} = axis[{i}]", *_check_axis(ndim, f"x{i}"), f"axes[{i}] = x{i}"]
    lines.append("axes.sort()")
    source = "array"
    for i in range(count):
        last = i == count - 1
        lines.append(f"n{i} = axes[{count - 1 - i}]")
        if i:
            lines.append(f"if n{i} == n{i - 1}: raise ValueError(\"duplicate value in 'axis'\")")
        inner = [line.replace("moved", f"moved{i}").replace("probe", f"probe{i}")
                 for line in _reduce_axis(ufunc, ndim - i, source, "result" if last else f"r{i}", f"n{i}",
                                          initial if last else None)]
        lines += inner
        source = f"r{i}"
    return lines


def _write_accumulate(ufunc, given):
    array = given["array"]
    ndim = _array(ufunc, "accumulate", array)
    _integer_axis(given)
    lines = []
    _convert(given, lines)
    lines += [*_first_axis(ndim), *_move(ndim, "array", "moved", "first"), _PROBE]
    if _output(given):
        lines += ["if out.shape != array.shape: raise ValueError('the output has the wrong shape')", "result = out"]
    else:
        lines.append("result = np.empty(array.shape, probe.dtype)")
    lines += [*_move(ndim, "result", "target", "first"), "if len(moved) > 0: target[0] = moved[0]",
              "for k in range(1, len(moved)):",
              "    map_function_into(target[k:k + 1], kernel, target[k - 1:k], moved[k:k + 1])", "return result"]
    return lines, _kernel(ufunc, array)


def _write_reduceat(ufunc, given):
    array, indices = given["array"], given["indices"]
    ndim = _array(ufunc, "reduceat", array)
    if not is_array(indices):
        raise TypingError(f'"indices" must be array-like, not {indices}')
    if indices.ndim != 1:
        raise TypingError(f'"indices" must have at most 1 dimension, not {indices.ndim}')
    _integer_axis(given)
    lines = []
    _convert(given, lines)
    lines += [*_first_axis(ndim), *_move(ndim, "array", "moved", "first"), _PROBE]
    shape = ", ".join(f"len(indices) if first == {i} else array.shape[{i}]" for i in range(ndim))
    if _output(given):
        lines += [f"if out.shape != ({shape},): raise ValueError('the output has the wrong shape')", "result = out"]
    else:
        lines.append(f"result = np.empty(({shape},), probe.dtype)")
    lines += [*_move(ndim, "result", "target", "first"),
              "for j in range(len(indices)):",
              "    start = np.int64(indices[j])",
              "    stop = np.int64(indices[j + 1]) if j + 1 < len(indices) else np.int64(len(moved))",
              "    if start < 0 or start >= len(moved): raise IndexError('index out of bounds in reduceat')",
              "    target[j] = moved[start]",
              "    for k in range(start + 1, stop):",
              "        map_function_into(target[j:j + 1], kernel, target[j:j + 1], moved[k:k + 1])",
              "return result"]
    return lines, _kernel(ufunc, array)


def _write_at(ufunc, given):
    a, indices, b = given["a"], given["indices"], given.get("b")
    if ufunc.nin == 1 and not _is_none(b):
        raise TypingError("second operand provided when ufunc is unary")
    if ufunc.nin == 2 and _is_none(b):
        raise TypingError("second operand needed for ufunc")
    if ufunc.nin > 2 or not is_array(a):
        raise TypingError(f"{ufunc.__name__}.at: only unary and binary ufuncs, on an array")
    # Which elements the index names, as positions in C order: indexing has the rules, whatever the index is.
    lines = ["named = np.arange(a.size).reshape(a.shape)[indices]"]
    lines.append("places = np.full(1, named)" if _names_one(a, indices) else "places = named")
    if ufunc.nin == 2:
        operand = "b" if is_array(b) else "np.full(1, b)"
        lines += [f"second = np.broadcast_to({operand}, places.shape).ravel()"]
    lines += ["flat = places.ravel()", "for k in range(len(flat)):", "    place = flat[k]"]
    second = ", second[k]" if ufunc.nin == 2 else ""
    lines.append(f"    a.flat[place] = kernel(a.flat[place]{second})")
    elements = [element(a)] if ufunc.nin == 1 else [element(a), element(b)]
    return lines, kernel_for(ufunc, elements)


def _names_one(a, indices):
    from .types import Integer

    if isinstance(indices, Integer):
        return a.ndim == 1
    return _is_tuple(indices) and len(indices) == a.ndim and all(isinstance(t, Integer) for t in indices)


def _write_outer(ufunc, given):
    left, right = given["A"], given["B"]
    if ufunc.nin != 2:
        raise TypingError(f"{ufunc.__name__}.outer: outer only supported for binary functions")
    axes = ", None" * right.ndim if is_array(left) and is_array(right) else ""
    operand = f"A[...{axes}]" if axes else "A"
    return [f"return map_function(kernel, {operand}, B)"], kernel_for(ufunc, [element(left), element(right)])


_WRITERS = {"reduce": _write_reduce, "accumulate": _write_accumulate, "reduceat": _write_reduceat, "at": _write_at,
            "outer": _write_outer}
