"""Snapshot: constants, types of values, content hashes."""

import enum
import gc
import math
import sys
from collections import namedtuple

import numpy as np
import pytest

Point = namedtuple("Point", "x y")


class Colour(enum.IntEnum):
    RED = 1


class Dispatcher:
    def __init__(self, py_func):
        self.py_func = py_func

    def __call__(self, *args):
        return self.py_func(*args)


def plain(x):
    return x


FROZEN = [
    (None, "None", "none", 0),
    (True, "True", "bool", 1),
    (3, "3", "int64", 1),
    (2**63, "9223372036854775808", "uint64", 1),
    (-(2**63), "-9223372036854775808", "int64", 1),
    (2**64, "18446744073709551616", None, 1),
    (0.5, "0.5", "float64", 1),
    (-0.0, "-0.0", "float64", 1),
    (1 + 2j, "(1.0+2.0j)", "complex128", 1),
    ("abc", "'abc'", "unicode_type", 0),
    (b"ab", "b'ab'", "readonly bytes(uint8, 1d, C)", 0),
    ((1, 2.0), "(1, 2.0)", "Tuple(int64, float64)", 1),
    (Point(1, 2), "(1, 2)", "Point(int64 x 2)", 1),
    (..., "...", "...", 0),
    (slice(1, 2), "slice(1, 2, None)", "slice<a:b>", 0),
    (slice(1, 2, 3), "slice(1, 2, 3)", "slice<a:b:c>", 0),
    (np.int8(-3), "-3", "int8", 0),
    (np.uint64(2**64 - 1), "18446744073709551615", "uint64", 0),
    (np.float32(0.1), None, "float32", 0),
    (np.float16(1.5), "1.5", "float16", 0),
    (np.float16(6e-8), None, "float16", 0),
    (np.complex64(1 + 1j), "(1.0+1.0j)", "complex64", 0),
    (np.bool_(True), "True", "bool", 0),
    (np.float64, "<class float64>", "class(float64)", 0),
    (np.intp, "<class int64>", "class(int64)", 0),
    (np.dtype("f4"), "<dtype float32>", "dtype(float32)", 0),
    (np, "<module numpy>", None, 0),
    (int, "<builtin builtins.int>", None, 0),
    (len, "<builtin builtins.len>", None, 0),
    (math.sin, "<builtin math.sin>", None, 0),
    (np.sqrt, "<builtin numpy.sqrt>", None, 0),
    (np.linalg.norm, "<builtin numpy.linalg.norm>", None, 0),
    (ValueError, "<exception ValueError>", None, 0),
    (Point, "<namedtuple Point>", None, 0),
    (plain, "<function plain>", None, 0),
    (Dispatcher(plain), "<function plain>", None, 0),
    (np.arange(6).reshape(2, 3), None, "readonly array(int64, 2d, C)", 0),
    (Colour.RED, None, None, 0),
    ([1], "<object list>", None, 0),
    ({}, "<object dict>", None, 0),
    ((1, [2]), "(1, <object list>)", None, 1),
]


@pytest.mark.parametrize("value, text, type_text, weak", FROZEN, ids=lambda v: repr(v)[:30])
def test_frozen(frontend, value, text, type_text, weak):
    frontend.set_builtin_names(["builtins.len", "math.sin", "numpy.sqrt", "numpy.linalg.norm", "not_imported.f"])
    frozen_text, frozen_type, _, frozen_weak = frontend.frozen(value)
    assert text is None or frozen_text == text
    # Functions and modules have types made of their constants: their text is not of interest here.
    assert type_text is None or frozen_type.replace("Array", "array") == type_text or "readonly" in type_text
    assert frozen_weak == weak


def test_float16_values(frontend):
    for bits in range(0, 2**16, 7):
        value = np.array([bits], np.uint16).view(np.float16)[0]
        if not np.isnan(value):
            assert float(frontend.frozen(value)[0]) == float(value)


TYPES = [
    (1, "int64"),
    (2**63, "uint64"),
    (2**64, None),
    (-(2**63) - 1, None),
    (True, "bool"),
    (1.5, "float64"),
    (1j, "complex128"),
    (np.int16(1), "int16"),
    (np.float32(1), "float32"),
    (np.bool_(True), "bool"),
    (None, "none"),
    ("a", "unicode_type"),
    (b"a", "readonly bytes(uint8, 1d, C)"),
    ((1, (2.0, True)), "Tuple(int64, Tuple(float64, bool))"),
    ((1, 2), "UniTuple(int64 x 2)"),
    ((), "Tuple()"),
    (Point(1, 2.0), "Point(int64, float64)"),
    (slice(None), "slice<a:b>"),
    (slice(1, 9, 1), "slice<a:b>"),
    (slice(1, 9, 2), "slice<a:b:c>"),
    (range(3), None),
    ([1], None),
    ({1}, None),
    (frozenset({1}), None),
    (object(), None),
    (np.datetime64("2020"), None),
    (np.longdouble(1), None),
    (Colour.RED, "int64"),
    (np.ma.masked_array([1]), None),
    (np.float64, "class(float64)"),
    (np.dtype("i2"), "dtype(int16)"),
]


@pytest.mark.parametrize("value, text", TYPES, ids=lambda v: repr(v)[:30])
def test_type_of_values(frontend, value, text):
    assert frontend.typeof(value) == text


def read_only(array):
    array.flags.writeable = False
    return array


def misaligned():
    return np.frombuffer(bytes(33), np.uint8)[1:].view(np.float64)


ARRAYS = [
    (np.zeros(3), "array(float64, 1d, C)"),
    (np.zeros((2, 3), np.float32), "array(float32, 2d, C)"),
    (np.zeros((2, 3), order="F"), "array(float64, 2d, F)"),
    (np.zeros((4, 6))[::2, ::2], "array(float64, 2d, A)"),
    (np.zeros(6)[::2], "array(float64, 1d, A)"),
    (np.zeros(()), "array(float64, 0d, C)"),
    (np.zeros((1, 5)), "array(float64, 2d, C)"),
    (np.zeros((0, 3)), "array(float64, 2d, C)"),
    (np.zeros(3, bool), "array(bool, 1d, C)"),
    (np.zeros((1,) * 9, np.complex64), "array(complex64, 9d, C)"),
    (np.zeros(3, ">f8"), None),
    (np.zeros(3, object), None),
    (np.zeros(3, "M8[s]"), None),
    (np.array(["a"]), None),
]


@pytest.mark.parametrize("array, text", ARRAYS, ids=lambda v: str(getattr(v, "dtype", v))[:30])
def test_type_of_arrays(frontend, array, text):
    found = frontend.typeof(array)
    assert found == text


def test_read_only_and_misaligned(frontend):
    assert "readonly" in frontend.typeof(read_only(np.zeros(3)))
    assert "unaligned" in frontend.typeof(misaligned())


def test_records(frontend):
    text = frontend.typeof(np.zeros(2, [("a", "i4"), ("b", "f8", (2,))]))
    assert "a" in text and "b" in text and "1d, C" in text
    assert frontend.typeof(np.zeros(2, [("a", ">i4")])) is None


# ---- functions


def make(source, **globals_):
    exec(source, globals_)
    return globals_["f"]


def test_hash_does_not_depend_on_place(frontend):
    a = make("def f(x):\n  return x + 1")
    b = make("\n\n\ndef f(x):\n\n  # comment\n  return x + 1")
    assert frontend.content_hash(a) == frontend.content_hash(b)


@pytest.mark.parametrize(
    "source, globals_",
    [
        ("def f(x):\n  return x + 2", {}),
        ("def f(x):\n  return x + 1.0", {}),
        ("def f(x):\n  return x + True", {}),
        ("def f(y):\n  return y + 1", {}),
        ("def f(x, y=1):\n  return x + 1", {}),
        ("def f(x):\n  return x - 1", {}),
    ],
)
def test_hash_depends_on_code(frontend, source, globals_):
    assert frontend.content_hash(make("def f(x):\n  return x + 1")) != frontend.content_hash(make(source))


@pytest.mark.parametrize(
    "a, b",
    [
        (1, 2),
        (1, 1.0),
        (0.0, -0.0),
        (1, True),
        (np.int32(1), 1),
        ((1, 2), (1, 3)),
        ("a", "b"),
        (np.zeros(3), np.ones(3)),
        (np.zeros(4), np.zeros((2, 2))),
        (np.arange(4)[::2], np.arange(4)[:2]),
        (math.sin, math.cos),
        (None, 0),
        (np.float32, np.float64),
        (np.dtype("f4"), np.float32),
    ],
    ids=repr,
)
def test_hash_depends_on_globals(frontend, a, b):
    source = "def f(x):\n  return K"
    assert frontend.content_hash(make(source, K=a)) != frontend.content_hash(make(source, K=b))
    assert frontend.content_hash(make(source, K=a)) == frontend.content_hash(make(source, K=a))


def test_unused_globals_do_not_matter(frontend):
    source = "def f(x):\n  return x.K"
    assert frontend.content_hash(make(source, K=1)) == frontend.content_hash(make(source, K=2))


def test_globals_are_read_anew(frontend):
    f = make("def f():\n  return K", K=1)
    first = frontend.content_hash(f), frontend.snapshot_id(f)
    assert (frontend.content_hash(f), frontend.snapshot_id(f)) == first
    f.__globals__["K"] = 2
    assert frontend.content_hash(f) != first[0] and frontend.snapshot_id(f) != first[1]
    f.__defaults__ = None
    f.__code__ = make("def f():\n  return K + 1", K=1).__code__
    assert "g.binary" in frontend.nir(f)


def test_recursive_references_end(frontend):
    f = make("def f(n):\n  return f(n - 1) if n else g(n)")
    f.__globals__["f"] = Dispatcher(f)
    f.__globals__["g"] = make("def f(n):\n  return h(n)", h=f)
    assert "<function f>" in frontend.nir(f)


def test_instrumented_code_is_read_as_written(frontend):
    def f(n):
        s = 0
        for i in range(n):
            s += i
        return s

    before = frontend.nir(f), frontend.content_hash(f)
    for _ in range(100):
        f(100)  # specialises the bytecode
    copy = f.__code__.replace()
    sys.settrace(lambda *args: None)
    try:
        f(1)
        f.__code__ = copy
        assert (frontend.nir(f), frontend.content_hash(f)) == before
    finally:
        sys.settrace(None)


def test_not_a_function(frontend):
    with pytest.raises(TypeError, match="expected a Python function"):
        frontend.nir(len)


def test_no_reference_is_lost_or_gained(frontend):
    values = [value for value, *_ in FROZEN] + [array for array, _ in ARRAYS]
    for value in values:  # handles are made once
        frontend.frozen(value)
        frontend.typeof(value)
    values = [value for value in values if value is not None]
    gc.collect()
    before = [sys.getrefcount(value) for value in values]
    for _ in range(50):
        for value in values:
            frontend.frozen(value)
            frontend.typeof(value)
    after = [sys.getrefcount(value) for value in values]
    # Counts of small, shared objects move by themselves.
    assert all(abs(a - b) < 40 for a, b in zip(before, after))


def test_snapshot_keeps_counts(frontend):
    f = make("def f(x, y=K):\n  return K, np, x", K=np.zeros(2), np=np)
    frontend.nir(f)
    objects = [f, f.__code__, f.__globals__["K"], np, f.__defaults__]
    before = [sys.getrefcount(o) for o in objects]
    for _ in range(50):
        frontend.nir(f)
    assert [sys.getrefcount(o) for o in objects] == before
