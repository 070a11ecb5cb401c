"""`typeof`: the type that compiled code gives to a Python value."""

from __future__ import annotations

from . import _core


def typeof(val, purpose=None):
    """The type of a value as an argument of compiled code; ValueError where it has none."""
    try:
        type_id = _core.typeof(val)
    except TypeError:
        type_id = None
    if type_id is None:
        raise ValueError(_why_not(val)) from None
    return _core.type_object(type_id)


def _why_not(val):
    if isinstance(val, int):
        return f"Int value is too large: {val}"
    if isinstance(val, (list, set)) and not val:
        return f"Cannot type empty {type(val).__name__}"
    return f"Cannot determine Numba type of {type(val)}"


def refuse_arguments(function, refused):
    """Raises TypingError for arguments that have no type: pairs of position and value."""
    from .errors import TypingError

    lines, hints = [], []
    for index, value in refused:
        what, hint = _describe(value)
        name = _parameter(function, index)
        lines.append(f"- argument {index}{name} of {function.__name__}: Cannot determine Numba type of {what}")
        if hint not in hints:
            hints.append(hint)
    title = f"no type for {'an argument' if len(lines) == 1 else 'arguments'} of {function.__name__}()"
    raise TypingError("\n".join([f"non-precise type pyobject: {title}", *lines, *(f"  hint: {h}" for h in hints)]))


def _parameter(function, index):
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)]
    return f" ({names[index]})" if index < len(names) else ""


def _describe(value):
    """What a value is, and what to pass instead."""
    import numpy as np

    cls = type(value)
    if isinstance(value, tuple):
        return _describe_tuple(value)
    if isinstance(value, np.generic) and value.dtype.kind in "gGfc":
        return f"{cls}", "convert it: float(x) or complex(x)"
    if not isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, dict):
            return f"{cls}", "pass the values as arguments, a tuple or arrays"
        if isinstance(value, (list, set, frozenset)):
            return f"{cls}", "pass an array or a tuple"
        return f"{cls}", "pass numbers, strings, tuples or NumPy arrays of numbers, for example the object's attributes"
    dtype = value.dtype
    if not dtype.isnative:
        return f"{cls} of dtype {dtype.str}", "convert it to native byte order: a.astype(a.dtype.newbyteorder('='))"
    if dtype.kind == "O":
        return f"{cls} of Python objects", "convert it to an array of numbers: a.astype(float)"
    if dtype.kind in "biufc" and cls is not np.ndarray:
        return f"{cls}", "pass a plain array: np.asarray(a)"
    return f"{cls} of dtype {dtype}", "convert it to an array of a numeric dtype"


def _describe_tuple(value):
    """Of the first item that has no type, or of the tuple where it is nested too deeply."""
    for index, item in enumerate(value[:1000]):
        if isinstance(item, tuple):
            break
        try:
            typeof(item)
        except ValueError:
            what, hint = _describe(item)
            return f"{type(value)} with item {index} of {what}", hint
    return f"{type(value)}", "a tuple may hold numbers, strings, arrays and tuples of them, up to 500 in each other"
