"""Options of `cuda.jit` as flags of the compiler."""

from __future__ import annotations

from .. import _core
from ..options import FASTMATH, CompilerFlags


def checks_memory():
    """Whether NAJA_CUDA_CHECK asks for bounds checks."""
    wanted = {word.strip() for word in _core.get_option("CUDA_CHECK").split(",")} - {""}
    if wanted - {"memory"}:
        raise ValueError(f"NAJA_CUDA_CHECK={','.join(sorted(wanted))}: only 'memory' is known")
    return bool(wanted)


def parse(options, local_types):
    """Flags of a kernel: NumPy's errors unless debugging, no bounds checks, no GIL."""
    debug = bool(options.get("debug", False))
    fastmath = options.get("fastmath", False)
    if not isinstance(fastmath, bool):
        raise ValueError("fastmath of cuda.jit is True or False")
    return CompilerFlags(
        error_model_numpy=not debug, fastmath=FASTMATH["fast"] if fastmath else 0, boundscheck=debug or checks_memory(), nogil=True,
        debug=False, forceinline=bool(options.get("forceinline", False)),
        inline_always=options.get("inline", "never") == "always",
        locals=tuple((name, t.id) for name, t in (local_types or {}).items()), cuda=True)
