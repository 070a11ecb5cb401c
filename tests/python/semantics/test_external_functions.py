"""Functions of C, declared with ctypes, called from compiled code."""

import ctypes
import ctypes.util
import threading

import numpy as np
import pytest
from naja import TypingError, njit

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
LIBC = ctypes.CDLL(None)


def declare(function, result, *parameters):
    function.restype, function.argtypes = result, parameters
    return function


hypot = declare(LIBM.hypot, ctypes.c_double, ctypes.c_double, ctypes.c_double)
absolute = declare(LIBC.abs, ctypes.c_int, ctypes.c_int)
memset = declare(LIBC.memset, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
undeclared = LIBC.labs


def test_scalars_convert_to_the_declared_types():
    @njit
    def f(x):
        return hypot(x, 4), absolute(-3)

    assert f(3.0) == (5.0, 3)
    assert f(3) == (5.0, 3)


def test_addresses_of_arrays():
    @njit
    def f(a):
        memset(a.ctypes, 1, a.nbytes)
        memset(a.ctypes.data, 2, 1)
        memset(None, 0, 0)
        return a

    assert f(np.zeros(3, np.uint8)).tolist() == [2, 1, 1]


@pytest.mark.parametrize("ctype, value", [
    (ctypes.c_int8, -3), (ctypes.c_uint8, 200), (ctypes.c_int16, -300), (ctypes.c_uint16, 60000), (ctypes.c_int32, -7),
    (ctypes.c_uint32, 2**31), (ctypes.c_int64, -2**40), (ctypes.c_uint64, 2**40), (ctypes.c_float, 1.5),
    (ctypes.c_double, 2.5), (ctypes.c_bool, True),
])
def test_callbacks_pass_every_type_both_ways(ctype, value):
    seen = []

    @ctypes.CFUNCTYPE(ctype, ctype)
    def callback(x):
        seen.append(x)
        return x

    @njit
    def f(x):
        return callback(x)

    assert f(value) == value and seen == [value]


def test_pointers_to_elements():
    second = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(lambda p: p[1])

    @njit
    def f(a):
        return second(a.ctypes)

    assert f(np.arange(3.0)) == 1.0


def test_without_the_gil():
    """Python called back from a function that gave up the GIL, on several threads."""
    order = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int64)(order.append)

    @njit(nogil=True)
    def f(n):
        for i in range(n):
            callback(i)

    threads = [threading.Thread(target=f, args=(50,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(order) == sorted(list(range(50)) * 3)


@pytest.mark.parametrize("function, message", [
    (lambda: absolute(), r"takes 1 argument \(0 given\)"), (lambda: absolute("x"), "argument 0 .* int32, not unicode"),
    (lambda: absolute(1, x=2), "no keyword arguments"), (lambda: undeclared(1), "Cannot determine the type"),
])
def test_wrong_calls_are_refused(function, message):
    with pytest.raises(TypingError, match=message):
        njit(function)()


def test_functions_of_cython_modules():
    from naja.extending import get_cython_function_address

    address = get_cython_function_address("scipy.special.cython_special", "j0")
    j0 = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(address)
    assert njit(lambda x: j0(x))(0.0) == 1.0
    with pytest.raises(ValueError, match="No function 'nothing'"):
        get_cython_function_address("scipy.special.cython_special", "nothing")
    with pytest.raises(ValueError, match="No function 'sqrt'"):
        get_cython_function_address("math", "sqrt")
