"""Ctrl-C stops compiled code wherever it loops: a process per program, which gets SIGINT while it runs."""

import signal
import subprocess
import sys

import pytest

# All run for minutes at least. f gets 10**11, or 60 where it recurses.
PROGRAMS = {
    "for": "for i in range(n): s += i * 0.5",
    "down": "for i in range(n, 0, -1): s += i * 0.5",
    "inner for": "for i in range(10):\n  for j in range(n): s += i * j",
    "innermost for": "for i in range(n):\n  for j in range(n):\n   for k in range(n): s += i * j ^ k",
    "short inner for": "for i in range(n):\n  for j in range(3): s += s * j + i",
    "inner for with break": "for i in range(100):\n  for j in range(n):\n   s += j & i\n   if s < 0: break",
    "inner for over an array": "a = np.ones(7)\n for i in range(3):\n  for j in range(n): a[j % 7] = a[(j + 1) % 7] * 0.5",
    "while": "x = n\n while x != 1: x = x * 3 + 2 | 4",
    "while true": "while True: pass",
    "inner while": "for i in range(n):\n  x = i + 3\n  while x != 1: x = x * 3 + 2 | 4\n  s += x",
    "calls": "for i in range(n): s = g(s)",
    "array expressions": "a = np.ones(1000)\n for i in range(n): a = a + 1.0",
    "arrays in an inner loop": "for i in range(n):\n  a = np.ones(9)\n  for j in range(n): a = a + 1.0",
    "arrays and inner numbers": "a = np.ones(9)\n for i in range(n):\n  a = a + 1\n  for j in range(n): s += i * j",
    "recursion": "s = fib(60)",
}

CHILD = """
import os, sys
import naja, numpy as np
from naja.testing import live_allocations
g = naja.njit(lambda x: x * 1.5 + 1)
@naja.njit
def fib(x): return x if x < 2 else fib(x - 1) + fib(x - 2)
names = dict(np=np, g=g, fib=fib)
exec("def f(n):\\n s = 0.0\\n " + sys.argv[1] + "\\n return s", names)
f = naja.njit("(int64,)")(names["f"])
print("compiled", flush=True)
try:
    f(10**11)
except KeyboardInterrupt:
    os._exit(7 if live_allocations() == 0 else 8)
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_interrupt(program):
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        assert child.stdout.readline() == "compiled\n", child.stderr.read()
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.15)  # it is in the loop by now
        child.send_signal(signal.SIGINT)
        assert child.wait(5) == 7, child.stderr.read()
    finally:
        child.kill()
        child.communicate()
