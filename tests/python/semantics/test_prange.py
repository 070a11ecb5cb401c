"""Loops over prange against the same loops in the interpreter: ranges, reductions, last values, exceptions, dependences."""

import warnings

import naja
import numpy as np
import pytest
from naja import njit, prange
from naja.errors import NumbaPerformanceWarning


def parallel(function, **options):
    return njit(parallel=True, **options)(function)


def check(function, *args, exact=True):
    """The result in parallel is the interpreter's, with no warning that something is serial."""
    expected = function(*[a.copy() if isinstance(a, np.ndarray) else a for a in args])
    with warnings.catch_warnings():
        warnings.simplefilter("error", NumbaPerformanceWarning)
        got = parallel(function)(*args)
    if exact:
        np.testing.assert_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-12)
    return got


def notes(function):
    from naja.parallel import notes

    return [row for s in function._specialisations() for row in notes(function, s)]


def test_is_range_in_python():
    assert list(prange(3)) == [0, 1, 2]
    assert list(prange(1, 8, 3)) == [1, 4, 7]


def test_is_range_without_parallel():
    @njit
    def f(n):
        s = 0
        for i in prange(n):
            s = s * 3 + i
        return s

    assert f(10) == f.py_func(10)


RANGES = [(0, 100, 1), (5, 5, 1), (9, 2, 1), (-20, 30, 1), (0, 100, 7), (3, -50, -1), (3, -50, -7), (-3, -3, -2), (0, 1, 1)]


@pytest.mark.parametrize("start, stop, step", RANGES)
def test_any_range(start, stop, step):
    def f(start, stop, step):
        seen = np.zeros(200, np.int64)
        for i in prange(start, stop, step):
            seen[i + 100] += i + 1000
        return seen

    check(f, start, stop, step)


@pytest.mark.parametrize("step", [1, -1, 3, -4])
def test_literal_steps(step):
    source = f"""
def f(n, m):
    seen = np.zeros(200, np.int64)
    count = 0
    for i in prange(n, m, {step}):
        seen[i + 100] += 1
        count += 1
    return seen, count
"""
    scope = {"np": np, "prange": prange}
    exec(source, scope)
    for n, m in [(0, 50), (50, 0), (-30, 60), (60, -30), (3, 3)]:
        check(scope["f"], n, m)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.uint8])
def test_types_of_the_bound(dtype):
    def f(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    assert parallel(f)(dtype(100)) == 4950


def test_sums():
    def f(a, b):
        s, t, u, w = 1.0, 2, 1 + 2j, 100.0
        for i in prange(a.shape[0]):
            s += a[i]
            t = b[i] + t
            u += a[i] * 1j
            w -= a[i]
        return s, t, u, w

    rng = np.random.default_rng(1)
    check(f, rng.random(10007), rng.integers(0, 100, 10007), exact=False)


def test_products():
    def f(a):
        p, q = 2.0, 1e300
        for i in prange(a.size):
            p *= a[i]
            q /= a[i]
        return p, q

    check(f, 1 + 0.001 * np.random.default_rng(2).random(5000), exact=False)


def test_bitwise():
    def f(a):
        x, y, z, any_, all_ = 0, -1, 12345, False, True
        for i in prange(a.size):
            x |= a[i]
            y &= a[i]
            z ^= a[i]
            any_ |= a[i] == 77
            all_ &= a[i] > 0
        return x, y, z, any_, all_

    check(f, np.random.default_rng(3).integers(1, 2**40, 4001))


def test_extremes():
    def f(a, b):
        lo, hi, ilo, ihi, np_lo = np.inf, -np.inf, 10**9, -10**9, 5.0
        for i in prange(a.size):
            lo = min(lo, a[i])
            hi = max(a[i], hi)
            ilo = min(ilo, b[i])
            if b[i] > ihi:
                ihi = b[i]
            np_lo = np.minimum(np_lo, a[i])
        return lo, hi, ilo, ihi, np_lo

    rng = np.random.default_rng(4)
    check(f, rng.standard_normal(3001), rng.integers(-10**6, 10**6, 3001))


def test_position_of_an_extreme():
    def f(a):
        best, where, row = -1.0, -7, 0
        for i in prange(a.size):
            if a[i] > best:
                best = a[i]
                where = i
                row = i // 10
        return best, where, row

    a = np.random.default_rng(5).integers(0, 50, 2000).astype(float)
    check(f, a)
    check(f, -a - 2)
    check(f, np.zeros(0))


def test_conditional_reduction():
    def f(a):
        s, n = 0.0, 0
        for i in prange(a.size):
            if a[i] > 0.5:
                s += a[i]
                n += 1
            elif a[i] > 0.3:
                s += 1
            else:
                n -= 1
        return s, n

    check(f, np.random.default_rng(6).random(4003), exact=False)


def test_reduction_in_an_inner_loop():
    def f(a):
        s, top = 0.0, 0.0
        for i in prange(a.shape[0]):
            for j in range(a.shape[1]):
                if j % 3 == i % 3:
                    continue
                s += a[i, j]
                top = max(top, a[i, j])
        return s, top

    check(f, np.random.default_rng(7).random((101, 37)), exact=False)


def test_last_values():
    def f(a):
        x, last = 0.0, -1
        for i in prange(a.size):
            x = a[i] * 2
            if a[i] > 0.9:
                last = i
        return x, last, i

    check(f, np.random.default_rng(8).random(5000))
    check(f, np.zeros(300))


def test_value_of_an_empty_loop():
    def f(n):
        last = -1
        for i in prange(n):
            last = i
        return last

    check(f, 0)

    @njit(parallel=True)
    def g(n):
        for i in prange(n):
            x = i
        return x

    assert g(5) == 4
    with pytest.raises(UnboundLocalError):
        g(0)


def test_induction_variable():
    def f(n):
        out = np.zeros(n, np.int64)
        k = 5
        for i in prange(n):
            out[i] = k
            k += 3
        return out, k

    check(f, 1000)


def test_private_arrays():
    def f(n):
        out = np.zeros(n)
        for i in prange(n):
            t = np.empty(4)
            for j in range(4):
                t[j] = i * j
            out[i] = t.sum()
        return out

    before = naja._core.live_allocations()
    check(f, 500)
    assert naja._core.live_allocations() == before


def test_sums_are_reproducible():
    @njit(parallel=True)
    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += a[i]
        return s

    a = np.random.default_rng(9).random(200_001)
    assert len({f(a) for _ in range(50)}) == 1


def test_nested_prange():
    def f(n, m):
        out = np.zeros((n, m))
        s = 0
        for i in prange(n):
            for j in prange(m):
                out[i, j] = i * m + j
                s += j
        return out, s

    check(f, 30, 40)


def test_parallel_callee():
    @njit(parallel=True)
    def inner(row):
        s = 0.0
        for j in prange(row.size):
            s += row[j]
        return s

    @njit(parallel=True)
    def outer(a):
        out = np.empty(a.shape[0])
        for i in prange(a.shape[0]):
            out[i] = inner(a[i])
        return out

    a = np.random.default_rng(10).random((64, 5000))
    np.testing.assert_allclose(outer(a), a.sum(axis=1), rtol=1e-12)


class Unlucky(Exception):
    pass


def test_exception_of_the_first_iteration():
    @njit(parallel=True)
    def f(a, limit):
        out = np.zeros(a.size)
        for i in prange(a.size):
            if a[i] > limit:
                raise Unlucky("too large", i)
            out[i] = a[i]
        return out.sum()

    a = np.arange(2000.0)
    before = naja._core.live_allocations()
    for limit in (1999.5, 1000, 3.5, 0.5):
        if limit > 1999:
            f(a, limit)
            continue
        with pytest.raises(Unlucky) as info:
            f(a, limit)
        assert info.value.args == ("too large", int(limit) + 1)
    del info
    assert naja._core.live_allocations() == before


def test_index_out_of_bounds():
    @njit(parallel=True, boundscheck=True)
    def f(a, n):
        s = 0.0
        for i in prange(n):
            s += a[i]
        return s

    assert f(np.ones(100), 100) == 100
    with pytest.raises(IndexError):
        f(np.ones(100), 5000)


def test_division_by_zero():
    @njit(parallel=True)
    def f(a):
        s = 0.0
        for i in prange(a.size):
            s += 1 / a[i]
        return s

    with pytest.raises(ZeroDivisionError):
        f(np.array([1.0, 2.0, 0.0, 4.0] * 100))


def test_assert_in_the_loop():
    @njit(parallel=True)
    def f(a):
        for i in prange(a.size):
            if not a[i] >= 0:
                raise AssertionError("negative")
        return a.size

    assert f(np.ones(10)) == 10
    with pytest.raises(AssertionError, match="negative"):
        f(np.full(1000, -1.0))


def serial(function, *args, match):
    """Right, but serial: with a warning."""
    with pytest.warns(NumbaPerformanceWarning, match=match) as caught:
        got = parallel(function)(*args)
    np.testing.assert_equal(got, function(*args))
    return caught


def test_break_and_return():
    def broken(n):
        s = 0
        for i in prange(n):
            if i == 3:
                break
            s += i
        return s

    def returned(n):
        for i in prange(n):
            if i == 3:
                return i
        return -1

    serial(broken, 10, match="more than one entry to or exit from the loop")
    serial(returned, 10, match="more than one entry to or exit from the loop")


def test_scalar_dependence():
    def f(n):
        x = 1.0
        for i in prange(n):
            x = x * 0.5 + i
        return x

    caught = serial(f, 20, match="variable 'x' carries a value from one iteration to the next")
    assert "x = x * 0.5 + i" in str(caught[0].message)


def test_running_value_is_a_dependence():
    def f(a):
        s = 0.0
        out = np.zeros_like(a)
        for i in prange(a.size):
            s += a[i]
            out[i] = s
        return out

    serial(f, np.arange(10.0), match="'s' carries a value")


def test_value_kept_for_later_iterations_is_a_dependence():
    def f(a):
        x = 0.0
        out = np.zeros_like(a)
        for i in prange(a.size):
            if a[i] > 0.5:
                x = a[i]
            out[i] = x
        return out

    serial(f, np.random.default_rng(11).random(50), match="'x' carries a value")


def test_array_dependences():
    def shifted(a):
        for i in prange(1, a.size):
            a[i] = a[i - 1] + 1
        return a.copy()

    def one_element(a):
        for i in prange(a.size):
            a[0] = i
        return a.copy()

    def accumulated(a):
        out = np.zeros(1)
        for i in prange(a.size):
            out[0] += a[i]
        return out

    with pytest.warns(NumbaPerformanceWarning, match="same elements of 'a'"):
        np.testing.assert_equal(parallel(shifted)(np.zeros(100)), np.arange(100.0))
    with pytest.warns(NumbaPerformanceWarning, match="same element of 'a'"):
        assert parallel(one_element)(np.zeros(100))[0] == 99
    with pytest.warns(NumbaPerformanceWarning, match="same element of 'out'"):
        assert parallel(accumulated)(np.ones(100))[0] == 100


def test_no_loop_at_all_warns():
    with pytest.warns(NumbaPerformanceWarning, match="no transformation for parallel execution was possible"):
        assert parallel(lambda x: x + 1)(1) == 2


def test_prange_can_be_switched_off():
    @njit(parallel={"prange": False})
    def f(n):
        x = 1.0
        for i in prange(n):
            x = x * 0.5 + i
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f(20) == f.py_func(20)


def test_diagnostics(capsys):
    def f(n):
        s = 0
        for i in prange(n):
            s += i
        return s

    f = parallel(f)
    f(10)
    assert notes(f)[0][0] == "parallel"
    f.parallel_diagnostics(level=4)
    out = capsys.readouterr().out
    assert "parallel: prange loop: s (reduction)" in out and "for i in prange(n):" in out
    with pytest.raises(ValueError):
        f.parallel_diagnostics(level=7)


def test_arrays_as_reduction_variables():
    def f(a, b):
        acc, prod = np.zeros(a.shape[1]), np.ones((1, a.shape[1]))
        n = 0
        for i in prange(a.shape[0]):
            acc += a[i]
            acc -= b[i] * 2
            prod *= a[i] + 0.5
            n += 1
        return acc, prod, n

    rng = np.random.default_rng(12)
    before = naja._core.live_allocations()
    a, b = rng.random((501, 7)), rng.random((501, 7))
    got, expected = parallel(f)(a, b), f(a, b)
    for x, y in zip(got, expected):
        np.testing.assert_allclose(x, y, rtol=1e-10)
    del got, x
    assert naja._core.live_allocations() == before


def test_argument_as_reduction_variable():
    def f(acc, a):
        for i in prange(a.shape[0]):
            acc += a[i]

    acc, a = np.arange(14.0)[::2], np.random.default_rng(13).random((300, 7))
    with warnings.catch_warnings():
        warnings.simplefilter("error", NumbaPerformanceWarning)
        parallel(f)(acc, a)
    np.testing.assert_allclose(acc, np.arange(0, 14.0, 2) + a.sum(axis=0))


def test_whole_array_assigned_by_every_iteration():
    def f(out, a):
        for i in prange(a.shape[0]):
            out[:] = a[i]
        return out.copy()

    serial(f, np.zeros(5), np.random.default_rng(14).random((40, 5)), match="all iterations write the same element of 'out'")
