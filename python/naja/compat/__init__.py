"""Running programs written for Numba: after `install_as_numba()`, `import numba` and its submodules lead to naja.

Only names change hands: nothing is emulated. What naja lacks raises ImportError or AttributeError with its name.
"""

from __future__ import annotations

import os
import sys

from .finder import NumbaFinder

#: The version whose public names are provided; programs compare it.
NUMBA_VERSION = "0.68.1"


def install_as_numba():
    """Makes `import numba` give naja in this process. ImportError where the real one is loaded already."""
    loaded = sys.modules.get("numba")
    if loaded is not None and not getattr(loaded, "__naja_alias__", False):
        raise ImportError("numba is imported already: install the alias before anything imports it")
    if not any(isinstance(finder, NumbaFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, NumbaFinder(NUMBA_VERSION))


def install_in_children():
    """Makes `import numba` give naja in the Python processes that this one starts: a folder on their path that holds a
    package of that name. It is on this process's path as well, which multiprocessing hands to what it spawns."""
    shadow = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shadow")
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if shadow not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([shadow, *filter(None, paths)])
    if shadow not in sys.path:
        sys.path.insert(0, shadow)


def uninstall():
    """Undoes `install_as_numba` for imports that follow."""
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, NumbaFinder)]
    for name in [n for n, m in sys.modules.items()
                 if n.partition(".")[0] == "numba" and getattr(m, "__naja_alias__", False)]:
        del sys.modules[name]
