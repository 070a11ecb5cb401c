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
        ("Threads", [("Layers", "workqueue"), ("Threads of a region", config.NUMBA_NUM_THREADS)]),
        ("CUDA", _cuda()),
        ("Cache", _cache()),
        ("System", [("Platform", platform.platform()), ("C library", " ".join(platform.libc_ver()))]),
        ("Python", [("Version", sys.version.replace("\n", " ")), ("Executable", sys.executable),
                    ("NumPy", numpy.__version__)]),
        ("Environment", environment or [("(nothing set)", "")]),
    ]


def _cuda():
    """The driver, where there is one; kernels run on the CPU device otherwise."""
    import ctypes

    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        return [("Driver", f"none ({error})"), ("Kernels run on", "the CPU device")]
    version = ctypes.c_int()
    status = driver.cuDriverGetVersion(ctypes.byref(version))
    text = f"error {status}" if status else f"{version.value // 1000}.{version.value % 1000 // 10}"
    count = ctypes.c_int()
    found = driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
    return [("Driver", f"libcuda.so.1, CUDA {text}"), ("GPUs", count.value if found else "none that can be used")]


def _cache():
    """The folder of the object store and what it holds."""
    from . import _core

    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = _core.get_option("CACHE_DIR") or os.path.join(base, "naja")
    files = [os.path.join(path, name) for path, _, names in os.walk(folder) for name in names]
    size = sum(os.path.getsize(f) for f in files if os.path.exists(f))
    return [("Folder", folder), ("Files", f"{len(files)}, {size / 2**20:.1f} MiB"),
            ("Limit", _core.get_option("CACHE_SIZE"))]


def _wrapped(features):
    return sorted(f[1:] for f in features.split(",") if f.startswith("+"))


def report():
    rows = []
    for title, entries in sections():
        rows += [f"__{title}__", *(f"{name:<28}: {value}" for name, value in entries), ""]
    return "\n".join(rows)
