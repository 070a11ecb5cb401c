"""What follows a conditional expression works on the type in which both sides meet, though CPython copies it to both."""

import numpy as np
import pytest
from naja import njit


@njit
def negated(a, b, first):
    return -(a if first else b)


@njit
def narrowed(a, b, first):
    return np.uint16(a if first else b)


@njit
def less(a, b, first):
    return (a if first else b) - 1


@njit
def stored(a, b, first, second):
    if second:
        v = a if first else b
    else:
        v = b
    return v / 3


@pytest.mark.parametrize("first", [True, False])
def test_the_sides_meet_first(first):
    a, b = np.int64(-9), np.uint64(9)  # together: float64
    assert negated(a, b, first) == (9.0 if first else -9.0)
    assert narrowed(2**31, 0.5, first) == (65535 if first else 0)  # floats saturate
    assert less(np.float32(2**25), np.float64(0.5), first) == (2.0**25 - 1 if first else -0.5)
    assert stored(np.float32(1.0), 1.0, first, True) == 1.0 / 3


def test_calls_with_keywords_and_loops():
    @njit
    def scaled(x, factor=1, offset=0):
        return x * factor + offset

    @njit
    def f(n, c):
        total = 0.0
        for i in range(n):
            if i == 2:
                total += scaled(i if c else 0.5, offset=c, factor=2)
                continue
            total -= scaled(0.25 if c else i, factor=3)
        return scaled(total if c else n, offset=1)

    for n in (0, 3, 5):
        for c in (0, 1):
            assert f(n, c) == f.py_func(n, c)
