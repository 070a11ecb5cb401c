#!/usr/bin/env python3
"""Compiles every C++ file with g++ as well, without making code: it must accept what clang does, without a warning.

    check_gcc.py build-folder [--compiler g++] [--jobs N] [pattern]

The build folder is one of clang's with compile_commands.json. `pattern`: only files whose path contains it.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# False alarms of g++ 12 in std::string (GCC bug 105651), as in cmake/naja.cmake.
MORE = ["-fsyntax-only", "-Werror", "-Wno-restrict"]


def gcc_command(entry, compiler):
    words = shlex.split(entry["command"])
    while not words[0].endswith(("clang++-22", "clang++", "g++", "c++")):
        words.pop(0)  # ccache
    output = words.index("-o")
    del words[output:output + 2]
    return [compiler, *(word for word in words[1:] if not word.startswith("-g")), *MORE]


def check(entry, compiler):
    done = subprocess.run(gcc_command(entry, compiler), cwd=entry["directory"], capture_output=True, text=True)
    return entry["file"], done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    entries = json.loads((options.build / "compile_commands.json").read_text())
    entries = [e for e in entries if e["file"].endswith(".cpp") and "/cpp/" in e["file"] and options.pattern in e["file"]]
    failures = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, code, text in pool.map(lambda entry: check(entry, options.compiler), entries):
            if code:
                failures += 1
                print(f"{name}:\n{text}", file=sys.stderr)
    print(f"{len(entries)} files compile with {options.compiler}" if not failures else f"{failures} files FAILED")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
