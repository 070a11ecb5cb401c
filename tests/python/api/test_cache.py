"""cache=True: what hits, what misses, what is refused. Each run is a process of its own."""

import json
import os
import stat
import subprocess
import sys
import textwrap

import pytest
from naja.store.files import Folder
from naja.store.packing import pack, unpack

HEAD = """
import json, sys
import numpy as np
from naja import njit
def report(**more):
    print(json.dumps(dict(more, compiler="naja._compiler" in sys.modules,
                          mapped=any("_compiler.cpython" in l or "libLLVM" in l for l in open("/proc/self/maps")))))
"""


@pytest.fixture
def run(tmp_path):
    """Runs a program with its own store; its last line of output, read as JSON, and stderr."""
    def run(source, name="program.py", env=None, ok=True, args=()):
        path = tmp_path / name
        path.write_text(HEAD + textwrap.dedent(source))
        done = subprocess.run([sys.executable, str(path), *args], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "NAJA_CACHE_DIR": str(tmp_path / "store"), **(env or {})})
        if ok:
            assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
        return {**result, "err": done.stderr, "out": done.stdout}
    run.store = tmp_path / "store"
    run.folder = tmp_path
    return run


PROGRAM = """
{before}
G = {g}
A = np.array({a})
class Err(Exception): pass
@njit
def h(x): return x {h}
@njit
def g(x): return h(x) * G
def maker(c):
    @njit(cache=True)
    def f(a, i, d={d}):
        if i < 0:
            raise Err("neg", i)
        s = 0.0
        for k in range(a.shape[0]): s += g(a[k])
        return s + A[i] + c + d
    return f
f = maker({c})
report(r=f(np.ones(3), 1), hits=sum(f.stats.cache_hits.values()), misses=sum(f.stats.cache_misses.values()))
"""
BASE = dict(before="", g=3.0, a=[1.0, 2.0], h="+ 1", d=0, c=10)


def expected(v):
    return 3 * eval(f"1.0 {v['h']}") * v["g"] + v["a"][1] + v["c"] + v["d"]


class TestHits:
    def test_warm_without_the_compiler(self, run):
        program = PROGRAM.format(**BASE)
        first, second = run(program), run(program)
        assert (first["r"], first["misses"], first["compiler"]) == (expected(BASE), 1, True)
        assert (second["r"], second["hits"], second["misses"]) == (expected(BASE), 1, 0)
        assert not second["compiler"] and not second["mapped"]

    @pytest.mark.parametrize("change", [dict(g=4.0), dict(a=[1.0, 5.0]), dict(h="+ 2"), dict(d=1), dict(c=11)],
                             ids=lambda c: next(iter(c)))
    def test_what_changes_the_code_misses(self, run, change):
        """A global of a callee, a frozen array, a callee of a callee, a default, a closure cell; and back again."""
        changed = {**BASE, **change}
        run(PROGRAM.format(**BASE))
        there = run(PROGRAM.format(**changed))
        assert (there["r"], there["hits"]) == (expected(changed), 0)
        back = run(PROGRAM.format(**BASE))
        assert (back["r"], back["hits"]) == (expected(BASE), 1)

    def test_an_edit_elsewhere_hits(self, run):
        run(PROGRAM.format(**BASE))
        moved = run(PROGRAM.format(**{**BASE, "before": "\n\ndef other(): return 1\n\n"}), name="moved.py")
        assert moved["hits"] == 1

    @pytest.mark.parametrize("option", ["fastmath=True", "error_model='numpy'", "boundscheck=True"])
    def test_options_are_part_of_the_key(self, run, option):
        program = """
            @njit(cache=True{})
            def f(x): return 1.0 / x
            report(r=f(4.0), hits=len(f.stats.cache_hits))
        """
        run(program.format(""))
        assert run(program.format(", " + option))["hits"] == 0
        assert run(program.format(""))["hits"] == 1

    def test_options_of_callees(self, run):
        program = """
            @njit({})
            def g(x, y): return x / y
            @njit(cache=True)
            def f(x, y): return g(x, y)
            try:
                r = f(1.0, 0.0)
            except ZeroDivisionError:
                r = "raised"
            report(r=str(r))
        """
        assert run(program.format(""))["r"] == "raised"
        assert run(program.format("error_model='numpy'"))["r"] == "inf"
        assert run(program.format(""))["r"] == "raised"

    @pytest.mark.parametrize("name, value", [("NAJA_OPT", "1"), ("NAJA_BOUNDSCHECK", "1"), ("NAJA_CPU_NAME", "generic")])
    def test_options_of_the_environment(self, run, name, value):
        program = "@njit(cache=True)\ndef f(x): return x + 1\nreport(r=f(1), hits=len(f.stats.cache_hits))"
        run(program)
        assert run(program, env={name: value})["hits"] == 0
        assert run(program)["hits"] == 1

    def test_attributes_of_modules(self, run):
        (run.folder / "settings.py").write_text("K = 2\ndef twice(x): return 2 * x\n")
        program = """
            import settings
            @njit(cache=True)
            def f(x): return settings.twice(x) + settings.K
            report(r=f(5), hits=len(f.stats.cache_hits))
        """
        assert run(program)["r"] == 12
        assert run(program)["hits"] == 1
        (run.folder / "settings.py").write_text("K = 3\ndef twice(x): return 2 * x\n")
        assert run(program)["r"] == 13
        (run.folder / "settings.py").write_text("K = 3\ndef twice(x): return 3 * x\n")
        assert run(program)["r"] == 18

    def test_a_value_becomes_a_function(self, run):
        program = """
            {}
            @njit(cache=True)
            def f(x): return g(x)
            report(r=f(5))
        """
        assert run(program.format("from math import floor as g"))["r"] == 5
        assert run(program.format("def g(x): return x + 1"))["r"] == 6

    def test_overloads(self, run):
        program = """
            from naja.extending import overload
            K = {k}
            def helper(x): return x * {h}
            def thing(x): pass
            @overload(thing)
            def ov(x):
                if str(x) == "int64":
                    return lambda x: helper(x) + K
                return lambda x: x
            @njit(cache=True)
            def f(x): return thing(x)
            report(r=f(5), hits=len(f.stats.cache_hits))
        """
        assert run(program.format(k=1, h=2))["r"] == 11
        assert run(program.format(k=1, h=2))["hits"] == 1
        assert run(program.format(k=2, h=2))["r"] == 12
        assert run(program.format(k=1, h=3))["r"] == 16

    def test_types_that_come_back(self, run):
        program = """
            from collections import namedtuple
            P = namedtuple("P", "x y")
            @njit(cache=True)
            def f(p, n):
                print(n, p.x)
                return P(p.y, n), np.zeros(n), (1, "text", None)
            p, z, t = f(P(1, 2.5), 3)
            report(p=[type(p).__name__, *p], z=z.tolist(), t=list(t), hits=len(f.stats.cache_hits))
        """
        first, second = run(program), run(program)
        assert second["hits"] == 1
        assert first["out"].splitlines()[0] == second["out"].splitlines()[0] == "3 1"
        assert [second[k] for k in "pzt"] == [["P", 2.5, 3], [0.0] * 3, [1, "text", None]] == [first[k] for k in "pzt"]

    def test_functions_as_arguments(self, run):
        program = """
            @njit
            def g(x): return x + {}
            @njit(cache=True)
            def f(k, x): return k(x)
            report(r=f(g, 5), hits=len(f.stats.cache_hits))
        """
        assert run(program.format(1))["r"] == 6
        assert run(program.format(1))["hits"] == 1
        assert run(program.format(2))["r"] == 7

    def test_recursion_closures_and_library(self, run):
        program = """
            @njit(cache=True)
            def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
            @njit(cache=True)
            def f(a):
                k = a.sum()
                def inner(x): return x + k
                return inner(np.sort(a)[0]) + np.linalg.norm(a)
            report(r=[fib(20), f(np.array([3.0, 4.0]))], hits=[len(fib.stats.cache_hits), len(f.stats.cache_hits)])
        """
        assert run(program)["r"] == [6765, 15.0]
        again = run(program)
        assert again["r"] == [6765, 15.0] and again["hits"] == [1, 1] and not again["compiler"]

    def test_declared_signatures(self, run):
        program = """
            @njit(["float64(int64)", "float64(float64)"], cache=True)
            def f(x): return x / 2
            report(r=[f(3), f(3.0)], hits=len(f.stats.cache_hits))
        """
        run(program)
        again = run(program)
        assert (again["r"], again["hits"], again["compiler"]) == ([1.5, 1.5], 2, False)

    def test_parallel(self, run):
        program = """
            from naja import prange
            K = 3.0
            @njit(parallel=True, cache=True)
            def f(a):
                s = 0.0
                for i in prange(a.shape[0]): s += a[i] * K
                return s
            report(r=f(np.ones(100_000)), hits=len(f.stats.cache_hits))
        """
        assert run(program)["r"] == 300_000
        again = run(program)
        assert (again["r"], again["hits"], again["compiler"]) == (300_000, 1, False)

    def test_inspection_compiles_again(self, run):
        program = """
            @njit(cache=True)
            def f(x): return x + 1
            f(1)
            report(text="define" in list(f.inspect_llvm().values())[0], hits=len(f.stats.cache_hits), meta=len(f.get_metadata()))
        """
        run(program)
        assert run(program) == {**run(program), "text": True, "hits": 1}


class TestPlaces:
    PROGRAM = """
import traceback
{before}
class Err(Exception): pass
@njit
def g(x):
    {inside}if x < 0:
        raise Err("negative")
    return x + 0
{between}
@njit(cache=True)
def f(a, i): return g(a[i])
lines = []
for i in (1, 7):
    try:
        f(np.array([1, -1]), i)
    except (Err, IndexError) as e:
        t = traceback.extract_tb(e.__traceback__)[-1]
        lines.append((t.line, t.filename == __file__))
report(lines=lines, hits=len(f.stats.cache_hits))
"""

    def test_lines_that_moved(self, run):
        flags = {"NAJA_BOUNDSCHECK": "1"}
        base = run(self.PROGRAM.format(before="", between="", inside=""), env=flags)
        assert base["lines"] == [['raise Err("negative")', True], ["def f(a, i): return g(a[i])", True]]
        for change in (dict(before="\n\n\n"), dict(between="\n\n"), dict(before="#", between="\n\n\n\n")):
            moved = run(self.PROGRAM.format(**{"before": "", "between": "", "inside": "", **change}), env=flags)
            assert (moved["lines"], moved["hits"]) == (base["lines"], 1)

    def test_another_file(self, run):
        run(self.PROGRAM.format(before="", between="", inside=""), name="one.py")
        other = run(self.PROGRAM.format(before="\n", between="", inside=""), name="two.py")
        assert other["hits"] == 1
        assert all(is_here for _, is_here in other["lines"])

    def test_lines_inside_a_function_miss(self, run):
        run(self.PROGRAM.format(before="", between="", inside=""))
        inside = run(self.PROGRAM.format(before="", between="", inside="# more\n    "))
        assert inside["hits"] == 0
        assert inside["lines"][0] == ['raise Err("negative")', True]


class TestWhereFunctionsComeFrom:
    def test_exec_main_and_lambdas(self, run):
        program = """
            scope = {"njit": njit}
            exec("@njit(cache=True)\\ndef f(x): return x + 1", scope)
            g = njit(cache=True)(lambda x: x * 3)
            report(r=[scope["f"](1), g(2)], hits=[len(scope["f"].stats.cache_hits), len(g.stats.cache_hits)])
        """
        run(program)
        assert run(program)["hits"] == [1, 1]

    def test_zip(self, run):
        import zipfile

        with zipfile.ZipFile(run.folder / "lib.zip", "w") as z:
            z.writestr("inzip.py", "from naja import njit\n@njit(cache=True)\ndef f(x): return x + 4\n")
        program = f"""
            sys.path.insert(0, {str(run.folder / "lib.zip")!r})
            from inzip import f
            report(r=f(1), hits=len(f.stats.cache_hits))
        """
        run(program)
        assert run(program)["hits"] == 1

    def test_default_folder(self, run):
        program = "@njit(cache=True)\ndef f(x): return x\nf(1)\nreport(path=f.stats.cache_path)"
        result = run(program, env={"NAJA_CACHE_DIR": "", "XDG_CACHE_HOME": str(run.folder / "xdg")})
        assert result["path"] == str(run.folder / "xdg" / "naja")
        assert (run.folder / "xdg" / "naja" / "v1").is_dir()

    def test_enable_caching(self, run):
        program = """
            @njit
            def f(x): return x + 1
            none = f.stats.cache_path
            f.enable_caching()
            report(r=f(1), hits=len(f.stats.cache_hits), path=[none, f.stats.cache_path])
        """
        assert run(program)["path"] == [None, str(run.store)]
        assert run(program)["hits"] == 1


ONE = "@njit(cache=True)\ndef f(x): return x + 1\nreport(r=f(1), hits=len(f.stats.cache_hits))"


def entries(store):
    return sorted(p for p in (store / "v1").rglob("*") if p.is_file() and len(p.name) > 20)


class TestTrust:
    @pytest.mark.parametrize("harm", ["flip", "truncate", "empty", "extend"])
    def test_damaged_files_are_made_anew(self, run, harm):
        run(ONE)
        for path in entries(run.store):
            data = bytearray(path.read_bytes())
            if harm == "flip":
                data[len(data) // 2] ^= 1
            data = {"truncate": data[:len(data) // 2], "empty": b"", "extend": data + b"x"}.get(harm, data)
            path.write_bytes(data)
        again = run(ONE)
        assert (again["r"], again["hits"]) == (2, 0)
        assert run(ONE)["hits"] == 1

    def test_writable_by_others(self, run):
        run(ONE)
        for path in entries(run.store):
            path.chmod(0o666)
        assert run(ONE)["hits"] == 0
        assert run(ONE)["hits"] == 1
        (run.store / "v1").chmod(0o777)
        refused = run(ONE)
        assert (refused["r"], refused["hits"]) == (2, 0)
        assert "not kept" in refused["err"]

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
    def test_foreign_files(self, run):
        run(ONE)
        for path in entries(run.store):
            os.chown(path, 12345, 12345)
        assert run(ONE)["hits"] == 0
        assert run(ONE)["hits"] == 1
        os.chown(run.store / "v1", 12345, 12345)
        assert (run(ONE)["r"], run(ONE)["hits"]) == (2, 0)

    def test_links(self, run):
        run(ONE)
        for path in entries(run.store):
            moved = path.rename(run.folder / path.name)
            path.symlink_to(moved)
        assert run(ONE)["hits"] == 0
        (run.store / "v1").rename(run.folder / "elsewhere")
        (run.store / "v1").symlink_to(run.folder / "elsewhere")
        assert (run(ONE)["r"], run(ONE)["hits"]) == (2, 0)

    def test_modes(self, run):
        run(ONE)
        assert stat.S_IMODE((run.store / "v1").stat().st_mode) == 0o700
        assert {stat.S_IMODE(p.stat().st_mode) for p in entries(run.store)} == {0o600}

    def test_folder_that_cannot_be_made(self, run):
        (run.folder / "file").write_text("")
        result = run(ONE.replace("report", "g = njit(cache=True)(lambda x: x)\ng(1)\nreport"),
                     env={"NAJA_CACHE_DIR": str(run.folder / "file" / "sub")})
        assert result["r"] == 2
        assert result["err"].count("not kept") == 1

    def test_names_are_part_of_the_hash(self, run):
        """A file under another entry's name is not believed."""
        run(ONE)
        run(ONE.replace("x + 1", "x + 2"))
        objects = [p for p in entries(run.store) if p.name.endswith("o")]
        data = objects[0].read_bytes()
        objects[1].write_bytes(data)
        assert run(ONE)["r"] == 2
        assert run(ONE.replace("x + 1", "x + 2"))["r"] == 3

    def test_any_bytes_in_an_object(self, tmp_path):
        """With a right hash, a wrong content: refused without a crash."""
        program = HEAD + textwrap.dedent("""
            import os, random
            from naja import _core
            from naja.store import entries, files
            @njit(cache=True)
            def f(x):
                if x < 0: raise ValueError("no")
                return x + 1
            f(1)
            store = entries.folder()
            path = [p for _, _, p in store._files() if p.endswith("o")][0]
            name = os.path.basename(os.path.dirname(path)) + os.path.basename(path)
            payload = store.read(name)
            ids = f._specialisations()[0].args
            from naja.store.packing import unpack
            image = unpack(payload)[-1]
            start = payload.index(image)
            refused = 0
            def attempt(data):
                global refused
                try:
                    entries._load_object(data, f, ids)
                except (ValueError, TypeError, KeyError, IndexError, AttributeError, entries.Missing):
                    refused += 1
            for cut in range(0, len(payload), 7):
                attempt(payload[:cut])
            for at in [*range(0, start + 40), *range(start + len(image) - 400, len(payload))]:
                for bit in (1, 0x80):
                    attempt(payload[:at] + bytes([payload[at] ^ bit]) + payload[at + 1:])
            report(refused=refused)
        """)
        path = tmp_path / "p.py"
        path.write_text(program)
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "NAJA_CACHE_DIR": str(tmp_path / "store")})
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["refused"] > 500


def test_recursion_with_declared_signatures(run):
    program = """
        @njit(cache=True)
        def f(n): return n if n < 1 else f(n - 1) + n
        f.compile({})
        f.disable_compile()
        report(r=str(f(3)), hits=len(f.stats.cache_hits))
    """
    assert run(program.format('"int64(int64)"'))["r"] == "6"
    assert run(program.format('"float64(int64)"'))["r"] == "6.0"
    again = run(program.format('"int64(int64)"'))
    assert (again["r"], again["hits"]) == ("6", 1)


def test_full_disk(run):
    """A limit on the size of files stands for a full disk: the result is right, and one warning says why."""
    limit = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
"""
    result = run(limit + ONE)
    assert (result["r"], result["hits"]) == (2, 0)
    assert result["err"].count("not kept") == 1


def test_packing():
    value = (None, True, False, 0, -1, 2**70, "text\udc80", b"bytes", (), ((1,), [2]))
    assert unpack(pack(value)) == (*value[:-1], ((1,), (2,)))
    data = pack(value)
    for cut in range(len(data)):
        with pytest.raises(ValueError):
            unpack(data[:cut])
    for at in range(len(data)):
        try:
            unpack(data[:at] + bytes([data[at] ^ 0x41]) + data[at + 1:])
        except ValueError:
            pass
    with pytest.raises(ValueError):
        unpack(b"(\x01\x00\x00\x00" * 100)


def test_eviction(tmp_path, monkeypatch):
    monkeypatch.setenv("NAJA_CACHE_SIZE", "100K")
    store = Folder(tmp_path)
    store.make()
    for i in range(30):
        name = f"{i:032x}o"
        store.write(name, b"x" * 10_000)
        os.utime(store._place(name), (1_000_000 + i, 1_000_000 + i))
    count, size = store.usage()
    assert 3 <= count <= 11 and size <= 110_000
    assert store.read(f"{29:032x}o") == b"x" * 10_000
    assert store.read(f"{0:032x}o") is None
    assert store.clear() == count
    assert store.usage() == (0, 0)


def test_addresses_are_refused(run):
    program = """
        import ctypes
        cos = ctypes.CDLL("libm.so.6").cos
        cos.argtypes, cos.restype = [ctypes.c_double], ctypes.c_double
        @njit(cache=True)
        def f(x): return cos(x)
        try:
            r = f(0.0)
        except Exception as e:
            r = type(e).__name__
        report(r=r)
    """
    result = run(program)
    if result["r"] != 1.0:
        pytest.skip("ctypes functions are not compiled yet")
    assert "Cannot cache compiled function" in result["err"]
