"""CUDA: kernels in Python, on GPUs and, without one, on the CPU device at the speed of compiled code.

    from naja import cuda

    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        if i < y.size:
            y[i] += a * x[i]

    saxpy[blocks, threads](2.0, x, y)
"""

from .compiler import compile, compile_for_current_device, compile_ptx, compile_ptx_for_current_device
from .devicearray import is_cuda_ndarray
from .devices import (
                      close,
                      cuda_error,
                      current_context,
                      detect,
                      get_current_device,
                      gpus,
                      is_available,
                      is_supported_version,
                      list_devices,
                      require_context,
                      select_device,
                      synchronize,
)
from .dispatcher import jit
from .errors import (
                      CudaAPIError,
                      CudaDriverError,
                      CudaRuntimeError,
                      CudaSupportError,
                      KernelRuntimeError,
                      LinkerError,
                      NvvmError,
                      NvvmSupportError,
)
from .intrinsics import (
                      atomic,
                      blockDim,
                      blockIdx,
                      grid,
                      gridDim,
                      gridsize,
                      local,
                      shared,
                      syncthreads,
                      threadfence,
                      threadfence_block,
                      threadfence_system,
                      threadIdx,
                      warpsize,
)
from .memory import (
                      In,
                      InOut,
                      Out,
                      as_cuda_array,
                      defer_cleanup,
                      device_array,
                      device_array_like,
                      from_cuda_array_interface,
                      is_cuda_array,
                      managed_array,
                      mapped,
                      mapped_array,
                      mapped_array_like,
                      pinned,
                      pinned_array,
                      pinned_array_like,
                      to_device,
)
from .streams import (
                      default_stream,
                      event,
                      event_elapsed_time,
                      external_stream,
                      legacy_default_stream,
                      per_thread_default_stream,
                      stream,
)

__all__ = [
    "CudaAPIError", "CudaDriverError", "CudaRuntimeError", "CudaSupportError", "In", "InOut", "KernelRuntimeError",
    "LinkerError", "NvvmError", "NvvmSupportError", "Out", "as_cuda_array", "atomic", "blockDim", "blockIdx", "close",
    "compile", "compile_for_current_device", "compile_ptx", "compile_ptx_for_current_device", "cuda_error",
    "current_context", "default_stream", "defer_cleanup", "detect", "device_array", "device_array_like", "event",
    "event_elapsed_time", "external_stream", "from_cuda_array_interface", "get_current_device", "gpus", "grid",
    "gridDim", "gridsize", "is_available", "is_cuda_array", "is_cuda_ndarray", "is_supported_version", "jit",
    "legacy_default_stream", "list_devices", "local", "managed_array", "mapped", "mapped_array", "mapped_array_like",
    "per_thread_default_stream", "pinned", "pinned_array", "pinned_array_like", "require_context", "select_device",
    "shared", "stream", "synchronize", "syncthreads", "threadIdx", "threadfence", "threadfence_block",
    "threadfence_system", "to_device", "warpsize",
]
