"""Translation: what the NIR of a function does is what CPython does; its form; what is refused."""

import copy
import re
import types

import nir_interpreter
import pytest
from language import CASES


def outcome(function, args):
    """The result, or the exception with its arguments."""
    try:
        return "returned", function(*copy.deepcopy(args))
    except Exception as error:
        if isinstance(error, UnboundLocalError | NameError):
            return "raised", NameError  # our messages name the variable only
        return "raised", type(error), error.args, type(error.__cause__)


def run_translated(frontend, function, defaults=()):
    program = frontend.program(function)
    keywords = dict(function.__kwdefaults__ or {})
    defaults = function.__defaults__ or ()
    return lambda *args: nir_interpreter.execute(program, 0, args, {}, (), defaults, keywords)


@pytest.mark.parametrize("function, calls", CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_nir_does_what_python_does(frontend, function, calls):
    translated = run_translated(frontend, function)
    for args in calls:
        assert outcome(translated, args) == outcome(function, args)


@pytest.mark.parametrize("function", [function for function, _ in CASES], ids=lambda f: f.__name__)
def test_nir_is_well_formed(frontend, function):
    assert "INVALID" not in frontend.nir(function)


# ---- form


def nir(frontend, function):
    """Text without locations, header and indentation."""
    lines = [re.sub(r" !\d.*$", "", line).strip() for line in frontend.nir(function).splitlines()]
    return "\n".join(line for line in lines if line and not line.startswith(("func ", "}")))


def test_loop_is_pure_state(frontend):
    def f(n):
        s = 0.0
        for i in range(n):
            s += i
        return s

    assert nir(frontend, f) == "\n".join(
        [
            "bb0:",
            "%n.0 = g.arg #0",
            "%s.1 = const 0.0",
            "%2 = const <builtin builtins.range>",
            "%3 = g.call %2, %n.0",
            "%4 = g.iter %3",
            "%5 = g.iter_state %4",
            "br bb1(%5, %s.1)",
            "bb1(%6, %s.7): loop",
            "%8 = g.iter_valid %4, %6",
            "cond_br %8, bb2, bb3",
            "bb2:",
            "%i.9 = g.iter_value %4, %6",
            "%10 = g.iter_next %4, %6",
            "%s.11 = g.inplace + %s.7, %i.9",
            "br bb1(%10, %s.11)",
            "bb3:",
            "return %s.7",
        ]
    )


def test_no_check_where_assigned(frontend):
    def f(a, n):
        for i in range(n):
            if a:
                x = 1
            else:
                x = 2
            y = x
            while y:
                y -= x
        return n

    text = nir(frontend, f)
    assert "check_bound" not in text and "g.unbound" not in text


def test_one_check_where_unsure(frontend):
    def f(a):
        if a:
            x = 1
        return x + x

    assert nir(frontend, f).count("g.check_bound") == 1


def test_unchanged_variables_are_no_parameters(frontend):
    def f(a, b, c, n):
        for i in range(n):
            for j in range(n):
                if a[i] > b[j]:
                    c[i] = a[j]
        return c

    headers = re.findall(r"bb\d+\((.*)\):", nir(frontend, f))
    assert [header.count("%") for header in headers] == [1, 1]  # the states of the loops alone


def test_conditional_expression_has_the_variables_name(frontend):
    def f(a):
        x = 1 if a else 2
        return x

    assert re.search(r"bb\d+\(%x\.\d+\):", nir(frontend, f)) or "return" in nir(frontend, f)


def test_dead_code_is_dropped(frontend):
    def f(a):
        return a
        import os  # noqa: F401

    assert nir(frontend, f) == "bb0:\n%a.0 = g.arg #0\nreturn %a.0"


def test_starred_call_makes_a_tuple(frontend):
    def f(args):
        return max(1, *args, 2)

    text = nir(frontend, f)
    assert "g.list" not in text and text.count("g.extend") == 2


def test_locations_have_columns(frontend):
    def f(a, b):
        return a + (b * 2)

    line = f.__code__.co_firstlineno + 1
    assert f"g.binary * %b.1, %2 !{line}:20-{line}:25" in frontend.nir(f)


def test_without_source(frontend):
    namespace = {}
    exec("def f(x):\n  return x if x > 1 else -x", namespace)
    assert "return" in nir(frontend, namespace["f"])


# ---- refusals


def refusal(frontend, function):
    with pytest.raises(SyntaxError) as caught:
        frontend.nir(function)
    return str(caught.value)


def with_statement(x):
    with open(x) as f:
        return f


def try_statement(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0


def finally_statement(x):
    y = x
    try:
        y = 1 / x
    finally:
        print(x)
    return y


def imports(x):
    import os

    return os


def generator(x):
    yield x


async def coroutine(x):
    return x


def class_inside(x):
    class A:
        pass

    return A


def star_unpacking(x):
    first, *rest = x
    return rest


def double_star(**kw):
    return kw


def passes_double_star(kw):
    return dict(**kw)


def assigns_global(x):
    global LIMIT
    LIMIT = x


def match_sequence(x):
    match x:
        case [a, b]:
            return a + b


def bare_raise(x):
    raise


REFUSED = [
    (with_statement, "the with statement", 1),
    (try_statement, "try ", 1),
    (finally_statement, "try ", 2),
    (imports, "import inside a function", 1),
    (generator, "generator functions", 0),
    (coroutine, "async functions", 0),
    (class_inside, "a class inside a function", 1),
    (star_unpacking, "starred unpacking", 1),
    (double_star, "**kw", 0),
    (passes_double_star, "**keywords", 1),
    (assigns_global, "a global variable", 2),
    (match_sequence, "sequence pattern", 2),
    (bare_raise, "raise without an exception", 1),
]


@pytest.mark.parametrize("function, words, offset", REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_refused_with_name_and_place(frontend, function, words, offset):
    message = refusal(frontend, function)
    assert words in message
    assert f"@{function.__code__.co_firstlineno + offset}:" in message


def test_try_that_is_never_reached_is_no_matter(frontend):
    def f(x):
        return x
        try:
            x()
        except ValueError:
            pass

    assert nir(frontend, f) == "bb0:\n%x.0 = g.arg #0\nreturn %x.0"


# ---- captures by value


def test_variable_assigned_after_capture_is_refused(frontend):
    def f(a):
        x = 1
        inner = lambda y: x + y
        x = 2
        return inner(a)

    assert "'x' is assigned after" in refusal(frontend, f)


def test_variable_assigned_after_last_call_is_fine(frontend):
    def f(a):
        x = 1
        inner = lambda y: x + y
        r = inner(a)
        x = 2
        return r, x

    assert run_translated(frontend, f)(3) == f(3)


def test_function_kept_around_a_loop_is_refused(frontend):
    def f(n):
        inner = None
        r = 0
        for i in range(n):
            if inner is not None:
                r += inner()
            inner = lambda: i
        return r

    assert "'i' is assigned after" in refusal(frontend, f)


def test_nonlocal_is_refused(frontend):
    def f(a):
        x = 1

        def inner():
            nonlocal x
            x = 2

        inner()
        return x + a

    assert "of an enclosing function is assigned" in refusal(frontend, f)


def test_recursive_inner_function_is_refused(frontend):
    def f(a):
        def inner(n):
            return inner(n - 1) if n else 0

        return inner(a)

    assert "calls itself" in refusal(frontend, f)


# ---- input that no compiler makes


@pytest.mark.parametrize("function", [function for function, _ in CASES], ids=lambda f: f.__name__)
def test_broken_bytecode_is_refused(frontend, function):
    frontend.fuzz(function, 1, 2000)


def test_empty_bytecode_is_refused(frontend):
    def f():
        return 1

    code = f.__code__.replace(co_code=bytes([f.__code__.co_code[0], 0]))
    assert "not what CPython" in refusal(frontend, types.FunctionType(code, {}))


# ---- speed


def straight_line(statements):
    lines = ["def f(x0):"] + [f"    x{i + 1} = x{i} * 1.5 + {i}" for i in range(statements)]
    namespace = {}
    exec("\n".join(lines + [f"    return x{statements}"]), namespace)
    return namespace["f"]


def branches(count):
    lines = ["def f(x):", "    y = z = 0"]
    for i in range(count):
        lines += [f"    if x > {i}:", f"        y += {i}", "    else:", "        z += y"]
    namespace = {}
    exec("\n".join([*lines, "    return y, z"]), namespace)
    return namespace["f"]


def nested(depth):
    lines = ["def f(x):"]
    for i in range(depth):
        lines += ["    " * (i + 1) + f"while x > {i}:", "    " * (i + 2) + "x -= 1"]
    namespace = {}
    exec("\n".join(lines), namespace)
    return namespace["f"]


def deep_elif(count):
    lines = ["def f(x):"]
    for i in range(count):
        lines += [f"    {'el' if i else ''}if x == {i}:", f"        y = {i}"]
    namespace = {}
    exec("\n".join([*lines, "    else:", "        y = -1", "    return y"]), namespace)
    return namespace["f"]


@pytest.mark.parametrize("make, size", [(straight_line, 400), (branches, 400), (deep_elif, 60)])
def test_translation_time_is_linear(frontend, make, size):
    small, large = make(size), make(8 * size)

    def best(function):
        return min(frontend.measure(function)[1] for _ in range(5))

    assert best(large) < 8 * best(small) * 4


def test_deep_nesting(frontend):
    assert "loop" in frontend.nir(nested(18))
