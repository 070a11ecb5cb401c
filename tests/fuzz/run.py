#!/usr/bin/env python3
"""Differential fuzzing: compiled programs against CPython + NumPy.

    run.py --programs 20000 --seed 1 [--jobs 2] [--show N] [--seeds 5,211]

Compares result, types, dtypes, shapes, exception class and mutated arguments of each program on a few argument sets, and
fails a program that keeps memory or references. Prints the programs that differ, their seeds, then 'N passed, N failed'.
A seed reproduces its program.
"""

import argparse
import gc
import itertools
import math
import multiprocessing
import random
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import generator
import oracle
import rules

SPECIAL = {
    "int64": (0, 1, -1, 2, 7, -13, 100, 2**31, -(2**63), 2**63 - 1),
    "uint64": (0, 1, 3, 10, 2**32, 2**63, 2**64 - 1),
    "float64": (0.0, -0.0, 1.0, -1.5, 0.1, 3.75, 1e10, -1e300, math.inf, math.nan),
    "float32": (0.0, 1.0, -2.5, 0.25, 1e10, 3.0, 0.1, math.inf, math.nan),
    "bool": (False, True),
    "complex128": (0j, 1j, 1 + 2j, -0.5 + 0.25j, 3 - 4j),
    "complex64": (0j, 1j, 1 + 2j, -0.5 + 0.25j),
}
EXCEPTIONS = (ArithmeticError, ValueError, IndexError, TypeError, NameError, RuntimeError, AssertionError)


def scalar(kind, rng):
    if kind in SPECIAL:
        value = rng.choice(SPECIAL[kind])
    else:
        info = np.iinfo(kind)
        value = rng.choice((0, 1, 2, 5, int(info.min), int(info.max), 100))
    return value if kind in ("int64", "float64", "complex128", "bool") else np.dtype(kind).type(value)


def array(kind, rng):
    _, dtype, ndim, flags = kind.split(":")
    sizes = (0, 1, 3) if "e" in flags else (1, 3, 5)
    shape = tuple(rng.choice(sizes) for _ in range(int(ndim)))
    if rng.random() < 0.5:  # shapes that broadcast
        shape = tuple(3 if size > 1 else size for size in shape)
    values = np.array([rng.randint(0, 20) for _ in range(math.prod(shape))], dtype=np.int64)
    if dtype == "bool":
        result = values % 2 == 1
    elif dtype in rules.INTS:
        result = (values - (5 if dtype in rules.SIGNED else 0)).astype(dtype)
    else:
        result = (values / 4 - 1).astype(dtype)
        if result.size and rng.random() < 0.15:
            result[rng.randrange(result.size)] = rng.choice((math.nan, math.inf, -0.0))
    result = result.reshape(shape)
    roll = rng.random()
    if roll < 0.15:
        result = np.asfortranarray(result)
    elif roll < 0.3:
        result = result.repeat(2, 0)[::2]
    elif roll < 0.4:
        result = result[::-1].copy()[::-1]
    result.flags.writeable = "r" not in flags
    return result


def argument(kind, rng, arrays):
    if kind.startswith("array:"):
        same = [a for k, a in arrays if k == kind]
        value = rng.choice(same) if same and rng.random() < 0.3 else array(kind, rng)  # an alias
        arrays.append((kind, value))
        return value
    if kind.startswith("tuple:"):
        return tuple(argument(k, rng, arrays) for k in kind[6:].split(","))
    if kind.startswith("optional:"):
        return None if rng.random() < 0.5 else scalar(kind[9:], rng)
    return scalar(kind, rng)


def arguments(program, seed):
    rng, arrays = random.Random(seed), []
    return [argument(kind, rng, arrays) for _, kind in program.parameters]


def outcome(function, args):
    """(result, exception class name, arrays after the call)"""
    try:
        with np.errstate(all="ignore"):
            result, error = function(*args), None
    except EXCEPTIONS as exception:
        result, error = None, type(exception).__name__
        if isinstance(exception, NameError):
            error = "UnboundLocalError"  # NameError in the oracle's lambdas
        if "broadcast" in str(exception):
            error = "broadcast"
    return result, error, [a for a in args if isinstance(a, np.ndarray)]


def for_oracle(value):
    if isinstance(value, tuple):
        return tuple(map(for_oracle, value))
    return value if isinstance(value, np.ndarray) else oracle.plain(value)


def difference(got, want):
    # A fused array expression looks at the shapes when it computes: an exception that comes after may be first.
    if got[1] != want[1] and (got[1] is None or want[1] != "broadcast"):
        return f"raised {got[1]} {got[0]}, not {want[1]} {want[0]}"
    if want[1] is None and not oracle.same(got[0], want[0]):
        index = next((i for i, (g, w) in enumerate(zip(got[0], want[0])) if not oracle.same(g, w)), None)
        return f"result {index} is {got[0][index]!r}, not {want[0][index]!r}"
    if want[1] == "broadcast" and got[1] not in ("broadcast", "ValueError"):
        return None
    if not all(oracle.same_arrays(g, w, 1e-12, 1.0) for g, w in zip(got[2], want[2])):
        return f"arrays {got[2]}, not {want[2]}"
    return None


def counts(args):
    return [sys.getrefcount(a) for a in args if isinstance(a, np.ndarray)]


def check(seed, njit, live_allocations):
    """None, or a text that says how the program of this seed differs."""
    program = generator.make_program(seed)
    names = {"np": np, "math": math, "njit": njit(**program.options)}
    reference = {"np": np, "math": math, "plain": oracle.plain,
                 "M": oracle.Machine(program.options.get("error_model", "python"))}  # fmt: skip
    exec(program.oracle, reference)
    exec(program.source, names)
    compiled = njit(**program.options)(names["f"])
    for k in range(3):
        args = arguments(program, f"{seed}:{k}")
        where = f"\n{program.options}\n{program.source}args {args}"
        want = outcome(reference["f"], [for_oracle(a) for a in args])
        given = arguments(program, f"{seed}:{k}")
        before = live_allocations(), counts(given)
        try:
            got = outcome(compiled, given)
        except Exception as error:
            return f"seed {seed}: {type(error).__name__}: {error}{where}"
        if text := difference(got, want):
            return f"seed {seed}: {text}{where}"
        del got
        after = live_allocations(), counts(given)
        if after != before:
            gc.collect()
            after = live_allocations(), counts(given)
        if after != before:
            return f"seed {seed}: allocations and references {before} became {after}{where}"
    return None


def check_seeds(seeds, connection):
    """Sends (seed, text or None) for each seed; runs in a process of its own, which a program may bring down."""
    from naja import njit
    from naja.testing import live_allocations

    warnings.simplefilter("ignore")
    for seed in seeds:
        connection.send((seed, check(seed, njit, live_allocations)))
    connection.close()


def failures_of(seeds):
    """The texts of the programs that differ; a crash counts for the program that was run, the rest goes on without it."""
    context, failures, rest = multiprocessing.get_context("spawn"), [], list(seeds)
    while rest:
        receiver, sender = context.Pipe(duplex=False)
        worker = context.Process(target=check_seeds, args=(rest, sender))
        worker.start()
        sender.close()
        try:
            while rest:
                seed, text = receiver.recv()
                rest.remove(seed)
                failures += [text] if text else []
        except EOFError:
            pass
        worker.join()
        if rest:
            failures.append(f"seed {rest[0]}: the process ended with {worker.exitcode}\n{generator.make_program(rest[0]).source}")
            rest.pop(0)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="texts of how many differing programs")
    parser.add_argument("--seeds", help="these seeds instead, separated by commas")
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.programs)
    if options.seeds:
        seeds = [int(s) for s in options.seeds.split(",")]
    chunks = [seeds[k : k + 1000] for k in range(0, len(seeds), 1000)]
    with ThreadPoolExecutor(options.jobs) as pool:
        failures = list(itertools.chain.from_iterable(pool.map(failures_of, chunks)))
    for text in failures[: options.show]:
        print(text, end="\n\n")
    if failures:
        print("seeds that differ:", ",".join(t.split(":")[0].removeprefix("seed ") for t in failures))
    print(f"Python {sys.version.split()[0]}, seeds {seeds[0]} to {seeds[-1]}")
    print(f"{len(seeds) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
