"""numpy.random: the streams of NumPy's RandomState for a seed, numbers drawn singly and by the array."""

import threading

import naja
import numpy as np
import pytest
from array_checks import agree

DRAWS = [
    "random()", "random(5)", "random((2, 3))", "rand(3)", "rand(2, 2)", "rand()", "randn(4)", "randn()", "normal()",
    "normal(1, 2)", "normal(0.5, 2.0, 7)", "normal(size=3)", "uniform()", "uniform(1, 3)", "uniform(-1.0, 1.0, (2, 3))",
    "randint(10)", "randint(5, 9)", "randint(0, 100, 6)", "randint(0, 2**40, 3)", "randint(-5, 5, size=(2, 2))",
    "standard_normal(5)", "exponential(2.0, 5)", "standard_exponential(3)", "gamma(2.5, 1.5, 4)", "gamma(0.5, 1.0, 4)",
    "standard_gamma(1.0, 3)", "beta(2.0, 3.0, 4)", "beta(0.5, 0.5, 4)", "chisquare(3.0, 3)", "f(2.0, 3.0, 3)",
    "standard_t(4.0, 3)", "pareto(2.0, 3)", "weibull(1.5, 3)", "power(2.0, 3)", "laplace(0.0, 1.0, 4)",
    "gumbel(0.0, 1.0, 4)", "logistic(0.0, 1.0, 3)", "lognormal(0.0, 1.0, 3)", "rayleigh(2.0, 3)", "standard_cauchy(3)",
    "wald(1.0, 2.0, 4)", "triangular(0.0, 1.0, 3.0, 4)", "poisson(3.0, 10)", "poisson(50.0, 10)", "poisson()",
    "binomial(10, 0.3, 8)", "binomial(1000, 0.4, 8)", "binomial(1000, 0.7, 8)", "binomial(20, 0.9, 5)", "geometric(0.5, 5)",
    "geometric(0.1, 5)", "negative_binomial(3.0, 0.5, 5)", "permutation(10)", "permutation(np.arange(6.0))",
    "permutation(np.arange(12).reshape(4, 3))", "choice(10)", "choice(10, 3)", "choice(np.arange(5.0), 4)",
    "choice(10, 5, replace=False)", "choice(np.arange(6), (2, 2))", "randint(5, 5)", "normal(0.0, -1.0)",
    "binomial(-1, 0.5)", "choice(3, 5, replace=False)",
]  # fmt: skip


@pytest.mark.parametrize("draw", DRAWS)
def test_stream_of_a_seed(draw):
    agree(f"np.random.seed(42)\nx = np.random.{draw}\nreturn x, np.random.random()", n=1)


@pytest.mark.parametrize("what", ["np.arange(10)", "np.arange(12).reshape(4, 3)", "np.arange(1)"])
def test_shuffle(what):
    agree(f"np.random.seed(7)\nx = {what}\nnp.random.shuffle(x)\nreturn x", n=1)


def test_bad_seed():
    agree("np.random.seed(-1)", n=1)


@naja.njit
def seeded(seed, n):
    np.random.seed(seed)
    return np.random.random(n)


@naja.njit
def unseeded(n):
    return np.random.random(n)


def test_threads_have_generators_of_their_own():
    expected = seeded(1, 4)
    found = []
    thread = threading.Thread(target=lambda: found.append(unseeded(4)))
    np.random.seed(1)
    seeded(1, 0)
    thread.start()
    thread.join()
    assert not np.array_equal(found[0], expected)
    assert np.array_equal(unseeded(4), expected)
