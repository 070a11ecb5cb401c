"""Running a program as the interpreter itself would: `python -m naja run`. This is a module of its own since the program
takes the place of `__main__`."""

from __future__ import annotations

import builtins
import importlib.machinery
import io
import os
import sys
import types

_OURS = {__file__, os.path.join(os.path.dirname(os.path.dirname(__file__)), "__main__.py"), "<frozen runpy>"}


def run_program(target, args, as_module, as_numba):
    """Runs a script or module as `__main__`; the exit status."""
    if as_numba:
        from . import install_as_numba, install_in_children

        install_as_numba()
        install_in_children()
    sys.excepthook = _show_exception
    sys.argv = [target, *args]
    if as_module:
        import runpy

        sys.path.insert(0, os.getcwd())
        runpy._run_module_as_main(target)  # what `python -m` does
        return 0
    return _run_script(target)


def _run_script(target):
    """Runs a script as the module `__main__`, as the interpreter itself does."""
    path = os.path.abspath(target)
    if not os.path.exists(path):
        print(f"{sys.orig_argv[0]}: can't open file {path!r}: [Errno 2] No such file or directory", file=sys.stderr)
        return 2
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        runpy.run_path(path, run_name="__main__")
        return 0
    sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=path, __builtins__=builtins, __cached__=None,
                           __loader__=importlib.machinery.SourceFileLoader("__main__", path))
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    sys.modules["__main__"] = module
    exec(code, module.__dict__)
    return 0


def _show_exception(kind, error, traceback):
    """Leaves out the frames of naja and runpy at the start of a traceback."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _OURS:
        traceback = traceback.tb_next
    sys.__excepthook__(kind, error.with_traceback(traceback), traceback)
