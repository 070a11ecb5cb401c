"""Tuples, ranges and iterators."""

from __future__ import annotations

from .. import _core
from .abstract import (
    ARGS,
    CLASS,
    FIELDS,
    NAME,
    ConstSized,
    Hashable,
    IteratorType,
    Sequence,
    SimpleIterableType,
    SimpleIteratorType,
    Type,
    args_of,
    type_data,
)

_intern = _core.intern_type


def _ids(types):
    ids = []
    for t in types:
        if not isinstance(t, Type):
            raise TypeError(f"the items of a tuple type must be types, not {t!r}")
        ids.append(t.id)
    return tuple(ids)


class BaseTuple(ConstSized, Hashable):
    """Base of all tuples."""

    __slots__ = ()

    @classmethod
    def from_types(cls, tys, pyclass=None):
        """The tuple type of these items: named where a class is given."""
        tys = tuple(tys)
        if pyclass is not None and hasattr(pyclass, "_fields"):
            return NamedTuple(tys, pyclass)
        return Tuple(tys)

    @property
    def types(self):
        return args_of(self.id)

    @property
    def count(self):
        return len(type_data(self.id)[ARGS])

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.types[i] if isinstance(i, int) else Type.__getitem__(self, i)

    def __iter__(self):
        return iter(self.types)


class BaseAnonymousTuple(BaseTuple):
    __slots__ = ()

    @property
    def mangling_args(self):
        return type(self).__name__, list(self.types)


class BaseNamedTuple(BaseTuple):
    __slots__ = ()

    instance_class = property(lambda self: type_data(self.id)[CLASS])
    fields = property(lambda self: tuple(type_data(self.id)[FIELDS]))

    def __reduce__(self):
        return NamedTuple, (self.types, self.instance_class)


class _HomogeneousTuple(Sequence, BaseTuple):
    __slots__ = ()

    dtype = property(lambda self: args_of(self.id)[0])


class _HeterogeneousTuple(BaseTuple):
    __slots__ = ()

    @staticmethod
    def is_types_iterable(types):
        if not hasattr(types, "__iter__"):
            raise TypeError(f"Argument 'types' is not iterable: {types}")


class UniTuple(BaseAnonymousTuple, _HomogeneousTuple):
    """A tuple whose items have one type."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype, count):
        return _intern("Tuple", args=_ids([dtype]) * int(count))

    @property
    def key(self):
        return self.dtype, self.count

    def __repr__(self):
        return f"UniTuple({self.dtype!r}, {self.count})"

    def __reduce__(self):
        return UniTuple, (self.dtype, self.count)


class Tuple(BaseAnonymousTuple, _HeterogeneousTuple):
    """A tuple; one whose items have one type is a UniTuple."""

    __slots__ = ()

    @staticmethod
    def _intern(types=()):
        _HeterogeneousTuple.is_types_iterable(types)
        return _intern("Tuple", args=_ids(types))

    @property
    def key(self):
        return self.types

    def __repr__(self):
        return f"Tuple({tuple(self.types)!r})"

    def __reduce__(self):
        return Tuple, (self.types,)


class NamedTuple(_HeterogeneousTuple, BaseNamedTuple):
    """A named tuple."""

    __slots__ = ()

    @staticmethod
    def _intern(types, cls):
        return _intern("Tuple", args=_ids(types), fields=tuple(cls._fields), name=cls.__name__, cls=cls)

    @property
    def key(self):
        return self.instance_class, self.types


class NamedUniTuple(_HomogeneousTuple, BaseNamedTuple):
    """A named tuple whose items have one type."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype, count, cls):
        return NamedTuple._intern([dtype] * count, cls)

    @property
    def key(self):
        return self.instance_class, self.dtype, self.count


class StarArgTuple(Tuple):
    """What *args is packed into."""

    __slots__ = ()


class StarArgUniTuple(UniTuple):
    """What *args of one type is packed into."""

    __slots__ = ()


class RangeType(SimpleIterableType):
    """range."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype):
        return _intern("Range", args=(dtype.id,))

    dtype = property(lambda self: args_of(self.id)[0])

    def __reduce__(self):
        return RangeType, (self.dtype,)


class RangeIteratorType(SimpleIteratorType):
    """The iterator of a range."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype):
        return _intern("Iterator", name="range", args=(dtype.id,))

    @property
    def dtype(self):
        return args_of(self.id)[0]

    @property
    def name(self):
        return f"range_iter_{self.dtype}"

    @property
    def yield_type(self):
        return self.dtype


class IteratorOf(IteratorType):
    """The iterator of an iterable."""

    __slots__ = ()

    @staticmethod
    def _intern(container, kind="iter"):
        return _intern("Iterator", name=kind, args=(container.id,))

    @property
    def container(self):
        return args_of(self.id)[0]

    @property
    def name(self):
        data = type_data(self.id)
        return f"{data[NAME]}({', '.join(type_data(t)[1] for t in data[ARGS])})"

    @property
    def yield_type(self):
        source = self.container
        dtype = getattr(source, "dtype", source)
        ndim = getattr(source, "ndim", 1)
        return dtype if ndim <= 1 else source.copy(ndim=ndim - 1, layout=source.layout if source.layout == "C" else "A")
