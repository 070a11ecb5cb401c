"""A value does not depend on its position: the tail of a vectorised loop uses the same math routine as its body."""

import math

import numpy as np
import pytest
from naja import njit


@njit
def loop(x, out):
    for i in range(x.shape[0]):
        out[i] = math.exp(x[i]) * math.sin(x[i]) + math.log(x[i])


@njit
def checked(x, out):
    for i in range(x.shape[0]):
        out[i] = math.exp(x[i]) / (math.sin(x[i]) / x[i])


@njit
def expression(x, out):
    out[:] = np.exp(x) * np.sin(x) + np.log(x) ** 1.5


@njit
def of_floats(x, out):
    for i in range(x.shape[0]):
        out[i] = np.tanh(np.float32(x[i])) + np.cos(np.float32(x[i]))


@pytest.mark.parametrize("function", [loop, checked, expression, of_floats])
def test_positions(function):
    x = np.random.default_rng(1).uniform(1.1, 3.0, 3000)
    whole = np.empty(3000)
    function(x, whole)
    for n in [*range(1, 70), 1000, 1023, 1024, 1025, 2999]:
        part = np.empty(n)
        function(x[:n], part)
        np.testing.assert_array_equal(part, whole[:n])
        function(x[-n:], part)
        np.testing.assert_array_equal(part, whole[-n:])


def test_accuracy():
    x = np.random.default_rng(1).uniform(0.1, 5.0, 3000)
    out = np.empty(3000)
    loop(x, out)
    np.testing.assert_allclose(out, np.exp(x) * np.sin(x) + np.log(x), rtol=1e-14, atol=1e-13)
