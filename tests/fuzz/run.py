#!/usr/bin/env python3
"""Differential fuzzing: compiled programs against CPython + NumPy.

    run.py --programs 20000 --seed 1 [--jobs 2] [--keep FOLDER]

Compares result, type, dtype, shape, exception class and mutated arguments of each program on a few argument sets. Prints
the seeds of the programs that differ (and their texts), then 'N passed, N failed'. A seed reproduces its program.
"""

import argparse
import itertools
import math
import random
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import generator
import oracle

VALUES = {
    "int64": (0, 1, -1, 2, 7, -13, 100, 2**31, -(2**63), 2**63 - 1),
    "uint64": (0, 1, 3, 10, 2**32, 2**63, 2**64 - 1),
    "float64": (0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 1e10, -1e300, math.inf, math.nan),
    "float32": (0.0, 1.0, -2.5, 0.25, 1e10, 3.0),
    "bool": (False, True),
    "complex128": (0j, 1j, 1 + 2j, -0.5 + 0.25j, 3 - 4j),
}


def argument(kind, rng):
    if kind.startswith("array:"):
        _, dtype, ndim = kind.split(":")
        shape = tuple(rng.choice((1, 3, 5)) for _ in range(int(ndim)))
        values = np.array([rng.randint(0, 20) for _ in range(math.prod(shape))])
        array = (values if dtype[0] in "iu" else values / 4 - 1).astype(dtype).reshape(shape)
        if rng.random() < 0.2:
            array = np.asfortranarray(array)
        if rng.random() < 0.2:
            array = array.repeat(2, 0)[::2]
        return array
    value = rng.choice(VALUES[kind])
    return np.dtype(kind).type(value) if kind in ("uint64", "float32") else value


def copied(args):
    return [a.copy(order="K") if isinstance(a, np.ndarray) else a for a in args]


def outcome(function, args):
    """(result, exception class name, arrays after the call)"""
    try:
        with np.errstate(all="ignore"):
            result, error = function(*args), None
    except (ArithmeticError, ValueError, IndexError, TypeError) as exception:
        result, error = None, type(exception).__name__
    return result, error, [a for a in args if isinstance(a, np.ndarray)]


def oracle_args(args):
    return [oracle.plain(a) if not isinstance(a, np.ndarray) else a for a in args]


def check(seed, njit):
    """None, or a text that says how the program of this seed differs."""
    program = generator.make_program(seed)
    names = {"np": np, "math": math}
    exec(program.source, names)
    reference = {"np": np, "math": math, "M": oracle.Machine}
    exec(program.oracle, reference)
    compiled = njit(names["f"])
    rng = random.Random(seed)
    for _ in range(3):
        args = [argument(kind, rng) for _, kind in program.parameters]
        want = outcome(reference["f"], oracle_args(copied(args)))
        given = copied(args)
        try:
            got = outcome(compiled, given)
        except Exception as error:
            return f"seed {seed}: {type(error).__name__}: {error}\n{program.source}args {args}"
        if got[1] != want[1]:
            return f"seed {seed}: raised {got[1]} {got[0]}, not {want[1]} {want[0]}\n{program.source}args {args}"
        if not oracle.same(got[0], want[0]) if want[0] is not None else False:
            return f"seed {seed}: {got[0]}, not {want[0]}\n{program.source}args {args}"
        if not all(oracle.same_arrays(g, w) for g, w in zip(got[2], want[2])):
            return f"seed {seed}: arrays {got[2]}, not {want[2]}\n{program.source}args {args}"
    return None


def check_range(bounds):
    from naja import njit

    warnings.simplefilter("ignore")
    return [text for seed in range(*bounds) if (text := check(seed, njit))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="texts of how many differing programs")
    options = parser.parse_args()
    end = options.seed + options.programs
    chunks = [(s, min(s + 100, end)) for s in range(options.seed, end, 100)]
    if options.jobs > 1:
        with ProcessPoolExecutor(options.jobs) as pool:
            failures = list(itertools.chain.from_iterable(pool.map(check_range, chunks)))
    else:
        failures = list(itertools.chain.from_iterable(map(check_range, chunks)))
    for text in failures[: options.show]:
        print(text, end="\n\n")
    if failures:
        print("seeds that differ:", ", ".join(t.split(":")[0].removeprefix("seed ") for t in failures))
    print(f"Python {sys.version.split()[0]}, seeds {options.seed} to {end - 1}")
    print(f"{options.programs - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
