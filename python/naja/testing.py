"""Helpers for tests of naja and of programs that use it."""

from __future__ import annotations

import contextlib
import gc

from . import _core


def live_allocations():
    """How many blocks of memory compiled code holds now."""
    return _core.live_allocations()


@contextlib.contextmanager
def no_leaks():
    """Fails where the block leaves more memory of compiled code alive than it found."""
    gc.collect()
    before = live_allocations()
    yield
    gc.collect()
    after = live_allocations()
    if after != before:
        raise AssertionError(f"{after - before} allocations of compiled code were not released")


def filecheck(text, pattern):
    """Runs LLVM's FileCheck on a text; raises AssertionError with its complaint. `pattern` holds the CHECK lines."""
    import shutil
    import subprocess
    import tempfile

    tool = next((t for t in map(shutil.which, ("FileCheck-22", "FileCheck", "/usr/lib/llvm-22/bin/FileCheck")) if t),
                None)
    if tool is None:
        raise RuntimeError("FileCheck is not installed")
    with tempfile.NamedTemporaryFile("w", suffix=".check") as file:
        file.write(pattern)
        file.flush()
        done = subprocess.run([tool, file.name], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
