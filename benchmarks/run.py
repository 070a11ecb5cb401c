#!/usr/bin/env python3
"""Measures naja side by side with Numba and with C, interleaved in one run, as ratios.

    run.py [--peer PYTHON] [--groups runtime,compile_time,start,call_overhead] [--names 'j*'] [--rounds 3]

--peer is a Python that has Numba (without it only naja and C are measured). The value of a row is the least of all rounds,
in processor seconds; results are checked against C. C is built by clang-22 -O3 -march=native -fno-math-errno
-ffp-contract=off, those with math functions with -fveclib=libmvec as well.
"""

import argparse
import fnmatch
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
GROUPS = {
    "start": ["import", "first_call"],
    "compile_time": None,
    "call_overhead": ["int", "float", "array", "five_arrays", "tuple"],
    "runtime": None,
}


def names_of(group):
    if GROUPS[group]:
        return GROUPS[group]
    folder, module, table = {"runtime": ("runtime", "kernels", "KERNELS"),
                             "compile_time": ("compile_time", "programs", "PROGRAMS")}[group]  # fmt: skip
    sys.path.insert(0, str(HERE / folder))
    return list(getattr(importlib.import_module(module), table))


def build(folder, compiler):
    flags = ["-std=c11", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-shared", "-fPIC"]
    for name, more in (("c", ["-lm"]), ("libmvec", ["-fveclib=libmvec", "-lmvec", "-lm"])):
        source = str(HERE / "runtime" / "kernels.c")
        subprocess.run([compiler, *flags, "-o", f"{folder}/{name}.so", source, *more], check=True)


def measure(python, implementation, group, name, library):
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "BENCHMARK_LIBRARY": library}
    command = [python, str(HERE / "worker.py"), implementation, group, name]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    try:
        return json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        return {"error": f"ended with {done.returncode}"}


def row(options, group, name, scratch):
    sides = {"naja": (sys.executable, "naja", f"{scratch}/c.so")}
    if options.peer:
        sides["numba"] = (options.peer, "numba", f"{scratch}/c.so")
    if group == "runtime":
        sides["c"] = (sys.executable, "c", f"{scratch}/c.so")
        sides["libmvec"] = (sys.executable, "c", f"{scratch}/libmvec.so")
    best, errors = {}, {}
    for _ in range(options.rounds):
        for side, (python, implementation, library) in sides.items():
            report = measure(python, implementation, group, name, library)
            if "error" in report:
                errors[side] = report["error"]
            else:
                best[side] = min(best.get(side, math.inf), report["seconds"])
    return best, errors


def show(value):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value:.3g} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", help="Python interpreter that has Numba")
    parser.add_argument("--groups", default=",".join(GROUPS))
    parser.add_argument("--names", default="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cc", default="clang-22")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        build(scratch, options.cc)
        for group in options.groups.split(","):
            print(f"\n{group:30}{'naja':>10}{'numba':>10}{'C':>10}{'libmvec':>10}{'/numba':>9}{'/C':>9}{'/libmvec':>9}")
            logs = {"numba": [], "c": [], "libmvec": []}
            for name in fnmatch.filter(names_of(group), options.names):
                best, errors = row(options, group, name, scratch)
                cells = [show(best[s]) if s in best else "" for s in ("naja", "numba", "c", "libmvec")]
                ratios = []
                for other in logs:
                    ratio = best["naja"] / best[other] if other in best and "naja" in best else None
                    ratios.append("" if ratio is None else f"{ratio:.2f}")
                    logs[other] += [] if ratio is None else [math.log(ratio)]
                print(f"{name:30}" + "".join(f"{c:>10}" for c in cells) + "".join(f"{r:>9}" for r in ratios), flush=True)
                for side, error in errors.items():
                    failed += side == "naja"
                    print(f"    {side}: {error}")
            means = [f"{math.exp(sum(v) / len(v)):.2f}" if v else "" for v in logs.values()]
            print(f"{'geometric mean':70}" + "".join(f"{m:>9}" for m in means))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
