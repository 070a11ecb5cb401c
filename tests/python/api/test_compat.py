"""The alias of Numba and `python -m naja`."""

import subprocess
import sys

import pytest


def run(*args, **kwargs):
    import os
    import pathlib

    import naja

    root = str(pathlib.Path(naja.__file__).parents[1])
    kwargs["env"] = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
    return subprocess.run([sys.executable, *args], capture_output=True, text=True, **kwargs)


PROGRAM = """
from naja.compat import install_as_numba
install_as_numba()
import numba
from numba import njit, prange, types, float64, int64, TypingError
from numba.core import types as core_types, errors, config
from numba.core.errors import TypingError as T2, NumbaPerformanceWarning
from numba.extending import overload, register_jitable
from numba.core.types.misc import NoneType
from numba.np.numpy_support import as_dtype, from_dtype
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher
import numba.core.typing.templates
import naja

assert core_types is not None and core_types.int64 is types.int64 is int64 is naja.int64
assert T2 is TypingError is errors.TypingError is naja.errors.TypingError
assert numba.njit is naja.njit and numba.core.types.Array is naja.types.Array
assert tuple(map(int, numba.__version__.split("."))) >= (0, 60)
assert isinstance(njit(lambda x: x), CPUDispatcher) and CPUDispatcher is Dispatcher
assert config.DISABLE_JIT == 0 and numba.config.DISABLE_JIT == 0
assert as_dtype(float64) == "f8"
assert "njit" in dir(numba)
from numba import *
assert vectorize_missing(numba)
print("good")
"""


def test_alias():
    program = PROGRAM.replace("assert vectorize_missing(numba)\n", "")
    done = run("-c", program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "good"


@pytest.mark.parametrize("statement, message", [
    ("import numba.no_such_module", "no_such_module"), ("from numba import no_such_name", "no_such_name"),
    ("import numba; numba.core.no_such_name", "no_such_name"), ("from numba.core.types import Nothing", "Nothing"),
])
def test_what_is_missing_is_named(statement, message):
    done = run("-c", f"from naja.compat import install_as_numba; install_as_numba()\n{statement}")
    assert done.returncode == 1 and message in done.stderr.splitlines()[-1]


def test_run_as_numba(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import sys, numba\n@numba.njit\ndef f(x):\n    return x + 1\nprint(f(1), sys.argv[1:], __name__)\n")
    done = run("-m", "naja", "run", "--as-numba", str(script), "a", "--b")
    assert done.stdout == "2 ['a', '--b'] __main__\n", done.stderr
    done = run("-m", "naja", "run", "--as-numba", "-m", "program", "c", cwd=tmp_path)
    assert done.stdout == "2 ['c'] __main__\n", done.stderr


def test_children_are_aliased_too(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', "
                      "'import numba, numba.core.types as t; print(numba.njit(lambda x: x + 1)(1), t.int64)'], "
                      "capture_output=True, text=True, check=True).stdout)")
    done = run("-m", "naja", "run", "--as-numba", str(script))
    assert done.stdout.strip() == "2 int64", done.stderr


def test_report():
    done = run("-m", "naja", "-s")
    assert done.returncode == 0, done.stderr
    for word in ("LLVM", "CPU", "NumPy", "Python", "Version", "__Threads__", "workqueue", "__CUDA__", "__Cache__"):
        assert word in done.stdout
    assert run("-m", "naja", "--version").stdout.startswith("naja ")


def test_alias_refuses_a_loaded_numba():
    done = run("-c", "import sys, types; sys.modules['numba'] = types.ModuleType('numba')\n"
                     "from naja.compat import install_as_numba; install_as_numba()")
    assert "ImportError" in done.stderr


POOLS = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
import numba

@numba.njit
def f(x):
    return x + 1

def work(x):
    import numba as inner
    return f(x), inner.njit.__module__

if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        context = mp.get_context(method)
        with context.Pool(1) as pool:
            print(method, pool.map(work, [1]))
        with ProcessPoolExecutor(1, mp_context=context) as executor:
            print(method, list(executor.map(work, [2])))
"""


def test_multiprocessing_is_aliased_too(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(POOLS)
    done = run("-m", "naja", "run", "--as-numba", str(script), timeout=120)
    assert done.stdout.splitlines() == [
        f"{method} [({value}, 'naja.decorators')]" for method in ("fork", "spawn", "forkserver") for value in (2, 3)
    ], done.stderr


ENDINGS = """
import sys

def fail():
    raise KeyError("x")

how = sys.argv[1]
if how == "status":
    sys.exit(3)
if how == "message":
    sys.exit("the message")
if how == "error":
    fail()
if how == "interrupt":
    raise KeyboardInterrupt
print(__file__, __name__, __spec__ and __spec__.name, sys.argv, sys.modules["__main__"].__dict__ is globals())
"""


@pytest.mark.parametrize("how", ["status", "message", "error", "interrupt", "--help", "-m"])
@pytest.mark.parametrize("form", [["program.py"], ["-m", "program"]])
def test_runs_as_python_does(tmp_path, how, form):
    """Exit status, output and traceback are those of the interpreter itself."""
    (tmp_path / "program.py").write_text(ENDINGS)
    ours = run("-m", "naja", "run", "--as-numba", *form, how, cwd=tmp_path)
    theirs = run(*form, how, cwd=tmp_path)
    assert (ours.returncode, ours.stdout) == (theirs.returncode, theirs.stdout)
    assert ours.stderr == theirs.stderr.replace('  File "<frozen runpy>", line 198, in _run_module_as_main\n', "").replace(
        '  File "<frozen runpy>", line 88, in _run_code\n', "")


@pytest.mark.parametrize("form", [["missing.py"], ["-m", "missing"]])
def test_a_missing_program_is_reported_as_python_does(tmp_path, form):
    ours, theirs = run("-m", "naja", "run", *form, cwd=tmp_path), run(*form, cwd=tmp_path)
    assert (ours.returncode, ours.stderr) == (theirs.returncode, theirs.stderr)
