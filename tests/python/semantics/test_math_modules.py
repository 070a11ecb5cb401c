"""The math, cmath and operator modules against CPython's."""

import math

import pytest
from against_python import check

FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, 3.7, -7.25, 100.5, 1e-5, 1e10, -1e10]
SPECIAL = [math.inf, -math.inf, math.nan, 5e-324, 1.7e308]
INTS = [0, 1, -1, 5, -8, 100, True]
COMPLEX = [0j, 1 + 0j, -1 + 0j, 1j, -1j, 1 + 2j, -3.5 + 0.25j, 1e-3 - 2j, 2 - 1e3j]
DOMAIN = ("math domain error", "math range error")

UNARY = """sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt erf
erfc gamma fabs degrees radians isnan isinf isfinite modf frexp ulp""".split()


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    check("x", f"math.{name}(x)", FLOATS + SPECIAL + INTS, ignore=DOMAIN)


def test_lgamma():
    check("x", "math.lgamma(x)", [*FLOATS, *SPECIAL, *INTS], ignore=DOMAIN, ulps=16)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
def test_rounding(name):
    check("x", f"math.{name}(x)", FLOATS + INTS)


@pytest.mark.parametrize("name", "atan2 copysign nextafter fmod remainder hypot pow".split())
def test_binary(name):
    pairs = [(a, b) for a in [*FLOATS, *SPECIAL, 3] for b in [*FLOATS, *SPECIAL, 2, -3]]
    check("x, y", f"math.{name}(x, y)", pairs, ignore=DOMAIN)


def test_ldexp():
    check("x, n", "math.ldexp(x, n)", [(a, b) for a in FLOATS for b in (0, 1, -1, 10, -2000)])
    check("x, n", "math.ldexp(x, n)", [(1.0, 2000), (1.0, 10**12)], ignore=DOMAIN)


def test_several_arguments():
    check("x, y", "math.log(x, y)", [(8.0, 2.0), (2.5, 10), (3, 3)])
    check("x, y, z", "math.hypot(x, y, z)", [(1.0, 2.0, 3.0), (3, 4, 12), (1e300, 1e300, 1e300)])
    check("", "math.hypot()", [()])
    check("a, b, c, d", "math.dist((a, b), (c, d))", [(1.0, 2.0, 4.0, 6.0), (1, 2, 4, 6)])
    check("a, b, c", "math.prod((a, b, c)), math.prod((a, b), start=c)", [(1, 2, 3), (1.5, 2.0, 3.0)])
    check("a, b, c", "math.fsum((a, b, c))", [(1e100, 1.0, -1e100), (0.1, 0.2, 0.3)])
    check("a, b", "math.isclose(a, b)", [(1.0, 1.0 + 1e-10), (1.0, 1.1), (math.inf, math.inf), (math.nan, math.nan)])
    check("a, b", "math.isclose(a, b, rel_tol=0.1), math.isclose(a, b, abs_tol=0.5)", [(1.0, 1.05), (1.0, 1.2)])
    check("a, b", "math.isclose(a, b, rel_tol=-0.1)", [(0.0, 0.05)])


def test_integers():
    check("a, b", "math.gcd(a, b), math.lcm(a, b)", [(12, 18), (0, 5), (-12, 18), (0, 0)])
    check("a, b, c", "math.gcd(a, b, c), math.lcm(a, b, c), math.gcd(a), math.gcd()", [(12, 18, 27)])
    squares = [k * k + d for k in (3037000499, 94906267, 12345) for d in (-1, 0, 1)]
    check("a", "math.isqrt(a)", [0, 1, 2, 3, 4, 15, 16, 17, 10**18, 2**62, 2**63 - 1, -1, *squares])
    check("a", "math.factorial(a)", [0, 1, 5, 20, -1])
    check("a, b", "math.comb(a, b)", [(5, 2), (60, 30), (0, 0), (3, 5), (-1, 2)])
    check("a, b", "math.perm(a, b)", [(5, 2), (10, 10), (3, 5)])


@pytest.mark.parametrize("name", "sqrt exp log10 sin cos tan asin acos atan sinh cosh tanh asinh atanh".split())
def test_complex(name):
    check("z", f"cmath.{name}(z)", [*COMPLEX, 2.0, 3], ignore=DOMAIN)


@pytest.mark.parametrize("name", "log acosh phase polar isnan isinf isfinite".split())
def test_complex_others(name):
    check("z", f"cmath.{name}(z)", [*COMPLEX, complex(math.inf, 1)], ignore=DOMAIN)


def test_complex_functions_of_two():
    check("r, p", "cmath.rect(r, p)", [(1.0, 2.0), (2, 0), (math.inf, 0.0), (1.5, -3.0)])
    check("z, w", "cmath.log(z, w)", [(1 + 2j, 3 + 1j)])
    check("z, w", "cmath.isclose(z, w)", [(1 + 2j, 1 + 2j + 1e-12), (1j, 2j)])


@pytest.mark.parametrize(
    "name", "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift eq ne lt le iadd".split()
)
def test_operator_module(name):
    check("a, b", f"operator.{name}(a, b)", [(7, 3)])


def test_operator_module_others():
    for name in "neg pos invert not_ truth abs".split():
        check("a", f"operator.{name}(a)", [7, 0])
    check("a, b", "operator.contains((1, 2, a), b), operator.getitem((1, 2, 3), a), operator.is_(a, None)", [(1, 2)])
