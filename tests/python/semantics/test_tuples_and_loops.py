"""Tuples, named tuples, ranges and the iterators of for loops against CPython."""

import pytest
from against_python import Point, check

THREE = [(1, 2, 3), (3, 1, 2), (-1, 0, 5)]


def test_items():
    check("a, b, c", "t = (a, b, c)\nreturn t[0], t[-1], t[1:], t[:2], t[::-1], t[::2], len(t)", THREE)
    check("a, b, c, i", "t = (a, b, c)\nreturn t[i]", [(1, 2, 3, i) for i in range(-4, 4)])
    check("a", "t = (a, 1.5, True, None)\nreturn t", [1, 2.5])


def test_operators():
    check(
        "a, b, c",
        "t = (a, b, c)\nreturn t + (1.5,), t * 2, 2 * t, (a, b) == (1, 2), t != (a, b), bool(t), bool(())",
        THREE,
    )
    check("a, b, c", "t = (a, b, c)\nreturn t < (b, c, a), t <= t, t > (1, 2), t >= (1, 2, 3, 4)", THREE)
    check("a, b, c", "t = (a, b, c)\nreturn a in t, 7 in t, 2 not in t, t.count(1), t.index(c)", THREE)
    check("a, b, c", "t = (a, b, c)\nreturn t.index(99)", THREE)
    check("a, b", "t = ((a, b), b)\nreturn t[0][1], t[0], t == ((a, b), b), t < ((a, b), b + 1)", [(1, 2), (1.5, 2)])


def test_unpacking():
    check("a, b, c", "x, y, z = (a, b, c)\n(x, y), z = (y, x), z\nreturn x, y, z", THREE)
    check("a, b", "a, b = b, a\nreturn a, b", [(1, 2), (1.5, 2)])


def test_named_tuples():
    check("p", "p.x, p.y, p[0], len(p), p", [Point(1, 2.5), Point(1, 2)])
    check("a, b", "p = Point(a, y=b)\nreturn p.x + p.y, p, p._replace(x=5), p == (a, b), p[1]", [(1, 2), (1, 2.5)])
    check("a, b", "p = Point(a, b)\nx, y = p\ns = 0\nfor v in p: s += v\nreturn x, y, s", [(1, 2)])


@pytest.mark.parametrize(
    "arguments", ["n", "2, n", "n, 0", "0, n, 3", "n, 0, -1", "n, 0, -3", "n, n", "-n, n, 2", "5, n, -2"]
)
def test_ranges(arguments):
    body = f"s = 0\nk = 0\nfor i in range({arguments}):\n    s += i * (k + 1)\n    k += 1\nreturn s, k, len(range({arguments}))"
    check("n", body, [0, 1, 5, 10, -3, 7])


def test_ranges_of_any_step():
    cases = [(0, 10, 3), (10, 0, -3), (0, 10, -1), (10, 0, 1), (0, 10, 0), (-5, 5, 2)]
    far = [(-(2**63), 2**63 - 1, 2**62), (2**63 - 1, -(2**63), -(2**62))]
    check(
        "a, b, c",
        "s = 0\nk = 0\nfor i in range(a, b, c):\n    s += i\n    k += 1\nreturn s, k, len(range(a, b, c))",
        cases + far,
    )


def test_loop_variables():
    check("n", "i = -1\nfor i in range(n): pass\nreturn i", [0, 5])
    check("n", "for i in range(n):\n    if i == 3: break\nelse:\n    return -1\nreturn i", [2, 5])


def test_range_values():
    check(
        "n, x",
        "r = range(1, n, 2)\nreturn x in r, r.start, r.stop, r.step, r[x], bool(r)",
        [(10, 3), (10, 2), (10, -1), (10, 9)],
    )
    check("n, x", "r = range(n)\nreturn x in r, x + 0.5 in r, r[-1]", [(10, 3), (10, 12)])
    check(
        "n",
        "s = 0\nfor i in reversed(range(n)): s = s * 3 + i\nfor i in reversed(range(1, n, 3)): s = s * 3 + i\nreturn s",
        [0, 5, 10],
    )


def test_iterators():
    check("a, b, c", "t = (a, b, c)\ns = 0\nfor x in t: s += x * x\nreturn s", [*THREE])
    check(
        "n",
        "s = 0\nfor i, j in enumerate(range(n)): s += i * j\nfor i, j in enumerate(range(n, 0, -1), start=5): s += i * j\nreturn s",
        [0, 5],
    )
    check(
        "n", "s = 0.0\nfor i, (j, k) in enumerate(zip(range(n), (1.5, 2.5, 3.5))): s += i * j * k\nreturn s", [0, 2, 5]
    )
    check("n", "s = 0\nfor i, j, k in zip(range(n), range(5), (1, 2, 3)): s += i * j * k\nreturn s", [0, 2, 9])
    check("n", "s = 0\nfor (i,) in zip(range(n)): s += i\nfor i in (): s += 1\nreturn s", [3])
