"""Builtin functions, conversions and attributes of numbers against CPython."""

import math

from against_python import check

FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, 3.7, -7.25, 100.5, 1e-5, 1e10, -1e10]
INTS = [0, 1, -1, 5, -8, 100, True]
DIGITS = [
    2.675,
    1.005,
    0.285,
    1.115,
    5.015,
    2.5,
    1e22,
    123456.789,
    -2.675,
    1e-10,
    math.inf,
    1.7e308,
    4503599627370497.5,
    0.15,
]


def test_round():
    check("x", "round(x)", [*FLOATS, *INTS, 1.5, -1.5, 2.500001])
    for digits in (0, 1, 2, 3, 5, 10, 15, -1, -2, -5):
        check("x", f"round(x, {digits})", DIGITS)
    check("x, n", "round(x, n)", [(x, n) for x in DIGITS for n in (0, 1, 2, -1, 3)])
    check("x, n", "round(x, n)", [(1234, -2), (1250, -2), (1350, -2), (-1250, -2), (5, 0), (5, 3), (15, -1), (25, -1)])


def test_arithmetic_functions():
    check("x", "abs(x)", [*FLOATS, *INTS, math.nan, 3 - 4j])
    pairs = [(a, b) for a in (7, -7, 0) for b in (3, -3, 0)]
    check("x, y", "divmod(x, y)", [*pairs, (7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (1.0, 0.0)])
    check("x, y", "pow(x, y)", [(2, 10), (2.0, 0.5), (3, 0)])
    check("x, y, z", "pow(x, y, z)", [(2, 10, 7), (3, -1, 7), (2, 5, 0), (10**17, 10**17, 10**18 - 1), (5, 3, -7)])


def test_min_max_sum():
    check(
        "x, y",
        "min(x, y), max(x, y)",
        [(1, 2), (2.5, 1.0), (math.nan, 1.0), (1.0, math.nan), (0.0, -0.0), (True, False)],
    )
    check(
        "x, y, z",
        "min(x, y, z), max(x, y, z), min((x, y, z)), max((x, y, z)), sum((x, y, z))",
        [(1, 2, 3), (3.5, 1.0, 2.0)],
    )
    check("x", "sum((x, x), 10), sum((x,), start=1.5), any((x, 0)), all((x, 0, 1)), any(()), all(())", [1, 0])


def test_conversions():
    check("x", "int(x)", FLOATS + INTS)
    check("x", "float(x), complex(x), bool(x)", FLOATS + INTS)
    check("x, y", "complex(x, y), complex(real=x, imag=y), complex(imag=y)", [(1.5, 2), (1, 2)])
    check("", 'int(), float(), complex(), bool(), tuple(), int("42"), int(" -7 "), float("1.5"), float("inf")', [()])


def test_attributes():
    check("z", "z.real, z.imag, z.conjugate(), abs(z), -z, +z, z == z, z != 1, bool(z)", [0j, 1 + 2j, -1.5j])
    check("x", "x.real, x.imag, x.conjugate()", [1.5, 3, True])
    check("x", "x.is_integer()", [1.5, 2.0, math.inf, math.nan])
    check("x", "x.bit_length(), x.bit_count()", [0, 1, -1, 255, 256, -256, 2**62, 2**63 - 1, -(2**63)])


def test_introspection():
    classes = "int float (int,float) tuple bool str complex".split()
    check("x", ", ".join(f"isinstance(x, {c})" for c in classes), [1, 1.5, True, (1, 2), "a", 1j])
    check("x", "if isinstance(x, tuple):\n    return len(x)\nreturn -x", [1, 1.5, (1, 2)])
    check("x", 'hasattr(x, "real"), hasattr(x, "foo"), getattr(x, "imag"), getattr(x, "foo", 7)', [1, 1.5])
    check("x", "callable(x), callable(abs), type(x)(3)", [1, 1.5])


def test_strings():
    check(
        "n", 's = "abc"\nreturn s == "abc", s != "abd", len(s), "a" + "b" == "ab", ("a" if n else "b") == "a"', [0, 1]
    )
    check("n", 'm = "sum" if n else "max"\nif m == "sum":\n    return 1\nreturn 2', [0, 1])
    check("s", 's == "abc", len(s), s != "abd", s in ("abc", "x"), bool(s), s == 5', ["abc", "x", "", "äöü"])
    check("s, t", "s == t, s != t", [("abc", "abc"), ("a", "b"), ("ä", "ä")])


def test_slices():
    check("n", "s = slice(1, n)\nreturn s.start, s.stop, s.step, s.indices(10)", [5, -1, 20])
    check("n", "s = slice(n, None, -2)\nreturn s.start, s.stop, s.step, s.indices(10)", [5, -1, 20])
    check("n", "s = slice(n)\nreturn s.indices(3), (1, 2, 3)[:2], (1, 2, 3, 4)[slice(1, 3)]", [5, -1])


def test_print(capfd):
    check("x", 'print(x, 1, "a", (x, 2))\nreturn x', [1])
    lines = capfd.readouterr().out.split("\n")
    assert lines[:2] == ["1 1 a (1, 2)"] * 2


def test_builtins_over_iterables():
    import numpy as np

    arrays = [np.array([3, 1, 2]), np.array([2.5, -1.0])]
    check("a", "float(sum(a)), float(min(a)), float(max(a))", arrays)
    check("a", "any(a), all(a)", [np.array([0, 1]), np.array([0, 0]), np.array([1, 2]), np.array([0.0])])
    check("n", "sum(range(n)), sum(range(n), 5), any(range(n)), all(range(1, n))", [0, 1, 5])
    check("n", "min(range(n)), max(range(n))", [1, 5])
    check("n", "min(range(n), default=-1), max((), default=n), max((n, 2), default=7)", [0, 3])
    check("a, b", "s = 0\nfor x in reversed((a, b, 3)): s = s * 2 + x\nreturn s", [(1, 2)])
    check("a", "s = 0.0\nfor x in reversed(a): s = s * 2 + float(x)\nreturn s", arrays)
