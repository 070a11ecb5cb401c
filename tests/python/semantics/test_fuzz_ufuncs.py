"""A few random ufuncs of tests/fuzz/ufuncs.py against NumPy."""

import importlib.util
import warnings
from pathlib import Path

import pytest

_PATH = Path(__file__).resolve().parents[2] / "fuzz" / "ufuncs.py"


@pytest.fixture(scope="module")
def fuzzer():
    spec = importlib.util.spec_from_file_location("fuzz_ufuncs", _PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(40, 48))
def test_random_ufuncs(fuzzer, seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert fuzzer.run(seed) is None
