"""Threads of parallel regions: how many, which one, by what scheduler; and what became of `parallel=True`.

The functions work in Python and in compiled code. How many threads and what chunk size hold for the calling thread alone;
regions hand them on to the threads that work for them."""

from __future__ import annotations

import linecache
import operator
import warnings
from contextlib import contextmanager

from . import _core

KINDS = {"parallel": "parallel", "serial": "serial", "warning": "serial, because of a problem"}


def _integer(value, message):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(message) from None


def set_num_threads(n):
    """Threads for the regions that this thread starts from now on, 1 to `config.NUMBA_NUM_THREADS`."""
    _core.set_num_threads(_integer(n, "The number of threads specified must be an integer"))


def get_num_threads():
    """Threads that a region of this thread uses, itself included."""
    return _core.get_num_threads()


def get_thread_id():
    """Which thread of the innermost region this is, from 0; 0 outside of regions."""
    return _core.get_thread_id()


def threading_layer():
    """Name of the scheduler in use."""
    name = _core.threading_layer()
    if name is None:
        raise ValueError("Threading layer is not initialized.")
    return name


def get_parallel_chunksize():
    """Iterations per chunk of this thread's regions; 0: chosen by naja."""
    return _core.get_parallel_chunksize()


def set_parallel_chunksize(n):
    """Sets the iterations per chunk and returns what they were."""
    size = _integer(n, "The parallel chunksize must be an integer")
    if size < 0:
        raise ValueError("chunksize must be greater than or equal to zero")
    return _core.set_parallel_chunksize(size)


@contextmanager
def parallel_chunksize(n):
    """A chunk size for the regions that the block starts."""
    before = set_parallel_chunksize(n)
    try:
        yield
    finally:
        set_parallel_chunksize(before)


# ------------------------------------------------------------------------------------------------------- diagnostics
def notes(dispatcher, specialisation):
    """Rows (kind, line, other line, text) of one specialisation; kinds as in KINDS."""
    from .dispatcher import _compiler
    from .inspection import is_from_store

    if is_from_store(specialisation):  # code that was loaded is compiled again for them, as for its texts
        specialisation = _compiler().compile(dispatcher.py_func, dispatcher, specialisation.args, None,
                                             dispatcher.compiler_flags)
    return _compiler().parallel_notes(specialisation)


def warn(dispatcher, specialisation):
    """Warns of loops that are serial although the user marked them, and where nothing is parallel at all."""
    from .errors import NumbaPerformanceWarning

    rows = notes(dispatcher, specialisation)
    code = dispatcher.py_func.__code__
    for kind, line, other, text in rows:
        if kind == "warning":
            _issue(f"prange or pndindex loop will not be executed in parallel {text}{_second(other, line)}.", code, line,
                   NumbaPerformanceWarning)
    if not rows:
        _issue("The keyword argument 'parallel=True' was specified but no transformation for parallel execution was "
               "possible.", code, code.co_firstlineno, NumbaPerformanceWarning)


def _issue(message, code, line, category):
    source = linecache.getline(code.co_filename, line).rstrip()
    where = f'\n\nFile "{code.co_filename}", line {line}:\n{source}\n' if source else f"\n(line {line})"
    warnings.warn_explicit(f"{message}{where}", category, code.co_filename, line)


def _second(other, line):
    return f" (value from line {other})" if other > 0 and other != line else ""


def diagnostics(dispatcher, signature=None):
    """The text that Dispatcher.parallel_diagnostics prints."""
    lines = []
    wanted = dispatcher._specialisations() if signature is None else [dispatcher._specialisation_of(signature)]
    code = dispatcher.py_func.__code__
    for specialisation in wanted:
        from .types.signatures import signature_of_ids

        signature = signature_of_ids(specialisation.args, specialisation.return_type)
        lines.append(f"Parallel loops of {dispatcher.__name__} {signature}, {code.co_filename} ({code.co_firstlineno})")
        rows = notes(dispatcher, specialisation)
        for number, (kind, line, other, text) in enumerate(rows):
            source = linecache.getline(code.co_filename, line).strip()
            lines.append(f"  #{number} line {line}: {KINDS[kind]}: {text}{_second(other, line)}")
            if source:
                lines.append(f"      {source}")
        if not rows:
            lines.append("  none")
    return "\n".join(lines)


def print_diagnostics(dispatcher, signature=None, level=1):
    if level not in (1, 2, 3, 4):
        raise ValueError("Report level unknown, should be one of 1, 2, 3, or 4.")
    print(diagnostics(dispatcher, signature))
