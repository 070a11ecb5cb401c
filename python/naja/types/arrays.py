"""Arrays, buffers, dtypes and records."""

from __future__ import annotations

from .. import _core
from ..errors import NumbaValueError
from .abstract import (
    ALIGNED,
    ARGS,
    BITS,
    FIELDS,
    LAYOUT,
    NDIM,
    OFFSETS,
    READONLY,
    ArrayCompatible,
    DTypeSpec,
    IterableType,
    Opaque,
    Type,
    args_of,
    type_data,
    type_object,
)

_intern = _core.intern_type


class Buffer(IterableType, ArrayCompatible):
    """Memory with a dtype, a number of dimensions and a layout."""

    __slots__ = ()
    LAYOUTS = frozenset(["C", "F", "CS", "FS", "A"])
    slice_is_copy = False

    dtype = property(lambda self: args_of(self.id)[0])
    ndim = property(lambda self: type_data(self.id)[NDIM])
    layout = property(lambda self: type_data(self.id)[LAYOUT])
    mutable = property(lambda self: not type_data(self.id)[READONLY])
    aligned = property(lambda self: type_data(self.id)[ALIGNED])

    @property
    def as_array(self):
        return self

    @property
    def is_c_contig(self):
        return self.layout == "C" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_f_contig(self):
        return self.layout == "F" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_contig(self):
        return self.layout in "CF"

    @property
    def key(self):
        return self.dtype, self.ndim, self.layout, self.mutable, self.aligned


class Array(Buffer):
    """A NumPy array."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype, ndim, layout, readonly=False, name=None, aligned=True):
        if layout not in ("C", "F", "A"):
            raise NumbaValueError(f"Invalid layout {layout!r}")
        if not isinstance(dtype, Type):
            raise TypeError(f"the dtype of an array must be a type, not {dtype!r}")
        return _intern("Array", args=(dtype.id,), ndim=int(ndim), layout=layout, readonly=bool(readonly),
                       aligned=bool(aligned))

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        return Array(self.dtype if dtype is None else dtype, self.ndim if ndim is None else ndim,
                     self.layout if layout is None else layout, not self.mutable if readonly is None else readonly,
                     aligned=self.aligned)

    @property
    def box_type(self):
        import numpy

        return numpy.ndarray

    @property
    def mangling_args(self):
        return "Array", [self.dtype, self.ndim, self.layout, "mutable" if self.mutable else "readonly",
                         "aligned" if self.aligned else "nonaligned"]

    def __repr__(self):
        return f"Array({self.dtype!r}, {self.ndim}, {self.layout!r}, {not self.mutable}, aligned={self.aligned})"

    def __reduce__(self):
        return Array, (self.dtype, self.ndim, self.layout, not self.mutable, None, self.aligned)


def array_from_slices(dtype, item):
    """`dtype[:, ::1]`."""
    items = item if isinstance(item, tuple) else (item,)
    for s in items:
        if not isinstance(s, slice) or s.start is not None or s.stop is not None:
            raise KeyError(f"Can only index numba types with slices with no start or stop, got {s}.")
    layout = "A"
    if items and items[-1].step == 1:
        layout = "C"
    elif items and items[0].step == 1:
        layout = "F"
    return Array(dtype, len(items), layout)


class NestedArray(Array):
    """An array inside a record."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype, shape):
        return _intern("NestedArray", args=(dtype.id,), offsets=tuple(int(n) for n in shape))

    shape = property(lambda self: tuple(type_data(self.id)[OFFSETS]))
    ndim = property(lambda self: len(self.shape))
    layout = property(lambda self: "C")
    mutable = property(lambda self: True)
    aligned = property(lambda self: True)

    @property
    def nitems(self):
        count = 1
        for n in self.shape:
            count *= n
        return count

    @property
    def size(self):
        return self.nitems * as_dtype(self.dtype).itemsize

    @property
    def strides(self):
        strides, step = [], as_dtype(self.dtype).itemsize
        for n in reversed(self.shape):
            strides.insert(0, step)
            step *= n
        return tuple(strides)

    @property
    def key(self):
        return self.dtype, self.shape

    def __repr__(self):
        return f"NestedArray({self.dtype!r}, {self.shape})"

    def __reduce__(self):
        return NestedArray, (self.dtype, self.shape)


class Bytes(Buffer):
    """bytes."""

    __slots__ = ()

    @staticmethod
    def _intern(*args, **kwargs):
        return _intern("Bytes")

    dtype = property(lambda self: type_object(_intern("Int", bits=8, is_signed=False)))
    ndim = property(lambda self: 1)
    layout = property(lambda self: "C")
    mutable = property(lambda self: False)
    aligned = property(lambda self: True)
    slice_is_copy = True

    @property
    def key(self):
        return self.dtype, 1, "C", False


class DType(DTypeSpec, Opaque):
    """A dtype used as a value."""

    __slots__ = ()

    @staticmethod
    def _intern(dtype):
        return _intern("DType", args=(dtype.id,))

    dtype = property(lambda self: args_of(self.id)[0])

    @property
    def key(self):
        return self.dtype

    def __getitem__(self, item):
        return array_from_slices(self.dtype, item)

    def __reduce__(self):
        return DType, (self.dtype,)


class _RecordField:
    __slots__ = ("type", "offset", "alignment", "title")

    def __init__(self, typ, offset, alignment=None, title=None):
        self.type, self.offset, self.alignment, self.title = typ, offset, alignment, title


def _field(spec):
    if isinstance(spec, dict):
        return _RecordField(spec["type"], spec["offset"], spec.get("alignment"), spec.get("title"))
    return spec


class Record(Type):
    """A structured scalar."""

    __slots__ = ()
    mutable = True

    @staticmethod
    def _intern(fields, size, aligned):
        rows = [(name, _field(spec)) for name, spec in (fields.items() if isinstance(fields, dict) else fields)]
        return _intern("Record", fields=tuple(n for n, _ in rows), args=tuple(f.type.id for _, f in rows),
                       offsets=tuple(f.offset for _, f in rows), bits=size, aligned=bool(aligned))

    @classmethod
    def make_c_struct(cls, name_types):
        """A record laid out as a C compiler does."""
        fields, offset, largest = [], 0, 1
        for name, typ in name_types:
            dtype = as_dtype(typ)
            alignment = dtype.alignment
            offset += -offset % alignment
            fields.append((name, {"type": typ, "offset": offset, "alignment": alignment}))
            offset += dtype.itemsize
            largest = max(largest, alignment)
        return cls(fields, offset + -offset % largest, True)

    @property
    def members(self):
        data = type_data(self.id)
        return list(zip(data[FIELDS], map(type_object, data[ARGS])))

    @property
    def fields(self):
        data = type_data(self.id)
        return {n: _RecordField(type_object(t), o) for n, t, o in zip(data[FIELDS], data[ARGS], data[OFFSETS])}

    size = property(lambda self: type_data(self.id)[BITS])
    aligned = property(lambda self: type_data(self.id)[ALIGNED])
    bitwidth = property(lambda self: self.size * 8)

    @property
    def dtype(self):
        return as_dtype(self)

    def __len__(self):
        return len(type_data(self.id)[FIELDS])

    def typeof(self, name):
        return self.fields[name].type

    def offset(self, name):
        return self.fields[name].offset

    def __repr__(self):
        rows = ", ".join(f"({n!r}, {{'type': {f.type!r}, 'offset': {f.offset}, 'alignment': None, 'title': None, }})"
                         for n, f in self.fields.items())
        return f"Record([{rows}], {self.size}, {self.aligned})"

    def __reduce__(self):
        rows = [(n, {"type": f.type, "offset": f.offset}) for n, f in self.fields.items()]
        return Record, (rows, self.size, self.aligned)


def from_dtype(dtype):
    """The type of a NumPy dtype."""
    import numpy

    from ..errors import NumbaNotImplementedError

    if not isinstance(dtype, numpy.dtype):
        raise NumbaNotImplementedError(f"{dtype}")
    type_id = _core.from_dtype(dtype)
    if type_id is None:
        raise NumbaNotImplementedError(f"{dtype}")
    return type_object(type_id)


def as_dtype(nbtype):
    """The NumPy dtype of a type."""
    from ..errors import NumbaNotImplementedError
    from .functions import NumberClass
    from .scalars import unliteral

    nbtype = unliteral(nbtype)
    if isinstance(nbtype, (DType, NumberClass)):
        return as_dtype(nbtype.dtype)
    try:
        return _core.as_dtype(nbtype.id)
    except TypeError:
        raise NumbaNotImplementedError(f"{nbtype} cannot be represented as a NumPy dtype") from None
