"""`vectorize`: loops from signatures and on demand, NumPy's protocol, errors and warnings, calls from compiled code."""

import copy
import gc
import math
import pickle
import sys
import threading
import warnings
import weakref

import numpy as np
import pytest
from naja import DUFunc, float64, guvectorize, int64, njit, vectorize
from naja.errors import NumbaError, TypingError


def add(a, b):
    "Adds."
    return a + b


@pytest.fixture
def eager():
    return vectorize(["int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"])(add)


A = np.arange(12.0)
B = A[::-1] * 0.5


# ---------------------------------------------------------------------- making them

def test_a_bare_decorator():
    @vectorize
    def f(a, b):
        return a * b

    assert isinstance(f, DUFunc)
    np.testing.assert_array_equal(f(A, B), A * B)
    assert f.types == ["dd->d"]


@pytest.mark.parametrize("signature", ["float64(float64, float64)", float64(float64, float64), (float64, float64),
                                       ["(float64, float64)"], ["f8(f8, f8)"]])
def test_ways_to_say_a_signature(signature):
    f = vectorize(signature)(add)
    assert f.types == ["dd->d"]
    assert f(1, 2) == 3.0


def test_names_and_documentation(eager):
    assert (eager.__name__, eager.__module__, eager.__doc__) == ("add", __name__, "Adds.")
    assert eager.ufunc.__doc__.endswith("Adds.")
    assert eager.__wrapped__ is add


def test_attributes(eager):
    assert (eager.nin, eager.nout, eager.nargs, eager.ntypes) == (2, 1, 3, 3)
    assert eager.types == ["ll->l", "ff->f", "dd->d"]
    assert eager.signature is None and eager.identity is None


@pytest.mark.parametrize("identity, seen", [(0, 0), (1, 1), (None, None), ("reorderable", None)])
def test_identity(identity, seen):
    f = vectorize(["float64(float64, float64)"], identity=identity)(add)
    assert f.identity == seen
    assert f.reorderable == (identity is not None)
    two = np.ones((2, 3))
    if f.reorderable:
        assert f.reduce(two, axis=(0, 1)) == 6 + (identity == 1)  # which NumPy starts with
    else:
        with pytest.raises(ValueError):
            f.reduce(two, axis=(0, 1))


@pytest.mark.parametrize("options, error", [
    (dict(identity="none"), ValueError), (dict(identity=2), ValueError), (dict(target="gpu"), ValueError),
    (dict(target="cuda"), NotImplementedError), (dict(parallel=True), KeyError), (dict(error_model="numpy"), KeyError),
    (dict(fastmath="x"), ValueError),
])
def test_wrong_options(options, error):
    with pytest.raises(error):
        vectorize(["float64(float64, float64)"], **options)(add)


def test_parallel_needs_signatures():
    with pytest.raises(TypeError):
        vectorize(target="parallel")(add)


def test_what_is_no_function():
    with pytest.raises(TypeError):
        vectorize(["float64(float64)"])(3)
    with pytest.raises(TypeError):
        vectorize(["float64(float64)"])(add)  # two parameters
    with pytest.raises(TypeError):
        vectorize(lambda *args: 1)
    with pytest.raises(TypeError):
        vectorize(["unicode_type(int64, int64)"])(lambda a, b: "x")


def test_an_error_in_the_kernel_is_shown():
    with pytest.raises(NumbaError, match="undefined_thing"):
        vectorize(["float64(float64)"])(lambda a: undefined_thing(a))


# ---------------------------------------------------------------------- NumPy's protocol

def test_exact_loops_come_first(eager):
    assert eager(A.astype("f4"), B.astype("f4")).dtype == np.float32
    assert eager(np.arange(3), np.arange(3)).dtype == np.int64
    assert eager(np.arange(3, dtype="i4"), np.arange(3, dtype="i4")).dtype == np.int64
    assert eager(np.arange(3), B[:3]).dtype == np.float64


def test_no_loop(eager):
    with pytest.raises(TypeError):
        eager(A + 1j, B)


@pytest.mark.parametrize("a, b", [
    (A, B), (A[::2], B[::2]), (A[::-1], B), (A, 2.5), (2.5, A), (A.reshape(3, 4), A[:4]), (A.reshape(3, 4).T, B.reshape(4, 3)),
    (A.reshape(3, 4, order="F"), B.reshape(3, 4, order="F")), (A[:0], B[:0]), (np.float64(1), np.float64(2)), (1.5, 2),
    (np.array(2.0), np.array(3.0)), (A.astype(">f8"), B), (list(A), tuple(B)), (np.zeros((2, 0, 3)), np.zeros(3)),
    (np.frombuffer(b"x" + A.tobytes(), dtype="u1")[1:].view("f8"), B),
])
def test_operands_of_all_kinds(eager, a, b):
    expected = np.add(a, b)
    got = eager(a, b)
    assert type(got) is type(expected) and np.shape(got) == np.shape(expected)
    np.testing.assert_array_equal(got, expected)


def test_long_operands(eager):
    a = np.random.default_rng(1).random(100_003)
    for b in (a[::-1].copy(), a[::-1], 3.0, np.float64(2)):
        np.testing.assert_array_equal(eager(a, b), a + b)
        np.testing.assert_array_equal(eager(b, a), b + a)


def test_out_where_dtype_casting(eager):
    out = np.zeros(12)
    assert eager(A, B, out) is out and eager(A, B, out=out) is out and eager(A, B, out=(out,)) is out
    np.testing.assert_array_equal(out, A + B)
    out = np.full(12, -1.0)
    eager(A, B, out=out, where=A > 5)
    np.testing.assert_array_equal(out, np.where(A > 5, A + B, -1.0))
    assert eager(np.arange(3), np.arange(3), dtype=np.float32, casting="unsafe").dtype == np.float32
    with pytest.raises(TypeError):
        eager(A, B, out=np.zeros(12, np.int64))
    narrow = np.zeros(12, np.int64)
    eager(A, B, out=narrow, casting="unsafe")
    np.testing.assert_array_equal(narrow, (A + B).astype(int))
    with pytest.raises(TypeError):
        eager(A, B, zzz=1)
    with pytest.raises(ValueError):
        eager(A, B[:5])


def test_overlapping_output(eager):
    a = A.copy()
    eager(a[:-1], a[1:], a[1:])
    np.testing.assert_array_equal(a[1:], A[:-1] + A[1:])
    a = A.copy()
    eager(a, a, a)
    np.testing.assert_array_equal(a, A + A)


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (1,), (1000,)])
def test_reductions(eager, dtype, shape):
    a = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    np.testing.assert_allclose(eager.reduce(a), np.add.reduce(a), rtol=1e-5)
    np.testing.assert_allclose(eager.accumulate(a), np.add.accumulate(a), rtol=1e-5)
    np.testing.assert_allclose(eager.reduceat(a, [0]), np.add.reduceat(a, [0]), rtol=1e-5)
    np.testing.assert_array_equal(eager.outer(a[:2], a[0]), np.add.outer(a[:2], a[0]))
    if len(shape) > 1:
        np.testing.assert_allclose(eager.reduce(a, axis=1, keepdims=True), a.sum(axis=1, keepdims=True), rtol=1e-5)


def test_reductions_of_what_is_not_symmetric():
    @vectorize(["float64(float64, float64)"])
    def f(a, b):
        return a - 2 * b

    expected = A[0]
    for x in A[1:]:
        expected = expected - 2 * x
    assert f.reduce(A) == expected
    assert f.reduce(A[::2]) != expected
    assert f.accumulate(A)[-1] == expected


def test_at(eager):
    a = A.copy()
    eager.at(a, [1, 1, 3], [1.0, 2.0, 3.0])
    expected = A.copy()
    np.add.at(expected, [1, 1, 3], [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(a, expected)


def test_methods_compile_on_demand():
    f = vectorize(add)
    assert f.reduce(A) == A.sum()
    assert f.types == ["dd->d"]
    np.testing.assert_array_equal(f.outer(np.arange(2), np.arange(3)), np.add.outer(np.arange(2), np.arange(3)))


def test_array_subclasses_and_overrides(eager):
    class Sub(np.ndarray):
        pass

    assert type(eager(A.view(Sub), B)) is Sub

    class Mine:
        def __array_ufunc__(self, ufunc, method, *args, **kwargs):
            return ufunc, method, len(args), kwargs

    for f in (eager, vectorize(add)):
        assert f(Mine(), A) == (f, "__call__", 2, {})
        assert f(A, Mine())[1] == "__call__"
        out = np.zeros(12)
        assert f(A, Mine(), out)[3] == f(A, Mine(), out=out)[3] == {"out": (out,)}

    class Other(Mine):
        def __array_ufunc__(self, ufunc, method, *args, **kwargs):
            return NotImplemented if isinstance(args[0], Other) else "other"

    assert eager(Mine(), Other()) == "other"  # a subclass is asked first
    assert eager(Other(), Mine())[0] is eager
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        eager(Other(), A)

    class Never:
        __array_ufunc__ = None

    with pytest.raises(TypeError):
        eager(Never(), A)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"])
def test_every_type(dtype):
    f = vectorize(lambda a, b: b if a == b else a)
    values = np.arange(9).astype(dtype)
    got = f(values, values[::-1].copy())
    assert got.dtype == values.dtype
    np.testing.assert_array_equal(got, values)


def test_many_operands():
    @vectorize
    def f(a, b, c, d, e):
        return a + 2 * b + 3 * c + 4 * d + 5 * e

    np.testing.assert_allclose(f(A, B, 1.0, A[::-1], B), A + 2 * B + 3 + 4 * A[::-1] + 5 * B)
    np.testing.assert_allclose(f(A, A, A, A, A), 15 * A)

    @vectorize
    def one(a):
        return -a

    np.testing.assert_array_equal(one(A[::3]), -A[::3])


# ---------------------------------------------------------------------- dynamic ones

def test_loops_are_compiled_for_new_types():
    f = vectorize(add)
    assert f.types == [] and f.ntypes == 0
    f(1, 2)
    f(A, B)
    f(A, 1)  # fits a loop
    f(A + 1j, B)
    assert f.types == ["ll->l", "dd->d", "Dd->D"]


def test_freezing():
    f = vectorize(add)
    f(1, 2)
    f.disable_compile()
    assert f._frozen
    with pytest.raises(TypeError):
        f(A, B)
    with pytest.raises(ValueError):
        f._frozen = False
    g = vectorize(add)
    g.add("float64(float64, float64)")
    assert g.build_ufunc()(1, 2) == 3


def test_what_cannot_be_compiled_for():
    f = vectorize(add)
    with pytest.raises(TypeError):
        f(np.array([1, None], dtype=object), 1)
    with pytest.raises(TypeError):
        f(A)
    with pytest.raises(TypeError):
        f(A, A, A, A)


def test_threads_compile_and_call():
    f = vectorize(add)
    wrong = []

    def work(dtype):
        a = np.arange(1000).astype(dtype)
        for _ in range(20):
            if not (f(a, a) == a + a).all():
                wrong.append(dtype)

    threads = [threading.Thread(target=work, args=(d,)) for d in ("i4", "f4", "f8", "i8") * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and sorted(f.types) == ["dd->d", "ff->f", "ii->l", "ll->l"]


# ---------------------------------------------------------------------- errors and warnings

@pytest.mark.parametrize("count", [3, 100_000])
def test_exceptions_of_the_kernel(count):
    @vectorize(["float64(float64)"])
    def f(x):
        if x > 1:
            raise ValueError("too large")
        return x

    for a in (np.arange(count) * 1.0, np.arange(2.0 * count)[::2]):
        with pytest.raises(ValueError, match="too large"):
            f(a)
    np.testing.assert_array_equal(f(np.ones(count)), np.ones(count))


def test_division_is_numpys():
    f = vectorize(["int64(int64, int64)"])(lambda a, b: a // b)
    assert f(3, 0) == 0
    g = vectorize(["float64(float64, float64)"])(lambda a, b: a / b)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert g(np.ones(3), np.zeros(3))[0] == math.inf
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(g(np.zeros(3), np.zeros(3))[0])
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        g(np.ones(3), np.zeros(3))
    h = vectorize(["float64(float64, float64)"])(lambda a, b: a * b)
    with pytest.warns(RuntimeWarning, match="overflow"):
        h(np.full(20, 1e300), 1e300)


@pytest.mark.parametrize("count", [5, 64, 20_000])
def test_no_warnings_of_what_is_not_evaluated(count):
    safe_divide = vectorize(["float64(float64, float64)"])(lambda a, b: a / b if b != 0 else 0.0)
    root = vectorize(["float64(float64)"])(lambda a: math.sqrt(a) if a > 0 else 0.0)
    zeros = np.zeros(count)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(safe_divide(np.ones(count), zeros), zeros)
        np.testing.assert_array_equal(root(np.full(count, -1.0)), zeros)
        nan = np.full(count, np.nan)  # NaN in, NaN out: nothing has happened
        vectorize(["float64(float64)"])(lambda a: a + 1 if a > 0 else a)(nan)


# ---------------------------------------------------------------------- identity and lifetime

def test_pickling(eager):
    again = pickle.loads(pickle.dumps(eager))
    assert again.types == eager.types and again._frozen
    np.testing.assert_array_equal(again(A, B), A + B)
    factor = 3.0
    f = vectorize(lambda x: x * factor)
    f(A)
    again = pickle.loads(pickle.dumps(f))
    assert again.types == ["d->d"] and not again._frozen
    np.testing.assert_array_equal(again(np.arange(3)), 3.0 * np.arange(3))
    assert copy.copy(f) is f and copy.deepcopy(f) is f


def test_ufuncs_are_freed():
    f = vectorize(["float64(float64, float64)"])(lambda a, b: a - b)
    ufunc, alive = f.ufunc, weakref.ref(f)
    del f
    gc.collect()
    assert alive() is None
    np.testing.assert_array_equal(ufunc(A, B), A - B)  # the loops live as long as what NumPy has of them
    assert ufunc.__name__ == "<lambda>"


def test_calls_keep_no_references(eager):
    a, b = A.copy(), B.copy()
    eager(a, b)
    before = sys.getrefcount(a), sys.getrefcount(np.dtype("f8"))
    for _ in range(100):
        eager(a, b)
        eager(a, 1.0)
    assert sys.getrefcount(a) == before[0] and abs(sys.getrefcount(np.dtype("f8")) - before[1]) < 10


# ---------------------------------------------------------------------- from compiled code

def test_calls_of_scalars_and_arrays():
    @vectorize
    def f(a, b):
        return a + 2 * b

    call = njit(lambda a, b: f(a, b))
    assert call(1, 2) == 5 and isinstance(call(1, 2), int) and call(1.5, 2) == 5.5
    for a, b in ((A, B), (A, 2.0), (A.reshape(3, 4), A[:4]), (A[::2], B[::-2]), (np.arange(3), 1.5)):
        np.testing.assert_allclose(call(a, b), a + 2 * b)


def test_calls_with_an_output():
    f = vectorize(add)

    @njit
    def into(a, b, out):
        f(a, b, out)
        return f(a, 1.0, out=out)

    out = np.zeros(12)
    assert into(A, B, out) is out
    np.testing.assert_array_equal(out, A + 1.0)


def test_calls_fuse_with_the_expression_around_them():
    f = vectorize(lambda a, b: a * b + 1)

    @njit
    def total(a, b):
        return (f(a, b) * 2.0 - a).sum()

    assert total(A, B) == pytest.approx(((A * B + 1) * 2 - A).sum())
    assert "array.alloc" not in total.inspect_nir(total.signatures[0])
    assert total.inspect_nir(total.signatures[0]).count("array.reduce") == 1


def test_kernels_with_branches_loops_and_exceptions():
    @vectorize
    def f(n):
        if n < 0:
            raise ValueError("negative")
        s = 0
        for i in range(n):
            s += i
        return s

    call = njit(lambda a: f(a) + 1)
    np.testing.assert_array_equal(call(np.arange(5)), [1, 1, 2, 4, 7])
    with pytest.raises(ValueError, match="negative"):
        call(np.array([1, -1]))


def test_declared_loops_convert_as_numpy_does():
    f = vectorize(["float64(float64, float64)"])(add)
    call = njit(lambda a, b: f(a, b))
    assert isinstance(call(1, 2), float)
    assert call(np.arange(3, dtype="i4"), 1).dtype == np.float64
    with pytest.raises(TypingError, match="no loop"):
        call(1j, 2)


def test_division_keeps_numpys_rules_in_compiled_code():
    f = vectorize(["int64(int64, int64)"])(lambda a, b: a // b)
    assert njit(lambda a, b: f(a, b))(3, 0) == 0


def test_attributes_in_compiled_code(eager):
    assert njit(lambda: (eager.nin, eager.nout, eager.nargs, eager.identity, eager.signature))() == (2, 1, 3, None, None)


def test_ufuncs_call_ufuncs():
    inner = vectorize(add)
    outer = vectorize(["int64(int64, int64)"])(lambda a, b: inner(a, b) * 2)
    np.testing.assert_array_equal(outer(np.arange(3), 1), [2, 4, 6])


CUBE = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1), (2, 0), (1,), (), None])
def test_reduce_in_compiled_code(axis):
    f = vectorize(identity=0)(add)
    got = njit(lambda a, axis: f.reduce(a, axis=axis))(CUBE, axis)
    np.testing.assert_allclose(got, CUBE.sum(axis=axis))
    assert np.shape(got) == np.shape(CUBE.sum(axis=axis))


def test_reduce_of_nothing():
    f, g = vectorize(identity=0)(add), vectorize(add)
    assert njit(lambda a: f.reduce(a))(np.zeros(0)) == 0
    assert njit(lambda a: g.reduce(a, initial=5.0))(np.zeros(0)) == 5
    with pytest.raises(ValueError, match="zero-size array"):
        njit(lambda a: g.reduce(a))(np.zeros(0))
    with pytest.raises(TypingError, match="not reorderable"):
        njit(lambda a: g.reduce(a, axis=(0, 1)))(CUBE)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_accumulate_and_reduceat_in_compiled_code(axis):
    f = vectorize(identity=0)(add)
    np.testing.assert_allclose(njit(lambda a, k: f.accumulate(a, k))(CUBE, axis), np.add.accumulate(CUBE, axis))
    indices = np.array([0, 1, 0])
    np.testing.assert_allclose(njit(lambda a, i, k: f.reduceat(a, i, k))(CUBE, indices, axis),
                               np.add.reduceat(CUBE, indices, axis))


@pytest.mark.parametrize("indices, b", [(np.array([1, 1, 0]), np.array([1.0, 2, 3])), (1, 2.0), (slice(1, 3), 1.0),
                                        (np.array([True, False] * 6), 1.0)])
def test_at_in_compiled_code(indices, b):
    f = vectorize(add)
    got, expected = A.copy(), A.copy()
    njit(lambda a, i, b: f.at(a, i, b))(got, indices, b)
    np.add.at(expected, indices, b)
    np.testing.assert_array_equal(got, expected)
    with pytest.raises(TypingError, match="second operand needed"):
        njit(lambda a, i: f.at(a, i))(A, 1)


def test_outer_in_compiled_code():
    f = vectorize(add)
    np.testing.assert_array_equal(njit(lambda a, b: f.outer(a, b))(CUBE, A[:2]), np.add.outer(CUBE, A[:2]))


# ---------------------------------------------------------------------- threads

def test_the_parallel_target():
    f = vectorize(["float64(float64, float64)", "int64(int64, int64)"], target="parallel")(add)
    a = np.random.default_rng(2).random(300_000)
    np.testing.assert_array_equal(f(a, a[::-1]), a + a[::-1])
    np.testing.assert_array_equal(f(a, 2.0), a + 2.0)
    np.testing.assert_array_equal(f(a[:5], 1.0), a[:5] + 1)
    np.testing.assert_allclose(f.reduce(a), a.sum())
    np.testing.assert_allclose(f.accumulate(a), np.add.accumulate(a))
    out = a.copy()
    f(out[:-1], out[1:], out[1:])
    np.testing.assert_array_equal(out[1:], a[:-1] + a[1:])


def test_exceptions_of_the_parallel_target():
    @vectorize(["float64(float64)"], target="parallel")
    def f(x):
        if x == 250_000:
            raise ValueError("found")
        return x / 2

    with pytest.raises(ValueError, match="found"):
        f(np.arange(300_000.0))
    np.testing.assert_array_equal(f(np.arange(1000.0)), np.arange(1000.0) / 2)


def test_both_kinds_have_loops_to_look_at(eager):
    assert "vector.body" in eager.inspect_loop("(float64, float64)", "opt.ll")
    g = guvectorize([(int64[:], int64[:])], "(n)->(n)")(lambda a, out: None)
    assert "ret" in g.inspect_loop()
