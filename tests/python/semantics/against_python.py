"""Runs a function under naja and under CPython and compares: results with their types, or exceptions with their texts.
Math functions may differ by 4 ulp."""

import cmath
import collections
import math
import operator

import naja
import numpy as np

Point = collections.namedtuple("Point", "x y")

NAMESPACE = {"math": math, "cmath": cmath, "operator": operator, "np": np, "Point": Point}


def close(want, got, ulps):
    if want != want or got != got:
        return want != want and got != got
    if want == got:
        return math.copysign(1, want) == math.copysign(1, got) if want == 0 else True
    if math.isinf(want) or math.isinf(got):
        return False
    return abs(want - got) <= ulps * math.ulp(max(abs(want), abs(got)))


def text_of(error):
    """The text without what only some versions of CPython say (3.13: "float modulo by zero")."""
    return str(error).replace("float modulo by zero", "float modulo")


def same(want, got, ulps=4):
    if isinstance(want, BaseException) or isinstance(got, BaseException):
        return type(want) is type(got) and text_of(want) == text_of(got)
    if type(want) is not type(got):
        return False
    if isinstance(want, tuple):
        return len(want) == len(got) and all(same(w, g, ulps) for w, g in zip(want, got, strict=True))
    if isinstance(want, complex):
        scale = max(abs(want), 1e-300)
        if not math.isfinite(scale):
            return close(want.real, got.real, 16) and close(want.imag, got.imag, 16)
        return abs(want - got) <= 16 * math.ulp(scale)
    return close(want, got, ulps) if isinstance(want, float) else want == got


def outcome(function, arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return error


def function_of(params, body, **names):
    """A function of this parameter list; `body` is an expression, or statements."""
    lines = body.strip("\n").split("\n") if "\n" in body else [f"return {body}"]
    source = f"def f({params}):\n" + "\n".join("    " + line for line in lines)
    scope = NAMESPACE | names
    exec(source, scope)
    return scope["f"]


def check(params, body, arguments, *, ulps=4, ignore=(), **names):
    """Compares for every tuple of arguments. `ignore`: exception texts of CPython where naja has an IEEE result."""
    function = function_of(params, body, **names)
    compiled = naja.njit(function)
    differences = []
    for given in arguments:
        given = given if type(given) is tuple else (given,)
        want, got = outcome(function, given), outcome(compiled, given)
        if isinstance(want, Exception) and str(want) in ignore:
            if isinstance(got, Exception):
                differences.append(f"f{given!r}: an exception: {got!r}")
        elif not same(want, got, ulps):
            differences.append(f"f{given!r}: CPython {want!r}, naja {got!r}")
    assert not differences, f"{params}: {body}\n" + "\n".join(differences[:10])
