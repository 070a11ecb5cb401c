"""Exceptions of `cuda`."""

from __future__ import annotations


class CudaSupportError(ImportError):
    """There is no usable CUDA driver or device."""


class CudaDriverError(Exception):
    """The driver, or the device that stands for it, refused something."""


class CudaRuntimeError(Exception):
    """An error of the CUDA runtime."""


class CudaAPIError(CudaDriverError):
    """A driver call failed: `code` and `msg`."""

    def __init__(self, code, msg):
        self.code, self.msg = code, msg
        super().__init__(code, msg)

    def __str__(self):
        return f"[{self.code}] {self.msg}"


class NvvmSupportError(ImportError):
    """libdevice was not found."""


class NvvmError(Exception):
    """Code generation for a GPU failed."""


class LinkerError(RuntimeError):
    """Linking device code failed."""


class KernelRuntimeError(RuntimeError):
    """A kernel failed while it ran."""


class DeadMemoryError(RuntimeError):
    """Memory of the device was used after it was freed."""
