"""Makes random typed programs in two texts: as a user would write them, and as the oracle runs them in CPython + NumPy.

The oracle's text is the same program with every operation spelled as a call of `oracle.Machine`, which knows the machine
types (docs/user/differences.md): integers wrap at their width and promote to 64 bits, float32 stays float32.
"""

import random
from dataclasses import dataclass

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
SCALARS = ("int64", "uint64", "float64", "float32", "bool", "complex128")
ARRAY_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
                "complex128")  # fmt: skip


@dataclass
class Expr:
    text: str  # what the user writes
    oracle: str  # what the oracle evaluates
    type: str  # machine type of the value
    weak: bool = False  # a literal


@dataclass
class Program:
    seed: int
    source: str
    oracle: str
    parameters: list  # (name, type): a scalar type, "array:dtype:ndim" or "tuple:t1,t2"


def is_int(t):
    return t in INTS


def is_signed(t):
    return t.startswith("int")


def promote(a, b, weak_a=False, weak_b=False):
    """Result type of + - * on machine scalars (bool counts as int64, next to uint64 as uint64)."""
    if weak_a and not weak_b and b != "bool":
        return adapt(a, b)
    if weak_b and not weak_a and a != "bool":
        return adapt(b, a)
    if "complex128" in (a, b):
        return "complex128"
    if a in FLOATS or b in FLOATS:
        return "float32" if a == b == "float32" or {a, b} == {"float32", "bool"} else "float64"
    bool_as = "uint64" if {a, b} == {"bool", "uint64"} else "int64"
    a, b = (bool_as if t == "bool" else t for t in (a, b))
    if is_signed(a) == is_signed(b):
        return "int64" if is_signed(a) else "uint64"
    return "float64" if "uint64" in (a, b) and "int64" in (a, b) else "int64"


def adapt(weak, strong):
    """Result type of a literal with a strong scalar."""
    if weak == "int64":
        return strong if strong == "uint64" or not is_int(strong) else "int64"
    if weak == "float64":
        return "float64" if is_int(strong) else strong
    return "complex128"


class Generator:
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.lines, self.oracle_lines = [], []
        self.scalars = {}  # name -> type
        self.arrays = {}  # name -> (dtype, ndim)
        self.tuples = {}  # name -> item types
        self.loops = 0
        self.counter = 0

    # ------------------------------------------------------------------ text

    def emit(self, depth, user, oracle=None):
        self.lines.append("    " * depth + user)
        self.oracle_lines.append("    " * depth + (oracle or user))

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    def choice(self, items):
        return self.random.choice(list(items))

    # ----------------------------------------------------------- expressions

    def literal(self, kinds=("int64", "float64")):
        kind = self.choice(kinds)
        if kind == "int64":
            value = str(self.choice((0, 1, 2, 3, 5, 7, 10, 63, 100)))
        elif kind == "float64":
            value = repr(self.choice((0.0, 0.5, 1.0, 1.5, 2.25, 3.0, 1e-3, 100.0)))
        else:
            value = self.choice(("1j", "(2+0.5j)", "(0.5-1j)"))
        return Expr(value, value, kind, True)

    def leaf(self, wanted=None):
        names = [n for n, t in self.scalars.items() if wanted is None or t in wanted]
        elements = [n for n, (d, _) in self.arrays.items() if wanted is None or d in wanted]
        roll = self.random.random()
        if elements and roll < 0.25:
            return self.element(self.choice(elements))
        if names:
            name = self.choice(names)
            return Expr(name, name, self.scalars[name])
        if elements:
            return self.element(self.choice(elements))
        kinds = [k for k in ("int64", "float64") if wanted is None or k in wanted] or ["int64"]
        kind = self.choice(kinds)
        value = str(self.random.randint(0, 9)) + (".5" if kind == "float64" else "")
        convert = "np.int64" if kind == "int64" else "np.float64"
        return Expr(f"{convert}({value})", value, kind)

    def index(self, array, axis):
        """An index that is in range: positive or negative."""
        inner = self.int_leaf()
        size = f"{array}.shape[{axis}]"
        user = f"{inner.text} % {size}"
        oracle = f"M.binary('%', {inner.oracle}, {inner.type!r}, {size}, 'int64', 'int64')"
        if self.random.random() < 0.3:
            return f"-1 - ({user})", f"(-1 - {oracle})"
        return user, oracle

    def int_leaf(self):
        names = [n for n, t in self.scalars.items() if t == "int64"]
        if names:
            name = self.choice(names)
            return Expr(name, name, "int64")
        value = str(self.random.randint(0, 5))
        return Expr(value, value, "int64", True)

    def element(self, array):
        dtype, ndim = self.arrays[array]
        pairs = [self.index(array, axis) for axis in range(ndim)]
        user = ", ".join(u for u, _ in pairs)
        oracle = ", ".join(o for _, o in pairs)
        return Expr(f"{array}[{user}]", f"M.load({array}, ({oracle},))", dtype)

    def scalar(self, depth=2):
        if depth == 0:
            return self.literal() if self.random.random() < 0.2 else self.leaf()
        roll = self.random.random()
        if roll < 0.6:
            return self.binary(depth)
        if roll < 0.7:
            return self.unary(depth)
        if roll < 0.8:
            return self.conditional(depth)
        if roll < 0.9:
            return self.function(depth)
        return self.leaf()

    def operands(self, depth, wanted=None):
        while True:
            a, b = self.scalar(depth - 1), self.scalar(depth - 1)
            if not (a.weak and b.weak) and (wanted is None or all(e.type in wanted for e in (a, b))):
                return a, b
            if wanted is not None:
                return self.leaf(wanted), self.leaf(wanted)

    def binary(self, depth):
        op = self.choice(("+", "-", "*", "+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "**"))
        if op in "&|^":
            a, b = self.operands(depth, ("int64", "uint64", "bool", "int32", "uint8"))
            if a.type != b.type:
                b = a
            result = a.type if a.type == "bool" else promote(a.type, b.type)
        elif op in ("<<", ">>"):
            a = self.leaf(("int64", "uint64"))
            amount = self.choice((0, 1, 3, 17, 63))
            b = Expr(str(amount), str(amount), "int64", True)
            if a.type not in ("int64", "uint64"):
                return a
            result = a.type
        elif op == "**":
            a = self.leaf(("float64", "int64", "uint64"))
            power = self.choice((0, 1, 2, 3))
            b = Expr(str(power), str(power), "int64", True)
            if a.type not in ("float64", "int64", "uint64"):
                return a
            result = a.type
        else:
            a, b = self.operands(depth)
            if op in ("//", "%") and "complex128" in (a.type, b.type):
                op = "+"
            result = promote(a.type, b.type, a.weak, b.weak)
            if op == "/" and result not in ("float32", "complex128"):
                result = "float64"
        user = f"({a.text} {op} {b.text})"
        return Expr(user, f"M.binary({op!r}, {a.oracle}, {a.type!r}, {b.oracle}, {b.type!r}, {result!r})", result)

    def unary(self, depth):
        a = self.scalar(depth - 1)
        if a.weak:
            return a
        if is_int(a.type) or a.type == "bool":
            result = promote(a.type, a.type)
            op = "-" if a.type == "bool" else self.choice("-~")
            return Expr(f"({op}{a.text})", f"M.unary({op!r}, {a.oracle}, {result!r})", result)
        return Expr(f"(-{a.text})", f"M.unary('-', {a.oracle}, {a.type!r})", a.type)

    def condition(self, depth):
        real = ("int64", "uint64", "float64", "float32", "int32", "uint8")
        a, b = self.operands(depth, real)
        if any(e.type == "complex128" for e in (a, b)):
            return Expr("True", "True", "bool")
        op = self.choice(("<", "<=", ">", ">=", "==", "!="))
        test = Expr(f"({a.text} {op} {b.text})", f"M.compare({op!r}, {a.oracle}, {b.oracle})", "bool")
        roll = self.random.random()
        if depth > 1 and roll < 0.3:
            other = self.condition(depth - 1)
            word = self.choice(("and", "or"))
            return Expr(f"({test.text} {word} {other.text})", f"({test.oracle} {word} {other.oracle})", "bool")
        if roll < 0.4:
            return Expr(f"(not {test.text})", f"(not {test.oracle})", "bool")
        return test

    def conditional(self, depth):
        a = self.scalar(depth - 1)
        same = [n for n, t in self.scalars.items() if t == a.type]
        if a.weak or not same:
            return a
        test, other = self.condition(1), self.choice(same)
        return Expr(f"({a.text} if {test.text} else {other})", f"({a.oracle} if {test.oracle} else {other})", a.type)

    def function(self, depth):
        a = self.scalar(depth - 1)
        if a.weak or a.type == "complex128":
            return a
        name = self.choice(("abs", "float", "int", "math.sqrt", "math.sin", "math.exp", "math.floor", "max", "min",
                            "round", "np.float32", "np.int32", "np.uint8", "bool"))  # fmt: skip
        if name in ("max", "min"):
            same = [n for n, t in self.scalars.items() if t == a.type]
            if not same or a.type == "bool":
                return a
            other = self.choice(same)
            return Expr(f"{name}({a.text}, {other})", f"M.{name}({a.oracle}, {other})", a.type)
        result = {"float": "float64", "int": "int64", "math.floor": "int64", "round": "int64", "np.float32": "float32",
                  "np.int32": "int32", "np.uint8": "uint8", "bool": "bool"}.get(name)  # fmt: skip
        if name == "abs":
            result = promote(a.type, a.type) if is_int(a.type) or a.type == "bool" else a.type
        if name in ("round", "math.floor") and a.type not in FLOATS:
            return a
        if name == "int" and a.type == "uint64":
            return a
        if result is None:
            result = "float32" if a.type == "float32" else "float64"
        return Expr(f"{name}({a.text})", f"M.call({name!r}, {a.oracle}, {a.type!r}, {result!r})", result)

    # ------------------------------------------------------------ statements

    def statement(self, depth, budget):
        kinds = ["assign", "assign", "update", "if", "for", "store", "tuple", "array", "reduce", "while", "slice"]
        kind = self.choice(kinds)
        if budget <= 0 and kind in ("if", "for", "while"):
            kind = "assign"
        getattr(self, "make_" + kind)(depth, budget)

    def make_assign(self, depth, budget):
        value = self.scalar(3)
        if value.weak:
            return
        if depth > 1:  # inside a branch or loop only a variable of the same type, so that joins keep it
            names = [n for n, t in self.scalars.items() if t == value.type and not n.startswith("i")]
            if not names:
                return
            name = self.choice(names)
        else:
            name = self.fresh()
            self.scalars[name] = value.type
        self.emit(depth, f"{name} = {value.text}", f"{name} = {value.oracle}")

    def make_update(self, depth, budget):
        names = [n for n, t in self.scalars.items() if t in ("int64", "float64") and not n.startswith("i")]
        if not names:
            return
        name = self.choice(names)
        kind = self.scalars[name]
        value = self.leaf((kind,))
        if value.type != kind:
            return
        op = self.choice("+-*")
        self.emit(depth, f"{name} {op}= {value.text}",
                  f"{name} = M.binary({op!r}, {name}, {kind!r}, {value.oracle}, {kind!r}, {kind!r})")  # fmt: skip

    def block(self, depth, budget):
        before = dict(self.scalars), dict(self.arrays), dict(self.tuples)
        start = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth, budget - 1)
        if len(self.lines) == start:
            self.emit(depth, "pass")
        self.scalars, self.arrays, self.tuples = before

    def make_if(self, depth, budget):
        test = self.condition(2)
        self.emit(depth, f"if {test.text}:", f"if {test.oracle}:")
        self.block(depth + 1, budget)
        if self.random.random() < 0.6:
            self.emit(depth, "else:")
            self.block(depth + 1, budget)

    def make_for(self, depth, budget):
        if self.loops >= 2:
            return
        self.loops += 1
        name = self.fresh("i")
        arrays = [a for a in self.arrays]
        bounds = self.choice(("5", "1, 6", "6, 0, -2", "3, 3", "-2, 4, 3"))
        if arrays and self.random.random() < 0.5:
            bounds = f"{self.choice(arrays)}.shape[0]"
        self.emit(depth, f"for {name} in range({bounds}):")
        outer = dict(self.scalars)
        self.scalars[name] = "int64"
        self.block(depth + 1, budget)
        if self.random.random() < 0.2:
            test = self.condition(1)
            word = self.choice(("break", "continue"))
            self.emit(depth + 1, f"if {test.text}:", f"if {test.oracle}:")
            self.emit(depth + 2, word)
        self.scalars = outer
        self.loops -= 1

    def make_while(self, depth, budget):
        if self.loops >= 2:
            return
        self.loops += 1
        name = self.fresh("iw")
        self.emit(depth, f"{name} = 0")
        self.emit(depth, f"while {name} < {self.random.randint(1, 5)}:")
        self.emit(depth + 1, f"{name} += 1")
        outer = dict(self.scalars)
        self.scalars[name] = "int64"
        self.block(depth + 1, budget)
        self.scalars = outer
        self.loops -= 1

    def make_store(self, depth, budget):
        if not self.arrays:
            return
        array = self.choice(self.arrays)
        dtype, ndim = self.arrays[array]
        value = self.scalar(2)
        if value.type == "complex128" and dtype != "complex128":
            return
        if value.type in FLOATS and is_int(dtype):
            return
        pairs = [self.index(array, axis) for axis in range(ndim)]
        user, oracle = ", ".join(u for u, _ in pairs), ", ".join(o for _, o in pairs)
        self.emit(depth, f"{array}[{user}] = {value.text}", f"M.store({array}, ({oracle},), {value.oracle})")

    def make_tuple(self, depth, budget):
        if depth > 1:
            names = [n for n in self.scalars if not n.startswith("i")]
            pairs = [(a, b) for a in names for b in names if a < b and self.scalars[a] == self.scalars[b]]
            if pairs:
                a, b = self.choice(pairs)
                self.emit(depth, f"{a}, {b} = {b}, {a}")
            return
        items = [self.scalar(1) for _ in range(self.random.randint(2, 3))]
        items = [i for i in items if not i.weak]
        if len(items) < 2:
            return
        name = self.fresh("t")
        self.emit(depth, f"{name} = ({', '.join(i.text for i in items)})",
                  f"{name} = ({', '.join(i.oracle for i in items)})")  # fmt: skip
        targets = [self.fresh() for _ in items]
        self.emit(depth, f"{', '.join(targets)} = {name}")
        self.scalars.update({t: i.type for t, i in zip(targets, items)})

    def make_array(self, depth, budget):
        """An elementwise expression over arrays of one shape: NumPy's own semantics."""
        if depth > 1 or not self.arrays:
            return
        base = self.choice(self.arrays)
        dtype, ndim = self.arrays[base]
        same = [a for a, (_, n) in self.arrays.items() if n == ndim]
        text = self.array_expression(same, 2)
        name = self.fresh("a")
        self.emit(depth, f"{name} = {text}")
        self.emit(depth, f"total{name} = np.sum({name} * 1.0)")
        self.returned.append(f"total{name}")
        self.returned.append(name)

    def array_expression(self, arrays, depth):
        if depth == 0:
            return self.choice(arrays)
        a = self.array_expression(arrays, depth - 1)
        if self.random.random() < 0.2:
            return f"np.abs({a})"
        b = self.choice((self.array_expression(arrays, depth - 1), "2", "0.5", "3"))
        op = self.choice(("+", "-", "*", "<", ">="))
        if op in ("<", ">="):
            return f"np.where(np.real({a}) {op} np.real({self.choice(arrays)}), {a}, {self.choice(arrays)})"
        return f"({a} {op} {b})"

    def make_reduce(self, depth, budget):
        if depth > 1 or not self.arrays:
            return
        array = self.choice(self.arrays)
        dtype, _ = self.arrays[array]
        if dtype == "complex128":
            return
        what = self.choice(("sum", "max", "min", "mean", "prod", "any", "all", "argmax", "argmin"))
        name = self.fresh("r")
        self.emit(depth, f"{name} = {self.choice((f'{array}.{what}()', f'np.{what}({array})'))}")
        self.returned.append(name)

    def make_slice(self, depth, budget):
        if not self.arrays:
            return
        array = self.choice(self.arrays)
        part = self.choice((":", "1:", ":-1", "::2", "::-1", "1:4", "-3:", "4:1:-1", "10:"))
        value = self.choice(("1", f"{array}[{part}][::-1]", f"{array}[{part}] + 1", f"{array}[0]"))
        if self.arrays[array][1] > 1 and value == f"{array}[0]":
            value = "0"
        self.emit(depth, f"{array}[{part}] = {value}")

    # --------------------------------------------------------------- program

    def program(self):
        parameters = []
        self.returned = []
        for _ in range(self.random.randint(2, 4)):
            kind = self.choice(SCALARS)
            name = self.fresh("p")
            self.scalars[name] = kind
            parameters.append((name, kind))
        for _ in range(self.random.randint(0, 2)):
            dtype, ndim = self.choice(ARRAY_DTYPES), self.choice((1, 1, 2, 3))
            name = self.fresh("q")
            self.arrays[name] = (dtype, ndim)
            parameters.append((name, f"array:{dtype}:{ndim}"))
        for _ in range(self.random.randint(3, 9)):
            self.statement(1, 2)
        names = list(self.scalars)
        self.random.shuffle(names)
        results = names[:5] + self.returned[:6]
        self.emit(1, f"return ({', '.join(results)},)")
        head = f"def f({', '.join(n for n, _ in parameters)}):"
        return Program(self.seed, "\n".join([head, *self.lines]) + "\n", "\n".join([head, *self.oracle_lines]) + "\n",
                       parameters)  # fmt: skip


def make_program(seed):
    return Generator(seed).program()
