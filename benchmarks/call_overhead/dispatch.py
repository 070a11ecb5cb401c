"""Nanoseconds per call of a dispatcher: from the call in Python to compiled code and back, without the compiler.

    python benchmarks/call_overhead/dispatch.py [path of _core.so] [--json F]

The entries are C functions with the calling convention of compiled code; the column `python` is the same call of the
undecorated function. Needs a C compiler (CC, default cc).
"""

import ctypes
import importlib
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
import timeit
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ARRAY = "array(float64, 1d, C)"


def load_core(path):
    if path is None:
        sys.path.insert(0, str(HERE.parents[1] / "python"))
        return importlib.import_module("naja._core")
    loader = importlib.machinery.ExtensionFileLoader("naja._core", path)
    spec = importlib.util.spec_from_file_location("naja._core", path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def load_entries(folder):
    library = Path(folder) / "entries.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-w", "-o", library, HERE / "entries.c"], check=True)
    return ctypes.CDLL(str(library))


def dispatchers(core, library):
    """name: (statement, names)"""
    def make(entry, args, result, params="x"):
        namespace = {}
        exec(f"def f({params}): return 1", namespace)
        dispatcher = core.Dispatcher(namespace["f"])
        address = ctypes.cast(getattr(library, entry), ctypes.c_void_p).value
        ids = tuple(core.parse_type(a) if isinstance(a, str) else a for a in args)
        result = core.parse_type(result) if isinstance(result, str) else result
        dispatcher._add(core.Specialisation(address, ids, result))
        return dispatcher

    def tuple_type(*items):
        return core.intern_type("Tuple", args=tuple(map(core.parse_type, items)))

    library.set_alloc(ctypes.c_void_p(core.find_symbol("naja_rt_alloc")))
    a, five, three = np.ones(10), "a,b,c,d,e", "a,b,c"
    polymorphic = make("one_int", ["int64"], "int64")
    polymorphic._add(core.Specialisation(ctypes.cast(library.one_float, ctypes.c_void_p).value,
                                         (core.parse_type("float64"),), core.parse_type("int64")))
    pair = tuple_type("int64", "float64")
    return {
        "int": ("f(3)", make("one_int", ["int64"], "int64"), {}),
        "float": ("f(3.0)", make("one_float", ["float64"], "int64"), {}),
        "numpy_scalar": ("f(x)", make("one_float", ["float64"], "int64"), {"x": np.float64(3)}),
        "array": ("f(a)", make("one_array", [ARRAY], "int64"), {"a": a}),
        "five_arrays": ("f(a, a, a, a, a)", make("five_arrays", [ARRAY] * 5, "int64", five), {"a": a}),
        "tuple": ("f(t)", make("tuple3", [tuple_type(*["int64"] * 3)], "int64"), {"t": (1, 2, 3)}),
        "str": ("f('hello')", make("string", ["unicode_type"], "int64"), {}),
        "none_int_float": ("f(None, 2, 3.0)", make("none_int_float", ["none", "int64", "float64"], "int64", three), {}),
        "keywords": ("f(1, c=3, b=2)", make("tuple3", ["int64"] * 3, "int64", three), {}),
        "polymorphic": ("f(1); f(1.0)", polymorphic, {}),
        "return_array": ("f(a)", make("return_array", [ARRAY], ARRAY), {"a": a}),
        "return_tuple": ("f(t)", make("return_tuple", [pair], pair), {"t": (1, 2.0)}),
        "new_array": ("f(10)", make("new_array", ["int64"], ARRAY), {}),
    }


def nanoseconds(statement, names):
    timer = timeit.Timer(statement, globals=names, timer=time.process_time)
    calls = statement.count("f(")
    timer.timeit(1000)
    return min(timer.repeat(40, 5000)) / 5000 / calls * 1e9


def main():
    arguments = sys.argv[1:]
    target = arguments.pop(arguments.index("--json") + 1) if "--json" in arguments else None
    paths = [a for a in arguments if a != "--json"]
    core = load_core(paths[0] if paths else None)
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (statement, f, names) in dispatchers(core, load_entries(folder)).items():
            rows[name] = (nanoseconds(statement, {"f": f, **names}), nanoseconds(statement, {"f": f.py_func, **names}))
            print(f"{name:16} {rows[name][0]:8.1f} ns   python {rows[name][1]:6.1f} ns", flush=True)
    if target:
        Path(target).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
