"""Options of `jit`: checked and turned into the flags of the compiler when a function is first compiled."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from . import _core

KNOWN = frozenset(
    "nopython forceobj looplift boundscheck debug _nrt no_rewrites no_cpython_wrapper no_cfunc_wrapper parallel "
    "fastmath error_model inline forceinline _dbg_extend_lifetimes _dbg_optnone nogil writable_args".split())

FASTMATH = {"nnan": 1, "ninf": 2, "nsz": 4, "arcp": 8, "contract": 16, "afn": 32, "reassoc": 64, "fast": 127}
PARALLEL = frozenset("comprehension reduction inplace_binop setitem numpy stencil fusion prange".split())
PARALLEL_BITS = {"prange": 1, "numpy": 2, "reduction": 4}


class CompilerFlags(NamedTuple):
    """What `_compiler` takes, in this order."""

    error_model_numpy: bool
    fastmath: int
    boundscheck: bool
    nogil: bool
    debug: bool
    forceinline: bool
    inline_always: bool
    locals: tuple  # ((name, type id), ...)
    parallel: int = 0  # bits: loops over prange, array expressions, whole-array reductions
    cuda: bool = False  # a kernel or device function (naja.cuda)


def parse(options, local_types):
    """Flags of these options; the errors are Numba's."""
    unknown = {name for name in options if name not in KNOWN}
    if unknown:
        raise KeyError(f"Unrecognized options: {unknown}. Known options are {sorted(KNOWN)}")
    if options.get("forceobj"):
        from .errors import UnsupportedError

        raise UnsupportedError("forceobj=True (object mode) is not available: naja compiles to machine code only. "
                               "Remove the option, or leave the function to the interpreter.")
    debug = options.get("debug")
    debug = bool(_core.get_option("DEBUGINFO") not in ("", "0")) if debug is None else bool(debug)
    return CompilerFlags(
        error_model_numpy=_parse_error_model(options.get("error_model", "python")),
        fastmath=parse_fastmath(options.get("fastmath", False)),
        boundscheck=_parse_boundscheck(options.get("boundscheck"), debug),
        nogil=bool(options.get("nogil", False)),
        debug=debug,
        forceinline=bool(options.get("forceinline", False)),
        inline_always=_parse_inline(options.get("inline", "never")),
        locals=_parse_locals(local_types),
        parallel=_parse_parallel(options.get("parallel", False)),
    )


def _parse_error_model(value):
    if value not in ("python", "numpy"):
        raise KeyError(f"error_model must be 'python' or 'numpy', not {value!r}")
    return value == "numpy"


def parse_fastmath(value):
    """Bits of a fastmath option: a bool, a set of flags or a dict of them."""
    if isinstance(value, bool):
        return FASTMATH["fast"] if value else 0
    if isinstance(value, dict):
        flags = {name for name, on in value.items() if on or name not in FASTMATH}
    elif isinstance(value, (set, frozenset, list, tuple)):
        flags = set(value)
    else:
        raise ValueError("Expected fastmath option(s) to be either a bool, dict or set")
    unknown = flags - FASTMATH.keys()
    if unknown:
        raise ValueError(f"Unrecognized fastmath flags: {unknown}")
    bits = 0
    for name in flags:
        bits |= FASTMATH[name]
    return bits


def _parse_boundscheck(value, debug):
    override = _core.get_option("BOUNDSCHECK")
    if override != "":
        return override not in ("0", "false", "no")
    return debug if value is None else bool(value)


def _parse_inline(value):
    if value in ("never", "always"):
        return value == "always"
    if callable(value):
        # A cost model over another compiler's IR cannot be asked; inlining is decided by size here.
        return False
    raise ValueError("kwarg 'inline' must be one of the strings 'always' or 'never', or it can be a callable that "
                     f"returns True/False. Found value {value}")


def _parse_parallel(value):
    """Bits of what may run in parallel: a bool, or a dict that switches transformations off."""
    if isinstance(value, bool):
        return sum(PARALLEL_BITS.values()) if value else 0
    if not isinstance(value, dict):
        raise ValueError("Expect parallel option to be either a bool or a dict")
    unknown = value.keys() - PARALLEL
    if unknown:
        raise NameError(f"Unrecognized parallel options: {sorted(unknown)}")
    return sum(bit for name, bit in PARALLEL_BITS.items() if value.get(name, True))


def _parse_locals(local_types):
    if not local_types:
        return ()
    from .types import Type

    rows = []
    for name, typ in local_types.items():
        if isinstance(typ, str):
            from .types.signatures import parse_types

            typ = parse_types(typ)
        if not isinstance(typ, Type):
            raise TypeError(f"locals: the type of {name!r} must be a type, not {typ!r}")
        rows.append((name, typ.id))
    return tuple(rows)


def check_mode(options):
    """The checks of the decorator itself; removes what has no effect."""
    if "argtypes" in options or "restype" in options:
        from .errors import DeprecationError

        name = "argtypes" if "argtypes" in options else "restype"
        raise DeprecationError(f"Deprecated keyword argument `{name}`. Signatures should be passed as the first "
                               "positional argument.")
    if "nopython" in options:
        value = options["nopython"]
        if options.get("forceobj") and value:
            raise ValueError("Only one of 'nopython' or 'forceobj' can be True.")
        if value is False:
            from .errors import NumbaDeprecationWarning

            warnings.warn("The keyword argument 'nopython=False' was supplied. Functions are always compiled in "
                          "nopython mode; the argument has no effect.", NumbaDeprecationWarning, stacklevel=4)
    return options
