"""Functions that use the language of the front end, each with arguments to call it with."""

import math
from collections import namedtuple

CASES = []
Point = namedtuple("Point", "x y")
LIMIT = 7
TABLE = (3, 1, 4, 1, 5)


def case(*calls):
    def add(function):
        CASES.append((function, calls))
        return function

    return add


@case((3,), (-3,), (0,))
def conditions(x):
    """Docstrings are no code."""
    if x > 0 and x < 10 or x == -3:
        y = 1
    elif not x:
        y = 2
    else:
        y = 3
    return y if x else -y


@case((10,), (0,), (3,))
def loops(n):
    total = 0
    for i in range(n):
        if i == 2:
            continue
        for j in range(i):
            if j > 3:
                break
            total += i * j
        else:
            total += 100
        if total > 1000:
            break
    else:
        total = -total
    while total < -5:
        total += 7
    else:
        total += 1
    return total, n


@case((0,), (5,), (20,))
def while_true(n):
    count = 0
    while True:
        count += 1
        if count > n:
            return count
        while True:
            n -= 1
            if n % 3 == 0:
                break


@case((1, 5, 9), (5, 5, 5), (9, 5, 1))
def chained(a, b, c):
    return (a < b < c, a <= b <= c, a == b == c, a < b > c, a if b else c, a and b or c, not a != b)


@case((5,), (0,))
def walrus(n):
    if (m := n * 2) > 6:
        return m
    return [(k := n + 1), k, m]


@case((7, 3), (7.5, -2))
def operators(a, b):
    s = a
    s += b
    s -= 1
    s *= 2
    s /= 3
    s //= 1
    s %= 5
    s **= 2
    return a + b, a - b, a * b, a / b, a // b, a % b, a**b, -a, +b, s


@case((12, 5))
def bits(a, b):
    s = a
    s <<= 1
    s >>= 2
    s &= 7
    s |= 8
    s ^= b
    return a << b, a >> 1, a & b, a | b, a ^ b, ~a, s


@case((1, 2, 3))
def tuples(a, b, c):
    a, b = b, a
    a, b, c = c, a, b
    (d, e), f = (a, b), c
    [g, h] = [a, (b, c)]
    x, y = h
    q, r, s, t = a, b, c, d
    q, r, s, t = t, s, r, q
    return a, b, c, d, e, f, g, h, x, y, q, r, s, t


@case(((1, 2),), ((1, 2, 3),), ((1,),))
def unpack(p):
    a, b = p
    return a - b


@case((2,), (9,))
def several_returns(x):
    if x > 5:
        return "big", x
    return x


@case((1,), (1, 5), (1, 2, 3, 4))
def star_parameters(a, b=2, *rest, c=3):
    return a, b, rest, c, len(rest)


@case(((1, 2, 3),))
def star_arguments(args):
    one = star_parameters(*args)
    two = star_parameters(0, *args, 9, c=1)
    three = star_parameters(*args, *args)
    four = (*args, 0, *args)
    five = [*args, 1]
    return one, two, three, four, five, max(*args), math.hypot(*args[:2])


@case((3,))
def keywords(x):
    return star_parameters(x, b=x + 1), star_parameters(a=x, c=x * 2), round(number=x, ndigits=None)


@case((4,), (1,))
def recursion(n):
    return 1 if n < 2 else n * recursion(n - 1)


@case((4,))
def inner_functions(n):
    scale = 3

    def inner(x, y=2, *, z=4):
        return x * scale + y + z + n

    double = lambda v: v * 2

    def twice(f, x):
        return f(f(x))

    return inner(1), inner(1, 5), inner(1, z=0), twice(double, n), twice(inner, 1)


@case((5,))
def inner_in_loop(n):
    total = 0
    for i in range(n):
        add = lambda x: x + i
        total += add(1)
    return total


@case((3,))
def nested_inner(n):
    def outer(a):
        def inner(b):
            return a + b + n

        return inner(10)

    return outer(1)


@case((True,), (False,))
def maybe_unbound(flag):
    if flag:
        value = 1
    return value


@case((3,), (0,))
def unbound_after_loop(n):
    for i in range(n):
        last = i
    return last


@case((1,))
def deleted(x):
    y = x
    del y
    return y


@case((4,), (0,), (1,))
def assigned_in_first_round(n):
    for i in range(n):
        if i == 0:
            s = 10
        s += i
    return s if n else None


@case((5,))
def comprehensions(n):
    x = 100
    squares = [x * x for x in range(n) if x % 2 == 0]
    pairs = [(a, b) for a in range(3) for b in range(a)]
    table = {k: [v for v in range(k)] for k in range(3)}
    items = {y % 3 for y in range(n)}
    shifted = [y + x for y in squares]
    return squares, pairs, table, sorted(items), x, shifted


@case((3,))
def comprehension_variable_unbound(n):
    z = [y for y in range(n)]
    return z, y


@case((3,))
def comprehension_of_lambdas(n):
    return [(lambda v: v + k)(1) for k in range(n)]


@case((2, 3))
def comprehension_with_cell(n, x):
    f = lambda: x
    g = [(x, x) for x in range(n)]
    return f(), g, x


@case((3, "ab"), (3.5, "zz"))
def format_strings(x, y):
    return f"{x} and {y!r:>6}", f"{x!s}", f"<{x:{4}}>", f"{y!a}{x}{{}}"


@case((1,), (-1,))
def assertions(x):
    assert x > 0, f"{x} is bad"
    assert x
    return x


@case((0,), (1,), (2,))
def raising(x):
    if x == 0:
        raise ValueError("zero", x)
    if x == 1:
        raise KeyError
    return x


@case((1,))
def raise_from(x):
    raise ValueError("a") from KeyError("b")


@case(([1, 2, 3, 4, 5],))
def subscripts(a):
    b = a[:]
    b[0] = 9
    b[1:3] = a[2:4]
    b[-1] += 1
    del b[0]
    b[::2] = a[:2]
    c = a[1:], a[:2], a[1:3:2], a[::-1]
    return b, c


@case(({"a": 1}, 2))
def dicts(d, k):
    d["b"] = k
    e = {"x": k, "y": k + 1, k: d["a"]}
    f = {"p": 1, "q": 2}
    del e["x"]
    return d, e, f, "a" in d, "z" not in d


@case((1,), ("a",), (None,), (2,), (True,))
def matching(x):
    match x:
        case 1:
            return "one"
        case "a" | None:
            return "a or none"
        case 2 if LIMIT > 5:
            return "two"
        case _:
            return "other"


@case((None,), (1,))
def none_tests(x):
    r = 0
    if x is None:
        r += 1
    if x is not None:
        r += 2
    while x is None:
        x = 3
    return r, x


@case((2,), (3,), (8,))
def membership(x):
    return x in (1, 2), x in {1, 2, 3}, x not in [8], [1, 2, 3], {1, 2, 3}


@case((2.0,))
def globals_and_attributes(x):
    p = Point(x, LIMIT)
    return math.sqrt(x), p.x + p.y, TABLE[2], len(TABLE), str(x).upper(), Point


@case((3,))
def undefined(x):
    if x > 5:
        return missing_name
    return x


@case((9,))
def undefined_reached(x):
    return missing_name


def make_closure():
    factor, missing = 3, None
    del missing

    def closure(x):
        return x * factor if x else missing

    return closure


CASES.append((make_closure(), ((2,), (0,))))


@case((3, 4), (0, 4), (3, 0))
def boolean_values(a, b):
    x = a or b
    y = a and b
    z = (a or b) and (b or a)
    return x, y, z, (a and b) or "none", not (a and b)


@case((3,), (0,))
def nested_calls(n):
    return max(min(n, 5), abs(-n if n else 2), len([n] if n > 1 else [n, n]))


@case((5,))
def many_arguments(n):
    return max(
        n,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        32,
        n,
        n + 1,
    )


@case((5,))
def long_displays(n):
    a = (
        n,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        32,
        n,
    )
    b = [
        n,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        12,
        13,
        14,
        15,
        16,
        17,
        18,
        19,
        20,
        21,
        22,
        23,
        24,
        25,
        26,
        27,
        28,
        29,
        30,
        31,
        32,
        n if n else 7,
    ]
    c = {
        "a": n,
        "b": n,
        "c": n,
        "d": n,
        "e": n,
        "f": n,
        "g": n,
        "h": n,
        "i": n,
        "j": n,
        "k": n,
        "l": n,
        "m": n,
        "n": n,
        "o": n,
        "p": n,
        "q": n,
        "r": n,
        "s": n,
        "t": n,
    }
    return a, b, c


@case(([3, 1, 2],))
def sorting(a):
    a = list(a)
    n = len(a)
    for i in range(n):
        for j in range(0, n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@case(([1, 2], 5, 6, True), ([], 5, 6, False))
def duplicated_tails(a, x, y, c):
    if c:
        return max(*a, 1, (x if c else y))
    return [*a, (x if c else y), *(a if c else [0])]


@case((6,))
def zipped(n):
    total = []
    for i, (a, b) in enumerate(zip(range(n), range(n, 0, -1))):
        total.append((i, a - b))
    return total


@case((3,))
def while_with_else_and_return(n):
    while n > 0:
        n -= 1
        for k in range(n):
            if k == 1:
                return "found", k
    else:
        return "none"


class Box:
    def __init__(self):
        self.value = 1


@case((3,))
def attributes(n):
    box = Box()
    box.value += n
    box.other = box.value * 2
    return box.value, box.other


@case((3,))
def nothing(n):
    pass


@case((3,), (-3,))
def early(n):
    if n < 0:
        return
    for _ in range(n):
        return n


@case((1, 2), (2, 1))
def shared_tail(a, b):
    if a < b:
        t = a
        a = b
        b = t
    return (a if a > 1 else 0) + (b if b > 1 else 0) * (a or b)
