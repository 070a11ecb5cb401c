"""Functions of C as values of compiled code: functions of `ctypes` that declare the types of their arguments and result."""

from __future__ import annotations

import ctypes

from . import _core
from .types import CPointer, Integer, Type, boolean, float32, float64, none, voidptr

_FUNCTION = ctypes._CFuncPtr  # the base class of every function of a library and of CFUNCTYPE(...)
_SIMPLE = {ctypes.c_float: float32, ctypes.c_double: float64, ctypes.c_bool: boolean, ctypes.c_void_p: voidptr}
_SIGNED = (ctypes.c_byte, ctypes.c_short, ctypes.c_int, ctypes.c_long, ctypes.c_longlong)
_UNSIGNED = (ctypes.c_ubyte, ctypes.c_ushort, ctypes.c_uint, ctypes.c_ulong, ctypes.c_ulonglong)


def type_of_ctype(ctype):
    """The type of a value of C, or None where compiled code has none."""
    if ctype is None:
        return none
    if ctype in _SIMPLE:
        return _SIMPLE[ctype]
    if ctype in _SIGNED or ctype in _UNSIGNED:
        return Integer.from_bitwidth(8 * ctypes.sizeof(ctype), ctype in _SIGNED)
    if isinstance(ctype, type) and issubclass(ctype, ctypes._Pointer):
        pointee = type_of_ctype(ctype._type_)
        return None if pointee is None else CPointer(pointee)
    return None


def external_function_type(address, result, parameters):
    """The type of the function of C at an address: its calls jump there."""
    rest = ", ".join(map(str, parameters))
    return _core.type_object(_core.intern_type(
        "Opaque", name=f"ExternalFunction[{result}({rest})]", args=tuple(t.id for t in (result, *parameters)),
        offsets=(address,)))


def typeof_function(function):
    """The type of a function of ctypes; None where it does not declare its arguments."""
    if function.argtypes is None:
        return None
    result = type_of_ctype(function.restype)
    parameters = [type_of_ctype(p) for p in function.argtypes]
    if not isinstance(result, Type) or None in parameters:
        return None
    return external_function_type(ctypes.cast(function, ctypes.c_void_p).value, result, parameters)


def is_function(value):
    return isinstance(value, _FUNCTION)
