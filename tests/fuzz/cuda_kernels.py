"""Random small kernels, run on the CPU device and, thread by thread, by Python itself.

    python tests/fuzz/cuda_kernels.py [seed] [count]

A kernel is phases between barriers. In each phase a thread computes from its own variables and from what other threads left in
shared memory in the phase before, under conditions and in loops that differ between threads, and leaves a value of its own. So
every kernel is free of races, and Python can run the phases for one thread after the other.
"""

from __future__ import annotations

import random
import sys

import numpy as np
from naja import cuda, int64

THREADS = 24
VARIABLES = ("a", "b", "c")
COUNTERS = ("k0", "k1", "k2", "k3")


class Kernel:
    """Source of the phases, as Python statements over t, i, n, variables, `left` (read) and `mine` (written)."""

    def __init__(self, random):
        self.random = random
        self.counters = 0
        self.phases = [self.statements(random.randint(1, 4), 0) for _ in range(random.randint(1, 4))]
        self.uniform_loop = random.randint(1, 3)

    def expression(self, depth=0):
        r = self.random
        if depth > 2 or r.random() < 0.3:
            return r.choice([*VARIABLES, "t", "i", "n", str(r.randint(-5, 9)), f"left[(t + {r.randint(0, 7)}) % {THREADS}]"])
        return f"({self.expression(depth + 1)} {r.choice('+-*&|^')} {self.expression(depth + 1)})"

    def condition(self):
        return f"({self.expression(1)} & 4095) % {self.random.randint(2, 5)} {self.random.choice(['==', '<', '!='])} {self.random.randint(0, 2)}"

    def statements(self, count, depth):
        return [line for _ in range(count) for line in self.statement(depth)]

    def statement(self, depth):
        r = self.random
        kind = r.random()
        if depth < 2 and kind < 0.25:
            lines = [f"if {self.condition()}:", *self.indent(self.statements(r.randint(1, 2), depth + 1))]
            if r.random() < 0.5:
                lines += ["else:", *self.indent(self.statements(1, depth + 1))]
            return lines
        if depth < 2 and kind < 0.45:
            counter = COUNTERS[self.counters % len(COUNTERS)] + "x" * depth
            self.counters += 1
            bound = r.choice(["t % 5", "n % 4", "i % 3 + t % 2", str(r.randint(0, 6))])
            body = self.statements(r.randint(1, 2), depth + 1)
            return [f"for {counter} in range({bound}):", *self.indent([*body, f"a += {counter}"])]
        return [f"{r.choice(VARIABLES)} = {self.expression()} & 65535"]

    @staticmethod
    def indent(lines):
        return ["    " + line for line in lines]

    def source(self):
        body = ["left = cuda.shared.array(THREADS, int64)", "t = cuda.threadIdx.x", "i = cuda.grid(1)", "n = x.size",
                "a = x[i]", "b = t * 3", "c = 1", "left[t] = a", "cuda.syncthreads()", f"for turn in range({self.uniform_loop}):"]
        for phase in self.phases:
            body += self.indent([*phase, "cuda.syncthreads()", "left[t] = a ^ b", "cuda.syncthreads()"])
        return "\n".join(["def kernel(x, out):", *self.indent([*body, "out[i] = a + 3 * b + 7 * c"])]) + "\n"

    def expected(self, x):
        phases = [compile("\n".join(phase), "<phase>", "exec") for phase in self.phases]
        out = np.zeros_like(x)
        for block in range(x.size // THREADS):
            threads = [{"t": t, "i": block * THREADS + t, "n": x.size, "a": int(x[block * THREADS + t]), "b": 3 * t, "c": 1}
                       for t in range(THREADS)]
            left = [thread["a"] for thread in threads]
            for _ in range(self.uniform_loop):
                for phase in phases:
                    for thread in threads:
                        thread["left"] = left
                        exec(phase, thread)
                    left = [thread["a"] ^ thread["b"] for thread in threads]
            for thread in threads:
                out[thread["i"]] = thread["a"] + 3 * thread["b"] + 7 * thread["c"]
        return out


def check(seed):
    """Complaint about the kernel of a seed, or None."""
    kernel = Kernel(random.Random(seed))
    scope = {"cuda": cuda, "int64": int64, "THREADS": THREADS}
    exec(kernel.source(), scope)
    x = np.random.default_rng(seed).integers(0, 1000, 2 * THREADS)
    out = np.zeros_like(x)
    cuda.jit(scope["kernel"])[2, THREADS](x, out)
    expected = kernel.expected(x)
    return None if np.array_equal(out, expected) else f"seed {seed}:\n{kernel.source()}{out}\n{expected}"


def main(first=0, count=200):
    wrong = [complaint for seed in range(first, first + count) if (complaint := check(seed))]
    print("\n".join(wrong[:3]))
    print(f"{count} kernels from seed {first}: {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
