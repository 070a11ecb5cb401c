"""A short run of tests/stress/cache_stress.py."""

import importlib.util
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location(
    "cache_stress", Path(__file__).resolve().parents[2] / "stress" / "cache_stress.py")
cache_stress = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(cache_stress)


@pytest.mark.parametrize("size", [None, "60K"])
def test_processes_that_are_killed(size):
    wrong, damaged, killed = cache_stress.run(processes=4, functions=8, rounds=2, size=size)
    assert (wrong, damaged) == (0, 0)
    assert killed == 2
