"""Random statements that make arrays: views, copies, choices of arrays, functions of NumPy's."""

import numpy as np
import rules

PARTS = (":", "1:", ":-1", "::2", "::-1", "1:4", "-3:", "4:1:-1", "10:")
KEEPS_ONE = (":", "::2", "::-1", "-3:")  # never empty where the array is not
ANY_SHAPE = ("#.copy()", "#.flatten()", "np.ravel(#)", "np.ones_like(#)", "np.zeros_like(#)", "np.atleast_1d(#)", "#.T",
             "np.ascontiguousarray(#)", "np.asfortranarray(#)", "np.clip(#, 1, 5)", "np.full(#.shape, 3)",
             "np.full_like(#, 2)", "#.astype(np.float64)", "#.astype(np.complex128)", "#.astype(np.bool_)",
             "np.zeros(#.shape, np.int8)", "np.isnan(#)", "np.repeat(#, 2)")  # fmt: skip
MAY_BE_VIEWS = ("np.ravel(#)", "#.T", "np.atleast_1d(#)", "np.ascontiguousarray(#)", "np.asfortranarray(#)")
ONE_AXIS = ("np.concatenate((#, #))", "np.concatenate((#, #[::-1]))", "np.sort(#)", "np.cumsum(#)", "np.diff(#)",
            "np.unique(#)", "np.nonzero(#)[0]", "np.argsort(#, kind='mergesort')", "np.flip(#)", "np.hstack((#, #))",
            "np.vstack((#, #))", "np.roll(#, 2)", "np.append(#, #)", "np.arange(len(#))", "np.outer(#, #)",
            "np.column_stack((#, #))", "np.expand_dims(#, 0)")  # fmt: skip


class ArrayStatements:
    """Needs what Expressions need, and: emit, fresh, returned."""

    @property
    def may_be_empty(self):
        """Whether arrays without elements are harmless: an index into one raises."""
        return self.boundscheck or self.error_model == "python"

    def make_arrays(self, depth, budget):
        names = [n for n, a in self.arrays.items() if a.ndim]
        if depth > 1 or not names:
            return
        array = self.choice(names)
        make = self.choice((self.view, self.view, self.row, self.alternative, self.selection, self.made, self.made))
        found = make(array)
        if found is None:
            return
        user, oracle, new = found
        name = self.fresh("q")
        self.emit(depth, f"{name} = {user}", f"{name} = {oracle}")
        self.arrays[name] = new
        self.returned.append((name, name))

    def variant(self, array, ndim=None, dtype=None, writable=None):
        old = self.arrays[array]
        return type(old)(dtype or old.dtype, old.ndim if ndim is None else ndim, old.writable if writable is None else writable)

    def view(self, array):
        part = self.choice(PARTS if self.may_be_empty else KEEPS_ONE)
        if self.arrays[array].ndim == 2 and self.chance(0.5):
            part = f"{self.choice(PARTS if self.may_be_empty else KEEPS_ONE)}, {part}"
        text = f"{array}[{part}]"
        return text, text, self.variant(array)

    def row(self, array):
        ndim = self.arrays[array].ndim
        if ndim < 2:
            return None
        user, oracle = self.index(array, 0)
        if ndim == 2 and self.chance(0.4):
            user, oracle = self.index(array, 1)
            return f"{array}[:, {user}]", f"{array}[:, {oracle}]", self.variant(array, 1)
        return f"{array}[{user}]", f"{array}[{oracle}]", self.variant(array, ndim - 1)

    def alternative(self, array):
        """One array or another, of one dtype and number of axes; perhaps of different layouts."""
        this = self.arrays[array]
        others = [n for n, a in self.arrays.items() if (a.dtype, a.ndim) == (this.dtype, this.ndim)]
        test, other = self.condition(1), self.choice(others)
        part = self.choice(KEEPS_ONE)
        return (f"({array}[{part}] if {test.text} else {other})", f"({array}[{part}] if {test.oracle} else {other})",
                self.variant(array, writable=this.writable and self.arrays[other].writable))  # fmt: skip

    def selection(self, array):
        this = self.arrays[array]
        if this.ndim != 1 or not self.may_be_empty or this.dtype in rules.COMPLEX:
            return None
        if self.boundscheck and self.chance(0.5):
            text = f"{array}[np.array([0, -1, 2, 0])]"
            return text, text, self.variant(array, writable=True)
        value = self.leaf(("float64", "int64"))
        return (f"{array}[{array} > {value.text}]", f"{array}[{array} > M.typed({value.oracle}, {value.type!r})]",
                self.variant(array, writable=True))  # fmt: skip

    def made(self, array):
        this = self.arrays[array]
        pattern = self.choice(ANY_SHAPE + ONE_AXIS if this.ndim == 1 else ANY_SHAPE)
        if "sort" in pattern and this.dtype in rules.COMPLEX:
            return None
        if ("unique" in pattern or "diff" in pattern or "nonzero" in pattern) and (
            not self.may_be_empty or this.dtype in ("bool", *rules.COMPLEX)
        ):
            return None
        if "cumsum" in pattern and this.dtype not in rules.INTS:
            return None
        if ("clip" in pattern or "outer" in pattern) and (this.dtype == "bool" or this.dtype in rules.COMPLEX):
            return None
        text = pattern.replace("#", array)
        sample = np.asarray(eval(text, {"np": np, array: np.ones((2,) * this.ndim, this.dtype)}))
        return text, text, self.variant(array, sample.ndim, sample.dtype.name, pattern not in MAY_BE_VIEWS)
