"""Devices and contexts. Without a GPU there is one device, the CPU device, numbered 0."""

from __future__ import annotations

import os

from .. import _core
from .errors import CudaSupportError


class Context:
    """The state of a device."""

    def __init__(self, device):
        self.device = device

    def synchronize(self):
        """Waits for all work of the device."""

    def reset(self):
        """Frees what belongs to the context."""

    def push(self):
        """Makes it the current context."""

    def pop(self):
        """Makes the context before it the current one."""

    def get_memory_info(self):
        """(free, total) bytes."""
        from collections import namedtuple

        page = os.sysconf("SC_PAGE_SIZE")
        info = namedtuple("MemoryInfo", "free total")
        return info(os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page)

    def can_access_peer(self, peer_context):
        return False

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class Device:
    """The CPU as a device."""

    id = 0
    name = b"naja CPU device"
    uuid = "GPU-00000000-0000-0000-0000-000000000000"
    compute_capability = (7, 5)
    supports_float16 = supports_bfloat16 = supports_fp8 = False
    WARP_SIZE = 32
    MAX_THREADS_PER_BLOCK = 1024
    MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1024, 1024, 64
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z = 2**31 - 1, 65535, 65535
    MAX_SHARED_MEMORY_PER_BLOCK = 227 * 1024
    UNIFIED_ADDRESSING = 1

    def __init__(self):
        self.primary_context = Context(self)

    @property
    def MULTIPROCESSOR_COUNT(self):
        return os.cpu_count() or 1

    def get_primary_context(self):
        return self.primary_context

    def reset(self):
        self.primary_context.reset()

    def release_primary_context(self):
        """Nothing to release."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __repr__(self):
        return "<CUDA device 0 'naja CPU device'>"


class _Devices:
    """The devices: indexable and iterable."""

    def __init__(self):
        self.lst = [Device()]

    current = property(lambda self: self.lst[0])

    def __getitem__(self, devnum):
        return self.lst[devnum]

    def __len__(self):
        return len(self.lst)

    def __iter__(self):
        return iter(self.lst)

    def __str__(self):
        return ", ".join(map(str, self.lst))


gpus = _Devices()


def asked_for():
    """Whether a program asked for the CPU device: NAJA_CUDA_DEVICE=cpu, or NUMBA_ENABLE_CUDASIM=1 under the alias."""
    if _core.get_option("CUDA_DEVICE") == "cpu":
        return True
    return os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0")


def is_available():
    """Whether programs should choose CUDA. The CPU device counts only where it was asked for, so that programs which have
    a path for CPUs keep it."""
    return asked_for()


def is_supported_version():
    return asked_for()


def cuda_error():
    """The error that keeps the driver from being used, or None."""
    if asked_for():
        return None
    return CudaSupportError("no CUDA driver was found: kernels run on the CPU device")


def detect():
    """Prints the devices; whether there is one that counts."""
    print("Found 1 CUDA devices")
    print(f"id 0    {gpus[0].name.decode()!r:>40}                              [SUPPORTED]")
    return asked_for()


def list_devices():
    return gpus


def get_current_device():
    return gpus.current


def select_device(device_id):
    """The context of a device becomes the current one."""
    if device_id != 0:
        from .errors import CudaAPIError

        raise CudaAPIError(101, "cuDeviceGet: CUDA_ERROR_INVALID_DEVICE: there is one device, the CPU device, number 0")
    return gpus[0].primary_context


def current_context(devnum=None):
    return gpus[devnum or 0].primary_context


def require_context(function):
    """A decorator: a context exists when the function runs."""
    return function


def synchronize():
    """Waits for all work of the device."""
    current_context().synchronize()


def close():
    """Ends the contexts of this thread."""
