#!/usr/bin/env python3
"""How much code naja compiles in how much time.

    throughput.py [--judge FOLDER] [--repeat 5] [--clang clang-22]

Prints, for all kernels of a module together:
- microseconds per NIR instruction of typing (with translation from bytecode) and of the passes: the stages' own times (wall
  clock), divided by the instructions of the typed functions before the passes.
- processor seconds to compile them all, one after the other in a process that has compiled before, against clang -O3 on one
  C file with the same functions (the processor time of an empty file, which is the start of clang, taken off).

The kernels are those of benchmarks/runtime; with --judge those of FOLDER/rows/runtime.py that have a function in
FOLDER/rows/kernels.c. Times are the least of `--repeat` rounds.
"""

import argparse
import importlib
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[1] / "runtime"
C_FLAGS = ["-std=gnu11", "-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-w"]
FRONT_END = ("typing", "passes")


def own_kernels():
    """name -> (function, arguments), and the text of the C file."""
    sys.path.insert(0, str(RUNTIME))
    table = importlib.import_module("kernels").KERNELS
    return {name: (row[0], row[1]()) for name, row in table.items()}, (RUNTIME / "kernels.c").read_text()


def judge_kernels(folder):
    sys.path.insert(0, str(folder))
    os.environ["IMPL"] = "py"  # the plain functions
    importlib.import_module("rows.runtime")
    text = (folder / "rows" / "kernels.c").read_text()
    rows = importlib.import_module("rows.registry").ROWS
    found = {}
    for name, row in rows.items():
        short = name.partition("/")[2]
        if name.startswith("runtime/") and row.base == "c" and re.search(rf"\b{short}\(", text):
            found[short] = (row.source, row.make_args(64))
    return found, text


def only(text, names):
    """The C file without the public functions that are not in `names`."""
    starts = [m.start() for m in re.finditer(r"^(?!static|typedef|struct|#|/|\s|\})\w[\w\s*]*\b\w+\(", text, re.M)]
    for start in reversed(starts):
        name = re.match(r"[\w\s*]*?(\w+)\(", text[start:]).group(1)
        if name not in names:
            text = text[:start] + text[end_of_function(text, start):]
    return text


def end_of_function(text, start):
    depth = 0
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.end()
    return len(text)


def clang_seconds(clang, text, repeat):
    """Least processor seconds to compile a C file."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernels.c")
        source.write_text(text)
        best = float("inf")
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([clang, *C_FLAGS, "-c", source, "-o", Path(folder, "kernels.o")], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def compile_once(naja, function, args):
    """A new dispatcher, compiled: (processor seconds, stages, the dispatcher)."""
    import types

    # A copy of the function: nothing known of an earlier compilation fits it.
    copy = types.FunctionType(function.__code__, dict(function.__globals__), function.__name__, function.__defaults__,
                              function.__closure__)
    dispatcher = naja.njit(copy)
    copy.__globals__[function.__name__] = dispatcher
    for name, value in copy.__globals__.items():
        if isinstance(value, types.FunctionType) and value.__module__ == function.__module__ and value is not copy:
            copy.__globals__[name] = naja.njit(value)
    start = time.process_time()
    dispatcher.compile(tuple(naja.typeof(a) for a in args))
    seconds = time.process_time() - start
    signature = dispatcher.signatures[0]
    return seconds, dispatcher.get_metadata(signature)["pipeline_times"]["nopython"], dispatcher


def instructions(dispatcher):
    """Instructions of the typed functions before the passes: lines that are neither labels nor headers."""
    typed = dispatcher.inspect_nir(dispatcher.signatures[0], "typed.nir")
    return sum(line.startswith("  ") for line in typed.splitlines())


def measure(naja, kernels, repeat):
    rows = {}
    for name, (function, args) in kernels.items():
        try:
            runs = [compile_once(naja, function, args) for _ in range(repeat)]
        except Exception as error:  # a kernel that is not covered is reported and left out
            print(f"{name:28} not compiled: {str(error).splitlines()[0]}")
            continue
        seconds = min(run[0] for run in runs)
        stages = {stage: min(run[1].get(stage, 0.0) for run in runs) for stage in runs[0][1]}
        rows[name] = (seconds, stages, instructions(runs[0][2]))
    return rows


def report(rows):
    print(f"{'kernel':28} {'NIR':>5} {'CPU ms':>8} {'typing us':>10} {'passes us':>10} {'us/inst':>8} {'LLVM ms':>8}")
    for name, (seconds, stages, count) in sorted(rows.items()):
        front = sum(stages[stage] for stage in FRONT_END)
        llvm = sum(stages.get(stage, 0.0) for stage in ("lower", "optimise", "emit"))
        print(f"{name:28} {count:5} {seconds * 1e3:8.2f} {stages['typing'] * 1e6:10.0f} {stages['passes'] * 1e6:10.0f}"
              f" {front / count * 1e6:8.2f} {llvm * 1e3:8.2f}")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    kernels, c_text = judge_kernels(options.judge) if options.judge else own_kernels()
    import naja

    naja.njit(lambda x: x + 1)(1)  # the first compilation of the process loads LLVM
    rows = measure(naja, kernels, options.repeat)
    report(rows)
    count = sum(row[2] for row in rows.values())
    total = sum(row[0] for row in rows.values())
    front = sum(row[1][stage] for row in rows.values() for stage in FRONT_END)
    start = clang_seconds(options.clang, "", options.repeat)
    clang = clang_seconds(options.clang, only(c_text, set(rows)), options.repeat) - start
    print(f"{len(rows)} kernels, {count} NIR instructions")
    print(f"front end (typing + passes): {front / count * 1e6:.2f} us per instruction (bound 5)")
    print(f"naja {total * 1e3:.0f} ms, {options.clang} -O3 {clang * 1e3:.0f} ms (start {start * 1e3:.0f} ms taken off):"
          f" ratio {total / clang:.2f} (bound 1.5)")  # fmt: skip


if __name__ == "__main__":
    main()
