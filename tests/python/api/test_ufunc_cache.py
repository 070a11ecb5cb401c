"""`cache=True` of ufuncs: loops come from the store in later processes, without the compiler, and change with what they read."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
from naja import vectorize, guvectorize, njit

FACTOR = {factor}

@njit
def scaled(x):
    return x * FACTOR

@vectorize(["float64(float64)", "int64(int64)"], cache=True{target})
def scale(x):
    if x == 99:
        raise ValueError("ninety-nine")
    return scaled(x)

@vectorize(cache=True)
def lazy(a, b):
    return a - b

@guvectorize(["float64[:], float64, float64[:]"], "(n),()->(n)", cache=True)
def shift(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + y

a = np.arange(5.0)
print(scale(a).tolist(), scale(np.arange(3)).tolist(), lazy(a, 1.0).tolist(), shift(a, 2.0).tolist())
try:
    scale(99.0)
except ValueError as error:
    print(error)
print(sum(scale.stats.cache_hits.values()), sum(scale.stats.cache_misses.values()), len(lazy.stats.cache_hits),
      len(shift.stats.cache_hits), "naja._compiler" in sys.modules)
"""


def run(folder, factor, target=""):
    path = folder / "program.py"
    path.write_text(PROGRAM.format(factor=factor, target=target))
    environment = {**os.environ, "NAJA_CACHE_DIR": str(folder / "store")}
    done = subprocess.run([sys.executable, "-W", "error", str(path)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("target", ["", ", target='parallel'"])
def test_loops_are_kept(tmp_path, target):
    first, again = run(tmp_path, 2, target), run(tmp_path, 2, target)
    assert first[:2] == again[:2] == [
        "[0.0, 2.0, 4.0, 6.0, 8.0] [0, 2, 4] [-1.0, 0.0, 1.0, 2.0, 3.0] [2.0, 3.0, 4.0, 5.0, 6.0]", "ninety-nine"]
    assert first[2] == "0 2 0 0 True"
    assert again[2] == "2 0 1 1 False"


def test_a_changed_global_is_seen(tmp_path):
    assert run(tmp_path, 2)[0].startswith("[0.0, 2.0, 4.0, 6.0, 8.0]")
    changed = run(tmp_path, 3)
    assert changed[0].startswith("[0.0, 3.0, 6.0, 9.0, 12.0]")
    assert changed[2] == "0 2 1 1 True"
    assert run(tmp_path, 2)[2] == "2 0 1 1 False"


CALLER = """
import numpy as np
from naja import guvectorize, njit, vectorize

def add(a, b):
    return a + b

f = vectorize({signatures}, identity=0)(add)

@guvectorize({layout}"(n)->()")
def total(x, out):
    out[0] = x.sum()

@njit(cache=True)
def call(x):
    out = np.zeros(1)
    total(x, out)
    return f(x, x), f.reduce(x), out, f.nin

@vectorize(["float64(float32)"], cache=True)
def nested(x):
    return f(x, x)

got = call(np.arange(3, dtype="f4"))
print(got[0].dtype, got[1], got[2].tolist(), nested(np.float32(2)), sum(call.stats.cache_hits.values()),
      sum(nested.stats.cache_hits.values()))
"""


def test_functions_that_call_ufuncs_are_kept_as_long_as_the_loops_are_the_same(tmp_path):
    def call(*signatures, layout=""):
        path = tmp_path / "program.py"
        path.write_text(CALLER.format(signatures=list(signatures), layout=layout))
        environment = {**os.environ, "NAJA_CACHE_DIR": str(tmp_path / "store")}
        done = subprocess.run([sys.executable, "-W", "error", str(path)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    wide, both = ["float64(float64, float64)"], ["float32(float32, float32)", "float64(float64, float64)"]
    assert call(*wide) == "float64 3.0 [3.0] 4.0 0 0"
    assert call(*wide) == "float64 3.0 [3.0] 4.0 1 1"
    assert call(*both) == "float32 3.0 [3.0] 4.0 0 0"
    assert call(*both) == "float32 3.0 [3.0] 4.0 1 1"
    assert call(*wide) == "float64 3.0 [3.0] 4.0 1 1"
    assert call(*wide, layout='["float64[:], float64[:]"], ') == "float64 3.0 [3.0] 4.0 0 1"
