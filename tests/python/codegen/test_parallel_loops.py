"""The body of a parallel loop is a plain counted loop over the chunk: it vectorises like the serial one."""

import numpy as np
from naja import njit, prange
from test_vectorized import filecheck, pytestmark  # noqa: F401

CHECKS = """
CHECK: define internal {{.*}} @{{.*}}scale{{.*}}.parallel.
CHECK: fmul <{{[248]}} x double>
CHECK: store <{{[248]}} x double>
"""


def scale(a, out):
    for i in prange(a.shape[0]):
        out[i] = a[i] * 2.0


def test_body_is_vectorised(tmp_path):
    compiled = njit(parallel=True)(scale)
    compiled(np.ones(10), np.ones(10))
    (text,) = compiled.inspect_llvm().values()
    filecheck(text, CHECKS, tmp_path)
