"""Arrays of no dimensions as numbers, identity of addresses, `view` of Python numbers."""

import numpy as np
import pytest
from naja import TypingError, njit


@pytest.mark.parametrize("function", [int, float, complex, bool, np.int32, np.float32, np.bool_, np.complex64])
@pytest.mark.parametrize("item", [3, 2.5, True])
def test_arrays_without_dimensions_convert_as_their_item(function, item):
    got = njit(lambda a: function(a))(np.array(item))
    assert got == function(np.array(item))


def test_python_numbers_have_no_view():
    with pytest.raises(TypingError, match="can only be called on NumPy dtypes, try wrapping"):
        njit(lambda: (1).view(np.int64))()
    assert njit(lambda x: x.view(np.int64))(np.float64(1.0)) == np.float64(1.0).view(np.int64)


@pytest.mark.parametrize("a", [np.arange(4), np.ones((2, 3), order="F"), np.array(2.5)])
def test_imaginary_parts_of_real_arrays_are_read_only(a):
    got = njit(lambda a: a.imag)(a)
    assert not got.flags.writeable and got.dtype == a.dtype and got.shape == a.shape and not got.any()


def test_records_have_no_parts():
    rows = np.zeros(3, [("real", "f4"), ("imag", "c8")])
    for function in (lambda a: a.real, lambda a: a.imag):
        with pytest.raises(TypingError, match=r"cannot access \.(real|imag) of array of Record"):
            njit(function)(rows)
