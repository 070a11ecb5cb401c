#!/usr/bin/env python3
"""Differential fuzzing of ufuncs: random kernels and operands against plain NumPy.

    ufuncs.py --programs 2000 --seed 1

A kernel is an expression of its parameters (NumPy evaluates it on whole arrays, compiled code element by element); operands have random
types, shapes that broadcast, strides, byte orders; calls go through NumPy, through the short way, with `out` and `where`,
from compiled code, and to reduce, accumulate, reduceat and at. Prints what differs with its seed, then 'N passed, N failed'.
"""

import argparse
import random
import sys
import warnings

import numpy as np
from naja import njit, vectorize

DTYPES = ("i1", "u1", "i2", "i4", "u4", "i8", "f4", "f8")
TERMS = ("a", "b", "a", "b", "2.0", "0.5", "3.0")
OPERATORS = ("+", "-", "*")
CALLS = ("np.maximum({}, {})", "np.minimum({}, {})", "np.where({} > {}, a, b)", "np.abs({} - {})", "np.hypot({}, {})")


def expression(rng, depth):
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(TERMS)
    left, right = expression(rng, depth - 1), expression(rng, depth - 1)
    if rng.random() < 0.3:
        return rng.choice(CALLS).format(left, right)
    return f"({left} {rng.choice(OPERATORS)} {right})"


def kernels(rng):
    """The kernel, of float64 throughout, and the function that NumPy evaluates."""
    text = f"(a + 0.0 * b) + {expression(rng, 3)}"
    scope = {"np": np}
    plain = eval(f"lambda a, b: {text}", scope)
    compiled = eval(f"lambda a, b: {text}", scope)
    return text, plain, vectorize(["float64(float64, float64)"], identity=rng.choice((None, 0, "reorderable")))(compiled)


def operand(rng, shape):
    shape = tuple(1 if rng.random() < 0.2 else n for n in shape[rng.choice((0, 0, 0, 1)):])
    if rng.random() < 0.1:
        return float(rng.randint(-5, 5))
    values = np.array([rng.randint(0, 9) for _ in range(int(np.prod([2 * n for n in shape])))])
    array = values.astype(rng.choice(DTYPES)).reshape([2 * n for n in shape])
    array = array[tuple(rng.choice((slice(0, n), slice(0, 2 * n, 2), slice(2 * n - 1, n - 1 if n else None, -1)))
                        for n in shape)]
    way = rng.random()
    if way < 0.4:
        array = np.ascontiguousarray(array)
    elif way < 0.5:
        array = np.asfortranarray(array)
    elif way < 0.6:
        array = array.astype(array.dtype.newbyteorder())
    return array


def same(got, expected):
    return np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=1e-12, equal_nan=True)


def as_float(x):
    return np.asarray(x).astype("f8")


def calls(rng, plain, ufunc, a, b):
    """(what, result, expected) of ways to call a ufunc."""
    expected = plain(as_float(a), as_float(b))
    yield "call", ufunc(a, b), expected
    out, where = np.full(np.shape(expected), 7.0), np.asarray(expected) > 3
    ufunc(a, b, out=out, where=where)
    yield "where", out, np.where(where, expected, 7.0)
    native = [x if isinstance(x, float) or x.dtype.isnative else x.astype(x.dtype.newbyteorder("=")) for x in (a, b)]
    yield "compiled", njit(lambda a, b: ufunc(a, b))(*native), expected
    yield "fused", njit(lambda a, b: ufunc(a, b) * 2.0 + 1.0)(*native), expected * 2.0 + 1.0


def reductions(rng, ufunc, a):
    a = np.atleast_1d(as_float(a))
    reference = np.frompyfunc(ufunc.py_func, 2, 1)
    axis = rng.randrange(a.ndim)
    if a.shape[axis]:
        start = {} if ufunc.identity is None else {"initial": float(ufunc.identity)}
        yield "reduce", ufunc.reduce(a, axis), reference.reduce(a, axis, dtype=object, **start)
        yield "accumulate", ufunc.accumulate(a, axis), reference.accumulate(a, axis, dtype=object)
        indices = np.array([rng.randrange(a.shape[axis]) for _ in range(3)])
        yield "reduceat", ufunc.reduceat(a, indices, axis), reference.reduceat(a, indices, axis, dtype=object)
        yield "compiled reduce", njit(lambda a, k: ufunc.reduce(a, k))(a, axis), ufunc.reduce(a, axis)
        yield "compiled accumulate", njit(lambda a, k: ufunc.accumulate(a, k))(a, axis), ufunc.accumulate(a, axis)
    flat = a.ravel()
    if len(flat):
        indices = np.array([rng.randrange(len(flat)) for _ in range(5)])
        got, expected = flat.copy(), flat.copy()
        ufunc.at(got, indices, 2.0)
        for i in indices:
            expected[i] = ufunc.py_func(expected[i], 2.0)
        yield "at", got, expected
    yield "outer", ufunc.outer(flat[:3], a), ufunc(flat[:3].reshape((-1,) + (1,) * a.ndim), a)


def run(seed):
    rng = random.Random(seed)
    text, plain, ufunc = kernels(rng)
    shape = tuple(rng.choice((0, 1, 2, 3, 5, 17, 70)) for _ in range(rng.choice((1, 1, 2, 3))))
    a, b = operand(rng, shape), operand(rng, shape)
    for way in (calls(rng, plain, ufunc, a, b), reductions(rng, ufunc, a)):
        for what, got, expected in way:
            if not same(np.asarray(got, dtype=float), np.asarray(expected, dtype=float)):
                return f"seed {seed}: {what} of {text} on {np.shape(a)} {np.shape(b)}:\n  {got!r}\n  {expected!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    failed = [text for seed in range(options.seed, options.seed + options.programs) if (text := run(seed))]
    print("\n".join(failed[:20]))
    print(f"{options.programs - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
