#!/usr/bin/env python3
"""Sizes of files, functions and built modules: lines, as percentiles, against the bounds of the house style.

    size_report.py [--check] [--show 10]

Bounds: the 95th percentile of functions is at most 60 lines and of files at most 800; no function has more than 100 lines and
no file more than 1,000, but for those that EXCEPTIONS names with a reason. --check fails where a bound is broken.
A C++ function is a definition at column 0 (or in a class) whose body opens and closes with braces at one indentation.
"""

import argparse
import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FUNCTION_P95, FUNCTION_MAX, FILE_P95, FILE_MAX = 60, 100, 800, 1000
# "path" or "path:function" -> why
EXCEPTIONS: dict[str, str] = {}
KEYWORDS = {"if", "for", "while", "switch", "catch", "return", "else", "do"}


def sources(*suffixes):
    folders = ("cpp", "python", "tests", "benchmarks", "examples", "tools")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*") if path.name.endswith(suffixes))


def cpp_functions(lines):
    """(name, first line, number of lines); a head may span lines, the body ends at the first `}` of its indentation."""
    at = 0
    while at < len(lines):
        head = re.match(r"^( {0,4})[\w~:<>*&\[\], ]+\(", lines[at])
        if not head or lines[at].strip().split("(")[0].split()[-1:] == [] or lines[at].strip().split("(")[0] in KEYWORDS:
            at += 1
            continue
        opened = at
        while opened < min(at + 8, len(lines)) and not lines[opened].rstrip().endswith(("{", ";", "}")):
            opened += 1
        if opened < len(lines) and lines[opened].rstrip().endswith("{"):
            close = next((i for i in range(opened + 1, len(lines)) if lines[i].startswith(head.group(1) + "}")), None)
            name = re.search(r"([~\w:]+)\($", lines[at].split("(")[0] + "(")
            if close is not None and name and name.group(1) not in KEYWORDS:
                yield name.group(1), at + 1, close - at + 1
                at = close
        at += 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0


def summary(title, sizes):
    values = [size for _, size in sizes]
    print(f"{title:24} {len(values):6} {percentile(values, 0.5):8} {percentile(values, 0.95):6} {max(values, default=0):6}")


def report(title, files, show):
    """Prints a language's rows; returns the complaints."""
    file_sizes, function_sizes = [], []
    for path in files:
        text = path.read_text(encoding="utf-8", errors="replace")
        name = str(path.relative_to(ROOT))
        lines = text.splitlines()
        file_sizes.append((name, len(lines)))
        found = python_functions(text) if path.suffix == ".py" else cpp_functions(lines)
        function_sizes += [(f"{name}:{function}", size) for function, _, size in found]
    summary(f"{title} files", file_sizes)
    summary(f"{title} functions", function_sizes)
    complaints = []
    for sizes, p95, limit in ((file_sizes, FILE_P95, FILE_MAX), (function_sizes, FUNCTION_P95, FUNCTION_MAX)):
        if percentile([size for _, size in sizes], 0.95) > p95:
            complaints.append(f"{title}: the 95th percentile is above {p95} lines")
        for name, size in sorted(sizes, key=lambda row: -row[1])[:show]:
            print(f"    {size:5}  {name}")
        complaints += [f"{name} has {size} lines" for name, size in sizes if size > limit and name not in EXCEPTIONS]
    return complaints


def modules():
    for path in sorted((ROOT / "python" / "naja").glob("_*.so")):
        print(f"{path.name:44} {path.stat().st_size / 1e6:8.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    print(f"{'lines':24} {'number':>6} {'median':>8} {'p95':>6} {'most':>6}")
    complaints = report("C++", sources(".cpp", ".h"), options.show)
    complaints += report("Python", sources(".py"), options.show)
    modules()
    for complaint in complaints:
        print(f"size_report: {complaint}", file=sys.stderr)
    return 1 if options.check and complaints else 0


if __name__ == "__main__":
    sys.exit(main())
