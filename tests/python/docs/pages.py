"""The Python examples of a page of documentation, and what they must do.

- ```python          runs without an exception
- ```python raises   ends in an exception of the compiler or of the program
- a comment `# prints: text` says a line of output; where a block has such comments, they are all of its output, in order.
  `...` stands for any text. In a block that raises, `# raises: text` is in the exception.
"""

import contextlib
import io
import pathlib
import re
from typing import NamedTuple

ROOT = pathlib.Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs/user").glob("*.md"))]
_BLOCK = re.compile(r"^```python( raises)?\n(.*?)^```$", re.M | re.S)


class Block(NamedTuple):
    line: int
    raises: bool
    code: str


def blocks(page):
    text = page.read_text()
    return [Block(text.count("\n", 0, m.start(2)) + 1, m[1] is not None, m[2]) for m in _BLOCK.finditer(text)]


def _comments(word, code):
    return re.findall(rf"# {word}: ?(.*)$", code, re.M)


def run(block, file, scope):
    """Runs one block from a file of its own, as compiled code finds its source there; returns complaints."""
    file.write_text(block.code)
    out = io.StringIO()
    error = None
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(block.code, str(file), "exec"), scope)
    except Exception as caught:  # the example decides which
        error = caught
    if (error is not None) != block.raises:
        return f"raised {type(error).__name__}: {error}" if error is not None else "did not raise"
    for text in _comments("raises", block.code):
        if text not in f"{type(error).__name__}: {error}":
            return f"raised {type(error).__name__}: {error}\nnot {text}"
    wanted = _comments("prints", block.code)
    if wanted:
        pattern = "\n".join(re.escape(row.strip()).replace(re.escape("..."), ".*") for row in wanted)
        printed = "\n".join(row.strip() for row in out.getvalue().splitlines())
        if not re.fullmatch(pattern, printed):
            return f"printed:\n{printed}\nnot:\n" + "\n".join(wanted)
    return None
