"""The first call of a cached function in a fresh process: naja beside Numba, in one run.

    python benchmarks/cache.py [--numba PYTHON] [--rounds N]

Each program is run once to fill the cache and then, alternating, in fresh processes; the figures are medians. `first
call` is the call alone, `program` the whole process with imports. Python files are compiled to bytecode first, as they
are where a package is installed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = {
    "scalar": ("@njit(cache=True)\ndef f(x): return x * 2.0 + 1.0", "f(1.5)"),
    "loop": ("@njit(cache=True)\ndef f(a):\n    s = 0.0\n    for i in range(a.shape[0]): s += a[i] * a[i]\n    return s",
             "f(np.ones(100))"),
    "callees": ("@njit\ndef g(x): return x + 1\n@njit\ndef h(x): return g(x) * 2\n@njit(cache=True)\ndef f(a):\n    s = 0.0\n"
                "    for i in range(a.shape[0]): s += h(a[i])\n    return s", "f(np.ones(100))"),
    "library": ("@njit(cache=True)\ndef f(a): return np.sort(a)[0] + np.mean(a) + np.linalg.norm(a)", "f(np.ones(100))"),
}
TEMPLATE = """
import json, time
start = time.perf_counter()
import numpy as np
from {module} import njit
{functions}
imported = time.perf_counter()
{call}
called = time.perf_counter()
print(json.dumps([called - imported, called - start, sum(f.stats.cache_hits.values())]))
"""


def once(python, path, environment):
    done = subprocess.run([python, path], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(name, numba, rounds, folder):
    functions, call = PROGRAMS[name]
    sides = {}
    for module, python in (("naja", sys.executable), ("numba", numba)):
        path = Path(folder) / f"{name}_{module}.py"
        path.write_text(TEMPLATE.format(module=module, functions=functions, call=call))
        environment = {**os.environ, "NAJA_CACHE_DIR": folder, "NUMBA_CACHE_DIR": folder,
                       "PYTHONPYCACHEPREFIX": os.path.join(folder, "pyc")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        once(python, path, environment)
        once(python, path, environment)
        sides[module] = (python, path, environment, [])
    for _ in range(rounds):
        for python, path, environment, results in sides.values():
            results.append(once(python, path, environment))
    return {module: [statistics.median(r[k] for r in results) * 1e3 for k in (0, 1)] + [results[-1][2]]
            for module, (*_, results) in sides.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", default=sys.executable, help="a Python that has Numba")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(f"{'':10} {'first call, ms':>28} {'':7} {'program, ms':>22}")
    print(f"{'':10} {'naja':>12} {'numba':>15} {'ratio':>7} {'naja':>10} {'numba':>11} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            result = measure(name, options.numba, options.rounds, folder)
            (a, b, hits), (c, d, numba_hits) = result["naja"], result["numba"]
            assert hits and numba_hits, "not from the cache"
            print(f"{name:10} {a:12.2f} {c:15.2f} {a / c:7.3f} {b:10.1f} {d:11.1f} {b / d:7.3f}", flush=True)


if __name__ == "__main__":
    main()
