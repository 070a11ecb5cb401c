"""Several threads compile at once; importing stays cheap."""

import subprocess
import sys
import threading

import numpy as np
from naja import njit


def in_threads(count, work):
    errors, threads = [], []
    barrier = threading.Barrier(count)

    def body(i):
        try:
            barrier.wait()
            work(i)
        except BaseException as error:
            errors.append(error)

    for i in range(count):
        threads.append(threading.Thread(target=body, args=(i,)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_one_key_is_compiled_once():
    @njit
    def f(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * 2
        return s

    results = [None] * 8
    in_threads(8, lambda i: results.__setitem__(i, f(np.ones(10))))
    assert results == [20.0] * 8
    assert len(f.signatures) == 1 and sum(f.stats.cache_misses.values()) >= 1


def test_different_functions_at_once():
    def make(k):
        @njit
        def f(x):
            return x * k + k

        return f

    functions = [make(k) for k in range(12)]
    in_threads(12, lambda i: [functions[(i + j) % 12](j) for j in range(12)])
    assert [f(1) for f in functions] == [2 * k for k in range(12)]


def test_nogil_runs_beside_python():
    @njit(nogil=True)
    def spin(n):
        s = 0
        for i in range(n):
            s = (s * 7 + i) % 1000003
        return s

    spin(1)
    ticks = []
    thread = threading.Thread(target=spin, args=(30_000_000,))
    thread.start()
    while thread.is_alive():
        ticks.append(1)
    assert len(ticks) > 10


def test_a_hook_may_call_what_is_compiled():
    from naja.extending import overload

    def outer(x):
        raise NotImplementedError

    @njit
    def helper(x):
        return x + 1

    @overload(outer)
    def outer_overload(x):
        assert helper(1) == 2  # compiles while another compilation waits
        return lambda x: x + 2

    assert njit(lambda x: outer(x))(1) == 3


def test_import_loads_no_compiler():
    program = ("import sys, naja; naja.njit(lambda x: x); "
               "print([m for m in sys.modules if m.startswith('naja')])")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = eval(done.stdout)
    assert "naja._core" in loaded
    for name in ("naja._compiler", "naja.types", "naja.library", "naja.extending", "naja.errors"):
        assert name not in loaded


def test_import_time():
    program = ("import numpy, time\nt = time.process_time()\nimport naja\nnaja.njit\n"
               "print((time.process_time() - t) * 1e3)")
    times = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
             for _ in range(5)]
    assert min(times) < 12, times


def test_a_list_of_signatures_is_compiled_at_once_and_in_order():
    from naja import errors, types

    def f(x, y):
        return x * y + 1

    names = ["f8", "f4", "i8", "i4", "c16", "u2"]
    compiled = njit([f"{a}({a}, {b})" for a in names for b in names[:2]])(f)
    assert [str(s[0]) for s in compiled.signatures[::2]] == [str(getattr(types, n)) for n in names]
    assert compiled(3, 2) == 7.0

    import pytest

    with pytest.raises(errors.TypingError, match="unicode_type"):
        njit(["f8(f8, f8)", "f8(f8, unicode_type)", "i8(i8, i8)", "f4(f4, f4)"])(f)


def test_fork_while_other_threads_compile():
    program = """
import multiprocessing, threading
from naja import njit

@njit
def f(x):
    return x + 1

def child(i):
    return njit(lambda x: x * i + f(x))(2.0)

done = False

def busy():
    k = 0
    while not done:
        k += 1
        njit(eval(f"lambda x: x * {k}"))(1.0)

f(1)
threads = [threading.Thread(target=busy) for _ in range(2)]
for t in threads: t.start()
for _ in range(5):
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(child, range(6)) == [2.0 * i + 3.0 for i in range(6)]
done = True
for t in threads: t.join()
print("good")
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "good\n", done.stderr
