"""What the user sees when a program cannot be compiled: each case is a file that raises when run, its golden the class and
text of the exception. NAJA_UPDATE_GOLDENS=1 writes the goldens anew; read the diff before committing it.

Where a version of Python gives other positions, its golden is `<case>.<major>.<minor>.txt`."""

import os
import pathlib
import re
import runpy
import sys

import pytest
from naja.errors import NajaError

CASES = sorted((pathlib.Path(__file__).parent / "cases").glob("*.py"))


def outcome(path):
    try:
        runpy.run_path(str(path), run_name="case")
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        lines = str(error).splitlines()
        assert not isinstance(error, NajaError) or len(lines) <= 15, "a diagnostic has 15 lines at most"
        text = re.sub(r"(/[\w.+-]+)+/cases/", "", text)
        return re.sub(r"0x[0-9a-f]+", "0x...", text) + "\n"
    return "nothing was raised\n"


@pytest.mark.parametrize("path", CASES, ids=[p.stem for p in CASES])
def test_golden(path):
    golden = path.with_suffix(".txt")
    of_version = path.with_suffix(f".{sys.version_info.major}.{sys.version_info.minor}.txt")
    if of_version.exists():
        golden = of_version
    text = outcome(path)
    if os.environ.get("NAJA_UPDATE_GOLDENS"):
        golden.write_text(text)
    assert golden.exists(), f"no golden yet; the outcome is:\n{text}"
    assert text == golden.read_text()


def test_full_text_on_request():
    from naja import config

    path = next(p for p in CASES if p.stem == "chain_of_calls")
    config.FULL_TRACEBACKS = 1
    try:
        with pytest.raises(NajaError) as caught:
            runpy.run_path(str(path), run_name="case")
    finally:
        config.FULL_TRACEBACKS = 0
    assert caught.value.diagnostic["line"] == 6
