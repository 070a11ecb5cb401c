"""Loops are compiled for arrays that do not overlap, and for those that do: the result is that of one element after another."""

import numpy as np
import pytest
from naja import njit


def shift_add(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] + 2.0 * b[i]


def gather(a, index, out):
    for i in range(index.shape[0]):
        out[i] = a[index[i]] + 1.0


def rows(a, b):
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.5 * a[i - 1, j] + b[i, j - 1] + a[i, j + 1]


def totals(a, total):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total[0] += a[i, j]


@pytest.mark.parametrize("shift", [0, 1, 5, 8, 63, 500])
@pytest.mark.parametrize("backwards", [False, True])
def test_shifted_views(shift, backwards):
    memory = np.random.default_rng(3).uniform(size=2000)
    want = memory.copy()

    def views(m):
        low, high = m[: 2000 - shift], m[shift:]
        return (high, low) if backwards else (low, high)

    other = np.random.default_rng(4).uniform(size=2000 - shift)
    x, out = views(memory)
    njit(shift_add)(x, other, out)
    x, out = views(want)
    shift_add(x, other, out)
    np.testing.assert_array_equal(memory, want)


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_strided_views_of_one_array(step):
    memory = np.random.default_rng(5).uniform(size=999)
    want = memory.copy()
    njit(shift_add)(memory[::step][:100], memory[50:150], memory[100:200])
    shift_add(want[::step][:100], want[50:150], want[100:200])
    np.testing.assert_array_equal(memory, want)


def test_gather_from_the_output():
    memory = np.random.default_rng(6).uniform(size=600)
    want = memory.copy()
    index = np.random.default_rng(7).integers(0, 600, 600)
    njit(gather)(memory, index, memory)
    gather(want, index, want)
    np.testing.assert_array_equal(memory, want)


def test_rows_of_one_array_and_of_two():
    function = njit(rows)
    a = np.random.default_rng(8).uniform(size=(40, 50))
    for overlapping in (False, True):
        mine = a.copy()
        other = mine if overlapping else np.ones_like(a)
        theirs = a.copy()
        their_other = theirs if overlapping else np.ones_like(a)
        function(mine, other)
        rows(theirs, their_other)
        np.testing.assert_array_equal(other, their_other)


def test_a_sum_kept_in_the_array_it_is_of():
    a = np.arange(200.0).reshape(10, 20)
    want = a.copy()
    njit(totals)(a, a.reshape(-1)[57:58])
    totals(want, want.reshape(-1)[57:58])
    np.testing.assert_array_equal(a, want)


def test_empty_arrays():
    empty = np.empty(0)
    njit(shift_add)(empty, empty, empty)
