"""Random expressions of machine scalars and of arrays, each in two texts: the user's and the oracle's."""

from dataclasses import dataclass

import numpy as np
import rules

EXACT_FUNCTIONS = {"math.sqrt": "sqrt", "np.sqrt": "sqrt", "math.fabs": "fabs", "np.floor": "floor", "np.ceil": "ceil",
                   "np.trunc": "trunc"}  # fmt: skip
NEAR_FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "log2", "log10", "log1p", "expm1", "tanh", "sinh", "cosh", "arctan",
                  "arcsin", "arccos", "cbrt", "exp2")  # fmt: skip
MATH_NAMES = {"arctan": "atan", "arcsin": "asin", "arccos": "acos"}
EXACT_UNARY = ("np.abs", "np.negative", "np.sqrt", "np.floor", "np.ceil", "np.rint", "np.trunc", "np.square", "np.sign",
               "np.isnan", "np.isfinite", "np.logical_not", "np.conj", "np.real", "np.positive")  # fmt: skip
EXACT_BINARY = ("np.add", "np.subtract", "np.multiply", "np.divide", "np.minimum", "np.maximum", "np.fmin", "np.fmax",
                "np.floor_divide", "np.remainder", "np.logical_and", "np.logical_or", "np.logical_xor", "np.greater",
                "np.less_equal", "np.equal", "np.not_equal", "np.copysign")  # fmt: skip
BITWISE_BINARY = ("np.bitwise_and", "np.bitwise_or", "np.bitwise_xor")


@dataclass
class Expr:
    text: str  # what the user writes
    oracle: str  # what the oracle evaluates
    type: str  # machine type of the value; of an array expression its dtype
    weak: bool = False  # a literal
    loose: bool = False  # an array that need only be near


class Expressions:
    """Needs: random, scalars (name -> type; one int64 at least), arrays (name -> Array), functions, boundscheck."""

    def choice(self, items):
        return self.random.choice(list(items))

    def chance(self, probability):
        return self.random.random() < probability

    # ---------------------------------------------------------------- leaves

    def literal(self, kinds=("int64", "float64")):
        kind = self.choice(kinds)
        if kind == "int64":
            value = str(self.choice((0, 1, 2, 3, 5, 7, 10, 63, 100, 2**33)))
        elif kind == "float64":
            value = repr(self.choice((0.0, 0.5, 1.0, 1.5, 2.25, 3.0, 0.1, 1e-3, 100.0)))
        else:
            value = self.choice(("1j", "2.5j", "0.1j"))
        return Expr(value, value, kind, True)

    def names(self, wanted=None):
        return [n for n, t in self.scalars.items() if wanted is None or t in wanted]

    def leaf(self, wanted=None):
        names = self.names(wanted)
        elements = [n for n, a in self.arrays.items() if a.ndim and (wanted is None or a.dtype in wanted)]
        if elements and (not names or self.chance(0.25)):
            return self.element(self.choice(elements))
        if names:
            name = self.choice(names)
            return Expr(name, name, self.scalars[name])
        kind = self.choice(wanted)
        name = self.choice(self.names(("int64",)))  # no constant: it might decide a branch
        return Expr(f"np.{'bool_' if kind == 'bool' else kind}({name})", f"M.cast({name}, {kind!r})", kind)

    def index(self, array, axis):
        """An index that is in range, positive or negative; with boundscheck perhaps one that is not."""
        kinds = ("int64", "int32", "uint8", "int8")
        names = self.names(kinds)
        inner = self.choice(names) if names else str(self.random.randint(0, 5))
        if self.boundscheck and self.chance(0.7):
            return inner, inner
        size = f"{array}.shape[{axis}]"
        user, oracle = f"{inner} % {size}", f"M.binary('%', {inner}, {size}, 'int64')"
        return (f"-1 - ({user})", f"(-1 - {oracle})") if self.chance(0.3) else (user, oracle)

    def indices(self, array):
        pairs = [self.index(array, axis) for axis in range(self.arrays[array].ndim)]
        return ", ".join(u for u, _ in pairs), ", ".join(o for _, o in pairs)

    def element(self, array):
        user, oracle = self.indices(array)
        return Expr(f"{array}[{user}]", f"M.load({array}, ({oracle},))", self.arrays[array].dtype)

    # --------------------------------------------------------------- scalars

    def scalar(self, depth=2):
        if depth <= 0:
            return self.literal() if self.chance(0.2) else self.leaf()
        kinds = (self.binary, self.binary, self.binary, self.binary, self.unary, self.conditional, self.function,
                 self.function, self.condition, self.call, self.whole, self.extreme, self.reduction)  # fmt: skip
        return self.choice(kinds)(depth)

    def strong(self, depth, wanted=None):
        for _ in range(4):
            e = self.scalar(depth)
            if not e.weak and (wanted is None or e.type in wanted):
                return e
        return self.leaf(wanted)

    def operands(self, depth, wanted=None):
        a = self.strong(depth - 1, wanted)
        b = self.strong(depth - 1, wanted) if self.chance(0.75) else self.literal()
        if b.weak and wanted is not None and b.type not in wanted:
            b = self.literal(("int64",)) if "int64" in wanted else self.leaf(wanted)
        return (b, a) if self.chance(0.5) else (a, b)

    def operation(self, op, a, b, result):
        return Expr(f"({a.text} {op} {b.text})", f"M.binary({op!r}, {a.oracle}, {b.oracle}, {result!r})", result)

    def binary(self, depth):
        op = self.choice("+ - * + - * + - * / // % & | ^ << >> **".split())
        whole = ("bool", *rules.INTS)
        if op in ("&", "|", "^"):
            a, b = self.operands(depth, whole)
            result = "bool" if a.type == b.type == "bool" else rules.arithmetic(a, b)
            return self.operation(op, a, b, result if result in whole else "int64")
        if op in ("<<", ">>"):
            a = self.strong(depth - 1, rules.INTS)
            b = self.literal(("int64",)) if self.chance(0.7) else self.leaf(("int64", "uint8", "int8"))
            return self.operation(op, a, b, rules.widened(a.type))
        if op == "**":
            return self.small_power(depth)
        a, b = self.operands(depth)
        result = rules.arithmetic(a, b)
        if op in ("/", "//", "%") and (result in rules.COMPLEX):
            op = "*"
        if op == "/" and result in rules.INTS:
            result = "float64"
        return self.operation(op, a, b, result)

    def small_power(self, depth):
        a = self.strong(depth - 1, (*rules.INTS, "float64"))
        b = self.choice("012")
        if a.type in rules.INTS and self.chance(0.3):
            other = self.leaf(rules.INTS)
            result = rules.promote(a.type, other.type)
            if result in rules.INTS:
                return self.operation("**", a, other, result)
        exponent = Expr(b, b, "int64", True)
        result = a.type if a.type == "float64" else rules.arithmetic(a, exponent)
        return self.operation("**", a, exponent, result)

    def unary(self, depth):
        a = self.strong(depth - 1)
        op = self.choice("--+~")
        if op == "~" and a.type == "bool" or op == "~" and a.type not in rules.INTS:
            op = "-"
        result = rules.widened(a.type)
        return Expr(f"({op}{a.text})", f"M.unary({op!r}, {a.oracle}, {a.type!r}, {result!r})", result)

    def condition(self, depth=2):
        roll = self.random.random()
        if depth > 1 and roll < 0.25:
            word, a, b = self.choice(("and", "or")), self.condition(depth - 1), self.condition(depth - 1)
            return Expr(f"({a.text} {word} {b.text})", f"({a.oracle} {word} {b.oracle})", "bool")
        if roll < 0.35:
            a = self.strong(0)
            return Expr(f"(not {a.text})", f"(not {a.oracle})", "bool")
        if roll < 0.45:
            return self.chain(depth)
        if roll < 0.5:
            a = self.leaf(("float64", "float32"))
            name = self.choice(("isnan", "isfinite", "isinf"))
            return Expr(f"{self.choice(('math', 'np'))}.{name}({a.text})", f"bool(np.{name}({a.oracle}))", "bool")
        op = self.choice(("<", "<=", ">", ">=", "==", "!="))
        wanted = rules.ALL if op in ("==", "!=") and self.chance(0.3) else rules.REAL
        a, b = self.operands(depth, wanted)
        return Expr(f"({a.text} {op} {b.text})", f"M.compare({op!r}, {a.oracle}, {b.oracle})", "bool")

    def chain(self, depth):
        a, b, c = (self.strong(depth - 1, rules.REAL) for _ in range(3))
        x, y = self.choice(("<", "<=", "==")), self.choice(("<", ">=", "!="))
        self.counter += 1
        middle = f"m{self.counter}"
        return Expr(f"({a.text} {x} {b.text} {y} {c.text})",
                    f"(M.compare({x!r}, {a.oracle}, {middle} := {b.oracle}) and M.compare({y!r}, {middle}, {c.oracle}))",
                    "bool")  # fmt: skip

    def conditional(self, depth):
        a, b, test = self.scalar(depth - 1), self.scalar(depth - 1), self.condition(1)
        if a.weak and b.weak and a.text == b.text:
            return a
        result = rules.unify(a.type, b.type)
        return Expr(f"({a.text} if {test.text} else {b.text})",
                    f"M.cast({a.oracle} if {test.oracle} else {b.oracle}, {result!r})", result)  # fmt: skip

    def function(self, depth):
        a = self.strong(depth - 1, rules.REAL)
        roll = self.random.random()
        if roll < 0.4:
            kind = self.choice(rules.ALL)
            name = {"int64": "int", "float64": "float", "bool": "bool", "complex128": "complex"}.get(kind)
            if name is None or self.chance(0.3):
                name = "np.bool_" if kind == "bool" else f"np.{kind}"
            if name == "int" and a.type not in rules.FLOATS:
                return a
            if name == "float" and a.type == "float32":
                return a
            return Expr(f"{name}({a.text})", f"M.cast({a.oracle}, {kind!r})", kind)
        if roll < 0.6:
            a = self.strong(depth - 1, (*rules.REAL, "complex128"))
            result = {"complex128": "float64", "bool": "int64"}.get(a.type, a.type)
            return Expr(f"abs({a.text})", f"M.absolute({a.oracle}, {result!r})", result)
        name = self.choice(EXACT_FUNCTIONS)
        if name[:2] == "np":
            a = self.strong(depth - 1, ("float64", "float32"))
        result = "float32" if a.type == "float32" else "float64"
        return Expr(f"{name}({a.text})", f"M.function({EXACT_FUNCTIONS[name]!r}, {a.oracle}, {result!r})", result)

    def whole(self, depth):
        a = self.strong(depth - 1, rules.FLOATS)
        name = self.choice(("int", "math.floor", "math.ceil", "math.trunc", "round"))
        return Expr(f"{name}({a.text})", f"M.whole({name!r}, {a.oracle}, 'int64')", "int64")

    def extreme(self, depth):
        a = self.strong(depth - 1, (*rules.INTS, *rules.FLOATS))
        others = [self.leaf((a.type,)) for _ in range(self.random.randint(1, 3))]
        name = self.choice(("min", "max"))
        return Expr(f"{name}({', '.join([a.text, *(o.text for o in others)])})",
                    f"M.{name}({', '.join([a.oracle, *(o.oracle for o in others)])})", a.type)  # fmt: skip

    def reduction(self, depth):
        """A reduction of an array with one right result."""
        arrays = [n for n, a in self.arrays.items() if a.dtype not in rules.COMPLEX]
        if not arrays:
            return self.binary(depth)
        array = self.choice(arrays)
        dtype = self.arrays[array].dtype
        names = ["any", "all", "argmax", "argmin", "max", "min", "len", "size", "ndim", "count_nonzero"]
        if dtype in rules.INTS or dtype == "bool":
            names += ["sum", "prod", "sum"]
        name = self.choice(names)
        if name == "len":
            return Expr(f"len({array})", f"len({array})", "int64")
        if name in ("size", "ndim"):
            return Expr(f"{array}.{name}", f"{array}.{name}", "int64", name == "ndim")
        result = {"any": "bool", "all": "bool", "max": dtype, "min": dtype, "sum": rules.widened(dtype),
                  "prod": rules.widened(dtype)}.get(name, "int64")  # fmt: skip
        text = f"{array}.{name}()" if name != "count_nonzero" and self.chance(0.5) else f"np.{name}({array})"
        return Expr(text, f"M.cast(np.{name}({array}), {result!r})", result)

    def argument(self, kind):
        """An expression of exactly this type."""
        for _ in range(3):
            e = self.strong(1)
            if e.type == kind:
                return e
        return self.leaf((kind,))

    def call(self, depth):
        if not self.functions:
            return self.binary(depth)
        f = self.choice(self.functions)
        values = [self.argument(k) for k in f.parameters]
        user = [v.text for v in values]
        oracle = [v.oracle for v in values]
        if f.keyword and not f.omitted:
            extra = self.argument(f.keyword[1])
            user.append(f"{f.keyword[0]}={extra.text}")
            oracle.append(f"{f.keyword[0]}={extra.oracle}")
        return Expr(f"{f.name}({', '.join(user)})", f"{f.name}({', '.join(oracle)})", f.result)

    def near(self):
        """A function with a few ulp of error: its result is only returned."""
        a = self.leaf(("float64", "float32"))
        result = "float32" if a.type == "float32" else "float64"
        roll = self.random.random()
        if roll < 0.6:
            name = self.choice(NEAR_FUNCTIONS)
            user = f"math.{MATH_NAMES.get(name, name)}" if self.chance(0.5) and name != "cbrt" and name != "exp2" else f"np.{name}"
            return f"{user}({a.text})", f"M.near({name!r}, {result!r}, {a.oracle})"
        if roll < 0.8:
            b = self.leaf((a.type,))
            name, user = self.choice((("hypot", "math.hypot"), ("arctan2", "math.atan2"), ("power", "math.pow"),
                                      ("copysign", "math.copysign"), ("fmod", "math.fmod"), ("hypot", "np.hypot")))  # fmt: skip
            return f"{user}({a.text}, {b.text})", f"M.near({name!r}, {result!r}, {a.oracle}, {b.oracle})"
        b = self.leaf((a.type, "int64"))
        return f"({a.text} ** {b.text})", f"M.binary('**', {a.oracle}, {b.oracle}, {result!r})"

    # ---------------------------------------------------------------- arrays

    def array_expression(self, ndim, depth):
        """Elementwise operations over arrays of at most `ndim` axes; shapes may not broadcast: a ValueError."""
        if depth == 0:
            names = [n for n, a in self.arrays.items() if a.ndim <= ndim]
            name = self.choice(names)
            kind = self.arrays[name].dtype
            if self.arrays[name].ndim == 1 and ndim == 2 and self.chance(0.3):
                return Expr(f"{name}.reshape(-1, 1)", f"{name}.reshape(-1, 1)", kind)
            if self.arrays[name].ndim == 2 and self.chance(0.15):
                return Expr(f"{name}.T", f"{name}.T", kind)
            return Expr(name, name, kind)
        a = self.array_expression(ndim, depth - 1)
        roll = self.random.random()
        if roll < 0.2:
            return self.checked(Expr(*[f"{self.choice(EXACT_UNARY)}(#)"] * 2, ""), a) or a
        b = self.array_expression(ndim, depth - 1) if self.chance(0.6) else self.array_scalar()
        if self.chance(0.3):
            a, b = b, a
        if roll < 0.35:
            name = self.choice(EXACT_BINARY + BITWISE_BINARY)
            return self.checked(Expr(f"{name}(#, #)", f"{name}(#, #)", ""), a, b) or self.strongest(a, b)
        if roll < 0.45:
            c = self.array_expression(ndim, 0)
            return self.checked(Expr("np.where(# > #, #, #)", "np.where(# > #, #, #)", ""), c, self.array_scalar(), a, b) or c
        op = self.choice("+ - * + - * / // % < >= == & | ^ ** << >>".split())
        return self.checked(Expr(f"(# {op} #)", f"(# {op} #)", ""), a, b) or self.strongest(a, b)

    @staticmethod
    def strongest(a, b):
        return a if not getattr(a, "is_scalar", False) else b

    def array_scalar(self):
        if self.chance(0.5):
            e = self.literal()
        else:
            e = self.leaf()
            e = Expr(e.text, f"M.typed({e.oracle}, {e.type!r})", e.type)
        e.is_scalar = True
        return e

    def checked(self, pattern, *parts):
        """`pattern` with `parts` put in, where NumPy has that operation on these dtypes; its dtype is NumPy's."""
        names, text = {"np": np}, pattern.text
        if pattern.text.find(" ** ") > 0 or pattern.text.find(" << ") > 0 or pattern.text.find(" >> ") > 0:
            amount = Expr("2", "2", "int64", True)
            amount.is_scalar = True
            parts = (parts[0] if not getattr(parts[0], "is_scalar", False) else parts[1], amount)
        for i, part in enumerate(parts):
            if part.weak:
                names[f"x{i}"] = {"int64": 1, "float64": 1.0, "complex128": 1j}[part.type]
            elif getattr(part, "is_scalar", False):
                names[f"x{i}"] = np.dtype(part.type).type(1)
            else:
                names[f"x{i}"] = np.ones(1, part.type)
            text = text.replace("#", f"x{i}", 1)
        try:
            dtype = np.asarray(eval(text, names)).dtype.name
        except (TypeError, ValueError):
            return None
        if " ** " in text and parts[0].type == "bool":
            return None
        loose = " ** " in text or dtype in rules.COMPLEX and (" / " in text or "divide" in text)
        loose = loose or any(p.loose for p in parts)
        if loose and any(word in text for word in ("floor", "ceil", "trunc", "rint", "sign", "equal", "//", "%", "<", ">", "rem")):
            return None
        weak_int_too_big = any(p.weak and p.type == "int64" and int(p.text) > 100 for p in parts)
        if dtype == "float16" or weak_int_too_big or dtype not in rules.ALL:
            return None
        user, oracle = pattern.text, pattern.oracle
        for part in parts:
            user, oracle = user.replace("#", part.text, 1), oracle.replace("#", part.oracle, 1)
        return Expr(user, oracle, dtype, loose=loose)
