"""Numbers, booleans, None and strings."""

from __future__ import annotations

from .. import _core
from .abstract import (
    BITS,
    CONSTANT,
    SIGNED,
    Dummy,
    Hashable,
    IterableType,
    Literal,
    Number,
    Opaque,
    Type,
    args_of,
    type_data,
    type_object,
)

_intern = _core.intern_type
_NUMPY = {}


def _numpy_class(name):
    import numpy

    return _NUMPY.setdefault(name, getattr(numpy, name))


def _bits(name, prefix):
    """`int64` -> 64; also the argument of `Integer('int64')`."""
    if not isinstance(name, str) or not name.startswith(prefix) or not name[len(prefix):].isdigit():
        raise TypeError(f"not the name of such a type: {name!r}")
    return int(name[len(prefix):])


class Integer(Number):
    """intN and uintN."""

    __slots__ = ()

    @staticmethod
    def _intern(name, bitwidth=None, signed=None):
        signed = not name.startswith("u") if signed is None else signed
        bits = bitwidth if bitwidth is not None else _bits(name, "int" if signed else "uint")
        return _intern("Int", bits=bits, is_signed=signed)

    @classmethod
    def from_bitwidth(cls, bitwidth, signed=True):
        return Integer(("int" if signed else "uint") + str(bitwidth))

    @property
    def bitwidth(self):
        return type_data(self.id)[BITS]

    @property
    def signed(self):
        return type_data(self.id)[SIGNED]

    @property
    def maxval(self):
        return (1 << (self.bitwidth - self.signed)) - 1

    @property
    def minval(self):
        return -(1 << (self.bitwidth - 1)) if self.signed else 0

    def cast_python_value(self, value):
        return _numpy_class(f"{'int' if self.signed else 'uint'}{self.bitwidth}")(value)

    def _comparable(self, other):
        return isinstance(other, Integer) and other.signed == self.signed


class Float(Number):
    """float16 (storage only), float32, float64."""

    __slots__ = ()

    @staticmethod
    def _intern(name):
        return _intern("Float", bits=_bits(name, "float"))

    @property
    def bitwidth(self):
        return type_data(self.id)[BITS]

    def cast_python_value(self, value):
        return _numpy_class(f"float{self.bitwidth}")(value)


class Complex(Number):
    """complex64 and complex128."""

    __slots__ = ()

    @staticmethod
    def _intern(name, underlying_float=None):
        return _intern("Complex", bits=_bits(name, "complex"))

    @property
    def bitwidth(self):
        return type_data(self.id)[BITS]

    @property
    def underlying_float(self):
        return Float(f"float{self.bitwidth // 2}")

    def cast_python_value(self, value):
        return _numpy_class(f"complex{self.bitwidth}")(value)


class Boolean(Hashable):
    """bool, one byte."""

    __slots__ = ()

    @staticmethod
    def _intern(name="bool"):
        return _intern("Bool")

    def cast_python_value(self, value):
        return bool(value)


class NoneType(Opaque):
    """The type of None."""

    __slots__ = ()

    @staticmethod
    def _intern(name="none"):
        return _intern("None")

    def __call__(self, *args):
        from .signatures import signature

        return signature(self, *args)


class PyObject(Dummy):
    """Any Python object."""

    __slots__ = ()

    @staticmethod
    def _intern(name="pyobject"):
        return _intern("Object")

    def is_precise(self):
        return False


class RawPointer(Opaque):
    """void*"""

    __slots__ = ()

    @staticmethod
    def _intern(name="void*"):
        return _intern("Pointer")


class EllipsisType(Opaque):
    """The type of `...`."""

    __slots__ = ()

    @staticmethod
    def _intern(name="..."):
        return _intern("Ellipsis")


class UnicodeType(IterableType, Hashable):
    """str."""

    __slots__ = ()

    @staticmethod
    def _intern(name="unicode_type"):
        return _intern("String")


class Optional(Type):
    """A value of a type, or None."""

    __slots__ = ()

    @staticmethod
    def _intern(typ):
        if not isinstance(typ, Type):
            raise TypeError(f"Optional needs a type, not {typ!r}")
        if isinstance(typ, (Optional, NoneType)):
            raise AssertionError(f"Optional({typ}) makes no sense")
        return _intern("Optional", args=(unliteral(typ).id,))

    @property
    def type(self):
        return args_of(self.id)[0]

    @property
    def key(self):
        return self.type

    def cast_python_value(self, value):
        return None if value is None else self.type.cast_python_value(value)

    def __reduce__(self):
        return Optional, (self.type,)


optional = Optional


class Omitted(Opaque):
    """The type of an argument that was left out: its default is a compile-time constant."""

    __slots__ = ()

    @staticmethod
    def _intern(value):
        return _core.omitted_type(value)

    @property
    def value(self):
        return type_data(self.id)[CONSTANT]

    @property
    def key(self):
        return type(self.value), self.value

    def __reduce__(self):
        return Omitted, (self.value,)


class _LiteralBase(Literal):
    __slots__ = ()

    def __reduce__(self):
        return literal, (self.literal_value,)


class IntegerLiteral(_LiteralBase, Integer):
    """An int known at compile time."""

    __slots__ = ()

    @staticmethod
    def _intern(value):
        return _intern("Literal", constant=int(value), args=(_typeof(int(value)),))

    @property
    def bitwidth(self):
        return self.literal_type.bitwidth

    @property
    def signed(self):
        return self.literal_type.signed


class BooleanLiteral(_LiteralBase, Boolean):
    """A bool known at compile time."""

    __slots__ = ()

    @staticmethod
    def _intern(value):
        return _intern("Literal", constant=bool(value), args=(_typeof(True),))


class StringLiteral(_LiteralBase, Dummy):
    """A str known at compile time."""

    __slots__ = ()

    @staticmethod
    def _intern(value):
        return _intern("Literal", constant=str(value), args=(_typeof(""),))


class SliceType(Type):
    """slice<a:b> and slice<a:b:c>."""

    __slots__ = ()

    @staticmethod
    def _intern(name, members):
        return _intern("Slice", ndim=members)

    @property
    def members(self):
        return type_data(self.id)[4]

    @property
    def has_step(self):
        return self.members >= 3

    @property
    def key(self):
        return self.members

    def __reduce__(self):
        return SliceType, (self.name, self.members)


class SliceLiteral(_LiteralBase, SliceType):
    """A slice known at compile time."""

    __slots__ = ()

    @staticmethod
    def _intern(value):
        return _intern("Literal", constant=value, args=(_typeof(value),))

    @property
    def members(self):
        return 2 if self.literal_value.step is None else 3

    @property
    def key(self):
        value = self.literal_value
        return value.start, value.stop, value.step


_typeof = _core.typeof
_LITERALS = {int: IntegerLiteral, bool: BooleanLiteral, str: StringLiteral, slice: SliceLiteral}
Literal.ctor_map = _LITERALS


def literal(value):
    """The literal type of a value."""
    from ..errors import LiteralTypingError

    if isinstance(value, Literal):
        raise AssertionError("the type is literal already")
    make = _LITERALS.get(type(value))
    if make is None:
        raise LiteralTypingError(f"{type(value)} cannot be used as a literal")
    return make(value)


def maybe_literal(value):
    """The literal type of a value, or None where it has none."""
    return literal(value) if type(value) in _LITERALS else None


def unliteral(lit_type):
    """The type without its literal parts."""
    data = type_data(lit_type.id)
    if data[0] == "Literal":
        return lit_type.literal_type
    if data[0] == "Tuple" and any(type_data(i)[0] == "Literal" for i in data[8]):
        from .containers import BaseTuple

        return BaseTuple.from_types([unliteral(type_object(i)) for i in data[8]], data[12])
    return lit_type
