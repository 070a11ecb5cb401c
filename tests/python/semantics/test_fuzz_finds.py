"""What tests/fuzz/run.py has found, each in few lines."""

import naja
import naja.testing
import numpy as np
import pytest


def result_type(dispatcher):
    return str(dispatcher.nopython_signatures[-1].return_type)


@pytest.mark.parametrize("first", ["-(p == q if p else np.uint32(p))", "-(np.uint32(p) if p else p == q)", "np.uint64(p)"])
def test_question_to_python_before_a_loop(first):
    """While an attribute was asked for, the loops were typed with the other branch's value alone, and never forgot it."""
    names = {"np": np}
    exec(
        f"""def f(p, q, a):
    v = {first}
    for e in a:
        for i in range(p):
            v = a[0]
    return v
""",
        names,
    )
    f = naja.njit(names["f"])
    assert f(3, 4, np.array([5, 9], np.uint64)) == 5
    assert result_type(f) == "uint64"


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_rint_of_complex(dtype):
    a = np.array([1.5 + 2.4j, -0.2 - 3.5j, 2.5 - 0.5j], dtype)
    got = naja.njit(lambda a: np.rint(a))(a)
    assert got.dtype == a.dtype
    assert np.array_equal(got, np.rint(a))
    assert naja.njit(lambda z: np.rint(z))(complex(a[0])) == np.rint(a[0])


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_abs_keeps_the_width(bits):
    lowest = np.iinfo(f"int{bits}").min
    assert naja.njit(lambda x: abs(x))(np.dtype(f"int{bits}").type(lowest)) == lowest
    assert naja.njit(lambda x: abs(x) - 1)(np.dtype(f"int{bits}").type(-5)) == 4


def test_bool_with_uint64():
    assert naja.njit(lambda a, b: a - b)(True, np.uint64(9)) == 2**64 - 8
    assert naja.njit(lambda a, b: a // b)(True, np.uint64(9)) == 0
    assert naja.njit(lambda a, b: a / b)(True, np.uint64(4)) == 0.25
    assert naja.njit(lambda a, b: a * bool(b))(np.uint64(9), 1) == 9


def test_optional_of_the_other_branch():
    @naja.njit
    def f(c):
        x = None
        if c:
            x = 5
        return 7 if x is None else x

    assert (f(True), f(False)) == (5, 7)


def test_overlapping_and_aliased_arrays():
    @naja.njit
    def f(a, b):
        a[1:4] = b[1:4][::-1]
        a += b
        return a

    for make in (lambda: (np.arange(6.0),) * 2, lambda: (np.arange(6.0), np.arange(6.0)[::-1])):
        (a, b), (c, d) = make(), make()
        assert np.array_equal(f(a, b), f.py_func(c, d))
        assert np.array_equal(a, c)


def test_argument_arrays_are_released_after_exceptions():
    import sys

    @naja.njit(boundscheck=True)
    def f(a, i):
        t = (a * 2, a[i])
        return t[0] + t[1]

    a = np.ones(4)
    before = sys.getrefcount(a), naja.testing.live_allocations()
    with pytest.raises(IndexError):
        f(a, 7)
    assert (sys.getrefcount(a), naja.testing.live_allocations()) == before


@pytest.mark.parametrize("boundscheck", [True, False])
def test_an_unsigned_number_becomes_a_negative_index(boundscheck):
    """A conversion of uint64 to int64 wraps, so that the index may count from the end."""

    @naja.njit(boundscheck=boundscheck)
    def f(a, n, m):
        i = np.int64(n)
        a[i] = 7
        a[a[i - 1] % m] = 8
        return i

    a = np.array([13, 11, -2, -2, -1], np.int16)
    assert f(a, np.uint64(2**64 - 1), np.uint64(2**63)) == -1
    assert a.tolist() == [13, 11, -2, 8, 7]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_order_of_complex_numbers_with_nan_in_one_part(dtype):
    parts = [complex(x, y) for x in (1.0, np.nan, np.inf) for y in (0.0, np.nan, -1.0)]
    a = np.array(parts, dtype).reshape(-1, 1)
    b = a.T.copy()

    @naja.njit
    def f(a, b):
        return a < b, a <= b, a > b, a >= b, np.minimum(a, b), np.maximum(a, b), np.fmin(a, b), np.fmax(a, b)

    with np.errstate(all="ignore"):
        for got, want in zip(f(a, b), f.py_func(a, b)):
            assert got.dtype == want.dtype
            assert np.array_equal(got, want, equal_nan=True)
