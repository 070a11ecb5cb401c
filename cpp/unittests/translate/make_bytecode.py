"""Writes bytecode.inc: the functions below as bytecode of the running CPython, appended for each version.

    for v in 3.11 3.12 3.13; do python$v make_bytecode.py; done > bytecode.inc
"""

import sys


def total(n):
    s = 0
    for i in range(n):
        if i % 3 == 1:
            continue
        s += i * 2
    return s


def swap(a, b):
    a, b = b, a
    while a < b and a:
        a -= 1
    return a if a > 0 else b


def maybe(flag):
    if flag:
        x = 1
    return x


def calls(x, f):
    return f(x, key=1)[0].name(x[1:])


for function in (total, swap, maybe, calls):
    code = function.__code__
    names = ", ".join(f'"{name}"' for name in code.co_names)
    local_names = ", ".join(f'"{name}"' for name in code.co_varnames)
    constants = ", ".join("kw()" if isinstance(c, tuple) else "none()" if c is None else f"integer({c})" for c in code.co_consts)
    print(f"{{{sys.version_info[1]}, \"{function.__name__}\", {code.co_argcount}, {{{local_names}}}, {{{names}}},")
    print(f' "{code.co_code.hex()}", {{{constants}}}}},')
