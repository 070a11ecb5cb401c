"""The documentation names files, functions and dumps that exist. NAJA_UPDATE_GOLDENS=1 writes the dumps of
docs/architecture/one-function.md anew."""

import os
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import naja
import numpy as np
import pytest
from naja.inspection import text as artefact

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "architecture" / "one-function.md"
PAGES = sorted([*(ROOT / "docs" / "howto").glob("*.md"), ROOT / "CONTRIBUTING.md"])
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.<>*-]*|[\w-]+\.(?:cpp|h|def|md|sh))`")
NAME = re.compile(r"`([A-Za-z_]\w{3,})`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
FOLDERS = ["", "cpp", "cpp/naja", "cpp/naja/ir", "cpp/naja/ir/instructions", "cpp/naja/library", "python", "tests", "docs"]
# placeholders: of style, and of passes that a reader is to write
EXAMPLES = {"PascalCase", "camelCase", "snake_case", "kName", "name_", "cpp/naja/passes/my_pass.h", "cpp/naja/passes/my_pass.cpp", "tests/filecheck/passes/my_pass/"}


def outside_of_code(page):
    return re.sub(r"```.*?```", "", page.read_text(), flags=re.S)


@lru_cache
def words_of_the_sources():
    words = set()
    for folder in ("cpp", "python", "tools", "tests", "benchmarks", "cmake"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".cpp", ".h", ".def", ".py", ".sh", ".cmake", ".S", ".nir"}:
                words.update(re.findall(r"\w+", path.read_text(errors="replace")))
                words.add(path.stem)
    return words


def exists(name):
    return any(list((ROOT / folder).glob(name.rstrip("/"))) for folder in FOLDERS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_files_exist(page):
    named = set(PATH.findall(outside_of_code(page))) - EXAMPLES
    missing = sorted(name for name in named if "<" not in name and not name.startswith("build/") and not exists(name))
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_named_functions_exist(page):
    missing = sorted(set(NAME.findall(outside_of_code(page))) - words_of_the_sources() - EXAMPLES)
    assert not missing


def test_links_lead_somewhere():
    broken = [f"{page.name}: {link}" for page in [*PAGES, PAGE] for link in LINK.findall(outside_of_code(page))
              if not (page.parent / link).exists()]  # fmt: skip
    assert not broken


# ---------------------------------------------------------------------------------------- the way of one function

DUMP = re.compile(r"<!-- (\S+) -->\n```\n(.*?)```", re.S)
# what only the beginning or a part of is shown
SHOWN = {"ll": (r"^define", r"^}")}


def dumps():
    """The artefacts of the page's function, without what differs between processes and machines."""
    source = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.S).group(1)
    namespace = {}
    exec(compile(source, "mean.py", "exec"), namespace)
    mean = naja.njit(namespace["mean"])
    assert mean(np.array([1.0, 2.0, 6.0])) == 3.0
    specialisation = mean.overloads[mean.signatures[0]].entry_point.specialisation
    result = {}
    for name in ("nir", "typed.nir", "opt.nir", "ll"):
        lines = artefact(mean, specialisation, name).splitlines()
        if name in SHOWN:
            first = next(i for i, line in enumerate(lines) if re.match(SHOWN[name][0], line))
            last = next(i for i, line in enumerate(lines) if i > first and re.match(SHOWN[name][1], line))
            lines = lines[first:last + 1]
        text = "\n".join(line.rstrip() for line in lines).strip() + "\n"
        result[name] = re.sub(r"mean\.0\.\d+", "mean", text)
    return result


@pytest.mark.skipif(os.environ.get("NAJA_OPT") is not None, reason="other options, other dumps")
def test_the_way_of_one_function():
    now = dumps()
    page = PAGE.read_text()
    if os.environ.get("NAJA_UPDATE_GOLDENS"):
        PAGE.write_text(DUMP.sub(lambda m: f"<!-- {m.group(1)} -->\n```\n{now[m.group(1)]}```", page))
        return
    found = dict(DUMP.findall(page))
    assert set(found) == set(now)
    assert all("mean" in text for text in now.values())
    if sys.version_info[:2] == (3, 11):  # bytecode and positions differ between versions of Python
        for name, shown in found.items():
            assert shown == now[name], f"{name} of docs/architecture/one-function.md is not up to date"


def test_help_of_tools():
    for tool in ("size_report.py", "update_goldens.py"):
        done = subprocess.run(["python3", ROOT / "tools" / tool, "--help"], capture_output=True, text=True)
        assert done.returncode == 0 and "usage" in done.stdout
