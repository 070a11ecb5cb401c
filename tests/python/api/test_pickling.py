"""Dispatchers travel by plain pickle and by cloudpickle, wherever their function was defined."""

import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest
from naja import njit, types

FACTOR = 3


def helper(x):
    return x * FACTOR


helper = njit(helper)


@njit
def importable(x):
    return helper(x) + 1


def make(k):
    @njit(fastmath=True)
    def inner(x, y=2):
        """Doc."""
        return helper(x) * k + y + np.sqrt(4.0)

    return inner


@pytest.mark.parametrize("module", [pickle, cloudpickle])
def test_importable_is_by_reference(module):
    assert module.loads(module.dumps(importable)) is importable


@pytest.mark.parametrize("module", [pickle, cloudpickle])
def test_closures_by_value(module):
    f = make(10)
    g = module.loads(module.dumps(f))
    assert g(2) == f(2) == 64.0
    assert g.__doc__ == "Doc." and g.__name__ == "inner" and g.targetoptions["fastmath"] is True


def test_the_same_process_gets_the_same_object():
    f = make(1)
    assert pickle.loads(pickle.dumps(f)) is f


def test_another_process(tmp_path):
    def other(x):
        return x * K

    K = 7
    other = njit(other)
    f = njit(fastmath=True)(lambda x: other(x) + np.sqrt(4.0))
    path = tmp_path / "f.pickle"
    path.write_bytes(pickle.dumps((f, njit(lambda x: x + 1))))
    program = f"import pickle; f, g = pickle.load(open({str(path)!r}, 'rb')); print(f(2), g(1))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(f(2)), "2"]


def test_main_of_a_script(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import pickle, subprocess, sys
from naja import njit

K = 5

@njit
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2) + 0 * K

@njit(["i8(i8)", "f8(f8)"])
def eager(x):
    return x + K

if __name__ == "__main__":
    data = pickle.dumps((fib, eager))
    child = ("import pickle, sys; fib, eager = pickle.loads(sys.stdin.buffer.read());"
             "print(fib(10), eager(1), eager.signatures, eager._can_compile)")
    print(subprocess.run([sys.executable, "-c", child], input=data, capture_output=True, check=True).stdout.decode())
""")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "55 6 [(int64,), (float64,)] False"


def test_types_and_signatures():
    for value in (types.float64[:, ::1], types.int64(types.int8), (types.Tuple((types.int8, types.none)),)):
        assert pickle.loads(pickle.dumps(value)) == value


def test_joblib_style_round_trip():
    data = cloudpickle.dumps(lambda a: importable(a) + make(2)(a))
    assert pickle.loads(data)(1) == importable(1) + make(2)(1)
