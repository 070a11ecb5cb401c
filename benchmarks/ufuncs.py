#!/usr/bin/env python3
"""Ufuncs side by side with Numba's and NumPy's, in one run: seconds per call, and ratios.

    ufuncs.py --peer PYTHON [--rounds 5]

Both sides run in processes of their own, in turn; a row is the least of all rounds. The goal for the calls of 10 elements is a
ratio of 0.7.
"""

import argparse
import json
import math
import subprocess
import sys
import timeit


def ufuncs(implementation):
    """The ufuncs and their operands, as rows: name -> call."""
    import numpy as np

    if implementation == "naja":
        from naja import guvectorize, vectorize
    else:
        from numba import guvectorize, vectorize

    @vectorize(["float64(float64, float64)"])
    def axpy(a, b):
        return a * 2.0 + b

    @vectorize
    def lazy(a, b):
        return a * 2.0 + b

    @vectorize(["float64(float64, float64)"])
    def wave(a, b):
        return math.exp(a) * math.sin(b)

    @vectorize(["float64(float64, float64)"], target="parallel")
    def parallel_wave(a, b):
        return math.exp(a) * math.sin(b)

    @vectorize(["float64(float64, float64)"])
    def choose(a, b):
        return a * b if a > b else math.sqrt(abs(a))

    @guvectorize(["float64[:], float64[:], float64[:]"], "(n),(n)->()")
    def inner(a, b, out):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i] * b[i]
        out[0] = s

    @guvectorize(["float64[:], float64, float64[:]"], "(n),()->(n)")
    def shift(a, b, out):
        for i in range(a.shape[0]):
            out[i] = a[i] + b

    rng = np.random.default_rng(1)
    x, y, out = rng.random(10), rng.random(10), np.empty(10)
    big, other, big_out = rng.random(20_000), rng.random(20_000), np.empty(20_000)
    rows = rng.random((1000, 50))
    lazy(x, y)
    return {
        "call, 10 elements": lambda: axpy(x, y),
        "call, 10 elements, lazy": lambda: lazy(x, y),
        "call, 10 elements, out=": lambda: axpy(x, y, out=out),
        "call, array and number": lambda: axpy(x, 2.0),
        "call, two numbers": lambda: axpy(1.5, 2.5),
        "a*2+b, 20,000": lambda: axpy(big, other, big_out),
        "a*2+number, 20,000": lambda: axpy(big, 2.0, big_out),
        "a*2+b, strided, 10,000": lambda: axpy(big[::2], other[::2], big_out[::2]),
        "exp*sin, 20,000": lambda: wave(big, other, big_out),
        "exp*sin, 20,000, parallel": lambda: parallel_wave(big, other, big_out),
        "branch, 20,000": lambda: choose(big, other, big_out),
        "reduce, 20,000": lambda: axpy.reduce(big),
        "inner (n),(n)->(), 1000 x 50": lambda: inner(rows, rows[0]),
        "shift (n),()->(n), 1000 x 50": lambda: shift(rows, 1.0),
    }


def measure(implementation):
    result = {}
    for name, call in ufuncs(implementation).items():
        count = max(1, int(0.02 / max(timeit.timeit(call, number=3) / 3, 1e-8)))
        result[name] = min(timeit.repeat(call, number=count, repeat=3)) / count
    print(json.dumps(result))


def run(python, implementation):
    done = subprocess.run([python, __file__, "--worker", implementation], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", help="a Python that has Numba")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return measure(options.worker)
    sides = {"naja": sys.executable} | ({"numba": options.peer} if options.peer else {})
    best = {}
    for _ in range(options.rounds):
        for implementation, python in sides.items():
            for name, seconds in run(python, implementation).items():
                row = best.setdefault(name, {})
                row[implementation] = min(seconds, row.get(implementation, math.inf))
    print(f"{'':<32}" + "".join(f"{side + ' us':>12}" for side in sides) + (f"{'ratio':>8}" if options.peer else ""))
    for name, row in best.items():
        times = "".join(f"{row[side] * 1e6:12.3f}" for side in sides)
        print(f"{name:<32}{times}" + (f"{row['naja'] / row['numba']:8.2f}" if options.peer else ""))
    return None


if __name__ == "__main__":
    main()
