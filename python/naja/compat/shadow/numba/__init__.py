"""Stands for Numba in processes that a program run with `python -m naja run --as-numba` starts: this folder is first on
their path, and what is imported here steps aside for the alias."""

import importlib
import sys

from naja.compat import install_as_numba

del sys.modules["numba"]
install_as_numba()
importlib.import_module("numba")
