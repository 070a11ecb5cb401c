"""naja.set_num_threads and the like, in Python and in compiled code; threads, fork, Ctrl-C."""

import os
import subprocess
import sys
import textwrap
import threading

import naja
import numpy as np
import pytest
from naja import njit


def run(code, **environment):
    """What a fresh interpreter prints."""
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(naja.__file__)), **environment}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def restored():
    threads, size = naja.get_num_threads(), naja.get_parallel_chunksize()
    yield
    naja.set_num_threads(threads)
    naja.set_parallel_chunksize(size)


def test_number_of_threads(restored):
    most = naja.config.NUMBA_NUM_THREADS
    naja.set_num_threads(1)
    assert naja.get_num_threads() == 1
    naja.set_num_threads(np.int32(most))
    assert naja.get_num_threads() == most
    for wrong in (0, -1, most + 1, 2**70):
        with pytest.raises(ValueError, match=f"The number of threads must be between 1 and {most}"):
            naja.set_num_threads(wrong)
    for wrong in (1.5, None, "2"):
        with pytest.raises(TypeError, match="The number of threads specified must be an integer"):
            naja.set_num_threads(wrong)


def test_chunk_size(restored):
    assert naja.get_parallel_chunksize() == 0
    assert naja.set_parallel_chunksize(5) == 0
    with naja.parallel_chunksize(8):
        assert naja.get_parallel_chunksize() == 8
    assert naja.get_parallel_chunksize() == 5
    with pytest.raises(ValueError, match="chunksize must be greater than or equal to zero"):
        naja.set_parallel_chunksize(-1)
    with pytest.raises(TypeError, match="The parallel chunksize must be an integer"):
        naja.set_parallel_chunksize(1.5)


def test_in_compiled_code(restored):
    @njit
    def f(n, size):
        naja.set_num_threads(n)
        old = naja.set_parallel_chunksize(size)
        return naja.get_num_threads(), old, naja.get_parallel_chunksize(), naja.get_thread_id()

    assert f(1, 7) == (1, 0, 7, 0)
    with pytest.raises(ValueError, match="The number of threads must be between 1 and"):
        f(0, 7)
    with pytest.raises(ValueError, match="chunksize must be greater than or equal to zero"):
        f(1, -2)


def test_environment():
    code = "import naja; print(naja.get_num_threads(), naja.config.NUMBA_NUM_THREADS)"
    assert run(code, NAJA_NUM_THREADS="3") == "3 3"


def test_layer():
    assert run("""
        import naja
        try:
            naja.threading_layer()
        except ValueError as error:
            print(error)

        @naja.njit(parallel=True)
        def f(n):
            s = 0
            for i in naja.prange(n):
                s += i
            return s
        f(10**7)
        print(naja.threading_layer())
    """, NAJA_NUM_THREADS="2") == "Threading layer is not initialized.\nworkqueue"


SETUP = """
import os, signal, threading, time
import numpy as np
import naja
from naja import njit, prange

@njit(parallel=True)
def ids(n):
    out = np.zeros(n, np.int64)
    for i in prange(n):
        x = 0.0
        for j in range(20000):
            x += np.sqrt(j * i)
        out[i] = naja.get_thread_id() + (x < 0)
    return out

@njit(parallel=True)
def total(a):
    s = 0.0
    for i in prange(a.size):
        s += np.sqrt(a[i])
    return s
"""


def test_thread_ids_and_mask():
    assert run(SETUP + """
seen = ids(2000)
assert seen.min() == 0 and seen.max() < 4, seen
naja.set_num_threads(2)
assert ids(2000).max() < 2
naja.set_num_threads(1)
assert ids(200).max() == 0
print("good")
""", NAJA_NUM_THREADS="4") == "good"


def test_concurrent_python_threads():
    assert run(SETUP + """
a = np.random.rand(300_000)
expected = total(a)
wrong = []
def work():
    for _ in range(30):
        if total(a) != expected:
            wrong.append(1)
threads = [threading.Thread(target=work) for _ in range(5)]
for t in threads: t.start()
for t in threads: t.join()
print(len(wrong))
""", NAJA_NUM_THREADS="3") == "0"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork():
    assert run(SETUP + """
a = np.random.rand(300_000)
expected = total(a)
for _ in range(3):
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        good = total(a) == expected and ids(100).max() < 3
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(0 if total(a) == expected else 1)
        good = good and os.waitpid(grandchild, 0)[1] == 0
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert total(a) == expected
print("good")
""", NAJA_NUM_THREADS="3") == "good"


def test_interrupt():
    assert run(SETUP + """
@njit(parallel=True)
def long(n, never):
    s = 0
    for i in prange(n):
        x = i
        while x != never:
            x = (x * 7 + 3) & 0xFFFF
        s += x
    return s

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
started = time.time()
try:
    long(100, -1)
except KeyboardInterrupt:
    print("interrupted", time.time() - started < 20)
a = np.random.rand(300_000)
assert abs(total(a) - np.sqrt(a).sum()) < 1e-6
""", NAJA_NUM_THREADS="3") == "interrupted True"


def test_other_python_threads_run_meanwhile():
    assert run(SETUP + """
import sys
sys.setswitchinterval(1e-4)
ids(10)
count = 0
def tick():
    global count
    while not done:
        count += 1
        time.sleep(0.001)
done = False
t = threading.Thread(target=tick)
t.start()
before = count
ids(20000)
after = count
done = True
t.join()
print(after - before > 3)
""", NAJA_NUM_THREADS="2") == "True"


def test_print_from_threads():
    out = run(SETUP + """
@njit(parallel=True)
def f(n):
    for i in prange(n):
        print(i)
f(50)
""", NAJA_NUM_THREADS="4")
    digits = "".join(map(str, range(50)))  # print writes the text and the end of the line one after the other
    assert sorted("".join(out.split())) == sorted(digits)


def test_recursion_in_threads():
    assert run(SETUP + """
@njit
def deep(n):
    return 1 if n == 0 else deep(n - 1) + deep(n - 1) * 0 if n < 0 else 1 + deep(n + 1)

@njit(parallel=True)
def f(n):
    s = 0
    for i in prange(n):
        s += deep(i)
    return s
try:
    f(20)
except RecursionError:
    print("stopped")
""", NAJA_NUM_THREADS="3") == "stopped"


def test_each_python_thread_has_its_own_number(restored):
    naja.set_num_threads(1)
    seen = []
    thread = threading.Thread(target=lambda: seen.append(naja.get_num_threads()))
    thread.start()
    thread.join()
    assert seen == [naja.config.NUMBA_NUM_THREADS]
