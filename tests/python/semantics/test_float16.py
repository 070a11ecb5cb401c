"""float16: Numba has none on the CPU; naja computes in float32 and rounds each result, which is what NumPy's are."""

import naja
import numpy as np
import pytest

A = np.array([1.5, 2.5, -3.0, 0.1, -0.0, np.inf, np.nan, 65504.0, 6e-8, 1e-4], np.float16)
B = np.array([0.5, -2.0, 7.0, 3.0, 1.0, 1.0, 2.0, 2.0, 0.5, 3.0], np.float16)

ARRAYS = [
    "a + b", "a - b", "a * b", "a / b", "-a", "abs(a)", "a < b", "a == b", "a * 2.0", "a + 1", "np.sqrt(b)", "np.exp(b)",
    "np.isnan(a)", "np.isfinite(a)", "np.floor(a)", "np.maximum(a, b)", "a.copy()", "a[::2]", "a.reshape(2, 5).T",
    "a.astype(np.float32)", "a.astype(np.float64) + 1", "b.astype(np.int32)", "b.astype(np.bool_)", "a.view(np.uint16)",
    "np.where(a > b, a, b)", "np.concatenate((a, b))", "np.zeros(3, np.float16)", "np.ones((2, 2), np.float16)",
    "np.full(3, 0.1, np.float16)", "np.arange(3.0).astype(np.float16)", "b.max()", "b.min()", "b.argmax()", "b.sum()",
    "(b > 0).any()", "a + np.arange(10.0)", "np.square(a)", "np.sign(b)", "a == a.copy()",
]  # fmt: skip


@pytest.mark.parametrize("text", ARRAYS)
def test_arrays(text):
    function = eval(f"lambda a, b: {text}", {"np": np})
    with np.errstate(all="ignore"):
        want = function(A, B)
    got = naja.njit(function)(A, B)
    if isinstance(want, np.ndarray):
        assert got.dtype == want.dtype
        # exp of float16 may round the other way where NumPy's float32 exp does
        np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), rtol=1e-3 if "exp" in text else 0)
    else:
        assert got == want


def test_loads_and_stores():
    @naja.njit
    def copy(source, target):
        for i in range(source.size):
            target[i] = source[i]
        return target[1]

    for dtype in (np.float16, np.float32, np.float64):
        assert copy(B, out := np.zeros(10, dtype)) == -2.0
        np.testing.assert_array_equal(out, B)
    np.testing.assert_array_equal(A, (copy(A.astype(np.float64), out := np.zeros(10, np.float16)), out)[1])


def test_scalars():
    h = np.float16(2.5)
    for body in ("x + x", "x * 2", "x - 0.5", "-x", "abs(x)", "x < x", "x <= 2.5", "bool(x)", "int(x)", "float(x)", "x // 1",
                 "x % 2", "x ** 2", "min(x, 1)", "round(x)", "1 if x else 0", "complex(x)", "not x"):  # fmt: skip
        function = eval(f"lambda x: {body}")
        assert naja.njit(function)(h) == function(h), body
    with pytest.raises(ZeroDivisionError):
        naja.njit(lambda x, y: x / y)(h, np.float16(-0.0))
    assert naja.njit(lambda: h)() == 2.5
