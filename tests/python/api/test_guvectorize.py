"""`guvectorize`: layouts, signatures, dynamic ones, writable inputs, calls from compiled code."""

import gc
import pickle
import weakref

import numpy as np
import pytest
from naja import GUFunc, float32, float64, guvectorize, int32, int64, njit, void
from naja.errors import TypingError
from naja.ufunc_generalised import parse_layout


def matmul(a, b, c):
    "Multiplies."
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = a[i, 0] * 0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s


def add_to(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + y


def total(x, out):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    out[0] = s


A = np.arange(24.0).reshape(2, 3, 4)
B = np.arange(40.0).reshape(2, 4, 5)


# ---------------------------------------------------------------------- layouts

@pytest.mark.parametrize("text, inputs, outputs, core", [
    ("(n),(n)->()", [["n"], ["n"]], [[]], ((0,), (0,), ())),
    ("(m,n),(n,p)->(m,p)", [["m", "n"], ["n", "p"]], [["m", "p"]], ((0, 1), (1, 2), (0, 2))),
    (" ( m , n ) , ( ) -> ( n ) , ( ) ", [["m", "n"], []], [["n"], []], ((0, 1), (), (1,), ())),
    ("(n),(n)", [["n"], ["n"]], [], ((0,), (0,))),
    ("(3),(n)->(3)", [["3"], ["n"]], [["3"]], ((0,), (1,), (0,))),
])
def test_layouts(text, inputs, outputs, core):
    layout = parse_layout(text)
    assert (layout.inputs, layout.outputs, layout.core) == (inputs, outputs, core)


@pytest.mark.parametrize("text, error", [
    (")-:", ValueError), ("(n", ValueError), ("(n)(n)->()", ValueError), ("(n),", ValueError), ("", ValueError),
    ("(n)->", ValueError), ("(n)->(n)->(n)", ValueError), ("(n n)->()", ValueError), ("(n,)->()", ValueError),
    ("(,n)->()", ValueError), ("n->()", ValueError), ("(x)->(x,z,v)", NameError),
])
def test_wrong_layouts(text, error):
    with pytest.raises(error):
        parse_layout(text)


def test_unknown_output_dimensions_are_named():
    with pytest.raises(NameError, match="^undefined output symbols: v,z$"):
        guvectorize([(int32[:], int32[:])], "(x)->(x,z,v)")(lambda a, b: None)


# ---------------------------------------------------------------------- with signatures

@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_matrices(target):
    f = guvectorize([void(float64[:, :], float64[:, :], float64[:, :]), (float32[:, :], float32[:, :], float32[:, :])],
                    "(m,n),(n,p)->(m,p)", target=target)(matmul)
    assert isinstance(f, GUFunc) and f.types == ["dd->d", "ff->f"] and f.signature == "(m,n),(n,p)->(m,p)"
    np.testing.assert_allclose(f(A, B), A @ B)
    np.testing.assert_allclose(f(A[0], B), A[0] @ B)
    np.testing.assert_allclose(f(A[:, None], B[None]), A[:, None] @ B[None])
    np.testing.assert_allclose(f(A[:, ::-1, ::2], B[:, :2, ::-1]), A[:, ::-1, ::2] @ B[:, :2, ::-1])
    np.testing.assert_allclose(f(A.transpose(0, 2, 1), A), A.transpose(0, 2, 1) @ A)
    assert f(A.astype("f4"), B.astype("f4")).dtype == np.float32
    big = np.random.default_rng(1).random((1001, 2, 4))
    np.testing.assert_allclose(f(big, big.transpose(0, 2, 1)), big @ big.transpose(0, 2, 1))
    out = np.zeros((2, 3, 5))
    assert f(A, B, out) is out and f(A, B, out=out) is out
    np.testing.assert_allclose(out, A @ B)


def test_shapes_that_do_not_fit():
    f = guvectorize([(float64[:, :], float64[:, :], float64[:, :])], "(m,n),(n,p)->(m,p)")(matmul)
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        f(A, A)
    with pytest.raises(ValueError, match="does not have enough dimensions"):
        f(A, B[0, 0])
    with pytest.raises(TypeError):
        f(A)


def test_scalars_are_scalars_where_the_type_says_so():
    f = guvectorize("int64[:], int64, int64[:]", "(n),()->(n)")(add_to)
    x = np.arange(10).reshape(2, 5)
    np.testing.assert_array_equal(f(x, 2), x + 2)
    np.testing.assert_array_equal(f(x, np.array([1, 2])), x + np.array([[1], [2]]))

    @guvectorize(["int32[:], int32[:], int32[:]"], "(n),()->(n)")
    def g(x, y, out):
        for i in range(x.shape[0]):
            out[i] = x[i] * y[0]

    np.testing.assert_array_equal(g(x.astype("i4"), np.int32(3)), x * 3)


def test_scalar_outputs():
    f = guvectorize(["void(float64[:], float64[:])"], "(n)->()")(total)
    np.testing.assert_allclose(f(A), A.sum(axis=-1))
    assert isinstance(f(A[0, 0]), float)
    np.testing.assert_allclose(f(A, axis=0), A.sum(axis=0))
    np.testing.assert_allclose(f(A, keepdims=True), A.sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(f(A[..., :0]), np.zeros((2, 3)))


def test_several_outputs():
    @guvectorize(["float64[:], float64[:], float64[:], int64[:]"], "(n)->(),(n),()")
    def f(x, mean, deviation, count):
        s = 0.0
        for v in x:
            s += v
        mean[0] = s / len(x)
        count[0] = len(x)
        for i in range(len(x)):
            deviation[i] = x[i] - mean[0]

    mean, deviation, count = f(A)
    np.testing.assert_allclose(mean, A.mean(axis=-1))
    np.testing.assert_allclose(deviation, A - A.mean(axis=-1, keepdims=True))
    assert (count == 4).all() and f.nout == 3


def test_sizes_that_are_fixed():
    @guvectorize([(float64[:], float64[:], float64[:])], "(3),(3)->(3)")
    def cross(a, b, out):
        for i in range(3):
            out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]

    a, b = np.arange(6.0).reshape(2, 3), np.array([1.0, -2, 0.5])
    np.testing.assert_allclose(cross(a, b), np.cross(a, b))
    with pytest.raises(ValueError):
        cross(np.zeros(4), np.zeros(4))


def test_without_outputs():
    @guvectorize([(float64[:], float64[:])], "(n),(n)", writable_args=(1,))
    def copy_to(a, b):
        for i in range(len(a)):
            b[i] = a[i]

    out = np.zeros((3, 4))
    assert copy_to(A[0], out) == ()
    np.testing.assert_array_equal(out, A[0])


def test_inputs_that_are_written():
    def negate(x):
        for i in range(len(x)):
            x[i] = -x[i]

    for writable in (("x",), (0,)):
        f = guvectorize([(float64[:],)], "(n)", writable_args=writable)(negate)
        a = np.arange(4, dtype="f8")
        f(a)
        np.testing.assert_array_equal(a, [0, -1, -2, -3])
        single = np.arange(4, dtype="f4")  # goes through a copy, which is written back
        f(single, casting="unsafe")
        np.testing.assert_array_equal(single, [0, -1, -2, -3])
    with pytest.raises(ValueError):
        guvectorize([(float64[:],)], "(n)", writable_args=(1,))(negate)
    with pytest.raises(RuntimeError):
        guvectorize([(float64[:],)], "(n)", writable_args=("y",))(negate)


@pytest.mark.parametrize("signature, layout, message", [
    ("int32[:], int32, int32[:]", "(n),(n)->(n)", "^scalar type int32 given for non scalar argument #2$"),
    ("int32[:], int32[:]", "(m,n)->(n)", "^type and shape signature mismatch for arg #1$"),
    ("int32[:], int32", "(n)->()", "output argument #2 must be an array"),
    ("int32(int32[:], int32[:])", "(n)->()", "cannot return"),
    ("int32[:], int32[:], int32[:]", "(n)->()", "2 arguments"),
])
def test_signatures_that_do_not_fit_the_layout(signature, layout, message):
    def f(a, b):
        pass

    def g(a, b, c):
        pass

    with pytest.raises(TypeError, match=message):
        guvectorize([signature], layout)(g if signature.count(",") == 2 else f)


def test_what_a_decorator_takes():
    with pytest.raises(TypeError):
        guvectorize()
    with pytest.raises(TypeError):
        guvectorize([(float64[:], float64[:])])
    with pytest.raises(TypeError):
        guvectorize([(float64[:], float64[:])], "(n)->()")(3)
    with pytest.raises(ValueError):
        guvectorize([(float64[:], float64[:])], "(n)->()", identity=2)(total)
    with pytest.raises(NotImplementedError):
        guvectorize([(float64[:], float64[:])], "(n)->()", target="cuda")
    with pytest.raises(KeyError):
        guvectorize([(float64[:], float64[:])], "(n)->()", parallel=True)(total)


def test_names():
    f = guvectorize([(float64[:, :], float64[:, :], float64[:, :])], "(m,n),(n,p)->(m,p)")(matmul)
    assert (f.__name__, f.__doc__, f.__module__, f.nin, f.nout, f.nargs) == ("matmul", "Multiplies.", __name__, 2, 1, 3)
    assert f.expected_ndims() == ((2, 2), (2,)) and not f.is_dynamic
    with pytest.raises(RuntimeError, match="Reduction not defined on ufunc with signature"):
        f.reduce(A)
    with pytest.raises(TypeError):
        f.outer(A, A)


@pytest.mark.parametrize("target", ["cpu", "parallel"])
def test_exceptions(target):
    @guvectorize([(float64[:], float64[:])], "(n)->()", target=target)
    def f(x, out):
        if x[0] > 2:
            raise ValueError("too large")
        out[0] = x[0]

    with pytest.raises(ValueError, match="too large"):
        f(np.arange(20.0).reshape(10, 2))
    np.testing.assert_array_equal(f(np.ones((4, 2))), np.ones(4))


# ---------------------------------------------------------------------- dynamic ones

def test_dynamic_loops():
    f = guvectorize("(n),()->(n)")(add_to)
    assert f.is_dynamic and f.types == []
    x, out = np.arange(6).reshape(2, 3), np.zeros((2, 3), np.int64)
    f(x, 1, out)
    np.testing.assert_array_equal(out, x + 1)
    f(x * 0.5, 1.5, out=(result := np.zeros((2, 3))))
    np.testing.assert_array_equal(result, x * 0.5 + 1.5)
    assert f.types == ["ll->l", "dd->d"]
    f(x.astype("f4"), 2.0, result)  # fits
    assert f.ntypes == 2
    for arguments in ((x,), (x, 1), (x, 1, out, out)):
        with pytest.raises(TypeError, match="Too few arguments for function 'add_to'"):
            f(*arguments)
    f.disable_compile()
    with pytest.raises(TypeError):
        f(x + 1j, 1, np.zeros((2, 3), complex))


def test_core_scalars_alone_make_a_plain_ufunc():
    @guvectorize("(),()->()")
    def f(x, y, out):
        out[0] = x + y

    a, out = np.array([1, 2, 3, 4]), np.zeros(4, np.int64)
    assert f.signature is None
    f(a, a, out)
    np.testing.assert_array_equal(out, 2 * a)
    assert f.reduce(a) == 10
    np.testing.assert_array_equal(f.accumulate(a), [1, 3, 6, 10])
    np.testing.assert_array_equal(f.outer([0, 1], [1, 2]), [[1, 2], [2, 3]])


def test_overrides():
    class Mine:
        def __array_ufunc__(self, ufunc, method, *args, **kwargs):
            return method

    assert guvectorize("(n)->()")(total)(Mine()) == "__call__"
    assert guvectorize([(float64[:], float64[:])], "(n)->()")(total)(Mine()) == "__call__"


# ---------------------------------------------------------------------- identity

def test_pickling():
    for f in (guvectorize([(float64[:], float64[:])], "(n)->()")(total), guvectorize("(n)->()", identity=1)(total)):
        out, other = np.zeros((2, 3)), np.zeros((2, 3))
        f(A, out)
        again = pickle.loads(pickle.dumps(f))
        again(A, other)
        np.testing.assert_array_equal(out, other)
        assert (again.is_dynamic, again.identity, again._frozen, again.gufunc_builder._sigs) == (
            f.is_dynamic, f.identity, f._frozen, f.gufunc_builder._sigs)


def test_ufuncs_are_freed():
    f = guvectorize([(float64[:], float64[:])], "(n)->()")(total)
    alive = weakref.ref(f)
    del f
    gc.collect()
    assert alive() is None


# ---------------------------------------------------------------------- from compiled code

@pytest.mark.parametrize("signatures", [(), (["int64[:], int64, int64[:]"],)])
def test_calls(signatures):
    f = guvectorize(*signatures, "(n),()->(n)")(add_to)

    @njit
    def call(x, y, out):
        f(x, y, out)

    x = np.arange(40).reshape(4, 2, 5)
    for y in (np.int32(100), 7, np.arange(2), np.arange(8).reshape(4, 2), np.arange(4).reshape(4, 1)):
        out = np.zeros_like(x)
        call(x, y, out)
        np.testing.assert_array_equal(out, x + np.asarray(y)[..., None])
    out = np.zeros((4, 2, 5), np.int64)
    call(x[0, 0], 1, out)  # broadcast over the output
    np.testing.assert_array_equal(out, np.broadcast_to(x[0, 0] + 1, out.shape))


def test_calls_convert_inputs_to_the_declared_types():
    f = guvectorize(["float64[:], float64, float64[:]"], "(n),()->(n)")(add_to)
    out = np.zeros(5)
    njit(lambda x, y, out: f(x, y, out))(np.arange(5), 1, out)
    np.testing.assert_array_equal(out, np.arange(5) + 1.0)


def test_calls_with_scalar_outputs():
    f = guvectorize("(n),(m)->()")(lambda x, y, out: total_of_both(x, y, out))
    x, y, out = np.arange(40).reshape(4, 10), np.arange(20), np.zeros(4, np.int64)
    call = njit(lambda x, y, out: f(x, y, out))
    call(x, y, out)
    np.testing.assert_array_equal(out, x.sum(axis=1) + y.sum())
    single = np.zeros((), np.int64)
    call(x[0], y, single)
    assert single == x[0].sum() + y.sum()


@njit
def total_of_both(x, y, out):
    out[0] = x.sum() + y.sum()


def test_calls_of_matrices():
    f = guvectorize("(m,n),(n,p)->(m,p)")(matmul)
    out = np.zeros((2, 3, 5))
    njit(lambda a, b, c: f(a, b, c))(A, B, out)
    np.testing.assert_allclose(out, A @ B)


def test_calls_that_do_not_fit():
    f = guvectorize("(n),(n)->()")(lambda x, y, out: None)
    call = njit(lambda x, y, out: f(x, y, out))
    with pytest.raises(ValueError, match="Operand has a mismatch in one of its core dimensions"):
        call(np.zeros((5, 2)), np.zeros(3), np.zeros(5))
    for loops in ((5, 3), (1, 5, 3)):
        with pytest.raises(ValueError, match="Loop and array shapes are incompatible"):
            call(np.zeros((1, *loops, 2)), np.zeros((*loops, 2)), np.zeros((5, 4)))
    with pytest.raises(TypingError, match="Input operand 1 does not have enough dimensions"):
        call(np.zeros(2), 1.0, np.zeros(1))
    with pytest.raises(TypingError, match="passes all 3 arguments"):
        njit(lambda x, y: f(x, y))(np.zeros(2), np.zeros(2))


def test_a_signature_of_int64():
    f = guvectorize([(float64[:], int64, float64[:])], "(n),()->(n)")(lambda x, n, out: None)

    @njit
    def call(x, n):
        out = np.zeros_like(x)
        f(x, n, out)
        return out

    np.testing.assert_array_equal(call(np.ones(5), 5), np.zeros(5))
