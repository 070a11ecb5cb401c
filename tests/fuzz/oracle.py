"""Machine arithmetic in CPython + NumPy: the semantics that compiled code must have (see docs/user/differences.md)."""

import cmath
import math
import operator

import numpy as np

_OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
        "^": operator.xor, "//": operator.floordiv, "%": operator.mod, "/": operator.truediv, "**": operator.pow}  # fmt: skip
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
            "!=": operator.ne}  # fmt: skip


def is_integer(kind):
    return kind.startswith(("int", "uint"))


def wrap(value, kind):
    """An exact int at the width of `kind`."""
    bits = int(kind.lstrip("uint"))
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind.startswith("int") and value >> (bits - 1) else value


def plain(value):
    """A NumPy scalar as the Python number that stands for it; float32 stays NumPy's, to round as it does."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.float64):
        return float(value)
    return complex(value) if isinstance(value, np.complexfloating) else value


def convert(value, kind):
    """`value` as an operand of an operation in `kind`."""
    if kind == "complex128":
        return complex(value)
    if kind == "float64":
        return float(value)
    if kind == "float32":
        with np.errstate(all="ignore"):
            return np.float32(value)
    return bool(value) if kind == "bool" else wrap(int(value), kind)


class Machine:
    @staticmethod
    def load(array, index):
        return plain(array[index])

    @staticmethod
    def store(array, index, value):
        if array.dtype.kind in "iu":
            value = wrap(int(value), array.dtype.name)
        with np.errstate(all="ignore"):
            array[index] = value

    @staticmethod
    def binary(op, a, ta, b, tb, result):
        if op in ("<<", ">>"):
            value = int(a) << b if op == "<<" else int(a) >> b
            return wrap(value, result)
        if op == "/" and (is_integer(ta) or ta == "bool") and (is_integer(tb) or tb == "bool"):
            return float(a) / float(b)
        a, b = convert(a, result), (b if op == "**" else convert(b, result))
        if is_integer(result):
            return wrap(_OPS[op](int(a), int(b)), result)
        if op in ("/", "//", "%") and b == 0:
            raise ZeroDivisionError
        with np.errstate(all="ignore"):
            try:
                return _OPS[op](a, b)
            except OverflowError:  # float ** int
                return math.inf if a > 0 or b % 2 == 0 else -math.inf

    @staticmethod
    def unary(op, a, result):
        if is_integer(result):
            return wrap(-int(a) if op == "-" else ~int(a), result)
        return -a

    @staticmethod
    def compare(op, a, b):
        if isinstance(a, np.float32):
            a = float(a)
        if isinstance(b, np.float32):
            b = float(b)
        return _COMPARE[op](a, b)

    @staticmethod
    def min(a, b):
        return b if b < a else a

    @staticmethod
    def max(a, b):
        return b if b > a else a

    @staticmethod
    def call(name, a, kind, result):
        with np.errstate(all="ignore"):
            if name == "abs":
                return wrap(abs(int(a)), result) if is_integer(result) else abs(a)
            if name in ("int", "math.floor", "round", "np.int32", "np.uint8"):
                return to_int(name, a, result)
            if name in ("float", "np.float32", "bool"):
                return convert(a, result)
            value = float(a)
            function = {"math.sqrt": np.sqrt, "math.sin": np.sin, "math.exp": np.exp}[name]
            exact = float(function(np.float64(np.float32(value) if result == "float32" else value)))
            return np.float32(exact) if result == "float32" else exact


def to_int(name, a, result):
    """Float to int saturates (NaN: 0); int to int wraps."""
    if isinstance(a, (bool, int)):
        return wrap(int(a), result)
    a = float(a)
    if a != a:
        return 0
    info = np.iinfo(result)
    if math.isinf(a):
        return int(info.max if a > 0 else info.min)
    value = math.floor(a) if name == "math.floor" else round(a) if name == "round" else int(a)
    return int(max(info.min, min(info.max, value)))


def same(got, want, ulps=4, scale=1.0):
    """Equal: exactly for ints and bools, within a few ulp for floats, NaN with NaN."""
    if isinstance(want, np.ndarray) or isinstance(got, np.ndarray):
        return same_arrays(np.asarray(got), np.asarray(want))
    if isinstance(want, (tuple, list)):
        return len(got) == len(want) and all(same(g, w) for g, w in zip(got, want))
    want = plain(want)
    if isinstance(want, (bool, int)):
        return type(got) in (bool, int) and isinstance(got, bool) == isinstance(want, bool) and got == want
    if isinstance(want, complex):
        return isinstance(got, complex) and close(got.real, want.real, abs(want)) and close(got.imag, want.imag, abs(want))
    tolerance = 2e-6 if isinstance(want, np.float32) else 1e-13
    return isinstance(got, float) and close(got, float(want), abs(float(want)), tolerance)


def close(got, want, size, tolerance=1e-13):
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) == math.isnan(got) or not math.isfinite(size)
    if math.isinf(want) or math.isinf(got):
        return want == got or not math.isfinite(size)
    size = abs(want) if math.isnan(size) else size
    return abs(got - want) <= tolerance * max(size, abs(want)) + 1e-300


def same_arrays(got, want):
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if got.dtype.kind in "fc":
        rtol = 1e-5 if got.dtype.itemsize in (4,) else 1e-12
        return np.allclose(got, want, rtol=rtol, atol=0, equal_nan=True) or not np.isfinite(want).all()
    return bool(np.array_equal(got, want))


__all__ = ["Machine", "same", "cmath"]
