"""What is generated of the documentation is up to date."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.mark.parametrize("script", ["build_api_reference.py", "build_doc_tables.py"])
def test_up_to_date(script):
    done = subprocess.run([sys.executable, str(ROOT / "tools" / script), "--check"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_public_names_are_documented():
    from build_api_reference import undocumented

    assert undocumented() == []


def test_environment_page_is_what_the_build_has():
    from naja import config

    page = (ROOT / "docs/user/environment.md").read_text()
    for name, _, _, text in config.options():
        assert f"| `NAJA_{name}` |" in page and text in page


def test_all_names_of_numpy_are_in_the_page():
    from naja import _compiler

    page = (ROOT / "docs/user/arrays.md").read_text()
    missing = [n for n in _compiler.builtin_names() if n.startswith("numpy.") and f"`{n[6:]}`" not in page]
    assert missing == []
