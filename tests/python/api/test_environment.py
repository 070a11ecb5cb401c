"""What the environment makes the compiler show: dumps, times, traces, reproducers."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import numpy as np
from naja import njit

@njit
def helper(x):
    return x * 2.0

@njit
def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += helper(a[i])
    return s

print(total(np.ones(10)))
"""


def run(program=PROGRAM, **environment):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize("artefact, sign", [
    ("nir", "g.inplace"), ("typed.nir", "fmul"), ("opt.nir", "fmul"), ("ll", "define"), ("opt.ll", "define"), ("s", ".text"),
])
def test_dump(artefact, sign):
    done = run(NAJA_DUMP=artefact)
    assert done.stdout == "20.0\n"
    assert f"total(array(float64, 1d, C)) {artefact}" in done.stderr and sign in done.stderr
    assert done.stderr.count("; ----") == 1


def test_print_after_and_time():
    done = run(NAJA_PRINT_AFTER="reference-counts", NAJA_TIME="1")
    assert "after reference-counts" in done.stderr and "time of total" in done.stderr and "typing" in done.stderr


def test_time_trace(tmp_path):
    path = tmp_path / "trace.json"
    run(NAJA_TIME_TRACE=str(path))
    names = {event["name"] for event in json.loads(path.read_text())["traceEvents"]}
    assert {"typing", "passes", "codegen"} <= names and "OptModule" in names


@pytest.mark.parametrize("environment", [dict(NAJA_VERIFY="1"), dict(NAJA_BISECT="0"), dict(NAJA_BISECT="3"),
                                         dict(NAJA_OPT="0"), dict(NAJA_OPT="1"), dict(NAJA_CPU_NAME="x86-64")],
                         ids=str)
def test_results_do_not_depend_on(environment):
    assert run(**environment).stdout == "20.0\n"


def test_cpu_name_is_used():
    program = PROGRAM.replace("@njit\ndef total", "@njit(fastmath=True)\ndef total") + "import re\nprint(bool(re.search('[yz]mm', total.inspect_asm(total.signatures[0]))))"
    if "avx2" in open("/proc/cpuinfo").read():
        assert run(program).stdout.split()[-1] == "True"
    assert run(program, NAJA_CPU_NAME="x86-64", NAJA_CPU_FEATURES="+sse2").stdout.split()[-1] == "False"


def test_crash_leaves_a_reproducer(tmp_path):
    program = PROGRAM + """
import ctypes, os, signal, threading, time
from naja.extending import overload

def trap(x): pass

@overload(trap)
def trap_overload(x):
    return lambda x: x

big = "def big(x):\\n" + "".join(f"    x = x * {i}.5 + {i}\\n" for i in range(20000)) + "    return x\\n"
scope = {}
exec(big, scope)
compiling = threading.Thread(target=lambda: njit(scope["big"])(1.0))
compiling.start()
time.sleep(0.3)
signal.pthread_kill(compiling.ident, signal.SIGABRT)
compiling.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "NAJA_REPRODUCER_DIR": str(tmp_path)})
    assert done.returncode == -6
    assert "the compiler crashed while compiling big(float64)" in done.stderr
    folder = next(tmp_path.iterdir())
    assert "big(float64)" in (folder / "error.txt").read_text()
    assert "NAJA_OPT=" in (folder / "options.txt").read_text()


def test_a_crash_of_something_else_is_left_alone(tmp_path):
    program = PROGRAM + "import os, signal\nos.kill(os.getpid(), signal.SIGABRT)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "NAJA_REPRODUCER_DIR": str(tmp_path)})
    assert done.returncode == -6 and not list(tmp_path.iterdir())
