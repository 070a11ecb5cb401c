"""Processes that compile the same functions at once into one store, some killed in the middle, over and over; then every
result is right, no file of the store is damaged, and a fresh process gets everything from it.

    python tests/stress/cache_stress.py [--processes 8] [--functions 50] [--rounds 20]
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = """
import sys
import numpy as np
from naja import njit
count, seed, wanted = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
def make(n):
    @njit(cache=True)
    def f(a):
        s = 0.0
        for k in range(a.shape[0]):
            s += a[k] * n
        return s + n
    return f
functions = [make(float(n)) for n in range(count)]
order = list(range(count))
import random
random.Random(seed).shuffle(order)
x = np.arange(10.0)
for i in order:
    assert functions[i](x) == 45.0 * i + i, i
    print(i, flush=True)
if wanted == "killed":
    import time
    time.sleep(60)
hits = sum(sum(f.stats.cache_hits.values()) for f in functions)
assert wanted != "all" or hits == count, hits
print("ok", hits)
"""


def check_store(folder):
    """Damaged files, and leftovers that are no entries."""
    from naja.store.files import Folder

    store = Folder(folder)
    damaged = 0
    for _, _, path in list(store._files()):
        if not path.endswith(".tmp"):
            name = os.path.basename(os.path.dirname(path)) + os.path.basename(path)
            damaged += store.read(name) is None
    return damaged, store.usage()[0]


def run(processes, functions, rounds, seed=0, size=None):
    """Number of (wrong results, damaged files, killed processes)."""
    chance = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="naja-stress-")
    environment = {**os.environ, "NAJA_CACHE_DIR": folder, **({"NAJA_CACHE_SIZE": size} if size else {})}
    wrong = damaged = killed = 0

    def start(wanted="any"):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, str(functions), str(chance.random())[2:10], wanted],
                                env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    try:
        for number in range(rounds):
            if number % 4 == 0:
                shutil.rmtree(os.path.join(folder, "v1"), ignore_errors=True)
            victims = processes // 3
            running = [start("killed" if i < victims else "any") for i in range(processes)]
            for process in running[:victims]:
                for _ in range(chance.randrange(functions)):
                    process.stdout.readline()
                time.sleep(chance.random() * 0.005)
                process.send_signal(signal.SIGKILL)
            for process in running:
                out, err = process.communicate()
                if process.returncode == -signal.SIGKILL:
                    killed += 1
                elif process.returncode != 0 or "ok" not in out:
                    wrong += 1
                    print(err[-500:])
            damaged += check_store(folder)[0]
        if size is None:
            last = start("all")
            out, err = last.communicate()
            wrong += last.returncode != 0
            print(out.strip().splitlines()[-1:], err[-500:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong, damaged, killed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--functions", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--size", help="limit of the store, so that entries are evicted meanwhile")
    options = parser.parse_args()
    wrong, damaged, killed = run(options.processes, options.functions, options.rounds, size=options.size)
    print(f"{options.rounds} rounds: {wrong} wrong, {damaged} damaged files, {killed} processes killed")
    return int(bool(wrong or damaged))


if __name__ == "__main__":
    sys.exit(main())
