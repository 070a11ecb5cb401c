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
