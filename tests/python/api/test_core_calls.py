"""The way of a call without the compiler: ctypes functions with the calling convention of compiled code
(i32 f(ret*, scalars...)) stand for compiled ones."""

import collections
import ctypes
import gc
import signal
import sys
import threading
import traceback
import weakref

import numpy as np
import pytest
from naja import _core
from naja.errors import TypingError

I8, I32, I64, F32, F64, PTR = (ctypes.c_int8, ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_double,
                               ctypes.c_void_p)
Point = collections.namedtuple("Point", "x y")
KEEP = []  # ctypes functions have to outlive the specialisations


def type_id(spec):
    """A text, an id, or a tuple of specs."""
    if isinstance(spec, tuple):
        return _core.intern_type("Tuple", args=tuple(map(type_id, spec)))
    if isinstance(spec, int):
        return spec
    found = _core.parse_type(spec)
    assert found is not None, spec
    return found


def optional(spec):
    return _core.intern_type("Optional", args=(type_id(spec),))


def scalars(spec):
    """ctypes of the machine scalars of a type (types/layout.h)."""
    kind, _, bits, signed, ndim, layout, *_ = data = _core.type_data(type_id(spec))
    args = data[8]
    ints = {8: (ctypes.c_uint8, I8), 16: (ctypes.c_uint16, ctypes.c_int16), 32: (ctypes.c_uint32, I32),
            64: (ctypes.c_uint64, I64)}
    if kind == "Array":
        return [I64, I64] + [I64] * ndim * (2 if layout == "A" else 1)
    if kind == "Tuple":
        return [s for a in args for s in scalars(a)]
    return {"None": lambda: [], "Bool": lambda: [ctypes.c_uint8], "Int": lambda: [ints[bits][signed]],
            "Float": lambda: [{16: ctypes.c_uint16, 32: F32, 64: F64}[bits]],
            "Complex": lambda: [F32 if bits == 64 else F64] * 2, "Optional": lambda: [ctypes.c_uint8, *scalars(args[0])],
            "String": lambda: [I64, I64, I32, I32, I64, I64], "Slice": lambda: [I64, I64, I64, ctypes.c_uint8],
            "Record": lambda: [I64, I64], "Bytes": lambda: [I64, I64, I64], "Range": lambda: [I64] * 3,
            }.get(kind, lambda: [])()


def specialise(args, result, function, nogil=False):
    """`function(result fields, *scalars)` fills the fields and returns a status or None."""
    fields = [(f"f{i}", c) for i, c in enumerate(scalars(result))]
    struct = type("Result", (ctypes.Structure,), {"_fields_": fields})

    def entry(ret, *values):
        out = ctypes.cast(ret, ctypes.POINTER(struct))[0] if fields else None
        return function(out, *values) or 0

    c_function = ctypes.CFUNCTYPE(I32, PTR, *[s for a in args for s in scalars(a)])(entry)
    KEEP.append(c_function)
    address = ctypes.cast(c_function, PTR).value
    return _core.Specialisation(address, tuple(map(type_id, args)), type_id(result), None, nogil)


def returning(out, *values):
    for i, value in enumerate(values):
        setattr(out, f"f{i}", value)


def dispatcher(source, *specialisations, compile=False):
    """A dispatcher of `def f(<source>)`."""
    names = {}
    exec(f"def f({source}): return None", names)
    made = _core.Dispatcher(names["f"])
    for specialisation in specialisations:
        made._add(specialisation)
    made._can_compile = compile
    return made


def echo(spec):
    return dispatcher("x", specialise([spec], spec, returning))


def same(a, b):
    return type(a) is type(b) and (a == b or (a != a and b != b))


@pytest.mark.parametrize("spec, value, expected", [
    ("int64", 0, 0), ("int64", -1, -1), ("int64", 2**30, 2**30), ("int64", -2**63, -2**63), ("int64", 2**63 - 1, 2**63 - 1),
    ("int64", 2**60, 2**60), ("int64", -2**60 + 1, -2**60 + 1), ("uint64", 2**64 - 1, 2**64 - 1),
    ("float64", 1.5, 1.5), ("float64", float("nan"), float("nan")), ("bool", True, True), ("bool", False, False),
    ("complex128", 1 - 2j, 1 - 2j), ("none", None, None), ("unicode_type", "abc", "abc"), ("unicode_type", "", ""),
    ("unicode_type", "h\u00e9", "h\u00e9"), ("unicode_type", "\u20ac", "\u20ac"), ("unicode_type", "\U0001f40d", "\U0001f40d"),
    ("int8", np.int8(-3), -3), ("uint8", np.uint8(200), 200), ("int16", np.int16(-300), -300),
    ("uint16", np.uint16(65535), 65535), ("int32", np.int32(-2**31), -2**31), ("uint32", np.uint32(2**32 - 1), 2**32 - 1),
    ("int64", np.int64(-5), -5), ("uint64", np.uint64(2**64 - 1), 2**64 - 1), ("float32", np.float32(1.5), 1.5),
    ("float64", np.float64(2.5), 2.5), ("complex64", np.complex64(1 + 2j), 1 + 2j), ("complex128", np.complex128(3j), 3j),
    ("bool", np.bool_(True), True), ("slice<a:b>", slice(1, 5), slice(1, 5, None)),
    ("slice<a:b>", slice(None), slice(None)), ("slice<a:b:c>", slice(-1, None, -2), slice(-1, None, -2)),
    (("int64", ("float64", "none")), (1, (2.5, None)), (1, (2.5, None))), ((), (), ()),
    (("bool", "int64", "bool"), (True, 7, False), (True, 7, False)),
])
def test_scalars_pass_and_return(spec, value, expected):
    f = echo(spec)
    f._can_compile = True  # only exact types
    for _ in range(3):
        assert same(f(value), expected)
        assert same(f(x=value), expected)


def test_named_tuples_keep_their_class():
    spec = _core.typeof(Point(1, 2.0))
    f = echo(spec)
    result = f(Point(3, 4.5))
    assert result == Point(3, 4.5) and type(result) is Point
    assert _core.type_data(spec)[1] == "Point(int64, float64)"


def test_optional():
    f = echo(optional("float64"))
    assert f(None) is None
    assert same(f(2.5), 2.5)
    assert same(f(2), 2.0)
    nested = echo(optional(("int64", "float64")))
    assert nested(None) is None
    assert nested((1, 2.0)) == (1, 2.0)


DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ndim", [0, 1, 2, 3, 8])
def test_arrays_come_back_as_themselves(dtype, ndim):
    base = np.zeros((2,) * ndim, dtype)
    candidates = [base]
    if ndim > 1:
        candidates += [np.asfortranarray(base), np.zeros((4,) * ndim, dtype)[(slice(None, None, 2),) * ndim]]
    elif ndim == 1:
        candidates += [np.zeros(6, dtype)[::2], np.zeros(6, dtype)[::-1], np.zeros(0, dtype)]
    for array in candidates:
        before = sys.getrefcount(array)
        f = echo(_core.typeof(array))
        assert f(array) is array
        assert f(array) is array
        array.flags.writeable = False
        readonly = echo(_core.typeof(array))
        assert readonly(array) is array
        assert sys.getrefcount(array) == before


def test_layouts_are_told_apart():
    texts = [_core.type_data(_core.typeof(a))[1] for a in (
        np.zeros((2, 3)), np.zeros((2, 3)).T, np.zeros((4, 6))[::2, ::2], np.zeros(5)[::2], np.zeros((1, 3)))]
    assert texts == ["array(float64, 2d, C)", "array(float64, 2d, F)", "array(float64, 2d, A)", "array(float64, 1d, A)",
                     "array(float64, 2d, C)"]


def test_views_of_arguments_have_a_base():
    def tail(out, owner, data, n):
        returning(out, owner, data + 8, n - 1)
    f = dispatcher("x", specialise(["array(float64, 1d, C)"], "array(float64, 1d, C)", tail))
    a = np.arange(4.0)
    result = f(a)
    assert result.tolist() == [1, 2, 3] and result.base is a and result.flags.writeable
    result[0] = 9
    assert a[1] == 9


def test_foreign_byte_order_and_objects_are_refused():
    f = dispatcher("x", compile=True)
    for array in (np.zeros(3, ">f8"), np.array([None]), np.array(["a"])):
        with pytest.raises(TypingError, match="(?s)Cannot determine Numba type of.*ndarray"):
            f(array)


class Runtime:
    """Runtime functions as compiled code sees them."""

    alloc = ctypes.CFUNCTYPE(PTR, ctypes.c_uint64, I32, ctypes.POINTER(PTR))(_core.find_symbol("naja_rt_alloc"))
    incref = ctypes.CFUNCTYPE(None, PTR)(_core.find_symbol("naja_rt_incref"))
    raise_text = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_char_p, PTR, ctypes.c_char_p, I32)(
        _core.find_symbol("naja_rt_raise_text"))
    raise_site = ctypes.CFUNCTYPE(None, PTR, PTR)(_core.find_symbol("naja_rt_raise"))
    print = ctypes.CFUNCTYPE(I32, ctypes.c_uint32, PTR, PTR)(_core.find_symbol("naja_rt_print"))


def allocate(out, n):
    data = PTR()
    owner = Runtime.alloc(max(n, 0) * 8, 1, ctypes.byref(data))
    if not owner:
        return 1
    returning(out, owner, data.value, n)
    return 0


@pytest.fixture
def no_leak():
    gc.collect()
    before = _core.live_allocations()
    yield
    gc.collect()
    assert _core.live_allocations() == before


@pytest.mark.usefixtures("no_leak")
class TestNewArrays:
    def make(self):
        return dispatcher("n", specialise(["int64"], "array(float64, 1d, C)", allocate))

    def test_memory_lives_as_long_as_the_array(self):
        before = _core.live_allocations()
        array = self.make()(5)
        assert array.tolist() == [0.0] * 5 and array.flags.owndata and array.flags.writeable
        assert array.ctypes.data % 64 == 0
        assert _core.live_allocations() == before + 1
        view = array[2:]
        del array
        assert _core.live_allocations() == before + 1
        view += 1
        assert view.tolist() == [1, 1, 1]

    def test_empty(self):
        assert self.make()(0).shape == (0,)

    def test_resize(self):
        array = self.make()(4)
        array[:] = 1
        array.resize(1000, refcheck=False)
        assert array.sum() == 4

    def test_too_large(self):
        with pytest.raises(MemoryError, match="Unable to allocate 4 EiB"):
            self.make()(2**59)

    def test_the_same_block_twice(self):
        array = "array(float64, 1d, C)"

        def both(out, n):
            allocate(out, n)
            Runtime.incref(out.f0)
            returning(out, out.f0, out.f1, n, out.f0, out.f1 + 8, n - 1)
        f = dispatcher("n", specialise(["int64"], (array, array), both))
        first, second = f(3)
        assert type(second.base) is _core.MemInfo and second.base.refcount == 2
        del first
        second[:] = 5
        assert second.tolist() == [5, 5] and second.base.refcount == 1

    def test_failure_in_the_middle_of_a_tuple_releases_the_rest(self):
        bad = _core.intern_type("Range", args=(type_id("int64"),))  # a step of 0 is refused by range()

        def make(out, n):
            allocate(out, n)
            owner, data = out.f0, out.f1
            returning(out, 0, 1, 0, owner, data, n)
        f = dispatcher("n", specialise(["int64"], (bad, "array(float64, 1d, C)"), make))
        with pytest.raises(ValueError):
            f(3)


def test_frozen_arrays_are_copied():
    source = np.arange(3.0)

    def frozen(out):
        returning(out, 0, source.ctypes.data, 3)
    f = dispatcher("", specialise([], "array(float64, 1d, C)", frozen))
    result = f()
    assert result.tolist() == [0, 1, 2] and result is not source
    result[0] = 5
    assert source[0] == 0


def test_records():
    dtype = np.dtype([("a", "i4"), ("b", "f8")], align=True)
    array = np.zeros(3, dtype)
    array["b"] = 1.5
    f = echo(_core.typeof(array))
    assert f(array) is array
    twin = np.zeros(2, np.dtype([("a", "i4"), ("b", "f8")], align=True))  # equal, not identical
    assert f(twin) is twin
    g = echo(_core.typeof(array[1]))
    record = g(array[1])
    assert record["b"] == 1.5
    record["a"] = 7
    assert array["a"][1] == 7 or record["a"] == 7


def test_every_register_and_the_stack():
    specs = ["float64", "int64", "float32", "int8"] * 6 + ["array(float64, 2d, A)", "float64", "int64"]
    seen = []
    f = dispatcher("*a", specialise([tuple(specs)], "int64", lambda out, *v: seen.append(v) or returning(out, 1)))
    array = np.zeros((4, 6))[::2, ::3]
    arguments = [x for i in range(6) for x in (i + 0.5, i * 2**40, np.float32(i + 0.25), np.int8(-i))]
    for _ in range(2):
        assert f(*arguments, array, 99.5, -7) == 1
    owner, data = id(array) + 1, array.ctypes.data
    expected = [x for i in range(6) for x in (i + 0.5, i * 2**40, i + 0.25, -i)]
    assert list(seen[0]) == [*expected, owner, data, 2, 2, *array.strides, 99.5, -7] == list(seen[1])


def test_large_results():
    spec = ("int64",) * 60
    f = dispatcher("x", specialise([spec], spec, returning))
    value = tuple(range(60))
    assert f(value) == value


def test_very_long_tuples_are_not_cached_but_work():
    spec = ("int64",) * 300
    f = dispatcher("x", specialise([spec], "int64", lambda out, *v: returning(out, sum(v))))
    assert f(tuple(range(300))) == f(tuple(range(300))) == sum(range(300))


class TestBinding:
    SOURCES = ["x", "x, y", "x, y=2", "x, /, y", "*, k", "x, *, k=1, j", "x, y=1, *a", "*a, k=3", "a, b, c, d"]
    CALLS = [((), {}), ((1,), {}), ((1, 2), {}), ((1, 2, 3), {}), ((1, 2, 3, 4), {}), ((1,), {"y": 5}), ((1,), {"x": 5}),
             ((), {"x": 1}), ((), {"y": 1}), ((), {"k": 1}), ((1,), {"j": 1}), ((1,), {"j": 1, "k": 2}),
             ((1, 2), {"z": 1}), ((), {"a": 1, "b": 2, "c": 3, "d": 4}), ((1,), {"d": 4, "b": 2, "c": 3})]

    @pytest.mark.parametrize("source", SOURCES)
    def test_as_python_binds(self, source):
        names = {}
        exec(f"def f({source}): return dict(locals())", names)
        function = names["f"]
        code = function.__code__
        count = code.co_argcount + code.co_kwonlyargcount
        order = [*code.co_varnames[:count], *([code.co_varnames[count]] if code.co_flags & 4 else [])]
        for args, kwargs in self.CALLS:
            made = _core.Dispatcher(function)
            seen = []

            def hook(self, ids, made=made, seen=seen):
                def run(out, *values):
                    seen.append(values)
                return specialise(ids, "none", run)
            _core.set_compile_hook(hook)
            try:
                expected = function(*args, **kwargs)
            except TypeError as error:
                with pytest.raises(TypeError) as caught:
                    made(*args, **kwargs)
                assert str(caught.value) == str(error)
                continue
            made(*args, **kwargs)
            made(*args, **kwargs)
            defaults = made._default_types()
            passed = []
            for i, name in enumerate(order):
                value = expected[name]
                given = name in kwargs or i < min(len(args), code.co_argcount) or isinstance(value, tuple)
                if given or defaults[i] is None:
                    passed += value if isinstance(value, tuple) else [value]
            assert seen == [tuple(passed)] * 2

    @pytest.fixture(autouse=True)
    def restore_hook(self):
        yield
        import naja.dispatcher
        _core.set_compile_hook(naja.dispatcher._compile_hook if hasattr(naja.dispatcher, "_compile_hook") else None)

    def test_omitted_defaults_are_types_of_their_own(self):
        seen = []

        def hook(self, ids):
            seen.append([_core.type_data(i)[1] for i in ids])
            return specialise(ids, "int64", lambda out, *v: returning(out, len(v)))
        _core.set_compile_hook(hook)
        f = dispatcher("a, b=3", compile=True)
        assert [f(1), f(1), f(1, 2), f(a=1), f(1, b=5)] == [1, 1, 2, 1, 2]
        assert seen == [["int64", "omitted(default=3)"], ["int64", "int64"]]

    def test_omitted_default_for_a_declared_type(self):
        f = dispatcher("a, b=3", specialise(["int64", "float64"], "float64", lambda out, a, b: returning(out, a + b)))
        assert f(1) == 4.0 == f(1)
        assert f(1, 2.5) == 3.5


class TestDeclaredSignatures:
    def test_conversions(self):
        f = echo("float64")
        assert [same(f(v), float(v)) for v in (1, True, 2**70, np.int8(3), np.float32(1.5), np.float16(0.5))] == [True] * 6
        g = echo("int32")
        assert [g(v) for v in (1, 1.7, -1.7, True, np.int64(5), np.float32(2.9), np.bool_(1))] == [1, 1, -1, 1, 5, 2, 1]
        c = echo("complex64")
        assert [c(v) for v in (1, 1.5, 2j, np.complex128(1j))] == [1, 1.5, 2j, 1j]

    @pytest.mark.parametrize("spec, value", [("int32", 2**31), ("int8", -129), ("uint8", -1), ("int64", 2**63),
                                             ("uint64", 2**64), ("uint64", -1), ("int64", -2**63 - 1), ("int64", 2**64)])
    def test_out_of_range(self, spec, value):
        with pytest.raises(OverflowError, match="int too large to convert"):
            echo(spec)(value)

    def test_no_match(self):
        for value, text in ((1j, "complex128"), ("s", "unicode_type"), (None, "none"), (np.zeros(2), r"array\(float64, 1d, C\)")):
            with pytest.raises(TypeError, match=f"No matching definition for argument type\\(s\\) {text}"):
                echo("float64")(value)

    def test_best_match(self):
        f = dispatcher("x", *[specialise([t], "int64", lambda out, *v, n=n: returning(out, n))
                              for n, t in enumerate(["int32", "int64", "float64", "complex128"])])
        assert [f(np.int32(1)), f(1), f(1.0), f(1j), f(np.float32(1))] == [0, 1, 2, 3, 2]
        with pytest.raises(TypeError, match=r"Ambiguous overloading .*> \(int8,\):\n\(int32,\) -> int64\n\(int64,\) -> int64"):
            f(np.int8(1))

    def test_ambiguous(self):
        f = dispatcher("x, y", specialise(["float64", "float32"], "float64", returning),
                       specialise(["float32", "float64"], "float64", returning))
        with pytest.raises(TypeError, match=r"(?s)Ambiguous overloading for <function f at .*> \(int64, int64\):\n"
                                            r"\(float64, float32\) -> float64\n\(float32, float64\) -> float64"):
            f(1, 2)

    def test_arrays_convert_to_any_layout(self):
        f = dispatcher("x", specialise(["array(float64, 2d, A)"], "int64", lambda out, *v: returning(out, v[4])))
        assert f(np.zeros((2, 3))) == 24
        assert f(np.zeros((2, 3)).T) == 8


class Origin(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("moved", PTR), ("moved_count", I64)]


class TestExceptions:
    def raising(self, number, text, status=1):
        there = Origin(b"there.py", None, 0)
        KEEP.append(there)

        def run(out, x):
            Runtime.raise_text(number, text, ctypes.addressof(there), b"outer.<locals>.inner.3.12", 12)
            return status
        return dispatcher("x", specialise(["int64"], "int64", run))

    @pytest.mark.parametrize("number, cls", list(enumerate([
        ZeroDivisionError, IndexError, ValueError, TypeError, OverflowError, MemoryError, UnboundLocalError, RecursionError,
        AssertionError, KeyError, StopIteration, RuntimeError, NotImplementedError, SystemError, NameError, AttributeError])))
    def test_builtin(self, number, cls):
        with pytest.raises(cls, match="the text"):
            self.raising(number, b"the text")(1)

    def test_traceback_names_the_line(self):
        with pytest.raises(ZeroDivisionError) as caught:
            self.raising(0, b"x")(1)
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.lineno, last.name) == ("there.py", 12, "inner")

    def test_without_arguments(self):
        with pytest.raises(AssertionError) as caught:
            self.raising(8, b"")(1)
        assert caught.value.args == ()

    def test_status_without_exception(self):
        f = dispatcher("x", specialise(["int64"], "int64", lambda out, x: 1))
        with pytest.raises(SystemError):
            f(1)

    def test_class_and_arguments(self):
        class Site(ctypes.Structure):
            _fields_ = [("exception", PTR), ("args_type", PTR), ("origin", PTR), ("function", ctypes.c_char_p),
                        ("line", I32), ("args_size", I32)]

        class Arguments(ctypes.Structure):
            _fields_ = [("a", I64), ("b", F64)]
        ids = (ctypes.c_uint32 * 2)(_core.constant_id(ValueError), type_id(("int64", "float64")))
        origin = Origin(b"f.py", None, 0)
        site = Site(ctypes.addressof(ids), ctypes.addressof(ids) + 4, ctypes.addressof(origin), b"f", 3,
                    ctypes.sizeof(Arguments))
        KEEP.extend((ids, origin, site))

        def run(out, x):
            arguments = Arguments(x, 2.5)
            Runtime.raise_site(ctypes.addressof(site), ctypes.addressof(arguments))
            return 1
        f = dispatcher("x", specialise(["int64"], "int64", run))
        with pytest.raises(ValueError) as caught:
            f(7)
        assert caught.value.args == (7, 2.5)


def test_print(capsys):
    types = (ctypes.c_uint32 * 2)(type_id("int64"), type_id("float64"))

    class Values(ctypes.Structure):
        _fields_ = [("a", I64), ("b", F64)]

    def run(out, x):
        values = Values(x, 0.5)
        return Runtime.print(2, ctypes.addressof(types), ctypes.addressof(values))
    dispatcher("x", specialise(["int64"], "none", run))(3)
    assert capsys.readouterr().out == "3 0.5\n"


class TestDispatcherObject:
    def test_method_binding(self):
        class C:
            f = dispatcher("self, x", compile=True)
        assert C().f.__func__ is C.__dict__["f"]
        assert C.f is C.__dict__["f"]

    def test_subclass_keeps_vectorcall(self):
        class Sub(_core.Dispatcher):
            pass

        def f(x):
            return None
        made = Sub(f)
        made._add(specialise(["int64"], "int64", returning))
        assert made(5) == 5 and Sub.__flags__ >> 11 & 1
        made.attribute = 1
        assert made.attribute == 1 and made.__dict__ == {"attribute": 1}

    def test_weakrefs_and_cycles(self):
        f = echo("int64")
        f.me = f
        reference = weakref.ref(f)
        del f
        gc.collect()
        assert reference() is None

    def test_many_fingerprints(self):
        f = dispatcher("x", specialise(["array(float64, 1d, C)"], "int64", lambda out, *v: returning(out, v[2])),
                       *[specialise([("int64",) * n], "int64", lambda out, *v: returning(out, len(v))) for n in range(30)])
        for _ in range(2):
            assert [f((0,) * n) for n in range(30)] == list(range(30))
            assert f(np.zeros(7)) == 7

    def test_clear_during_a_call(self):
        made = []

        def run(out, x):
            made[0]._clear()
            returning(out, x)
        f = dispatcher("x", specialise(["int64"], "int64", run))
        made.append(f)
        assert f(3) == 3
        with pytest.raises(TypeError, match="No matching definition"):
            f(3)

    def test_uninitialised(self):
        f = _core.Dispatcher.__new__(_core.Dispatcher)
        for use in (lambda: f(1), lambda: f._add(None), lambda: f._clear(), lambda: f._specialisations()):
            with pytest.raises((RuntimeError, TypeError)):
                use()
        repr(f)

    def test_not_a_function(self):
        for wrong in (3, len, object()):
            with pytest.raises(TypeError):
                _core.Dispatcher(wrong)

    def test_dispatchers_and_classes_are_told_apart_by_identity(self):
        a, b = dispatcher("x"), dispatcher("x")
        ids = [_core.typeof(v) for v in (a, b, np.float64, np.dtype("f4"))]
        assert len(set(ids)) == 4
        f = dispatcher("x", *[specialise([i], "int64", lambda out, n=n: returning(out, n)) for n, i in enumerate(ids)])
        for _ in range(2):
            assert [f(a), f(b), f(np.float64), f(np.dtype("f4"))] == [0, 1, 2, 3]


def test_nogil_lets_other_threads_run():
    started, go_on = threading.Event(), threading.Event()

    def run(out, x):  # ctypes takes the GIL back for it
        started.set()
        returning(out, int(go_on.wait(10)))
    f = dispatcher("x", specialise(["int64"], "int64", run, nogil=True))
    results = []
    thread = threading.Thread(target=lambda: results.append(f(1)))
    thread.start()
    assert started.wait(10)
    go_on.set()
    thread.join()
    assert results == [1]


def test_polling_for_signals_is_a_compiled_function_itself():
    entry = _core.find_symbol("naja_rt_poll_signals")
    f = dispatcher("", _core.Specialisation(entry, (), type_id("none")))
    ctypes.c_int32.from_address(_core.find_symbol("naja_rt_signal_pending")).value = 1
    assert f() is None
    assert ctypes.c_int32.from_address(_core.find_symbol("naja_rt_signal_pending")).value == 0


def test_an_interrupt_sets_the_flag():
    specialise([], "none", returning)  # puts the handler in place
    pending = ctypes.c_int32.from_address(_core.find_symbol("naja_rt_signal_pending"))
    pending.value = 0
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        for _ in range(100):
            pass
    assert pending.value == 1


def test_types_as_objects():
    for text in ("int64", "array(float64, 2d, C)", "readonly array(int8, 1d, A)", "UniTuple(int64 x 3)", "unicode_type"):
        number = _core.parse_type(text)
        assert _core.type_data(number)[1] == text
        assert _core.type_object(number) is _core.type_object(number)
        assert _core.type_object(number).id == number
    assert _core.parse_type("array(") is None
    assert _core.unify(type_id("int64"), type_id("float64")) == type_id("float64")
    assert _core.conversion(type_id("int64"), type_id("int64")) == 0
    for wrong in (-1, 2**31, "x", None):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            _core.type_data(wrong)


def test_runtime_symbols():
    names = _core.symbols()
    assert names == sorted(names) and len(names) > 200
    assert all(_core.find_symbol(n) for n in ("sin", "cosf", "naja_rt_alloc", "memcpy", "tgamma"))
    assert _core.find_symbol("system") == 0
