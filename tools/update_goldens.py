#!/usr/bin/env python3
"""Writes goldens anew; read the diff before committing it.

    update_goldens.py [file.nir ...] [--tools build/dev/cpp/tools] [--diagnostics]

A FileCheck test whose text contains the line `; CHECK lines by tools/update_goldens.py` holds the whole output of its RUN
line: its `; CHECK` lines are replaced, those of a function standing before its body. Other FileCheck tests are written by hand
and left alone. Without files, all marked tests are updated. --diagnostics also rewrites the goldens of
tests/python/diagnostics (NAJA_UPDATE_GOLDENS=1), with the Python that runs this.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MARK = "; CHECK lines by tools/update_goldens.py"


def output_of(path, lines, tools):
    run = next((line for line in lines if line.startswith("; RUN:") and "| FileCheck" in line), None)
    if run is None:
        sys.exit(f"{path}: no RUN line with FileCheck")
    command = run[len("; RUN:"):].partition("| FileCheck")[0].replace("%s", str(path)).split()
    command[0] = str(tools / command[0])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{path}: {' '.join(command)}\n{done.stderr}")
    return done.stdout


def functions_of(text):
    """name -> the lines of a function in the output."""
    found, name = {}, None
    for line in text.splitlines():
        if head := re.match(r'(?:root )?func (@[^(]+)\(', line):
            name = head.group(1)
            found[name] = []
        if name:
            found[name].append(line)
        if line == "}":
            name = None
    return found


def escaped(line):
    """FileCheck reads [[ and {{ as its own."""
    return line.replace("{{", "{{[{][{]}}").replace("[[", "{{\\[\\[}}")


def checks_of(lines):
    return [f"; CHECK-LABEL: {escaped(lines[0])}", *(f"; CHECK-NEXT: {escaped(line)}" for line in lines[1:])]


def update(path, tools):
    lines = path.read_text().splitlines()
    functions = functions_of(output_of(path, lines, tools))
    result = []
    for line in lines:
        if line.startswith("; CHECK") and line != MARK:
            continue
        if head := re.match(r'(?:root )?func (@[^(]+)\(', line):
            result += checks_of(functions.pop(head.group(1), ["(none)"])) if head.group(1) in functions else []
        result.append(line)
    for added in functions.values():  # functions that a pass made
        result += checks_of(added)
    text = "\n".join(result) + "\n"
    if text != path.read_text():
        path.write_text(text)
        print(f"updated {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "dev" / "cpp" / "tools")
    parser.add_argument("--diagnostics", action="store_true")
    options = parser.parse_args()
    files = [path.resolve() for path in options.files]
    files = files or sorted((ROOT / "tests" / "filecheck").rglob("*.nir"))
    for path in files:
        if MARK in path.read_text():
            update(path, options.tools)
        elif options.files:
            print(f"{path}: written by hand; update it by hand", file=sys.stderr)
    if options.diagnostics:
        command = [sys.executable, "-m", "pytest", "-q", "tests/python/diagnostics"]
        return subprocess.run(command, cwd=ROOT, env={**os.environ, "NAJA_UPDATE_GOLDENS": "1"}).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
