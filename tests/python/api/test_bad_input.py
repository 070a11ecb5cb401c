"""Whatever a user passes or writes gets a Python exception or the right result, never a crash."""

import enum
import sys
import threading

import naja
import numpy as np
import pytest
from naja.errors import NajaError, TypingError

identity = naja.njit(lambda x: x)


def refuses(exception, function, *arguments, match=None):
    with pytest.raises(exception, match=match):
        function(*arguments)


class RaisingIndex:
    def __index__(self):
        raise RuntimeError("index")


class RaisingArray:
    def __array__(self, *_, **__):
        raise RuntimeError("array")

    @property
    def dtype(self):
        raise RuntimeError("dtype")


NO_TYPE = [
    object(), RaisingIndex(), RaisingArray(), {}, {1}, [1.0], bytearray(b"a"), memoryview(b"a"), range(3), iter([]),
    NotImplemented, ValueError("a"), enum.Enum("E", "a").a, (1, object()), (1, (2, [])), np.longdouble(1), np.clongdouble(1),
    np.datetime64(1, "s"), np.void(b"ab"), np.zeros(2, "O"), np.zeros(2, ">f8"), np.zeros(2, "S3"), np.zeros(2, [("x", "O")]),
    np.zeros(2, [("x", ">i4")]), np.ma.array([1, 2], mask=[0, 1]), np.zeros(2, np.longdouble),
]  # fmt: skip


@pytest.mark.parametrize("value", NO_TYPE, ids=lambda v: type(v).__name__)
def test_values_without_a_type(value):
    refuses(TypingError, identity, value, match="argument 0 .x. of .*Cannot determine Numba type of")
    refuses((TypingError, TypeError), naja.njit("int64(int64)")(lambda x: x), value)
    refuses((TypingError, TypeError), naja.njit("float64(float64[:])")(lambda x: x[0]), value)


def test_subclasses_of_numbers_and_text():
    class Int(int):
        pass

    class Float(float):
        pass

    class Complex(complex):
        pass

    class Text(str):
        pass

    class Array(np.ndarray):
        pass

    number = naja.njit(lambda x: x + 1)
    assert number(Int(3)) == 4 and number(enum.IntEnum("E", "a b").b) == 3
    assert number(Float(0.5)) == 1.5 and number(Complex(1j)) == 1 + 1j
    assert naja.njit(lambda s: len(s))(Text("abc")) == 3
    assert naja.njit(lambda a: a.sum())(np.arange(3.0).view(Array)) == 3
    assert naja.njit("float64(float64)")(lambda x: x)(Int(2)) == 2.0
    refuses(OverflowError, naja.njit("int64(int64)")(lambda x: x), Int(2**63))


@pytest.mark.parametrize("name", "bool_ int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64".split())
def test_numpy_scalars(name):
    value = getattr(np, name)(1)
    assert identity(value) == value and identity(np.array(value))[()] == value


def nested(depth):
    value = 1
    for _ in range(depth):
        value = (value,)
    return value


def test_nested_tuples():
    deep = nested(400)
    assert naja.njit(lambda t: len(t))(deep) == 1 and identity(deep) == deep
    for depth in (600, 100_000):
        refuses(TypingError, identity, nested(depth))
        frozen = nested(depth)
        refuses(NajaError, naja.njit(lambda frozen=frozen: frozen))
        refuses(NajaError, naja.njit(lambda: frozen))


def test_constants_that_naja_does_not_know():
    known = (1, object())
    assert naja.njit(lambda x=object(): 1)() == 1 and naja.njit(lambda x=known: x[0])() == 1
    for function in (lambda x=[1]: x[0], lambda x=object(): x, lambda x=known: x[1], lambda: known, lambda: known[1],
                     lambda x=10**30: x, lambda: 10**30, lambda x={}: len(x)):  # fmt: skip
        refuses(NajaError, naja.njit(function))


def test_wide_programs():
    assert identity(tuple(range(300))) == tuple(range(300))
    names = [f"a{i}" for i in range(300)]
    scope = {}
    exec(f"def f({', '.join(names)}): return {' + '.join(names)}", scope)
    assert naja.njit(scope["f"])(*range(300)) == sum(range(300))
    exec("def f(x):\n" + "".join(f"  x = x + {i}\n" for i in range(5000)) + "  return x", scope)
    assert naja.njit(scope["f"])(1) == 1 + sum(range(5000))
    exec("f = lambda x: " + "x + (" * 80 + "x" + ")" * 80, scope)
    assert naja.njit(scope["f"])(1) == 81
    exec("f = lambda x: " + "-" * 500 + "x", scope)
    assert naja.njit(scope["f"])(1) == 1


def test_code_that_changes():
    def f(x):
        return x + 1

    compiled = naja.njit(f)
    assert compiled(1) == 2
    f.__code__ = (lambda x: x + 100).__code__
    assert compiled(1) == 2 and compiled(1.0) == 101.0
    compiled.recompile()
    assert compiled(1) == 101


def test_recursion_in_threads():
    @naja.njit
    def down(n):
        return 1 if n == 0 else down(n - 1) + 1

    results = []

    def run():
        try:
            results.append(down(10**9))
        except RecursionError as error:
            results.append(error)

    for size in (0, 256 * 1024):
        before = threading.stack_size(size)
        try:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(before)
    assert [type(r) for r in results] == [RecursionError] * 2
    refuses(RecursionError, down, 10**9)
    assert down(1000) == 1001


def test_shapes_that_are_too_large():
    for text in ("np.zeros(n)", "np.empty((n, n))", "np.ones((n, n, n), np.complex128)", "np.arange(n)", "np.full(n, 1.5)",
                 "np.eye(n)", "np.linspace(0, 1, n)", "np.broadcast_to(np.zeros(1), (n,)).copy()"):  # fmt: skip
        function = naja.njit(eval(f"lambda n: {text}", {"np": np}))
        refuses((MemoryError, ValueError), function, 2**61)
        if "broadcast" not in text:
            refuses((MemoryError, ValueError), function, sys.maxsize)


def test_odd_arrays():
    add = naja.njit(lambda a: a + 1)
    for a in (np.array(3.5), np.zeros((0, 3)), np.zeros((1,) * 20), np.arange(5.0)[::-1], np.broadcast_to(2.0, (4,)),
              np.frombuffer(bytearray(33), np.uint8)[1:].view("f8"), np.zeros(3, "f2")):  # fmt: skip
        np.testing.assert_array_equal(add(a), a + 1)
    for function in (lambda a: len(a), lambda a: a[0], lambda a: max(a)):
        refuses(TypingError, naja.njit(function), np.array(1.0))
    # 64 axes go in, and come out; more than NumPy has do not
    assert naja.njit(lambda a: a.ndim)(np.zeros((1,) * 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else (1,))) > 0


def test_bytes():
    data = b"hello\xff"
    for text in ("len(b)", "b[0]", "b[-1]", "b[i]", "bool(b)", "sum(b)", "104 in b"):
        function = eval(f"lambda b, i: {text}")
        assert naja.njit(function)(data, 1) == function(data, 1), text
    refuses(IndexError, naja.njit(lambda b, i: b[i], boundscheck=True), data, 6)
    refuses(IndexError, naja.njit(lambda b, i: b[i], boundscheck=True), b"", 0)
