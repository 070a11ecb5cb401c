"""Makes random typed programs in two texts: as a user would write them, and as the oracle runs them in CPython + NumPy.

The oracle's text is the same program with every scalar operation spelled as a call of `oracle.Machine`, which knows the
machine types (docs/user/differences.md): the generator infers them as it goes, the same way as the compiler should.
"""

import random
from dataclasses import dataclass, field

import rules
from array_statements import PARTS, ArrayStatements
from expressions import Expr, Expressions

SCALARS = ("int64", "int64", "uint64", "float64", "float64", "float32", "bool", "complex128", *rules.ALL)


@dataclass
class Array:
    dtype: str
    ndim: int
    writable: bool = True


@dataclass
class Function:
    name: str
    parameters: list  # types
    result: str
    keyword: tuple | None = None  # (name, type of the argument)
    omitted: bool = False  # no call gives the keyword argument


@dataclass
class Program:
    seed: int
    source: str
    oracle: str
    parameters: list  # (name, kind): a scalar type, "array:dtype:ndim:flags", "tuple:t1,t2" or "optional:type"
    options: dict = field(default_factory=dict)  # of njit


class Generator(ArrayStatements, Expressions):
    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.lines, self.oracle_lines = [], []
        self.scalars = {}  # name -> type
        self.arrays = {}  # name -> Array
        self.optionals = {}  # name -> type of the value
        self.fixed = set()  # names that are not assigned again
        self.functions = []
        self.returned = []  # (user's text, oracle's text)
        self.loops = 0
        self.counter = 0
        # Each program has a few kinds of statements only, so that they meet often (swarm testing).
        self.kinds = ["assign", *(k for k in self.STATEMENTS if self.chance(0.4))]
        self.boundscheck = self.chance(0.2)
        self.error_model = "numpy" if self.chance(0.2) else "python"

    # ------------------------------------------------------------------ text

    def emit(self, depth, user, oracle=None):
        self.lines.append("    " * depth + user)
        self.oracle_lines.append("    " * depth + (user if oracle is None else oracle))

    def emit_oracle(self, depth, oracle):
        self.oracle_lines.append("    " * depth + oracle)

    def fresh(self, prefix="v"):
        self.counter += 1
        return f"{prefix}{self.counter}"

    # ------------------------------------------------------------ statements

    STATEMENTS = ("assign", "assign", "assign", "update", "branch", "branch", "for_range", "for_each", "while_loop",
                  "store", "tuples", "array", "reduce", "slice", "near", "walrus", "unassigned", "optional", "divmod_call",
                  "fail", "closure", "in_place", "axis", "arrays", "arrays")  # fmt: skip

    def statement(self, depth, budget):
        kind = self.choice(self.kinds)
        if budget <= 0 and kind in ("branch", "for_range", "for_each", "while_loop"):
            kind = "assign"
        getattr(self, "make_" + kind)(depth, budget)

    def assignable(self, kinds=None):
        return [n for n in self.names(kinds) if n not in self.fixed]

    def make_assign(self, depth, budget):
        value = self.strong(3)
        if depth > 1:  # inside a branch or loop a variable keeps its type, but where make_branch joins
            names = self.assignable((value.type,))
            if not names:
                return
            name = self.choice(names)
        else:
            name = self.fresh()
        self.emit(depth, f"{name} = {value.text}", f"{name} = {value.oracle}")
        self.scalars[name] = value.type

    def make_update(self, depth, budget):
        names = self.assignable()
        if not names:
            return
        name = self.choice(names)
        kind = self.scalars[name]
        value = self.literal() if self.chance(0.3) else self.leaf()
        op = self.choice("+-*")
        result = rules.arithmetic(Expr(name, name, kind), value)
        if result != kind and depth > 1:
            return
        self.emit(depth, f"{name} {op}= {value.text}", f"{name} = M.binary({op!r}, {name}, {value.oracle}, {result!r})")
        self.scalars[name] = result

    def make_walrus(self, depth, budget):
        value = self.strong(2, rules.REAL)
        name = self.fresh("w")
        test = self.choice(("<", ">=", "!="))
        other = self.leaf(rules.REAL)
        self.emit(depth, f"if ({name} := {value.text}) {test} {other.text}:",
                  f"if M.compare({test!r}, ({name} := {value.oracle}), {other.oracle}):")  # fmt: skip
        self.scalars[name] = value.type
        self.block(depth + 1, 0)

    def block(self, depth, budget, count=None):
        before = dict(self.scalars), dict(self.arrays), dict(self.optionals), list(self.functions), list(self.returned)
        start = len(self.lines)
        for _ in range(count or self.random.randint(1, 3)):
            self.statement(depth, budget - 1)
        if len(self.lines) == start:
            self.emit(depth, "pass")
        self.scalars, self.arrays, self.optionals, self.functions, self.returned = before

    def make_branch(self, depth, budget):
        test = self.condition(2)
        assigned = [n for n in self.assignable() if n[0] != "u"]
        joined = self.choice(assigned) if self.chance(0.4) and assigned else None
        kind = self.scalars.get(joined)
        new = self.strong(2) if joined else None
        result = rules.unify(kind, new.type) if joined else None
        if joined and depth > 1 and result != kind:
            joined = None
        self.emit(depth, f"if {test.text}:", f"if {test.oracle}:")
        self.block(depth + 1, budget)
        if joined:
            self.emit(depth + 1, f"{joined} = {new.text}", f"{joined} = {new.oracle}")
        roll = self.random.random()
        if roll < 0.2:
            other = self.condition(1)
            self.emit(depth, f"elif {other.text}:", f"elif {other.oracle}:")
            self.block(depth + 1, budget)
        if roll < 0.6:
            self.emit(depth, "else:")
            self.block(depth + 1, budget)
        if joined:
            self.emit_oracle(depth, f"{joined} = M.cast({joined}, {result!r})")
            self.scalars[joined] = result

    def loop_body(self, depth, budget, names):
        """The body of a loop with variables `names`; one more variable may be widened by an accumulation."""
        self.loops += 1
        accumulated = self.accumulator
        outer = dict(self.scalars)
        self.scalars.update(names)
        frozen = set(names) - self.fixed
        self.fixed |= frozen
        self.block(depth + 1, budget)
        if self.chance(0.2):
            test = self.condition(1)
            self.emit(depth + 1, f"if {test.text}:", f"if {test.oracle}:")
            self.emit(depth + 2, self.choice(("break", "continue")))
        if accumulated:
            name, kind, added = accumulated
            whole = self.choice([n for n in self.names(("int64",)) if n in self.fixed and n != name])
            # Of an int and floats: the floats must not depend on the sum.
            value = self.leaf(added) if added else Expr(f"float({whole})", f"float({whole})", "float64")
            result = rules.arithmetic(Expr(name, name, kind), value)
            if rules.unify(kind, result) != kind or value.text == name:
                value = Expr("1.0", "1.0", "float64", True) if kind == "float64" else Expr("1", "1", "int64", True)
                result = kind
            self.emit(depth + 1, f"{name} += {value.text}",
                      f"{name} = M.cast(M.binary('+', {name}, {value.oracle}, {result!r}), {kind!r})")  # fmt: skip
        self.fixed -= frozen
        self.scalars = outer
        self.loops -= 1
        if self.chance(0.25):
            self.emit(depth, "else:")
            self.block(depth + 1, 0, 1)

    def accumulate(self, depth):
        """Maybe starts a variable with a literal before a loop that adds machine numbers to it: it is no literal there."""
        self.accumulator = None
        if depth == 1 and self.chance(0.4):
            name = self.fresh("s")
            literal, kind = self.choice((("0.0", "float64"), ("0", "int64"), ("1.5", "float64"), ("0", "float64")))  # of 0 and floats: float64
            added = None if literal == "0" and kind == "float64" else ("float64", "int64", "float32", "int32")
            self.emit(depth, f"{name} = {literal}", f"{name} = M.cast({literal}, {kind!r})")
            self.accumulator = (name, kind, added)
            self.scalars[name] = kind
            self.fixed.add(name)

    def make_for_range(self, depth, budget):
        if self.loops >= 2:
            return
        self.accumulate(depth)
        name = self.fresh("i")
        arrays = [n for n, a in self.arrays.items() if a.ndim]
        bounds = self.choice(("5", "1, 6", "6, 0, -2", "3, 3", "-2, 4, 3"))
        kind, oracle = "int64", None
        if arrays and self.chance(0.5):
            bounds = f"{self.choice(arrays)}.shape[0]"
        elif self.chance(0.3):
            small = self.leaf(("int8", "uint8", "bool", "int32", "uint16"))
            if small.type != "bool":
                bounds, oracle = f"{small.text} % 5", f"M.binary('%', {small.oracle}, 5, 'int64')"
        self.emit(depth, f"for {name} in range({bounds}):", f"for {name} in range({oracle or bounds}):")
        self.loop_body(depth, budget, {name: kind})
        if depth == 1 and self.chance(0.15):
            self.returned.append((name, name))  # perhaps unassigned

    def make_for_each(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.ndim == 1]
        rows = [n for n, a in self.arrays.items() if a.ndim == 2]
        if self.loops >= 2 or not names + rows:
            return
        self.accumulate(depth)
        if rows and (not names or self.chance(0.3)):
            array, value, before = self.choice(rows), self.fresh("e"), dict(self.arrays)
            self.emit(depth, f"for {value} in {array}:")
            self.arrays[value] = Array(self.arrays[array].dtype, 1, self.arrays[array].writable)
            self.loop_body(depth, budget, {})
            self.arrays = before
            return
        array, value = self.choice(names), self.fresh("e")
        roll = self.random.random()
        dtype = self.arrays[array].dtype
        if roll < 0.4:
            self.emit(depth, f"for {value} in {array}:", f"for {value} in map(plain, {array}):")
            self.loop_body(depth, budget, {value: dtype})
        elif roll < 0.7:
            index = self.fresh("i")
            start = self.choice(("", ", 3", ", start=2"))
            self.emit(depth, f"for {index}, {value} in enumerate({array}{start}):",
                      f"for {index}, {value} in enumerate(map(plain, {array}){start}):")  # fmt: skip
            self.loop_body(depth, budget, {index: "int64", value: dtype})
        else:
            other, second = self.choice(names), self.fresh("e")
            self.emit(depth, f"for {value}, {second} in zip({array}, {other}):",
                      f"for {value}, {second} in zip(map(plain, {array}), map(plain, {other})):")  # fmt: skip
            self.loop_body(depth, budget, {value: dtype, second: self.arrays[other].dtype})

    def make_while_loop(self, depth, budget):
        if self.loops >= 2:
            return
        extra, bound = self.condition(1), self.random.randint(1, 5)
        if self.chance(0.5):
            extra = Expr("True", "True", "bool")
        self.accumulate(depth)
        name = self.fresh("k")
        self.emit(depth, f"{name} = 0")
        self.emit(depth, f"while {name} < {bound} and {extra.text}:", f"while {name} < {bound} and {extra.oracle}:")
        self.emit(depth + 1, f"{name} += 1")
        self.loop_body(depth, budget, {name: "int64"})

    def make_store(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.writable and a.ndim]
        if not names:
            return
        array = self.choice(names)
        value = self.scalar(2)
        if value.type in rules.COMPLEX and self.arrays[array].dtype not in rules.COMPLEX:
            return
        if self.arrays[array].dtype == "bool" and value.type != "bool":
            return
        user, oracle = self.indices(array)
        if self.chance(0.25) and not value.weak:
            old = self.arrays[array].dtype
            op = self.choice("+-*")
            result = rules.promote(old, value.type)
            if result in rules.COMPLEX and old not in rules.COMPLEX or old == "bool":
                return
            self.emit(depth, f"{array}[{user}] {op}= {value.text}",
                      f"M.update({array}, ({oracle},), {op!r}, lambda: {value.oracle}, {result!r})")  # fmt: skip
            return
        self.emit(depth, f"{array}[{user}] = {value.text}", f"M.store({array}, {value.oracle}, ({oracle},))")

    def make_tuples(self, depth, budget):
        if depth > 1:
            names = self.assignable()
            pairs = [(a, b) for a in names for b in names if a < b and self.scalars[a] == self.scalars[b]]
            if pairs:
                a, b = self.choice(pairs)
                self.emit(depth, f"{a}, {b} = {b}, {a}")
            return
        items = [self.strong(1) for _ in range(self.random.randint(2, 3))]
        name, targets = self.fresh("t"), [self.fresh() for _ in items]
        test = self.condition(1)
        others = [self.strong(1) for _ in items]
        kinds = [i.type for i in items]
        user, oracle = ", ".join(i.text for i in items), ", ".join(i.oracle for i in items)
        if self.chance(0.3):  # a choice of tuples: joined item by item
            kinds = [rules.unify(a.type, b.type) for a, b in zip(items, others)]
            user = f"({user}) if {test.text} else ({', '.join(o.text for o in others)})"
            oracle = f"({oracle}) if {test.oracle} else ({', '.join(o.oracle for o in others)})"
            oracle = f"tuple(map(M.cast, {oracle}, {tuple(kinds)!r}))"
        self.emit(depth, f"{name} = ({user})", f"{name} = ({oracle})")
        if self.chance(0.3):
            nested = self.fresh("t")
            self.emit(depth, f"{nested} = ({name}, {name}[-1])")
            rest = self.fresh()
            self.emit(depth, f"({', '.join(targets)}), {rest} = {nested}")
            self.scalars[rest] = kinds[-1]
            self.returned.append((nested, nested))
        else:
            self.emit(depth, f"{', '.join(targets)} = {name}")
        self.scalars.update(dict(zip(targets, kinds)))

    def make_divmod_call(self, depth, budget):
        if depth > 1:
            return
        a, b = self.leaf(rules.INTS), self.leaf(rules.INTS)
        result = rules.promote(a.type, b.type)
        q, r = self.fresh(), self.fresh()
        if result not in rules.INTS:
            return
        self.emit(depth, f"{q}, {r} = divmod({a.text}, {b.text})",
                  f"{q}, {r} = M.binary('//', {a.oracle}, {b.oracle}, {result!r}), M.binary('%', {a.oracle}, {b.oracle}, {result!r})")  # fmt: skip
        self.scalars.update({q: result, r: result})

    def make_near(self, depth, budget):
        if depth == 1:
            name = self.fresh("n")
            user, oracle = self.near()
            self.emit(depth, f"{name} = {user}", f"{name} = {oracle}")
            self.returned.append((name, name))

    def make_unassigned(self, depth, budget):
        if depth > 1 or not self.chance(0.5):
            return
        test, value, name, known = self.condition(2), self.strong(2), self.fresh("u"), self.fresh("c")
        self.emit(depth, f"{known} = {test.text}", f"{known} = {test.oracle}")
        self.emit(depth, f"if {known}:")
        self.emit(depth + 1, f"{name} = {value.text}", f"{name} = {value.oracle}")
        self.statement(depth, 0)
        if self.chance(0.5):
            self.emit(depth, f"if {known}:")
            self.emit(depth + 1, f"{self.fresh('d')} = {name}")
        else:
            self.scalars[name] = value.type

    def make_optional(self, depth, budget):
        if depth > 1:
            return
        if self.optionals and self.chance(0.5):
            name = self.choice(self.optionals)
        else:
            name, test, value = self.fresh("o"), self.condition(1), self.strong(2)
            self.emit(depth, f"{name} = None")
            self.emit(depth, f"if {test.text}:", f"if {test.oracle}:")
            self.emit(depth + 1, f"{name} = {value.text}", f"{name} = {value.oracle}")
            self.optionals[name] = value.type
            self.returned.append((name, name))
        kind = self.optionals[name]
        target, other = self.fresh(), self.argument(kind)
        result = rules.promote(kind, kind)
        if self.chance(0.5):  # still optional, as in Numba
            self.emit(depth, f"{target} = {other.text} if {name} is None else {name}",
                      f"{target} = {other.oracle} if {name} is None else {name}")  # fmt: skip
            self.returned.append((target, target))
        elif result != "bool":
            self.emit(depth, f"if {name} is not None:")
            self.emit(depth + 1, f"{target} = {name} + {name}", f"{target} = M.binary('+', {name}, {name}, {result!r})")
            self.emit(depth, "else:")
            self.emit(depth + 1, f"{target} = np.{result}({other.text})", f"{target} = M.cast({other.oracle}, {result!r})")
            self.scalars[target] = result

    def make_fail(self, depth, budget):
        if not self.chance(0.3):
            return
        test = self.condition(2)
        if self.chance(0.3):
            self.emit(depth, f"assert not {test.text}", f"assert not {test.oracle}")
            return
        error = self.choice(("ValueError", "IndexError", "TypeError", "RuntimeError"))
        self.emit(depth, f"if {test.text}:", f"if {test.oracle}:")
        self.emit(depth + 1, f"raise {error}('message')")

    def make_closure(self, depth, budget):
        """A nested function over variables that are not assigned again."""
        if depth > 1 or not self.scalars:
            return
        inner = Generator(self.random.randrange(2**30))
        inner.boundscheck, inner.error_model, inner.counter = self.boundscheck, self.error_model, self.counter + 100
        known = sorted(n for n in self.scalars if n[0] != "u")  # naja looks at captured variables where a closure is made
        captured = self.random.sample(known, min(2, len(known)))
        function = self.child(inner, {n: self.scalars[n] for n in captured})
        self.fixed |= set(captured)
        self.counter = inner.counter
        self.lines += ["    " * depth + line for line in inner.lines]
        self.oracle_lines += ["    " * depth + line for line in inner.oracle_lines]
        self.functions.append(function)

    def child(self, inner, captured):
        """Fills `inner` with a function of scalars; captured names are visible and fixed in it."""
        name, parameters = inner.fresh("g"), []
        for k in range(inner.random.randint(1, 3)):
            parameter = inner.fresh("p")
            inner.scalars[parameter] = inner.choice(SCALARS) if k else "int64"
            parameters.append(parameter)
        inner.fixed.add(parameters[0])  # an int64 that stays one, for leaf()
        function = Function(name, [inner.scalars[p] for p in parameters], "")
        if inner.chance(0.4) and not captured:
            literal = inner.literal()
            function.keyword, function.omitted = (inner.fresh("x"), literal.type), inner.chance(0.5)
            parameters.append(f"{function.keyword[0]}={literal.text}")
        inner.emit(0, f"def {name}({', '.join(parameters)}):")
        inner.scalars.update(captured)
        inner.fixed |= set(captured)
        if function.keyword:
            keyword = function.keyword[0]
            first = inner.leaf()
            value = Expr(keyword, keyword, function.keyword[1], function.omitted)
            result = rules.arithmetic(first, value)
            target = inner.fresh()
            inner.emit(1, f"{target} = {first.text} + {keyword}",
                       f"{target} = M.binary('+', {first.oracle}, {keyword}, {result!r})")  # fmt: skip
            inner.scalars[target] = result
        for _ in range(inner.random.randint(0, 3)):
            inner.choice((inner.make_assign, inner.make_branch, inner.make_for_range))(1, 1)
        value = inner.strong(2)
        inner.emit(1, f"return {value.text}", f"return {value.oracle}")
        function.result = value.type
        return function

    # ---------------------------------------------------------------- arrays

    def make_array(self, depth, budget):
        """An elementwise expression: NumPy's own semantics."""
        names = [n for n, a in self.arrays.items() if a.ndim]
        if depth > 1 or not names:
            return
        e = self.array_expression(self.arrays[self.choice(names)].ndim, 2)
        name = self.fresh("a")
        self.emit(depth, f"{name} = {e.text}", f"{name} = {e.oracle}")
        self.returned.append((name, f"M.loose({name})" if e.loose else name))
        if not e.loose and e.type not in rules.COMPLEX and self.chance(0.3):
            total = self.choice(("sum", "max", "mean"))
            self.returned.append((f"np.{total}({name})", f"M.reduce({total!r}, {name})"))

    def make_reduce(self, depth, budget):
        if depth > 1 or not self.arrays:
            return
        array, name = self.choice(self.arrays), self.fresh("r")
        names = ["sum", "mean", "prod", "any", "all"]
        if self.arrays[array].dtype not in rules.COMPLEX:
            names += ["max", "min", "argmax", "argmin", "var", "std"]
            names += ["ptp"] if self.arrays[array].dtype != "bool" else []
        what = self.choice(names)
        text = f"{array}.{what}()" if self.chance(0.5) and what != "ptp" else f"np.{what}({array})"
        self.emit(depth, f"{name} = {text}", f"{name} = M.reduce({what!r}, {array})")
        self.returned.append((name, name))

    def make_axis(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.ndim > 1]
        if depth > 1 or not names:
            return
        array, name = self.choice(names), self.fresh("r")
        axis = self.random.randrange(self.arrays[array].ndim)
        what = self.choice(("sum", "mean"))
        keyword = self.choice(("", "axis="))
        self.emit(depth, f"{name} = np.{what}({array}, {keyword}{axis})", f"{name} = M.reduce({what!r}, {array}, {axis})")
        self.returned.append((name, name))

    def make_slice(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.writable and a.ndim and a.dtype != "bool"]
        if not names:
            return
        array, part = self.choice(names), self.choice(PARTS)
        value = self.choice(("1", f"{array}[{part}][::-1]", f"{array}[{part}] + 1", f"{array}[0]"))
        if self.arrays[array].ndim > 1 and value == f"{array}[0]" or value.endswith("[0]") and not self.boundscheck:
            value = "0"
        self.emit(depth, f"{array}[{part}] = {value}")

    def make_in_place(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.writable and a.ndim and a.dtype in ("float64", "int64", "complex128")]
        if not names:
            return
        array = self.choice(names)
        others = [n for n, a in self.arrays.items() if a.ndim <= self.arrays[array].ndim and a.dtype == self.arrays[array].dtype]
        other, part = self.choice(others), self.choice(PARTS)
        op = self.choice("+-*")
        if self.chance(0.5):
            self.emit(depth, f"{array}[{part}] {op}= 2")
        else:
            self.emit(depth, f"{array} {op}= {other}")

    # --------------------------------------------------------------- program

    def parameter_list(self):
        parameters = []
        for k in range(self.random.randint(2, 4)):
            name, kind = self.fresh("p"), ("int64", "float64")[k] if k < 2 else self.choice(SCALARS)
            if k > 1 and self.chance(0.2):
                self.optionals[name] = kind
                kind = f"optional:{kind}"
            else:
                self.scalars[name] = kind
            parameters.append((name, kind))
        self.fixed.add(parameters[0][0])  # an int64 that stays one, for leaf()
        if self.chance(0.15):
            kinds = [self.choice(SCALARS) for _ in range(2)]
            parameters.append((self.fresh("z"), "tuple:" + ",".join(kinds)))
        for _ in range(self.random.choice((0, 1, 2, 2, 3))):
            dtype, ndim = self.choice(rules.ALL), self.choice((1, 1, 1, 2, 2, 3))
            flags = "r" if self.chance(0.1) else ""
            flags += "e" if self.chance(0.1) and (self.boundscheck or self.error_model == "python") else ""
            name = self.fresh("q")
            self.arrays[name] = Array(dtype, ndim, "r" not in flags)
            parameters.append((name, f"array:{dtype}:{ndim}:{flags}"))
        return parameters

    def program(self):
        helpers = [[], []]
        for k in range(self.random.choice((0, 0, 1, 2))):
            inner = Generator(self.random.randrange(2**30))
            inner.boundscheck, inner.error_model, inner.counter = self.boundscheck, self.error_model, 1000 * (k + 1)
            inner.functions = list(self.functions)
            function = self.child(inner, {})
            self.functions.append(function)
            helpers[0] += ["@njit", *inner.lines, ""]
            helpers[1] += [*inner.oracle_lines, ""]
        parameters = self.parameter_list()
        self.emit(0, f"def f({', '.join(n for n, _ in parameters)}):")
        for n, kind in parameters:
            if kind.startswith("tuple:"):
                targets = [self.fresh(), self.fresh()]
                self.emit(1, f"{', '.join(targets)} = {n}")
                self.scalars.update(dict(zip(targets, kind[6:].split(","))))
        for _ in range(self.random.randint(3, 9)):
            self.statement(1, 2)
        names = list(self.scalars)
        self.random.shuffle(names)
        results = [(n, n) for n in names[:12]] + self.returned[:8] or [("0", "0")]
        self.emit(1, f"return ({', '.join(u for u, _ in results)},)", f"return ({', '.join(o for _, o in results)},)")
        options = {"boundscheck": True} if self.boundscheck else {}
        if self.error_model == "numpy":
            options["error_model"] = "numpy"
        return Program(self.seed, "\n".join([*helpers[0], *self.lines]) + "\n",
                       "\n".join([*helpers[1], *self.oracle_lines]) + "\n", parameters, options)  # fmt: skip


def make_program(seed):
    return Generator(seed).program()
