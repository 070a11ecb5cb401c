"""Exceptions at run time name the function and line that raised, whether the call was inlined or not."""

import traceback

import naja
import numpy as np
import pytest


@naja.njit
def limited(x):
    if x > 3:
        raise ValueError("too large")
    return x + 1


@naja.njit
def divide(a, b):
    return a // b


@naja.njit(boundscheck=True)
def item(a, i):
    return a[i]


@naja.njit
def twice(x):
    return limited(x) + limited(x + 1)


@naja.njit(boundscheck=True)
def outer(x, a):
    y = twice(x)
    z = divide(y, x - 2)
    return y + z + item(a, x)


@pytest.mark.parametrize(
    "x, name, line", [(5, "limited", 'raise ValueError("too large")'), (3, "limited", 'raise ValueError("too large")'),
                      (2, "divide", "return a // b"), (1, "item", "return a[i]")],
)  # fmt: skip
def test_innermost_frame(x, name, line):
    with pytest.raises((ValueError, ZeroDivisionError, IndexError)) as caught:
        outer(x, np.zeros(1))
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.filename, frame.name, frame.line) == (__file__, name, line)
