"""What random programs have found, by kind."""

import numpy as np
import pytest
from naja import njit

INF, NAN = np.inf, np.nan
PARTS = (0.0, -0.0, 1.0, -3.0, 1e-30, INF, -INF, NAN)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_sign_of_infinite_complex_numbers(dtype):
    @njit
    def sign(a):
        return np.sign(a)

    numbers = np.array([complex(re, im) for re in PARTS for im in PARTS], dtype)
    with np.errstate(all="ignore"):
        wanted = np.sign(numbers)
    got = sign(numbers)
    assert got.dtype == dtype
    np.testing.assert_allclose(got.real, wanted.real, rtol=1e-6)
    np.testing.assert_allclose(got.imag, wanted.imag, rtol=1e-6)


@pytest.mark.parametrize("base", [np.int8(-3), np.int16(5), np.int64(-1), np.uint32(7), np.uint64(3)])
def test_an_unsigned_exponent_is_never_negative(base):
    @njit
    def power(x, n):
        return x**n

    for exponent in (np.uint64(2**64 - 1), np.uint64(2**63), np.uint64(3), np.uint32(2**32 - 1)):
        got = power(base, exponent)
        if isinstance(got, int):
            bits = pow(int(base), int(exponent), 2**64)
            assert got % 2**64 == bits
        else:
            with np.errstate(all="ignore"):
                np.testing.assert_allclose(got, np.power(np.float64(base), np.float64(exponent)))
    with pytest.raises(ValueError, match="negative integer powers"):
        power(np.int64(2), np.int64(-1))


@pytest.mark.parametrize("shape", [(3, 1), (1, 4), (1, 1), (2, 3), (0, 2), (5,), (1, 3, 1), (2, 1, 2)])
@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_contiguous_arrays_are_shared_as_numpy_does(shape, order):
    @njit
    def contiguous(a):
        return np.ascontiguousarray(a)

    @njit
    def fortran(a):
        return np.asfortranarray(a)

    base = np.arange(float(np.prod(shape)) * 2).reshape(*shape, 2)
    array = base[..., 1] if order == "A" else np.array(base[..., 1], order=order)
    for compiled, plain in ((contiguous, np.ascontiguousarray), (fortran, np.asfortranarray)):
        got, wanted = compiled(array), plain(array)
        np.testing.assert_array_equal(got, wanted)
        assert got.flags.c_contiguous == wanted.flags.c_contiguous
        assert got.flags.f_contiguous == wanted.flags.f_contiguous
        assert np.shares_memory(got, array) == np.shares_memory(wanted, array)


def test_an_index_may_be_negative_after_an_unsigned_negation():
    @njit(boundscheck=True)
    def column(p, a, b):
        return a[:, -((-p) & len(b))]

    matrix = np.array([[False], [True], [True]])
    np.testing.assert_array_equal(column(np.uint32(2**32 - 1), matrix, np.arange(3)), matrix[:, -1])
