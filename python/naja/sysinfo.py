"""The report of `python -m naja -s`."""

from __future__ import annotations

import os
import platform
import sys


def sections():
    """(title, rows) of each part."""
    import numpy

    from . import __version__, config
    from .dispatcher import _compiler

    compiler = _compiler()
    environment = [(k, v) for k, v in sorted(os.environ.items()) if k.startswith(("NAJA_", "NUMBA_"))]
    return [
        ("naja", [("Version", __version__), ("Folder", os.path.dirname(os.path.abspath(__file__))),
                  ("LLVM", compiler.llvm_version())]),
        ("Hardware", [("Machine", platform.machine()), ("CPU", compiler.host_cpu()),
                      ("CPU count", os.cpu_count()), ("CPUs of this process", config.NUMBA_NUM_THREADS),
                      ("CPU features", " ".join(_wrapped(compiler.host_features())))]),
        ("System", [("Platform", platform.platform()), ("C library", " ".join(platform.libc_ver()))]),
        ("Python", [("Version", sys.version.replace("\n", " ")), ("Executable", sys.executable),
                    ("NumPy", numpy.__version__)]),
        ("Environment", environment or [("(nothing set)", "")]),
    ]


def _wrapped(features):
    return sorted(f[1:] for f in features.split(",") if f.startswith("+"))


def report():
    rows = []
    for title, entries in sections():
        rows += [f"__{title}__", *(f"{name:<28}: {value}" for name, value in entries), ""]
    return "\n".join(rows)
