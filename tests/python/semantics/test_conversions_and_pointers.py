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
