"""Options of jit: what they do, and what wrong ones raise."""

import warnings

import naja
import numpy as np
import pytest
from naja import errors, jit, njit


def plain(x):
    return x + 1.0


BAD = [
    (dict(foo=1), KeyError, "Unrecognized options"),
    (dict(fastmath="x"), ValueError, "either a bool, dict or set"),
    (dict(fastmath={"x"}), ValueError, "Unrecognized fastmath flags: {'x'}"),
    (dict(error_model="x"), KeyError, "x"),
    (dict(parallel="x"), ValueError, "Expect parallel option"),
    (dict(parallel={"zz": 1}), NameError, "zz"),
    (dict(locals={"x": 1}), TypeError, "must be a type"),
    (dict(inline="x"), ValueError, "must be one of the strings 'always' or 'never'"),
    (dict(argtypes=1), errors.DeprecationError, "argtypes"),
    (dict(restype=1), errors.DeprecationError, "restype"),
    (dict(forceobj=True), errors.UnsupportedError, "object mode"),
    (dict(forceobj=True, nopython=True), ValueError, "Only one of"),
]


@pytest.mark.parametrize("options, error, message", BAD, ids=[str(b[0]) for b in BAD])
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message.replace("(", "\\(")):
        jit(**options)(plain)(1.0)


GOOD = [
    dict(), dict(nopython=True), dict(nogil=True), dict(cache=True), dict(parallel=True), dict(parallel={"fusion": False}),
    dict(fastmath=True), dict(fastmath={"nnan", "ninf"}), dict(fastmath={"nnan": True}), dict(boundscheck=True),
    dict(boundscheck=False), dict(error_model="numpy"), dict(inline="always"), dict(inline="never"),
    dict(forceinline=True), dict(debug=True), dict(locals={}), dict(no_cpython_wrapper=True), dict(looplift=False),
    dict(_nrt=True), dict(inline=lambda *a: True),
]


@pytest.mark.parametrize("options", GOOD, ids=str)
def test_good_options(options):
    assert njit(plain, **options)(1.0) == 2.0 if not set(options) & {"nopython"} else jit(**options)(plain)(1.0) == 2.0


def test_nopython_false_warns():
    with pytest.warns(errors.NumbaDeprecationWarning):
        assert jit(nopython=False)(plain)(1.0) == 2.0
    with pytest.warns(RuntimeWarning):
        njit(nopython=True)(plain)


@pytest.mark.parametrize("thing, message", [
    (1, "not a function"), (int, "not a function"), (len, "not a function"), (njit(plain), "already jitted"),
])
def test_only_functions_are_decorated(thing, message):
    with pytest.raises(TypeError, match=message):
        jit(thing)


def test_error_model():
    def f(a, b):
        return a / b

    with pytest.raises(ZeroDivisionError, match="division by zero"):
        njit(f)(1.0, 0.0)
    assert njit(error_model="numpy")(f)(1.0, 0.0) == np.inf
    assert np.isnan(njit(error_model="numpy")(f)(0.0, 0.0))


def test_boundscheck():
    def f(a, i):
        return a[i]

    checked = njit(boundscheck=True)(f)
    assert checked(np.arange(3), 2) == 2
    for i in (3, -4, 10**12):
        with pytest.raises(IndexError, match=r"index .* is out of bounds for axis 0 with size 3"):
            checked(np.arange(3), i)
    with pytest.raises(IndexError):
        njit(debug=True)(f)(np.arange(3), 5)


def test_locals():
    def f(x):
        y = x
        return y

    assert njit(locals={"y": naja.float32})(f)(0.1) == np.float32(0.1)
    assert njit(locals={"y": "i1"})(f)(300) == 44


def test_inline_always():
    @njit(inline="always")
    def g(x):
        return x * 2

    @njit
    def f(x):
        return g(x) + 1

    assert f(3) == 7


def test_disable_jit(tmp_path):
    import subprocess
    import sys

    program = "import naja\n@naja.njit\ndef f(x): return x\nprint(type(f).__name__, f({}))\n"
    for variable in ("NAJA_DISABLE_JIT", "NUMBA_DISABLE_JIT"):
        import os

        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={**os.environ, variable: "1"}, check=True)
        assert done.stdout == "function {}\n"


def test_config():
    from naja import config

    assert config.DISABLE_JIT == 0 and config.OPT == 3 and config.BOUNDSCHECK is None
    assert config.NUMBA_NUM_THREADS >= 1
    names = [row[0] for row in config.options()]
    assert "DUMP" in names and all(row[3] for row in config.options())
    config.BOUNDSCHECK = 1
    try:
        with pytest.raises(IndexError):
            njit(lambda a: a[7])(np.zeros(3))
    finally:
        config.BOUNDSCHECK = None
    with pytest.raises(AttributeError):
        config.NO_SUCH_OPTION


def test_jit_module():
    scope = {"np": np, "plain": plain}
    exec("import naja\ndef f(x):\n    return x + 1\ndef g(x):\n    return f(x) * 2\nnaja.jit_module(nogil=True)\n", scope)
    assert naja.extending.is_jitted(scope["f"]) and scope["g"](1) == 4 and scope["g"].targetoptions["nogil"]
    assert scope["plain"] is plain  # not defined there


def test_no_warnings_on_ordinary_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert njit(plain)(1.0) == 2.0
