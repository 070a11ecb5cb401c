"""Types: names, text forms, classes and attributes are those that programs written for Numba rely on."""

import collections
import pickle

import naja
import numpy as np
import pytest
from naja import types

Point = collections.namedtuple("Point", "x y")
Mixed = collections.namedtuple("Mixed", "a b")

TEXTS = [
    (types.int64, "int64", "int64"), (types.uint8, "uint8", "uint8"), (types.boolean, "bool", "bool"),
    (types.none, "none", "none"), (types.void, "none", "none"), (types.unicode_type, "unicode_type", "unicode_type"),
    (types.voidptr, "void*", "void*"), (types.pyobject, "pyobject", "pyobject"), (types.ellipsis, "...", "..."),
    (types.float64[:], "array(float64, 1d, A)", "Array(float64, 1, 'A', False, aligned=True)"),
    (types.float64[:, ::1], "array(float64, 2d, C)", "Array(float64, 2, 'C', False, aligned=True)"),
    (types.float64[::1, :], "array(float64, 2d, F)", "Array(float64, 2, 'F', False, aligned=True)"),
    (types.Array(types.int8, 2, "A", readonly=True), "readonly array(int8, 2d, A)",
     "Array(int8, 2, 'A', True, aligned=True)"),
    (types.Array(types.int8, 2, "C", aligned=False), "unaligned array(int8, 2d, C)",
     "Array(int8, 2, 'C', False, aligned=False)"),
    (types.UniTuple(types.int64, 3), "UniTuple(int64 x 3)", "UniTuple(int64, 3)"),
    (types.Tuple((types.int64, types.float32)), "Tuple(int64, float32)", "Tuple((int64, float32))"),
    (types.Tuple((types.int64, types.int64)), "UniTuple(int64 x 2)", "UniTuple(int64, 2)"),
    (types.Tuple(()), "Tuple()", "Tuple(())"),
    (types.Optional(types.float64), "OptionalType(float64)", "OptionalType(float64)"),
    (types.Omitted(3), "omitted(default=3)", "omitted(default=3)"),
    (types.literal(3), "Literal[int](3)", "Literal[int](3)"),
    (types.literal("abc"), "Literal[str](abc)", "Literal[str](abc)"),
    (types.literal(True), "Literal[bool](True)", "Literal[bool](True)"),
    (types.DType(types.float64), "dtype(float64)", "dtype(float64)"),
    (types.NumberClass(types.int64), "class(int64)", "class(int64)"),
    (types.TypeRef(types.int64[:]), "typeref[array(int64, 1d, A)]", "typeref[array(int64, 1d, A)]"),
    (types.CPointer(types.float64), "float64*", "float64*"),
    (types.slice2_type, "slice<a:b>", "slice<a:b>"), (types.slice3_type, "slice<a:b:c>", "slice<a:b:c>"),
    (types.range_state64_type, "range_state_int64", "range_state_int64"),
    (types.FunctionType(types.int64(types.int64)), "FunctionType[int64(int64)]", "FunctionType[int64(int64)]"),
]


@pytest.mark.parametrize("typ, text, representation", TEXTS, ids=[t[1] for t in TEXTS])
def test_text_forms(typ, text, representation):
    assert str(typ) == text
    assert repr(typ) == representation
    assert typ.name == text


TYPEOF = [
    (3, "int64"), (-1, "int64"), (2**63, "uint64"), (True, "bool"), (1.5, "float64"), (1j, "complex128"),
    (None, "none"), ("a", "unicode_type"), ((1, 2), "UniTuple(int64 x 2)"), ((1, 2.0), "Tuple(int64, float64)"),
    ((), "Tuple()"), (np.int8(1), "int8"), (np.uint16(1), "uint16"), (np.float32(1), "float32"),
    (np.complex64(1), "complex64"), (np.bool_(True), "bool"),
    (np.zeros(3), "array(float64, 1d, C)"), (np.zeros((2, 3), order="F"), "array(float64, 2d, F)"),
    (np.zeros((2, 6))[:, ::2], "array(float64, 2d, A)"), (np.zeros((2, 3), "i4"), "array(int32, 2d, C)"),
    (np.zeros(()), "array(float64, 0d, C)"), (np.dtype("i4"), "dtype(int32)"), (np.float64, "class(float64)"),
    (Point(1, 2), "Point(int64 x 2)"), (Mixed(1, 2.5), "Mixed(int64, float64)"), (slice(1, 2), "slice<a:b>"),
    (slice(1, 2, 3), "slice<a:b:c>"),
]


@pytest.mark.parametrize("value, text", TYPEOF, ids=[t[1] for t in TYPEOF])
def test_typeof(value, text):
    assert str(naja.typeof(value)) == text


def test_typeof_of_flags():
    a = np.zeros(4)
    a.flags.writeable = False
    assert str(naja.typeof(a)) == "readonly array(float64, 1d, C)"
    unaligned = np.zeros(9, "u1")[1:].view("f8")
    assert str(naja.typeof(unaligned)) == "unaligned array(float64, 1d, C)"


@pytest.mark.parametrize("value, message", [
    (2**64, "Int value is too large: 18446744073709551616"), (object(), "Cannot determine Numba type of <class 'object'>"),
    ([], "Cannot type empty list"), (np.zeros(2, object), None),
])
def test_typeof_of_the_untypable(value, message):
    with pytest.raises(ValueError) as caught:
        naja.typeof(value)
    if message:
        assert message in str(caught.value)


def test_equal_types_are_one_object():
    assert types.i8 is types.int64 is types.intp is naja.int64
    assert types.float64[:] is types.Array(types.float64, 1, "A")
    assert types.Tuple((types.int8, types.int8)) is types.UniTuple(types.int8, 2)
    assert types.float64[:] != types.float64[::1]
    assert len({types.int64, types.i8, types.int32}) == 2


CLASSES = [
    (types.int32, [types.Integer, types.Number, types.Hashable, types.Type]),
    (types.float32, [types.Float, types.Number]), (types.complex64, [types.Complex, types.Number]),
    (types.boolean, [types.Boolean, types.Hashable]), (types.none, [types.NoneType, types.Opaque, types.Dummy]),
    (types.float64[:], [types.Array, types.Buffer, types.ArrayCompatible, types.IterableType]),
    (types.UniTuple(types.int8, 2), [types.UniTuple, types.BaseTuple, types.Sequence, types.BaseAnonymousTuple]),
    (types.Tuple((types.int8, types.int16)), [types.Tuple, types.BaseTuple, types.ConstSized]),
    (naja.typeof(Point(1, 2)), [types.NamedUniTuple, types.BaseNamedTuple, types.BaseTuple]),
    (naja.typeof(Mixed(1, 2.0)), [types.NamedTuple, types.BaseNamedTuple, types.BaseTuple]),
    (types.literal(3), [types.IntegerLiteral, types.Literal, types.Integer]),
    (types.literal("a"), [types.StringLiteral, types.Literal]),
    (types.literal(True), [types.BooleanLiteral, types.Literal, types.Boolean]),
    (types.Omitted(1), [types.Omitted, types.Opaque]), (types.Optional(types.int8), [types.Optional]),
    (types.DType(types.int8), [types.DType, types.DTypeSpec]), (types.NumberClass(types.int8), [types.NumberClass]),
    (types.unicode_type, [types.UnicodeType, types.IterableType, types.Hashable]),
    (types.slice2_type, [types.SliceType]), (types.voidptr, [types.RawPointer, types.Opaque]),
]


@pytest.mark.parametrize("typ, classes", CLASSES, ids=[str(c[0]) for c in CLASSES])
def test_classes(typ, classes):
    assert type(typ) is classes[0]
    for cls in classes:
        assert isinstance(typ, cls)
    assert not isinstance(typ, types.Module)


def test_numbers():
    assert types.int32.bitwidth == 32 and types.int32.signed
    assert types.uint8.bitwidth == 8 and not types.uint8.signed
    assert (types.uint8.minval, types.uint8.maxval) == (0, 255)
    assert (types.int64.minval, types.int64.maxval) == (-(2**63), 2**63 - 1)
    assert types.complex64.underlying_float is types.float32
    assert types.Integer.from_bitwidth(8, False) is types.uint8
    assert types.Integer("int64") is types.int64
    assert types.int32 < types.int64 and types.float64 >= types.float32
    assert not hasattr(types.boolean, "bitwidth")
    value = types.int16(3)
    assert isinstance(value, np.int16) and value == 3
    assert types.boolean(2) is True


def test_arrays():
    a = types.Array(types.float32, 3, "C", readonly=True)
    assert (a.dtype, a.ndim, a.layout, a.mutable, a.aligned) == (types.float32, 3, "C", False, True)
    assert a.is_c_contig and a.is_contig and not a.is_f_contig
    assert a.copy(readonly=False, layout="A", ndim=1, dtype=types.int8) is types.int8[:]
    assert a.key == (types.float32, 3, "C", False, True)
    assert a.box_type is np.ndarray
    for bad in (types.int8.__getitem__, ):
        for item in (1, slice(1, 2), ...):
            with pytest.raises(KeyError):
                bad(item)
    with pytest.raises(naja.errors.NumbaValueError, match="Invalid layout 'Z'"):
        types.Array(types.int8, 1, "Z")


def test_tuples():
    t = types.Tuple((types.int8, types.float64))
    assert list(t) == [types.int8, types.float64] and len(t) == t.count == 2 and t[1] is types.float64
    u = types.UniTuple(types.int8, 3)
    assert u.dtype is types.int8 and u.count == 3 and u.types == (types.int8,) * 3
    n = naja.typeof(Mixed(1, 2.0))
    assert n.fields == ("a", "b") and n.instance_class is Mixed
    assert types.BaseTuple.from_types((types.int8, types.int8), Point) is types.NamedTuple((types.int8,) * 2, Point)


def test_literals():
    three = types.literal(3)
    assert three.literal_value == 3 and three.literal_type is types.int64 and three.bitwidth == 64
    assert types.unliteral(three) is types.int64
    assert types.unliteral(types.Tuple((three, types.int8))) is types.Tuple((types.int64, types.int8))
    assert types.unliteral(types.int8) is types.int8
    assert types.maybe_literal(3.0) is None
    with pytest.raises(naja.errors.LiteralTypingError, match="<class 'float'> cannot be used as a literal"):
        types.literal(3.0)


def test_conversions_and_unification():
    assert types.int64.unify(None, types.float64) is types.float64
    assert types.int32.can_convert_to(None, types.int64) == types.Conversion.promote
    assert types.float64.can_convert_to(None, types.int64) == types.Conversion.unsafe
    assert types.float64[:].can_convert_to(None, types.int64) is None


def test_dtypes():
    assert naja.from_dtype(np.dtype("f4")) is types.float32
    assert types.as_dtype(types.int16) == np.dtype("i2")
    assert types.as_dtype(types.boolean) == np.dtype("?")
    with pytest.raises(naja.errors.NumbaNotImplementedError):
        types.as_dtype(types.unicode_type)
    record = types.Record.make_c_struct([("a", types.int32), ("b", types.float64)])
    assert record.size == 16 and record.offset("b") == 8 and record.typeof("a") is types.int32
    assert types.as_dtype(record).fields["b"][1] == 8


@pytest.mark.parametrize("typ", [t[0] for t in TEXTS if not isinstance(t[0], types.TypeRef)], ids=lambda t: str(t))
def test_pickle(typ):
    assert pickle.loads(pickle.dumps(typ)) is typ


def test_types_of_extensions():
    class MyType(types.Type):
        def __init__(self, n):
            self.n = n
            super().__init__(name=f"MyType({n})")

    assert MyType(1) is MyType(1) and MyType(1) is not MyType(2)
    assert str(MyType(1)) == "MyType(1)" and MyType(2).n == 2
    assert isinstance(MyType(1), types.Type) and not isinstance(MyType(1), types.Number)


def test_top_level_names():
    for name in types.EXPORTED:
        assert getattr(naja, name) is getattr(types, name)
    with pytest.raises(AttributeError, match="no_such_name"):
        naja.no_such_name


def test_types_of_a_name_alone():
    named = types.Dummy("something")
    assert types.Dummy("something") is named and str(named) == "something"
    assert str(types.Opaque("another")) == "another"


def test_array_types_from_dtypes():
    assert types.DType(types.int32)[:, ::1] == types.int32[:, ::1]
    assert naja.typeof(np.dtype("f4"))[:] == types.float32[:]
