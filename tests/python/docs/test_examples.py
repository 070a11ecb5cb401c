"""Every example of the documentation runs and prints what it says (pages.py has the conventions)."""

import re
import warnings

import pytest
from pages import PAGES, ROOT, blocks, run


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
def test_examples(page, tmp_path):
    scope = {"__name__": "example"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for block in blocks(page):
            complaint = run(block, tmp_path / f"{page.stem}_{block.line}.py", scope)
            assert complaint is None, f"{page.name}:{block.line}: {complaint}"


@pytest.mark.parametrize("page", PAGES, ids=[p.stem for p in PAGES])
def test_links_and_fences(page):
    text = page.read_text()
    fences = re.findall(r"^```(.*)$", text, re.M)
    assert len(fences) % 2 == 0, "a code block is not closed"
    assert set(fences[::2]) <= {"python", "python raises", "", "text", "sh"}, "an example with an unknown mark is not run"
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[\w-]+)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)}: no {target}"


def test_checker_notices(tmp_path):
    """The conventions themselves: a checker that accepts everything would prove nothing."""
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)  # prints: 2\n```\n```python raises\n1\n```\n```python\n1 / 0\n```\n"
                    "```python raises\n1 / 0  # raises: ValueError\n```\n```python\nprint(12)  # prints: 1...\n```\n")
    complaints = [run(b, tmp_path / "x.py", {}) for b in blocks(page)]
    assert [c is None for c in complaints] == [False, False, False, False, True]
