"""The design's table of semantics for operators on machine scalars, as an oracle: types are NumPy's names."""

import math
import operator

import numpy as np

ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}
SHIFTS = {"<<": operator.lshift, ">>": operator.rshift}
BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
OPERATORS = ARITHMETIC | SHIFTS | BITS | COMPARISONS

NUMPY = {
    "bool": np.bool_,
    **{name: getattr(np, name) for name in "int8 int32 int64 uint8 uint64 float32 float64 complex128".split()},
}

VALUES = {
    "int64": [0, 1, -1, 7, -8, 2**53 + 1, -(2**63), 2**63 - 1, 63, 64, -3],
    "uint64": [0, 1, 7, 2**63, 2**64 - 1, 2**53 + 1, 64],
    "int32": [0, 1, -1, 7, -(2**31), 2**31 - 1],
    "uint8": [0, 1, 7, 255],
    "int8": [0, -1, -128, 127, 5],
    "bool": [True, False],
    "float64": [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, math.inf, -math.inf, math.nan, 2.0**53, 2.0**63, 1e-300, 7.0],
    "float32": [0.0, 1.5, -2.25, math.inf, math.nan, 1e30, 7.0],
    "complex128": [0j, 1 + 2j, -1.5j, 3 + 0j],
}


def kind(name):
    return {"b": "b", "i": "i", "u": "u", "f": "f", "c": "c"}[name[0]]


def bits(name):
    return 8 if name == "bool" else int("".join(c for c in name if c.isdigit()))


def float_bits(name):
    k = kind(name)
    if k == "f":
        return bits(name)
    if k == "c":
        return bits(name) // 2
    small = k == "b" or bits(name) <= 8 or (k == "i" and bits(name) <= 16)
    return 32 if small else 64


def arithmetic_type(a, b):
    kinds = kind(a), kind(b)
    width = max(float_bits(a), float_bits(b))
    if "c" in kinds:
        return f"complex{2 * width}"
    if "f" in kinds:
        return f"float{width}"
    if kinds == ("u", "u") or {a, b} == {"bool", "uint64"}:
        return "uint64"
    return "float64" if {a, b} == {"int64", "uint64"} else "int64"


def result_type(op, a, b):
    if op in COMPARISONS:
        return "bool"
    if op in SHIFTS:
        return "uint64" if kind(a) == "u" else "int64"
    common = arithmetic_type(a, b)
    if op in BITS:
        return "bool" if a == b == "bool" else common if kind(common) in "iu" else "int64"
    if op == "/" and kind(common) in "iu":
        return "float64"
    if op == "**" and kind(a) == "f" and kind(b) in "iub":
        return a
    return common


def exists(op, a, b):
    kinds = kind(a), kind(b)
    if "c" in kinds:
        return op in ("+", "-", "*", "/", "**", "==", "!=")
    return "f" not in kinds or (op not in SHIFTS and op not in BITS)


def convert(value, name):
    k = kind(name)
    if k in "iu":
        wrapped = int(value) & (2 ** bits(name) - 1)
        return wrapped - 2 ** bits(name) if k == "i" and wrapped >= 2 ** (bits(name) - 1) else wrapped
    if k == "f":
        return float(np.float32(value)) if bits(name) == 32 else float(value)
    return bool(value) if k == "b" else complex(value)


def shift(op, a, amount, name):
    if not 0 <= amount < 64:
        return -1 if op == ">>" and a < 0 else 0
    return convert(OPERATORS[op](a, amount), name)


def power(x, y, name):
    if kind(name) in "iu":
        if y < 0:
            raise ValueError("Integers to negative integer powers are not allowed.")
        return convert(pow(x, y, 2**64), name)
    if kind(name) == "c":
        return x**y
    return convert(np.power(np.float64(x), np.float64(y)), name)


def in_float32(op, x, y):
    function = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "%": np.remainder,
        "//": np.floor_divide,
    }
    return float(function[op](np.float32(x), np.float32(y)))


ZERO_DIVISION = {"/": "float division by zero", "//": "float floor division by zero", "%": "float modulo"}


def expected(op, a, a_type, b, b_type):
    """The result as a Python number; raises what compiled code raises under error_model='python'."""
    a, b = NUMPY[a_type](a).item(), NUMPY[b_type](b).item()
    if op in COMPARISONS:
        return OPERATORS[op](a, b)
    name = result_type(op, a_type, b_type)
    if op in SHIFTS:
        return shift(op, a, b, name)
    if op == "/" and b == 0 and kind(a_type) in "iub" and kind(b_type) in "iub":
        raise ZeroDivisionError("division by zero")
    x, y = convert(a, name), convert(b, name)
    if op == "**":
        return power(x, int(b) if kind(name) in "iu" else y, name)  # an exponent counts by its own sign
    if kind(name) == "f" and op in ZERO_DIVISION:
        if y == 0:
            raise ZeroDivisionError(ZERO_DIVISION[op])
        if name == "float32" or op == "//":
            return in_float32(op, x, y) if name == "float32" else float(np.floor_divide(x, y))
    elif name == "float32":
        return in_float32(op, x, y)
    return convert(OPERATORS[op](x, y), name)
