"""The object that jit makes: what it shows of itself and of what it has compiled."""

import copy
import io

import numpy as np
import pytest
from naja import errors, njit, types
from naja.extending import is_jitted


@njit
def add(x, y=10):
    """Adds."""
    return x + y


def fresh(function=None, **options):
    def f(x):
        s = x * 2
        return s + 1

    return njit(**options)(function or f)


def test_identity():
    assert add.__name__ == "add" and add.__qualname__ == "add" and add.__doc__ == "Adds." and add.__module__ == __name__
    assert add.py_func(1, 2) == 3 and add.__wrapped__ is add.py_func and is_jitted(add) and not is_jitted(add.py_func)
    assert repr(add) == f"CPUDispatcher({add.py_func!r})"
    assert copy.copy(add) is add and copy.deepcopy(add) is add
    assert add.func_code is add.py_func.__code__ and add.doc == "Adds."
    assert callable(add) and hash(add) == hash(add) and add == add


def test_signatures_in_order():
    f = fresh()
    assert f.signatures == [] and f.nopython_signatures == [] and not f.overloads
    assert f(1) == 3 and f(2.0) == 5.0 and f(1) == 3
    f.compile("(i4,)")
    assert f.signatures == [(types.int64,), (types.float64,), (types.int32,)]
    assert str(f.nopython_signatures) == "[(int64,) -> int64, (float64,) -> float64, (int32,) -> int64]"
    assert list(f.overloads) == f.signatures
    assert f.overloads[(types.int64,)].signature == types.int64(types.int64)
    assert f.get_compile_result("(i8,)").signature == types.int64(types.int64)
    assert f.compile("(i8,)")(4) == 9 and f.get_overload("(f8,)")(2) == 5.0  # 2 is converted
    assert f.overloads[(types.int64,)].entry_point(1) == 3 and f.overloads[(types.int64,)].entry_point(x=1) == 3


def test_default_arguments():
    assert add(1) == 11 and add(1, y=2) == 3 and add(y=1.5, x=1) == 2.5 and add(x=1) == 11
    assert (types.int64, types.Omitted(10)) in add.signatures


@pytest.mark.parametrize("args, kwargs, message", [
    ((), {}, "missing|not enough"), ((1, 2, 3), {}, "takes|too many"), ((1,), {"z": 1}, "unexpected|missing"),
    ((1, 2), {"y": 1}, "multiple values|got multiple"),
])
def test_wrong_calls(args, kwargs, message):
    with pytest.raises(TypeError, match=message):
        add(*args, **kwargs)


def test_untypable_arguments():
    with pytest.raises(errors.TypingError, match="Cannot determine Numba type of <class 'object'>"):
        fresh()(object())


def test_methods():
    class Counter:
        @njit
        def unbound(self, x):
            return x + 1

        @staticmethod
        @njit
        def plain(x):
            return x + 2

    assert Counter.plain(1) == 3 and Counter().plain(1) == 3
    assert is_jitted(Counter.unbound)
    bound = Counter().unbound
    assert bound.__self__.__class__ is Counter
    with pytest.raises(errors.TypingError):  # an instance of a plain class is no value of compiled code
        bound(1)


def test_disable_compile():
    f = fresh()
    f(1)
    f.disable_compile()
    with pytest.raises(TypeError, match="No matching definition"):
        f("a")
    f.disable_compile(False)
    assert f(1.5) == 4.0


def test_recompile_reads_globals_again():
    scope = {"K": 1}
    exec("def f(x):\n    return x + K\n", scope)
    f = njit(scope["f"])
    assert f(1) == 2
    scope["K"] = 5
    assert f(1) == 2
    f.recompile()
    assert f(1) == 6 and f.signatures == [(types.int64,)]


def test_metadata_and_stats():
    f = fresh()
    f(1)
    times = f.get_metadata((types.int64,))["pipeline_times"]["nopython"]
    assert times["typing"] > 0 and times["optimise"] > 0 and times["emit"] > 0
    assert list(f.get_metadata()) == [(types.int64,)]
    assert f.stats.cache_path is None and sum(f.stats.cache_misses.values()) == 1 and not f.stats.cache_hits


def test_inspection():
    f = fresh()
    f(1.5)
    key = (types.float64,)
    assert "define" in f.inspect_llvm(key) and "fadd" in f.inspect_llvm()[key]
    assert ".text" in f.inspect_asm(key)
    assert "fadd" in f.inspect_nir(key)
    assert "g.binary" in f.inspect_nir(key, "nir")
    assert str(f.inspect_cfg(key)).startswith("digraph")
    with pytest.raises(KeyError):
        f.inspect_llvm((types.int8,))


def test_inspect_types():
    f = fresh()
    f(1.5)
    out = io.StringIO()
    f.inspect_types(file=out)
    text = out.getvalue()
    assert "f (float64,)" in text and "s = x * 2" in text and "float64" in text
    assert text.index("fmul") < text.index("s = x * 2") < text.index("fadd")
    shown = f.inspect_types(signature=(types.float64,), pretty=True)
    assert "s = x * 2" in str(shown) and "<pre>" in shown._repr_html_()
    with pytest.raises(ValueError):
        f.inspect_types(file=out, pretty=True)


def test_options_shown():
    f = fresh(fastmath=True, locals={"s": types.float64})
    assert f.targetoptions["fastmath"] is True and f.targetoptions["nopython"] is True
    assert f.locals == {"s": types.float64}
    assert f.typeof_pyval(np.zeros(3)) is types.float64[::1]
    assert not f.is_compiling


def test_function_type():
    f = njit("i8(i8)")(lambda x: x)
    assert f.get_function_type() == types.FunctionType(types.int64(types.int64))
    assert fresh().get_function_type() is None


def test_calls_between_functions():
    @njit
    def square(x):
        return x * x

    @njit
    def total(n):
        s = 0
        for i in range(n):
            s += square(i)
        return s

    assert total(10) == 285
    assert total(10.5) if False else True
    square(3)
    total.recompile()
    assert total(10) == 285


def test_a_function_compiled_before_is_not_compiled_again():
    lines = "\n".join(f"    v{i + 1} = v{i} * {i}.5 + y" for i in range(200))
    scope = {}
    exec(f"def big(x, y):\n    v0 = x\n{lines}\n    return v200\n", scope)
    big = njit(scope["big"])
    want = big(0.25, 0.5)

    @njit
    def caller(x, y):
        return big(x, y) + 1.0

    assert caller(0.25, 0.5) == want + 1.0
    assert "big" in caller.inspect_llvm((types.float64, types.float64))
    assert len(caller.inspect_llvm((types.float64, types.float64)).splitlines()) < 100


def test_declared_signatures_are_checked():
    @njit(["(float32,)"])
    def f(a):
        return a

    with pytest.raises(RuntimeError, match="^compilation disabled$"):
        f.compile("(complex64,)")
    with pytest.raises(TypeError, match="Signature mismatch: 2 argument types given, but function takes 1 arguments"):
        njit("(int64, int64)")(f.py_func)


def test_entry_points_are_named_as_their_function():
    @njit("(int64,)")
    def f(a):
        "doc"
        return a

    [result] = f.overloads.values()
    entry = result.entry_point
    assert (entry.__name__, entry.__module__, entry.__doc__, entry(3)) == ("f", __name__, "doc", 3)


def test_annotation_info_joins_over_signatures():
    @njit(["(int64,)", "(float64,)"])
    def f(a):
        return a + 1

    joined = {}
    for signature in f.signatures:
        joined.update(f.get_annotation_info(signature))
    assert joined == f.get_annotation_info() and len(joined) == 2
