"""Compares what compiled code does with what CPython and NumPy do: results, dtypes, shapes, exceptions, changed arguments."""

import copy
import functools
import warnings

import naja
import numpy as np
from naja.testing import live_allocations


def _same_scalar(want, got):
    if want != want and got != got:
        return True
    if isinstance(want, complex | np.complexfloating):
        return _same_scalar(want.real, got.real) and _same_scalar(want.imag, got.imag)
    if want == got:
        return True
    return bool(np.isclose(want, got, rtol=TOLERANCE[want_kind(want)], atol=0))


TOLERANCE = {"single": 3e-6, "double": 1e-13, "exact": 0.0}


def want_kind(value):
    dtype = np.asarray(value).dtype
    if dtype.kind not in "fc":
        return "exact"
    return "single" if dtype in (np.float32, np.complex64) else "double"


def assert_same(want, got, where="result"):
    """Equal values of equal dtype and shape; Python's and NumPy's scalars of one kind count as the same."""
    if isinstance(want, tuple | list):
        assert isinstance(got, tuple | list), f"{where}: {type(got)} for {type(want)}"
        assert len(want) == len(got), f"{where}: length {len(got)}, want {len(want)}"
        for i, (w, g) in enumerate(zip(want, got, strict=True)):
            assert_same(w, g, f"{where}[{i}]")
    elif isinstance(want, np.ndarray):
        assert isinstance(got, np.ndarray), f"{where}: {type(got)} for an array"
        assert want.dtype == got.dtype, f"{where}: dtype {got.dtype}, want {want.dtype}"
        assert want.shape == got.shape, f"{where}: shape {got.shape}, want {want.shape}"
        if want.dtype.kind in "fc":
            rtol = TOLERANCE[want_kind(want)]
            np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol * 1e-3, err_msg=where)
        else:
            np.testing.assert_array_equal(got, want, err_msg=where)
    elif isinstance(want, bool | int | float | complex | np.generic):
        kinds = {"b": "b", "i": "i", "u": "i", "f": "f", "c": "c"}
        w, g = np.asarray(want).dtype.kind, np.asarray(got).dtype.kind
        assert kinds.get(w, w) == kinds.get(g, g), f"{where}: {got!r} ({type(got)}) for {want!r} ({type(want)})"
        assert _same_scalar(want, got), f"{where}: {got!r}, want {want!r}"
    else:
        assert want == got, f"{where}: {got!r}, want {want!r}"


@functools.lru_cache(maxsize=None)
def _function(source, parameters):
    namespace = {"np": np}
    body = source if "\n" in source or source.lstrip().startswith(("return", "for")) else f"return {source}"
    text = f"def f({parameters}):\n" + "\n".join("    " + line for line in body.strip("\n").split("\n"))
    exec(text, namespace)
    return namespace["f"], naja.njit(namespace["f"])


def run(function, args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except Exception as error:
            return None, error


def agree(source, /, **arguments):
    """Runs `source` (an expression, or statements with a return) of these arguments in both worlds."""
    plain, compiled = _function(source, ", ".join(arguments))
    ours, theirs = copy.deepcopy(list(arguments.values())), copy.deepcopy(list(arguments.values()))
    for original, mine, their in zip(arguments.values(), ours, theirs, strict=True):
        if isinstance(original, np.ndarray) and not original.flags.writeable:
            mine.flags.writeable = their.flags.writeable = False
    keep = list(arguments.values())
    ours = [keep_layout(a, m) for a, m in zip(keep, ours, strict=True)]
    theirs = [keep_layout(a, m) for a, m in zip(keep, theirs, strict=True)]
    want, want_error = run(plain, theirs)
    before = live_allocations()
    got, got_error = run(compiled, ours)
    if got_error is not None:
        got_error.__traceback__ = None
    try:
        _compare(source, arguments, (want, want_error, theirs), (got, got_error, ours))
    finally:
        want = got = None
    del ours, theirs
    assert live_allocations() == before, f"{source}: {live_allocations() - before} allocations left"


def _compare(source, arguments, plain, compiled):
    want, want_error, theirs = plain
    got, got_error, ours = compiled
    if want_error is not None:
        assert got_error is not None, f"{source}: no {want_error!r}; result {got!r}"
        assert type(got_error) is type(want_error), f"{source}: {got_error!r}, want {want_error!r}"
        return
    if got_error is not None:
        raise got_error
    assert_same(want, got, source)
    for name, theirs_after, ours_after in zip(arguments, theirs, ours, strict=True):
        if isinstance(theirs_after, np.ndarray):
            assert_same(theirs_after, ours_after, f"{source}: argument {name} afterwards")


def agree_loosely(source, /, **arguments):
    """As agree, for results that depend on the order of many float operations."""
    before = dict(TOLERANCE)
    TOLERANCE.update(single=2e-5, double=1e-11)
    try:
        agree(source, **arguments)
    finally:
        TOLERANCE.update(before)


def keep_layout(original, copied):
    """deepcopy makes arrays contiguous; strides and alignment are what is tested."""
    if not isinstance(original, np.ndarray) or (original.strides == copied.strides and original.flags.aligned):
        return copied
    base = original if original.base is None else original.base
    while isinstance(base, np.ndarray) and isinstance(base.base, np.ndarray):
        base = base.base
    if not isinstance(base, np.ndarray):
        return copied
    clone = base.copy(order="K")
    offset = original.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    view = np.ndarray(original.shape, original.dtype, clone.data if clone.flags.c_contiguous else clone.T.data, offset,
                      original.strides)
    view.flags.writeable = original.flags.writeable
    return view


def rejects(source, match, /, **arguments):
    """Compiling `source` for these arguments is an error whose text matches."""
    import pytest

    _, compiled = _function(source, ", ".join(arguments))
    with pytest.raises(naja.TypingError, match=match):
        compiled(*arguments.values())
