"""Programs whose compile time is measured: `PROGRAMS` maps a name to makes(variant) -> (source of f, arguments)."""

import numpy as np

LOOP = """
def f(a):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * {k}
    return total
"""
BRANCHES = "def f(x):\n    r = {k}\n" + "".join(
    f"    if x > {i}:\n        r += {i} * x\n    else:\n        r -= x\n" for i in range(40)
) + "    return r\n"  # fmt: skip
EXPRESSIONS = "def f(a, b):\n" + "".join(
    f"    a = np.sqrt(a * a + b) - b / (a + {i}.5) + {{k}}\n" for i in range(12)
) + "    return a\n"  # fmt: skip
GRID = """
def f(u, out):
    for step in range({k}):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                out[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
        u, out = out, u
    return u[1, 1]
"""


def straight_line(statements):
    lines = ["def f(x, y):", "    v0 = x", "    v1 = y + {k}"]
    lines += [f"    v{i} = v{i - 1} * 0.5 + v{i - 2}" for i in range(2, statements)]
    return "\n".join([*lines, f"    return v{statements - 1}"]) + "\n"


PROGRAMS = {
    "trivial": lambda: ("def f(x):\n    return x * 2 + {k}\n", (3,)),
    "loop": lambda: (LOOP, (np.ones(10),)),
    "branches": lambda: (BRANCHES, (3,)),
    "expressions": lambda: (EXPRESSIONS, (np.ones((3, 4)), np.ones((3, 4)))),
    "grid": lambda: (GRID, (np.ones((5, 5)), np.ones((5, 5)))),
    "straight_line_400": lambda: (straight_line(400), (1.0, 2.0)),
    "straight_line_1600": lambda: (straight_line(1600), (1.0, 2.0)),
}
