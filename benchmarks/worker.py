"""One measurement in a fresh process: worker.py IMPLEMENTATION GROUP NAME; prints one JSON object."""

import ctypes
import importlib
import json
import os
import statistics
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))


def load(folder, module):
    sys.path.insert(0, os.path.join(HERE, folder))
    return importlib.import_module(module)


def least(call, budget=0.4):
    """Least processor seconds of one call, over samples of at least 50 us."""
    call()
    start = time.process_time()
    call()
    number = max(1, int(50e-6 / max(time.process_time() - start, 1e-9)))
    best, end = float("inf"), time.perf_counter() + budget
    while time.perf_counter() < end:
        start = time.process_time()
        for _ in range(number):
            call()
        best = min(best, (time.process_time() - start) / number)
    return best


def c_call(name, args, result):
    """The C version, called with the same arguments."""
    function = getattr(ctypes.CDLL(os.environ["BENCHMARK_LIBRARY"]), name)
    function.restype = {"d": ctypes.c_double, "q": ctypes.c_int64, "v": None}[result]
    values = []
    for arg in args:
        if isinstance(arg, np.ndarray):
            values += [ctypes.c_void_p(arg.ctypes.data), *map(ctypes.c_int64, arg.shape)]
        elif isinstance(arg, np.float32):
            values.append(ctypes.c_float(arg))
        else:
            values.append(ctypes.c_double(arg) if isinstance(arg, float) else ctypes.c_int64(arg))
    return lambda: function(*values)


def outcome(call, args):
    return [call(), *(a.copy() for a in args if isinstance(a, np.ndarray))]


def runtime(implementation, name):
    kernels = load("runtime", "kernels")
    function, make_args, result, _ = kernels.KERNELS[name]
    args = make_args()
    if implementation == "c":
        return {"seconds": least(c_call(name, args, result))}
    njit = importlib.import_module(implementation).njit
    compiled = njit(function)
    if name == "fib":
        kernels.fib = compiled
    checked = make_args()
    got = outcome(lambda: compiled(*checked), checked)
    if "BENCHMARK_LIBRARY" in os.environ:
        reference = make_args()
        want = outcome(c_call(name, reference, result), reference)
        for g, w in zip(got, want):
            if w is not None and not np.allclose(g, w, rtol=1e-6, equal_nan=True):
                return {"error": "differs from C"}
    return {"seconds": least(lambda: compiled(*args))}


def compile_time(implementation, name):
    """Median processor seconds, decorator to first result, of five variants in a warm process."""
    source, args = load("compile_time", "programs").PROGRAMS[name]()
    njit = importlib.import_module(implementation).njit

    def define(k):
        names = {"np": np}
        exec(compile(source.replace("{k}", str(k)), f"<{name} {k}>", "exec"), names)
        return names["f"]

    njit(define(1))(*args)
    samples = []
    for k in range(2, 7):
        function = define(k)
        start = time.process_time()
        njit(function)(*args)
        samples.append(time.process_time() - start)
    return {"seconds": statistics.median(samples)}


def start(implementation, name):
    begin = time.process_time()
    njit = importlib.import_module(implementation).njit
    imported = time.process_time() - begin
    if name == "import":
        return {"seconds": imported}
    array = np.arange(1000.0)

    @njit
    def total(a):
        s = 0.0
        for i in range(a.shape[0]):
            s += a[i] * a[i]
        return s

    total(array)
    return {"seconds": time.process_time() - begin}


def call_overhead(implementation, name):
    njit = importlib.import_module(implementation).njit
    array = np.ones(10)
    args = {"int": (3,), "float": (3.0,), "array": (array,), "five_arrays": (array,) * 5, "tuple": ((1, 2, 3),)}[name]

    names = ", ".join(f"a{i}" for i in range(len(args)))
    space = {}
    exec(f"def f({names}):\n    return 1\n", space)
    f = njit(space["f"])
    f(*args)
    space = {"f": f, **{f"a{i}": a for i, a in enumerate(args)}}
    exec(f"def many():\n    for _ in range(1000):\n        f({names})\n", space)
    return {"seconds": least(space["many"]) / 1000}


if __name__ == "__main__":
    implementation, group, name = sys.argv[1:]
    try:
        report = {"runtime": runtime, "compile_time": compile_time, "start": start, "call_overhead": call_overhead}[
            group](implementation, name)  # fmt: skip
    except Exception as error:
        report = {"error": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
    print(json.dumps(report))
