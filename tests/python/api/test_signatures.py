"""Signatures as objects and as text, and what eager compilation makes of them."""

import numpy as np
import pytest
from naja import int32, jit, njit, types
from naja.types import signatures

NORMALISED = [
    ("f8(i4, f8[:, ::1])", ((types.int32, types.float64[:, ::1]), types.float64)),
    ("(i4, i4)", ((types.int32, types.int32), None)),
    ("i8()", ((), types.int64)),
    ("void(i8)", ((types.int64,), types.none)),
    ("none(int64)", ((types.int64,), types.none)),
    ("Tuple((i8, f8))(f8)", ((types.float64,), types.Tuple((types.int64, types.float64)))),
    ("optional(f8)(optional(f8))", ((types.Optional(types.float64),), types.Optional(types.float64))),
    ("f8(Array(f8, 2, 'C', readonly=True))", ((types.Array(types.float64, 2, "C", readonly=True),), types.float64)),
    ("UniTuple(f8, 3)(UniTuple(f8, 3))", ((types.UniTuple(types.float64, 3),), types.UniTuple(types.float64, 3))),
    ("types.int64(types.float64)", ((types.float64,), types.int64)),
    ("float64[:,::1](int32, optional(f8))",
     ((types.int32, types.Optional(types.float64)), types.float64[:, ::1])),
]


@pytest.mark.parametrize("text, want", NORMALISED, ids=[n[0] for n in NORMALISED])
def test_text(text, want):
    assert signatures.normalize_signature(text) == want


@pytest.mark.parametrize("text, error", [
    ("i4(", SyntaxError), ("", SyntaxError), ("i4 i4", SyntaxError), ("foo(i4)", NameError), ("i4", TypeError),
    ("1", TypeError), ("(3,)", TypeError), ("__import__('os')", (NameError, TypeError)),
    ("int64.__class__(1)", (TypeError, AttributeError)), ("(lambda: 1)()", TypeError), ("[x for x in ()]", TypeError),
])
def test_bad_text(text, error):
    with pytest.raises(error):
        signatures.normalize_signature(text)


def test_objects():
    s = types.int64(types.int32, types.float64)
    assert s.args == (types.int32, types.float64) and s.return_type is types.int64 and s.recvr is None
    assert repr(s) == "(int32, float64) -> int64"
    assert repr(types.int64(types.int64)) == "(int64,) -> int64"
    assert s == types.int64(types.int32, types.float64) and hash(s) == hash(types.int64(types.int32, types.float64))
    assert s != types.int64(types.int32) and s.replace(return_type=types.none).return_type is types.none
    with pytest.raises(TypeError):
        types.int64(types.int32, 3)
    with pytest.raises(AttributeError):
        s.args = ()


def test_eager():
    @jit("i4(i4)")
    def f(x):
        return x + 1

    assert f.nopython_signatures == [types.int32(types.int32)]
    assert f(3) == 4
    # the result is converted to the declared type
    assert f(2**31 - 1) == -(2**31)
    # no further signature is compiled
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) unicode_type"):
        f("a")
    assert len(f.signatures) == 1


@pytest.mark.parametrize("form", [
    types.float64(types.float64, types.int64), (types.float64, types.int64), "f8(f8, i8)", "(f8, i8)",
    ["f8(f8, i8)", "i8(i8, i8)"], [types.float64(types.float64, types.int64)],
], ids=str)
def test_forms(form):
    @njit(form)
    def f(x, n):
        return x * n

    assert f(1.5, 2) == 3.0
    assert f.signatures[0] == (types.float64, types.int64)


def test_the_best_of_several_is_chosen():
    @njit(["i8(i8)", "f8(f8)"])
    def f(x):
        return x / 2 if x == 0.5 else x

    assert isinstance(f(3), int) and isinstance(f(3.0), float)
    assert f(np.float32(2.0)) == 2.0
    assert f(np.int8(2)) == 2


def test_array_signatures_take_other_layouts():
    @njit("f8(f8[:, :])")
    def f(a):
        return a[1, 0]

    a = np.arange(6.0).reshape(2, 3)
    assert f(a) == 3.0 and f(np.asfortranarray(a)) == 3.0 and f(a[:, ::2]) == 3.0
    with pytest.raises(TypeError, match="No matching definition"):
        f(np.zeros((2, 2), "i4"))


def test_declared_result():
    @njit(int32(int32))
    def f(x):
        return x * 2.5

    assert f(3) == 7 and f.nopython_signatures == [int32(int32)]

    @njit("optional(f8)(i8)")
    def g(x):
        return 1.5

    assert g(1) == 1.5

    @njit("void(f8[:])")
    def h(a):
        a[0] = 7

    a = np.zeros(2)
    assert h(a) is None and a[0] == 7
