"""The base classes of types. A type object is a handle on an interned type of the compiler (its `id`): equal types are
the same object, so equality and hashing cost nothing. Names, attributes and text forms are Numba's."""

from __future__ import annotations

from .. import _core

type_data = _core.type_data
type_object = _core.type_object

# Positions in the tuple of `_core.type_data`.
KIND, TEXT, BITS, SIGNED, NDIM, LAYOUT, READONLY, ALIGNED, ARGS, FIELDS, OFFSETS, CONSTANT, CLASS, NAME = range(14)


def args_of(type_id):
    """Type objects of the parts of a type."""
    return tuple(map(type_object, type_data(type_id)[ARGS]))


class _TypeMeta(type(_core.Type)):
    """Calls of type classes intern: `Array(float64, 1, 'C')` is one object. A class makes its id in `_intern`; classes of
    extensions that define none get an opaque type for each distinct `key`."""

    def __call__(cls, *args, **kwargs):
        intern = cls._intern
        if intern is not None:
            return type_object(intern(*args, **kwargs))
        return _make_extension_type(cls, args, kwargs)


class Type(_core.Type, metaclass=_TypeMeta):
    """Base of all types."""

    __slots__ = ()
    _intern = None
    mutable = False
    reflected = False

    def __init__(self, name):
        """Of types that extensions define; naja's own are made from interned data."""
        self.__dict__["_name"] = name

    @property
    def name(self):
        own = getattr(self, "__dict__", None)
        return own["_name"] if own and "_name" in own else type_data(self.id)[TEXT]

    @property
    def key(self):
        return self.name

    def __repr__(self):
        return self.name

    def __str__(self):
        return self.name

    def __hash__(self):
        return hash(self.id)

    def __eq__(self, other):
        return self is other or (isinstance(other, Type) and self.id == other.id)

    def __ne__(self, other):
        return not self == other

    def __reduce__(self):
        return _rebuild, (self.name,)

    def __call__(self, *args):
        """With types, a signature that returns this type; with one value, that value converted to this type."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        from .signatures import signature

        return signature(self, *args)

    def __getitem__(self, item):
        """`T[:, ::1]`: an array type."""
        from .arrays import array_from_slices

        return array_from_slices(self, item)

    def cast_python_value(self, value):
        raise NotImplementedError(f"{self} cannot convert a Python value")

    @property
    def _code(self):
        return self.id

    @property
    def mangling_args(self):
        return self.name, ()

    @property
    def is_internal(self):
        return self.__class__.__module__.startswith("naja.")

    def is_precise(self):
        return True

    def augment(self, other):
        return None

    def unify(self, typingctx, other):
        unified = _core.unify(self.id, other.id)
        return None if unified is None else type_object(unified)

    def can_convert_to(self, typingctx, other):
        from .signatures import Conversion

        rank = _core.conversion(self.id, other.id)
        return None if rank >= Conversion.none else Conversion(rank)

    def can_convert_from(self, typingctx, other):
        return None

    def dump(self, tab=""):
        print(f"{tab}DUMP {type(self).__name__}[id={self.id}, name={self.name}]")


_extension_types = {}  # (class, key) -> object
drafts = {}  # id of an extension's type -> (class, attributes), until its object is made


def _make_extension_type(cls, args, kwargs):
    """A type defined in Python: its `key` says which ones are equal (its name where it defines none)."""
    draft = _core.Type.__new__(cls, 0)
    draft.__init__(*args, **kwargs)
    key = (cls, draft.key)
    known = _extension_types.get(key)
    if known is None:
        type_id = _core.intern_type("Opaque", name=draft.name, cls=cls, constant=len(_extension_types))
        drafts[type_id] = cls, draft.__dict__
        known = _extension_types[key] = type_object(type_id)
    return known


def _rebuild(name):
    type_id = _core.parse_type(name)
    if type_id is None:
        raise ValueError(f"the type {name} cannot be pickled")
    return type_object(type_id)


class Hashable(Type):
    """Types whose values can be hashed."""

    __slots__ = ()


class Dummy(Type):
    """Types whose values hold no data. Extensions make some from a name alone, so they may have attributes."""


class Opaque(Dummy):
    """Types with an opaque pointer as value."""

    __slots__ = ()


class Phantom(Dummy):
    """Types that have no value at run time."""

    __slots__ = ()


class Number(Hashable):
    """Machine numbers."""

    __slots__ = ()

    def unify(self, typingctx, other):
        return super().unify(typingctx, other) if isinstance(other, (Number, Hashable)) else None

    def __lt__(self, other):
        return self._order(other) < 0 if self._comparable(other) else NotImplemented

    def __le__(self, other):
        return self._order(other) <= 0 if self._comparable(other) else NotImplemented

    def __gt__(self, other):
        return self._order(other) > 0 if self._comparable(other) else NotImplemented

    def __ge__(self, other):
        return self._order(other) >= 0 if self._comparable(other) else NotImplemented

    def _comparable(self, other):
        return type(other) is type(self)

    def _order(self, other):
        return self.bitwidth - other.bitwidth


class IterableType(Type):
    """Types that can be iterated over."""

    __slots__ = ()

    @property
    def iterator_type(self):
        from .containers import IteratorOf

        return IteratorOf(self)


class Sized(Type):
    """Types with a length."""

    __slots__ = ()


class ConstSized(Sized):
    """Types with a length known at compile time."""

    __slots__ = ()


class IteratorType(IterableType):
    """Types that have the iterator protocol."""

    __slots__ = ()

    @property
    def yield_type(self):
        raise NotImplementedError

    @property
    def iterator_type(self):
        return self


class SimpleIterableType(IterableType):
    __slots__ = ()


class SimpleIteratorType(IteratorType):
    __slots__ = ()


class Container(Sized, IterableType):
    __slots__ = ()


class Sequence(Container):
    __slots__ = ()


class MutableSequence(Sequence):
    __slots__ = ()


class ArrayCompatible(Type):
    """Types that behave like an array."""

    __slots__ = ()
    array_priority = 0.0


class Callable(Type):
    """Types whose values can be called."""

    __slots__ = ()


class DTypeSpec(Type):
    """Types that can stand for a dtype."""

    __slots__ = ()


class Literal(Type):
    """Types of values known at compile time."""

    __slots__ = ()
    ctor_map = {}

    @property
    def literal_value(self):
        return type_data(self.id)[CONSTANT]

    @property
    def literal_type(self):
        return args_of(self.id)[0]


class InitialValue:
    """Types that remember the value they were made with."""

    __slots__ = ()
    initial_value = None


class WeakType(Type):
    """Types that refer to an object weakly."""

    __slots__ = ()
