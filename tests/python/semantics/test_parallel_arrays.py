"""Array expressions and reductions under parallel=True, above and below the size from which they use threads."""

import math

import naja
import numpy as np
import pytest
from naja import njit

SIZES = [0, 1, 1000, 300_007]


@njit(parallel=True)
def expression(a, b):
    return np.sqrt(a * a + b * b) * 0.5 + np.abs(a - b) / (1.0 + a)


@pytest.mark.parametrize("n", SIZES)
def test_expression(n):
    rng = np.random.default_rng(n)
    a, b = rng.random(n), rng.random(n)
    np.testing.assert_allclose(expression(a, b), expression.py_func(a, b), rtol=1e-14)


@pytest.mark.parametrize("shape", [(700, 301), (3, 100_000), (100_000, 3), (40, 50, 60)])
def test_layouts_and_broadcasting(shape):
    rng = np.random.default_rng(1)
    a, row = rng.random(shape), rng.random(shape[-1])
    np.testing.assert_allclose(expression(a, row), expression.py_func(a, row), rtol=1e-14)
    np.testing.assert_allclose(expression(np.asfortranarray(a), row), expression.py_func(a, row), rtol=1e-14)
    np.testing.assert_allclose(expression(a[::2], row), expression.py_func(a[::2], row), rtol=1e-14)


def test_assignment_into_overlapping_memory():
    @njit(parallel=True)
    def shift(a):
        a[1:] = a[:-1] * 2
        return a

    a = np.random.default_rng(2).random(200_001)
    np.testing.assert_array_equal(shift(a.copy()), shift.py_func(a.copy()))


REDUCTIONS = {
    "sum": lambda a: a.sum(), "prod": lambda a: a.prod(), "min": lambda a: a.min(), "max": lambda a: a.max(),
    "any": lambda a: (a > 99).any(), "all": lambda a: (a < 100).all(), "mean": lambda a: a.mean(),
    "expression": lambda a: (a * 2 + 1).sum(),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint16", "uint64", "float32", "float64", "complex128", "bool"])
def test_reductions(name, dtype):
    if dtype in ("complex128", "bool") and name in ("any", "all"):
        pytest.skip("compares numbers")
    function = njit(parallel=True)(REDUCTIONS[name])
    for n in (1, 1000, 200_003):
        a = (np.random.default_rng(n).random(n) * 100).astype(dtype)
        if name == "prod":
            a = (1 + a / 1e6).astype(dtype)
        got, expected = function(a), REDUCTIONS[name](a)
        if a.dtype.kind in "fc" or name == "mean":
            np.testing.assert_allclose(got, expected, rtol=2e-2 if dtype == "float32" else 1e-10)
        else:
            assert got == expected


def test_nan_wins_in_every_chunk():
    lowest = njit(parallel=True)(lambda a: a.min())
    a = np.arange(200_000.0)
    for at in (0, 100_000, 199_999):
        b = a.copy()
        b[at] = np.nan
        assert np.isnan(lowest(b))


def test_float_sums_keep_their_accuracy_and_repeat():
    total = njit(parallel=True)(lambda a: a.sum())
    b = np.random.default_rng(3).random(1_000_003)
    results = {total(b) for _ in range(20)}
    assert len(results) == 1 and abs(results.pop() / math.fsum(b) - 1) < 1e-15


def test_shapes_that_differ():
    a, b = np.ones(100_000), np.ones(100_001)
    before = naja._core.live_allocations()
    with pytest.raises(ValueError, match="could not be broadcast"):
        expression(a, b)
    assert naja._core.live_allocations() == before


def test_switched_off():
    f = njit(parallel={"numpy": False, "reduction": False})(lambda a: (a + 1).sum())
    with pytest.warns(naja.errors.NumbaPerformanceWarning, match="no transformation"):
        assert f(np.ones(100_000)) == 200_000
