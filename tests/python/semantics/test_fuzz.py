"""A few hundred random programs against CPython and NumPy; tests/fuzz/run.py runs as many as one likes."""

import sys
import warnings
from pathlib import Path

import pytest
from naja import njit
from naja.testing import live_allocations

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fuzz"))
import run

CHUNK = 25


@pytest.mark.parametrize("first", range(1, 151, CHUNK))
def test_programs(first):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        differences = [run.check(seed, njit, live_allocations) for seed in range(first, first + CHUNK)]
    assert [text for text in differences if text] == []


def test_the_oracle_notices():
    """A compiler that gets one thing wrong fails many programs: here, one that never wraps int64."""
    assert run.oracle.wrap(2**63, "int64") == -(2**63)
    assert not run.oracle.same(2**63, -(2**63))
    assert not run.oracle.same(1, 1.0)
    assert not run.oracle.same(True, 1)
    assert run.difference((None, "ValueError", []), ((1,), None, [])) is not None
