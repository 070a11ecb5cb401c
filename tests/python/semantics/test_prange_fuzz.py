"""Random loops over prange against the interpreter: ranges, reductions under conditions and in inner loops, last values."""

import random
import warnings

import numpy as np
import pytest
from naja import njit, prange

UPDATES = {
    "s": ["s += {x}", "s -= {x}", "s = {x} + s", "s = s - {x} - 1"],
    "p": ["p *= {f}", "p /= {f}", "p = {f} * p"],
    "lo": ["lo = min(lo, {x})", "lo = min({x}, lo)", "if {x} < lo:\n{pad}    lo = {x}"],
    "hi": ["hi = max(hi, {x})", "hi = hi if hi > {x} else {x}", "if {x} >= hi:\n{pad}    hi = {x}"],
    "n": ["n += 1", "n -= i", "n = n + (i & 3)"],
    "bits": ["bits ^= i * 77", "bits ^= n0 + i"],
    "any_": ["any_ |= {x} > 0.9"],
    "last": ["last = {x}", "last = i"],
}
VALUES = ["a[i % m]", "a[(i * 7) % m] - b[i % m]", "b[i % m] * 2.0", "np.sqrt(a[i % m])", "float(i % 10)"]


def program(rng):
    names = rng.sample(sorted(UPDATES), rng.randint(1, 5))
    lines = []
    for name in names:
        for _ in range(rng.randint(1, 2)):
            statement, pad = rng.choice(UPDATES[name]), "        "
            if rng.random() < 0.3 and name != "last":
                lines.append(pad + f"for j in range({rng.randint(0, 3)}):")
                pad += "    "
            if rng.random() < 0.4:
                lines.append(pad + f"if {rng.choice(VALUES)} {rng.choice('<>')} 0.5:")
                pad += "    "
            lines.append(pad + statement.format(x=rng.choice(VALUES), f="(1.0 + a[i % m] * 0.001)", pad=pad))
    lines.append("        out[i + 300] += i")
    body = "\n".join(lines)
    step = rng.choice(["1", "-1", "3", "-2", "step"])
    return f"""
def f(a, b, out, start, stop, step):
    m = a.size
    n0 = 5
    s, p, lo, hi, n, bits, any_, last = 1.0, 2.0, 3.0, -3.0, 0, 12, False, -1.0
    for i in prange(start, stop, {step}):
{body}
    return s, p, lo, hi, n, bits, any_, last
"""


@pytest.mark.parametrize("seed", [*range(40), 1028])
def test_random_loop(seed):
    rng = random.Random(seed)
    source = program(rng)
    scope = {"np": np, "prange": prange}
    exec(source, scope)
    plain = scope["f"]
    compiled = njit(parallel=True)(plain)
    data = np.random.default_rng(seed)
    a, b = data.random(97), data.random(97)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for start, stop, step in [(0, 200, 1), (200, -50, -1), (3, 3, 1), (-290, 299, 7), (250, -250, -5)]:
            outs = [np.zeros(700), np.zeros(700)]
            expected = plain(a, b, outs[0], start, stop, step)
            got = compiled(a, b, outs[1], start, stop, step)
            np.testing.assert_allclose(np.array(got, float), np.array(expected, float), rtol=1e-9, err_msg=source)
            np.testing.assert_array_equal(outs[0], outs[1], err_msg=source)
