"""Compiling for GPUs without launching: PTX. No GPU and no CUDA toolkit is needed; functions of `math` need NVIDIA's
libdevice, which the package nvidia-cuda-nvcc-cu12 and every CUDA toolkit contain."""

from __future__ import annotations

import functools
import glob
import os

from .. import _core
from .errors import NvvmSupportError

#: Compute capability that code is compiled for where none is given.
DEFAULT_CC = (7, 5)


@functools.cache
def libdevice():
    """Path of libdevice.10.bc, or an empty string."""
    import importlib.util

    places = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    for package in ("nvidia.cuda_nvcc", "nvidia.cu13"):
        try:
            spec = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            continue
        places += list(spec.submodule_search_locations or ()) if spec else []
    places += ["/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"), reverse=True)]
    for place in filter(None, places):
        path = os.path.join(place, "nvvm", "libdevice", "libdevice.10.bc")
        if os.path.exists(path):
            return path
    return ""


def _as_cc(cc):
    major, minor = cc or DEFAULT_CC
    if major < 5:
        raise ValueError(f"compute capability {major}.{minor} is not supported: 5.0 is the lowest")
    return f"sm_{major}{minor}"


def ptx_of(function, dispatcher, arg_ids, return_id, flags, cc=None, device=False, name=""):
    """(PTX, id of the result's type, LLVM IR) of a function for these types."""
    from ..dispatcher import _compiler

    text, result, missing, _, ir = _compiler().compile_ptx(function, dispatcher, arg_ids, return_id, flags, _as_cc(cc),
                                                           device, name, libdevice())
    if missing:
        raise NvvmSupportError(f"libdevice.10.bc was not found, but {missing} is used: set CUDA_HOME, or install "
                               "nvidia-cuda-nvcc-cu12")
    return text, result, ir


def compile(pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, cc=None, opt=None, abi="c",
            abi_info=None, output="ptx", forceinline=False, launch_bounds=None):
    """Compiles a function to PTX for a signature: (code, return type)."""
    from .. import types
    from ..types.signatures import normalize_signature
    from .dispatcher import CUDADispatcher

    if abi not in ("c", "numba"):
        raise NotImplementedError(f"Unsupported ABI: {abi}")
    if output != "ptx":
        raise NotImplementedError(f"output {output!r}: only 'ptx' can be made")
    if abi == "c" and not device:
        raise NotImplementedError("The C ABI is not supported for kernels")
    function = pyfunc.py_func if isinstance(pyfunc, CUDADispatcher) else pyfunc
    dispatcher = CUDADispatcher(function, {"fastmath": fastmath, "debug": bool(debug)}, device=device)
    args, result = normalize_signature(sig)
    if not device and result is not None and result != types.none:
        raise TypeError("CUDA kernel must have void return type.")
    name = (abi_info or {}).get("abi_name", function.__name__) if abi == "c" else ""
    text, return_id, _ = ptx_of(function, dispatcher, tuple(t.id for t in args), None if result is None else result.id,
                                dispatcher.compiler_flags, cc, device, name)
    return_type = _core.type_object(return_id)
    if not device and return_type != types.none:
        raise TypeError("CUDA kernel must have void return type.")
    return text, return_type


def compile_for_current_device(pyfunc, sig, **options):
    """`compile` for the compute capability of the current device."""
    from .devices import get_current_device

    return compile(pyfunc, sig, cc=get_current_device().compute_capability, **options)


def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, cc=None, opt=None, abi="numba",
                abi_info=None, **options):
    """Compiles a kernel, or with device=True a device function, to PTX: (code, return type)."""
    return compile(pyfunc, sig, debug=debug, lineinfo=lineinfo, device=device, fastmath=fastmath, cc=cc, opt=opt, abi=abi,
                   abi_info=abi_info, output="ptx", **options)


def compile_ptx_for_current_device(pyfunc, sig, **options):
    """`compile_ptx` for the compute capability of the current device."""
    from .devices import get_current_device

    return compile_ptx(pyfunc, sig, cc=get_current_device().compute_capability, **options)
