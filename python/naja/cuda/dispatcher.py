"""Kernels: `@cuda.jit`."""

from __future__ import annotations

import functools
import operator

from .. import _core
from ..dispatcher import CPUDispatcher, _compiler
from .devicearray import DeviceNDArray
from .errors import CudaAPIError
from .memory import InOut

MAX_THREADS = 1024
MAX_BLOCK = (1024, 1024, 64)
MAX_GRID = (2**31 - 1, 65535, 65535)


def normalise_dim(value, what):
    """An int or a sequence of up to three as three positive ints."""
    try:
        dims = (operator.index(value),)
    except TypeError:
        try:
            dims = tuple(operator.index(d) for d in value)
        except TypeError:
            raise TypeError(f"{what} must be an int or a tuple of up to three ints, not {value!r}") from None
    if not 1 <= len(dims) <= 3:
        raise ValueError(f"{what} must have 1, 2 or 3 dimensions, got {len(dims)}")
    return dims + (1,) * (3 - len(dims))


def check_configuration(grid, block, sharedmem):
    """What a driver would refuse to launch."""
    def refuse(why):
        raise CudaAPIError(1, f"cuLaunchKernel: CUDA_ERROR_INVALID_VALUE: {why}")

    threads = block[0] * block[1] * block[2]
    if min(block) < 1:
        refuse(f"a block of {block} threads: every extent must be at least 1")
    if min(grid) < 1:
        refuse(f"a grid of {grid} blocks: every extent must be at least 1")
    if threads > MAX_THREADS:
        refuse(f"a block of {block} has {threads} threads; at most {MAX_THREADS} are allowed")
    if any(n > limit for n, limit in zip(block, MAX_BLOCK)):
        refuse(f"a block of {block} exceeds {MAX_BLOCK}")
    if any(n > limit for n, limit in zip(grid, MAX_GRID)):
        refuse(f"a grid of {grid} exceeds {MAX_GRID}")
    if not 0 <= sharedmem <= 227 * 1024:
        refuse(f"{sharedmem} bytes of dynamic shared memory; a block has at most {227 * 1024}")


class _Configured:
    """A kernel with the shape of its launch: what `kernel[grid, block, stream, sharedmem]` is."""

    def __init__(self, dispatcher, griddim, blockdim, stream=0, sharedmem=0):
        self.dispatcher, self.stream, self.sharedmem = dispatcher, stream, sharedmem
        self.griddim, self.blockdim = normalise_dim(griddim, "the grid"), normalise_dim(blockdim, "the block")
        check_configuration(self.griddim, self.blockdim, sharedmem)

    def __call__(self, *args):
        return self.dispatcher._launch(self, args)


class _ForAll:
    """A launch with a thread for each of `ntasks`."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        self.dispatcher, self.ntasks = dispatcher, ntasks
        self.thread_per_block, self.stream, self.sharedmem = tpb or 256, stream, sharedmem

    def __call__(self, *args):
        if self.ntasks == 0:
            return
        blocks = -(-self.ntasks // self.thread_per_block)
        self.dispatcher[blocks, self.thread_per_block, self.stream, self.sharedmem](*args)


class CUDADispatcher(CPUDispatcher):
    """A kernel, or a function of kernels, that is compiled for the types it is used with."""

    def __init__(self, py_func, targetoptions=None, device=False, locals=None):
        super().__init__(py_func, locals=locals, targetoptions=targetoptions)
        self.__dict__.update(device=device, specialized=False, extensions=[], _configured={})

    @property
    def compiler_flags(self):
        flags = self._flags
        if flags is None:
            from .options import parse

            flags = self.__dict__["_flags"] = parse(self.targetoptions, self.locals)
        return flags

    # ------------------------------------------------------------------ launching
    def __getitem__(self, args):
        if not isinstance(args, tuple) or not 2 <= len(args) <= 4:
            raise ValueError("must specify at least the griddim and blockdim: kernel[griddim, blockdim, stream, sharedmem]")
        return self.configure(*args)

    def configure(self, griddim, blockdim, stream=0, sharedmem=0):
        """The kernel with the shape of its launch."""
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: only kernels call it")
        try:
            key = (griddim, blockdim, stream, sharedmem)
            known = self._configured.get(key)
        except TypeError:
            return _Configured(self, griddim, blockdim, stream, sharedmem)
        if known is None:
            if len(self._configured) >= 128:
                self._configured.clear()
            known = self._configured[key] = _Configured(self, griddim, blockdim, stream, sharedmem)
        return known

    def __call__(self, *args, **kwargs):
        if self.device:
            raise TypeError(f"{self.__name__} is a device function: only kernels call it")
        if self.specialized:
            return super().__call__(*args, **kwargs)
        raise ValueError(f"the kernel {self.__name__} was called without a launch configuration: write "
                         f"{self.__name__}[griddim, blockdim](...)")

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launch with a thread for each of `ntasks`."""
        return _ForAll(self, ntasks, tpb, stream, sharedmem)

    def _launch(self, configured, args):
        written = None
        passed = list(args)
        for i, arg in enumerate(passed):
            if self.extensions:
                arg = passed[i] = self._extended(arg)
            if isinstance(arg, DeviceNDArray):
                passed[i] = arg._array
            elif isinstance(arg, InOut):
                passed[i] = arg.before()
            elif hasattr(arg, "__cuda_array_interface__"):
                from .memory import as_cuda_array

                passed[i] = as_cuda_array(arg)._array
        _core.cuda_configure(configured.griddim, configured.blockdim, configured.sharedmem)
        _core.Dispatcher.__call__(self, *passed)
        return written

    def _extended(self, arg):
        from ..typing import typeof

        for extension in reversed(self.extensions):
            _, arg = extension.prepare_args(typeof(arg), arg, stream=0, retr=[])
        return arg

    # ------------------------------------------------------------------ compiling
    def _compile_ids(self, arg_ids, return_id=None):
        from .. import types

        known = self._exact(arg_ids)
        if known is not None:
            return known
        if not self._can_compile:
            raise TypeError(self._no_match(arg_ids))
        if not self.device:
            return_id = self._check_void(return_id, types)
        specialisation = _compiler().compile(self.py_func, self, arg_ids, return_id, self.compiler_flags)
        self._misses[arg_ids] = self._misses.get(arg_ids, 0) + 1
        if specialisation.return_type != types.none.id and not self.device:
            raise TypeError(f"CUDA kernel must have void return type: {self.__name__} returns "
                            f"{_core.type_data(specialisation.return_type)[1]}")
        return specialisation

    def _check_void(self, return_id, types):
        if return_id is not None and return_id != types.none.id:
            raise TypeError("CUDA kernel must have void return type.")
        return None

    def compile(self, sig):
        """Compiles for a signature."""
        if self.device:
            return None
        return super().compile(sig)

    def specialize(self, *args):
        """The kernel for the types of these arguments only."""
        from ..typing import typeof

        signature = tuple(typeof(a._array if isinstance(a, DeviceNDArray) else a) for a in args)
        specialised = CUDADispatcher(self.py_func, dict(self.targetoptions))
        specialised.compile(signature)
        specialised.disable_compile()
        return specialised

    # ------------------------------------------------------------------ inspection
    def _ptx(self, specialisation, cc=None):
        from .compiler import ptx_of

        return ptx_of(self.py_func, self, specialisation.args, specialisation.return_type, self.compiler_flags, cc)

    def inspect_asm(self, signature=None):
        """PTX of one signature, or a dict of all."""
        return self._for_signatures(signature, lambda s: self._ptx(s)[0])

    inspect_ptx = inspect_asm

    def inspect_llvm(self, signature=None):
        """LLVM IR for a GPU of one signature, or a dict of all."""
        return self._for_signatures(signature, lambda s: self._ptx(s)[2])

    @property
    def definitions(self):
        return self.overloads

    def get_regs_per_thread(self, signature=None):
        """Registers per thread: none are counted on the CPU device."""
        return self._for_signatures(signature, lambda s: 0)

    def get_max_threads_per_block(self, signature=None):
        return self._for_signatures(signature, lambda s: MAX_THREADS)


def jit(func_or_sig=None, device=False, inline="never", forceinline=False, link=(), debug=None, opt=None, lineinfo=False,
        cache=False, **kws):
    """Makes a kernel, or with device=True a function that kernels call.

        @cuda.jit
        def scale(a, factor):
            i = cuda.grid(1)
            if i < a.size:
                a[i] *= factor

        scale[blocks, threads](array, 2.0)
    """
    from ..types.signatures import is_signature

    for name in ("argtypes", "restype", "bind"):
        if name in kws:
            raise TypeError(f"the option {name} of cuda.jit was removed: pass a signature")
    if kws.get("boundscheck"):
        raise NotImplementedError("bounds checking is not supported for CUDA; NAJA_CUDA_CHECK=memory checks on the CPU device")
    if link and device:
        raise ValueError("link keyword invalid for device function")
    options = {k: kws[k] for k in ("fastmath",) if k in kws}
    options.update(debug=bool(debug), forceinline=forceinline,
                   inline=inline if isinstance(inline, str) else ("always" if inline else "never"))

    def decorate(function, signatures=None):
        from .. import types

        if isinstance(function, CUDADispatcher):
            function = function.py_func
        dispatcher = CUDADispatcher(function, dict(options), device=device, locals=kws.get("locals"))
        for signature in signatures or ():
            result = getattr(signature, "return_type", None)
            if not device and result is not None and result != types.none:
                raise TypeError("CUDA kernel must have void return type.")
            dispatcher.compile(signature)
        if signatures:
            dispatcher._can_compile = device
        return dispatcher

    if func_or_sig is None:
        return decorate
    if isinstance(func_or_sig, list) or is_signature(func_or_sig):
        return functools.partial(decorate, signatures=func_or_sig if isinstance(func_or_sig, list) else [func_or_sig])
    return decorate(func_or_sig)
