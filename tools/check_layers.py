#!/usr/bin/env python3
"""Checks that every #include of cpp/naja obeys the table of layers (docs/architecture/README.md).

Prints each violation as file:line and ends with 1 if there is any.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "cpp" / "naja"

# layer -> layers it may include, besides itself
ALLOWED = {
    "support": set(),
    "types": {"support"},
    "ir": {"types", "support"},
    "library": {"ir", "types", "support"},
    "frontend/snapshot": {"types", "support"},
    "frontend/translate": {"frontend/snapshot", "ir", "library", "types", "support"},
    "typing": {"frontend/translate", "frontend/snapshot", "library", "ir", "types", "support"},
    "passes": {"library", "ir", "types", "support"},
    "codegen": {"library", "ir", "types", "support", "runtime"},
    "runtime": {"support"},
    "store": {"runtime", "support"},
    "cuda": {"runtime", "support"},
    "jit": {"runtime", "store", "support"},
    "driver": {"frontend/translate", "frontend/snapshot", "typing", "passes", "codegen", "jit", "store", "cuda",
               "library", "ir", "types", "support", "runtime"},
    "bindings/core": {"frontend/snapshot", "types", "support", "store", "cuda", "runtime"},
    "bindings/compiler": {"driver", "frontend/snapshot", "frontend/translate", "typing", "codegen", "store", "runtime",
                          "cuda", "library", "passes", "ir", "types", "support", "bindings/core"},
}
# Of these layers only this one header may be seen from outside, by the named layer.
ONLY_HEADER = {
    ("frontend/translate", "frontend/snapshot"): "frontend/snapshot/code.h",
    ("typing", "frontend/snapshot"): "frontend/snapshot/code.h",
    ("driver", "frontend/snapshot"): "frontend/snapshot/code.h",
    ("codegen", "runtime"): "runtime/abi.h",
}
PYTHON = {"frontend/snapshot", "bindings/core", "bindings/compiler"}
LLVM = {"codegen", "jit"}
INCLUDE = re.compile(r'\s*#\s*include\s+[<"]([^>"]+)[>"]')


def layer_of(path):
    """The layer of a path relative to cpp/naja, or None."""
    parts = path.split("/")
    for depth in (2, 1):
        name = "/".join(parts[:depth])
        if name in ALLOWED:
            return name
    return None


def violation(layer, target):
    """Why `layer` may not include `target`, or None."""
    if target.startswith(("Python.h", "numpy/", "nanobind/")):
        return None if layer in PYTHON else f"{layer} may not see Python"
    if target.startswith("llvm"):
        return None if layer in LLVM else f"{layer} may not see LLVM"
    if not target.startswith("naja/"):
        return None
    name = target.removeprefix("naja/")
    other = layer_of(name)
    if other is None:
        return f"{target} belongs to no layer"
    if other != layer and other not in ALLOWED[layer]:
        return f"{layer} may not use {other}"
    only = ONLY_HEADER.get((layer, other))
    return f"of {other}, {layer} may use {only} alone" if only and name != only else None


def main():
    bad = 0
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix not in (".cpp", ".h", ".def", ".S"):
            continue
        layer = layer_of(str(file.relative_to(SOURCE).parent))
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            reason = match and violation(layer, match[1])
            if reason:
                bad += 1
                print(f"{file.relative_to(ROOT)}:{number}: {reason}: {line.strip()}")
    print(f"layer check: {bad} violation{'s' * (bad != 1)}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
