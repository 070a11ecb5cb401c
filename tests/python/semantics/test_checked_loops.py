"""Loops with checks are vectorised in strips; what a failing check leaves behind must not show it."""

import numpy as np
import pytest
from naja import njit


def divide(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] / b[i]


def divide_and_count(a, b, out):
    n = 0
    for i in range(a.shape[0]):
        out[i] = 1.0 / (a[i] - b[i])
        if a[i] > 0.5:
            n += 1
    return n


def floor_divide(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] // b[i]


def two_divisors(a, b, out):
    for i in range(1, a.shape[0], 2):
        out[i] = (a[i] / b[i]) / (b[i] - 3.0)
        a[i] = 2.0


def reference(function, *args):
    try:
        return function(*args), None
    except ZeroDivisionError as error:
        return None, str(error)


def compare(function, *arrays):
    compiled = njit(function)
    mine = [a.copy() for a in arrays]
    theirs = [a.copy() for a in arrays]
    assert reference(compiled, *mine)[1] == reference(lambda *a: function(*a), *(_AsPython(t) for t in theirs))[1]
    for x, y in zip(mine, theirs):
        np.testing.assert_array_equal(x, y)


class _AsPython:
    """An array whose items are Python scalars, so that dividing by zero raises."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __getitem__(self, index):
        return self.array[index].item()

    def __setitem__(self, index, value):
        self.array[index] = value


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("function", [divide, divide_and_count, two_divisors])
def test_without_zeros(function, n):
    rng = np.random.default_rng(n)
    compare(function, rng.uniform(1, 2, n), rng.uniform(4, 5, n), np.full(n, -1.0))


@pytest.mark.parametrize("where", [0, 1, 7, 500, 1023, 1024, 1025, 2999])
@pytest.mark.parametrize("function", [divide, divide_and_count, two_divisors])
def test_elements_before_the_zero_are_stored_and_none_after(function, where):
    rng = np.random.default_rng(where)
    a, b = rng.uniform(1, 2, 3000), rng.uniform(4, 5, 3000)
    b[where] = a[where] if function is divide_and_count else 0.0
    compare(function, a, b, np.full(3000, -1.0))


@pytest.mark.parametrize("where", [3, 1500])
def test_integers(where):
    a = np.arange(-1500, 1500)
    b = np.arange(3000) % 7 - 10
    b[where] = 0
    compare(floor_divide, a, b, np.full(3000, -1))


def test_in_place():
    compiled = njit(divide)
    a = np.arange(1.0, 3001.0)
    b = a.copy()
    compiled(np.ones(3000), b, b)
    np.testing.assert_array_equal(b, 1 / a)


@pytest.mark.parametrize("shift", [1, 3, 8, 700])
def test_divisors_that_the_loop_itself_writes(shift):
    # out[i] is the divisor of a later iteration: every element depends on the one `shift` before.
    def expected(a, memory):
        for i in range(a.shape[0]):
            memory[i + shift] = a[i] / memory[i]

    compiled = njit(divide)
    n = 3000
    a = np.random.default_rng(1).uniform(1, 2, n)
    memory = np.random.default_rng(2).uniform(1, 2, n + shift)
    want = memory.copy()
    expected(a, want)
    compiled(a, memory[:n], memory[shift:])
    np.testing.assert_array_equal(memory, want)


def test_a_zero_that_the_loop_itself_writes():
    compiled = njit(divide)
    memory = np.ones(2001)
    a = np.ones(2000)
    a[600] = 0.0  # memory[601] becomes 0, the divisor of iteration 601
    with pytest.raises(ZeroDivisionError):
        compiled(a, memory[:-1], memory[1:])
    assert memory[601] == 0.0
    assert (memory[602:] == 1.0).all()
