"""Machine arithmetic in CPython + NumPy: the semantics that compiled code must have (see docs/user/differences.md).

Values are Python's int, float, bool and complex; float32 and complex64 are NumPy's scalars, so that they round.
"""

import math
import operator

import numpy as np
import rules

_OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "&": operator.and_, "|": operator.or_,
        "^": operator.xor, "//": operator.floordiv, "%": operator.mod, "/": operator.truediv, "**": operator.pow}  # fmt: skip
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
            "!=": operator.ne}  # fmt: skip
_UFUNCS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "//": np.floor_divide, "%": np.remainder}


class Loose:
    """A number that only has to be near: results of sums and of functions with a few ulp of error."""

    def __init__(self, value, tolerance, scale=0.0):
        self.value, self.tolerance, self.scale = value, tolerance, scale

    def __repr__(self):
        return f"~{self.value!r}"


def wrap(value, kind):
    """An exact int at the width of `kind`."""
    width = rules.bits(kind)
    value &= (1 << width) - 1
    return value - (1 << width) if kind in rules.SIGNED and value >> (width - 1) else value


def plain(value):
    """A NumPy scalar as the Python number that stands for it; float32 and complex64 stay NumPy's."""
    if isinstance(value, np.generic) and not isinstance(value, (np.float32, np.complex64)):
        return value.item()
    return value


def exact(value):
    """For comparisons: float32 is exact in a float."""
    return value.item() if isinstance(value, np.generic) else value


def convert(value, kind):
    """`value` as an operand, an argument or a stored element of type `kind`; float to int saturates."""
    if kind == "bool":
        return bool(value)
    if kind in rules.INTS:
        return to_int(value, kind)
    if kind in rules.COMPLEX:
        with np.errstate(all="ignore"):
            return complex(value) if kind == "complex128" else np.complex64(value)
    if kind == "float64":
        return float(value)
    with np.errstate(all="ignore"):
        return np.array(value).astype(np.float32)[()]


def to_int(value, kind, rounding=int):
    if isinstance(value, (bool, int, np.bool_, np.integer)):
        return wrap(int(value), kind)
    value = float(value)
    if value != value:
        return 0
    info = np.iinfo(kind)
    if math.isinf(value):
        return int(info.max if value > 0 else info.min)
    return int(max(info.min, min(info.max, rounding(value))))


def typed(value, kind):
    """For NumPy's array operations: a strong scalar."""
    return np.array(convert(value, kind), dtype=kind)[()]


class Machine:
    def __init__(self, error_model):
        self.raises = error_model == "python"

    cast = staticmethod(convert)
    typed = staticmethod(typed)

    @staticmethod
    def load(array, index):
        return plain(array[index])

    @staticmethod
    def store(array, value, index):
        with np.errstate(all="ignore"):
            array[index] = convert(value, array.dtype.name)

    def update(self, array, index, op, value, result):
        """array[index] op= value(): loads before it evaluates"""
        old = plain(array[index])
        self.store(array, self.binary(op, old, value(), result), index)

    @staticmethod
    def loose(array):
        return Loose(array, 1e-5 if rules.bits(array.dtype.name) <= 32 or array.dtype.name == "complex64" else 1e-12)

    def binary(self, op, a, b, result):
        if op in ("<<", ">>"):
            return self.shift(op, int(a), int(b), result)
        integers = isinstance(a, int) and isinstance(b, int)
        if op == "/" and integers:
            result = "float64"
        if op == "**":
            return power(a, b, result)
        a, b = convert(a, result), convert(b, result)
        if op in ("/", "//", "%") and b == 0:
            if self.raises:
                raise ZeroDivisionError
            if result in rules.INTS:
                return 0
        if result == "bool":
            return bool(_OPS[op](a, b))
        if result in rules.INTS:
            return wrap(_OPS[op](a, b), result)
        if result == "complex128" and b != 0:
            return _OPS[op](a, b)
        if op == "%" and result == "float64" and b != 0 and math.isfinite(a):
            return a % b
        with np.errstate(all="ignore"):
            kind = np.dtype(result).type
            return plain(_UFUNCS[op](kind(a), kind(b)))

    @staticmethod
    def shift(op, a, amount, result):
        if not 0 <= amount < 64:
            return -1 if op == ">>" and a < 0 else 0
        return wrap(a << amount if op == "<<" else a >> amount, result)

    @staticmethod
    def unary(op, a, kind, result):
        if result == "bool":
            return not a
        if result in rules.INTS:  # at the operand's own width, then widened
            return wrap(-int(a) if op == "-" else ~int(a) if op == "~" else int(a), result if kind == "bool" else kind)
        return a if op == "+" else -a

    @staticmethod
    def compare(op, a, b):
        return _COMPARE[op](exact(a), exact(b))

    @staticmethod
    def min(*values):
        best = values[0]
        for value in values[1:]:
            best = value if exact(value) < exact(best) else best
        return best

    @staticmethod
    def max(*values):
        best = values[0]
        for value in values[1:]:
            best = value if exact(value) > exact(best) else best
        return best

    @staticmethod
    def whole(name, a, result):
        """float to int"""
        rounding = {"int": int, "math.floor": math.floor, "math.ceil": math.ceil, "math.trunc": math.trunc, "round": round}
        return to_int(a, result, rounding[name])

    @staticmethod
    def absolute(a, result):
        with np.errstate(all="ignore"):
            if result in rules.INTS:
                return wrap(abs(int(a)), result)
            return plain(np.abs(a)) if isinstance(a, np.generic) else abs(a)

    @staticmethod
    def function(name, a, result):
        """A function of NumPy's with an exact result."""
        with np.errstate(all="ignore"):
            value = getattr(np, name)(np.float32(a) if result == "float32" else np.float64(a))
            return plain(value)

    @staticmethod
    def near(name, result, *args):
        """A function of NumPy's with a few ulp of error."""
        kind = np.dtype(result).type
        with np.errstate(all="ignore"):
            return Loose(plain(getattr(np, name)(*(kind(a) for a in args))), 1e-6 if rules.component_bits(result) == 32 else 1e-14)

    @staticmethod
    def reduce(name, array, *args):
        """A reduction whose order of additions is free."""
        with np.errstate(all="ignore"):
            value = getattr(np, name)(array, *args)
            if value.dtype.kind not in "fc":
                return value if isinstance(value, np.ndarray) else plain(value)
            size = np.abs(array.astype(value.dtype))
            scale = np.prod(size) if name == "prod" else np.max(size, initial=0.0) ** (2 if name in ("var", "std") else 1) * (array.size + 1)
            narrow = value.dtype.name in ("float32", "complex64")
            return Loose(value if isinstance(value, np.ndarray) else plain(value), 1e-5 if narrow else 1e-12, float(scale))


def power(a, b, result):
    if result in rules.INTS:
        base, exponent = int(a), int(b)
        if exponent < 0:
            raise ValueError
        return wrap(pow(base, exponent, 1 << 64), result)
    with np.errstate(all="ignore"):
        kind = np.dtype(result).type
        narrow = rules.component_bits(result) == 32
        if isinstance(b, int) and b in (0, 1, 2) and not narrow:
            return convert([1.0, kind(a), kind(a) * kind(a)][b], result)
        return Loose(plain(np.power(kind(a), kind(b))), 1e-5 if narrow else 1e-13)


def same(got, want):
    """Equal: exactly (type included) but where `want` is Loose; NaN with NaN."""
    if isinstance(want, Loose):
        return near(got, want)
    if isinstance(want, np.ndarray) or isinstance(got, np.ndarray):
        return isinstance(want, np.ndarray) and isinstance(got, np.ndarray) and same_arrays(got, want)
    if isinstance(want, (tuple, list)):
        return type(got) is type(want) and len(got) == len(want) and all(map(same, got, want))
    want = exact(want)
    if type(got) is not type(want):
        return False
    if isinstance(want, complex):
        return same(got.real, want.real) and same(got.imag, want.imag)
    return got == want or (got != got and want != want)


def near(got, want):
    value, tolerance = want.value, want.tolerance
    if isinstance(value, np.ndarray):
        return isinstance(got, np.ndarray) and same_arrays(got, value, tolerance, want.scale)
    value = exact(value)
    if type(got) is not type(value):
        return False
    with np.errstate(all="ignore"):
        return bool(within(np.complex128(got), np.complex128(value), tolerance, want.scale))


def within(got, want, tolerance, scale):
    """Elementwise; where something overflowed the order of operations decides, so anything goes."""
    free = ~np.isfinite(want) | (not math.isfinite(scale))
    equal_nan = np.isnan(got) == np.isnan(want)
    size = np.maximum(np.abs(want), scale if math.isfinite(scale) else 0.0)
    tolerance = tolerance if math.isfinite(scale) else max(tolerance, 1e-3)
    return np.where(np.isfinite(want) & np.isfinite(got), np.abs(got - want) <= tolerance * size + 1e-300, free & (equal_nan | (scale != 0)))


def same_arrays(got, want, tolerance=0.0, scale=0.0):
    if got.dtype != want.dtype or got.shape != want.shape:
        return False
    if tolerance and got.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return bool(np.all(within(got.astype(complex), want.astype(complex), tolerance, scale)))
    return bool(np.array_equal(got, want, equal_nan=got.dtype.kind in "fc"))
