"""Implementations in Python of functions that compiled code calls."""

import math

import numpy as np
import pytest
from naja import errors, njit, types
from naja.extending import is_jitted, overload, overload_attribute, overload_method, register_jitable


def test_overload_of_a_plain_function():
    def twice(x):
        raise NotImplementedError

    @overload(twice)
    def twice_overload(x):
        if isinstance(x, types.Number):
            return lambda x: x + x
        if isinstance(x, types.Array):
            def implementation(x):
                return x * 2.0
            return implementation

    @njit
    def f(x):
        return twice(x)

    assert f(3) == 6 and f(1.5) == 3.0
    np.testing.assert_array_equal(f(np.arange(3.0)), [0.0, 2.0, 4.0])
    with pytest.raises(errors.TypingError, match="twice"):
        f("a")


def test_overload_picks_by_type_and_latest_first():
    def kind(x):
        raise NotImplementedError

    @overload(kind)
    def any_kind(x):
        return lambda x: 0

    @overload(kind)
    def float_kind(x):
        if isinstance(x, types.Float):
            return lambda x: 1

    f = njit(lambda x: kind(x))
    assert f(1) == 0 and f(1.0) == 1


def test_overload_with_defaults_and_keywords():
    def scaled(x, by=2, plus=0):
        raise NotImplementedError

    @overload(scaled)
    def scaled_overload(x, by=2, plus=0):
        def implementation(x, by=2, plus=0):
            return x * by + plus
        return implementation

    assert njit(lambda x: scaled(x))(3) == 6
    assert njit(lambda x: scaled(x, 5))(3) == 15
    assert njit(lambda x: scaled(x, plus=1))(3) == 7
    assert njit(lambda x: scaled(x, plus=1, by=10))(3) == 31


def test_errors_of_generators():
    def picky(x):
        raise NotImplementedError

    @overload(picky)
    def picky_overload(x):
        if not isinstance(x, types.Integer):
            raise errors.TypingError("picky wants an integer")
        return lambda x: x

    f = njit(lambda x: picky(x))
    assert f(1) == 1
    with pytest.raises(errors.TypingError, match="picky wants an integer"):
        f(1.5)

    def broken(x):
        raise NotImplementedError

    @overload(broken)
    def broken_overload(x):
        raise ValueError("a bug of the generator")

    with pytest.raises(ValueError, match="a bug of the generator"):
        njit(lambda x: broken(x))(1)


def test_strict_signatures():
    def g(x):
        raise NotImplementedError

    @overload(g)
    def g_overload(x):
        return lambda y: y

    with pytest.raises(errors.TypingError, match="same parameters"):
        njit(lambda x: g(x))(1)


def test_methods_and_attributes():
    @overload_method(types.Array, "span_of_values")
    def span_of_values(a):
        def implementation(a):
            return a.max() - a.min()
        return implementation

    @overload_attribute(types.Array, "first_item")
    def first_item(a):
        if a.ndim == 1:
            return lambda a: a[0]

    assert njit(lambda a: a.span_of_values())(np.array([1.0, 5.0, 3.0])) == 4.0
    assert njit(lambda a: a.first_item)(np.array([7, 5])) == 7
    with pytest.raises(errors.TypingError, match="first_item"):
        njit(lambda a: a.first_item)(np.zeros((2, 2)))


def test_register_jitable():
    @register_jitable
    def helper(x):
        return x * 3

    assert not is_jitted(helper) and helper(2) == 6
    assert njit(lambda x: helper(x) + 1)(2) == 7

    @register_jitable(fastmath=True)
    def other(x):
        return math.sqrt(x)

    assert njit(lambda x: other(x))(4.0) == 2.0


def test_intrinsic_says_what_to_do():
    from naja.extending import intrinsic

    @intrinsic
    def f(typingctx, x):
        pass

    @intrinsic(prefer_literal=True)
    def g(typingctx, x):
        pass

    with pytest.raises(errors.UnsupportedError, match="f cannot be called: .*@overload"):
        f(1)
    with pytest.raises(errors.TypingError, match="g cannot be called: .*@overload"):
        njit(lambda x: g(x))(1)


def test_as_numba_type():
    import typing

    from naja.extending import as_numba_type

    assert as_numba_type(int) is types.int64 and as_numba_type(float) is types.float64
    assert as_numba_type(typing.Optional[int]) is types.Optional(types.int64)
    assert as_numba_type(tuple[int, float]) is types.Tuple((types.int64, types.float64))
    with pytest.raises(errors.TypingError):
        as_numba_type(object)
