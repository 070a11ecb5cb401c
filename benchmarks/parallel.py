"""Parallel regions: naja beside Numba with two threads, in one run.

    python benchmarks/parallel.py [--numba PYTHON] [--rounds N] [--threads N]

`launch` is the time of a region of four chunks that do next to nothing, minus the call; `mandelbrot` is 400 x 400 points with one
thread and with all of them. Both run in processes of their own, alternating; the figures are the best of the rounds. A machine
that is busy with other work shows in the speed-up.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import json, time
import numpy as np
from {package} import njit, prange, set_num_threads, get_num_threads, set_parallel_chunksize

@njit(parallel=True)
def mandelbrot(out, limit):
    h, w = out.shape
    for i in prange(h):
        for j in range(w):
            cr, ci = 3.0 * j / w - 2.0, 2.4 * i / h - 1.2
            x = y = 0.0
            n = 0
            while n < limit and x * x + y * y <= 4.0:
                x, y = x * x - y * y + cr, 2.0 * x * y + ci
                n += 1
            out[i, j] = n

@njit(parallel=True)
def launch(out, repeats):
    for i in prange(out.shape[0]):
        for k in range(repeats):
            out[i] += k

@njit
def plain(out, repeats):
    for i in range(out.shape[0]):
        for k in range(repeats):
            out[i] += k

def best(function, *args, number):
    function(*args)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(number):
            function(*args)
        times.append((time.perf_counter() - start) / number)
    return min(times)

image, four = np.empty((400, 400), np.int32), np.zeros(4)
threads = get_num_threads()
result = dict(launch=best(launch, four, 1, number=2000) - best(plain, four, 1, number=2000),
              all=best(mandelbrot, image, 200, number=2))
set_num_threads(1)
result["one"] = best(mandelbrot, image, 200, number=2)
print(json.dumps(result))
"""


def measure(python, package, threads):
    env = {**os.environ, "NAJA_NUM_THREADS": str(threads), "NUMBA_NUM_THREADS": str(threads),
           "NUMBA_THREADING_LAYER": "workqueue"}
    if package == "naja":
        env["PYTHONPATH"] = str(Path(__file__).parent.parent / "python")
    done = subprocess.run([python, "-c", PROGRAM.format(package=package)], env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numba", help="an interpreter that has Numba")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    sides = {"naja": (sys.executable, "naja")}
    if args.numba:
        sides["numba"] = (args.numba, "numba")
    runs = {name: [] for name in sides}
    for _ in range(args.rounds):
        for name, (python, package) in sides.items():
            runs[name].append(measure(python, package, args.threads))
    rows = {name: {key: min(run[key] for run in all_runs) for key in all_runs[0]} for name, all_runs in runs.items()}
    for name, row in rows.items():
        print(f"{name:6} launch {row['launch'] * 1e6:7.2f} us   mandelbrot {row['one'] * 1e3:7.2f} ms, "
              f"{args.threads} threads {row['all'] * 1e3:7.2f} ms: {row['one'] / row['all']:.2f} times as fast")
    if len(rows) == 2:
        print(f"naja/numba: launch {rows['naja']['launch'] / rows['numba']['launch']:.2f}, "
              f"mandelbrot {rows['naja']['all'] / rows['numba']['all']:.2f}")


if __name__ == "__main__":
    main()
