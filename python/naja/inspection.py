"""What inspection shows: texts of a specialisation (made anew when asked for), its control flow, its types by source
line, its compile times."""

from __future__ import annotations

import linecache
import re
from collections import namedtuple

from . import _core

_CompileStats = namedtuple("_CompileStats", ["cache_path", "cache_hits", "cache_misses"])


def text(dispatcher, specialisation, artefact):
    """One artefact: nir, typed.nir, opt.nir, ll, opt.ll or s."""
    from .dispatcher import _compiler

    return _compiler().texts(dispatcher.py_func, dispatcher, specialisation, dispatcher.compiler_flags)[artefact]


def is_from_store(specialisation):
    """Loaded from the object store: this process has not compiled it."""
    return "naja.CachedCode" in repr(specialisation.owner)


def metadata(dispatcher, specialisation):
    """Compile times by stage, in seconds."""
    from .dispatcher import _compiler

    times = {} if is_from_store(specialisation) else _compiler().timings(specialisation)
    return {"pipeline_times": {"nopython": times}, "parfors": {},
            "parfor_diagnostics": None, "prune_stats": None, "llvm_pass_timings": None, "timers": {}}


class CompileResult:
    """One specialisation as `Dispatcher.overloads` shows it."""

    typing_error = None
    objectmode = False
    lifted = ()

    def __init__(self, dispatcher, specialisation):
        self._dispatcher = dispatcher
        self._specialisation = specialisation

    @property
    def entry_point(self):
        """The compiled code as a callable."""
        from .dispatcher import EntryPoint

        return EntryPoint(self._dispatcher, self._specialisation)

    @property
    def signature(self):
        from .types.signatures import signature_of_ids

        return signature_of_ids(self._specialisation.args, self._specialisation.return_type)

    @property
    def metadata(self):
        return metadata(self._dispatcher, self._specialisation)

    def __repr__(self):
        return f"<CompileResult of {self._dispatcher.__name__} {self.signature}>"


class ControlFlowGraph:
    """The blocks of a function in LLVM IR and their edges; str() is in the DOT language."""

    _LABEL = re.compile(r"^([\w.$-]+|\"[^\"]+\"):", re.M)
    _TARGET = re.compile(r"label %([\w.$-]+|\"[^\"]+\")")

    def __init__(self, llvm_ir, name):
        self.name = name
        self.blocks = self._blocks(llvm_ir)
        self.edges = [(source, target) for source, body in self.blocks.items()
                      for target in dict.fromkeys(self._TARGET.findall(body.splitlines()[-1] if body else ""))]
        self.dot = str(self)

    def _blocks(self, llvm_ir):
        start = llvm_ir.find("\ndefine ")
        body = llvm_ir[llvm_ir.index("{", start) + 1:llvm_ir.index("\n}", start)] if start >= 0 else ""
        parts = self._LABEL.split(body)
        blocks = {"entry": parts[0].strip()} if parts[0].strip() else {}
        for label, code in zip(parts[1::2], parts[2::2]):
            lines = [line.strip() for line in code.strip().splitlines()]
            blocks[label] = "\n".join(_joined(lines))
        return blocks

    def __str__(self):
        rows = [f'digraph "CFG for \'{self.name}\' function" {{']
        for label, code in self.blocks.items():
            shown = f"{label}:\n{code}".replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\l")
            rows.append(f'  "{label}" [shape=record,label="{_escape(shown)}\\l"];')
        rows += [f'  "{a}" -> "{b}";' for a, b in self.edges]
        return "\n".join([*rows, "}"])

    def __repr__(self):
        return str(self)

    def display(self, filename=None, format="pdf", view=False):
        """Renders with Graphviz, where the Python package `graphviz` is installed."""
        import graphviz

        source = graphviz.Source(str(self))
        if filename is not None:
            source.format = format
            source.render(filename, view=view)
        return source


def _joined(lines):
    """Terminators over several lines (switch) as one."""
    out = []
    for line in lines:
        if out and out[-1].startswith("switch") and "]" not in out[-1]:
            out[-1] += " " + line
        else:
            out.append(line)
    return out


def _escape(label):
    return re.sub(r"([{}|<>])", r"\\\1", label)


_LOCATION = re.compile(r"\s*!(\d+):\d+(-\d+:\d+)?")


class TypedSource:
    """The source of a function with the typed instructions of each line."""

    def __init__(self, dispatcher, specialisation):
        code = dispatcher.py_func.__code__
        types = ", ".join(_core.type_data(i)[1] for i in specialisation.args)
        self.title = f"{dispatcher.__name__} ({types}{',' if len(specialisation.args) == 1 else ''})"
        self.file = code.co_filename
        self.first_line = code.co_firstlineno
        self.last_line = max((line for _, _, line in code.co_lines() if line is not None), default=self.first_line)
        self.lines = _by_line(text(dispatcher, specialisation, "typed.nir"))
        self.return_type = _core.type_data(specialisation.return_type)[1]

    def __str__(self):
        rows = [self.title, "-" * 80, f"# File: {self.file}"]
        for number in range(self.first_line, self.last_line + 1):
            rows.append(f"# --- LINE {number} ---")
            rows += [f"#   {instruction}" for instruction in self.lines.get(number, ())]
            rows += ["", linecache.getline(self.file, number).rstrip("\n"), ""]
        return "\n".join([*rows, f"# returns {self.return_type}", "", "=" * 80])

    __repr__ = __str__

    def _repr_html_(self):
        import html

        return f"<pre>{html.escape(str(self))}</pre>"


def _by_line(nir):
    """Instructions of the root function by source line. A line of NIR without a location belongs to the one before, the
    head of a block (its parameters are the variables that loops and branches change) to the one after."""
    lines, current, head = {}, None, None
    for row in nir.partition("\n}")[0].splitlines()[1:]:
        if row.startswith("bb"):
            head = row
            continue
        found = _LOCATION.search(row)
        if found:
            current = int(found[1])
        if current is None:
            continue
        shown = lines.setdefault(current, [])
        if head is not None:
            shown.append(head)
            head = None
        shown.append("  " + _LOCATION.sub("", row).strip())
    return lines
