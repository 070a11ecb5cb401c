"""Operators on every pair of scalar types against the oracle of scalar_rules.py, and on literals."""

import naja
import numpy as np
import pytest
import scalar_rules as rules
from against_python import check, close, outcome

KIND_TYPES = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


def agrees(want, got, name):
    if isinstance(want, Exception) or isinstance(got, Exception):
        return type(want) is type(got) and str(want) == str(got)
    if type(got) is not KIND_TYPES[rules.kind(name)]:
        return False
    if isinstance(want, complex):
        return all(close(w, g, 16) or w == g for w, g in ((want.real, got.real), (want.imag, got.imag)))
    if isinstance(want, float):
        return close(want, got, 4 * 2**29 if name == "float32" else 4)
    return want == got


def ieee_instead(error):
    """Where CPython raises and compiled code has an IEEE result."""
    return isinstance(error, OverflowError) or (isinstance(error, ZeroDivisionError) and "power" in str(error))


@pytest.mark.parametrize("op", rules.OPERATORS)
def test_operator(op):
    compiled = naja.njit(eval(f"lambda a, b: a {op} b"))
    wrong = []
    with np.errstate(all="ignore"):
        for a_type, a_values in rules.VALUES.items():
            for b_type, b_values in rules.VALUES.items():
                if not rules.exists(op, a_type, b_type):
                    continue
                name = rules.result_type(op, a_type, b_type)
                for a in a_values:
                    for b in b_values:
                        want = outcome(rules.expected, (op, a, a_type, b, b_type))
                        got = outcome(compiled, (rules.NUMPY[a_type](a), rules.NUMPY[b_type](b)))
                        if not agrees(want, got, name) and not ieee_instead(want):
                            wrong.append(f"{a!r}:{a_type} {op} {b!r}:{b_type}: want {want!r}, got {got!r}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "<", "==", ">=", "&", "^", "<<"])
@pytest.mark.parametrize("literal", ["3", "-2", "0", "1", "True"])
def test_int_literals(op, literal):
    if (op, literal) != ("<<", "-2"):  # naja: as an amount beyond the width
        check("x", f"x {op} {literal}", [0, 5, -7, 2**40])
    check("x", f"{literal} {op} x", [1, 5, -7, 0] if op != "<<" else [1, 5])


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "//", "%", "<", "==", ">="])
@pytest.mark.parametrize("literal", ["3", "-2.5", "0.0"])
def test_float_literals(op, literal):
    check("x", f"x {op} {literal}", [0.0, 5.5, -7.25, 3])
    check("x", f"{literal} {op} x", [1.5, 5.5, -7.25, 0.0, 3])


def result_of(body, *arguments):
    compiled = naja.njit(eval(f"lambda x: {body}"))
    compiled(*arguments)
    return str(compiled.nopython_signatures[0].return_type)


@pytest.mark.parametrize(
    "body, argument, name",
    [
        ("x ^ 5", np.uint64(3), "uint64"),
        ("x * 0x100000001b3", np.uint64(3), "uint64"),
        ("x * 0.5", np.float32(3), "float32"),
        ("2 * x", np.float32(3), "float32"),
        ("x * 2j", np.float32(3), "complex64"),
        ("x + 1", np.int32(3), "int64"),
        ("x - 1", np.uint8(3), "int64"),
        ("x / 2", np.int32(3), "float64"),
        ("x ** 2", np.float32(3), "float32"),
        ("x ** -1", np.int64(3), "float64"),
        ("-x", True, "int64"),
        ("~x", True, "bool"),
        ("x + x", True, "int64"),
        ("x & x", True, "bool"),
    ],
)
def test_types_of_weak_literals(body, argument, name):
    assert result_of(body, argument) == name


def test_numpy_error_model():
    numpy_model = naja.njit(error_model="numpy")
    assert numpy_model(lambda a, b: a // b)(7, 0) == 0
    assert numpy_model(lambda a, b: a % b)(7, 0) == 0
    assert numpy_model(lambda a, b: a / b)(7, 0) == np.inf
    assert numpy_model(lambda a, b: a / b)(-7.0, 0.0) == -np.inf
    assert np.isnan(numpy_model(lambda a, b: a % b)(7.0, 0.0))
    assert np.isnan(numpy_model(lambda a, b: a / b)(0.0, 0.0))


def test_unary():
    check("x", "(-x, +x, ~x, not x, abs(x))", [5, 0, -3, -(2**62)])
    check("x", "(-x, +x, not x, abs(x), bool(x))", [2.5, -0.0, float("nan"), 1 + 2j, 0j])


@pytest.mark.parametrize("name", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)])
def test_unary_at_own_width(name):
    """-uint8(1) is 255 and -int8(-128) is -128, as NumPy's, though the result is a 64-bit integer."""
    kind, compiled = getattr(np, name), naja.njit(lambda x: (-x, ~x, +x, abs(x)))
    info = np.iinfo(kind)
    with np.errstate(over="ignore"):
        for value in (info.min, info.max, 0, 1, 5):
            x = kind(value)
            assert compiled(x) == tuple(int(v) for v in (-x, ~x, +x, abs(x)))
    wide = "uint64" if name[0] == "u" else "int64"
    assert [str(t) for t in compiled.nopython_signatures[0].return_type][:3] == [wide] * 3


def test_powers():
    check("x", "x**2, x**3, x**0, x**1, x**5, x**8, x**-1, x**-2", [2.5, -3.0, 7])
    check("x", "x**20, x**0.5, 2**x, 2.0**x", [2.5, 7])
    check("z", "z**2, z**3, z**-1, z**0, z**10", [1 + 2j, -0.5j])
    check("z, w", "z**w", [(1 + 2j, 3 + 0j), (1 + 2j, 0.5 + 0j), (2j, 1 + 1j), (0j, 2 + 0j), (0j, -1 + 0j)])


def test_none_and_optional():
    check("a", "a is None, a is not None, a == None, a != None", [None, 1, 1.5])
    check("n", "x = None\nif n > 0: x = n\nif x is None: return -1\nreturn x + 1", [0, 5])
    check("n", "x = None\nif n > 0: x = 1.5\nreturn x == None, x is None, x != 1.5, bool(x)", [0, 5])
    check("n", "x = None\ny = None\nif n > 0: x = n\nif n > 1: y = n\nreturn x == y, x != y, x == n", [0, 1, 2])


def test_operation_on_none_raises():
    def add(n):
        x = None
        if n > 0:
            x = n
        return x + 1

    compiled = naja.njit(add)
    assert compiled(5) == 6
    with pytest.raises(TypeError, match="expected int64, got None"):
        compiled(0)
